//! A schedule in words: who does what, step by step.

use heddle_core::{AccessKind, Event, Legend, Location, LockId, NameId, Shape, SiteId, TaskId};
use heddle_explore::{Choice, Operation};
use heddle_report::Step;

/// Accesses of a step that are named.
const NAMED: usize = 6;

/// What locations are called, as far as steps speak of them.
#[derive(Default)]
pub struct Places {
    /// Start, length, name, whether elements have numbers. The latest counts.
    objects: Vec<(u64, u64, Option<NameId>, bool)>,
    /// Names of locks from lock 1 on.
    locks: Vec<NameId>,
}

impl Places {
    /// Follows the run.
    pub fn on(&mut self, event: Event) {
        match event {
            Event::Declare {
                extent,
                name,
                shape,
            } => {
                let numbered = shape == Shape::Array;
                self.objects
                    .push((extent.start.0, extent.len, Some(name), numbered));
            }
            Event::Alloc { extent, name, .. } => {
                self.objects.push((extent.start.0, extent.len, name, true));
            }
            Event::Bind { start, name } => {
                let mut objects = self.objects.iter_mut().rev();
                if let Some(object) = objects.find(|object| object.0 == start.0) {
                    object.2 = Some(name);
                }
            }
            Event::DeclareLock { name, .. } => self.locks.push(name),
            _ => {}
        }
    }

    fn lock<'l>(&self, lock: LockId, legend: &'l Legend) -> &'l str {
        let row = lock.index().checked_sub(1);
        let name = row.and_then(|row| self.locks.get(row));
        name.and_then(|name| legend.name(*name)).unwrap_or("?")
    }

    /// What the location is called.
    pub fn name(&self, location: Location, legend: &Legend) -> String {
        let mut objects = self.objects.iter().rev();
        let found = objects
            .find(|(start, len, ..)| location.0 >= *start && location.0 - start < (*len).max(1));
        let Some(&(start, _, name, numbered)) = found else {
            return format!("location {}", location.0);
        };
        let name = name
            .and_then(|name| legend.name(name))
            .unwrap_or("a new array");
        match numbered {
            true => format!("{name}[{}]", location.0 - start),
            false => name.to_owned(),
        }
    }
}

/// One transition in words.
pub fn step(
    choice: Choice,
    events: &[Event],
    places: &Places,
    value: impl Fn(Location) -> Option<i64>,
    legend: &Legend,
) -> Step {
    let (mut text, site) = operation(choice, events, places, legend);
    let accesses = accesses(choice.task, events);
    let mut named: Vec<String> = Vec::new();
    for &(location, kind) in accesses.iter().take(NAMED) {
        let name = places.name(location, legend);
        named.push(match (kind, value(location)) {
            (AccessKind::Read, _) => format!("reads {name}"),
            (AccessKind::Write, Some(value)) => format!("sets {name} = {value}"),
            (AccessKind::Write, None) => format!("writes {name}"),
        });
    }
    if accesses.len() > NAMED {
        named.push(format!("and {} more", accesses.len() - NAMED));
    }
    if !named.is_empty() {
        text += &format!(": {}", named.join(", "));
    }
    let ends = |event: &Event| matches!(event, Event::End { task } if *task == choice.task);
    if events.iter().any(ends) {
        text += "; ends";
    }
    Step {
        text,
        task: choice.task,
        site,
    }
}

fn operation(
    choice: Choice,
    events: &[Event],
    places: &Places,
    legend: &Legend,
) -> (String, Option<SiteId>) {
    let at = |site: Option<SiteId>| {
        let site = site.and_then(|site| legend.site(site));
        site.map_or(String::new(), |site| {
            format!(" at {}:{}", site.line, site.column)
        })
    };
    match choice.operation {
        Operation::Acquire(lock) => {
            let site = events.iter().find_map(|event| match event {
                Event::Acquire { site, .. } => Some(*site),
                _ => None,
            });
            let what = match lock {
                LockId::ISOLATED => "enters isolated".into(),
                _ => format!("takes lock {}", places.lock(lock, legend)),
            };
            (format!("{what}{}", at(site)), site)
        }
        Operation::Join { task, .. } => {
            let site = events.iter().find_map(|event| match event {
                Event::Join { site, .. } => Some(*site),
                _ => None,
            });
            (
                format!("takes task #{} by ewait{}", task.index(), at(site)),
                site,
            )
        }
    }
}

/// What the task touched, each location and kind once.
fn accesses(task: TaskId, events: &[Event]) -> Vec<(Location, AccessKind)> {
    let mut running = task;
    let mut found = Vec::new();
    for event in events {
        let (extent, kind) = match event {
            Event::Begin { task } | Event::Resume { task } => {
                running = *task;
                continue;
            }
            Event::Read { extent, .. } => (extent, AccessKind::Read),
            Event::Write { extent, .. } => (extent, AccessKind::Write),
            _ => continue,
        };
        let access = (extent.start, kind);
        if running == task && !found.contains(&access) {
            found.push(access);
        }
    }
    found
}
