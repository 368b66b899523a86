//! A run in which two accesses come in a given order, wherever both orders are possible.
//!
//! A task that is about to make the access that is to come second waits until another task has made the first one to the
//! same location. If nothing else can go on, it waits in vain: then the order does not exist at that location, and it goes
//! on. What tasks read and write is kept.

use super::{Standing, World, alive};
use crate::locations;
use crate::sites::Caller;
use heddle_core::{AccessKind, Awaited, TaskId};
use heddle_report::replayed::{Replayed, Touched, is_at};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Accesses that are kept.
const TOUCHES: usize = 100_000;

/// Locations of one access that are looked at.
const WIDE: u64 = 4096;

/// Which access comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::explore) struct Order {
    /// Positions, as reports print them.
    pub(in crate::explore) first: String,
    pub(in crate::explore) second: String,
    /// Whether tasks that make the same access come in another sequence than they would.
    pub(in crate::explore) is_turned: bool,
}

/// See the module's documentation.
#[derive(Debug)]
pub(in crate::explore) struct Stage {
    order: Order,
    /// Who has made the first access, by location.
    done: FxHashMap<u64, Vec<TaskId>>,
    waiting: Vec<Waiting>,
    /// Those that have waited.
    waited: FxHashSet<(TaskId, u64)>,
    shown: BTreeSet<u64>,
    touches: Vec<Seen>,
    spawned: FxHashMap<TaskId, Spawned>,
    siblings: FxHashMap<(TaskId, Caller), u32>,
}

#[derive(Debug)]
struct Waiting {
    task: TaskId,
    locations: std::ops::Range<u64>,
    turn: Rc<Cell<bool>>,
}

#[derive(Debug)]
struct Seen {
    task: TaskId,
    at: Caller,
    kind: AccessKind,
    location: u64,
    value: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Spawned {
    by: TaskId,
    at: Caller,
    /// How many its creator had made there before.
    number: u32,
}

impl Stage {
    pub(in crate::explore) fn new(order: Order) -> Self {
        Self {
            order,
            done: FxHashMap::default(),
            waiting: Vec::new(),
            waited: FxHashSet::default(),
            shown: BTreeSet::new(),
            touches: Vec::new(),
            spawned: FxHashMap::default(),
            siblings: FxHashMap::default(),
        }
    }

    fn is_done_by_another(&self, location: u64, task: TaskId) -> bool {
        let done = self.done.get(&location);
        done.is_some_and(|done| done.iter().any(|&other| other != task))
    }

    /// What the task waits for before it makes this access, if it has to wait.
    fn wait(
        &mut self,
        task: TaskId,
        locations: std::ops::Range<u64>,
        at: &str,
    ) -> Option<Rc<Cell<bool>>> {
        let Order {
            first,
            second,
            is_turned,
        } = &self.order;
        // Of tasks that make the same access, one waits for another.
        let is_free = first == second
            && (!is_turned
                || self
                    .waiting
                    .iter()
                    .any(|other| overlap(&other.locations, &locations)));
        let mut all = locations.clone();
        let waits = is_at(at, second)
            && !is_free
            && !all.any(|location| self.is_done_by_another(location, task))
            && self.waited.insert((task, locations.start));
        waits.then(|| {
            let turn = Rc::new(Cell::new(false));
            self.waiting.push(Waiting {
                task,
                locations,
                turn: Rc::clone(&turn),
            });
            turn
        })
    }

    /// The task makes the access.
    fn touch(
        &mut self,
        task: TaskId,
        kind: AccessKind,
        locations: std::ops::Range<u64>,
        caller: Caller,
        at: &str,
    ) {
        let is_same = self.order.first == self.order.second;
        if is_at(at, &self.order.second) && !(is_same && self.order.is_turned) {
            let shown = locations.clone();
            let shown: Vec<u64> = shown
                .filter(|&location| self.is_done_by_another(location, task))
                .collect();
            self.shown.extend(shown);
        }
        if is_at(at, &self.order.first) {
            for location in locations.clone() {
                let done = self.done.entry(location).or_default();
                if !done.contains(&task) {
                    done.push(task);
                }
            }
            let is_turned = is_same && self.order.is_turned;
            let shown = &mut self.shown;
            self.waiting.retain(|waiting| {
                let goes_on = waiting.task != task && overlap(&waiting.locations, &locations);
                if goes_on {
                    waiting.turn.set(true);
                }
                if goes_on && is_turned {
                    let both = waiting.locations.clone();
                    shown.extend(both.filter(|location| locations.contains(location)));
                }
                !goes_on
            });
        }
        let room = TOUCHES.saturating_sub(self.touches.len());
        let touches = locations.take(room).map(|location| Seen {
            task,
            at: caller,
            kind,
            location,
            value: None,
        });
        self.touches.extend(touches);
    }

