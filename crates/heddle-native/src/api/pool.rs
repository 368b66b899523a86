//! Who executes tasks, and when.
//!
//! With one thread, a task runs where it is created, so the run is serial and depth first. It is put
//! into the queue only if its creator holds a lock, which the task might need. With more threads, tasks
//! go into one queue; idle threads take the oldest, waiting ones the youngest that they wait for.
//!
//! # No deadlock of our own
//! A thread that waits executes nothing but descendants of what it waits for, so what lies below on its
//! stack waits for what lies above in every schedule. A thread that waits for a future executes it
//! itself if nobody has begun.
//!
//! The queue is locked inside the runtime only ([`busy`]), so that neither a signal handler nor a forked child finds it
//! locked for ever. Nothing waits inside: an idle thread leaves, and sleeps until something has changed since it looked.

use super::execute::{Start, execute};
use super::future::Future;
use super::scopes::Finish;
use super::{Body, Local, turns};
use crate::busy::{self, Busy};
use crate::runtime::runtime;
use crate::shim::keeping_errno;
use crate::thread;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// With so many tasks in the queue, there is work enough for everyone.
const PLENTY: usize = 1 << 10;
/// Tasks run on the stack of what waits for them. Untouched pages cost nothing.
const STACK: usize = 64 << 20;

/// What a task does.
#[derive(Clone, Debug)]
pub(super) enum Work {
    Call(Body, *mut c_void),
    Future(Arc<Future>),
}

/// A task in the queue.
#[derive(Debug)]
pub(super) struct Job {
    start: Start,
    work: Work,
}

// SAFETY: the argument is the program's, made for whichever thread executes the task.
unsafe impl Send for Job {}

static QUEUE: Mutex<VecDeque<Job>> = Mutex::new(VecDeque::new());
/// How often something was put into the queue, or a task from it was over.
static CHANGES: AtomicU32 = AtomicU32::new(0);
/// Tasks that were put into the queue and are not over.
static OUTSTANDING: AtomicUsize = AtomicUsize::new(0);

/// The queue, locked. The lock is given back first.
struct Queue {
    jobs: MutexGuard<'static, VecDeque<Job>>,
    _busy: Busy,
}

impl Deref for Queue {
    type Target = VecDeque<Job>;

    fn deref(&self) -> &VecDeque<Job> {
        &self.jobs
    }
}

impl DerefMut for Queue {
    fn deref_mut(&mut self) -> &mut VecDeque<Job> {
        &mut self.jobs
    }
}

fn queue() -> Queue {
    let busy = busy::begin();
    Queue {
        jobs: QUEUE.lock().unwrap_or_else(PoisonError::into_inner),
        _busy: busy,
    }
}

/// Wakes whoever sleeps.
fn changed() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
    // SAFETY: wakes threads that wait for this word.
    keeping_errno(|| unsafe {
        let wake = ::libc::FUTEX_WAKE | ::libc::FUTEX_PRIVATE_FLAG;
        ::libc::syscall(::libc::SYS_futex, CHANGES.as_ptr(), wake, i32::MAX)
    });
}

/// Sleeps until there were more changes than these; may come back early.
fn sleep_until_changed(seen: u32) {
    // SAFETY: waits if the word still is what it was; the word stays.
    keeping_errno(|| unsafe {
        let wait = ::libc::FUTEX_WAIT | ::libc::FUTEX_PRIVATE_FLAG;
        let forever = null::<::libc::timespec>();
        ::libc::syscall(::libc::SYS_futex, CHANGES.as_ptr(), wait, seen, forever)
    });
}

/// How many threads execute tasks.
pub(crate) fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let asked = std::env::var("HEDDLE_THREADS").ok();
        let asked = asked.and_then(|text| text.trim().parse().ok());
        let option = runtime().and_then(|runtime| runtime.options.threads);
        let asked = option.or(asked).filter(|_| !turns::are_given());
        asked.unwrap_or(1).clamp(1, 256)
    })
}

/// Whether the creator of a task holds locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Creator {
    HoldsLocks,
    HoldsNothing,
}

