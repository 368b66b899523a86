//! Two tasks at once.

use crate::context;
use crate::exec::Core;
use crate::session::Execution;
use heddle_core::TaskKind;
use std::panic::Location;

/// Runs both closures as tasks, possibly in parallel, and returns both values.
///
/// ```
/// fn sum(of: &[u64]) -> u64 {
///     match of {
///         [] => 0,
///         [one] => *one,
///         _ => {
///             let (left, right) = of.split_at(of.len() / 2);
///             let (left, right) = heddle::join(|| sum(left), || sum(right));
///             left + right
///         }
///     }
/// }
/// assert_eq!(sum(&[1, 2, 3, 4, 5]), 15);
/// ```
#[track_caller]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let caller = Location::caller();
    let core = Core::open(caller);
    let (mut left, mut right) = (None, None);
    let result = core.within(|| {
        let second = || {
            let newborn = core.newborn(TaskKind::Async, caller);
            if size_of::<RB>() == 0 {
                context::returns_nothing(newborn.as_ref());
            }
            let body = || right = Some(b());
            // SAFETY: what the body borrows outlives `close` below.
            unsafe { core.launch(newborn, body, |_| ()) };
        };
        let first = core.newborn(TaskKind::Async, caller);
        if size_of::<RA>() == 0 {
            context::returns_nothing(first.as_ref());
        }
        match core.is_inline() {
            true => {
                core.run(first, || left = Some(a()), |_| ());
                second();
            }
            // An explored task has its own stack.
            _ if core.execution() == Execution::Explored => {
                // SAFETY: what the body borrows outlives `close` below.
                unsafe { core.launch(first, || left = Some(a()), |_| ()) };
                second();
            }
            // On a pool the second is put up for grabs before the first is run here.
            false => {
                second();
                core.run(first, || left = Some(a()), |_| ());
            }
        }
    });
    core.close(result);
    // A task that did not leave its value panicked, and `close` has resumed that.
    left.zip(right).expect("both tasks ended")
}
