//! Whether anything moves in a run on several threads; tells a deadlock from a long wait.
//!
//! Every task of the run counts itself in and out, so the counts are spread over several cache lines:
//! threads that share one would slow each other down.

use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};

const LANES: usize = 8;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Activity {
    lanes: [Lane; LANES],
}

/// What some of the threads count. Only the sum over all lanes means anything.
#[derive(Debug)]
#[repr(align(128))]
struct Lane {
    /// Tasks that are queued or running, without those that wait.
    busy: AtomicIsize,
    /// Changes whenever a task begins, ends or stops waiting.
    progress: AtomicU64,
}

impl Lane {
    const fn new() -> Self {
        Self {
            busy: AtomicIsize::new(0),
            progress: AtomicU64::new(0),
        }
    }
}

impl Activity {
    /// Nothing moves.
    pub(crate) const fn new() -> Self {
        Self {
            lanes: [const { Lane::new() }; LANES],
        }
    }

    /// So many tasks more are queued or running.
    pub(crate) fn change(&self, by: isize) {
        let thread = rayon_core::current_thread_index().unwrap_or(0);
        let lane = &self.lanes[thread % LANES];
        lane.busy.fetch_add(by, Ordering::Relaxed);
        lane.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// How many are.
    pub(crate) fn busy(&self) -> isize {
        let each = self.lanes.iter();
        each.map(|lane| lane.busy.load(Ordering::Relaxed)).sum()
    }

    /// A number that changes whenever something moves.
    pub(crate) fn progress(&self) -> u64 {
        let each = self.lanes.iter();
        let each = each.map(|lane| lane.progress.load(Ordering::Relaxed));
        each.fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_thread_counts_in_another_counts_out() {
        let activity = Activity::new();
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3);
        let pool = pool.build().expect("threads");
        activity.change(6);
        pool.broadcast(|_| activity.change(-2));
        assert_eq!((activity.busy(), activity.progress()), (0, 4));
    }
}
