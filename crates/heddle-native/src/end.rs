//! The end of the process, whichever way it comes: the report is written once, and the program's own
//! status stands unless there are findings.

use crate::report::{self, Ending};
use crate::runtime::runtime;
use crate::shim::{behind, export};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

behind! {
    fn execve(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
    fn execv(path: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvp(file: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvpe(file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
}

unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

/// Signals that end a process because of what it did, and that programs seldom handle.
const FATAL: [c_int; 5] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGFPE,
    ::libc::SIGILL,
    ::libc::SIGABRT,
];

/// Signals by which others ask a process to end.
const REQUESTS: [c_int; 3] = [::libc::SIGTERM, ::libc::SIGINT, ::libc::SIGHUP];

/// How long the report may take before a request that comes again ends the process at once. One request may
/// come several times: to the process, to its group, and passed on by its parent.
const PATIENCE_IN_SECONDS: i64 = 5;

static REPORTED: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicBool = AtomicBool::new(false);
/// What the report said.
static FAILED: AtomicBool = AtomicBool::new(false);
/// When the first request came, in seconds; 0 before.
static REQUESTED: AtomicI64 = AtomicI64::new(0);

/// Arranges for the report to be written.
pub(crate) fn prepare() {
    // SAFETY: the handlers live as long as the process.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_exit_in_haste);
        ::libc::pthread_atfork(None, None, Some(in_child));
    }
    for signal in FATAL {
        catch(signal, at_signal, ::libc::SA_RESETHAND | ::libc::SA_NODEFER);
    }
    for signal in REQUESTS {
        catch(signal, at_request, 0);
    }
}

/// Writes the report if nobody has; says whether the process should fail because of it. (An `exec` that
/// fails comes back, and the process ends later.)
fn report_once(ending: Ending) -> bool {
    let Some(runtime) = runtime() else {
        return false;
    };
    if REPORTED.swap(true, Ordering::AcqRel) {
        return FAILED.load(Ordering::Acquire);
    }
    let failed = report::finish(runtime, ending);
    FAILED.store(failed, Ordering::Release);
    WRITTEN.store(true, Ordering::Release);
    failed
}

fn failure() -> c_int {
    runtime().map_or(1, |runtime| runtime.options.exit_status)
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if report_once(Ending::Proper) && status == 0 {
        // SAFETY: what the program has printed is flushed, as `exit` would do after this handler.
        unsafe {
            ::libc::fflush(std::ptr::null_mut());
            leave(failure());
        }
    }
}

/// `quick_exit` tells no status and flushes nothing.
extern "C" fn at_exit_in_haste() {
    if report_once(Ending::Proper) {
        leave(failure());
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
    WRITTEN.store(false, Ordering::Release);
    FAILED.store(false, Ordering::Release);
    if let Some(runtime) = runtime() {
        runtime.engine.forget_races();
        runtime.engine.forget_tears();
        runtime.engine.abandon_recording();
    }
}

fn catch(signal: c_int, handler: extern "C" fn(c_int), flags: c_int) {
    // SAFETY: installs a handler only where the default stands; `sigaction` is given values we own.
    unsafe {
        let mut before: ::libc::sigaction = std::mem::zeroed();
        ::libc::sigaction(signal, std::ptr::null(), &mut before);
        if before.sa_sigaction != ::libc::SIG_DFL {
            return;
        }
        let mut ours: ::libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler as *const () as usize;
        ours.sa_flags = flags;
        ::libc::sigaction(signal, &ours, std::ptr::null_mut());
    }
}

/// The default disposition has been restored by then: the signal, sent again, ends the process.
extern "C" fn at_signal(signal: c_int) {
    report_once(Ending::Early);
    // SAFETY: ends the process as the signal would have.
    unsafe { ::libc::raise(signal) };
}

/// Another thread may be writing the report already; the process ends when it is done.
extern "C" fn at_request(signal: c_int) {
    let now = seconds();
    let first = REQUESTED.compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire);
    report_once(Ending::Early);
    let is_late = first.is_err_and(|first| now - first > PATIENCE_IN_SECONDS);
    if WRITTEN.load(Ordering::Acquire) || runtime().is_none() || is_late {
        end_by(signal);
    }
}

fn seconds() -> i64 {
    let mut now = ::libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes what we own.
    unsafe { ::libc::clock_gettime(::libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec + 1
}

fn end_by(signal: c_int) {
    // SAFETY: the default disposition, and the signal not blocked: it ends the process as it would have.
    unsafe {
        ::libc::signal(signal, ::libc::SIG_DFL);
        let mut only: ::libc::sigset_t = std::mem::zeroed();
        ::libc::sigemptyset(&mut only);
        ::libc::sigaddset(&mut only, signal);
        ::libc::pthread_sigmask(::libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
        ::libc::raise(signal);
    }
}

export! {
    ["_exit", "_Exit"] fn exit_now(status: c_int) at _pc {
        let failed = report_once(Ending::Proper);
        leave(if failed && status == 0 { failure() } else { status })
    }

    ["execve"] fn exec_environment(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) at _pc -> c_int {
        report_once(Ending::Proper);
        // SAFETY: as the caller asked.
        unsafe { execve(path, arguments, environment) }
    }

    ["execv"] fn exec_plain(path: *const c_char, arguments: *const *const c_char) at _pc -> c_int {
        report_once(Ending::Proper);
        // SAFETY: as the caller asked.
        unsafe { execv(path, arguments) }
    }

    ["execvp"] fn exec_file(file: *const c_char, arguments: *const *const c_char) at _pc -> c_int {
        report_once(Ending::Proper);
        // SAFETY: as the caller asked.
        unsafe { execvp(file, arguments) }
    }

    ["execvpe"] fn exec_file_environment(file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) at _pc -> c_int {
        report_once(Ending::Proper);
        // SAFETY: as the caller asked.
        unsafe { execvpe(file, arguments, environment) }
    }
}
