//! What goes on beside a long exploration: a line on the terminal, and looking for Ctrl-C.

use super::findings::plural;
use super::interrupt;
use heddle_explore::Counters;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Explorations that are over sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(250);

/// Does the work, shows how far it is if somebody can see it, and sets `stop` at an interrupt.
pub(super) fn shown<R>(counters: &Counters, stop: &AtomicBool, work: impl FnOnce() -> R) -> R {
    let _watched = interrupt::watched();
    let is_seen = stderr().is_terminal();
    let begin = Instant::now();
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut is_shown = false;
            while is_done.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if interrupt::came() {
                    stop.store(true, Ordering::Relaxed);
                }
                if is_seen && begin.elapsed() >= PATIENCE {
                    is_shown = true;
                    // Nobody is left to tell that it cannot be shown.
                    let _ = write!(stderr(), "\r\x1b[K{}", line(counters, begin.elapsed()));
                }
            }
            if is_shown {
                let _ = write!(stderr(), "\r\x1b[K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

fn line(counters: &Counters, elapsed: Duration) -> String {
    let schedules = counters.schedules.load(Ordering::Relaxed);
    let rate = schedules as f64 / elapsed.as_secs_f64().max(0.001);
    let units = counters.units.load(Ordering::Relaxed) as f64;
    let all = counters.all_units.load(Ordering::Relaxed).max(1) as f64;
    let part = ((units + counters.part.load()) / all).min(1.0);
    let estimate = match part > 0.001 {
        true => format!(" of about {:.0}", schedules as f64 / part),
        false => String::new(),
    };
    format!(
        "exploring: {}{estimate}, {rate:.0}/s",
        plural(schedules, "schedule")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_is_done_an_estimate_of_the_whole_and_the_rate() {
        let counters = Counters::default();
        counters.schedules.store(100, Ordering::Relaxed);
        counters.units.store(1, Ordering::Relaxed);
        counters.all_units.store(4, Ordering::Relaxed);
        let line = line(&counters, Duration::from_secs(2));
        assert_eq!(line, "exploring: 100 schedules of about 400, 50/s");
    }
}
