//! Finishes and the tasks spawned into them, with lifetimes as in [`std::thread::scope`].

use crate::context;
use crate::dependent::{Dependent, Precedence, Promise};
use crate::event::{Dependence, TaskHandle};
use crate::exec::Core;
use crate::future::{Cell, Future};
use crate::group::Group;
use crate::idle;
use heddle_core::TaskKind;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A finish that is open: tasks are spawned into it through this handle.
///
/// The handle may be used from anywhere inside: from inner finishes and from tasks, whose tasks then
/// belong to this finish and not to an inner one. See [`finish`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    pub(crate) core: Core,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Calls `body` and waits for every task spawned into the scope, and all their tasks in turn.
///
/// Tasks may borrow whatever outlives the call. If a task or the body panics, the first panic is
/// resumed when all tasks have ended.
///
/// ```
/// let words = vec!["warp", "weft"];
/// let (mut first, mut second) = (0, 0);
/// heddle::finish(|s| {
///     s.spawn(|_| first = words[0].len());
///     s.spawn(|_| second = words[1].len());
/// });
/// assert_eq!(first + second, 8);
/// ```
///
/// References to what the body owns cannot escape into a task:
///
/// ```compile_fail,E0373
/// heddle::finish(|s| {
///     let local = 1;
///     s.spawn(|_| assert_eq!(local, 1));
/// });
/// ```
///
/// nor can two tasks share something that is not `Sync`:
///
/// ```compile_fail,E0277
/// let cell = std::cell::Cell::new(1);
/// heddle::finish(|s| s.spawn(|_| cell.set(2)));
/// ```
#[track_caller]
pub fn finish<'env, F, R>(body: F) -> R
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
{
    let scope = Scope {
        core: Core::open(Location::caller()),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = scope.core.within(|| body(&scope));
    scope.core.close(result)
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Spawns a task. It runs beside whatever follows, up to the end of this finish.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// let count = AtomicU32::new(0);
    /// heddle::finish(|s| {
    ///     s.spawn(|s| {
    ///         count.fetch_add(1, Ordering::Relaxed);
    ///         s.spawn(|_| {
    ///             count.fetch_add(1, Ordering::Relaxed);
    ///         });
    ///     });
    /// });
    /// assert_eq!(count.into_inner(), 2);
    /// ```
    #[track_caller]
    pub fn spawn<F>(&'scope self, body: F)
    where
        F: FnOnce(&'scope Scope<'scope, 'env>) + Send + 'scope,
    {
        let newborn = self.core.newborn(TaskKind::Async, Location::caller());
        context::returns_nothing(newborn.as_ref());
        // SAFETY: what the body borrows lives for `'scope`, and `finish` closes the core before that
        // ends.
        unsafe { self.core.launch(newborn, move || body(self), |_| ()) };
    }

    /// Spawns a task that has a value; see [`Future`].
    ///
    /// ```
    /// let words = vec!["warp", "weft"];
    /// let len = heddle::finish(|s| {
    ///     let len = s.future(|| words[0].len());
    ///     len.get() + words[1].len()
    /// });
    /// assert_eq!(len, 8);
    /// ```
    #[track_caller]
    pub fn future<T, F>(&'scope self, body: F) -> Future<'scope, T>
    where
        T: Send + 'scope,
        F: FnOnce() -> T + Send + 'scope,
    {
        // SAFETY: as for `spawn`.
        unsafe { Cell::launch(&self.core, body, Location::caller()) }
    }

    /// A group whose tasks belong to this finish; see [`Group`].
    ///
    /// ```
    /// heddle::finish(|s| {
    ///     let group = s.group();
    ///     group.post(|| ());
    ///     group.wait_all();
    /// });
    /// ```
    pub fn group(&'scope self) -> Group<'scope, 'env> {
        Group::new(self)
    }

    /// Spawns a task that starts when all of `dependences` have come: events that were satisfied,
    /// tasks that have ended, futures that have their value. What they did happened before it.
    ///
    /// If one of them can never come, the task never starts: the finish ends without it and panics,
    /// saying who waits for what. That is known at once of an event that was dropped unsatisfied, and in
    /// a check also when every task waits. Outside of a check another thread may come to the rescue, so
    /// there the finish waits on, and says so on the standard error stream, unless the process has no
    /// other thread.
    ///
    /// # Panics
    /// In a serial run, also if a dependence has not come by the end of the finish: tasks then run in
    /// depth-first order, and what comes later cannot go first. The message says whether that is a
    /// deadlock of every schedule or one that threads may avoid.
    ///
    /// ```
    /// use heddle::{Event, Shared, check, finish};
    /// check(|| {
    ///     let (x, go) = (Shared::new(0), Event::new());
    ///     finish(|s| {
    ///         let reads = s.task_after(&[&go], || assert_eq!(x.get(), 1));
    ///         s.task_after(&[&reads], || x.set(2));
    ///         s.spawn(|_| {
    ///             x.set(1);
    ///             go.satisfy();
    ///         });
    ///     });
    /// })
    /// .assert_clean();
    /// ```
    #[track_caller]
    pub fn task_after<F>(
        &'scope self,
        dependences: &[&dyn Dependence],
        body: F,
    ) -> TaskHandle<'scope>
    where
        F: FnOnce() + Send + 'scope,
    {
        let caller = Location::caller();
        idle::expect_futures(self.core.session());
        let newborn = self.core.newborn(TaskKind::Dependent, caller);
        let awaited: Vec<_> = dependences.iter().map(|on| on.completion().0).collect();
        let end = Promise::new("the task", caller);
        end.completion().is_end_of(newborn.as_ref());
        let (before, ended) = (awaited.clone(), Arc::clone(end.completion()));
        let body = move || {
            before
                .iter()
                .filter_map(|on| on.done())
                .for_each(Precedence::arrive);
            body();
        };
        let done = move |at| {
            end.keep(Precedence::of_end(at));
        };
        // SAFETY: as for `spawn`; a job that waits forever is dropped before the core is closed.
        unsafe {
            if awaited.iter().all(|on| on.done().is_some()) {
                self.core.launch(newborn, body, done);
            } else {
                let job = self.core.job(newborn, body, done);
                Dependent::defer(&self.core, job, awaited, caller);
            }
        }
        TaskHandle::new(ended)
    }
}
