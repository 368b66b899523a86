//! The events of a program's serial run, and what the oracle reads off them.

use crate::play::Found;
use crate::program::{ALONE, Access, Operation, Step, TOGETHER};
use crate::torn::{self, Cells, Unit};
use heddle_core::{
    Certainty, Event, Extent, FinishId, FinishKind, GroupId, Location, LockId, LockMode, SiteId,
    TaskId, TaskKind,
};
use heddle_oracle::{Bounds, Oracle};
use std::collections::{BTreeMap, BTreeSet};

/// Which accesses race and which are ordered; accesses are numbered in the sequence of the serial run.
pub struct Truth {
    accesses: Vec<Made>,
    races: Vec<[usize; 2]>,
    bounds: Bounds,
    torn: BTreeMap<Unit, Certainty>,
}

/// An access that was made.
struct Made {
    access: Access,
}

impl Truth {
    pub fn of(steps: &[Step]) -> Self {
        let mut walk = Walk::default();
        walk.declare();
        walk.task(steps, At::MAIN);
        let oracle = Oracle::of(&walk.events);
        let numbers = |oracle: &Oracle| -> Vec<[usize; 2]> {
            let races = oracle.races().into_iter();
            races
                .map(|race| race.accesses.map(|access| access.site.index()))
                .collect()
        };
        Self {
            races: numbers(&oracle),
            bounds: oracle.live_bounds(),
            torn: torn::units(&walk.events, &walk.cells),
            accesses: walk.accesses,
        }
    }

    pub fn racy_locations(&self) -> BTreeSet<usize> {
        let racy = self.bounds.most.keys();
        racy.map(|location| location.0 as usize).collect()
    }

    /// Whether a live run may call the race on this location certain, or else possible.
    pub fn allows(&self, location: usize, is_certain: bool) -> bool {
        let bound = match is_certain {
            true => &self.bounds.most,
            false => &self.bounds.least,
        };
        let certain = bound.get(&Location(location as u64)) == Some(&Certainty::Certain);
        certain == is_certain
    }

    /// What can be torn.
    pub fn torn(&self) -> &BTreeMap<Unit, Certainty> {
        &self.torn
    }

    /// Whether accesses at these positions race.
    pub fn has(&self, found: &Found) -> bool {
        self.races.iter().any(|&race| self.shown(race) == *found)
    }

    /// How a report shows the race.
    fn shown(&self, race: [usize; 2]) -> Found {
        let [a, b] = race.map(|at| self.accesses[at].access);
        let sides = [a, b].map(|access| (access.operation, access.place));
        Found::new(a.location, sides)
    }
}

/// A serial, depth-first run.
#[derive(Default)]
struct Walk {
    events: Vec<Event>,
    accesses: Vec<Made>,
    cells: Cells,
    strand: usize,
    tasks: u32,
    finishes: u32,
}

/// Where a task stands.
#[derive(Clone)]
struct At {
    task: TaskId,
    inner: FinishId,
    outer: FinishId,
    futures: Vec<TaskId>,
}

const SITE: SiteId = SiteId::new(0);

impl At {
    const MAIN: Self = Self {
        task: TaskId::MAIN,
        inner: FinishId::MAIN,
        outer: FinishId::MAIN,
        futures: Vec::new(),
    };
}

impl Walk {
    /// Any operation begins a new strand.
    fn on(&mut self, event: Event) {
        self.cells.follow(event);
        self.events.push(event);
        self.strand += 1;
    }

    fn declare(&mut self) {
        let units = [(0, ALONE, None), (ALONE, TOGETHER, Some(GroupId::new(1)))];
        for (start, len, group) in units {
            let extent = Extent::new(Location(start as u64), len as u64);
            self.on(Event::Atomic { extent, group });
        }
    }

    fn task(&mut self, steps: &[Step], mut at: At) {
        for step in steps {
            self.step(step, &mut at);
        }
    }