/// The task is ready: it runs now, or later.
pub(super) fn submit(start: Start, work: Work, creator: Creator) {
    if turns::are_given() {
        return take_turn(Job { start, work });
    }
    let at_once = threads() == 1 || queue().len() >= PLENTY;
    if at_once && creator == Creator::HoldsNothing {
        return perform(start, work);
    }
    start_workers();
    if let Some(finish) = &start.home {
        finish.add();
    }
    OUTSTANDING.fetch_add(1, Ordering::AcqRel);
    queue().push_back(Job { start, work });
    changed();
}

/// The task runs when a schedule says so.
fn take_turn(job: Job) {
    prepare_end();
    if let Some(finish) = &job.start.home {
        finish.add();
    }
    OUTSTANDING.fetch_add(1, Ordering::AcqRel);
    turns::start(job.start.cursor.task().raw(), move || job.run());
}

fn perform(start: Start, work: Work) {
    match work {
        Work::Call(function, argument) => {
            execute(start, || {
                // SAFETY: the program's own function and argument.
                unsafe { function(argument) }
            });
        }
        Work::Future(future) => future.perform(start),
    }
}

impl Job {
    fn run(self) {
        let home = self.start.home.clone();
        perform(self.start, self.work);
        if let Some(finish) = home {
            finish.remove();
        }
        OUTSTANDING.fetch_sub(1, Ordering::AcqRel);
        changed();
    }

    fn is_within(&self, finish: &Finish) -> bool {
        self.start
            .home
            .as_ref()
            .is_some_and(|home| home.is_within(finish))
    }

    fn is_for(&self, future: &Future) -> bool {
        matches!(&self.work, Work::Future(of) if std::ptr::eq(&**of, future))
    }
}

/// Returns when all tasks of the finish are over.
pub(super) fn wait(finish: &Finish) {
    if !finish.is_quiet() {
        work_until(|| finish.is_quiet(), |job| job.is_within(finish));
    }
}

/// Returns when the future is there.
pub(super) fn wait_for(future: &Future) {
    work_until(|| future.is_there(), |job| job.is_for(future));
}

fn work_until(is_done: impl Fn() -> bool, wanted: impl Fn(&Job) -> bool) {
    if turns::wait_until(&is_done) {
        return;
    }
    loop {
        let seen = CHANGES.load(Ordering::SeqCst);
        if is_done() {
            return;
        }
        let mut jobs = queue();
        let at = jobs.iter().rposition(&wanted);
        let job = at.and_then(|at| jobs.remove(at));
        drop(jobs);
        run_or_sleep(job, seen);
    }
}

/// Runs a task; without one, sleeps until there were more changes than `seen`.
fn run_or_sleep(job: Option<Job>, seen: u32) {
    match job {
        Some(job) => job.run(),
        None => sleep_until_changed(seen),
    }
}

/// Sees to it that the program does not end before its tasks. Whether nothing did before.
fn prepare_end() -> bool {
    static PREPARED: AtomicBool = AtomicBool::new(false);
    let is_first = !PREPARED.swap(true, Ordering::AcqRel);
    if is_first {
        // SAFETY: the handler stays loaded. It runs before the one that writes the report, which was
        // installed earlier.
        unsafe { ::libc::atexit(drain) };
    }
    is_first
}

/// Starts the other threads.
fn start_workers() {
    if !prepare_end() {
        return;
    }
    for _ in 1..threads() {
        let worker = std::thread::Builder::new()
            .name("heddle".into())
            .stack_size(STACK);
        if let Err(error) = worker.spawn(work) {
            crate::say::say!("heddle: cannot start a thread ({error}); fewer are used");
            return;
        }
    }
}

fn work() {
    let Some(runtime) = runtime() else { return };
    thread::attach(runtime.engine.main_task());
    thread::enter(|_, thread| {
        thread.stack_starts(usize::MAX);
        thread.api = Local::default();
    });
    take_oldest();
}

/// Takes the oldest task, again and again.
fn take_oldest() -> ! {
    loop {
        let seen = CHANGES.load(Ordering::SeqCst);
        let job = queue().pop_front();
        run_or_sleep(job, seen);
    }
}

/// The main task has ended; so has its implicit finish when all tasks have. A task that ends the process
/// ends it with the others unfinished.
extern "C" fn drain() {
    let inside = thread::enter(|_, thread| thread.api.is_task || !thread.cursor.holds_nothing());
    if inside == Some(false) && !turns::wait_until(turns::all_over) {
        work_until(|| OUTSTANDING.load(Ordering::Acquire) == 0, |_| true);
    }
}
