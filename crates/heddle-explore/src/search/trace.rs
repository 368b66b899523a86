//! Which transitions of a run depend on each other.
//!
//! Two transitions conflict if one writes a location that the other reads or writes, or if both
//! take one lock and not both in closed sections (see `watch`). What precedes what is kept in
//! pieces: a piece is what one task does in one transition, since a transition also has other
//! tasks go on, who do not all know of each other.
//!
//! A pair of transitions that conflict and are not ordered otherwise can be executed the other
//! way round: the *reversible* pairs that source sets are built from.

use heddle_core::{AccessKind, Event, Location, LockId, TaskId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

use crate::past::Past;
use crate::program::{Choice, Operation};
use crate::watch::Step;

use super::footprint::{Closed, Footprint};

const NO_PIECE: u32 = u32::MAX;

/// One executed transition.
#[derive(Clone, Debug)]
pub(super) struct Executed {
    pub choice: Choice,
    /// The first piece of the chosen task.
    piece: u32,
    /// What precedes all that it did, itself included.
    past: Past,
    /// What precedes all that it did up to where the task first waited for others: executed earlier, it would do
    /// as much and stop there.
    begin: Past,
}

#[derive(Clone, Debug, Default)]
struct Task {
    past: Past,
    piece: u32,
    finish: u32,
    sections: SmallVec<[Section; 1]>,
}

#[derive(Clone, Debug)]
struct Section {
    lock: u32,
    /// The transition it began in.
    transition: u32,
    /// What preceded its start, the lock left aside.
    before: Past,
    closed: Closed,
}

/// What others did to one location, as far as it can be reversed first.
#[derive(Clone, Debug, Default)]
struct Place {
    write: Option<Touch>,
    /// Since that write.
    reads: SmallVec<[Touch; 2]>,
}

/// A piece that touched something.
#[derive(Clone, Debug)]
struct Touch {
    transition: u32,
    piece: u32,
    past: Past,
}

/// The sections of a lock since its latest one that was not closed, that one first.
#[derive(Clone, Debug, Default)]
struct Lock {
    open: Option<Touch>,
    closed: Vec<Touch>,
}

/// Follows a run; can be copied at every choice point.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// How many transitions were executed.
    count: u32,
    tasks: Vec<Task>,
    finishes: Vec<Past>,
    tokens: Vec<Past>,
    places: Rc<FxHashMap<Location, Place>>,
    locks: Vec<Lock>,
    /// The latest transition that depends on everything, and what precedes it.
    world: Option<Touch>,
    running: TaskId,
    /// Who was chosen, and what preceded where it first waited for others in the present transition.
    chosen: (TaskId, Option<Past>),
    pieces: u32,
    /// The transitions that can be reversed with the present one.
    reversible: Vec<u32>,
    footprint: Footprint,
}

impl Trace {
    /// At the start of the main task.
    pub fn new() -> Self {
        let main = Task {
            piece: NO_PIECE,
            ..Task::default()
        };
        Self {
            count: 0,
            tasks: vec![main],
            finishes: vec![Past::default()],
            tokens: Vec::new(),
            places: Rc::default(),
            locks: Vec::new(),
            world: None,
            running: TaskId::MAIN,
            chosen: (TaskId::MAIN, None),
            pieces: 0,
            reversible: Vec::new(),
            footprint: Footprint::default(),
        }
    }

    /// Follows what was executed before the first choice.
    pub fn start(&mut self, steps: &[Step]) {
        for &step in steps {
            self.step(step);
        }
        self.footprint = Footprint::default();
        self.reversible.clear();
    }

    /// Follows a transition, which is added to those executed before. Gives what it did, and the
    /// transitions it can be reversed with.
    pub fn follow(
        &mut self,
        choice: Choice,
        steps: &[Step],
        executed: &mut Vec<Executed>,
    ) -> (Footprint, Vec<u32>) {
        // What a task does in one transition is one piece.
        for task in &mut self.tasks {
            task.piece = NO_PIECE;
        }
        self.count += 1;
        self.running = choice.task;
        self.chosen = (choice.task, None);
        let piece = self.piece();
        self.depend_on_the_world(choice, executed);
        for &step in steps {
            self.step(step);
        }
        // It may stop in the middle of its sections.
        self.running = choice.task;
        self.open_sections();
        let past = self.tasks[choice.task.index()].past.clone();
        let begin = self.chosen.1.take().unwrap_or_else(|| past.clone());
        executed.push(Executed {
            choice,
            piece,
            past,
            begin,
        });
        self.note_world(choice);
        let mut footprint = std::mem::take(&mut self.footprint);
        for section in &self.tasks[choice.task.index()].sections {
            footprint.locks.push((section.lock, Closed::No));
        }
        let mut reversible = std::mem::take(&mut self.reversible);
        reversible.sort_unstable();
        reversible.dedup();
        (footprint, reversible)
    }

