//! A process that makes another one.
//!
//! `fork` copies memory but one thread: what other threads hold stays held for ever in the child. So it waits
//! until they have left the runtime ([`crate::busy`]). A child reports what it finds itself.
//!
//! `vfork`, and what libraries make of it (`posix_spawn`, `system`, `popen`), lets the child run in its parent's
//! memory until it starts a program: such a child is told from its parent by its number, reports nothing, and
//! leaves no mark. A child that was made past the C library has memory of its own, but did not come by our
//! handlers; a page that the system clears in such a child gives it away. It reports what its parent had found
//! once more, rather than losing what it found itself.

use crate::busy::{self, Side};
use crate::end;
use crate::reclaim;
use crate::thread::Thread;
use crate::words;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// The process that the memory belongs to.
static OWNER: AtomicI32 = AtomicI32::new(0);
/// Holds 1 where it was written, and 0 in a forked child.
static MARK: AtomicPtr<AtomicI32> = AtomicPtr::new(std::ptr::null_mut());

const PAGE: usize = 4096;

/// Watches over forks from now on.
pub(crate) fn prepare() {
    OWNER.store(process(), Ordering::Release);
    make_mark();
    // SAFETY: the handlers stay loaded.
    unsafe { ::libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// Whether this process has memory of its own, so that what it finds is its own.
pub(crate) fn owns_its_memory() -> bool {
    if process() == OWNER.load(Ordering::Acquire) {
        return true;
    }
    // SAFETY: null, or a page that is never unmapped.
    let mark = unsafe { MARK.load(Ordering::Acquire).as_ref() };
    let is_forked = mark.is_some_and(|mark| mark.load(Ordering::Acquire) == 0);
    if is_forked {
        own();
        end::reset();
    }
    is_forked
}

fn process() -> i32 {
    // SAFETY: a plain query. The system call itself: what the C library remembers may be the parent's.
    unsafe { ::libc::syscall(::libc::SYS_getpid) as i32 }
}

fn make_mark() {
    let protection = ::libc::PROT_READ | ::libc::PROT_WRITE;
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, and advice about it. Where the advice is not taken, there is no mark.
    unsafe {
        let page = ::libc::mmap(std::ptr::null_mut(), PAGE, protection, flags, -1, 0);
        if page != ::libc::MAP_FAILED && ::libc::madvise(page, PAGE, ::libc::MADV_WIPEONFORK) == 0 {
            let mark = page.cast::<AtomicI32>();
            (*mark).store(1, Ordering::Release);
            MARK.store(mark, Ordering::Release);
        }
    }
}

extern "C" fn before() {
    busy::close_gate();
}

extern "C" fn in_parent() {
    busy::open_gate(Side::Parent);
}

/// This process is a copy of the one that made it: what that one had found is not its own.
extern "C" fn in_child() {
    own();
    end::reset();
    end::forget_findings();
    let thread = words::record() as *mut Thread;
    // SAFETY: null, or the record of the one thread that there is.
    if let Some(thread) = unsafe { thread.as_mut() } {
        thread.cache.forget_races();
    }
    reclaim::keep_only(thread);
    busy::open_gate(Side::Child);
}

/// The memory is this process's own.
fn own() {
    OWNER.store(process(), Ordering::Release);
    // SAFETY: null, or a page that is never unmapped.
    if let Some(mark) = unsafe { MARK.load(Ordering::Acquire).as_ref() } {
        mark.store(1, Ordering::Release);
    }
}
