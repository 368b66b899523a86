//! What a task can be told to start after.

use crate::context;
use crate::dependent::{Completion, Precedence, Promise};
use crate::future::{Future, SharedFuture};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// Something that is satisfied once, and that tasks can start after.
///
/// Tasks that start after an event which is dropped before it was satisfied never start, and their
/// finish panics.
///
/// ```
/// let go = heddle::Event::new();
/// let mut started = false;
/// heddle::finish(|s| {
///     s.task_after(&[&go], || started = true);
///     go.satisfy();
/// });
/// assert!(started);
/// ```
#[derive(Debug)]
pub struct Event {
    promise: Promise,
}

impl Event {
    /// An event that has not been satisfied.
    ///
    /// ```
    /// let event = heddle::Event::new();
    /// event.satisfy();
    /// ```
    #[track_caller]
    #[allow(
        clippy::new_without_default,
        reason = "it is told apart by where it was made"
    )]
    pub fn new() -> Self {
        let promise = Promise::new("the event", Location::caller());
        Self { promise }
    }

    /// Satisfies the event. What the caller did so far happened before the tasks that start after it.
    ///
    /// # Panics
    /// If it was satisfied before.
    ///
    /// ```should_panic
    /// let event = heddle::Event::new();
    /// event.satisfy();
    /// event.satisfy();
    /// ```
    #[track_caller]
    pub fn satisfy(&self) {
        let signal = context::signal().map_or(Precedence::Nothing, Precedence::Signal);
        let event = self.promise.completion();
        assert!(
            self.promise.keep(signal),
            "{event} is satisfied a second time"
        );
    }
}

/// A task created by [`task_after`](crate::Scope::task_after), which others can start after.
///
/// ```
/// let mut words = Vec::new();
/// let words = std::sync::Mutex::new(&mut words);
/// heddle::finish(|s| {
///     let first = s.task_after(&[], || words.lock().unwrap().push("warp"));
///     s.task_after(&[&first], || words.lock().unwrap().push("weft"));
/// });
/// assert_eq!(words.into_inner().unwrap(), &["warp", "weft"]);
/// ```
#[derive(Clone, Debug)]
pub struct TaskHandle<'scope> {
    ended: Arc<Completion>,
    scope: PhantomData<&'scope ()>,
}

impl TaskHandle<'_> {
    pub(crate) fn new(ended: Arc<Completion>) -> Self {
        let scope = PhantomData;
        Self { ended, scope }
    }
}

/// Something tasks can start after: an [`Event`], a [`TaskHandle`], a [`Future`] or a
/// [`SharedFuture`].
///
/// ```
/// let (go, early) = (heddle::Event::new(), heddle::future(|| 1));
/// let mut ran = false;
/// heddle::finish(|s| {
///     let dependences: [&dyn heddle::Dependence; 2] = [&go, &early];
///     s.task_after(&dependences, || ran = true);
///     go.satisfy();
/// });
/// assert!(ran);
/// ```
pub trait Dependence: sealed::Sealed {}

impl<T: sealed::Sealed> Dependence for T {}

pub(crate) mod sealed {
    use crate::dependent::Completion;
    use std::sync::Arc;

    /// What is awaited.
    #[allow(
        missing_debug_implementations,
        reason = "it cannot be named outside of the crate"
    )]
    pub struct Awaited(pub(crate) Arc<Completion>);

    /// Keeps the trait to this crate.
    pub trait Sealed {
        /// What is awaited.
        fn completion(&self) -> Awaited;
    }
}

use sealed::{Awaited, Sealed};

impl Sealed for Event {
    fn completion(&self) -> Awaited {
        Awaited(Arc::clone(self.promise.completion()))
    }
}

impl Sealed for TaskHandle<'_> {
    fn completion(&self) -> Awaited {
        Awaited(Arc::clone(&self.ended))
    }
}

impl<T: Send> Sealed for Future<'_, T> {
    fn completion(&self) -> Awaited {
        Awaited(Arc::clone(self.completion()))
    }
}

impl<T> Sealed for SharedFuture<'_, T> {
    fn completion(&self) -> Awaited {
        Awaited(Arc::clone(self.completion()))
    }
}