    fn transition(&self) -> u32 {
        self.count
    }

    fn piece(&mut self) -> u32 {
        let next = self.pieces;
        let task = &mut self.tasks[self.running.index()];
        if task.piece == NO_PIECE {
            task.piece = next;
            task.past.insert(next);
            self.pieces += 1;
        }
        task.piece
    }

    fn touch(&mut self) -> Touch {
        Touch {
            piece: self.piece(),
            transition: self.transition(),
            past: self.tasks[self.running.index()].past.clone(),
        }
    }

    /// The present transition comes after what was touched; if nothing else said so, the two can be reversed.
    fn depend(&mut self, on: &Touch, known: &Past) {
        let running = self.running.index();
        if !known.has(on.piece) && (1..self.transition()).contains(&on.transition) {
            self.reversible.push(on.transition);
        }
        self.tasks[running].past.join(&on.past);
    }

    fn depend_on_the_world(&mut self, choice: Choice, executed: &[Executed]) {
        if let Some(world) = self.world.clone() {
            let known = self.tasks[self.running.index()].past.clone();
            self.depend(&world, &known);
        }
        if is_open(choice) {
            self.footprint.depends_on_all = true;
            for number in (1..self.transition()).rev() {
                let other = &executed[number as usize - 1];
                let touch = Touch {
                    transition: number,
                    piece: other.piece,
                    past: other.past.clone(),
                };
                let known = self.tasks[self.running.index()].past.clone();
                self.depend(&touch, &known);
            }
        }
    }

    fn note_world(&mut self, choice: Choice) {
        if is_open(choice) {
            self.running = choice.task;
            self.world = Some(self.touch());
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Access(task, location, kind) => {
                self.running = task;
                self.access(location, kind);
            }
            Step::Event(event) => self.event(event),
        }
    }

