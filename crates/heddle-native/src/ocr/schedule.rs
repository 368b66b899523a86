//! Who executes runnable tasks, and when.
//!
//! Each worker has a queue of its own: it puts in and takes out at one end, and others steal at the other. With
//! one worker the run is serial: the task made runnable last runs first, which keeps queues short.
//!
//! `heddle explore` gives a schedule (`api/turns.rs`): tasks that have no block for themselves run first, in any order, since only a race
//! could tell the difference; of those that have, each is a choice. Where several tasks satisfy one idempotent event or feed a channel,
//! who comes first matters as well, and every task is a choice.

use super::actor::Started;
use super::execute;
use super::guid::Guid;
use super::world::world;
use crate::api::{threads, turns};
use crate::runtime::runtime;
use crate::thread;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Tasks may call deeply.
const STACK: usize = 64 << 20;
/// How long an idle worker sleeps at most before it looks again.
const NAP: Duration = Duration::from_millis(20);

/// Tasks executed after the program shut down, beside as many as before.
const PATIENCE: u64 = 10_000;

/// A task that can run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) edt: Guid,
    pub(super) started: Started,
}

type Queue = Mutex<VecDeque<Job>>;

static QUEUES: OnceLock<Vec<Queue>> = OnceLock::new();
/// Tasks that can run or do, but for those that wait for others in the middle.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// Tasks that execute.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// Tasks that are over.
static ENDED: AtomicU64 = AtomicU64::new(0);
/// The program has asked for its end, and so many tasks may have ended when it is granted.
static IS_DOWN: AtomicBool = AtomicBool::new(false);
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// Nothing is executed any more.
static IS_OVER: AtomicBool = AtomicBool::new(false);
static IDLE: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();
/// One more than the worker that keeps the others from starting tasks; 0 if none does.
static PAUSED_BY: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static WORKER: Cell<usize> = const { Cell::new(0) };
}

fn queues() -> &'static [Queue] {
    QUEUES.get_or_init(|| (0..threads()).map(|_| Queue::default()).collect())
}

fn queue(worker: usize) -> MutexGuard<'static, VecDeque<Job>> {
    queues()[worker]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// How many workers there are.
pub(super) fn workers() -> usize {
    queues().len()
}

/// The calling worker's number.
pub(super) fn worker() -> usize {
    WORKER.get()
}

/// The task can run.
pub(super) fn push(job: Job) {
    ACTIVE.fetch_add(1, Ordering::AcqRel);
    queue(worker()).push_back(job);
    if workers() > 1 {
        CHANGED.notify_one();
    }
}

/// A task that was taken waits for a block: whoever has that pushes it again.
pub(super) fn set_aside() {
    ACTIVE.fetch_sub(1, Ordering::AcqRel);
}

fn take() -> Option<Job> {
    if !matches!(PAUSED_BY.load(Ordering::Acquire), by if by == 0 || by == worker() + 1) {
        return None;
    }
    if turns::are_given() {
        return take_given();
    }
    let own = worker();
    if let Some(job) = queue(own).pop_back() {
        return Some(job);
    }
    let others = (1..workers()).map(|step| (own + step) % workers());
    others
        .into_iter()
        .find_map(|other| queue(other).pop_front())
}

/// The next task by a given schedule.
fn take_given() -> Option<Job> {
    let (free, choices) = thread::enter(|_, _| {
        let world = world();
        let mut jobs = queue(worker());
        let is_free = |job: &Job| !turns::are_wide() && !world.excludes(job.edt);
        if let Some(at) = jobs.iter().rposition(is_free) {
            return (jobs.remove(at), Vec::new());
        }
        jobs.make_contiguous()
            .sort_by_key(|job| job.started.cursor.task());
        let at = |job: &Job| (job.started.cursor.task().raw(), world.begins(job.edt));
        (None, jobs.iter().map(at).collect())
    })?;
    if choices.is_empty() {
        return free;
    }
    let taken = turns::choose_among(&choices);
    queue(worker()).remove(taken)
}

/// Keeps the other workers from starting tasks. False if another does so, and `waits` is false.
pub(super) fn pause(waits: bool) -> bool {
    let own = worker() + 1;
    loop {
        match PAUSED_BY.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return true,
            // A task on the same worker would wait for itself.
            Err(by) if !waits || by == own => return false,
            Err(_) => crate::busy::pause(),
        }
    }
}

