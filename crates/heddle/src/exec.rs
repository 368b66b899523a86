//! Running the tasks of a finish: at once where they are spawned, or on a work-stealing pool.
//!
//! A [`Core`] is what a finish is made of, whatever its lifetimes: it starts tasks, waits for them
//! and keeps the first panic. It lives in the frame of the call that opened the finish, which does
//! not return before all its tasks have ended; tasks therefore may refer to it and to everything the
//! finish borrows.

use crate::context::{self, Ended, Newborn, Opened};
use crate::dependent::{Dependent, unfinished};
use crate::explore::world;
use crate::idle::{self, Stealing};
use crate::session::{Execution, Session};
use crate::sites::Caller;
use heddle_core::{Awaited, FinishId, TaskId, TaskKind};
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// A task that is ready to run, its lifetime erased.
pub(crate) type Job = Box<dyn FnOnce() + Send + 'static>;

/// With less stack than this left, a task runs on a fresh piece.
const RED_ZONE: usize = 192 << 10;
/// The size of such a piece. Memory is only taken as it is used.
const STACK_PIECE: usize = 16 << 20;

thread_local! {
    /// The finish that tasks without a scope of their own belong to.
    static AMBIENT: Cell<Option<NonNull<Core>>> = const { Cell::new(None) };
    static SEQUENTIAL: Cell<bool> = const { Cell::new(false) };
}

/// What [`with_ambient`] finds on this thread; each explored task has its own.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ambient(Option<NonNull<Core>>);

/// Sets it, and returns what it was.
pub(crate) fn replace_ambient(ambient: Ambient) -> Ambient {
    Ambient(AMBIENT.replace(ambient.0))
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Core {
    finish: Option<Opened>,
    /// Where it was opened.
    at: Option<Caller>,
    session: Option<Arc<Session>>,
    execution: Execution,
    /// Tasks queued or running on the pool.
    pending: AtomicUsize,
    /// Tasks that wait for others, or have stopped waiting and are in `ready`.
    deferred: AtomicUsize,
    ready: Mutex<Ready>,
    panic: Mutex<Option<Payload>>,
    owner: OnceLock<Thread>,
    owner_sleeps: AtomicBool,
}

#[derive(Default)]
struct Ready {
    jobs: VecDeque<Job>,
    /// Tasks that wait for what never comes. The owner drops them: that may run any code.
    hopeless: Vec<Job>,
    /// Who waits in vain for what.
    in_vain: Vec<String>,
    /// Everything that ever had to wait, to be named if it waits forever.
    waiting: Vec<Arc<Dependent>>,
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ready")
            .field("jobs", &self.jobs.len())
            .finish_non_exhaustive()
    }
}

