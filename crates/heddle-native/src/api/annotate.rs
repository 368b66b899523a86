//! What a runtime of its own says: which task a thread executes, what waits for what, what is locked.
//!
//! Nothing is executed or excluded here. A runtime that creates and joins tasks by other means than
//! those that are known anyway says so with these calls.

use super::Outer;
use super::execute::turn_to;
use super::tasks;
use crate::report::unseen::TASKS;
use crate::runtime::LockKind;
use crate::shim::export;
use crate::thread::{self, Thread};
use crate::{access, runtime::Runtime};
use heddle_core::TaskKind;
use heddle_rt::{EndPoint, LockMode};
use std::arch::naked_asm;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

type Pointer = *mut c_void;

/// A task by another runtime, as it is between two of its calls.
#[derive(Debug)]
enum Progress {
    /// Not started, or put aside.
    Waits(Box<Outer>),
    Runs,
    Over(EndPoint),
}

/// The handle of a task.
#[derive(Debug)]
struct Handle(Mutex<Progress>);

impl Handle {
    fn replace(&self, progress: Progress) -> Progress {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut now, progress)
    }

    fn end(&self) -> Option<EndPoint> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Progress::Over(end) => Some(*end),
            _ => None,
        }
    }
}

/// The handle at `task`.
///
/// # Safety
/// `task` is null or a handle not yet freed.
unsafe fn handle<'a>(task: Pointer) -> Option<&'a Handle> {
    // SAFETY: as the caller promises.
    unsafe { task.cast::<Handle>().as_ref() }
}

fn create(pc: usize) -> Pointer {
    let Some((start, _)) = tasks::spawned(TaskKind::Async, pc) else {
        return null_mut();
    };
    let fresh = thread::enter(|runtime, thread| {
        // Whoever has the handle may join the task, whenever it is over.
        runtime.engine.expect_names();
        let outer = turn_to(thread, start);
        put_aside(thread, outer)
    });
    fresh.map_or(null_mut(), |fresh| {
        let handle = Handle(Mutex::new(Progress::Waits(Box::new(fresh))));
        Box::into_raw(Box::new(handle)).cast()
    })
}

/// The thread turns back to `outer`. What it was at.
fn put_aside(thread: &mut Thread, outer: Outer) -> Outer {
    Outer {
        cursor: std::mem::replace(&mut thread.cursor, outer.cursor),
        local: std::mem::replace(&mut thread.api, outer.local),
    }
}

/// The thread executes the task from now on, in frames below `base`.
unsafe extern "C-unwind" fn begin(task: Pointer, base: usize) {
    // SAFETY: the caller's contract.
    let Some(handle) = (unsafe { handle(task) }) else {
        return;
    };
    thread::enter(|runtime, thread| {
        match handle.replace(Progress::Runs) {
            Progress::Waits(task) => {
                runtime.engine.suspend(&mut thread.cursor);
                let outer = put_aside(thread, *task);
                thread.api.outer = Some(Box::new(outer));
                thread.stack_starts(base);
            }
            // Nonsense changes nothing.
            other => drop(handle.replace(other)),
        };
    });
}

/// The thread turns to what it was at before the task.
fn leave(runtime: &Runtime, thread: &mut Thread, base: usize) -> Option<Outer> {
    let outer = thread.api.outer.take()?;
    runtime.engine.suspend(&mut thread.cursor);
    let task = put_aside(thread, *outer);
    thread.stack_starts(base);
    Some(task)
}

unsafe extern "C-unwind" fn suspend(task: Pointer, base: usize) {
    // SAFETY: the caller's contract.
    let Some(handle) = (unsafe { handle(task) }) else {
        return;
    };
    thread::enter(|runtime, thread| {
        if let Some(task) = leave(runtime, thread, base) {
            handle.replace(Progress::Waits(Box::new(task)));
        }
    });
}

