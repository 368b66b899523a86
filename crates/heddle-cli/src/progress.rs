//! A sign of life for long checks: a spinner on a terminal, nothing in a pipe.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Checks shorter than this need no sign.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A spinner that appears after a while and goes when stopped or dropped.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts waiting.
    pub fn start(message: String) -> Self {
        if !io::stderr().is_terminal() {
            return Self {
                stop: None,
                thread: None,
            };
        }
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = spinner(message);
            // Ends with the message, or with the sender.
            let _ = stopped.recv();
            bar.finish_and_clear();
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Takes the spinner away for good.
    pub fn stop(&self) {
        if let Some(stop) = &self.stop {
            // An error means that it is gone already.
            let _ = stop.send(());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic over there is no reason for one here.
            let _ = thread.join();
        }
    }
}

fn spinner(message: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}
