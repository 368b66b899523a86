//! Tasks without OpenMP: what `heddle.h` and `heddle.hpp` declare.
//!
//! Two kinds of functions share the engine:
//!
//! 1. Programs in the style of Habanero (finish, async, future, isolated) and of Cilk (spawn, sync) are
//!    *executed* here: depth first on the calling thread, or on a pool of threads ([`pool`]). The
//!    structure told to the engine is that of the program text, so the findings are the same.
//! 2. Runtimes of their own only *say* what they do ([`annotate`]).
//!
//! # Invariants
//! - A thread's [`Local`] belongs to the task whose cursor is the thread's; both are exchanged together
//!   ([`execute`]).
//! - Nothing runs below a task on a stack but what the task waits for: a waiting thread takes up
//!   descendants only, so a task never waits for one that is buried under it.
//! - Where the thread is not checked, everything runs at once, in the sequence of the program text.

pub mod annotate;
pub mod atomic;
mod dependence;
mod exclusion;
mod execute;
mod future;
pub(crate) mod guarded;
mod memory;
mod operation;
mod pool;
mod scopes;
mod tasks;
pub(crate) mod turns;

pub(crate) use pool::threads;

use heddle_rt::Cursor;
use scopes::{Finish, Frame};
use std::sync::Arc;

/// What a thread remembers of the task it executes.
#[derive(Debug, Default)]
pub struct Local {
    /// What the task has opened and not closed, innermost last.
    frames: Vec<Frame>,
    /// The finish it was spawned into; none for the main task's implicit one.
    home: Option<Arc<Finish>>,
    /// Whether it is a task executed here, and not what a thread does by itself.
    is_task: bool,
    /// How many isolated sections it is in.
    isolated: u32,
    /// What the thread was at when the program said that it begins another task.
    outer: Option<Box<Outer>>,
}

/// A task put aside.
#[derive(Debug)]
struct Outer {
    cursor: Cursor,
    local: Local,
}

/// A function of the program, and its argument.
type Body = unsafe extern "C-unwind" fn(*mut std::ffi::c_void);
