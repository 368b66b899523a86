//! The races found so far: per pair of source positions some locations in full, and which bytes in all.
//!
//! A pair may race on any number of locations. All of them are told apart, unless a bound is set: then the first ones are,
//! and of the others it is only kept which bytes they are (`spread.rs`), so that neither memory nor the report grow with
//! their number. A certain race is never left out for possible ones.
//!
//! A location may be raced on by any number of pairs. The first [`MOST_RACES`] are kept, certain and possible ones
//! each, and it is said that there are more: a program of n lines that all race would have n squared.

use crate::exclusion::Hold;
use crate::racing::Meter;
use crate::spread::Spread;
use crate::sync::{Arc, Ordering};
use heddle_core::{AccessKind, Certainty, MOST_RACES};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicU64;

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
    count: Arc<AtomicU64>,
    /// The bytes of the location that both touched, over all times.
    pub(crate) bytes: u8,
}

impl Race {
    /// How often it was met.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
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
    /// How many locations of a pair are told apart; all if there is no bound.
    bound: Option<usize>,
    pairs: FxHashMap<(u32, u32), Pair>,
    /// How many possible and how many certain races of a location are kept.
    kept: FxHashMap<u64, [u32; 2]>,
    /// Locations of which more were met.
    crowded: FxHashSet<u64>,
}

/// What is known of a pair of source positions where locations are bounded.
#[derive(Debug, Default)]
struct Pair {
    told_apart: usize,
    has_certain: bool,
    /// How often locations that are not told apart were met.
    count: Arc<AtomicU64>,
    spread: Spread,
    /// What threads have added and `spread` does not have yet.
    meters: Vec<Arc<Meter>>,
}

impl Pair {
    /// Takes over what the calling thread has added, if there is no room for more.
    fn drain(&mut self, meter: &Meter) {
        if !meter.has_room() {
            meter.add_to(&mut self.spread);
            meter.clear();
        }
    }

    /// Takes over what threads have added that are gone.
    fn drain_orphans(&mut self) {
        let Self { spread, meters, .. } = self;
        meters.retain(|meter| {
            let is_owned = Arc::strong_count(meter) > 1;
            if !is_owned {
                meter.add_to(spread);
            }
            is_owned
        });
    }
}

/// Every byte that a pair of source positions raced on.
#[derive(Clone, Debug)]
pub struct RacyBytes {
    /// The front end's numbers of the positions, the lower one first.
    pub sites: [u32; 2],
    /// A location has eight bytes.
    pub bytes: Spread,
}

/// Races that one thread has met lately: meeting one of them again is but counted.
///
/// # Known loss
/// An access that has raced for certain [`USUAL`] times, at one place of the program with one location, and met nothing new by
/// it is remembered only one time in [`SELDOM`] from then on. The location is known to be racy; a pair with yet
/// another place may be missed.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Of which run of [`Races`].
    generation: u32,
    rows: Box<[Option<Meeting>]>,
    usual: Box<[Option<Usual>]>,
}

/// An access that races time and again.
#[derive(Clone, Debug)]
struct Usual {
    location: u64,
    site: u32,
    kind: AccessKind,
    bytes: u8,
    times: u32,
    count: Arc<AtomicU64>,
}

const USUAL: u32 = 64;
const SELDOM: u32 = 64;

#[derive(Clone, Debug)]
struct Meeting {
    location: u64,
    sites: [u32; 2],
    certainty: Certainty,
    bytes: u8,
    count: Arc<AtomicU64>,
}

const MEETINGS: usize = 64;

