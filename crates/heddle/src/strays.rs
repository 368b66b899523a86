//! Accesses from threads that a check does not know.
//!
//! A thread that was not started through this crate has no task, so its accesses cannot be checked. If a check uses the
//! same values, "clean" would be wrong: the check fails and names the place. Whether it does is known when
//! the values are dropped or the check ends: until then either side may come first.

use crate::locations;
use crate::session::{Session, running_sessions};
use crate::sites::Caller;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How many checks are running.
pub(crate) static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Places are kept once, and no more than so many.
const MOST: usize = 1000;

/// What a session knows of such accesses.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// First location, number of locations, place.
    all: Vec<(u64, u64, Caller)>,
    complaint: Option<String>,
}

/// A thread without a task makes an access.
#[cold]
#[inline(never)]
pub(crate) fn note(start: u64, len: u64, caller: Caller) {
    if RUNNING.load(Ordering::Relaxed) == 0 {
        return;
    }
    for session in running_sessions() {
        session.strays.add(start, len, caller);
    }
}

impl Strays {
    fn add(&self, start: u64, len: u64, caller: Caller) {
        let mut seen = self.seen();
        let is_known = seen
            .all
            .iter()
            .any(|&(known, _, at)| known == start && at == caller);
        if !is_known && seen.all.len() < MOST {
            seen.all.push((start, len, caller));
        }
    }

    /// Looks which of these locations the session has used, before they are forgotten.
    pub(crate) fn look(&self, session: &Session, start: u64, len: u64) {
        let end = start.saturating_add(len);
        let mut seen = self.seen();
        let Seen { all, complaint } = &mut *seen;
        let is_met = |&&(first, count, _): &&(u64, u64, Caller)| {
            let overlap = first.max(start)..first.saturating_add(count).min(end);
            overlap.into_iter().any(|at| session.engine.has_history(at))
        };
        if complaint.is_none()
            && let Some(&(first, _, at)) = all.iter().find(is_met)
        {
            let name = locations::labels(&[first]).pop().flatten();
            let name = name.map_or("a value".into(), |labelled| labelled.label.to_string());
            *complaint = Some(format!(
                "{name} is accessed at {at} by a thread that Heddle does not know, and used in a check: \
                 start the thread with heddle::thread::spawn or heddle::thread::scope"
            ));
        }
        all.retain(|&(first, ..)| !(start..end).contains(&first));
    }

    /// What is wrong, if anything is.
    pub(crate) fn complaint(&self, session: &Session) -> Option<String> {
        self.look(session, 0, u64::MAX);
        self.seen().complaint.take()
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads of a session, for which its end waits.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    running: Mutex<usize>,
    over: Condvar,
}

impl Threads {
    pub(crate) fn begin(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    pub(crate) fn end(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.over.notify_all();
    }

    /// Returns when none runs any more.
    pub(crate) fn wait(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while *running > 0 {
            running = self
                .over
                .wait(running)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
