//! Waiting on a pool: running other tasks meanwhile, sleeping when there are none, noticing deadlock.
//!
//! # What may run on top of a waiting task
//! A task that is run on top of a waiting one keeps it from going on until it has ended itself. If it
//! in turn waits for the one below, both wait forever. At the end of a finish that cannot be as long
//! as tasks only wait for their own finishes. Once there are futures, a waiting thread takes tasks
//! from its own queue only: those are older than the waiting task, so in the serial order they end
//! before it and cannot wait for it. Every wait then is for something earlier in the serial order,
//! and there is no cycle.

use crate::session::{Activity, Session};
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

/// Nothing will ever change.
#[derive(Debug)]
pub(crate) struct Stuck;

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

impl Activity {
    /// So many tasks more are queued or running.
    pub(crate) fn change(&self, by: isize) {
        self.busy.fetch_add(by, Ordering::Relaxed);
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until `over`, running other tasks meanwhile. Fails if nothing moves in the whole run and
/// `stuck` agrees.
pub(crate) fn wait_until(
    session: Option<&Session>,
    stealing: Stealing,
    mut over: impl FnMut() -> bool,
    mut stuck: impl FnMut() -> bool,
) -> Result<(), Stuck> {
    let mut rest = Rest::new(session.map(|session| &session.activity));
    while !over() {
        let own_only = stealing == Stealing::Forbidden || futures(session).load(Ordering::Relaxed);
        let found = match own_only {
            true => rayon_core::yield_local(),
            false => rayon_core::yield_now(),
        };
        if found == Some(Yield::Executed) {
            rest.end();
        } else if rest.take() && stuck() {
            return Err(Stuck);
        }
    }
    Ok(())
}

/// A thread without work.
struct Rest<'a> {
    activity: Option<&'a Activity>,
    attempts: u32,
    sleep: Duration,
    /// Since when nothing moved, and how much had moved by then.
    still: Option<(Instant, u64)>,
}

impl<'a> Rest<'a> {
    fn new(activity: Option<&'a Activity>) -> Self {
        Self {
            activity,
            attempts: 0,
            sleep: FIRST_SLEEP,
            still: None,
        }
    }

    /// Waits a little. Whether nothing has moved for long.
    fn take(&mut self) -> bool {
        self.attempts += 1;
        if self.attempts < SPINS {
            std::thread::yield_now();
            return false;
        }
        if self.still.is_none() {
            self.begin();
        }
        std::thread::park_timeout(self.sleep);
        self.sleep = (self.sleep * 2).min(LONGEST_SLEEP);
        self.nothing_moves()
    }

    fn begin(&mut self) {
        if let Some(activity) = self.activity {
            activity.change(-1);
            self.still = Some((Instant::now(), activity.progress.load(Ordering::Relaxed)));
        }
    }

    fn nothing_moves(&mut self) -> bool {
        let (Some(activity), Some((since, progress))) = (self.activity, self.still) else {
            return false;
        };
        let now = activity.progress.load(Ordering::Relaxed);
        if now != progress || activity.busy.load(Ordering::Relaxed) > 0 {
            self.still = Some((Instant::now(), now));
            return false;
        }
        since.elapsed() > PATIENCE
    }

    fn end(&mut self) {
        self.attempts = 0;
        self.sleep = FIRST_SLEEP;
        if let (Some(activity), Some(_)) = (self.activity, self.still.take()) {
            activity.change(1);
        }
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
