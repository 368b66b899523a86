//! Boundaries of transactions.

use crate::context;
use std::panic::Location;

/// The running task ends its transaction here and begins the next.
///
/// In the transactions-everywhere methodology every access lies in a transaction, and a strand that is not cut is
/// atomic. [`Analysis::Transactions`](crate::Analysis::Transactions) finds the cuts that can be seen; the other
/// analyses ignore them.
///
/// ```
/// use heddle::{Analysis, Checker, Shared, cut, join};
///
/// let head = Shared::new(0).named("head");
/// let insert = |node| {
///     let next = head.get();
///     cut(); // another insert can come between
///     head.set(node);
///     next
/// };
/// let checker = Checker::new().analyses([Analysis::Transactions]);
/// let report = checker.check(|| {
///     join(|| insert(1), || insert(2));
/// });
/// assert_eq!(report.visible_cuts().count(), 1);
/// ```
#[track_caller]
pub fn cut() {
    context::cut(Location::caller());
}
