//! What is told of accesses that race.

use super::Conflict;
use crate::cache::ThreadCache;
use crate::engine::Engine;
use crate::races::{Novelty, Race, RacyAccess, RacyBytes};
use crate::states::Mark;
use crate::sync::{Ordering, PoisonError};
use heddle_core::order::tree::Nodes;
use heddle_core::{Access, AccessKind, Certainty, Finding, Place, SiteId, roster::Ancestry};

impl Engine {
    #[cold]
    pub(crate) fn report(
        &self,
        cache: &mut ThreadCache,
        location: u64,
        kind: AccessKind,
        now: Mark,
        conflicts: &[Conflict],
    ) {
        if !self.reports_races {
            return;
        }
        if let Some(recorder) = &self.recorder {
            recorder.meets_race();
        }
        let racy = |mark: Mark, kind| RacyAccess {
            kind,
            site: mark.site,
            strand: mark.strand,
            hold: mark.hold,
        };
        let generation = self.generation.load(Ordering::Acquire);
        let (mut usual, mut is_new) = (None, false);
        for &Conflict {
            mark,
            kind: earlier,
            certainty,
        } in conflicts
        {
            let (sites, bytes) = ([mark.site, now.site], mark.mask & now.mask);
            let met = &mut cache.met;
            if met.again(generation, location, sites, certainty, bytes) {
                if certainty == Certainty::Certain && bytes == now.mask {
                    usual = Some(sites);
                }
                continue;
            }
            is_new = true;
            let (earlier, now) = (racy(mark, earlier), racy(now, kind));
            let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
            let novelty = races.add(met, location, earlier, now, certainty, bytes);
            drop(races);
            if novelty == Novelty::New {
                (self.witness)(location, sites);
            }
        }
        if let Some(sites) = usual.filter(|_| !is_new) {
            cache.met.grows_usual(location, sites, kind, now.mask);
        }
    }

    /// The races found so far; places have their location's number only.
    pub fn races(&self, ancestry: &Ancestry<'_>) -> Vec<Finding> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races
            .iter()
            .map(|race| self.finding(race, ancestry))
            .collect()
    }

    /// The locations of the races found so far but the first `known`, in the sequence of
    /// [`races`](Self::races).
    pub fn race_locations(&self, known: usize) -> Vec<u64> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.iter().skip(known).map(|race| race.location).collect()
    }

    /// How many locations have more races than are told.
    pub fn crowded_locations(&self) -> u64 {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.crowded()
    }

    /// Whether one more access that races there says nothing that is told.
    #[cold]
    pub(super) fn is_crowded(&self, location: u64) -> bool {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.is_full(location)
    }

    /// All bytes that each pair of sites raced on, where locations are
    /// [bounded](Self::bound_race_locations).
    pub fn racy_bytes(&self) -> Vec<RacyBytes> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.bytes()
    }

    /// Which bytes of their locations the races found so far are on, in the sequence of
    /// [`races`](Self::races).
    pub fn race_bytes(&self) -> Vec<u8> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.iter().map(|race| race.bytes).collect()
    }

    fn finding(&self, race: &Race, ancestry: &Ancestry<'_>) -> Finding {
        let accesses = race.accesses.map(|access| Access {
            kind: access.kind,
            site: SiteId::new(access.site),
            task: self.forest.node(access.strand).task,
            locks: self.exclusion.locks(access.hold),
        });
        let why = ancestry.why(accesses[0].task, accesses[1].task);
        let place = Place {
            name: None,
            index: None,
            location: race.location,
        };
        Finding::Race {
            certainty: race.certainty,
            place,
            accesses,
            why,
            count: race.count(),
        }
    }
}
