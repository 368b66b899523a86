//! The reference for *certain*: all reorderings of one run in which every task still reads what it read.
//!
//! A state is how far each task has come. From it any task may make its next step of the run if task order and locks
//! allow it and, where the step reads, if the values are those it read. (That memory is given out anew is no value, unless
//! a critical section reads it.) A location has a *predictable* race if in some state that can be reached two tasks are both about to touch it, one of them to write. Far too slow, and
//! obviously right: every event is the run's own, and nothing is left out but what comes later.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use heddle_core::{
    AccessKind, Event, Extent, FinishId, Location, LockId, LockMode, TaskId, TokenId,
};

/// States after which the search is given up.
const STATES: usize = 500;

/// The locations with a predictable race; none if there are too many states to tell.
pub fn predictable_races(events: &[Event]) -> Option<BTreeSet<Location>> {
    let run = Run::of(events);
    let mut racy = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut work = vec![State::start(&run)];
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > STATES {
            return None;
        }
        state.races(&run, &mut racy);
        for task in 0..run.tasks.len() {
            work.extend(state.step(&run, task));
        }
    }
    Some(racy)
}

/// One event of a task, with the events that task order puts before it.
struct Step {
    at: usize,
    event: Event,
    after: Vec<usize>,
    /// The event that wrote each location it reads.
    sees: BTreeMap<Location, Option<usize>>,
}

struct Run {
    tasks: Vec<Vec<Step>>,
}

#[derive(Default)]
struct Builder {
    rows: BTreeMap<TaskId, usize>,
    spawns: BTreeMap<TaskId, usize>,
    ends: BTreeMap<TaskId, usize>,
    members: BTreeMap<FinishId, Vec<TaskId>>,
    signals: BTreeMap<TokenId, Vec<usize>>,
    writers: BTreeMap<Location, usize>,
    /// Given out anew, and not written since.
    fresh: BTreeSet<Location>,
    /// How many locks each task holds.
    held: BTreeMap<TaskId, usize>,
}

impl Run {
    fn of(events: &[Event]) -> Self {
        let mut run = Self { tasks: Vec::new() };
        let mut builder = Builder::default();
        let mut running = Some(TaskId::MAIN);
        for (at, &event) in events.iter().enumerate() {
            match event {
                Event::Begin { task } | Event::Resume { task } => running = Some(task),
                _ => {}
            }
            let Some(task) = running else { continue };
            let next = builder.rows.len();
            let row = *builder.rows.entry(task).or_insert(next);
            if row == next {
                run.tasks.push(Vec::new());
            }
            let (after, sees) = (builder.after(event), builder.sees(task, event));
            builder.note(at, task, event);
            run.tasks[row].push(Step {
                at,
                event,
                after,
                sees,
            });
            if matches!(event, Event::End { .. }) {
                running = None;
            }
        }
        run
    }
}

