//! A schedule with as few switches as possible that shows the same.
//!
//! Readers follow a schedule from switch to switch. So the tree is searched again, first without
//! any switch away from a task that could go on, then with one, and so on, until the same defect
//! shows. (Musuvathi and Qadeer: *Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs*, 2007.)

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::program::Program;
use crate::search::{Found, Reduction, Settings, explore};

/// The same defect with the fewest switches that can be found in the time, or `found` itself,
/// which has `switches`.
pub fn minimise<P: Program>(
    program: &P,
    found: &Found,
    switches: usize,
    time: Duration,
    stop: &AtomicBool,
) -> Found {
    let begin = Instant::now();
    for most in 0..switches {
        let Some(left) = time.checked_sub(begin.elapsed()) else {
            break;
        };
        let settings = Settings {
            reduction: Reduction::States,
            preemptions: u32::try_from(most).ok(),
            until: Some(found.verdict.clone()),
            max_time: Some(left),
            ..Settings::default()
        };
        let summary = explore(program, &settings, stop, &mut ());
        let same = |other: &Found| other.verdict == found.verdict;
        if let Some(found) = summary.found.into_iter().find(same) {
            return found;
        }
    }
    found.clone()
}
