//! Undeferred tasks that are executed like calls of their creator.
//!
//! The creator of an `if(0)` task waits until it is over. So what the task does stands where a call of the creator's
//! would stand, and no schedule tells the two apart, as long as the task creates nothing that can outlive it. Programs
//! cut recursion off with such tasks, and make millions of them. A task of this kind therefore gets a place of its own
//! in the order only when it needs one ([`settle`]): when it creates a task that may run later, opens a group or a
//! region, or is interrupted. Until then `Thread::cursor` is its creator's position.
//!
//! Reports name the creator for what such a task did. Where the bounds of tasks matter beyond order, because something
//! must be atomic, the run is recorded or tasks are counted, every task has its place from the start.

use super::task::{self, Task};
use crate::api::guarded;
use crate::report::unseen::TASKS;
use crate::runtime::Runtime;
use crate::thread::Thread;
use heddle_core::{SiteId, TaskKind};
use std::ptr::NonNull;

/// Who called a task, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub(super) task: NonNull<Task>,
    pub(super) site: SiteId,
}

/// Whether an undeferred task need not be told from its creator.
pub(super) fn are_possible(runtime: &Runtime) -> bool {
    let engine = &runtime.engine;
    engine.is_quick() && engine.watches_nothing() && !guarded::any() && !runtime.options.has_stats
}

/// The running task turns to `record`, which it has called. Whether it has.
pub(super) fn starts(thread: &mut Thread, record: NonNull<Task>) -> bool {
    // SAFETY: a record that the running task has just made.
    let caller = unsafe { record.as_ref() }.caller;
    let is_called = caller.is_some_and(|caller| thread.openmp.current == Some(caller.task));
    if is_called {
        thread.openmp.current = Some(record);
    }
    is_called
}

/// `record` is over, if it runs and was called. Whether it was.
pub(super) fn ends(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) -> bool {
    if !are_possible(runtime) {
        // Since it began, its end has come to matter.
        settle(runtime, thread);
    }
    // SAFETY: over on this thread, so no one else's.
    let caller = unsafe { record.as_ref() }.caller;
    let Some(caller) = caller.filter(|_| thread.openmp.current == Some(record)) else {
        return false;
    };
    thread.openmp.current = Some(caller.task);
    TASKS.end(thread.number);
    task::free(thread, record);
    true
}

/// Gives the running task a place of its own in the order, if it was called, and its callers before it.
pub(super) fn settle(runtime: &Runtime, thread: &mut Thread) {
    let mut called = Vec::new();
    let mut record = task::current(runtime, thread);
    // SAFETY: the record of the running task and those of its callers, which wait for it, are this thread's.
    while let Some(caller) = unsafe { record.as_ref() }.caller {
        called.push((record, caller));
        record = caller.task;
    }
    thread.openmp.current = Some(record);
    let unshared_below = thread.unshared_below;
    for (record, caller) in called.into_iter().rev() {
        place(runtime, thread, record, caller);
        task::turn_to(runtime, thread, record);
    }
    thread.unshare_below(unshared_below);
}

/// The same, and for `record` if the running task has created it to be called.
pub(super) fn settle_new(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) {
    settle(runtime, thread);
    // SAFETY: made by the running task, and does not run yet.
    if let Some(caller) = unsafe { record.as_ref() }.caller {
        place(runtime, thread, record, caller);
    }
}

fn place(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>, caller: Caller) {
    let engine = &runtime.engine;
    // SAFETY: this thread's, and not referred to elsewhere meanwhile.
    let task = unsafe { &mut *record.as_ptr() };
    task.cursor = engine.call_begin(&mut thread.cursor, TaskKind::Task, caller.site);
    task.caller = None;
}