impl Met {
    fn slot(location: u64, [a, b]: [u32; 2]) -> usize {
        let mix = location ^ u64::from(a).rotate_left(20) ^ u64::from(b).rotate_left(40);
        (mix.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % MEETINGS
    }

    /// Counts a race that says nothing new; whether it is one.
    pub(crate) fn again(
        &mut self,
        generation: u32,
        location: u64,
        sites: [u32; 2],
        certainty: Certainty,
        bytes: u8,
    ) -> bool {
        if self.generation != generation || self.rows.is_empty() {
            self.rows = vec![None; MEETINGS].into();
            self.usual = Box::default();
            self.generation = generation;
        }
        let known = self.rows[Self::slot(location, sites)].as_ref();
        let known = known.filter(|met| {
            (met.location, met.sites) == (location, sites)
                && met.certainty >= certainty
                && bytes & !met.bytes == 0
        });
        if let Some(met) = known {
            met.count.fetch_add(1, Ordering::Relaxed);
        }
        known.is_some()
    }

    /// Counts an access that races as it has done many times; whether it is one, and need not be looked at.
    pub(crate) fn is_usual(
        &mut self,
        generation: u32,
        location: u64,
        site: u32,
        kind: AccessKind,
        bytes: u8,
    ) -> bool {
        if self.generation != generation || self.usual.is_empty() {
            return false;
        }
        let slot = Self::slot(location, [site, 0]);
        let Some(usual) = self.usual[slot].as_mut() else {
            return false;
        };
        if (usual.location, usual.site, usual.kind) != (location, site, kind)
            || bytes & !usual.bytes != 0
            || usual.times < USUAL
        {
            return false;
        }
        usual.times = usual.times.wrapping_add(1).max(USUAL);
        let is_passed = !usual.times.is_multiple_of(SELDOM);
        if is_passed {
            usual.count.fetch_add(1, Ordering::Relaxed);
        }
        is_passed
    }

    /// The access at `now` raced for certain with one at `earlier`, as before, and met nothing new.
    pub(crate) fn grows_usual(
        &mut self,
        location: u64,
        [earlier, now]: [u32; 2],
        kind: AccessKind,
        bytes: u8,
    ) {
        let Some(met) = &self.rows[Self::slot(location, [earlier, now])] else {
            return;
        };
        if self.usual.is_empty() {
            self.usual = vec![None; MEETINGS].into();
        }
        let usual = &mut self.usual[Self::slot(location, [now, 0])];
        match usual {
            Some(usual)
                if (usual.location, usual.site, usual.kind, usual.bytes)
                    == (location, now, kind, bytes) =>
            {
                usual.times = usual.times.wrapping_add(1).max(1);
            }
            _ => {
                *usual = Some(Usual {
                    location,
                    site: now,
                    kind,
                    bytes,
                    times: 1,
                    count: Arc::clone(&met.count),
                });
            }
        }
    }

    fn note(
        &mut self,
        location: u64,
        sites: [u32; 2],
        certainty: Certainty,
        bytes: u8,
        count: &Arc<AtomicU64>,
    ) {
        if let Some(slot) = self.rows.get_mut(Self::slot(location, sites)) {
            *slot = Some(Meeting {
                location,
                sites,
                certainty,
                bytes,
                count: Arc::clone(count),
            });
        }
    }
}

fn index(certainty: Certainty) -> usize {
    usize::from(certainty == Certainty::Certain)
}

impl Races {
    pub(crate) fn add(
        &mut self,
        met: &mut Met,
        location: u64,
        earlier: RacyAccess,
        now: RacyAccess,
        certainty: Certainty,
        bytes: u8,
    ) -> Novelty {
        let pair = (earlier.site.min(now.site), earlier.site.max(now.site));
        if self.bound.is_some()
            && let Some(count) = self.beyond(location, pair, certainty, bytes)
        {
            count.fetch_add(1, Ordering::Relaxed);
            met.note(location, [earlier.site, now.site], certainty, bytes, &count);
            return Novelty::Known;
        }
        let next = self.races.len();
        let row = self.rows.get(&(location, pair.0, pair.1)).copied();
        let row = row.unwrap_or(next);
        if row == next {
            let kept = &mut self.kept.entry(location).or_default()[index(certainty)];
            if *kept == MOST_RACES {
                self.crowded.insert(location);
                return Novelty::Known;
            }
            *kept += 1;
            self.rows.insert((location, pair.0, pair.1), row);
            self.races.push(Race {
                location,
                accesses: [earlier, now],
                certainty,
                count: Arc::default(),
                bytes: 0,
            });
        }
        let race = &mut self.races[row];
        race.count.fetch_add(1, Ordering::Relaxed);
        race.bytes |= bytes;
        if certainty > race.certainty {
            (race.certainty, race.accesses) = (certainty, [earlier, now]);
        }
        let sites = [earlier.site, now.site];
        met.note(location, sites, race.certainty, race.bytes, &race.count);
        match row == next {
            true => Novelty::New,
            false => Novelty::Known,
        }
    }

    /// Whether no further certain race of a location is kept.
    pub(crate) fn is_full(&self, location: u64) -> bool {
        let kept = self.kept.get(&location);
        kept.is_some_and(|kept| kept[index(Certainty::Certain)] == MOST_RACES)
    }

    /// How many locations have more races than are kept.
    pub(crate) fn crowded(&self) -> u64 {
        self.crowded.len() as u64
    }

    /// Tells at most so many locations of a pair apart.
    pub(crate) fn bounded(bound: Option<usize>) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    /// How many locations of a pair are told apart.
    pub(crate) fn bound(&self) -> Option<usize> {
        self.bound
    }

