//! Barriers: whatever threads did before one precedes what any of them does after it.
//!
//! A round is the arrivals of as many threads as the barrier is for. A thread notes its arrival before it
//! waits, so when the first leaves, all of its round are noted, and nobody arrives for the next round
//! before.

use super::precedence;
use crate::shim::{behind, export};
use crate::{caller, thread};
use ::libc::pthread_barrier_t;
use heddle_rt::Kept;
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError, Weak};

behind! {
    fn pthread_barrier_init(barrier: *mut pthread_barrier_t, attributes: *const ::libc::pthread_barrierattr_t, count: u32) -> c_int;
    fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int;
}

/// The strands that ended at one round of a barrier.
type Round = Arc<Mutex<Vec<u32>>>;

#[derive(Debug, Default)]
struct Barrier {
    count: usize,
    round: Round,
    /// Full rounds that threads may still have to leave.
    full: Vec<Weak<Mutex<Vec<u32>>>>,
}

impl Barrier {
    /// One more has arrived.
    fn arrive(&mut self, strand: u32) -> Round {
        let round = Arc::clone(&self.round);
        let mut strands = round.lock().unwrap_or_else(PoisonError::into_inner);
        strands.push(strand);
        if strands.len() == self.count {
            self.full.retain(|round| round.strong_count() > 0);
            self.full.push(Arc::downgrade(&self.round));
            self.round = Round::default();
        }
        drop(strands);
        round
    }

    /// Tells the strands that threads may still come after.
    fn list(&self, kept: &mut Kept) {
        let full = self.full.iter().filter_map(Weak::upgrade);
        for round in full.chain([Arc::clone(&self.round)]) {
            let strands = round.lock().unwrap_or_else(PoisonError::into_inner);
            strands.iter().for_each(|&strand| kept.strand(strand));
        }
    }
}

type Table = FxHashMap<usize, Barrier>;

static TABLE: Mutex<Option<Box<Table>>> = Mutex::new(None);

fn with<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(table.get_or_insert_with(Box::default))
}

/// Tells the strands that threads may still come after.
pub(crate) fn list(kept: &mut Kept) {
    with(|table| table.values().for_each(|barrier| barrier.list(kept)));
}

/// The calling thread arrives; none if it is not checked, or the barrier was made before checking began.
fn arrive(barrier: *mut pthread_barrier_t) -> Option<Round> {
    thread::enter(|runtime, thread| {
        let strand = runtime.engine.signal_for_list(&mut thread.cursor);
        with(|table| Some(table.get_mut(&(barrier as usize))?.arrive(strand)))
    })?
}

fn leave(round: Round) {
    thread::enter(|runtime, thread| {
        let strands = round.lock().unwrap_or_else(PoisonError::into_inner);
        runtime.engine.wait(&mut thread.cursor, &strands);
    });
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_barrier_init"] fn init(barrier: *mut pthread_barrier_t, attributes: *const ::libc::pthread_barrierattr_t, count: u32) at _pc -> c_int {
        thread::enter(|_, _| with(|table| {
            let count = count as usize;
            table.insert(barrier as usize, Barrier { count, ..Barrier::default() });
        }));
        // SAFETY: see above.
        unsafe { pthread_barrier_init(barrier, attributes, count) }
    }

    ["pthread_barrier_wait"] fn wait(barrier: *mut pthread_barrier_t) at pc -> c_int {
        precedence::admits();
        let round = caller::is_program(pc).then(|| arrive(barrier)).flatten();
        // SAFETY: see above.
        let status = unsafe { pthread_barrier_wait(barrier) };
        if let Some(round) = round {
            leave(round);
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_full_when_all_have_arrived() {
        let mut barrier = Barrier {
            count: 2,
            ..Barrier::default()
        };
        let first = barrier.arrive(1);
        let second = barrier.arrive(2);
        let next = barrier.arrive(3);
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(*first.lock().unwrap(), [1, 2]);
        assert_eq!(*next.lock().unwrap(), [3]);
    }
}
