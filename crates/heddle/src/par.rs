//! Loops whose rounds may run in parallel.

use crate::context;
use crate::exec::Core;
use crate::sites::Caller;
use heddle_core::TaskKind;
use std::ops::Range;
use std::panic::Location;

/// Calls `body` for every index, each as a task of its own, and waits for all.
///
/// ```
/// use heddle::{SharedVec, check, par_for};
/// let report = check(|| {
///     let squares = SharedVec::new(8, 0);
///     par_for(0..8, |i| squares.set(i, i * i));
/// });
/// report.assert_clean();
/// ```
#[track_caller]
pub fn par_for<F>(range: Range<usize>, body: F)
where
    F: Fn(usize) + Sync,
{
    let size = match context::is_checked() {
        // Unchecked, a task per index would cost more than most loops do.
        false => range.len().div_ceil(crate::exec::pieces()).max(1),
        true => 1,
    };
    in_pieces(range, size, Location::caller(), &|piece: Range<usize>| {
        piece.for_each(&body)
    });
}

/// Calls `body` for neighbouring pieces of the range, each of at most `size` indices, each as a task
/// of its own, and waits for all.
///
/// # Panics
/// If `size` is 0.
///
/// ```
/// use heddle::{SharedVec, check, par_chunks};
/// let report = check(|| {
///     let squares = SharedVec::new(10, 0);
///     par_chunks(0..10, 4, |chunk| chunk.for_each(|i| squares.set(i, i * i)));
/// });
/// report.assert_clean();
/// assert_eq!(report.stats().tasks, 1 + 3);
/// ```
#[track_caller]
pub fn par_chunks<F>(range: Range<usize>, size: usize, body: F)
where
    F: Fn(Range<usize>) + Sync,
{
    assert!(size > 0, "chunks must have at least one element");
    in_pieces(range, size, Location::caller(), &body);
}

fn in_pieces<F>(range: Range<usize>, size: usize, caller: Caller, body: &F)
where
    F: Fn(Range<usize>) + Sync,
{
    let core = Core::open(caller);
    let result = core.within(|| {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start.saturating_add(size));
            let newborn = core.newborn(TaskKind::Async, caller);
            context::returns_nothing(newborn.as_ref());
            // SAFETY: what the body borrows outlives `close` below.
            unsafe { core.launch(newborn, move || body(start..end), |_| ()) };
            start = end;
        }
    });
    core.close(result);
}
