//! Threads that the checker knows: [`std::thread`]'s `spawn` and `scope`.
//!
//! Outside of a check they are the standard library's. In a check, too, each is a thread of its own, which runs beside
//! the others from where it is spawned to where it is joined; what it does is checked as a task's.
//!
//! ```
//! use heddle::{Shared, check, thread};
//! use std::sync::Arc;
//!
//! let report = check(|| {
//!     let hits = Arc::new(Shared::new(0));
//!     let other = Arc::clone(&hits);
//!     let worker = thread::spawn(move || other.add(1));
//!     hits.add(1); // beside the thread
//!     worker.join().unwrap();
//! });
//! assert_eq!(report.races().count(), 1);
//! ```

use crate::context::{self, Ended, Newborn, Opened};
use crate::explore::world;
use crate::session::Session;
use crate::sites::Caller;
use heddle_core::TaskKind;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};

pub use std::thread::{
    AccessError, Builder, LocalKey, Result, Thread, ThreadId, available_parallelism, current,
    panicking, park, park_timeout, sleep, yield_now,
};

/// Where a thread's task ended; empty while it runs, and where nothing is checked.
type End = Arc<OnceLock<Ended>>;

/// A thread that can be waited for, as [`std::thread::JoinHandle`].
#[derive(Debug)]
pub struct JoinHandle<T> {
    inner: std::thread::JoinHandle<T>,
    end: End,
}

/// A thread of a [`scope`], as [`std::thread::ScopedJoinHandle`].
#[derive(Debug)]
pub struct ScopedJoinHandle<'scope, T> {
    inner: std::thread::ScopedJoinHandle<'scope, T>,
    end: End,
}

/// Starts a thread, as [`std::thread::spawn`]. A check waits for it before it ends.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let start = Start::here(Some(&Opened::main()), Location::caller());
    let end = Arc::clone(&start.end);
    let inner = std::thread::spawn(move || start.run(body));
    JoinHandle { inner, end }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread. What follows comes after all it did.
    ///
    /// # Errors
    /// If the thread panicked: with what it panicked with.
    pub fn join(self) -> Result<T> {
        let result = self.inner.join();
        joined(&self.end);
        result
    }

    /// Whether it is over. That orders nothing.
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        self.inner.thread()
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread. What follows comes after all it did.
    ///
    /// # Errors
    /// If the thread panicked: with what it panicked with.
    pub fn join(self) -> Result<T> {
        let result = self.inner.join();
        joined(&self.end);
        result
    }

    /// Whether it is over. That orders nothing.
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        self.inner.thread()
    }
}

/// Threads that may borrow, all of which are joined at its end; as [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    inner: &'scope std::thread::Scope<'scope, 'env>,
    finish: Option<Opened>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Calls `body` and waits for the threads spawned in the scope, as [`std::thread::scope`].
///
/// ```
/// use heddle::{SharedVec, check, thread};
///
/// check(|| {
///     let halves = SharedVec::new(2, 0);
///     thread::scope(|s| {
///         s.spawn(|| halves.set(0, 1));
///         s.spawn(|| halves.set(1, 2));
///     });
///     assert_eq!(halves.get(0) + halves.get(1), 3);
/// })
/// .assert_clean();
/// ```
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let finish = context::finish_begin(Location::caller());
    let place: OnceLock<Scope<'_, 'env>> = OnceLock::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        std::thread::scope(|inner| {
            // SAFETY: only the lifetime changes. The scope is used as long as threads of `inner` may run, and
            // `place` outlives them all.
            let inner: &std::thread::Scope<'_, 'env> = unsafe { std::mem::transmute(inner) };
            let env = PhantomData;
            let scope = place.get_or_init(|| Scope { inner, finish, env });
            // SAFETY: as above.
            body(unsafe { std::mem::transmute::<&Scope<'_, 'env>, &Scope<'_, 'env>>(scope) })
        })
    }));
    context::finish_end(finish);
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread in this scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let start = Start::here(self.finish.as_ref(), Location::caller());
        let end = Arc::clone(&start.end);
        let inner = self.inner.spawn(move || start.run(body));
        ScopedJoinHandle { inner, end }
    }
}

/// What a thread begins with.
struct Start {
    newborn: Option<Newborn>,
    session: Option<Arc<Session>>,
    end: End,
}

impl Start {
    /// The running task creates a thread.
    ///
    /// # Panics
    /// In an explored run, which has one thread of its own.
    fn here(finish: Option<&Opened>, caller: Caller) -> Self {
        world::refuse("a thread", "make it a task");
        let session = context::session();
        if let Some(session) = &session {
            context::unsupported("a thread");
            session.threads.begin();
            session.activity.change(1);
        }
        Self {
            newborn: context::spawn(finish, TaskKind::Thread, caller),
            session,
            end: End::default(),
        }
    }

    fn run<T>(self, body: impl FnOnce() -> T) -> T {
        let Some(newborn) = self.newborn else {
            return body();
        };
        let (result, end) = newborn.run(body);
        // Nobody else sets it.
        let _ = self.end.set(end);
        if let Some(session) = &self.session {
            context::leave(session);
            session.activity.change(-1);
            session.threads.end();
        }
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }
}

fn joined(end: &End) {
    if let Some(end) = end.get() {
        context::join(*end);
    }
}
