//! Ctrl-C during an exploration: it stops, says what was covered, and the process ends.

use super::exploration::Exploration;

/// While one lives, an interrupt is noted instead of ending the process, unless the program has its own way to deal with
/// one.
pub(super) struct Watched(());

/// See [`Watched`].
pub(super) fn watched() -> Watched {
    signals::begin();
    Watched(())
}

impl Drop for Watched {
    fn drop(&mut self) {
        signals::end();
    }
}

/// Whether there was an interrupt.
pub(super) fn came() -> bool {
    signals::came()
}

/// Says what was covered, and ends the process.
pub(super) fn end(exploration: &Exploration) -> ! {
    eprintln!("\n{exploration}interrupted");
    std::process::exit(signals::STATUS)
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// As a shell has it for a process that an interrupt ended.
    pub(super) const STATUS: i32 = 128 + libc::SIGINT;

    static CAME: AtomicBool = AtomicBool::new(false);
    /// How many explorations go on.
    static EXPLORED: Mutex<usize> = Mutex::new(0);

    extern "C" fn interrupted(_: libc::c_int) {
        if CAME.swap(true, Ordering::Relaxed) {
            // SAFETY: may be called in a signal handler.
            unsafe { libc::_exit(STATUS) };
        }
    }

    fn handler() -> libc::sighandler_t {
        interrupted as extern "C" fn(libc::c_int) as libc::sighandler_t
    }

    /// Replaces one way to deal with interrupts by another, if it is that one.
    fn replace(old: libc::sighandler_t, new: libc::sighandler_t) {
        // SAFETY: only the calling thread sets handlers of ours; both are valid, and ours may run at any time.
        unsafe {
            let present = libc::signal(libc::SIGINT, new);
            if present != old && present != libc::SIG_ERR {
                libc::signal(libc::SIGINT, present);
            }
        }
    }

    fn explored() -> MutexGuard<'static, usize> {
        EXPLORED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin() {
        let mut explored = explored();
        if *explored == 0 {
            replace(libc::SIG_DFL, handler());
        }
        *explored += 1;
    }

    pub(super) fn end() {
        let mut explored = explored();
        *explored -= 1;
        if *explored == 0 {
            replace(handler(), libc::SIG_DFL);
        }
    }

    pub(super) fn came() -> bool {
        CAME.load(Ordering::Relaxed)
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) const STATUS: i32 = 1;

    pub(super) fn begin() {}

    pub(super) fn end() {}

    pub(super) fn came() -> bool {
        false
    }
}
