//! What the C++ library orders inside itself: the counts of exceptions that several threads hold.
//!
//! An exception that went through a future belongs to all who have a pointer to it or handle it. Whoever drops it last
//! destroys it, after all others have dropped it. The count is the library's, out of sight, so dropping is
//! taken over: it comes after the drops before it, by a hand-off.
//!
//! Layouts are those of the Itanium C++ ABI as GNU's library has them on x86-64.

use crate::hand_off;
use crate::shim::{behind, export};
use crate::thread;
use std::sync::atomic::{AtomicI32, Ordering};

behind! {
    if present;
    fn __cxa_end_catch(), or ();
    fn __cxa_get_globals() -> *const Globals, or std::ptr::null();
    fn _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pointer: *mut usize), or ();
}

/// What a thread handles.
#[repr(C)]
pub(crate) struct Globals {
    caught: *const Header,
    uncaught: u32,
}

/// What lies before an exception, or before what refers to one that another thread has, too.
#[repr(C)]
struct Header {
    /// The exception referred to; of the exception itself, its type.
    primary: usize,
    between: [usize; 9],
    class: u64,
    unwinding: [u64; 3],
}

/// The last byte of `class` where the header refers to another thread's exception.
const REFERS: u64 = 1;
/// The bytes from the count to the exception.
const COUNT: usize = size_of::<Header>() + 16;

impl Header {
    /// The exception, and whether it is one of the C++ library's.
    fn exception(&self) -> Option<usize> {
        let (name, kind) = (self.class >> 8, self.class & 0xff);
        match (name == 0x47_4e_55_43_43_2b_2b, kind) {
            (true, REFERS) => Some(self.primary),
            (true, 0) => Some(std::ptr::from_ref(self) as usize + size_of::<Self>()),
            _ => None,
        }
    }
}

/// The thread is about to drop its share of an exception.
unsafe fn drops(exception: usize) {
    // SAFETY: an exception's count lies before it, and the caller still has a share.
    let count = unsafe { AtomicI32::from_ptr((exception - COUNT) as *mut i32) };
    let is_shared = count.load(Ordering::Acquire) > 1;
    if !is_shared && !hand_off::any() {
        return;
    }
    thread::enter(|runtime, thread| {
        let mut entry = hand_off::lock(exception);
        if let Some(dropped) = entry.get() {
            dropped.acquire(runtime, thread);
        }
        match is_shared {
            true => entry.entry().add(runtime, thread),
            // The next exception at this place is another.
            false => entry.get().into_iter().for_each(|dropped| dropped.clear()),
        }
    });
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["__cxa_end_catch"] fn end_catch() at _pc {
        // SAFETY: see above. The thread's globals are valid, and so is the header of what it handles.
        unsafe {
            let caught = __cxa_get_globals().as_ref().and_then(|globals| globals.caught.as_ref());
            if let Some(exception) = caught.and_then(Header::exception) {
                drops(exception);
            }
            __cxa_end_catch();
        }
    }

    ["_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"] fn release_exception(pointer: *mut usize) at _pc {
        // SAFETY: see above. The pointer has a share of the exception, if it has one.
        unsafe {
            if *pointer != 0 {
                drops(*pointer);
            }
            _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pointer);
        }
    }
}
