//! Messages to the user.
//!
//! Where nobody reads any more (a closed pipe) or a file may not grow, a write sends a signal that ends the process. For
//! what we write that must not be: it would change how the program ends.

use crate::busy;
use std::io::{self, Write};

/// One line on standard error. If it cannot be written, there is nobody to tell.
pub(crate) fn line(text: &str) {
    let _ = write(format!("{text}\n").as_bytes());
}

/// Writes to standard error.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    without_signals(|| io::stderr().write_all(bytes))
}

/// Makes a write of ours; if it fails, there is an error and no signal.
pub(crate) fn without_signals<R>(write: impl FnOnce() -> R) -> R {
    let before = busy::set_mask(u64::MAX);
    let sent_before = pending();
    let result = write();
    for signal in [::libc::SIGPIPE, ::libc::SIGXFSZ] {
        let set = 1u64 << (signal - 1);
        if pending() & !sent_before & set != 0 {
            take_back(set);
        }
    }
    busy::set_mask(before);
    result
}

/// The signals that wait to be let through.
fn pending() -> u64 {
    let mut set = 0u64;
    // SAFETY: a place for a mask of the size that the system knows.
    unsafe {
        let size = size_of::<u64>();
        ::libc::syscall(::libc::SYS_rt_sigpending, &raw mut set, size);
    }
    set
}

/// A signal of this set, which waits, is gone afterwards.
fn take_back(set: u64) {
    let at_once = ::libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let unwanted = std::ptr::null_mut::<::libc::siginfo_t>();
    // SAFETY: a mask of the size that the system knows; what the signal says is not asked for.
    crate::shim::keeping_errno(|| unsafe {
        ::libc::syscall(
            ::libc::SYS_rt_sigtimedwait,
            &raw const set,
            unwanted,
            &raw const at_once,
            size_of::<u64>(),
        )
    });
}

/// A line made like that of `format!`.
macro_rules! say {
    ($($part:tt)*) => {
        $crate::say::line(&format!($($part)*))
    };
}

pub(crate) use say;
