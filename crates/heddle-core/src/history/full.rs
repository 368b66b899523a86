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
//! Accesses are grouped by lock set; groups that share a lock with the access are passed over, so a
//! location that is always locked costs the same however many tasks lock it. A read is compared
//! with writes only. A long list that an access was not compared with is looked through when it has
//! doubled, and then only if a sample shows that there is something to forget. A list found to precede some strand
//! is not looked through again by what comes after that strand. So reads by many parallel strands,
//! and reads after many locked writes, cost amortised constant time each.

use super::shadow::Shadow;
use super::{Conflicts, History, Mark, Running};
use crate::event::AccessKind::{self, Read, Write};
use crate::finding::Certainty;
use crate::hold::{HoldId, LockSetId};
use crate::id::{Extent, Location, SiteId, StrandId};
use crate::order::{NO_STRAND, Order};

/// Lists up to this length are thinned at every access.
const SHORT: usize = 8;

/// How many accesses of a long list are tried before all are.
const SAMPLE: usize = 16;

#[derive(Clone, Default, Debug)]
struct Cell {
    /// What the last write held; meaningful once there was one.
    last_write: Option<HoldId>,
    /// Accesses without any lock.
    plain: Group,
    /// Accesses under locks, by lock set.
    locked: Vec<(LockSetId, Group)>,
}

/// Accesses under the same locks.
#[derive(Clone, Default, Debug)]
struct Group {
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
    fn receive<O: Order>(&mut self, location: Location, run: &mut Running<'_, O>) {
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
        if cell.has(now, run.holds.lock_set(now.hold)) {
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
        // One read is one access: what any of its locations hands over arrives before all of it.
        if run.holds.current() != HoldId::NOTHING {
            extent
                .locations()
                .for_each(|location| self.receive(location, &mut run));
        }
        for location in extent.locations() {
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
    #[inline]
    fn has(&self, now: Mark, locks: LockSetId) -> bool {
        let group = match locks {
            LockSetId::EMPTY => Some(&self.plain),
            _ => self
                .locked
                .iter()
                .find(|(set, _)| *set == locks)
                .map(|(_, group)| group),
        };
        group.is_some_and(|group| group.has(now))
    }

    fn groups(&mut self) -> impl Iterator<Item = (LockSetId, &mut Group)> {
        let locked = self.locked.iter_mut().map(|(set, group)| (*set, group));
        std::iter::once((LockSetId::EMPTY, &mut self.plain)).chain(locked)
    }

    fn group(&mut self, locks: LockSetId) -> &mut Group {
        if locks == LockSetId::EMPTY {
            return &mut self.plain;
        }
        let known = self.locked.iter().position(|(set, _)| *set == locks);
        let at = known.unwrap_or_else(|| {
            self.locked.push((locks, Group::default()));
            self.locked.len() - 1
        });
        &mut self.locked[at].1
    }

    fn compare<O: Order, C: Conflicts>(
        &mut self,
        location: Location,
        now: Mark,
        run: &mut Running<'_, O>,
        to: &mut C,
    ) {
        let locks = run.holds.lock_set(now.hold);
        let mut found = |earlier: Mark, certainty| to.found(location, earlier, now, certainty);
        for (set, group) in self.groups() {
            if run.holds.disjoint(set, locks) {
                group.writes.compare(now, run.order, &mut found);
                if now.kind == Write {
                    group.reads.compare(now, run.order, &mut found);
                }
            }
        }
    }

    fn remember<O: Order>(&mut self, now: Mark, run: &mut Running<'_, O>) {
        let locks = run.holds.lock_set(now.hold);
        for (set, group) in self.groups() {
            if run.holds.within(locks, set) {
                let compared = now.kind == Write && run.holds.disjoint(locks, set);
                let effort = if compared {
                    Effort::Full
                } else {
                    Effort::Amortised
                };
                group.reads.thin(effort, run.order);
                if now.kind == Write {
                    group.writes.thin(effort, run.order);
                }
            }
        }
        let group = self.group(locks);
        match now.kind {
            Read => group.reads.push(now),
            Write => group.writes.push(now),
        }
    }
}

impl Group {
    fn has(&self, now: Mark) -> bool {
        self.writes.has(now) || now.kind == Read && self.reads.has(now)
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
    /// The first so many marks precede the strand beside it: what it precedes need not look at
    /// them again.
    settled: (usize, StrandId),
}

impl Marks {
    #[inline]
    fn has(&self, now: Mark) -> bool {
        let recent = match self {
            Self::None => &[],
            Self::One(mark) => std::slice::from_ref(mark),
            Self::Many(list) => &list.marks[list.marks.len().saturating_sub(SHORT)..],
        };
        recent
            .iter()
            .any(|mark| mark.strand == now.strand && mark.hold == now.hold)
    }

    /// Passes on the accesses that are parallel with `now`.
    fn compare<O: Order>(
        &mut self,
        now: Mark,
        order: &mut O,
        found: &mut impl FnMut(Mark, Certainty),
    ) {
        match self {
            Self::None => {}
            Self::One(mark) => {
                compare(*mark, order, found);
            }
            Self::Many(list) => list.compare(now, order, found),
        }
    }

    fn push(&mut self, now: Mark) {
        match self {
            Self::None => *self = Self::One(now),
            Self::One(mark) => {
                let marks = vec![*mark, now];
                *self = Self::Many(Box::new(List {
                    marks,
                    limit: 2 * SHORT,
                    settled: UNSETTLED,
                }));
            }
            Self::Many(list) => list.marks.push(now),
        }
    }

    /// Forgets the accesses that precede the running one, which holds no more locks than they.
    fn thin<O: Order>(&mut self, effort: Effort, order: &mut O) {
        match self {
            Self::None => {}
            Self::One(mark) if order.precedes(mark.strand) => *self = Self::None,
            Self::One(_) => {}
            Self::Many(list) => {
                list.thin(effort, order);
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

/// How much may be spent on thinning a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// All of it: the access was compared with every mark anyway.
    Full,
    /// So much that it is constant per access in the long run.
    Amortised,
}

const UNSETTLED: (usize, StrandId) = (0, NO_STRAND);

impl List {
    fn compare<O: Order>(
        &mut self,
        now: Mark,
        order: &mut O,
        found: &mut impl FnMut(Mark, Certainty),
    ) {
        let (count, by) = self.settled;
        let from = if count > 0 && order.precedes(by) {
            count
        } else {
            0
        };
        let mut parallel = false;
        for &mark in &self.marks[from..] {
            parallel |= compare(mark, order, found);
        }
        if !parallel {
            self.settled = (self.marks.len(), now.strand);
        }
    }

    fn thin<O: Order>(&mut self, effort: Effort, order: &mut O) {
        let len = self.marks.len();
        let all = len <= SHORT
            || effort == Effort::Full
            || len >= self.limit && self.sample().any(|mark| order.precedes(mark.strand));
        if all {
            self.settled = UNSETTLED;
            self.marks.retain(|mark| !order.precedes(mark.strand));
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

/// Passes `earlier` on if it is parallel with the running strand, and says whether it is.
fn compare<O: Order>(
    earlier: Mark,
    order: &mut O,
    found: &mut impl FnMut(Mark, Certainty),
) -> bool {
    let parallel = !order.precedes(earlier.strand);
    if parallel {
        let handed_over = order.handed_over(earlier.strand);
        found(
            earlier,
            if handed_over {
                Certainty::Possible
            } else {
                Certainty::Certain
            },
        );
    }
    parallel
}
