//! Which task the thread is running, and what that task does.
//!
//! Outside of a check there is no task context and every function here does nothing: a program may
//! ship with this crate in it.

use crate::session::Session;
use crate::sites::Caller;
use heddle_core::{FinishKind, LockId, SiteId, TaskKind};
use heddle_rt::{Cursor, EndPoint, FinishScope, LockMode, ThreadCache};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::Arc;

/// A running task of a checked run.
#[derive(Debug)]
pub(crate) struct TaskContext {
    session: Arc<Session>,
    cursor: Cursor,
    /// The running thread's cache for this session.
    cache: NonNull<ThreadCache>,
}

thread_local! {
    /// The task this thread runs. Points into the frame of an [`enter`] further up the stack.
    static CURRENT: Cell<Option<NonNull<TaskContext>>> = const { Cell::new(None) };
    /// This thread's caches, one per session it works for. Boxed, so that they do not move.
    #[allow(clippy::vec_box, reason = "contexts point at the caches")]
    static CACHES: RefCell<Vec<(usize, Box<ThreadCache>)>> = const { RefCell::new(Vec::new()) };
}

/// A task that was created and has not begun.
#[derive(Debug)]
pub(crate) struct Newborn {
    session: Arc<Session>,
    cursor: Cursor,
}

impl Newborn {
    /// The main task of a session.
    pub(crate) fn main(session: Arc<Session>) -> Self {
        let cursor = session.engine.main_task();
        Self { session, cursor }
    }

    /// Runs `body` as this task on this thread, whatever task the thread ran before. If it panics, the
    /// task counts as ended all the same.
    pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> (std::thread::Result<R>, EndPoint) {
        let Self { session, cursor } = self;
        let cache = cache_for(&session);
        let mut context = TaskContext {
            session,
            cursor,
            cache,
        };
        let result = enter(&mut context, body);
        (result, context.session.engine.end(context.cursor))
    }
}

fn enter<R>(context: &mut TaskContext, body: impl FnOnce() -> R) -> std::thread::Result<R> {
    let before = CURRENT.replace(Some(NonNull::from(context)));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    CURRENT.set(before);
    result
}

fn cache_for(session: &Arc<Session>) -> NonNull<ThreadCache> {
    let key = Arc::as_ptr(session).addr();
    CACHES.with_borrow_mut(|caches| {
        let known = caches.iter().position(|(session, _)| *session == key);
        let at = known.unwrap_or_else(|| {
            caches.push((key, Box::default()));
            caches.len() - 1
        });
        NonNull::from(&mut *caches[at].1)
    })
}

/// Drops this thread's cache for a session that is over.
pub(crate) fn leave(session: &Arc<Session>) {
    let key = Arc::as_ptr(session).addr();
    CACHES.with_borrow_mut(|caches| caches.retain(|(session, _)| *session != key));
}

/// Calls `f` with the running task, if a checked one runs.
#[inline(always)]
fn with<R>(f: impl FnOnce(&mut TaskContext) -> R) -> Option<R> {
    let mut context = CURRENT.get()?;
    // SAFETY: the pointer was set by `enter` from an exclusive reference that outlives the call it
    // made, on this thread, and is taken back when that call ends. `f` is code of this crate that
    // never calls back into user code, so no second reference exists at the same time.
    Some(f(unsafe { context.as_mut() }))
}

impl TaskContext {
    /// The thread's cache beside the cursor and the session.
    #[inline(always)]
    fn parts(&mut self) -> (&Session, &mut Cursor, &mut ThreadCache) {
        // SAFETY: the box is in this thread's `CACHES` and stays there while the session runs; only
        // the context that is being used on this thread refers to it.
        (&self.session, &mut self.cursor, unsafe {
            self.cache.as_mut()
        })
    }

    fn site(&self, caller: Caller) -> SiteId {
        self.session.sites.id(caller)
    }
}

/// Whether a checked task is running on this thread.
pub(crate) fn is_checked() -> bool {
    CURRENT.get().is_some()
}

/// The session of the running task.
pub(crate) fn session() -> Option<Arc<Session>> {
    with(|context| Arc::clone(&context.session))
}

/// The running task reads `len` locations from `start`.
#[inline(always)]
pub(crate) fn read(start: u64, len: u64, caller: Caller) {
    with(|context| {
        let (session, cursor, cache) = context.parts();
        session
            .engine
            .read(cache, cursor, start, len, || session.sites.id(caller).raw());
    });
}

/// The running task writes `len` locations from `start`.
#[inline(always)]
pub(crate) fn write(start: u64, len: u64, caller: Caller) {
    with(|context| {
        let (session, cursor, cache) = context.parts();
        session
            .engine
            .write(cache, cursor, start, len, || session.sites.id(caller).raw());
    });
}

/// The running task creates a task, into `into` or its innermost finish.
pub(crate) fn spawn(into: Option<&FinishScope>, kind: TaskKind, caller: Caller) -> Option<Newborn> {
    with(|context| {
        let site = context.site(caller);
        let session = Arc::clone(&context.session);
        let cursor = session
            .engine
            .spawn(&mut context.cursor, into, kind, site, None);
        Newborn { session, cursor }
    })
}

/// The running task opens a finish.
pub(crate) fn finish_begin(caller: Caller) -> Option<FinishScope> {
    with(|context| {
        let site = context.site(caller);
        context
            .session
            .engine
            .finish_begin(&mut context.cursor, FinishKind::Finish, site)
    })
}

/// The running task's innermost finish is over.
pub(crate) fn finish_end(scope: Option<FinishScope>) {
    if let Some(scope) = scope {
        with(|context| {
            context
                .session
                .engine
                .finish_end(&mut context.cursor, scope)
        });
    }
}

/// The end of another task precedes what follows.
pub(crate) fn join(end: EndPoint) {
    with(|context| context.session.engine.join(&mut context.cursor, end));
}

/// What the running task did so far precedes whoever waits for the returned signal.
pub(crate) fn signal() -> Option<u32> {
    with(|context| context.session.engine.signal(&mut context.cursor))
}

/// These signals precede what follows.
pub(crate) fn wait(signals: &[u32]) {
    with(|context| context.session.engine.wait(&mut context.cursor, signals));
}

/// The running task takes a lock.
pub(crate) fn acquire(lock: LockId, mode: LockMode) {
    with(|context| {
        context
            .session
            .engine
            .acquire(&mut context.cursor, lock, mode)
    });
}

/// The running task gives a lock back.
pub(crate) fn release(lock: LockId) {
    with(|context| context.session.engine.release(&mut context.cursor, lock));
}
