//! Which task the thread is running, and what that task does.
//!
//! Outside of a check there is no task context and every function here does nothing: a program may
//! ship with this crate in it.

use crate::counts::Tally;
use crate::explore::world;
use crate::locks::{LockLabel, RecentLocks, Value};
use crate::recorder::Recorder;
use crate::session::{Session, note};
use crate::sites::{Caller, RecentSites};
use crate::strays;
use heddle_core::{
    AccessKind, CutBy, Event, Extent, FinishId, FinishKind, Location, LockId, SiteId, TaskId,
    TaskKind,
};
use heddle_rt::{Cursor, EndPoint, FinishScope, LockMode, ThreadCache, Touch};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A running task of a checked run.
#[derive(Debug)]
pub(crate) struct TaskContext {
    session: Arc<Session>,
    cursor: Cursor,
    /// What the running thread remembers of this session.
    cache: NonNull<ThreadMemory>,
    /// Whether the session has a recorder.
    recording: bool,
}

/// What a thread remembers of a session.
#[derive(Debug)]
struct ThreadMemory {
    cache: ThreadCache,
    sites: RecentSites,
    locks: RecentLocks,
    tally: Arc<Tally>,
}

impl ThreadMemory {
    fn new(session: &Session) -> Box<Self> {
        Box::new(Self {
            cache: ThreadCache::new(),
            sites: RecentSites::default(),
            locks: RecentLocks::default(),
            tally: session.tallies.open(),
        })
    }
}

thread_local! {
    /// The task this thread runs. Points into the frame of an [`enter`] further up the stack.
    static CURRENT: Cell<Option<NonNull<TaskContext>>> = const { Cell::new(None) };
    /// This thread's caches, one per session it works for. Boxed, so that they do not move.
    #[allow(clippy::vec_box, reason = "contexts point at the caches")]
    static CACHES: RefCell<Vec<(usize, Box<ThreadMemory>)>> = const { RefCell::new(Vec::new()) };
}

/// A task that was created and has not begun.
#[derive(Debug)]
pub(crate) enum Newborn {
    /// Of a check.
    Checked(Checked),
    /// Of an explored run.
    Explored(TaskId),
}

/// A task of a check.
#[derive(Debug)]
pub(crate) struct Checked {
    session: Arc<Session>,
    cursor: Cursor,
}

/// The end of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// Of a check.
    Checked(EndPoint),
    /// Of an explored run.
    Explored(TaskId),
}

/// A finish that was opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// In a check.
    Checked(FinishScope),
    /// In an explored run, inside of another.
    Explored(FinishId, FinishId),
}

impl Opened {
    /// The main task's implicit finish.
    pub(crate) fn main() -> Self {
        match world::is_explored() {
            true => Self::Explored(FinishId::MAIN, FinishId::MAIN),
            false => Self::Checked(FinishScope::MAIN),
        }
    }

    /// Its number.
    pub(crate) fn id(&self) -> FinishId {
        match self {
            Self::Checked(scope) => scope.id(),
            Self::Explored(finish, _) => *finish,
        }
    }
}

impl Newborn {
    /// The main task of a session.
    pub(crate) fn main(session: Arc<Session>) -> Self {
        let cursor = session.engine.main_task();
        Self::Checked(Checked { session, cursor })
    }

    /// Runs `body` as this task on this thread, whatever task the thread ran before. If it panics, the
    /// task counts as ended all the same.
    pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> (std::thread::Result<R>, Ended) {
        match self {
            Self::Checked(checked) => {
                let (result, end) = checked.run(body);
                (result, Ended::Checked(end))
            }
            Self::Explored(task) => {
                world::begin(task);
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
                world::end();
                (result, Ended::Explored(task))
            }
        }
    }
}

impl Checked {
    fn run<R>(self, body: impl FnOnce() -> R) -> (std::thread::Result<R>, EndPoint) {
        let Self { session, cursor } = self;
        let cache = with(|current| current.shared_cache(&session)).flatten();
        let mut context = TaskContext {
            cursor,
            cache: cache.unwrap_or_else(|| cache_for(&session)),
            recording: session.recorder.is_some(),
            session,
        };
        let task = context.cursor.task();
        if task != TaskId::MAIN {
            record_with(&context, |recorder| recorder.on(Event::Begin { task }));
        }
        let result = enter(&mut context, body);
        record_with(&context, |recorder| recorder.on(Event::End { task }));
        if context.recording {
            record_resume();
        }
        (result, context.session.engine.end(context.cursor))
    }
}