    fn step(&mut self, step: &Step, at: &mut At) {
        match step {
            Step::Access(access) => self.access(*access),
            Step::Spawn(body) => {
                self.spawn(TaskKind::Async, at.inner, at, |walk, at| {
                    walk.task(body, at)
                });
            }
            Step::SpawnOuter(body) => {
                let (inner, outer) = (at.outer, at.outer);
                self.spawn(TaskKind::Async, at.outer, at, |walk, at| {
                    let futures = Vec::new();
                    let at = At {
                        inner,
                        outer,
                        futures,
                        ..at
                    };
                    walk.task(body, at);
                });
            }
            Step::Finish(body) => self.finish(body, at),
            Step::Join(a, b) => self.join([a, b], at),
            Step::Future(body) => {
                let body = |walk: &mut Self, at| walk.task(body, at);
                let task = self.spawn(TaskKind::Future, at.inner, at, body);
                at.futures.push(task);
            }
            Step::Get(n) => {
                let task = at.futures.get(*n).copied();
                task.into_iter().for_each(|task| self.get(task));
            }
            Step::Group(a, b) => {
                let tasks = [a, b].map(|body| {
                    let body = |walk: &mut Self, _| walk.accesses(body);
                    self.spawn(TaskKind::Post, at.inner, at, body)
                });
                tasks.into_iter().for_each(|task| self.get(task));
            }
            Step::Isolated(body) => self.section(LockId::ISOLATED, body),
            Step::Locked(n, body) => self.section(LockId::new(*n as u32 + 1), body),
            Step::Cells(lock, uses) => {
                let outer = lock.map(|n| LockId::new(n as u32 + 1));
                self.within(outer, |walk| {
                    for &(cell, what) in uses {
                        let own = Some(torn::lock_of(cell));
                        walk.within(own, |walk| walk.cells.section(&mut walk.events, cell, what));
                    }
                });
            }
        }
    }

    fn access(&mut self, access: Access) {
        let site = SiteId::new(self.accesses.len() as u32);
        let extent = Extent::one(Location(access.location as u64));
        self.accesses.push(Made { access });
        self.events.push(match access.operation {
            Operation::Read => Event::Read { extent, site },
            Operation::Write => Event::Write { extent, site },
        });
    }

    fn accesses(&mut self, accesses: &[Access]) {
        accesses.iter().for_each(|&access| self.access(access));
    }

    fn section(&mut self, lock: LockId, body: &[Access]) {
        self.within(Some(lock), |walk| walk.accesses(body));
    }

    fn within(&mut self, lock: Option<LockId>, body: impl FnOnce(&mut Self)) {
        let (mode, site) = (LockMode::Exclusive, SITE);
        lock.into_iter()
            .for_each(|lock| self.on(Event::Acquire { lock, mode, site }));
        body(self);
        lock.into_iter()
            .for_each(|lock| self.on(Event::Release { lock, site }));
    }

    fn get(&mut self, task: TaskId) {
        self.on(Event::Join { task, site: SITE });
    }

    fn spawn(
        &mut self,
        kind: TaskKind,
        finish: FinishId,
        at: &At,
        body: impl FnOnce(&mut Self, At),
    ) -> TaskId {
        self.tasks += 1;
        let (task, site, name) = (TaskId::new(self.tasks), SITE, None);
        self.on(Event::Spawn {
            task,
            finish,
            kind,
            site,
            name,
        });
        self.on(Event::Begin { task });
        body(self, At { task, ..at.clone() });
        self.on(Event::End { task });
        self.on(Event::Resume { task: at.task });
        task
    }

    fn in_finish(&mut self, body: impl FnOnce(&mut Self, FinishId)) {
        self.finishes += 1;
        let (finish, kind) = (FinishId::new(self.finishes), FinishKind::Finish);
        let site = SITE;
        self.on(Event::FinishBegin { finish, kind, site });
        body(self, finish);
        self.on(Event::FinishEnd { finish });
    }

    fn finish(&mut self, body: &[Step], at: &At) {
        self.in_finish(|walk, inner| {
            let outer = at.inner;
            let at = At {
                inner,
                outer,
                ..at.clone()
            };
            walk.task(body, at);
        });
    }

    fn join(&mut self, sides: [&[Step]; 2], at: &At) {
        self.in_finish(|walk, finish| {
            for side in sides {
                let body = |walk: &mut Self, at: At| walk.finish(side, &at);
                walk.spawn(TaskKind::Async, finish, at, body);
            }
        });
    }
}
