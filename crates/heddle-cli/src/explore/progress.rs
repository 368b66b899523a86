//! How far an exploration is: a line on a terminal, nothing in a pipe.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use heddle_explore::Counters;
use indicatif::{ProgressBar, ProgressStyle};

/// Explorations shorter than this need no sign.
const PATIENCE: Duration = Duration::from_millis(700);
const TICK: Duration = Duration::from_millis(100);

/// Watches the counters until it is dropped.
pub struct Watching {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Starts watching, if standard error is a terminal.
    pub fn start(name: &str, counters: &Arc<Counters>) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let thread = io::stderr().is_terminal().then(|| {
            let (done, counters) = (Arc::clone(&done), Arc::clone(counters));
            let name = name.to_owned();
            thread::spawn(move || watch(&name, &counters, &done))
        });
        Self { done, thread }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic over there is no reason for one here.
            let _ = thread.join();
        }
    }
}

fn watch(name: &str, counters: &Counters, done: &AtomicBool) {
    let begin = Instant::now();
    let mut bar = None;
    while !done.load(Ordering::Relaxed) {
        thread::sleep(TICK);
        if begin.elapsed() >= PATIENCE {
            let bar = bar.get_or_insert_with(spinner);
            bar.set_message(format!("exploring {name}: {}", line(counters, begin)));
            bar.tick();
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// `12345 schedules, 678 states, 4.2 %, about 290000 in all, 51000/s`.
fn line(counters: &Counters, begin: Instant) -> String {
    let schedules = counters.schedules.load(Ordering::Relaxed);
    let states = counters.states.load(Ordering::Relaxed);
    let rate = states as f64 / begin.elapsed().as_secs_f64().max(0.001);
    let mut text = format!("{schedules} schedules, {states} states, {rate:.0} states/s");
    let part = part(counters);
    if part > 0.000_01 {
        let all = schedules as f64 / part;
        text += &format!(", {:.1} % (about {all:.0} schedules in all)", 100.0 * part);
    }
    text
}

/// Which part of the tree is done, as far as one can tell.
fn part(counters: &Counters) -> f64 {
    let units = counters.all_units.load(Ordering::Relaxed).max(1) as f64;
    let done = counters.units.load(Ordering::Relaxed) as f64;
    ((done + counters.part.load()) / units).clamp(0.0, 1.0)
}
