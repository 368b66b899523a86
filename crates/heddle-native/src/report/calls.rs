//! The calls that led to where a thread is: its stack, innermost first.
//!
//! Taken only when a race is first met, with the unwinder that every program has for exceptions: it
//! needs no frame pointers, so it finds its way through the OpenMP library too.

use crate::daring;
use std::ffi::{c_int, c_void};

/// Calls kept of one stack; recursion can make a million.
const DEPTH: usize = 128;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

const GO_ON: c_int = 0;
const STOP: c_int = 5;

/// The return addresses on the calling thread's stack, innermost first: as many as can be found.
pub fn calls() -> Vec<usize> {
    let mut calls = Vec::with_capacity(DEPTH);
    daring::dare(walk, (&raw mut calls).cast());
    calls
}

/// Never more calls than there is room for: nothing is allocated here.
extern "C" fn walk(calls: *mut c_void) {
    // SAFETY: `note` gets the vector and is called only during this call.
    unsafe { _Unwind_Backtrace(note, calls) };
}

extern "C" fn note(context: *mut c_void, calls: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes its context and what `calls` gave it.
    let (pc, calls) = unsafe { (_Unwind_GetIP(context), &mut *calls.cast::<Vec<usize>>()) };
    if calls.len() == DEPTH || pc == 0 {
        return STOP;
    }
    calls.push(pc);
    GO_ON
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::modules::Modules;
    use crate::report::symbols::Symbols;

    #[inline(never)]
    fn inner() -> Vec<usize> {
        std::hint::black_box(calls())
    }

    #[inline(never)]
    fn outer() -> Vec<usize> {
        std::hint::black_box(inner())
    }

    #[test]
    fn callers_follow_the_called() {
        let modules = Modules::load();
        let mut symbols = Symbols::new(&modules);
        let calls = outer();
        let names: Vec<_> = calls.iter().flat_map(|&pc| symbols.call(pc)).collect();
        let place = |name| names.iter().position(|spot| spot.function.contains(name));
        let (inner, outer) = (place("::inner"), place("::outer"));
        assert!(inner.is_some() && inner < outer, "{names:?}");
    }

    #[test]
    fn endless_recursion_gives_a_bounded_stack() {
        fn down(depth: usize) -> Vec<usize> {
            match depth {
                0 => calls(),
                _ => std::hint::black_box(down(depth - 1)),
            }
        }
        assert_eq!(down(1000).len(), DEPTH);
    }
}