impl Builder {
    fn after(&mut self, event: Event) -> Vec<usize> {
        match event {
            Event::Begin { task } => self.spawns.get(&task).copied().into_iter().collect(),
            Event::FinishEnd { finish } => {
                let members = self.members.remove(&finish).unwrap_or_default();
                let ends = members.iter().filter_map(|task| self.ends.get(task));
                ends.copied().collect()
            }
            Event::Join { task, .. } => self.ends.get(&task).copied().into_iter().collect(),
            Event::Wait { token, .. } => self.signals.get(&token).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn sees(&self, task: TaskId, event: Event) -> BTreeMap<Location, Option<usize>> {
        let Event::Read { extent, .. } = event else {
            return BTreeMap::new();
        };
        let is_in_section = self.held.get(&task).is_some_and(|&held| held > 0);
        let counts = |at: &Location| is_in_section || !self.fresh.contains(at);
        let seen = |at: Location| (at, self.writers.get(&at).copied());
        extent.locations().filter(counts).map(seen).collect()
    }

    fn note(&mut self, at: usize, task: TaskId, event: Event) {
        match event {
            Event::Acquire { .. } => *self.held.entry(task).or_default() += 1,
            Event::Release { .. } => *self.held.entry(task).or_default() -= 1,
            Event::Spawn { task, finish, .. } => {
                self.spawns.insert(task, at);
                self.members.entry(finish).or_default().push(task);
            }
            Event::End { task } => {
                self.ends.insert(task, at);
            }
            Event::Signal { token, .. } => self.signals.entry(token).or_default().push(at),
            _ => {
                let is_alloc = matches!(event, Event::Alloc { .. });
                for location in written(event).into_iter().flat_map(Extent::locations) {
                    self.writers.insert(location, at);
                    match is_alloc {
                        true => self.fresh.insert(location),
                        false => self.fresh.remove(&location),
                    };
                }
            }
        }
    }
}

fn written(event: Event) -> Option<Extent> {
    match event {
        Event::Write { extent, .. } | Event::Free { extent, .. } | Event::Alloc { extent, .. } => {
            Some(extent)
        }
        _ => None,
    }
}

fn accessed(event: Event) -> Option<(Extent, AccessKind)> {
    match event {
        Event::Read { extent, .. } => Some((extent, AccessKind::Read)),
        Event::Write { extent, .. } | Event::Free { extent, .. } => {
            Some((extent, AccessKind::Write))
        }
        _ => None,
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    positions: Vec<usize>,
    done: BTreeSet<usize>,
    held: BTreeMap<LockId, Vec<(usize, LockMode)>>,
    writers: BTreeMap<Location, usize>,
}

impl State {
    fn start(run: &Run) -> Self {
        Self {
            positions: vec![0; run.tasks.len()],
            done: BTreeSet::new(),
            held: BTreeMap::new(),
            writers: BTreeMap::new(),
        }
    }

    /// The task's next step, if task order allows it.
    fn next<'a>(&self, run: &'a Run, task: usize) -> Option<&'a Step> {
        let step = run.tasks[task].get(self.positions[task])?;
        let is_done = |at: &usize| self.done.contains(at);
        step.after.iter().all(is_done).then_some(step)
    }

    fn step(&self, run: &Run, task: usize) -> Option<Self> {
        let step = self.next(run, task)?;
        let mut next = self.clone();
        match step.event {
            Event::Acquire { lock, mode, .. } => {
                let held = next.held.entry(lock).or_default();
                let blocks =
                    |&(other, how): &(usize, LockMode)| other != task && how.excludes(mode);
                if held.iter().any(blocks) {
                    return None;
                }
                held.push((task, mode));
            }
            Event::Release { lock, .. } => {
                let held = next.held.entry(lock).or_default();
                if let Some(at) = held.iter().rposition(|&(other, _)| other == task) {
                    held.remove(at);
                }
                if held.is_empty() {
                    next.held.remove(&lock);
                }
            }
            event => {
                let sees = |(at, writer): (&Location, &Option<usize>)| {
                    self.writers.get(at).copied() == *writer
                };
                if !step.sees.iter().all(sees) {
                    return None;
                }
                for location in written(event).into_iter().flat_map(Extent::locations) {
                    next.writers.insert(location, step.at);
                }
            }
        }
        next.positions[task] += 1;
        next.done.insert(step.at);
        Some(next)
    }

    fn races(&self, run: &Run, racy: &mut BTreeSet<Location>) {
        let tasks = 0..run.tasks.len();
        let next = tasks.filter_map(|task| accessed(self.next(run, task)?.event));
        let next: Vec<(Extent, AccessKind)> = next.collect();
        for (at, &(first, kind)) in next.iter().enumerate() {
            for &(second, other) in &next[..at] {
                if kind == AccessKind::Write || other == AccessKind::Write {
                    let second: BTreeSet<Location> = second.locations().collect();
                    racy.extend(first.locations().filter(|at| second.contains(at)));
                }
            }
        }
    }
}
