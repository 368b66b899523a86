//! The end of the process, whichever way it comes: the report is written once, and the program's own
//! status stands unless there are findings.

use crate::report;
use crate::runtime::runtime;
use crate::shim::{behind, export};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

behind! {
    fn execve(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
    fn execv(path: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvp(file: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvpe(file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
}

unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Signals that end a process and that programs seldom handle.
const FATAL: [c_int; 8] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGFPE,
    ::libc::SIGILL,
    ::libc::SIGABRT,
    ::libc::SIGTERM,
    ::libc::SIGINT,
    ::libc::SIGHUP,
];

static REPORTED: AtomicBool = AtomicBool::new(false);

/// Arranges for the report to be written.
pub(crate) fn prepare() {
    // SAFETY: the handlers live as long as the process.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        ::libc::pthread_atfork(None, None, Some(in_child));
    }
    FATAL.into_iter().for_each(catch);
}

/// Writes the report if nobody has; says whether the process should fail because of it.
fn report_once() -> bool {
    let Some(runtime) = runtime() else { return false };
    if REPORTED.swap(true, Ordering::AcqRel) {
        return false;
    }
    report::finish(runtime)
}

fn failure() -> c_int {
    runtime().map_or(1, |runtime| runtime.options.exit_status)
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if report_once() && status == 0 {
        // SAFETY: what the program has printed is flushed, as `exit` would do after this handler.
        unsafe {
            ::libc::fflush(std::ptr::null_mut());
            leave(failure());
        }
    }
}

fn leave(status: c_int) -> ! {
    // SAFETY: ends the process; the system call itself, because `_exit` is interposed below.
    unsafe { ::libc::syscall(::libc::SYS_exit_group, status) };
    std::process::abort()
}

/// A forked child reports what it finds itself, and not again what its parent had found.
extern "C" fn in_child() {
    REPORTED.store(false, Ordering::Release);
    if let Some(runtime) = runtime() {
        runtime.engine.forget_races();
    }
}

fn catch(signal: c_int) {
    // SAFETY: installs a handler only where the default stands; `sigaction` is given values we own.
    unsafe {
        let mut before: ::libc::sigaction = std::mem::zeroed();
        ::libc::sigaction(signal, std::ptr::null(), &mut before);
        if before.sa_sigaction != ::libc::SIG_DFL {
            return;
        }
        let mut ours: ::libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = at_signal as *const () as usize;
        ours.sa_flags = ::libc::SA_RESETHAND | ::libc::SA_NODEFER;
        ::libc::sigaction(signal, &ours, std::ptr::null_mut());
    }
}

/// The default disposition has been restored by then: the signal, sent again, ends the process.
extern "C" fn at_signal(signal: c_int) {
    report_once();
    // SAFETY: ends the process as the signal would have.
    unsafe { ::libc::raise(signal) };
}

export! {
    ["_exit", "_Exit"] fn exit_now(status: c_int) at _pc {
        let failed = report_once();
        leave(if failed && status == 0 { failure() } else { status })
    }

    ["execve"] fn exec_environment(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) at _pc -> c_int {
        report_once();
        // SAFETY: as the caller asked.
        unsafe { execve(path, arguments, environment) }
    }

    ["execv"] fn exec_plain(path: *const c_char, arguments: *const *const c_char) at _pc -> c_int {
        report_once();
        // SAFETY: as the caller asked.
        unsafe { execv(path, arguments) }
    }

    ["execvp"] fn exec_file(file: *const c_char, arguments: *const *const c_char) at _pc -> c_int {
        report_once();
        // SAFETY: as the caller asked.
        unsafe { execvp(file, arguments) }
    }

    ["execvpe"] fn exec_file_environment(file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) at _pc -> c_int {
        report_once();
        // SAFETY: as the caller asked.
        unsafe { execvpe(file, arguments, environment) }
    }
}
