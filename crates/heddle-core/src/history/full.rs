//! Every access that no later one stands for: exact with extra edges, locks and hand-offs.
//!
//! After Cheng, Feng, Leiserson, Randall, Stark: *Detecting Data Races in Cilk Programs That Use
//! Locks* (All-Sets, 1998), with the order made exchangeable.
//!
//! # Rule
//! An earlier access is forgotten when a new one *stands for* it: the new one comes after it in
//! every schedule, holds no lock that the earlier did not hold, and writes if the earlier wrote.
//! Whatever later races with the forgotten access then also races with the new one: it cannot come
//! after the new one without coming after the old. The same holds with hand-offs counted as order,
//! so certainty is exact as well.
//!
//! # Hand-offs
//! A read under a lock, of a value last written in an earlier section of that lock, is a
//! hand-off: the strand that ended that section is counted as handed over to the reader. The edge
//! arrives *at the read*: what the section did before it cannot depend on the value.
//!
//! # Cost
//! A write and a read inline per location, more on the heap. A read is compared with the writes
//! only. A long list of reads is looked through by reads when it has doubled, and then only if a
//! sample shows that there is something to forget, so that reads by many parallel strands cost
//! amortised constant time each.

use super::shadow::Shadow;
use super::{Conflicts, History, Mark, Running};
use crate::event::AccessKind::{self, Read, Write};
use crate::finding::Certainty;
use crate::hold::HoldId;
use crate::id::{Extent, Location, SiteId};
use crate::order::Order;

/// Lists up to this length are thinned at every access.
const SHORT: usize = 8;

/// How many accesses of a long list are tried before all are.
const SAMPLE: usize = 16;

#[derive(Clone, Default, Debug)]
struct Cell {
    /// What the last write held; meaningful once there was one.
    last_write: Option<HoldId>,
    writes: Marks,
    reads: Marks,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Full {
    cells: Shadow<Cell>,
    hand_offs: u64,
}

impl Full {
    /// Nothing accessed yet.
    pub fn new() -> Self {
        Self {
            cells: Shadow::new(),
            hand_offs: 0,
        }
    }

    /// Notes the hand-offs a read of `location` receives.
    #[inline]
    fn receive<O: Order>(&mut self, location: Location, run: &mut Running<'_, O>) {
        if run.holds.current() == HoldId::NOTHING {
            return;
        }
        let Some(wrote) = self.cells.cell(location).last_write else {
            return;
        };
        for from in run.holds.handed_from(wrote) {
            if !run.order.precedes(from) && !run.order.handed_over(from) {
                run.order.hand_over(from);
                self.hand_offs += 1;
            }
        }
    }

    fn access<O: Order, C: Conflicts>(
        &mut self,
        location: Location,
        site: SiteId,
        kind: AccessKind,
        run: &mut Running<'_, O>,
        to: &mut C,
    ) {
        let now = Mark {
            strand: run.order.strand(),
            site,
            hold: run.holds.current(),
            kind,
        };
        let cell = self.cells.cell(location);
        if kind == Write {
            cell.last_write = Some(now.hold);
        }
        if cell.has(now) {
            return;
        }
        cell.compare(location, now, run, to);
        cell.remember(now, run);
    }
}

impl Default for Full {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Order> History<O> for Full {
    fn read<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        mut run: Running<'_, O>,
        to: &mut C,
    ) {
        for location in extent.locations() {
            self.receive(location, &mut run);
            self.access(location, site, Read, &mut run, to);
        }
    }

    fn write<C: Conflicts>(
        &mut self,
        extent: Extent,
        site: SiteId,
        mut run: Running<'_, O>,
        to: &mut C,
    ) {
        for location in extent.locations() {
            self.access(location, site, Write, &mut run, to);
        }
    }

    fn forget(&mut self, extent: Extent) {
        self.cells.clear(extent);
    }

    fn hand_offs(&self) -> u64 {
        self.hand_offs
    }
}

impl Cell {
    /// Whether an access of the same strand with the same protection already stands for `now`.
    fn has(&self, now: Mark) -> bool {
        self.writes.has(now) || now.kind == Read && self.reads.has(now)
    }

    fn compare<O: Order, C: Conflicts>(
        &self,
        location: Location,
        now: Mark,
        run: &mut Running<'_, O>,
        to: &mut C,
    ) {
        let reads = if now.kind == Write {
            self.reads.as_slice()
        } else {
            &[]
        };
        for &earlier in self.writes.as_slice().iter().chain(reads) {
            if run.holds.disjoint(earlier.hold, now.hold) && !run.order.precedes(earlier.strand) {
                let certainty = match run.order.handed_over(earlier.strand) {
                    true => Certainty::Possible,
                    false => Certainty::Certain,
                };
                to.found(location, earlier, now, certainty);
            }
        }
    }

    fn remember<O: Order>(&mut self, now: Mark, run: &mut Running<'_, O>) {
        self.reads.thin(now, run);
        match now.kind {
            Read => self.reads.push(now),
            Write => {
                self.writes.thin(now, run);
                self.writes.push(now);
            }
        }
    }
}

/// Remembered accesses of one kind: none, one inline, or a list.
#[derive(Clone, Default, Debug)]
enum Marks {
    #[default]
    None,
    One(Mark),
    Many(Box<List>),
}

#[derive(Clone, Debug)]
struct List {
    marks: Vec<Mark>,
    /// Length at which the list is thinned next, once it is no longer short.
    limit: usize,
}

impl Marks {
    fn as_slice(&self) -> &[Mark] {
        match self {
            Self::None => &[],
            Self::One(mark) => std::slice::from_ref(mark),
            Self::Many(list) => &list.marks,
        }
    }

    #[inline]
    fn has(&self, now: Mark) -> bool {
        let recent = self.as_slice().iter().rev().take(SHORT);
        recent
            .into_iter()
            .any(|mark| mark.strand == now.strand && mark.hold == now.hold)
    }

    fn push(&mut self, now: Mark) {
        match self {
            Self::None => *self = Self::One(now),
            Self::One(mark) => {
                let marks = vec![*mark, now];
                *self = Self::Many(Box::new(List {
                    marks,
                    limit: 2 * SHORT,
                }));
            }
            Self::Many(list) => list.marks.push(now),
        }
    }

    /// Forgets the accesses that `now` stands for.
    fn thin<O: Order>(&mut self, now: Mark, run: &mut Running<'_, O>) {
        let mut stands_for =
            |mark: &Mark| run.holds.within(now.hold, mark.hold) && run.order.precedes(mark.strand);
        match self {
            Self::None => {}
            Self::One(mark) if stands_for(mark) => *self = Self::None,
            Self::One(_) => {}
            Self::Many(list) => {
                list.thin(now.kind, stands_for);
                if let [] | [_] = list.marks[..] {
                    *self = list
                        .marks
                        .first()
                        .map_or(Self::None, |&mark| Self::One(mark));
                }
            }
        }
    }
}

impl List {
    fn thin(&mut self, kind: AccessKind, mut stands_for: impl FnMut(&Mark) -> bool) {
        let len = self.marks.len();
        // A write was compared with all of them anyway; a read pays only where it is worth it.
        let all = len <= SHORT
            || kind == Write
            || len >= self.limit && self.sample().any(&mut stands_for);
        if all {
            self.marks.retain(|mark| !stands_for(mark));
        }
        if len >= self.limit {
            self.limit = 2 * self.marks.len().max(SHORT);
        }
    }

    fn sample(&self) -> impl Iterator<Item = &Mark> {
        self.marks
            .iter()
            .step_by(self.marks.len().div_ceil(SAMPLE).max(1))
    }
}
