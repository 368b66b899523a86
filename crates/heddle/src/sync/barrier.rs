//! A barrier whose rounds the checker knows.

use super::signal::Signal;
use crate::explore::world;
use std::sync::{self, Arc, BarrierWaitResult, Mutex, PoisonError};

/// [`std::sync::Barrier`], checked: what any thread did before a round precedes what all do after it.
///
/// ```
/// use heddle::sync::Barrier;
/// use heddle::{SharedVec, check, thread};
///
/// check(|| {
///     let (values, barrier) = (SharedVec::new(2, 0), Barrier::new(2));
///     thread::scope(|s| {
///         for me in 0..2 {
///             let (values, barrier) = (&values, &barrier);
///             s.spawn(move || {
///                 values.set(me, 1);
///                 barrier.wait();
///                 assert_eq!(values.get(1 - me), 1);
///             });
///         }
///     });
/// })
/// .assert_clean();
/// ```
#[derive(Debug)]
pub struct Barrier {
    inner: sync::Barrier,
    size: usize,
    round: Mutex<Round>,
}

/// Those who have come so far; the list stays with them when the next round begins.
#[derive(Debug, Default)]
struct Round {
    came: Arc<Mutex<Vec<Signal>>>,
    count: usize,
}

impl Barrier {
    /// A barrier for so many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            inner: sync::Barrier::new(threads),
            size: threads.max(1),
            round: Mutex::default(),
        }
    }

    /// Waits until all have come.
    pub fn wait(&self) -> BarrierWaitResult {
        world::refuse("a barrier", "let tasks wait for tasks or events");
        let came = self.arrive(Signal::now());
        let result = self.inner.wait();
        let came = came.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Signal::precede(&came);
        result
    }

    fn arrive(&self, signal: Signal) -> Arc<Mutex<Vec<Signal>>> {
        let mut round = self.round.lock().unwrap_or_else(PoisonError::into_inner);
        let came = Arc::clone(&round.came);
        came.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(signal);
        round.count += 1;
        if round.count == self.size {
            *round = Round::default();
        }
        came
    }
}
