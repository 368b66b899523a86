//! Code that is executed once: it precedes whatever follows any call that asked for it.
//!
//! That holds in every schedule, whoever executes it. (What that thread did *before* is taken to precede
//! the others too, though in another schedule another might come first: a miss, and no false alarm.)
//!
//! C++ guards the initialisation of a local static in the same way. Its fast path is an acquire load in
//! the program itself, which finds what is released here under the guard's address.

use crate::hand_off::{self, Reach, Released};
use crate::shim::{behind, export};
use crate::{caller, thread};
use std::cell::Cell;
use std::ffi::c_int;

type Control = *mut ::libc::pthread_once_t;
type Routine = unsafe extern "C-unwind" fn();
type Guard = *mut u64;

behind! {
    fn pthread_once(control: Control, routine: Routine) -> c_int;
    fn call_once(control: Control, routine: Routine), or ();
}

behind! {
    if present;
    fn __cxa_guard_acquire(guard: Guard) -> c_int, or 0;
    fn __cxa_guard_release(guard: Guard), or ();
}

thread_local! {
    /// What the thread asks to be executed, and where that is noted: the real function passes neither.
    static ASKED: Cell<Option<(usize, Routine)>> = const { Cell::new(None) };
}

/// Stands for the program's routine.
unsafe extern "C-unwind" fn execute() {
    if let Some((control, routine)) = ASKED.take() {
        // SAFETY: the program's own routine.
        unsafe { routine() };
        executed(control);
    }
}

/// The code guarded by `address` has been executed.
fn executed(address: usize) {
    thread::enter(|runtime, thread| {
        let released = Released::now(runtime, thread);
        hand_off::lock(address)
            .entry()
            .replace(released, Reach::Always);
    });
}

/// The code guarded by `address` was executed by someone before.
fn is_over(address: usize) {
    thread::enter(|runtime, thread| {
        if let Some(releases) = hand_off::lock(address).get() {
            releases.acquire(runtime, thread);
        }
    });
}

/// Asks by `ask`, which is given what to execute.
fn once<R>(control: Control, routine: Routine, pc: usize, ask: impl FnOnce(Routine) -> R) -> R {
    if !caller::is_program(pc) {
        return ask(routine);
    }
    let outer = ASKED.replace(Some((control as usize, routine)));
    let result = ask(execute);
    ASKED.set(outer);
    is_over(control as usize);
    result
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_once"] fn pthread(control: Control, routine: Routine) at pc -> c_int {
        // SAFETY: see above.
        once(control, routine, pc, |routine| unsafe { pthread_once(control, routine) })
    }

    ["call_once"] fn c11(control: Control, routine: Routine) at pc {
        // SAFETY: see above.
        once(control, routine, pc, |routine| unsafe { call_once(control, routine) });
    }

    ["__cxa_guard_acquire"] fn guard_acquire(guard: Guard) at _pc -> c_int {
        // SAFETY: see above.
        let must_initialise = unsafe { __cxa_guard_acquire(guard) };
        if must_initialise == 0 {
            is_over(guard as usize);
        }
        must_initialise
    }

    ["__cxa_guard_release"] fn guard_release(guard: Guard) at _pc {
        executed(guard as usize);
        // SAFETY: see above.
        unsafe { __cxa_guard_release(guard) };
    }
}