    /// Adds to the bytes of a pair. The count to use if the location is not to be told apart from others.
    fn beyond(
        &mut self,
        location: u64,
        sites: (u32, u32),
        certainty: Certainty,
        bytes: u8,
    ) -> Option<Arc<AtomicU64>> {
        let bound = self.bound?;
        let is_known = self.rows.contains_key(&(location, sites.0, sites.1));
        let pair = self.pairs.entry(sites).or_default();
        pair.spread.add(location, bytes);
        let is_certain = certainty == Certainty::Certain;
        let is_first = is_certain && !pair.has_certain;
        if is_known || pair.told_apart < bound || is_first {
            pair.told_apart += usize::from(!is_known);
            pair.has_certain |= is_certain;
            return None;
        }
        Some(Arc::clone(&pair.count))
    }

    /// Where a thread may add bytes to those of a pair, with room for them; none while locations of the pair are told
    /// apart.
    pub(crate) fn meter(
        &mut self,
        sites: (u32, u32),
        known: Option<&Arc<Meter>>,
    ) -> Option<Arc<Meter>> {
        let bound = self.bound?;
        let pair = self.pairs.get_mut(&sites)?;
        if !pair.has_certain || pair.told_apart < bound {
            return None;
        }
        if let Some(meter) = known {
            pair.drain(meter);
            return Some(Arc::clone(meter));
        }
        pair.drain_orphans();
        let meter = Arc::new(Meter::new(sites));
        pair.meters.push(Arc::clone(&meter));
        Some(meter)
    }

    /// Takes over what the calling thread has added here, if there is no room for more.
    pub(crate) fn drain(&mut self, meter: &Meter) {
        if let Some(pair) = self.pairs.get_mut(&meter.sites()) {
            pair.drain(meter);
        }
    }

    /// The bytes of each pair, where locations are bounded.
    pub(crate) fn bytes(&self) -> Vec<RacyBytes> {
        let all = |pair: &Pair| {
            let mut spread = pair.spread.clone();
            let meters = pair.meters.iter();
            meters.for_each(|meter| meter.add_to(&mut spread));
            spread
        };
        let pairs = self.pairs.iter();
        let mut bytes: Vec<_> = pairs
            .map(|(&(low, high), pair)| RacyBytes {
                sites: [low, high],
                bytes: all(pair),
            })
            .collect();
        bytes.sort_by_key(|racy| racy.sites);
        bytes
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Race> {
        self.races.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(site: u32) -> RacyAccess {
        RacyAccess {
            kind: AccessKind::Write,
            site,
            strand: 1,
            hold: Hold::default(),
        }
    }

    fn add(races: &mut Races, location: u64, certainty: Certainty) -> Novelty {
        let mut met = Met::default();
        races.add(&mut met, location, access(7), access(5), certainty, 0xff)
    }

    #[test]
    fn without_a_bound_every_location_is_told_apart() {
        let mut races = Races::default();
        (0..100).for_each(|location| _ = add(&mut races, location, Certainty::Certain));
        assert_eq!(races.iter().count(), 100);
        assert!(races.bytes().is_empty());
    }

    #[test]
    fn with_a_bound_the_first_ones_are_and_the_bytes_of_all_are_known() {
        let mut races = Races::bounded(Some(4));
        for location in 0..100 {
            let novelty = add(&mut races, location, Certainty::Certain);
            assert_eq!(novelty == Novelty::New, location < 4);
        }
        assert_eq!(races.iter().count(), 4);
        let all = &races.bytes()[0];
        assert_eq!((all.sites, all.bytes.ranges()), ([5, 7], vec![(0, 800)]));
    }

    #[test]
    fn of_one_location_a_bounded_number_of_pairs_is_told_and_the_location_counted() {
        let (mut races, mut met) = (Races::default(), Met::default());
        let mut add = |races: &mut Races, site, certainty| {
            races.add(&mut met, 1, access(0), access(site), certainty, 0xff)
        };
        (0..MOST_RACES).for_each(|site| _ = add(&mut races, site, Certainty::Possible));
        assert_eq!((races.is_full(1), races.crowded()), (false, 0));
        (0..MOST_RACES)
            .for_each(|site| _ = add(&mut races, 2 * MOST_RACES + site, Certainty::Certain));
        assert_eq!((races.is_full(1), races.crowded()), (true, 0));
        assert_eq!(
            add(&mut races, 9 * MOST_RACES, Certainty::Certain),
            Novelty::Known
        );
        assert_eq!(races.iter().count() as u32, 2 * MOST_RACES);
        assert_eq!(races.crowded(), 1);
    }

    #[test]
    fn a_certain_race_is_not_left_out_for_possible_ones() {
        let mut races = Races::bounded(Some(2));
        (0..9).for_each(|location| _ = add(&mut races, location, Certainty::Possible));
        assert_eq!(add(&mut races, 50, Certainty::Certain), Novelty::New);
        assert_eq!(add(&mut races, 51, Certainty::Certain), Novelty::Known);
        let certain = races
            .iter()
            .filter(|race| race.certainty == Certainty::Certain);
        assert_eq!(certain.map(|race| race.location).collect::<Vec<_>>(), [50]);
    }
}
