//! What a second thread is worth on this machine at this moment.
//!
//! On a busy machine even two threads that share nothing are no faster than one, and then the figures
//! of parallel runs say nothing about the checker. So the benchmark measures that too.

use std::hint::black_box;
use std::time::Instant;

const ROUNDS: u64 = 100_000_000;

/// How much faster two plain threads do the same work than one.
pub fn gain_of_two_threads() -> f64 {
    let alone = seconds(|| {
        work();
        work();
    });
    let both = seconds(|| {
        std::thread::scope(|s| {
            s.spawn(work);
            s.spawn(work);
        });
    });
    alone / both
}

fn work() {
    let mut value = 1u64;
    for round in 0..ROUNDS {
        value = black_box(value.wrapping_mul(31).wrapping_add(round));
    }
}

fn seconds(body: impl FnOnce()) -> f64 {
    let start = Instant::now();
    body();
    start.elapsed().as_secs_f64()
}
