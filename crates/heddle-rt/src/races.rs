//! The races found so far: once per pair of source positions, with the locations and a count.

use crate::exclusion::Hold;
use heddle_core::{AccessKind, Certainty};
use rustc_hash::FxHashMap;

/// One access of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RacyAccess {
    /// Read or write.
    pub kind: AccessKind,
    /// The front end's number of the source position.
    pub site: u32,
    /// The strand.
    pub(crate) strand: u32,
    /// What was held.
    pub(crate) hold: Hold,
}

/// A pair of source positions that raced on a location.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    pub(crate) location: u64,
    pub(crate) accesses: [RacyAccess; 2],
    pub(crate) certainty: Certainty,
    pub(crate) count: u64,
    /// The bytes of the location that both touched, over all times.
    pub(crate) bytes: u8,
}

/// Whether a race was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Novelty {
    /// It was not.
    New,
    /// Its positions and location were.
    Known,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Races {
    rows: FxHashMap<(u64, u32, u32), usize>,
    races: Vec<Race>,
}

impl Races {
    pub(crate) fn add(
        &mut self,
        location: u64,
        earlier: RacyAccess,
        now: RacyAccess,
        certainty: Certainty,
        bytes: u8,
    ) -> Novelty {
        let pair = (earlier.site.min(now.site), earlier.site.max(now.site));
        let next = self.races.len();
        let row = *self.rows.entry((location, pair.0, pair.1)).or_insert(next);
        if row == next {
            self.races.push(Race {
                location,
                accesses: [earlier, now],
                certainty,
                count: 0,
                bytes: 0,
            });
        }
        let race = &mut self.races[row];
        race.count += 1;
        race.bytes |= bytes;
        if certainty > race.certainty {
            (race.certainty, race.accesses) = (certainty, [earlier, now]);
        }
        match row == next {
            true => Novelty::New,
            false => Novelty::Known,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Race> {
        self.races.iter()
    }
}
