//! Lets threads that were woken or created run before others go on.
//!
//! Workers take jobs from one queue. A first worker may be through with all of them before a second has woken up: then jobs
//! that race were one thread's, and nothing shows it. On a busy machine that happens in some runs and not in others, and
//! the verdict with it. So:
//!
//! 1. A mutex goes first to those who were woken at a condition of that mutex; a semaphore to those who slept there.
//!    Who gives a mutex back goes on when one of those has it who wait for it.
//! 2. New threads begin together, when whoever created them is about to wait for something.
//! 3. No thread comes to a lock or an atomic counter for a second time before all new threads have come to one.
//!
//! Every wait is bounded ([`PATIENCE`]), and so are all of them together ([`ALLOWANCE`]): no schedule is ruled out, and a
//! program is not held up for longer than that. Conditions and mutexes share rows by their addresses, and a thread that is
//! cancelled leaves its count behind: both cost a wait in vain, nothing else.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::time::{Duration, Instant};

/// How long one wait lasts at most: as long as a busy machine may take to let another thread run.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a new thread waits for others to be created.
const TOGETHER: Duration = Duration::from_micros(500);
/// How long all waits of a process last at most, in microseconds.
const ALLOWANCE: u32 = 200_000;

static SPENT: AtomicU32 = AtomicU32::new(0);
static CREATED: AtomicU32 = AtomicU32::new(0);
/// How many of those may begin.
static ADMITTED: AtomicU32 = AtomicU32::new(0);
/// How many have not come to a lock or counter yet.
static NOVICES: AtomicU32 = AtomicU32::new(0);

const ROWS: usize = 64;

struct Condition {
    waiting: AtomicU32,
    /// How many of those were woken and do not own the mutex yet.
    woken: AtomicU32,
    /// The mutex of the last one who began to wait.
    mutex: AtomicUsize,
}

static CONDITIONS: [Condition; ROWS] = [const {
    Condition {
        waiting: AtomicU32::new(0),
        woken: AtomicU32::new(0),
        mutex: AtomicUsize::new(0),
    }
}; ROWS];

/// How many threads were woken who want the mutex.
static WANTED: [AtomicU32; ROWS] = [const { AtomicU32::new(0) }; ROWS];

thread_local! {
    static IS_NOVICE: Cell<bool> = const { Cell::new(false) };
}

/// How many threads wait for the lock.
static CONTENDERS: [AtomicU32; ROWS] = [const { AtomicU32::new(0) }; ROWS];

fn row<T>(rows: &[T; ROWS], address: usize) -> &T {
    let mixed = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    &rows[(mixed >> 58) as usize % ROWS]
}

/// Takes one away; whether there was one.
fn take(count: &AtomicU32) -> bool {
    let less = |count: u32| count.checked_sub(1);
    count.fetch_update(Relaxed, Relaxed, less).is_ok()
}

/// Whom a signal wakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wakes {
    One,
    All,
}

/// The calling thread is about to wait at the condition.
pub(super) fn waits(condition: usize, mutex: usize) {
    let condition = row(&CONDITIONS, condition);
    condition.mutex.store(mutex, Relaxed);
    condition.waiting.fetch_add(1, Relaxed);
}

/// The calling thread, which has waited at the condition, owns the mutex again.
pub(super) fn returns(condition: usize, mutex: usize) {
    let condition = row(&CONDITIONS, condition);
    take(&condition.waiting);
    if take(&condition.woken) {
        take(row(&WANTED, mutex));
    }
}

/// The calling thread signals the condition.
pub(super) fn wakes(condition: usize, whom: Wakes) {
    let condition = row(&CONDITIONS, condition);
    let waiting = condition.waiting.load(Relaxed);
    let asleep = waiting.saturating_sub(condition.woken.load(Relaxed));
    let woken = match whom {
        Wakes::One => asleep.min(1),
        Wakes::All => asleep,
    };
    if woken > 0 {
        condition.woken.fetch_add(woken, Relaxed);
        row(&WANTED, condition.mutex.load(Relaxed)).fetch_add(woken, Relaxed);
    }
}

