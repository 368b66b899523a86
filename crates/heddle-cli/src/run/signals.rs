//! A signal sent to `heddle run` is meant for the program.
//!
//! What the terminal sends (Ctrl-C) reaches the whole foreground group, the program included; that
//! is only survived. What another process sends to this one is passed on.

use std::io;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;

/// Signals that are caught, but not yet passed on.
pub struct Relay(SignalsInfo<WithOrigin>);

impl Relay {
    /// Catches signals from now on. They stay pending until there is someone to pass them to.
    pub fn prepare() -> io::Result<Self> {
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
        SignalsInfo::new(signals).map(Self)
    }

    /// Passes signals on to the process of this number, for the rest of this one's life.
    pub fn start(mut self, process: u32) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        thread::spawn(move || {
            for origin in self.0.forever() {
                // The terminal's signals have no sender.
                if origin.process.is_some() {
                    pass_on(process, origin.signal);
                }
            }
        });
    }
}

fn pass_on(process: Option<Pid>, signal: i32) {
    if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(signal)) {
        // It may just have ended.
        let _ = kill_process(process, signal);
    }
}
