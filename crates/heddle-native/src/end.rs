//! The end of the process, whichever way it comes: the report is written once, and the program's own
//! status stands unless there are findings.
//!
//! The report is written inside the runtime and on a stack of its own. Whoever else wants the process to end
//! meanwhile waits until it is written.

use crate::report::{self, Ending};
use crate::runtime::runtime;
use crate::shim::{behind, export};
use crate::{busy, fork, own_stack, signal};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};

behind! {
    fn execve(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
    fn execv(path: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvp(file: *const c_char, arguments: *const *const c_char) -> c_int, or -1;
    fn execvpe(file: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int, or -1;
    fn quick_exit(status: c_int), or leave(status);
}

unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

/// How long the report may take before a request that comes again ends the process at once. One request may
/// come several times: to the process, to its group, and passed on by its parent.
const PATIENCE_IN_SECONDS: i64 = 5;
/// How long another thread that ends the process waits for the report.
const LONGEST_IN_SECONDS: i64 = 120;
/// The status of a program that could not be checked and would have succeeded.
const UNCHECKED: c_int = 2;

static PREPARED: AtomicBool = AtomicBool::new(false);
/// The thread that writes the report, or has; 0 before.
static REPORTER: AtomicI32 = AtomicI32::new(0);
static WRITTEN: AtomicBool = AtomicBool::new(false);
/// What the report said.
static FAILED: AtomicBool = AtomicBool::new(false);
/// When the first signal came that ends the process, in seconds; 0 before.
static REQUESTED: AtomicI64 = AtomicI64::new(0);
/// What `quick_exit` was called with.
static HASTY: AtomicI32 = AtomicI32::new(0);

/// Arranges for the report to be written.
pub(crate) fn prepare() {
    own_stack::prepare();
    fork::prepare();
    PREPARED.store(true, Ordering::Release);
    signal::prepare();
    arrange_status();
}

/// Arranges for the status of a program that cannot be checked.
pub(crate) fn prepare_unchecked() {
    arrange_status();
}

fn arrange_status() {
    // SAFETY: the handlers live as long as the process.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_exit_in_haste);
    }
}

/// Whether reports are written at signals.
pub(crate) fn is_prepared() -> bool {
    PREPARED.load(Ordering::Acquire)
}

/// Writes the report if nobody has; says whether the process should fail because of it. (An `exec` that
/// fails comes back, and the process ends later.)
fn report_once(ending: Ending) -> bool {
    let Some(runtime) = runtime() else {
        return false;
    };
    if !fork::owns_its_memory() {
        return false;
    }
    let own = thread();
    // Inside before it is the reporter: another signal must not find a report that is as good as begun.
    let busy = busy::begin();
    let other = REPORTER.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire);
    match other {
        Ok(_) => {
            let failed = own_stack::call_on_large(|| report::finish(runtime, ending));
            FAILED.store(failed, Ordering::Release);
            WRITTEN.store(true, Ordering::Release);
        }
        Err(other) if other != own => {
            drop(busy);
            wait_until_written();
        }
        // The report itself has failed, or it is done.
        Err(_) => {}
    }
    FAILED.load(Ordering::Acquire)
}

fn wait_until_written() {
    let since = seconds();
    while !WRITTEN.load(Ordering::Acquire) && seconds() - since < LONGEST_IN_SECONDS {
        busy::pause();
    }
}

fn thread() -> i32 {
    // SAFETY: a plain query.
    unsafe { ::libc::syscall(::libc::SYS_gettid) as i32 }
}

/// What the process ends with if the program wants to end it with `status`.
fn final_status(status: c_int) -> c_int {
    let failed = report_once(Ending::Proper);
    match runtime() {
        _ if status != 0 => status,
        Some(runtime) if failed => runtime.options.exit_status,
        None if crate::runtime::is_refused() => UNCHECKED,
        _ => status,
    }
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    let wanted = final_status(status);
    if wanted != status {
        // SAFETY: what the program has printed is flushed, as `exit` would do after this handler.
        unsafe {
            ::libc::fflush(std::ptr::null_mut());
            leave(wanted);
        }
    }
}

/// `quick_exit` flushes nothing.
extern "C" fn at_exit_in_haste() {
    leave(final_status(HASTY.load(Ordering::Acquire)));
}

fn leave(status: c_int) -> ! {
    // SAFETY: ends the process; the system call itself, because `_exit` is interposed below.
    unsafe { ::libc::syscall(::libc::SYS_exit_group, status) };
    std::process::abort()
}

/// A forked child writes a report of its own.
pub(crate) fn reset() {
    REPORTER.store(0, Ordering::Release);
    WRITTEN.store(false, Ordering::Release);
    FAILED.store(false, Ordering::Release);
    REQUESTED.store(0, Ordering::Release);
}

/// It reports what it finds itself, and not again what its parent had found.
pub(crate) fn forget_findings() {
    if let Some(runtime) = runtime() {
        runtime.engine.forget_races();
        runtime.engine.forget_tears();
        runtime.engine.abandon_recording();
        report::destination::forked(&runtime.options);
        report::unseen::forked();
    }
}

/// A signal ends the process; the report is written first.
pub(crate) fn by_signal(signal: c_int) {
    let now = seconds();
    let first = REQUESTED.compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire);
    if first.is_ok() || !is_overdue() {
        report_once(Ending::Early);
    }
    end_by(signal);
}

/// Whether a signal that ends the process came some time ago.
pub(crate) fn is_overdue() -> bool {
    let first = REQUESTED.load(Ordering::Acquire);
    first != 0 && seconds() - first > PATIENCE_IN_SECONDS
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
    signal::let_it_be(signal);
    // SAFETY: the signal has its default effect and is not blocked: it ends the process as it would have.
    unsafe {
        let mut only: ::libc::sigset_t = std::mem::zeroed();
        ::libc::sigemptyset(&mut only);
        ::libc::sigaddset(&mut only, signal);
        ::libc::pthread_sigmask(::libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
        ::libc::raise(signal);
    }
}

export! {
    ["_exit", "_Exit"] fn exit_now(status: c_int) at _pc {
        leave(final_status(status))
    }

    ["quick_exit"] fn exit_in_haste(status: c_int) at _pc {
        HASTY.store(status, Ordering::Release);
        // SAFETY: as the caller asked.
        unsafe { quick_exit(status) }
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
