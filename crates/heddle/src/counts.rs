//! How many locations were read and written, counted by each thread for itself.

use heddle_core::AccessKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What one thread counts. Only that thread writes it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Tally([AtomicU64; 2]);

impl Tally {
    /// So many locations more. No other thread adds here, so this need not be one step.
    #[inline(always)]
    pub(crate) fn add(&self, kind: AccessKind, locations: u64) {
        let count = &self.0[kind as usize];
        let before = count.load(Ordering::Relaxed);
        count.store(before.wrapping_add(locations), Ordering::Relaxed);
    }
}

/// The counts of all threads of a session.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Mutex<Vec<Arc<Tally>>>);

impl Tallies {
    /// A count for one more thread.
    pub(crate) fn open(&self) -> Arc<Tally> {
        let tally = Arc::default();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&tally));
        tally
    }

    /// Locations that were accessed so, by all threads together.
    pub(crate) fn total(&self, kind: AccessKind) -> u64 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let each = all.iter().map(|tally| &tally.0[kind as usize]);
        each.map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_over_all_threads_also_those_that_have_ended() {
        let tallies = Tallies::default();
        std::thread::scope(|threads| {
            for n in 1..=3 {
                let tally = tallies.open();
                threads.spawn(move || tally.add(AccessKind::Read, n));
            }
        });
        let total = [AccessKind::Read, AccessKind::Write].map(|kind| tallies.total(kind));
        assert_eq!(total, [6, 0]);
    }
}
