//! Critical sections and locks, nested ones too.
//!
//! The runtime tells that a lock was taken when it is, but that it was given back only afterwards, when
//! another may have it already. So giving back is seen at the entry points, and the callback is what
//! remains for those that are not taken over.
//!
//! Locks hold within a contention group; the teams of a league do not exclude each other.
//!
//! A task that asks for the number of its thread may keep data by that number: what it does then is
//! exclusive to the thread, which executes one task at a time. That is a lock of the thread's, held to
//! the task's end.

use super::called;
use super::ompt::{Endpoint, mutex};
use super::sequence;
use super::task::{self, Role};
use crate::access;
use crate::runtime::{LockKind, Runtime};
use crate::thread::Thread;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::ffi::c_int;

/// A lock that a task holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    id: LockId,
    address: usize,
    kind: LockKind,
    /// How often the task has taken it.
    level: u32,
}

/// The running task has taken a lock, by a call at `pc`.
pub(super) fn acquired(
    runtime: &Runtime,
    thread: &mut Thread,
    kind: c_int,
    address: usize,
    pc: usize,
) {
    if kind == mutex::ORDERED {
        return sequence::ordered_begin(runtime, thread);
    }
    let waits = !matches!(kind, mutex::TEST_LOCK | mutex::TEST_NEST_LOCK);
    let kind = if kind == mutex::CRITICAL {
        LockKind::Critical
    } else {
        LockKind::OpenMp
    };
    let task = task::running(runtime, thread);
    let variable = std::mem::take(&mut thread.openmp.critical);
    let named = match kind {
        LockKind::Critical if variable != 0 => variable,
        _ => address,
    };
    let id = runtime.locks.id_in(task.group, named, kind);
    let (engine, mode, site) = (&runtime.engine, LockMode::Exclusive, access::site(pc));
    if waits {
        engine.waits_for(&mut thread.cursor, id, mode, site);
    }
    engine.acquire(&mut thread.cursor, id, mode);
    engine.holds_since(&mut thread.cursor, id, mode, site);
    task.held.push(Held {
        id,
        address,
        kind,
        level: 1,
    });
}

/// The running task has given a lock back.
pub(super) fn released(runtime: &Runtime, thread: &mut Thread, address: usize) {
    give_back(runtime, thread, |held| {
        held.address == address && held.level == 1
    });
}

/// The running task has taken a lock once more, or once less.
pub(super) fn nested(runtime: &Runtime, thread: &mut Thread, endpoint: Endpoint, address: usize) {
    let held = &mut task::running(runtime, thread).held;
    if let Some(held) = held.iter_mut().rfind(|held| held.address == address) {
        match endpoint {
            Endpoint::Begin => held.level += 1,
            Endpoint::End => held.level -= 1,
        }
    }
}

/// The running task is about to leave its innermost critical section.
pub(super) fn leave_critical(runtime: &Runtime, thread: &mut Thread) {
    give_back(runtime, thread, |held| held.kind == LockKind::Critical);
}

fn give_back(runtime: &Runtime, thread: &mut Thread, is_it: impl Fn(&Held) -> bool) {
    let held = &mut task::running(runtime, thread).held;
    if let Some(at) = held.iter().rposition(is_it) {
        let id = held.remove(at).id;
        crate::section::give_back(runtime, thread, id);
    }
}

/// The running task asks for the number of its thread.
pub(super) fn asks_for_its_thread(runtime: &Runtime, thread: &mut Thread) {
    called::settle(runtime, thread);
    match task::running(runtime, thread).role {
        Role::Member { .. } => super::work::bind_to_thread(runtime, thread),
        Role::Deferred | Role::Undeferred => hold_thread(runtime, thread),
        Role::Home | Role::Wait => {}
    }
}

fn hold_thread(runtime: &Runtime, thread: &mut Thread) {
    let address = thread.number as usize;
    let task = task::running(runtime, thread);
    if !task.held.iter().any(|held| held.kind == LockKind::Thread) {
        let kind = LockKind::Thread;
        let id = runtime.locks.id(address, kind);
        task.held.push(Held {
            id,
            address,
            kind,
            level: 1,
        });
        runtime.engine.exclude(&mut thread.cursor, id);
    }
}