unsafe extern "C-unwind" fn end(task: Pointer, base: usize) {
    // SAFETY: the caller's contract.
    let Some(handle) = (unsafe { handle(task) }) else {
        return;
    };
    thread::enter(|runtime, thread| {
        if let Some(task) = leave(runtime, thread, base) {
            handle.replace(Progress::Over(runtime.engine.end(task.cursor)));
            TASKS.end(thread.number);
        }
    });
}

/// Entry points that know where the caller's frames end.
macro_rules! with_stack {
    ($($symbol:literal $function:ident;)*) => {$(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn shim() {
                naked_asm!("lea rsi, [rsp + 8]", "jmp {function}", function = sym $function)
            }
        };
    )*};
}

with_stack! {
    "heddle_task_begin" begin;
    "heddle_task_suspend" suspend;
    "heddle_task_end" end;
}

fn lock(address: Pointer, mode: LockMode) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(address as usize, LockKind::Other);
        runtime.engine.acquire(&mut thread.cursor, lock, mode);
    });
}

fn unlock(address: Pointer) {
    thread::enter(|runtime, thread| {
        let lock = runtime.locks.id(address as usize, LockKind::Other);
        if runtime.engine.holds(&thread.cursor, lock) {
            crate::section::give_back(runtime, thread, lock);
        }
    });
}

export! {
    /// The running task creates one that another runtime will execute.
    ["heddle_task_create"] fn task_create() at pc -> Pointer {
        create(pc)
    }

    /// What follows comes after the end of the task. Nothing happens if it is not over.
    ["heddle_task_join"] fn task_join(task: Pointer) at _pc {
        // SAFETY: the caller's contract.
        if let Some(end) = unsafe { handle(task) }.and_then(Handle::end) {
            thread::enter(|runtime, thread| runtime.engine.join(&mut thread.cursor, end));
        }
    }

    /// The handle is not used any more.
    ["heddle_task_free"] fn task_free(task: Pointer) at _pc {
        if !task.is_null() {
            // SAFETY: made by `create`, and given up once, by the caller's contract.
            drop(unsafe { Box::from_raw(task.cast::<Handle>()) });
        }
    }

    /// What the running task did so far comes before whoever waits for the token.
    ["heddle_signal"] fn signal() at _pc -> u32 {
        thread::enter(|runtime, thread| runtime.engine.signal(&mut thread.cursor)).unwrap_or(0)
    }

    /// What follows comes after the signal.
    ["heddle_wait"] fn wait(token: u32) at _pc {
        thread::enter(|runtime, thread| {
            if token != 0 && token < runtime.engine.clock() {
                runtime.engine.wait(&mut thread.cursor, &[token]);
            }
        });
    }

    /// The running task has taken the lock at `address`, alone (0) or with other readers (1).
    ["heddle_acquire"] fn acquire(address: Pointer, mode: c_int) at _pc {
        lock(address, if mode == 0 { LockMode::Exclusive } else { LockMode::Shared });
    }

    /// It is about to give it back.
    ["heddle_release"] fn release(address: Pointer, _mode: c_int) at _pc {
        unlock(address);
    }

    /// The running task reads memory.
    ["heddle_read"] fn read(address: usize, len: usize) at pc {
        access::read(address, len, pc);
    }

    /// It writes memory.
    ["heddle_write"] fn write(address: usize, len: usize) at pc {
        access::write(address, len, pc);
    }

    /// Memory was allocated: whoever used it before had given it back.
    ["heddle_alloc"] fn alloc(address: usize, len: usize) at _pc {
        access::forget(address, len);
    }

    /// Memory is about to be given back: an access that is parallel may come too late.
    ["heddle_free"] fn free(address: usize, len: usize) at pc {
        access::write(address, len, pc);
    }

    /// The thread's accesses are not checked.
    ["heddle_ignore_begin"] fn ignore_begin() at _pc {
        thread::enter(|_, thread| thread.ignore += 1);
    }

    /// They are again.
    ["heddle_ignore_end"] fn ignore_end() at _pc {
        thread::enter(|_, thread| thread.ignore = thread.ignore.saturating_sub(1));
    }
}
