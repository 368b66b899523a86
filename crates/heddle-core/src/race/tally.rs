//! Counts races: once per place and pair of source positions.

use crate::finding::{Access, Certainty, Finding, Place};
use crate::history::{Conflicts, Mark};
use crate::hold::Holds;
use crate::id::{Location, SiteId};
use crate::order::Order;
use crate::place::Places;
use crate::roster::{Ancestry, Roster};
use rustc_hash::FxHashMap;

/// The races found so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// What locations are called; kept here because a place is named when its race is found.
    pub(super) places: Places,
    races: Vec<Race>,
    rows: FxHashMap<(Location, SiteId, SiteId), usize>,
}

#[derive(Debug)]
struct Race {
    place: Place,
    marks: [Mark; 2],
    certainty: Certainty,
    count: u64,
}

impl Tally {
    pub(super) fn is_empty(&self) -> bool {
        self.races.is_empty()
    }

    pub(super) fn findings<O: Order>(
        &self,
        order: &O,
        holds: &Holds,
        roster: &Roster,
    ) -> Vec<Finding> {
        if self.races.is_empty() {
            return Vec::new();
        }
        let ancestry = roster.ancestry();
        self.races
            .iter()
            .map(|race| race.finding(order, holds, &ancestry))
            .collect()
    }
}

impl Tally {
    /// The row of a place, which may have many locations.
    fn row(
        &mut self,
        place: Place,
        (low, high): (SiteId, SiteId),
        marks: [Mark; 2],
        certainty: Certainty,
    ) -> usize {
        let next = self.races.len();
        let whole = (Location(place.location), low, high);
        let row = *self.rows.entry(whole).or_insert(next);
        if row == next {
            self.races.push(Race {
                place,
                marks,
                certainty,
                count: 0,
            });
        }
        row
    }
}

impl Conflicts for Tally {
    #[cold]
    fn found(&mut self, location: Location, earlier: Mark, now: Mark, certainty: Certainty) {
        let (low, high) = (earlier.site.min(now.site), earlier.site.max(now.site));
        let known = self.rows.get(&(location, low, high)).copied();
        let row = known.unwrap_or_else(|| {
            let place = self.places.place(location);
            let row = self.row(place, (low, high), [earlier, now], certainty);
            self.rows.insert((location, low, high), row);
            row
        });
        let race = &mut self.races[row];
        race.count += 1;
        if certainty > race.certainty {
            (race.certainty, race.marks) = (certainty, [earlier, now]);
        }
    }
}

impl Race {
    fn finding<O: Order>(&self, order: &O, holds: &Holds, ancestry: &Ancestry<'_>) -> Finding {
        let access = |mark: Mark| Access {
            kind: mark.kind,
            site: mark.site,
            task: order.task_of(mark.strand),
            locks: holds.locks(mark.hold),
        };
        let accesses = self.marks.map(access);
        let why = ancestry.why(accesses[0].task, accesses[1].task);
        let Self {
            place,
            certainty,
            count,
            ..
        } = *self;
        Finding::Race {
            certainty,
            place,
            accesses,
            why,
            count,
        }
    }
}
