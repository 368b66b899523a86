//! Waiting on a pool: running other tasks meanwhile, sleeping when there are none, noticing deadlock.
//!
//! # What may run on top of a waiting task
//! A task that is run on top of a waiting one keeps it from going on until it has ended itself. If it
//! in turn waits for the one below, both wait forever. At the end of a finish that cannot be as long
//! as tasks only wait for their own finishes. Once there are futures, a waiting thread takes tasks
//! from its own queue only: those are older than the waiting task, so in the serial order they end
//! before it and cannot wait for it. Every wait then is for something earlier in the serial order,
//! and there is no cycle.

use crate::activity::Activity;
use crate::session::Session;
use rayon_core::Yield;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Which tasks a waiting thread may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stealing {
    /// Any, unless there are futures.
    Allowed,
    /// Its own.
    Forbidden,
}

/// Who waits for what, where nothing will ever change.
pub(crate) type Stuck = String;

/// Attempts to find work before the thread goes to sleep.
const SPINS: u32 = 40;
/// The first sleep; the following double.
const FIRST_SLEEP: Duration = Duration::from_micros(20);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
/// Nothing has moved for so long in a run in which every task waits: it never will. A thread that
/// has something to go on with wakes within a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

static FUTURES_OUTSIDE: AtomicBool = AtomicBool::new(false);

fn futures(session: Option<&Session>) -> &AtomicBool {
    session.map_or(&FUTURES_OUTSIDE, |session| &session.used.futures)
}

/// From now on tasks may wait for others than their own.
pub(crate) fn expect_futures(session: Option<&Session>) {
    crate::session::note(futures(session));
}

/// What moves among the tasks of the session, or among all those that are not checked.
pub(crate) fn activity(session: Option<&Session>) -> &Activity {
    static OUTSIDE: Activity = Activity::new();
    session.map_or(&OUTSIDE, |session| &session.activity)
}

/// Gives a task that belongs to no finish to the pool.
pub(crate) fn spawn_free(task: impl FnOnce() + Send + 'static) {
    activity(None).change(1);
    rayon_core::spawn(|| {
        task();
        activity(None).change(-1);
    });
}

/// Waits until `over`, running other tasks meanwhile. Fails if nothing moves in the whole run and
/// `stuck` says who waits for what.
pub(crate) fn wait_until(
    session: Option<&Session>,
    stealing: Stealing,
    mut over: impl FnMut() -> bool,
    mut stuck: impl FnMut() -> Option<Stuck>,
) -> Result<(), Stuck> {
    if over() {
        return Ok(());
    }
    let mut rest = Rest::begin(session);
    while !over() {
        let own_only = stealing == Stealing::Forbidden || futures(session).load(Ordering::Relaxed);
        let found = match own_only {
            true => rayon_core::yield_local(),
            false => rayon_core::yield_now(),
        };
        if found == Some(Yield::Executed) {
            rest.start_over();
        } else if rest.take()
            && stuck().is_some_and(|waits| rest.is_final(&waits))
            // The last thread that could bring it may have done so just before it ended.
            && let Some(waits) = stuck()
        {
            return Err(waits);
        }
    }
    Ok(())
}

/// A task that waits. It counts as waiting also while its thread runs another on top of it.
struct Rest<'a> {
    session: Option<&'a Session>,
    attempts: u32,
    sleep: Duration,
    /// Since when nothing moved, and how much had moved by then.
    still: Option<(Instant, u64)>,
    said: bool,
}

impl<'a> Rest<'a> {
    fn begin(session: Option<&'a Session>) -> Self {
        let rest = Self {
            session,
            attempts: 0,
            sleep: FIRST_SLEEP,
            still: None,
            said: false,
        };
        rest.count(-1);
        rest
    }

    fn activity(&self) -> &'a Activity {
        activity(self.session)
    }

    /// Waits a little. Whether nothing has moved for long.
    fn take(&mut self) -> bool {
        self.attempts += 1;
        if self.attempts < SPINS {
            std::thread::yield_now();
            return false;
        }
        let now = || (Instant::now(), self.activity().progress());
        self.still = self.still.or_else(|| Some(now()));
        std::thread::park_timeout(self.sleep);
        self.sleep = (self.sleep * 2).min(LONGEST_SLEEP);
        self.nothing_moves()
    }

    /// One task less, or more, is running. A thread of the program's own that waits for unchecked tasks
    /// is no task.
    fn count(&self, by: isize) {
        match self.session.is_none() && rayon_core::current_thread_index().is_none() {
            true => others::change_waiting(-by),
            false => self.activity().change(by),
        }
    }

    fn nothing_moves(&mut self) -> bool {
        let Some((since, progress)) = self.still else {
            return false;
        };
        let now = self.activity().progress();
        if now != progress || self.activity().busy() > 0 {
            self.still = Some((Instant::now(), now));
            return false;
        }
        since.elapsed() > PATIENCE
    }

    /// Whether no thread is left that could change anything. In a check only tasks count; outside,
    /// a thread may that is no task, so it is waited for, but not in silence.
    fn is_final(&mut self, stuck: &Stuck) -> bool {
        if self.session.is_some() || others::are_none() {
            return true;
        }
        if !self.said {
            eprintln!("heddle: {stuck}; every task waits, so only another thread can bring it");
            self.said = true;
        }
        false
    }

    fn start_over(&mut self) {
        self.attempts = 0;
        self.sleep = FIRST_SLEEP;
        self.still = None;
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.count(1);
    }
}

/// Threads of the process that are not the pool's.
mod others {
    use std::sync::atomic::{AtomicIsize, Ordering};

    static WAITING: AtomicIsize = AtomicIsize::new(0);

    /// So many more of them wait for tasks.
    pub(super) fn change_waiting(by: isize) {
        WAITING.fetch_add(by, Ordering::Relaxed);
    }

    /// Whether all of them wait for tasks. No where that cannot be told.
    pub(super) fn are_none() -> bool {
        let pool = rayon_core::current_num_threads() as isize;
        let all = std::fs::read_dir("/proc/self/task").map(Iterator::count);
        all.is_ok_and(|all| all as isize <= pool + WAITING.load(Ordering::Relaxed))
    }
}
