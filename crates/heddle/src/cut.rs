//! Boundaries of transactions.

/// The running task ends its transaction here and begins the next.
///
/// This version looks for races only: a cut has no effect on them.
///
/// ```
/// heddle::check(|| heddle::cut()).assert_clean();
/// ```
#[track_caller]
pub fn cut() {}
