//! A signal sent to `heddle run` is meant for the program.
//!
//! What the terminal sends (Ctrl-C) reaches the whole foreground group, the program included; that
//! is only survived. What another process sends to this one is passed on. When the program has ended, signals are
//! meant for this process again, which may have long to judge.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::emulate_default_handler;

/// Signals that are caught, but not yet passed on.
pub struct Relay(SignalsInfo<WithOrigin>);

impl Relay {
    /// Catches signals from now on. They stay pending until there is someone to pass them to.
    pub fn prepare() -> io::Result<Self> {
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
        SignalsInfo::new(signals).map(Self)
    }

    /// Passes signals on to the process of this number, until that has ended.
    pub fn start(mut self, process: u32) -> Passing {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        let passing = Passing(Arc::new(AtomicBool::new(false)));
        let has_ended = Arc::clone(&passing.0);
        thread::spawn(move || {
            for origin in self.0.forever() {
                if has_ended.load(Ordering::Acquire) {
                    // It fails for signals that cannot be had, and those do not come.
                    let _ = emulate_default_handler(origin.signal);
                } else if origin.process.is_some() {
                    // The terminal's signals have no sender.
                    pass_on(process, origin.signal);
                }
            }
        });
        passing
    }
}

/// Signals that are passed on.
#[derive(Debug)]
pub struct Passing(Arc<AtomicBool>);

impl Passing {
    /// The process has ended: its number may soon be another's.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }
}

fn pass_on(process: Option<Pid>, signal: i32) {
    if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(signal)) {
        // It may just have ended.
        let _ = kill_process(process, signal);
    }
}
