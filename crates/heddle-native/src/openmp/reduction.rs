//! Reductions: partial results belong to a thread, and are combined where no two can meet.
//!
//! *Of a team*: each member adds its part between `__kmpc_reduce` and `__kmpc_end_reduce`, under a lock
//! that all reductions share. The runtime would also know atomic and tree-shaped ways, the latter by
//! calling compiled code on other threads' parts; it is told not to ([`super::start`]).
//!
//! *Of tasks* (`task_reduction`, `in_reduction`): a task asks for its thread's copy of the variable. Tasks
//! that use one copy run on one thread, one after the other, so whenever a thread turns to another task,
//! what is known of its copies is void. At the end of the group the runtime calls compiled code to
//! combine them, unchecked; for the program that is a write of the variable by the task that waits.
//! With one thread the copy is the variable itself.

use super::ompt::Endpoint;
use crate::access;
use crate::runtime::{LockKind, Runtime};
use crate::thread::{Thread, enter};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A variable that tasks of a group reduce.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) address: usize,
    pub(super) len: usize,
}

/// A thread's copy of a variable.
#[derive(Clone, Copy, Debug)]
struct Copied {
    variable: usize,
    thread: u32,
    address: usize,
    len: usize,
}

#[derive(Debug, Default)]
struct Copies {
    items: Vec<Item>,
    copies: Vec<Copied>,
}

static COPIES: Mutex<Copies> = Mutex::new(Copies {
    items: Vec::new(),
    copies: Vec::new(),
});
/// How many copies there are, so that who has none pays a load.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn with<R>(f: impl FnOnce(&mut Copies) -> R) -> R {
    let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
    let result = f(&mut copies);
    COUNT.store(copies.copies.len(), Ordering::Relaxed);
    result
}

/// The running member begins or ends to add its part.
pub(super) fn combine(runtime: &Runtime, thread: &mut Thread, endpoint: Endpoint) {
    let lock = runtime.locks.id(0, LockKind::Reduction);
    match endpoint {
        Endpoint::Begin => runtime.engine.exclude(&mut thread.cursor, lock),
        Endpoint::End if runtime.engine.holds(&thread.cursor, lock) => {
            runtime.engine.release(&mut thread.cursor, lock);
        }
        Endpoint::End => {}
    }
}

/// A group of tasks is going to reduce this variable.
pub(super) fn register(item: Item) {
    with(|copies| copies.items.push(item));
}

/// The running task asked for its thread's copy of `variable` and got the one at `address`.
pub(super) fn copy(thread: &Thread, variable: usize, address: usize) {
    let thread = thread.number;
    with(|copies| {
        let known = |copy: &Copied| copy.thread == thread && copy.address == address;
        let item = copies
            .items
            .iter()
            .rev()
            .find(|item| item.address == variable);
        let Some(len) = item.map(|item| item.len) else {
            return;
        };
        if !copies.copies.iter().any(known) {
            copies.copies.push(Copied {
                variable,
                thread,
                address,
                len,
            });
        }
    });
    forget_copies(thread);
}

/// The calling thread turns to another task.
#[inline]
pub(super) fn switch(thread: &Thread) {
    if COUNT.load(Ordering::Relaxed) != 0 {
        forget_copies(thread.number);
    }
}

#[cold]
fn forget_copies(thread: u32) {
    with(|copies| {
        for copy in copies.copies.iter().filter(|copy| copy.thread == thread) {
            access::forget(copy.address, copy.len);
        }
    });
}

/// Nobody reduces this variable any more.
pub(super) fn unregister(variable: usize) {
    with(|copies| {
        copies.copies.retain(|copy| copy.variable != variable);
        let is_it = |known: &Item| known.address == variable;
        if let Some(at) = copies.items.iter().rposition(is_it) {
            copies.items.remove(at);
        }
    });
}

/// A group of tasks is over: its variables have their results. To be called outside the runtime.
pub(super) fn group_over(items: &[Item], pc: usize) {
    for item in items {
        unregister(item.address);
        access::forget(item.address, item.len);
        access::write(item.address, item.len, pc);
    }
}

/// Runs compiled code that the runtime calls for its own ends.
pub(super) fn unchecked<R>(f: impl FnOnce() -> R) -> R {
    enter(|_, thread| thread.ignore += 1);
    let result = f();
    enter(|_, thread| thread.ignore = thread.ignore.saturating_sub(1));
    result
}