    fn access(&mut self, location: Location, kind: AccessKind) {
        self.footprint.access(location, kind);
        let place = self.places.get(&location).cloned().unwrap_or_default();
        let known = self.tasks[self.running.index()].past.clone();
        if kind == AccessKind::Write {
            for read in &place.reads {
                self.depend(read, &known);
            }
        }
        if let Some(write) = &place.write {
            self.depend(write, &known);
        }
        let touch = self.touch();
        let place = Rc::make_mut(&mut self.places).entry(location).or_default();
        match kind {
            AccessKind::Read => {
                place.reads.retain(|read| read.piece != touch.piece);
                place.reads.push(touch);
            }
            AccessKind::Write => {
                place.reads.clear();
                place.write = Some(touch);
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Spawn { finish, .. } => {
                self.open_sections();
                self.spawn(finish.raw());
            }
            Event::End { task } => self.end(task),
            Event::FinishBegin { .. } => {
                self.open_sections();
                self.finishes.push(Past::default());
            }
            Event::FinishEnd { finish } => {
                self.open_sections();
                let past = std::mem::take(&mut self.finishes[finish.index()]);
                self.waited(&past);
            }
            Event::Join { task, .. } => {
                self.open_sections();
                let past = self.tasks[task.index()].past.clone();
                self.waited(&past);
            }
            Event::Signal { token, .. } => self.signal(token.index()),
            Event::Wait { token, .. } => {
                self.open_sections();
                if let Some(past) = self.tokens.get(token.index()).cloned() {
                    self.waited(&past);
                }
            }
            Event::Acquire { lock, .. } => self.acquire(lock),
            Event::Release { lock, .. } => self.release(lock),
            _ => {}
        }
    }

    /// The running task has waited for others.
    fn waited(&mut self, past: &Past) {
        if self.chosen == (self.running, None) {
            self.chosen.1 = Some(self.tasks[self.running.index()].past.clone());
        }
        self.arrive(past);
    }

    fn arrive(&mut self, past: &Past) {
        self.tasks[self.running.index()].past.join(past);
    }

    fn spawn(&mut self, finish: u32) {
        self.piece();
        let past = self.tasks[self.running.index()].past.clone();
        self.tasks.push(Task {
            past,
            piece: NO_PIECE,
            finish,
            sections: SmallVec::new(),
        });
        self.close_piece();
    }

    /// What the running task does next is not known to those who know what it did.
    fn close_piece(&mut self) {
        self.tasks[self.running.index()].piece = NO_PIECE;
    }

    fn end(&mut self, task: TaskId) {
        self.piece();
        let row = &self.tasks[task.index()];
        self.finishes[row.finish as usize].join(&row.past);
    }

    fn signal(&mut self, token: usize) {
        self.open_sections();
        self.piece();
        if self.tokens.len() <= token {
            self.tokens.resize(token + 1, Past::default());
        }
        self.tokens[token].join(&self.tasks[self.running.index()].past);
        self.close_piece();
    }

    fn acquire(&mut self, lock: LockId) {
        self.open_sections();
        if self.locks.len() <= lock.index() {
            self.locks.resize(lock.index() + 1, Lock::default());
        }
        let transition = self.transition();
        let task = &mut self.tasks[self.running.index()];
        task.sections.push(Section {
            lock: lock.raw(),
            transition,
            before: task.past.clone(),
            closed: Closed::Yes,
        });
    }

    fn open_sections(&mut self) {
        let running = self.running.index();
        for row in 0..self.tasks[running].sections.len() {
            if self.tasks[running].sections[row].closed == Closed::Yes {
                self.tasks[running].sections[row].closed = Closed::No;
                self.order_open(row);
            }
        }
    }

    /// A section that is not closed comes after every earlier one of its lock.
    fn order_open(&mut self, row: usize) {
        let section = self.tasks[self.running.index()].sections[row].clone();
        let lock = self.locks[section.lock as usize].clone();
        for touch in lock.closed.iter().chain(&lock.open) {
            self.depend_at(section.transition, touch, &section.before);
        }
    }

    /// As `depend`, for a section that began in an earlier transition perhaps.
    fn depend_at(&mut self, transition: u32, on: &Touch, known: &Past) {
        if !known.has(on.piece) && (1..transition).contains(&on.transition) {
            self.reversible.push(on.transition);
        }
        self.arrive(&on.past);
    }

    fn release(&mut self, lock: LockId) {
        let sections = &self.tasks[self.running.index()].sections;
        let Some(row) = sections.iter().rposition(|held| held.lock == lock.raw()) else {
            return;
        };
        if row + 1 < sections.len() {
            self.open_sections();
        }
        let section = self.tasks[self.running.index()].sections.remove(row);
        self.footprint.locks.push((section.lock, section.closed));
        if section.closed == Closed::Yes
            && let Some(open) = self.locks[lock.index()].open.clone()
        {
            self.depend_at(section.transition, &open, &section.before);
        }
        // It is the taking of the lock that can be reversed.
        let mut touch = self.touch();
        touch.transition = section.transition;
        self.close_piece();
        let row = &mut self.locks[lock.index()];
        match section.closed {
            Closed::Yes => row.closed.push(touch),
            Closed::No => {
                row.closed.clear();
                row.open = Some(touch);
            }
        }
    }

    /// The transition in which the holder of the lock took it, if it precedes nothing of `task`.
    pub fn reversible_holder(
        &self,
        task: TaskId,
        lock: LockId,
        executed: &[Executed],
    ) -> Option<u32> {
        let holder = self.tasks.iter().find_map(|other| {
            let mut sections = other.sections.iter();
            sections.find(|section| section.lock == lock.raw())
        })?;
        let known = &self.tasks[task.index()].past;
        let taken = executed.get((holder.transition as usize).checked_sub(1)?)?;
        (!known.has(taken.piece)).then_some(holder.transition)
    }

    /// The choices with which a schedule can begin that executes `last` before transition
    /// `first`: of the transitions behind `first` that do not depend on it, those that depend on
    /// no other one of them. `last` is a transition, or a choice that could not be executed.
    pub fn initials(&self, first: u32, last: Last, executed: &[Executed]) -> Vec<Choice> {
        let piece = executed[first as usize - 1].piece;
        let (until, blocked) = match last {
            Last::Transition(number) => (number as usize, None),
            Last::Blocked(choice) => (executed.len(), Some(choice)),
        };
        let behind = (first as usize..until).filter(|&row| {
            // What is to be executed earlier does depend on `first`: that is why.
            let is_last = blocked.is_none() && row + 1 == until;
            is_last || !executed[row].begin.has(piece)
        });
        let rest: Vec<&Executed> = behind.map(|row| &executed[row]).collect();
        let mut initials = Vec::new();
        for (row, one) in rest.iter().enumerate() {
            let follows = |other: &&Executed| one.begin.has(other.piece);
            if !rest[..row].iter().any(follows) {
                initials.push(one.choice);
            }
        }
        if let Some(choice) = blocked {
            let past = &self.tasks[choice.task.index()].past;
            if !rest.iter().any(|other| past.has(other.piece)) {
                initials.push(choice);
            }
        }
        initials
    }
}

/// What is to be executed earlier.
#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    /// A transition, by number from 1 on.
    Transition(u32),
    /// A choice that its task stands before and cannot execute.
    Blocked(Choice),
}

/// Whether the choice was made while others could still have come up.
fn is_open(choice: Choice) -> bool {
    matches!(choice.operation, Operation::Join { more: true, .. })
}