/// Lets them start tasks again.
pub(super) fn resume() {
    PAUSED_BY.store(0, Ordering::Release);
    CHANGED.notify_all();
}

/// The next tasks of each worker, at most so many. To be called inside the runtime.
pub(super) fn runnable(limit: usize) -> Vec<Guid> {
    let next = |worker| -> Vec<Guid> {
        let jobs = queue(worker);
        jobs.iter().rev().take(limit).map(|job| job.edt).collect()
    };
    (0..workers()).flat_map(next).collect()
}

/// Why a worker stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// What it was to wait for has happened, or the program has shut down.
    Done,
    /// Nothing can run, and nothing will.
    Stuck,
}

/// Executes tasks until `is_done`, or none is left.
pub(super) fn work_until(is_done: impl Fn() -> bool) -> Stop {
    loop {
        if is_done() || is_out_of_patience() {
            return Stop::Done;
        }
        if let Some(job) = take() {
            RUNNING.fetch_add(1, Ordering::AcqRel);
            let is_over = execute::run(job);
            RUNNING.fetch_sub(1, Ordering::AcqRel);
            if is_over {
                ENDED.fetch_add(1, Ordering::Relaxed);
                ACTIVE.fetch_sub(1, Ordering::AcqRel);
            }
            if workers() > 1 {
                CHANGED.notify_all();
            }
        } else if ACTIVE.load(Ordering::Acquire) == 0 {
            let is_well = is_down() || is_done();
            return if is_well { Stop::Done } else { Stop::Stuck };
        } else {
            let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            drop(CHANGED.wait_timeout(idle, NAP));
        }
    }
}

/// The running task waits for something that others do.
pub(super) fn work_inside(is_done: impl Fn() -> bool) -> Stop {
    ACTIVE.fetch_sub(1, Ordering::AcqRel);
    let stop = work_until(is_done);
    ACTIVE.fetch_add(1, Ordering::AcqRel);
    stop
}

/// Whether the program shuts down.
pub(super) fn is_down() -> bool {
    IS_DOWN.load(Ordering::Acquire)
}

/// The program shuts down. What can run could have run before, and is executed all the same: a race with it is
/// one of another schedule.
pub(super) fn shut_down() {
    if !IS_DOWN.swap(true, Ordering::AcqRel) {
        let limit = ENDED.load(Ordering::Relaxed).saturating_mul(2);
        LIMIT.store(limit.saturating_add(PATIENCE), Ordering::Release);
    }
    CHANGED.notify_all();
}

/// Whether so much was executed since the program shut down that it may go on for ever.
fn is_out_of_patience() -> bool {
    is_down() && ENDED.load(Ordering::Relaxed) > LIMIT.load(Ordering::Acquire)
}

/// Whether tasks that could run were left out.
pub(super) fn left_some_out() -> bool {
    is_out_of_patience() && ACTIVE.load(Ordering::Acquire) > 0
}

/// Executes tasks on all workers until none is left.
pub(super) fn run() {
    start_workers();
    let stop = work_until(|| false);
    while RUNNING.load(Ordering::Acquire) > 0 {
        crate::busy::pause();
    }
    IS_OVER.store(true, Ordering::Release);
    if stop == Stop::Stuck {
        crate::say::say!("heddle: no task can run any more, and nobody has called ocrShutdown");
    }
    if !left_some_out() {
        thread::enter(|_, _| world().note_stuck());
    }
}

/// Starts the other workers, once.
pub(super) fn start_workers() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if STARTED.swap(true, Ordering::AcqRel) {
        return;
    }
    for number in 1..workers() {
        let worker = std::thread::Builder::new()
            .name("heddle".into())
            .stack_size(STACK);
        if let Err(error) = worker.spawn(move || work(number)) {
            crate::say::say!("heddle: cannot start a thread ({error}); fewer are used");
            return;
        }
    }
}

fn work(number: usize) {
    let Some(runtime) = runtime() else { return };
    WORKER.set(number);
    thread::attach(runtime.engine.main_task());
    thread::enter(|_, thread| thread.stack_starts(usize::MAX));
    while !IS_OVER.load(Ordering::Acquire) {
        work_until(|| false);
        // The first worker says when it is over.
        crate::busy::pause();
    }
}