    /// Lets one task go on that waits in vain: whether there is one.
    fn let_go(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        self.waiting.remove(0).turn.set(true);
        true
    }

    fn who(&self, task: TaskId) -> String {
        let Some(spawned) = self.spawned.get(&task) else {
            return "main".into();
        };
        let at = position(spawned.at);
        match self.siblings.get(&(spawned.by, spawned.at)) {
            Some(2..) => format!("task {} of those spawned at {at}", spawned.number + 1),
            _ => format!("the task spawned at {at}"),
        }
    }
}

fn overlap(one: &std::ops::Range<u64>, other: &std::ops::Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

fn position(caller: Caller) -> String {
    format!("{}:{}:{}", caller.file(), caller.line(), caller.column())
}

/// The running task is about to access locations: it may have to wait, in a run with an order.
pub(super) fn before(start: u64, len: u64, caller: Caller) {
    let turn = alive(|world| {
        let task = world.task();
        let stage = world.stage.as_mut()?;
        stage.wait(task, start..start + len.min(WIDE), &position(caller))
    });
    if let Some(turn) = turn.flatten() {
        let awaited = Awaited::Task(TaskId::MAIN);
        super::wait_until(awaited, caller, || turn.get());
    }
}

/// It makes the access.
pub(super) fn made(world: &mut World, kind: AccessKind, start: u64, len: u64, caller: Caller) {
    let task = world.task();
    if let Some(stage) = &mut world.stage {
        let locations = start..start + len.min(WIDE);
        stage.touch(task, kind, locations, caller, &position(caller));
    }
}

/// The running task creates this one.
pub(super) fn spawned(world: &mut World, task: TaskId, at: Caller) {
    let by = world.task();
    if let Some(stage) = &mut world.stage {
        let siblings = stage.siblings.entry((by, at)).or_default();
        let number = *siblings;
        *siblings += 1;
        stage.spawned.insert(task, Spawned { by, at, number });
    }
}

/// The value that the running task has just read or written there.
pub(crate) fn shows(location: u64, value: impl FnOnce() -> String) {
    alive(|world| {
        let task = world.task();
        let seen = world.stage.as_mut()?.touches.iter_mut().rev();
        let mut seen = seen.take(WIDE as usize);
        let seen = seen.find(|seen| seen.location == location && seen.task == task)?;
        seen.value = Some(value());
        Some(())
    });
}

impl Standing {
    /// Lets one task go on that waits for its turn in vain: whether there is one.
    pub(in crate::explore) fn let_go(&mut self) -> bool {
        let stage = self.world_mut().stage.as_mut();
        let is_there = stage.is_some_and(|stage| stage.let_go());
        if is_there {
            self.go_on();
        }
        is_there
    }

    /// What the run did.
    pub(in crate::explore) fn played(&self) -> Replayed {
        let world = self.world();
        let Some(stage) = &world.stage else {
            return Replayed::default();
        };
        let name = |location: u64| world.label(location);
        let touched = |seen: &Seen| Touched {
            strand: (format!("{:016x}", world.name(seen.task)), 0),
            who: stage.who(seen.task),
            at: position(seen.at),
            is_write: seen.kind == AccessKind::Write,
            location: name(seen.location),
            value: seen.value.clone().unwrap_or_else(|| "?".into()),
        };
        let mut ends = FxHashMap::default();
        for seen in &stage.touches {
            if let Some(value) = &seen.value {
                ends.insert(seen.location, value.clone());
            }
        }
        let mut ends: Vec<_> = ends.into_iter().collect();
        ends.sort_unstable();
        Replayed {
            touches: stage.touches.iter().map(touched).collect(),
            ends: ends
                .into_iter()
                .map(|(location, value)| (name(location), value))
                .collect(),
            shown: stage.shown.iter().map(|&location| name(location)).collect(),
            stopped: None,
        }
    }
}

impl World {
    fn label(&self, location: u64) -> String {
        let inside = self.common().numbers.label(location);
        let known = inside.or_else(|| locations::labels(&[location]).pop().flatten());
        match known {
            None => format!("location {location}"),
            Some(known) => match known.index {
                None => known.label.to_string(),
                Some(index) => format!("{}[{index}]", known.label),
            },
        }
    }
}
