//! Counts tears: once per unit and triple of source positions.

use super::history::{Pair, Tears, Touch};
use super::pattern::Pattern;
use super::unit::{UnitId, Units};
use crate::finding::{Access, Certainty, Finding, Place};
use crate::hold::Holds;
use crate::id::{GroupId, SiteId};
use crate::order::Order;
use crate::place::Places;
use crate::roster::{Ancestry, Roster};
use rustc_hash::FxHashMap;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    tears: Vec<Tear>,
    rows: FxHashMap<(UnitId, [SiteId; 3]), usize>,
}

#[derive(Debug)]
struct Tear {
    group: Option<GroupId>,
    places: Vec<Place>,
    touched: [Place; 3],
    triple: [Touch; 3],
    certainty: Certainty,
    count: u64,
    is_declared: bool,
}

/// Takes in what is found, and names it while its name is known.
#[derive(Debug)]
pub(super) struct Naming<'a> {
    tally: &'a mut Tally,
    units: &'a Units,
    places: &'a Places,
}

impl Tally {
    pub(super) fn naming<'a>(&'a mut self, units: &'a Units, places: &'a Places) -> Naming<'a> {
        Naming {
            tally: self,
            units,
            places,
        }
    }

    pub(super) fn findings<O: Order>(
        self,
        order: &O,
        holds: &Holds,
        roster: &Roster,
    ) -> Vec<Finding> {
        if self.tears.is_empty() {
            return Vec::new();
        }
        let ancestry = roster.ancestry();
        let tears = self.tears.into_iter();
        tears
            .map(|tear| tear.finding(order, holds, &ancestry))
            .collect()
    }
}

impl Tears for Naming<'_> {
    #[cold]
    fn found(&mut self, unit: UnitId, pair: Pair, middle: Touch, certainty: Certainty) {
        let triple = [pair.first, middle, pair.last];
        let sites = triple.map(|touch| touch.mark.site);
        let next = self.tally.tears.len();
        let row = *self.tally.rows.entry((unit, sites)).or_insert(next);
        if row == next {
            self.tally.tears.push(Tear {
                group: self.units.group(unit),
                places: self.units.places(unit, self.places),
                touched: triple.map(|touch| self.places.place(touch.at)),
                triple,
                certainty,
                count: 0,
                is_declared: self.units.is_declared(pair.first.at),
            });
        }
        let tear = &mut self.tally.tears[row];
        tear.count += 1;
        if certainty > tear.certainty {
            (tear.certainty, tear.triple) = (certainty, triple);
        }
    }
}

impl Tear {
    fn finding<O: Order>(self, order: &O, holds: &Holds, ancestry: &Ancestry<'_>) -> Finding {
        let accesses = self.triple.map(|touch| Access {
            kind: touch.mark.kind,
            site: touch.mark.site,
            task: order.task_of(touch.mark.strand),
            locks: holds.locks(touch.mark.hold),
        });
        let why = ancestry.why(accesses[0].task, accesses[1].task);
        let rank = match self.is_declared {
            true => 0,
            false => rank(&accesses),
        };
        Finding::Atomicity {
            certainty: self.certainty,
            group: self.group,
            places: self.places,
            accesses,
            touched: self.touched,
            why,
            count: self.count,
            rank,
        }
    }
}

/// How far three accesses are from a sure defect. Nobody declared the place atomic, so it is a guess: a lost update is most often a defect, an intermediate value
/// overwritten least; and what holds no lock is a race anyway and comes after what was meant to be right.
pub fn rank(accesses: &[Access; 3]) -> u8 {
    let pattern = match Pattern::of(accesses[0].kind, accesses[2].kind) {
        Pattern::ReadWrite => 1,
        Pattern::WriteRead => 2,
        Pattern::ReadRead => 3,
        Pattern::WriteWrite => 4,
    };
    let is_locked = accesses.iter().all(|access| !access.locks.is_empty());
    pattern + if is_locked { 0 } else { 4 }
}
