//! A schedule, told step by step.

use super::numbers::Numbers;
use heddle_core::{Awaited, Event, LockId, SiteId, TaskId};
use heddle_explore::{Choice, Operation};
use std::fmt::Write;

/// The choices of a run and what came of it, one line each.
pub(super) fn told(
    numbers: &Numbers,
    events: &[Event],
    steps: &[(Option<Choice>, Vec<Event>)],
) -> String {
    let teller = Teller::new(numbers, events);
    let mut text = String::from("replay:\n");
    let chosen = steps.iter();
    let chosen = chosen.filter_map(|(choice, events)| Some(((*choice)?, events)));
    for (number, (choice, events)) in (1..).zip(chosen) {
        let what = match choice.operation {
            Operation::Acquire(LockId::ISOLATED) => "enters an isolated section".to_owned(),
            Operation::Acquire(lock) => format!("takes {}", teller.lock(lock)),
            Operation::Join { task, .. } => {
                format!("goes on with the end of {}", teller.task(task))
            }
        };
        let at = place(events).map_or(String::new(), |site| format!(" at {}", teller.at(site)));
        let _ = writeln!(text, "{number:>4}. {} {what}{at}", teller.task(choice.task));
    }
    for event in events {
        let _ = match *event {
            Event::AssertionFailed { site } => {
                let panic = numbers.panic_at(site);
                let message = panic.map_or(String::new(), |panic| panic.message);
                writeln!(
                    text,
                    "      a task panics at {}: {message}",
                    teller.at(site)
                )
            }
            Event::Stuck {
                task,
                awaited,
                site,
            } => {
                let (task, at) = (teller.task(task), teller.at(site));
                writeln!(
                    text,
                    "      {task} waits for {} at {at}",
                    teller.awaited(awaited)
                )
            }
            _ => Ok(()),
        };
    }
    text
}

/// Where the first section of a step begins.
fn place(events: &[Event]) -> Option<SiteId> {
    events.iter().find_map(|event| match event {
        Event::Acquire { site, .. } => Some(*site),
        _ => None,
    })
}

struct Teller<'a> {
    numbers: &'a Numbers,
    locks: Vec<String>,
    positions: Vec<String>,
    /// Where each task was spawned; row `n` is task `n + 1`.
    spawned: Vec<SiteId>,
}

impl<'a> Teller<'a> {
    fn new(numbers: &'a Numbers, events: &[Event]) -> Self {
        let legend = numbers.sites.legend();
        let position = |site: &heddle_core::Site| {
            let file = legend.file(site.file).map_or("?", |file| &file.path);
            format!("{file}:{}:{}", site.line, site.column)
        };
        let spawned = events.iter().filter_map(|event| match event {
            Event::Spawn { site, .. } => Some(*site),
            _ => None,
        });
        Self {
            numbers,
            locks: numbers.lock_names(),
            positions: legend.sites.iter().map(position).collect(),
            spawned: spawned.collect(),
        }
    }

    fn at(&self, site: SiteId) -> String {
        if let Some(panic) = self.numbers.panic_at(site) {
            return format!("{}:{}:{}", panic.file, panic.line, panic.column);
        }
        let known = self.positions.get(site.index());
        known.map_or("?", String::as_str).to_owned()
    }

    fn task(&self, task: TaskId) -> String {
        let row = task.index().checked_sub(1);
        match row.and_then(|row| self.spawned.get(row)) {
            None => "main".to_owned(),
            Some(&site) => format!("task #{} (spawned at {})", task.index(), self.at(site)),
        }
    }

    fn lock(&self, lock: LockId) -> String {
        let row = lock.index().checked_sub(1);
        let name = row.and_then(|row| self.locks.get(row));
        name.cloned().unwrap_or_else(|| "a lock".into())
    }

    fn awaited(&self, awaited: Awaited) -> String {
        match awaited {
            Awaited::Lock(LockId::ISOLATED) => "another isolated section to end".into(),
            Awaited::Lock(lock) => self.lock(lock),
            Awaited::Task(task) => format!("the end of {}", self.task(task)),
            _ => "tasks to end".into(),
        }
    }
}
