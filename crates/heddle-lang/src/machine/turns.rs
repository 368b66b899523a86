//! Running a program under a given schedule: some transactions come one after the other, everything else
//! runs as it does anyway.
//!
//! A transaction is named by its task and its *segment*: how many task operations and cuts the task has
//! made when it begins. A task about to begin one that has a turn waits until the turns before it are
//! over. Tasks are told apart by who created them and when, since their ids depend on the schedule.

use std::cell::RefCell;
use std::collections::HashMap;

use heddle_core::{Event, Listener, TaskId};

use super::RunCounts;
use super::code::{Code, Pc};
use super::schedule::{Wait, Waiter};
use super::state::{Flow, Machine};

/// Backward jumps and operations after which a run under a schedule is given up: under another schedule
/// a program may loop forever.
const FUEL: u64 = 1 << 26;

/// The transactions that must come one after the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Plan {
    /// Tasks of the run the plan was made from, by creator and how many it had created before.
    pub tasks: HashMap<(TaskId, u32), TaskId>,
    /// Task of that run, and segment.
    pub turns: Vec<(TaskId, u32)>,
}

/// What came of a run under a plan.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Planned {
    /// Whether it came to its end, and the plan to its own.
    pub is_complete: bool,
    /// The value that each access read or wrote, in the sequence of the accesses.
    pub values: Vec<i64>,
    /// The declared variables in the end, in the sequence of their locations.
    pub declared: Vec<i64>,
}

impl Code {
    /// Runs the program under this plan; whether it came to its end and the plan to its own.
    pub fn run_planned<L: Listener>(&self, plan: &Plan, listener: &mut L) -> bool {
        self.run_told(plan, None, listener).is_complete
    }

    /// The same, with the values that were read and written. For a program without eliminations: then every access
    /// is delivered, and has a value.
    pub fn run_with_values<L: Listener>(&self, plan: &Plan, listener: &mut L) -> Planned {
        self.run_told(plan, Some(Vec::new()), listener)
    }

    fn run_told<L: Listener>(
        &self,
        plan: &Plan,
        values: Option<Vec<i64>>,
        listener: &mut L,
    ) -> Planned {
        let turns = RefCell::new(Turns {
            values,
            ..Turns::new(plan)
        });
        let mut tracked = Tracked {
            turns: &turns,
            listener,
        };
        let mut print = |_| {};
        let mut machine = Machine::new(self, &mut tracked, &mut print);
        machine.turns = Some(&turns);
        let _: RunCounts = machine.run();
        let declared = machine.memory.declared_values().to_vec();
        let mut turns = turns.borrow_mut();
        Planned {
            is_complete: turns.has_ended && turns.next == plan.turns.len(),
            values: turns.values.take().unwrap_or_default(),
            declared,
        }
    }
}

/// How far the plan has come.
#[derive(Debug)]
pub(super) struct Turns<'p> {
    plan: &'p Plan,
    number: HashMap<(TaskId, u32), usize>,
    /// The turn that is next or running.
    next: usize,
    running: TaskId,
    /// Of each task of this run.
    tasks: Vec<Progress>,
    waiters: Vec<(usize, Waiter)>,
    has_ended: bool,
    fuel: u64,
    /// What accesses read and wrote, if it is asked for.
    values: Option<Vec<i64>>,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    /// The task of the plan that it is.
    planned: Option<TaskId>,
    children: u32,
    segment: u32,
}

impl<'p> Turns<'p> {
    fn new(plan: &'p Plan) -> Self {
        let turns = plan.turns.iter().copied();
        Self {
            plan,
            number: turns.zip(0..).collect(),
            next: 0,
            running: TaskId::MAIN,
            tasks: vec![Progress {
                planned: Some(TaskId::MAIN),
                children: 0,
                segment: 0,
            }],
            waiters: Vec::new(),
            has_ended: false,
            fuel: FUEL,
            values: None,
        }
    }

    /// The turn of the transaction that a task is in, if it has one.
    fn turn(&self, task: TaskId) -> Option<usize> {
        let Progress {
            planned, segment, ..
        } = self.tasks[task.index()];
        self.number.get(&(planned?, segment)).copied()
    }

    fn is_early(&self, task: TaskId) -> bool {
        self.turn(task).is_some_and(|turn| turn > self.next)
    }

    /// The running task's transaction is over.
    fn leave(&mut self) {
        if self.turn(self.running) == Some(self.next) {
            self.next += 1;
        }
        self.tasks[self.running.index()].segment += 1;
    }

    /// The task waits for others to end, in a task operation that has not happened yet. Its transaction has
    /// made all its accesses: those it waits for may be next.
    pub fn reach_wait(&mut self, task: TaskId) {
        if self.turn(task) == Some(self.next) {
            self.next += 1;
        }
    }

    fn spawn(&mut self) {
        let creator = &mut self.tasks[self.running.index()];
        let key = creator.planned.map(|planned| (planned, creator.children));
        creator.children += 1;
        let planned = key.and_then(|key| self.plan.tasks.get(&key).copied());
        self.tasks.push(Progress {
            planned,
            children: 0,
            segment: 0,
        });
        self.leave();
    }

    fn follow(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Spawn { .. } => self.spawn(),
            Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
            | Event::Cut { .. } => self.leave(),
            Event::End { task } => {
                self.leave();
                self.has_ended |= task == TaskId::MAIN;
            }
            _ => {}
        }
    }

    /// Whether the run is to go on.
    pub fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// An access read or wrote this value.
    pub fn tell(&mut self, value: i64) {
        if let Some(values) = &mut self.values {
            values.push(value);
        }
    }

    /// Keeps a task that is too early.
    pub fn wait(&mut self, task: TaskId, waiter: Waiter) {
        if let Some(turn) = self.turn(task) {
            self.waiters.push((turn, waiter));
        }
    }

    /// Those whose turn has come.
    fn called(&mut self) -> Vec<Waiter> {
        let next = self.next;
        let (called, waiting) = std::mem::take(&mut self.waiters)
            .into_iter()
            .partition(|&(turn, _)| turn <= next);
        self.waiters = waiting;
        let called: Vec<(usize, Waiter)> = called;
        called.into_iter().map(|(_, waiter)| waiter).collect()
    }
}

/// Lets the plan follow the events.
struct Tracked<'a, 'p, L> {
    turns: &'a RefCell<Turns<'p>>,
    listener: &'a mut L,
}

impl<L: Listener> Listener for Tracked<'_, '_, L> {
    fn on(&mut self, event: Event) {
        self.turns.borrow_mut().follow(event);
        self.listener.on(event);
    }
}

impl<L: Listener> Machine<'_, L> {
    /// Makes those ready whose turn has come.
    pub fn call_up(&mut self, turns: &RefCell<Turns<'_>>) {
        for waiter in turns.borrow_mut().called() {
            self.schedule.wake(waiter);
        }
    }

    /// Lets the running task go on at `pc` if its turn has come, else others. Nothing if none can.
    pub fn take_turns(&mut self, turns: &RefCell<Turns<'_>>, pc: Pc) -> Option<Pc> {
        self.running.pc = pc;
        loop {
            self.call_up(turns);
            if !turns.borrow_mut().burn() {
                return None;
            }
            if !turns.borrow().is_early(self.running.task) {
                return Some(self.running.pc);
            }
            if self.park(Wait::Turn) == Flow::Over {
                return None;
            }
        }
    }
}