/// Runs `body`, and every task spawned in it, one after the other on this thread, unchecked: the
/// program without any parallelism, as a base line to compare with.
///
/// Has no effect inside of [`check`](crate::check), which has its own way of running tasks.
///
/// ```
/// let mut sum = 0;
/// heddle::sequential(|| heddle::finish(|s| s.spawn(|_| sum += 1)));
/// assert_eq!(sum, 1);
/// ```
pub fn sequential<R>(body: impl FnOnce() -> R) -> R {
    let before = SEQUENTIAL.replace(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    SEQUENTIAL.set(before);
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

/// How tasks are run here and now.
pub(crate) fn execution(session: Option<&Session>) -> Execution {
    match session {
        _ if world::is_explored() => Execution::Explored,
        Some(session) => session.execution,
        None if SEQUENTIAL.get() => Execution::Inline,
        None => Execution::Pool,
    }
}

/// Into how many pieces an unchecked loop is best cut here.
pub(crate) fn pieces() -> usize {
    match execution(None) {
        Execution::Inline | Execution::Explored => 1,
        Execution::Pool => rayon_core::current_num_threads() * 8,
    }
}

/// Calls `f` with plenty of stack: recursion through tasks may go as deep as it likes.
pub(crate) fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    // An explored task has a stack of its own.
    match world::is_explored() {
        true => f(),
        false => stacker::maybe_grow(RED_ZONE, STACK_PIECE, f),
    }
}

/// Calls `f` with the finish that tasks without a scope of their own belong to.
pub(crate) fn with_ambient<R>(f: impl FnOnce(Option<&Core>) -> R) -> R {
    // SAFETY: the pointer is set by `within` only, from a reference that outlives the call during
    // which it is set.
    f(AMBIENT.get().map(|core| unsafe { core.as_ref() }))
}

impl Core {
    /// A finish opened by the running task.
    pub(crate) fn open(caller: Caller) -> Self {
        Self::new(context::finish_begin(caller), Some(caller))
    }

    /// The implicit finish around the main task that now runs.
    pub(crate) fn main() -> Self {
        Self::new(Some(Opened::main()), None)
    }

    fn new(finish: Option<Opened>, at: Option<Caller>) -> Self {
        let session = context::session();
        Self {
            finish,
            at,
            execution: execution(session.as_deref()),
            session,
            pending: AtomicUsize::new(0),
            deferred: AtomicUsize::new(0),
            ready: Mutex::default(),
            panic: Mutex::new(None),
            owner: OnceLock::new(),
            owner_sleeps: AtomicBool::new(false),
        }
    }

    /// Whether its tasks run at once.
    pub(crate) fn is_inline(&self) -> bool {
        self.execution == Execution::Inline
    }

    /// How its tasks are run.
    pub(crate) fn execution(&self) -> Execution {
        self.execution
    }

    /// The number of the finish.
    pub(crate) fn finish_id(&self) -> FinishId {
        self.finish.map_or(FinishId::MAIN, |finish| finish.id())
    }

    /// The session it belongs to.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.as_deref()
    }

    /// Calls `body` with this as the finish that tasks belong to.
    pub(crate) fn within<R>(&self, body: impl FnOnce() -> R) -> std::thread::Result<R> {
        self.around(|| catch_unwind(AssertUnwindSafe(body)))
    }

    fn around<R>(&self, body: impl FnOnce() -> R) -> R {
        let before = AMBIENT.replace(Some(NonNull::from(self)));
        let result = body();
        AMBIENT.set(before);
        result
    }

    /// Waits for all tasks, then hands out the result of the body, or the first panic.
    pub(crate) fn close<R>(&self, result: std::thread::Result<R>) -> R {
        let deadlock = self.wait();
        if self
            .finish
            .is_none_or(|finish| finish.id() != FinishId::MAIN)
        {
            context::finish_end(self.finish);
        }
        let result = result.map_err(|payload| self.fail(payload));
        let first = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (result, first, deadlock) {
            (_, Some(payload), _) => resume_unwind(payload),
            (_, None, Some(message)) => panic!("{message}"),
            (Ok(result), None, None) => result,
            (Err(()), None, None) => unreachable!("the payload was kept"),
        }
    }

    /// Keeps the first panic.
    fn fail(&self, payload: Payload) {
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(payload);
    }

    /// The running task creates a task in this finish. None where nothing is checked.
    pub(crate) fn newborn(&self, kind: TaskKind, caller: Caller) -> Option<Newborn> {
        if self.execution == Execution::Explored {
            return context::spawn(self.finish.as_ref(), kind, caller);
        }
        let session = self.session.as_ref()?;
        let running = context::session()?;
        assert!(
            Arc::ptr_eq(session, &running),
            "a scope of one check was used in another, at {caller}"
        );
        context::spawn(self.finish.as_ref(), kind, caller)
    }

    /// Starts a task; `done` is told of its end.
    ///
    /// # Safety
    /// Everything `body` and `done` refer to must stay valid until this core was closed.
    pub(crate) unsafe fn launch(
        &self,
        newborn: Option<Newborn>,
        body: impl FnOnce() + Send,
        done: impl FnOnce(Option<Ended>) + Send,
    ) {
        if self.is_inline() {
            return self.run(newborn, body, done);
        }
        // SAFETY: as promised by the caller.
        let job = unsafe { self.job(newborn, body, done) };
        match self.execution {
            Execution::Explored => world::start(self.counted(job)),
            _ => self.enqueue(job),
        }
    }

    /// The job of an explored task, which the owner of the finish waits for.
    fn counted(&self, job: Job) -> Job {
        self.pending.fetch_add(1, Ordering::Relaxed);
        let core = CorePointer(NonNull::from(self));
        Box::new(move || {
            job();
            // SAFETY: `close` waits for `pending` to become zero; in a run that is ended early, tasks
            // are ended before what they were spawned by.
            let pending = unsafe { &core.get().pending };
            pending.fetch_sub(1, Ordering::Relaxed);
        })
    }

    /// A task as something that can be kept for later.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch).
    pub(crate) unsafe fn job(
        &self,
        newborn: Option<Newborn>,
        body: impl FnOnce() + Send,
        done: impl FnOnce(Option<Ended>) + Send,
    ) -> Job {
        let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || self.run(newborn, body, done));
        // SAFETY: the job refers to what the caller promised to keep and to this core; it is run or
        // dropped before `close` returns.
        unsafe { std::mem::transmute(job) }
    }

    /// Gives a job to the pool.
    fn enqueue(&self, job: Job) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        self.busy(1);
        let core = CorePointer(NonNull::from(self));
        rayon_core::spawn(move || {
            job();
            // SAFETY: `close` waits for `pending` to become zero, which `ended` makes it.
            unsafe { core.get() }.ended();
        });
    }

    /// Runs a task at once, on this thread.
    pub(crate) fn run(
        &self,
        newborn: Option<Newborn>,
        body: impl FnOnce(),
        done: impl FnOnce(Option<Ended>),
    ) {
        let (result, end) = self.around(|| {
            with_stack(|| match newborn {
                Some(newborn) => {
                    let (result, end) = newborn.run(body);
                    (result, Some(end))
                }
                None => (context::masked(body), None),
            })
        });
        if let Err(payload) = result {
            self.fail(payload);
        }
        done(end);
    }

    /// A task on the pool is over. The core may be gone when this returns.
    fn ended(&self) {
        self.busy(-1);
        let owner = self.sleeping_owner();
        if self.pending.fetch_sub(1, Ordering::Release) == 1
            && let Some(owner) = owner
        {
            owner.unpark();
        }
    }

    fn sleeping_owner(&self) -> Option<Thread> {
        let sleeps = self.owner_sleeps.load(Ordering::Relaxed);
        sleeps.then(|| self.owner.get().cloned()).flatten()
    }

    fn busy(&self, by: isize) {
        idle::activity(self.session()).change(by);
    }

    /// Counts a task that has to wait for others.
    pub(crate) fn defer(&self, dependent: &Arc<Dependent>) {
        self.deferred.fetch_add(1, Ordering::Relaxed);
        self.ready().waiting.push(Arc::clone(dependent));
    }

    /// A deferred task has nothing to wait for any more.
    pub(crate) fn now_ready(&self, job: Job) {
        if self.execution == Execution::Explored {
            world::start_later(self.counted(job));
            self.deferred.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let owner = self.sleeping_owner();
        self.ready().jobs.push_back(job);
        if let Some(owner) = owner {
            owner.unpark();
        }
    }

    /// A deferred task waits for what never comes.
    pub(crate) fn never_ready(&self, job: Job, waits: String) {
        let owner = self.sleeping_owner();
        let mut ready = self.ready();
        ready.hopeless.push(job);
        ready.in_vain.push(waits);
        drop(ready);
        if let Some(owner) = owner {
            owner.unpark();
        }
    }

    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts what is ready, and drops what never will be. Deferred tasks are started by the owner of
    /// the finish alone, so that none is run on top of a task it waits for.
    fn start_ready(&self) {
        while let Some(next) = self.next_ready() {
            match (next, self.execution) {
                (Next::Start(job), Execution::Inline) => job(),
                (Next::Start(job), Execution::Pool) => self.enqueue(job),
                (Next::Start(job), Execution::Explored) => world::start_later(self.counted(job)),
                (Next::Drop(job), _) => drop(job),
            }
            self.deferred.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn next_ready(&self) -> Option<Next> {
        if self.deferred.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut ready = self.ready();
        let start = ready.jobs.pop_front().map(Next::Start);
        start.or_else(|| ready.hopeless.pop().map(Next::Drop))
    }

    /// Waits until all tasks are over. If some never can be, says which, and drops them.
    fn wait(&self) -> Option<String> {
        match self.execution {
            Execution::Inline => self.start_ready(),
            Execution::Pool => self.wait_for_pool(),
            Execution::Explored => return self.wait_explored(),
        }
        let in_vain = std::mem::take(&mut self.ready().in_vain);
        match self.deferred.load(Ordering::Relaxed) {
            0 if in_vain.is_empty() => None,
            0 => Some(deadlock(&in_vain)),
            _ => Some(self.complaint(in_vain)),
        }
    }

    /// A run that gets no further ends here: that is a deadlock, and told as one.
    fn wait_explored(&self) -> Option<String> {
        let awaited = Awaited::Finish(self.finish_id());
        let at = self.at.unwrap_or(std::panic::Location::caller());
        world::wait_until(awaited, at, || {
            self.pending.load(Ordering::Relaxed) == 0 && self.deferred.load(Ordering::Relaxed) == 0
        });
        // Left over only where the run is being ended: what they borrow is about to go.
        let waiting = std::mem::take(&mut self.ready().waiting);
        for task in waiting {
            task.abandon();
        }
        None
    }

    fn wait_for_pool(&self) {
        let over = || {
            self.start_ready();
            self.pending.load(Ordering::Acquire) == 0 && self.deferred.load(Ordering::Relaxed) == 0
        };
        if over() {
            return;
        }
        self.owner.get_or_init(std::thread::current);
        self.owner_sleeps.store(true, Ordering::Relaxed);
        let stuck = || {
            let mine = self.pending.load(Ordering::Acquire) == 0;
            mine.then(|| self.who_waits()).flatten()
        };
        // Whether it is over or stuck shows in `deferred`.
        let _ = idle::wait_until(self.session(), Stealing::Allowed, over, stuck);
    }

    fn who_waits(&self) -> Option<String> {
        let ready = self.ready();
        let waiting = ready.waiting.iter().filter_map(|task| task.waiting());
        let waiting: Vec<String> = waiting.collect();
        (!waiting.is_empty()).then(|| waiting.join("; "))
    }

    /// Drops the tasks that still wait, and says for what, after what is known of others.
    #[cold]
    fn complaint(&self, mut known: Vec<String>) -> String {
        let certain = !known.is_empty() || self.execution == Execution::Pool;
        let waiting = std::mem::take(&mut self.ready().waiting);
        known.extend(waiting.iter().filter_map(|task| task.abandon()));
        // What waited for those.
        drop(std::mem::take(&mut self.ready().hopeless));
        known.append(&mut self.ready().in_vain);
        self.deferred.store(0, Ordering::Relaxed);
        // While the main task waits in a serial run, no other task is left that could bring anything.
        match certain || context::task() == Some(TaskId::MAIN) {
            true => deadlock(&known),
            false => unfinished(&known.join("; ")),
        }
    }
}

fn deadlock(waits: &[String]) -> String {
    let waits = waits.join(", which never comes; ");
    format!("deadlock at the end of a finish: {waits}, which never comes")
}

/// What becomes of a deferred task.
enum Next {
    Start(Job),
    Drop(Job),
}

/// A core that a job on another thread may refer to.
struct CorePointer(NonNull<Core>);

// SAFETY: a core is `Sync`; that it lives is the business of those who use the pointer.
unsafe impl Send for CorePointer {}

impl CorePointer {
    /// # Safety
    /// The core must not have been closed.
    unsafe fn get(&self) -> &Core {
        // SAFETY: as promised by the caller.
        unsafe { self.0.as_ref() }
    }
}
