//! Tasks that have a value.

use crate::dependent::{Completion, Precedence, Promise};
use crate::exec::{Core, with_ambient};
use crate::idle;
use crate::session::Execution;
use crate::sites::Caller;
use crate::{context, exec};
use heddle_core::TaskKind;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The value of a task, now or later.
///
/// What the task did happened before what follows [`get`](Self::get) or [`join`](Self::join); the
/// finish that it was spawned into waits for it in any case.
///
/// ```
/// let answer = heddle::finish(|s| {
///     let half = s.future(|| 21);
///     let half = half.shared();
///     let other = half.clone();
///     s.future(move || half.get() + other.get()).join()
/// });
/// assert_eq!(answer, 42);
/// ```
#[derive(Debug)]
pub struct Future<'scope, T> {
    cell: Arc<Cell<T>>,
    scope: PhantomData<&'scope ()>,
}

/// A [`Future`] that can be cloned: several tasks may get its value.
#[derive(Debug)]
pub struct SharedFuture<'scope, T> {
    cell: Arc<Cell<T>>,
    scope: PhantomData<&'scope ()>,
}

/// Where a task leaves its value.
#[derive(Debug)]
pub(crate) struct Cell<T> {
    value: Mutex<Option<T>>,
    pub(crate) completion: Arc<Completion>,
    execution: Execution,
}

/// Spawns a task that has a value, into the innermost finish around the caller.
///
/// The task may outlive what the caller borrows, so it must own what it uses; see
/// [`Scope::future`](crate::Scope::future) for tasks that borrow.
///
/// ```
/// let sum = heddle::future(|| (1..=4).sum::<u32>());
/// assert_eq!(sum.get(), 10);
/// ```
#[track_caller]
pub fn future<T, F>(body: F) -> Future<'static, T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let caller = Location::caller();
    with_ambient(|core| match core {
        // SAFETY: the body borrows nothing.
        Some(core) => unsafe { Cell::launch(core, body, caller) },
        None => Cell::launch_free(body, caller),
    })
}

impl<T: Send> Cell<T> {
    /// An empty cell, and the promise to fill it.
    fn new(execution: Execution, caller: Caller) -> (Arc<Self>, Promise) {
        let promise = Promise::new("the future", caller);
        let cell = Self {
            value: Mutex::new(None),
            completion: Arc::clone(promise.completion()),
            execution,
        };
        (Arc::new(cell), promise)
    }

    /// Spawns a task that leaves its value here.
    ///
    /// # Safety
    /// Everything `body` and `T` refer to must stay valid until `core` was closed.
    pub(crate) unsafe fn launch<'a>(
        core: &Core,
        body: impl FnOnce() -> T + Send,
        caller: Caller,
    ) -> Future<'a, T> {
        idle::expect_futures(core.session());
        let newborn = core.newborn(TaskKind::Future, caller);
        let (cell, promise) = Self::new(core.execution(), caller);
        cell.completion.is_end_of(newborn.as_ref());
        let at = Arc::clone(&cell);
        let done = move |end| {
            promise.keep(Precedence::of_end(end));
        };
        // SAFETY: as promised by the caller.
        unsafe { core.launch(newborn, move || at.set(body()), done) };
        Future::new(cell)
    }

    /// The same outside of any finish.
    fn launch_free<F>(body: F, caller: Caller) -> Future<'static, T>
    where
        T: 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        idle::expect_futures(None);
        let (cell, promise) = Self::new(exec::execution(None), caller);
        let at = Arc::clone(&cell);
        let task = move || {
            // The panic itself was reported by its hook; whoever gets the value is told.
            let _ = context::masked(|| at.set(body()));
            promise.keep(Precedence::Nothing);
        };
        match cell.execution {
            Execution::Inline | Execution::Explored => task(),
            Execution::Pool => idle::spawn_free(task),
        }
        Future::new(cell)
    }

    fn set(&self, value: T) {
        *self.value() = Some(value);
    }

    fn value(&self) -> MutexGuard<'_, Option<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, caller: Caller) {
        let session = context::session();
        let session = session.as_deref();
        self.completion.wait(self.execution, session, caller);
    }

    fn get(&self, caller: Caller) -> T
    where
        T: Clone,
    {
        self.wait(caller);
        let value = self.value().clone();
        value.unwrap_or_else(|| self.without_value(caller))
    }

    #[cold]
    fn without_value(&self, caller: Caller) -> ! {
        let future = &self.completion;
        panic!("{caller} gets the value of {future}, whose task panicked")
    }
}

impl<'scope, T: Send> Future<'scope, T> {
    fn new(cell: Arc<Cell<T>>) -> Self {
        let scope = PhantomData;
        Self { cell, scope }
    }

    pub(crate) fn completion(&self) -> &Arc<Completion> {
        &self.cell.completion
    }

    /// Waits for the task and returns a copy of its value.
    ///
    /// # Panics
    /// If the task panicked.
    ///
    /// ```
    /// let name = heddle::future(|| "heddle".to_string());
    /// assert_eq!(name.get(), name.get());
    /// ```
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.cell.get(Location::caller())
    }

    /// Waits for the task and returns its value.
    ///
    /// # Panics
    /// If the task panicked.
    ///
    /// ```
    /// let name = heddle::future(|| "heddle".to_string());
    /// assert_eq!(name.join(), "heddle");
    /// ```
    #[track_caller]
    pub fn join(self) -> T {
        let caller = Location::caller();
        self.cell.wait(caller);
        let value = self.cell.value().take();
        value.unwrap_or_else(|| self.cell.without_value(caller))
    }

    /// A handle that can be cloned.
    ///
    /// ```
    /// let one = heddle::future(|| 1).shared();
    /// assert_eq!(one.clone().get() + one.get(), 2);
    /// ```
    pub fn shared(self) -> SharedFuture<'scope, T> {
        SharedFuture {
            cell: self.cell,
            scope: self.scope,
        }
    }
}

impl<T: Send + Clone> SharedFuture<'_, T> {
    /// Waits for the task and returns a copy of its value.
    ///
    /// # Panics
    /// If the task panicked.
    ///
    /// ```
    /// let one = heddle::future(|| 1).shared();
    /// let other = one.clone();
    /// assert_eq!(heddle::join(|| one.get(), move || other.get()), (1, 1));
    /// ```
    #[track_caller]
    pub fn get(&self) -> T {
        self.cell.get(Location::caller())
    }
}

impl<T> SharedFuture<'_, T> {
    pub(crate) fn completion(&self) -> &Arc<Completion> {
        &self.cell.completion
    }
}

impl<T> Clone for SharedFuture<'_, T> {
    fn clone(&self) -> Self {
        Self {
            cell: Arc::clone(&self.cell),
            scope: PhantomData,
        }
    }
}
