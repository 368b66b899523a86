//! Creating tasks and waiting for them.

use super::Body;
use super::execute::Start;
use super::pool::{self, Creator, Work};
use super::scopes::{self, Failed, Failures, Frame, Until};
use crate::access::site;
use crate::report::unseen::TASKS;
use crate::shim::export;
use crate::thread;
use heddle_core::TaskKind;
use heddle_rt::FinishScope;
use std::ffi::{c_int, c_long, c_void};

type Pointer = *mut c_void;
type Iteration = unsafe extern "C-unwind" fn(c_long, Pointer);

/// The running task creates another. None if the thread is not checked.
pub(super) fn spawned(kind: TaskKind, pc: usize) -> Option<(Start, Creator)> {
    thread::enter(|runtime, thread| {
        let site = site(pc);
        let home = match kind {
            TaskKind::Spawn => Some(scopes::block(runtime, thread, site)),
            _ => scopes::structured(thread),
        };
        let scope = home
            .as_ref()
            .map_or(FinishScope::MAIN, |finish| finish.scope);
        let creator = match thread.cursor.holds_nothing() {
            true => Creator::HoldsNothing,
            false => Creator::HoldsLocks,
        };
        let cursor = runtime
            .engine
            .spawn(&mut thread.cursor, Some(&scope), kind, site, None);
        TASKS.begin(thread.number);
        (Start { cursor, home }, creator)
    })
}

fn create(kind: TaskKind, function: Body, argument: Pointer, pc: usize) {
    match spawned(kind, pc) {
        Some((start, creator)) => pool::submit(start, Work::Call(function, argument), creator),
        // SAFETY: the program's own function and argument.
        None => unsafe { function(argument) },
    }
}

fn begin(failures: Failures, pc: usize) {
    thread::enter(|runtime, thread| scopes::begin(runtime, thread, failures, site(pc)));
}

/// One iteration of a parallel loop.
struct Turn {
    function: Iteration,
    index: c_long,
    argument: Pointer,
}

unsafe extern "C-unwind" fn take_turn(turn: Pointer) {
    // SAFETY: boxed below, for this task alone.
    let turn = unsafe { Box::from_raw(turn.cast::<Turn>()) };
    let Turn {
        function,
        index,
        argument,
    } = *turn;
    // SAFETY: the program's own function and argument.
    unsafe { function(index, argument) };
}

fn parallel_for(range: std::ops::Range<c_long>, function: Iteration, argument: Pointer, pc: usize) {
    begin(Failures::PassedOn, pc);
    for index in range {
        let turn = Box::new(Turn {
            function,
            index,
            argument,
        });
        create(TaskKind::Async, take_turn, Box::into_raw(turn).cast(), pc);
    }
    scopes::close(Until::Finished);
}

export! {
    /// Creates a task in the innermost finish.
    ["heddle_async"] fn create_async(function: Body, argument: Pointer) at pc {
        create(TaskKind::Async, function, argument, pc);
    }

    /// The same, created at a place of the caller's choice.
    ["heddle_async_at"] fn create_async_at(function: Body, argument: Pointer, place: usize) at _pc {
        create(TaskKind::Async, function, argument, place);
    }

    /// Creates a task in the procedure's sync block.
    ["heddle_spawn"] fn create_child(function: Body, argument: Pointer) at pc {
        create(TaskKind::Spawn, function, argument, pc);
    }

    /// The same, created at a place of the caller's choice.
    ["heddle_spawn_at"] fn create_child_at(function: Body, argument: Pointer, place: usize) at _pc {
        create(TaskKind::Spawn, function, argument, place);
    }

    /// Waits for the procedure's children. Without any it ends the strand all the same: it is a task operation.
    ["heddle_sync"] fn sync() at pc {
        thread::enter(|runtime, thread| { scopes::block(runtime, thread, site(pc)); });
        scopes::close(Until::Synced);
    }

    /// A procedure with children of its own begins.
    ["heddle_procedure_begin"] fn procedure_begin() at _pc {
        thread::enter(|_, thread| thread.api.frames.push(Frame::Procedure));
    }

    /// It returns, after its children.
    ["heddle_procedure_end"] fn procedure_end() at _pc {
        scopes::close(Until::Returned);
    }

    /// Opens a finish.
    ["heddle_finish_begin"] fn finish_begin() at pc {
        begin(Failures::PassedOn, pc);
    }

    /// Waits for the tasks of the innermost finish and closes it.
    ["heddle_finish_end"] fn finish_end() at _pc {
        scopes::close(Until::Finished);
    }

    /// Opens a finish that keeps the first exception of its tasks, at a place of the caller's choice.
    ["heddle_finish_begin_at"] fn finish_begin_at(place: usize) at _pc {
        begin(Failures::Caught, place);
    }

    /// Closes it. The exception kept, or null.
    ["heddle_finish_end_failed"] fn finish_end_failed() at _pc -> Pointer {
        scopes::close(Until::Finished)
    }

    /// The running task ends by an exception. 0 if nobody will throw it again, 1 if its finish will, 2 if
    /// its finish throws another.
    ["heddle_finish_fail"] fn finish_fail(failure: Pointer) at _pc -> c_int {
        let home = thread::enter(|_, thread| thread.api.home.clone()).flatten();
        match home.map_or(Failed::Uncaught, |finish| finish.fail(failure)) {
            Failed::Uncaught => 0,
            Failed::Kept => 1,
            Failed::NotFirst => 2,
        }
    }

    /// Calls `function` for each index, each call a task, and waits for all.
    ["heddle_parallel_for"] fn loop_over(first: c_long, end: c_long, function: Iteration, argument: Pointer) at pc {
        parallel_for(first..end, function, argument, pc);
    }
}