/// The calling thread is about to take the lock: those who were woken for it come first.
pub(super) fn gives_way(lock: usize) {
    comes();
    let wanted = row(&WANTED, lock);
    if wanted.load(Relaxed) != 0 && !waited(PATIENCE, || wanted.load(Relaxed) == 0) {
        wanted.store(0, Relaxed);
    }
}

/// Takes the lock by `take`, which waits for it if need be.
pub(super) fn contends<R>(lock: usize, take: impl FnOnce() -> R) -> R {
    gives_way(lock);
    let contenders = row(&CONTENDERS, lock);
    contenders.fetch_add(1, Relaxed);
    let result = take();
    self::take(contenders);
    arrives();
    result
}

/// The calling thread has given the lock back.
pub(super) fn gave_back(lock: usize) {
    let contenders = row(&CONTENDERS, lock);
    let count = contenders.load(Relaxed);
    if count != 0 {
        waited(PATIENCE, || contenders.load(Relaxed) < count);
    }
}

/// The calling thread comes to a place where threads share work: new threads come first.
#[inline]
pub(crate) fn comes() {
    if NOVICES.load(Relaxed) != 0 {
        waits_for_novices();
    }
}

#[cold]
fn waits_for_novices() {
    admits();
    if !IS_NOVICE.get() && !waited(PATIENCE, || NOVICES.load(Relaxed) == 0) {
        NOVICES.store(0, Relaxed);
    }
}

/// The calling thread has come to a lock or counter, or ends.
pub(crate) fn arrives() {
    if IS_NOVICE.replace(false) {
        take(&NOVICES);
    }
}

/// The calling thread is about to wait for something: threads that were created may begin.
pub(super) fn admits() {
    let created = CREATED.load(Relaxed);
    if ADMITTED.load(Relaxed) != created {
        ADMITTED.store(created, Relaxed);
    }
}

/// A thread is to be created: its number.
pub(super) fn creates() -> u32 {
    NOVICES.fetch_add(1, Relaxed);
    CREATED.fetch_add(1, Relaxed).wrapping_add(1)
}

/// It was not.
pub(super) fn creates_none() {
    take(&NOVICES);
    CREATED.fetch_sub(1, Relaxed);
}

/// The calling thread is a new one, of this number.
pub(super) fn begins(number: u32) {
    IS_NOVICE.set(true);
    waited(TOGETHER, || {
        ADMITTED.load(Relaxed).wrapping_sub(number).cast_signed() >= 0
    });
}

/// Waits for something; whether it came.
#[cold]
fn waited(patience: Duration, is_over: impl Fn() -> bool) -> bool {
    if SPENT.load(Relaxed) >= ALLOWANCE {
        return false;
    }
    let start = Instant::now();
    while !is_over() && start.elapsed() < patience {
        std::thread::yield_now();
    }
    let spent = u32::try_from(start.elapsed().as_micros()).unwrap_or(ALLOWANCE);
    SPENT.fetch_add(spent.min(ALLOWANCE), Relaxed);
    is_over()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_threads_that_wait_are_woken_and_each_once() {
        let (condition, mutex) = (0x1000, 0x2000);
        let wanted = || row(&WANTED, mutex).load(Relaxed);
        wakes(condition, Wakes::All);
        assert_eq!(wanted(), 0);
        (0..3).for_each(|_| waits(condition, mutex));
        wakes(condition, Wakes::One);
        assert_eq!(wanted(), 1);
        wakes(condition, Wakes::All);
        assert_eq!(wanted(), 3);
        wakes(condition, Wakes::All);
        assert_eq!(wanted(), 3);
        (0..3).for_each(|_| returns(condition, mutex));
        assert_eq!(wanted(), 0);
    }

    #[test]
    fn who_waits_in_vain_waits_no_longer_than_it_may() {
        let (condition, mutex) = (0x3000, 0x4000);
        waits(condition, mutex);
        wakes(condition, Wakes::One);
        let start = Instant::now();
        (0..1000).for_each(|_| gives_way(mutex));
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "once at most, for 50 milliseconds"
        );
    }
}
