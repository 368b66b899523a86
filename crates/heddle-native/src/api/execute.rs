//! One task on one thread, from its first instruction to its end.
//!
//! The task that the thread was at is put aside and taken up again. What the two leave on the stack
//! below the frame in between is void for the other.

use super::scopes::{self, Finish, Until};
use super::{Local, Outer};
use crate::report::unseen::TASKS;
use crate::thread::{self, Thread};
use heddle_rt::{Cursor, EndPoint};
use std::arch::asm;
use std::sync::Arc;

/// A task that has not started.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) cursor: Cursor,
    pub(super) home: Option<Arc<Finish>>,
}

/// Executes a task on the calling thread. Its end, if the thread is checked.
pub(super) fn execute(start: Start, body: impl FnOnce()) -> Option<EndPoint> {
    let base = stack_pointer();
    let outer = thread::enter(|runtime, thread| {
        runtime.engine.suspend(&mut thread.cursor);
        thread.stack_starts(base);
        turn_to(thread, start)
    });
    let guard = NoWayOut;
    body();
    scopes::close(Until::Over);
    std::mem::forget(guard);
    let outer = outer?;
    thread::enter(|runtime, thread| {
        let cursor = std::mem::replace(&mut thread.cursor, outer.cursor);
        thread.api = outer.local;
        let end = runtime.engine.end(cursor);
        TASKS.end(thread.number);
        thread.stack_starts(base);
        end
    })
}

/// The thread is at another task from now on. What it was at.
pub(super) fn turn_to(thread: &mut Thread, start: Start) -> Outer {
    let local = Local {
        home: start.home,
        is_task: true,
        ..Local::default()
    };
    Outer {
        cursor: std::mem::replace(&mut thread.cursor, start.cursor),
        local: std::mem::replace(&mut thread.api, local),
    }
}

/// Where the caller's callees begin.
#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Ends the process if an exception or `pthread_exit` would leave a task: whoever waits for its end
/// would wait for ever.
struct NoWayOut;

impl Drop for NoWayOut {
    fn drop(&mut self) {
        crate::say::say!("heddle: a task was left by an exception or pthread_exit");
        std::process::abort();
    }
}
