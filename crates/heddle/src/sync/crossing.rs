//! Threads of a check that wait for each other's locks: told instead of waited for. A check has threads if it runs on
//! several, or if the program makes its own.
//!
//! Who holds what and who waits for what is written down under one lock, so that of the threads of a
//! circle the last one to wait sees it.

use crate::context;
use crate::sites::Caller;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// A lock that a thread holds or wants.
#[derive(Clone, Copy, Debug)]
struct Claim {
    thread: ThreadId,
    lock: LockId,
    mode: LockMode,
    at: Caller,
}

#[derive(Debug)]
struct Claims {
    held: Vec<Claim>,
    wanted: Vec<Claim>,
}

static CLAIMS: Mutex<Claims> = Mutex::new(Claims {
    held: Vec::new(),
    wanted: Vec::new(),
});

fn claims() -> MutexGuard<'static, Claims> {
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn claim(lock: LockId, mode: LockMode, at: Caller) -> Claim {
    Claim {
        thread: std::thread::current().id(),
        lock,
        mode,
        at,
    }
}

/// The running task has taken the lock.
pub(super) fn holds(lock: LockId, mode: LockMode, at: Caller) {
    if context::is_watched() {
        claims().held.push(claim(lock, mode, at));
    }
}

/// The running task is about to give it back.
pub(super) fn gives_back(lock: LockId) {
    if context::is_watched() {
        let thread = std::thread::current().id();
        let is_it = |held: &Claim| held.lock == lock && held.thread == thread;
        let mut claims = claims();
        if let Some(at) = claims.held.iter().rposition(is_it) {
            claims.held.swap_remove(at);
        }
    }
}

/// While this lives, the running task is known to wait.
pub(super) struct Waiting(Option<Claim>);

/// The running task has to wait for the lock.
///
/// # Panics
/// If those who have it wait for what this thread has.
pub(super) fn waits(
    what: impl FnOnce() -> String,
    lock: LockId,
    mode: LockMode,
    at: Caller,
) -> Waiting {
    if !context::is_watched() {
        return Waiting(None);
    }
    let wanted = claim(lock, mode, at);
    let mut claims = claims();
    let mut circle = vec![wanted];
    if claims.lead_back(&mut circle) {
        drop(claims);
        circular(&what(), &circle);
    }
    claims.wanted.push(wanted);
    Waiting(Some(wanted))
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(Claim { thread, .. }) = self.0 {
            claims().wanted.retain(|wanted| wanted.thread != thread);
        }
    }
}

impl Claims {
    /// Whether the waits on the path lead back to its first thread.
    fn lead_back(&self, path: &mut Vec<Claim>) -> bool {
        let last = path[path.len() - 1];
        let holders = self.held.iter().filter(|held| {
            held.lock == last.lock && held.mode.excludes(last.mode) && held.thread != last.thread
        });
        for holder in holders {
            if holder.thread == path[0].thread {
                path.push(*holder);
                return true;
            }
            let next = self.wanted.iter().find(|wait| wait.thread == holder.thread);
            let is_new = !path.iter().any(|known| known.thread == holder.thread);
            if let Some(next) = next.filter(|_| is_new) {
                path.push(*holder);
                path.push(*next);
                if self.lead_back(path) {
                    return true;
                }
                path.truncate(path.len() - 2);
            }
        }
        false
    }
}

#[cold]
fn circular(what: &str, circle: &[Claim]) -> ! {
    let mut text = format!("deadlock: {} waits for {what}", circle[0].at);
    for pair in circle[1..].chunks(2) {
        text.push_str(&match pair {
            [holder, next] => format!(
                ", held since {} by a task that waits at {} for a lock",
                holder.at, next.at
            ),
            [holder] => format!(", held since {} by the first", holder.at),
            _ => String::new(),
        });
    }
    panic!("{text}; take locks in the same sequence everywhere");
}
