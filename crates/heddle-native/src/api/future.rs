//! Tasks with a value. Whoever gets it comes after the task's end.

use super::execute::{Start, execute};
use super::pool::{self, Work};
use super::tasks;
use crate::shim::export;
use crate::thread;
use heddle_core::{TaskId, TaskKind};
use heddle_rt::EndPoint;
use rustc_hash::FxHashSet;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Pointer = *mut c_void;
type Computation = unsafe extern "C-unwind" fn(Pointer) -> Pointer;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Future {
    function: Computation,
    argument: Pointer,
    state: Mutex<State>,
}

// SAFETY: argument and value are the program's, passed on under the lock.
unsafe impl Send for Future {}
// SAFETY: as above.
unsafe impl Sync for Future {}

#[derive(Debug, Default)]
struct State {
    result: Option<Result>,
    /// Tasks that come after it already.
    seen_by: FxHashSet<TaskId>,
}

#[derive(Clone, Copy, Debug)]
struct Result {
    value: Pointer,
    /// None if it was computed unchecked.
    end: Option<EndPoint>,
}

impl Future {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_there(&self) -> bool {
        self.state().result.is_some()
    }

    /// Computes the value as a task on the calling thread.
    pub(super) fn perform(&self, start: Start) {
        let mut value = null_mut();
        let end = execute(start, || value = self.compute());
        self.state().result = Some(Result { value, end });
    }

    fn compute(&self) -> Pointer {
        // SAFETY: the program's own function and argument.
        unsafe { (self.function)(self.argument) }
    }

    /// The value; the calling task comes after the one that computed it.
    fn get(&self) -> Pointer {
        if !self.is_there() {
            pool::wait_for(self);
        }
        let Some(result) = self.state().result else {
            return null_mut();
        };
        if let Some(end) = result.end {
            thread::enter(|runtime, thread| {
                if self.state().seen_by.insert(thread.cursor.task()) {
                    runtime.engine.join(&mut thread.cursor, end);
                }
            });
        }
        result.value
    }
}

fn create(function: Computation, argument: Pointer, pc: usize) -> Pointer {
    let future = Arc::new(Future {
        function,
        argument,
        state: Mutex::default(),
    });
    match tasks::spawned(TaskKind::Future, pc) {
        Some((start, creator)) => pool::submit(start, Work::Future(future.clone()), creator),
        None => {
            let value = future.compute();
            future.state().result = Some(Result { value, end: None });
        }
    }
    Arc::into_raw(future).cast_mut().cast()
}

export! {
    /// Creates a task with a value.
    ["heddle_future_create"] fn future_create(function: Computation, argument: Pointer) at pc -> Pointer {
        create(function, argument, pc)
    }

    /// The same, created at a place of the caller's choice.
    ["heddle_future_create_at"] fn future_create_at(function: Computation, argument: Pointer, place: usize) at _pc -> Pointer {
        create(function, argument, place)
    }

    /// Waits for the value.
    ["heddle_future_get"] fn future_get(future: Pointer) at _pc -> Pointer {
        // SAFETY: a future made above and not yet freed, by the caller's contract.
        unsafe { future.cast::<Future>().as_ref() }.map_or(null_mut(), Future::get)
    }

    /// The caller will not ask for the value any more. The task goes on.
    ["heddle_future_free"] fn future_free(future: Pointer) at _pc {
        if !future.is_null() {
            // SAFETY: made above, and given up once, by the caller's contract.
            drop(unsafe { Arc::from_raw(future.cast::<Future>()) });
        }
    }
}
