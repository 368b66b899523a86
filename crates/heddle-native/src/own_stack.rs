//! Stacks of the runtime's own, so that it needs next to nothing of the program's: a thread may have
//! asked for sixteen kilobytes, and a fibre may have four.
//!
//! Each checked thread has one that the runtime executes on ([`call`], and `preserve.rs` for accesses), and an
//! *alternate* one for signal handlers, so that the report can be written when the program's own stack is
//! used up. Both lie in one mapping, each below a page that faults, and go to another thread when theirs ends.
//! The report itself executes on a large one that is set aside at the start ([`call_on_large`]).

use crate::words;
use std::arch::naked_asm;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const PAGE: usize = 4096;
/// For what the runtime does. Only what is touched has memory.
const STACK: usize = 256 << 10;
/// For signal handlers.
const ALTERNATE: usize = 128 << 10;
/// For reports: names of types can be nested deeply.
const LARGE: usize = 64 << 20;

/// A thread's stacks: a guard page, the alternate one, a guard page, the runtime's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stacks(usize);

const SIZE: usize = PAGE + ALTERNATE + PAGE + STACK;

/// Those of threads that have ended.
static SPARE: Mutex<Vec<Stacks>> = Mutex::new(Vec::new());

impl Stacks {
    /// Stacks for a thread; none if there is no room. To be called inside the runtime.
    pub(crate) fn take() -> Option<Self> {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.or_else(|| {
            let start = map(SIZE)?;
            for guard in [start, start + PAGE + ALTERNATE] {
                // SAFETY: pages of the mapping just made.
                unsafe { ::libc::syscall(::libc::SYS_mprotect, guard, PAGE, ::libc::PROT_NONE) };
            }
            Some(Self(start))
        })
    }

    /// Another thread may have them. To be called inside the runtime.
    pub(crate) fn give_back(self) {
        SPARE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self);
    }

    /// Where the runtime's stack begins.
    pub(crate) fn top(self) -> usize {
        self.0 + SIZE
    }

    /// The alternate stack.
    pub(crate) fn alternate(self) -> ::libc::stack_t {
        ::libc::stack_t {
            ss_sp: (self.0 + PAGE) as *mut c_void,
            ss_flags: 0,
            ss_size: ALTERNATE,
        }
    }
}

fn map(size: usize) -> Option<usize> {
    let protection = ::libc::PROT_READ | ::libc::PROT_WRITE;
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS | ::libc::MAP_NORESERVE;
    // SAFETY: a fresh private mapping touches no memory in use.
    let start = unsafe {
        ::libc::syscall(
            ::libc::SYS_mmap,
            0usize,
            size,
            protection,
            flags,
            -1isize,
            0usize,
        )
    };
    (start != -1).then_some(start as usize)
}

/// Where the large one begins; 0 if there is none, or while it is in use.
static LARGE_TOP: AtomicUsize = AtomicUsize::new(0);

/// Sets the large one aside.
pub(crate) fn prepare() {
    if let Some(start) = map(LARGE) {
        // SAFETY: a page of the mapping just made.
        unsafe { ::libc::syscall(::libc::SYS_mprotect, start, PAGE, ::libc::PROT_NONE) };
        LARGE_TOP.store(start + LARGE, Ordering::Release);
    }
}

/// Calls `function` with `argument` on the stack that begins at `top`.
#[unsafe(naked)]
unsafe extern "C" fn call_function_on(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    top: usize,
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdx",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// Runs `f` on the calling thread's stack of the runtime, unless it already executes there or has none.
#[inline]
pub(crate) fn call<R>(f: impl FnOnce() -> R) -> R {
    let top = words::stack();
    if top == 0 {
        return f();
    }
    words::set_stack(0);
    let result = call_on(top, f);
    words::set_stack(top);
    result
}

/// Runs `f` on the large stack, unless it is in use.
pub(crate) fn call_on_large<R>(f: impl FnOnce() -> R) -> R {
    let top = LARGE_TOP.swap(0, Ordering::AcqRel);
    if top == 0 {
        return f();
    }
    let result = call_on(top, f);
    LARGE_TOP.store(top, Ordering::Release);
    result
}

fn call_on<R, F: FnOnce() -> R>(top: usize, f: F) -> R {
    extern "C" fn run<R, F: FnOnce() -> R>(slot: *mut c_void) {
        // SAFETY: what `call_on` passes, which waits for this to return.
        let (f, result) = unsafe { &mut *slot.cast::<(Option<F>, Option<R>)>() };
        *result = f.take().map(|f| f());
    }
    let mut slot = (Some(f), None);
    // SAFETY: the stack is nobody else's meanwhile, and `run` does not unwind: a panic in it aborts.
    unsafe { call_function_on(run::<R, F>, (&raw mut slot).cast(), top) };
    match slot.1 {
        Some(result) => result,
        None => std::process::abort(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_runs_on_the_stack_it_is_given_and_its_result_comes_back() {
        let stacks = Stacks::take().expect("there is room");
        let local = call_on(stacks.top(), || {
            std::hint::black_box(&5) as *const i32 as usize
        });
        let here = call_on(stacks.top(), || {
            let value = 7u64;
            std::ptr::from_ref(std::hint::black_box(&value)).addr()
        });
        assert_ne!(local, 0);
        assert!((stacks.top() - STACK..stacks.top()).contains(&here));
        stacks.give_back();
    }

    #[test]
    fn stacks_of_ended_threads_are_used_again() {
        let first = Stacks::take().expect("there is room");
        first.give_back();
        let again = Stacks::take().expect("there is room");
        again.give_back();
        let spare = SPARE.lock().expect("nobody panicked").len();
        assert!(spare <= 2, "{spare}");
    }
}