#[inline]
fn record_with(context: &TaskContext, record: impl FnOnce(&Recorder)) {
    if let Some(recorder) = &context.session.recorder {
        record(recorder);
    }
}

/// The task that this thread ran before runs on.
#[cold]
fn record_resume() {
    with(|context| {
        let task = context.cursor.task();
        record_with(context, |recorder| recorder.on(Event::Resume { task }));
    });
}

/// Runs `body` outside of any task.
pub(crate) fn masked<R>(body: impl FnOnce() -> R) -> std::thread::Result<R> {
    let before = CURRENT.replace(None);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    CURRENT.set(before);
    result
}

fn enter<R>(context: &mut TaskContext, body: impl FnOnce() -> R) -> std::thread::Result<R> {
    let before = CURRENT.replace(Some(NonNull::from(context)));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    CURRENT.set(before);
    result
}

fn cache_for(session: &Arc<Session>) -> NonNull<ThreadMemory> {
    let key = Arc::as_ptr(session).addr();
    CACHES.with_borrow_mut(|caches| {
        let known = caches.iter().position(|(session, _)| *session == key);
        let at = known.unwrap_or_else(|| {
            caches.push((key, ThreadMemory::new(session)));
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
    /// The thread's memory beside the cursor and the session.
    #[inline(always)]
    fn parts(&mut self) -> (&Session, &mut Cursor, &mut ThreadMemory) {
        // SAFETY: the box is in this thread's `CACHES` and stays there while the session runs; only
        // the context that is being used on this thread refers to it.
        (&self.session, &mut self.cursor, unsafe {
            self.cache.as_mut()
        })
    }

    /// The cache, if it is this session's.
    fn shared_cache(&self, session: &Arc<Session>) -> Option<NonNull<ThreadMemory>> {
        Arc::ptr_eq(&self.session, session).then_some(self.cache)
    }

    fn note_edges(&self, count: usize) {
        let edges = &self.session.used.extra_edges;
        edges.fetch_add(count as u64, Ordering::Relaxed);
    }

    #[inline(always)]
    fn access(&mut self, kind: AccessKind, start: u64, len: u64, caller: Caller) {
        if self.recording {
            self.record_access(kind, start, len, caller);
        }
        let (session, cursor, memory) = self.parts();
        memory.tally.add(kind, len);
        let (sites, cache) = (&memory.sites, &mut memory.cache);
        let site = || sites.id(&session.sites, caller).raw();
        match kind {
            AccessKind::Read => session.engine.read(cache, cursor, start, len, site),
            AccessKind::Write => session.engine.write(cache, cursor, start, len, site),
        }
    }

    /// An access to some of the bytes of a location.
    fn touch(&mut self, kind: AccessKind, granule: u64, mask: u8, caller: Caller) {
        let (session, cursor, memory) = self.parts();
        let site = memory.sites.id(&session.sites, caller).raw();
        let touch = Touch {
            kind,
            granule,
            mask,
        };
        session.engine.touch(&mut memory.cache, cursor, touch, site);
    }

    #[cold]
    fn record_access(&mut self, kind: AccessKind, start: u64, len: u64, caller: Caller) {
        let extent = Extent::new(Location(start), len);
        let site = self.site(caller);
        record_with(self, |recorder| {
            recorder.on(match kind {
                AccessKind::Read => Event::Read { extent, site },
                AccessKind::Write => Event::Write { extent, site },
            });
        });
    }

    fn site(&mut self, caller: Caller) -> SiteId {
        let (session, _, memory) = self.parts();
        memory.sites.id(&session.sites, caller)
    }
}

/// Whether a checked or explored task is running on this thread.
pub(crate) fn is_checked() -> bool {
    CURRENT.get().is_some() || world::is_explored()
}

/// Whether the running task is one of a check, on threads that wait for locks as they do elsewhere.
pub(crate) fn is_watched() -> bool {
    CURRENT.get().is_some()
}

/// What was checked for a strand holds until [`strand`] says another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strand(u32);

/// The strand of the thread's last access.
#[inline(always)]
pub(crate) fn strand() -> Strand {
    Strand(with(|context| context.cursor.strand()).unwrap_or_else(world::strand))
}

/// The running task.
pub(crate) fn task() -> Option<TaskId> {
    with(|context| context.cursor.task()).or_else(world::task)
}

/// The session of the running task.
pub(crate) fn session() -> Option<Arc<Session>> {
    with(|context| Arc::clone(&context.session))
}

/// The running task reads `len` locations from `start`. Whether it is explored.
#[inline(always)]
pub(crate) fn read(start: u64, len: u64, caller: Caller) -> bool {
    with(|context| context.access(AccessKind::Read, start, len, caller)).is_none()
        && unchecked(AccessKind::Read, start, len, caller)
}

/// The running task writes `len` locations from `start`. Whether it is explored.
#[inline(always)]
pub(crate) fn write(start: u64, len: u64, caller: Caller) -> bool {
    with(|context| context.access(AccessKind::Write, start, len, caller)).is_none()
        && unchecked(AccessKind::Write, start, len, caller)
}

/// An access outside of a check. Whether it is explored.
fn unchecked(kind: AccessKind, start: u64, len: u64, caller: Caller) -> bool {
    let is_explored = world::access(kind, start, len, caller);
    if !is_explored {
        strays::note(start, len, caller);
    }
    is_explored
}

/// The running task creates a task, into `into` or its innermost finish.
pub(crate) fn spawn(into: Option<&Opened>, kind: TaskKind, caller: Caller) -> Option<Newborn> {
    if world::is_explored() {
        let task = world::spawn(into.map(Opened::id), kind, caller);
        return task.map(Newborn::Explored);
    }
    let into = into.and_then(|opened| match opened {
        Opened::Checked(scope) => Some(scope),
        Opened::Explored(..) => None,
    });
    with(|context| {
        let site = context.site(caller);
        let session = Arc::clone(&context.session);
        let finish = into.map_or(context.cursor.finish(), FinishScope::id);
        if finish != context.cursor.finish() {
            note(&session.used.scope_handles);
        }
        let cursor = session
            .engine
            .spawn(&mut context.cursor, into, kind, site, None);
        let (task, name) = (cursor.task(), None);
        record_with(context, |recorder| {
            recorder.on(Event::Spawn {
                task,
                finish,
                kind,
                site,
                name,
            });
        });
        Newborn::Checked(Checked { session, cursor })
    })
}

/// The task has no result.
pub(crate) fn returns_nothing(newborn: Option<&Newborn>) {
    if let Some(Newborn::Explored(task)) = newborn {
        world::returns_nothing(*task);
    }
}

/// The running task opens a finish.
pub(crate) fn finish_begin(caller: Caller) -> Option<Opened> {
    if world::is_explored() {
        let outer = world::finish();
        return Some(Opened::Explored(world::finish_begin(caller), outer));
    }
    with(|context| {
        let (site, kind) = (context.site(caller), FinishKind::Finish);
        let engine = &context.session.engine;
        let scope = engine.finish_begin(&mut context.cursor, kind, site);
        let finish = scope.id();
        record_with(context, |recorder| {
            recorder.on(Event::FinishBegin { finish, kind, site });
        });
        Opened::Checked(scope)
    })
}

/// The running task's innermost finish is over.
pub(crate) fn finish_end(opened: Option<Opened>) {
    if let Some(Opened::Explored(finish, outer)) = opened {
        world::finish_end(finish, outer);
    } else if let Some(Opened::Checked(scope)) = opened {
        with(|context| {
            let engine = &context.session.engine;
            engine.finish_end(&mut context.cursor, scope);
            let finish = scope.id();
            record_with(context, |recorder| {
                recorder.on(Event::FinishEnd { finish });
            });
        });
    }
}

/// The end of another task precedes what follows.
pub(crate) fn join(end: Ended) {
    let end = match end {
        Ended::Checked(end) => end,
        Ended::Explored(task) => return world::join(task),
    };
    with(|context| {
        context.note_edges(1);
        context.session.engine.join(&mut context.cursor, end);
        let (task, site) = (end.task(), SiteId::new(0));
        record_with(context, |recorder| recorder.on(Event::Join { task, site }));
    });
}

/// What the running task did so far precedes whoever waits for the returned signal.
pub(crate) fn signal() -> Option<u32> {
    with(|context| {
        let signal = context.session.engine.signal(&mut context.cursor);
        record_with(context, |recorder| recorder.signal(signal));
        signal
    })
    .or_else(world::signal)
}

/// These signals precede what follows.
pub(crate) fn wait(signals: &[u32]) {
    world::wait(signals);
    with(|context| {
        context.note_edges(signals.len());
        context.session.engine.wait(&mut context.cursor, signals);
        record_with(context, |recorder| {
            signals.iter().for_each(|&signal| recorder.wait(signal));
        });
    });
}

/// The running task is about to take a lock, and to wait for it if need be.
pub(crate) fn waits_for(lock: LockId, mode: LockMode, caller: Caller) {
    with(|context| {
        let site = context.site(caller);
        let engine = &context.session.engine;
        engine.waits_for(&mut context.cursor, lock, mode, site);
    });
}

/// The running task takes a lock, which reports call by its label, and which protects a value.
pub(crate) fn acquire(
    lock: LockId,
    known: Option<(&LockLabel, Value)>,
    mode: LockMode,
    caller: Caller,
) {
    with(|context| {
        let site = context.site(caller);
        if let Some((label, value)) = known {
            let (session, _, memory) = context.parts();
            let watch = || session.engine.watch_value(value.location, value.pairs);
            memory.locks.note(&session.locks, lock, label, watch);
        }
        let used = &context.session.used;
        note(match lock {
            LockId::ISOLATED => &used.isolated,
            _ => &used.locks,
        });
        let engine = &context.session.engine;
        engine.acquire(&mut context.cursor, lock, mode);
        engine.holds_since(&mut context.cursor, lock, mode, site);
        let task = context.cursor.task();
        record_with(context, |recorder| recorder.acquire(task, lock, mode));
    });
}

/// The running task reads or writes some of the bytes of a location. Not recorded, nor counted.
pub(crate) fn touch(kind: AccessKind, location: u64, mask: u8, caller: Caller) {
    with(|context| context.touch(kind, location, mask, caller));
}

/// The running task reads or writes what is handed over through a lock: some of the bytes of a location.
pub(crate) fn hand(kind: AccessKind, location: u64, mask: u8, caller: Caller) {
    with(|context| {
        if context.recording {
            context.record_access(kind, location, 1, caller);
        }
        context.parts().2.tally.add(kind, 1);
        context.touch(kind, location, mask, caller);
    });
}

/// The running task enters a block that is atomic as a whole.
pub(crate) fn block_begin(caller: Caller) {
    with(|context| {
        note(&context.session.used.atomics);
        let site = context.site(caller);
        let engine = &context.session.engine;
        engine.block_begin(&mut context.cursor);
        record_with(context, |recorder| recorder.on(Event::AtomicBegin { site }));
    });
}

/// The running task leaves its innermost atomic block.
pub(crate) fn block_end(caller: Caller) {
    with(|context| {
        let site = context.site(caller);
        let engine = &context.session.engine;
        engine.block_end(&mut context.cursor);
        record_with(context, |recorder| recorder.on(Event::AtomicEnd { site }));
    });
}

/// The running task ends its transaction.
pub(crate) fn cut(caller: Caller) {
    with(|context| {
        note(&context.session.used.cuts);
        let site = context.site(caller);
        record_with(context, |recorder| {
            recorder.on(Event::Cut {
                by: CutBy::Hand,
                site,
            })
        });
    });
}

/// The run does something that only the default order can judge.
pub(crate) fn unsupported(what: &'static str) {
    with(|context| record_with(context, |recorder| recorder.give_up(what)));
}

/// The running task gives a lock back.
pub(crate) fn release(lock: LockId) {
    world::release(lock);
    with(|context| {
        context.session.engine.release(&mut context.cursor, lock);
        let task = context.cursor.task();
        record_with(context, |recorder| recorder.release(task, lock));
    });
}

/// The run took one of several ways at this point.
pub(crate) fn choice() {
    with(|context| note(&context.session.used.choices));
}
