//! Which locks this thread holds, so that a lock it can never get is reported instead of waited for.
//!
//! A check runs a task to its end where it is spawned. If the spawner holds a lock at that moment, it
//! cannot give it back before the new task ends, and a task that wants the lock would wait for ever. The
//! same happens on a pool, to a thread that waits for a finish and runs other tasks meanwhile.
//! Guards cannot be sent to other threads, so what a thread holds only that thread changes.

use super::crossing;
use crate::context;
use crate::explore::world;
use crate::sites::Caller;
use heddle_core::{LockId, TaskId};
use heddle_rt::LockMode;
use std::cell::RefCell;

thread_local! {
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
}

/// A lock this thread holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    lock: LockId,
    mode: LockMode,
    /// The checked task that took it.
    task: Option<TaskId>,
    at: Caller,
}

/// Whether the running task itself holds this lock.
pub(super) fn by_this_task(lock: LockId) -> bool {
    if world::is_explored() {
        return world::holds(lock);
    }
    let task = context::task();
    find(|held| held.lock == lock && held.task == task).is_some()
}

/// Panics if this thread holds the lock in a way that does not admit `mode` as well: nobody could ever
/// give it back.
#[track_caller]
pub(super) fn assert_free(what: impl FnOnce() -> String, lock: LockId, mode: LockMode) {
    let excludes = |held: &Held| held.lock == lock && held.mode.excludes(mode);
    if let Some(held) = find(excludes) {
        deadlock(&what(), held);
    }
}

#[cold]
#[track_caller]
fn deadlock(what: &str, held: Held) -> ! {
    let at = held.at;
    if held.task == context::task() {
        panic!("deadlock: {what} is already held here, since {at}");
    }
    panic!(
        "deadlock: {what} is held since {at} by a task that this thread suspended to run the present \
         one; give it back before you spawn tasks that need it, or before you wait for them"
    );
}

/// This thread holds the lock from now on.
pub(super) fn push(lock: LockId, mode: LockMode, at: Caller) {
    // An explored run keeps its own list: others are suspended on this thread.
    if world::is_explored() {
        return;
    }
    let task = context::task();
    let held = Held {
        lock,
        mode,
        task,
        at,
    };
    crossing::holds(lock, mode, at);
    // While a thread ends, its list may be gone; then nothing can be said.
    let _ = HELD.try_with(|list| list.borrow_mut().push(held));
}

/// This thread holds the lock no longer.
pub(super) fn pop(lock: LockId) {
    if world::is_explored() {
        return;
    }
    crossing::gives_back(lock);
    let remove = |list: &mut Vec<Held>| {
        if let Some(at) = list.iter().rposition(|held| held.lock == lock) {
            list.remove(at);
        }
    };
    let _ = HELD.try_with(|list| remove(&mut list.borrow_mut()));
}

fn find(wanted: impl Fn(&Held) -> bool) -> Option<Held> {
    let search = |list: &RefCell<Vec<Held>>| list.borrow().iter().rev().copied().find(wanted);
    HELD.try_with(search).ok().flatten()
}
