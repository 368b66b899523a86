//! The state of one run, how it starts and how it stops early.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use heddle_core::{Awaited, Event, Extent, Listener, LockId, SiteId, TaskId, TokenId};

use super::code::{Code, Pc};
use super::control::{Control, Explored, Parts};
use super::coroutine::Coroutine;
use super::limits::Budget;
use super::locks::Locks;
use super::memory::Memory;
use super::problem::{Fallible, Problem};
use super::schedule::{Need, Parked, Runnable, Schedule, Wait, Waiter};
use super::scopes::Scopes;
use super::tasks::Tasks;
use super::turns::Turns;
use super::{RunCounts, Tally};

/// How many ended tasks' stacks are kept to be used again.
const MOST_SPARES: usize = 64;
/// Stacks with more slots than this are not kept.
const LARGEST_SPARE: usize = 4096;

/// What an instruction that touches tasks means for the one that executed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// On to the next instruction.
    Next,
    /// On with whatever task runs now, where that task is.
    Elsewhere,
    /// The same instruction again once the wait is over.
    Wait(Wait),
    /// The run is over.
    Over,
}

/// Whether an event has been satisfied, and who waits for that.
#[derive(Clone, Default, Debug)]
pub(super) struct Token {
    pub satisfied: bool,
    pub waiters: Vec<Waiter>,
}

/// One run.
pub(super) struct Machine<'r, L> {
    pub code: &'r Code,
    pub listener: &'r mut L,
    pub output: &'r mut dyn FnMut(i64),
    pub running: Coroutine,
    pub memory: Memory,
    pub tally: Tally,
    pub budget: Budget,
    pub schedule: Schedule,
    pub tasks: Tasks,
    pub scopes: Scopes,
    pub locks: Locks,
    pub tokens: Vec<Token>,
    /// The schedule to follow, if there is one.
    pub turns: Option<&'r RefCell<Turns<'r>>>,
    pub control: Control,
    /// Set to end an explored run.
    pub stop: Option<&'r AtomicBool>,
    spares: Vec<Coroutine>,
}

impl<'r, L: Listener> Machine<'r, L> {
    pub fn new(code: &'r Code, listener: &'r mut L, output: &'r mut dyn FnMut(i64)) -> Self {
        Self {
            code,
            listener,
            output,
            running: Coroutine::empty(),
            memory: Memory::default(),
            tally: Tally::default(),
            budget: Budget::default(),
            schedule: Schedule::default(),
            tasks: Tasks::new(),
            scopes: Scopes::new(),
            locks: Locks::new(code.locks.len()),
            tokens: vec![Token::default(); code.events.len()],
            turns: None,
            control: Control::Free,
            stop: None,
            spares: Vec::new(),
        }
    }

    /// Goes on where an explored run stands at a choice point.
    pub fn with(
        code: &'r Code,
        parts: Parts,
        listener: &'r mut L,
        output: &'r mut dyn FnMut(i64),
    ) -> Self {
        Self {
            code,
            listener,
            output,
            running: Coroutine::empty(),
            memory: parts.memory,
            tally: parts.tally,
            budget: parts.budget,
            schedule: parts.schedule,
            tasks: parts.tasks,
            scopes: parts.scopes,
            locks: parts.locks,
            tokens: parts.tokens,
            turns: None,
            control: Control::Explored(parts.explored),
            stop: None,
            spares: Vec::new(),
        }
    }

    /// The state at a choice point.
    pub fn parts(self, explored: Explored) -> Parts {
        Parts {
            memory: self.memory,
            tally: self.tally,
            budget: self.budget,
            schedule: self.schedule,
            tasks: self.tasks,
            scopes: self.scopes,
            locks: self.locks,
            tokens: self.tokens,
            explored,
        }
    }

    /// Runs to the end, the first fault or the deadlock.
    pub fn run(&mut self) -> RunCounts {
        self.declare();
        match self.start() {
            Ok(()) => self.execute(),
            Err(problem) => {
                self.fail(self.code.main.pc, &problem);
            }
        }
        self.tally.counts()
    }

    pub fn declare(&mut self) {
        for shared in &self.code.shared {
            self.listener.on(Event::Declare {
                extent: Extent::new(shared.start, shared.len),
                name: shared.name,
                shape: shared.shape,
            });
        }
        for &(extent, group) in &self.code.atomics {
            self.listener.on(Event::Atomic { extent, group });
        }
        for (id, &name) in (1..).zip(&self.code.locks) {
            let lock = LockId::new(id);
            self.listener.on(Event::DeclareLock { lock, name });
        }
        for (id, &name) in (0..).zip(&self.code.events) {
            let token = TokenId::new(id);
            self.listener.on(Event::DeclareToken { token, name });
        }
    }

    pub fn start(&mut self) -> Fallible<()> {
        let ends = self.code.shared.iter();
        let ends = ends.map(|shared| shared.start.0.saturating_add(shared.len.max(1)));
        self.memory = Memory::new(ends.max().unwrap_or(0))?;
        for shared in self.code.shared.iter().filter(|shared| shared.initial != 0) {
            *self.memory.declared(shared.start) = shared.initial;
        }
        let main = self.code.main;
        self.budget.charge(main.registers as usize)?;
        self.running.enter(0, main);
        Ok(())
    }

    /// Reports what stopped the run. An explored run goes on without the task.
    #[cold]
    pub fn fail(&mut self, pc: Pc, problem: &Problem) -> Flow {
        let site = self.code.blamed_site(pc, problem.blame);
        let message = problem.kind;
        self.listener.on(Event::Fault { site, message });
        match self.control {
            Control::Free => Flow::Over,
            Control::Explored(_) => self.go_on_without_it(),
        }
    }

    /// Parks the running task and goes on with another.
    pub fn park(&mut self, wait: Wait) -> Flow {
        let waiter = self.schedule.ticket(self.running.task);
        if let (Some(turns), Wait::Scope(_) | Wait::AnyEnd(_)) = (self.turns, &wait) {
            turns.borrow_mut().reach_wait(self.running.task);
        }
        match &wait {
            Wait::Scope(scope) => self.scopes.wait(*scope, waiter),
            Wait::AnyEnd(tasks) => {
                for &task in tasks {
                    self.tasks.wait(task, waiter);
                }
            }
            Wait::Lock(lock) => self.locks.wait(*lock, waiter),
            Wait::Turn => {
                if let Some(turns) = self.turns {
                    turns.borrow_mut().wait(self.running.task, waiter);
                }
            }
            _ => {}
        }
        let next = self.next_runnable();
        let parked = std::mem::replace(&mut self.running, Coroutine::empty());
        self.schedule.park(parked, wait, waiter);
        self.go_on(next)
    }

    /// Takes the task that runs next.
    #[inline]
    pub fn next_runnable(&mut self) -> Option<Runnable> {
        if let Some(turns) = self.turns {
            self.call_up(turns);
        }
        self.schedule.next()
    }

    /// Makes `next` the running task; the run is stuck if there is none.
    pub fn go_on(&mut self, next: Option<Runnable>) -> Flow {
        match next {
            Some(Runnable::Resumed(coroutine)) => {
                let task = coroutine.task;
                self.running = coroutine;
                self.listener.on(Event::Resume { task });
            }
            Some(Runnable::Fresh(coroutine, needs)) => {
                self.running = coroutine;
                self.begin(&needs);
            }
            None => {
                if self.control == Control::Free {
                    self.report_stuck();
                }
                return Flow::Over;
            }
        }
        Flow::Elsewhere
    }

    /// Announces that the running task, new until now, runs.
    pub fn begin(&mut self, needs: &[Need]) {
        let task = self.running.task;
        self.listener.on(Event::Begin { task });
        for &need in needs {
            match need {
                Need::End(task, site) => self.listener.on(Event::Join { task, site }),
                Need::Signal(token, site) => self.listener.on(Event::Wait { token, site }),
            }
        }
    }

    /// Reports every parked task, once for each thing it waits for.
    #[cold]
    pub fn report_stuck(&mut self) {
        let schedule = std::mem::take(&mut self.schedule);
        for parked in schedule.parked() {
            for (awaited, site) in self.missing(parked) {
                let task = parked.coroutine.task;
                self.listener.on(Event::Stuck {
                    task,
                    awaited,
                    site,
                });
            }
        }
        self.schedule = schedule;
    }

    /// What a parked task waits for, and where.
    fn missing(&self, parked: &Parked) -> Vec<(Awaited, SiteId)> {
        let here = || self.code.site(parked.coroutine.pc);
        match &parked.wait {
            Wait::Scope(scope) => vec![(Awaited::Finish(self.scopes.finish(*scope)), here())],
            Wait::AnyEnd(tasks) => {
                let wait = |&task: &TaskId| (Awaited::Task(task), here());
                tasks.iter().map(wait).collect()
            }
            Wait::Lock(lock) => vec![(Awaited::Lock(*lock), here())],
            Wait::Region(name) => vec![(Awaited::Region(*name), here())],
            // Whoever asked for the schedule knows that it waits.
            Wait::Turn => Vec::new(),
            Wait::TurnToLock(lock) => vec![(Awaited::Lock(*lock), here())],
            Wait::TurnToJoin(region) => {
                let members = parked.coroutine.regions.members(*region);
                members.map(|task| (Awaited::Task(task), here())).collect()
            }
            Wait::Fault => Vec::new(),
            Wait::Start { needs, .. } => {
                let unmet = needs.iter().filter(|need| !self.is_met(**need));
                unmet.map(|need| need.awaited()).collect()
            }
        }
    }

    /// Whether what the task needs has come.
    pub fn is_met(&self, need: Need) -> bool {
        match need {
            Need::End(task, _) => self.tasks.end(task).is_some(),
            Need::Signal(token, _) => self.tokens[token.index()].satisfied,
        }
    }

    /// Frees heap arrays that no live task and no future's value can reach.
    pub fn collect(&mut self) {
        self.memory.mark(self.running.live_values());
        for coroutine in self.schedule.coroutines() {
            self.memory.mark(coroutine.live_values());
        }
        for value in self.tasks.results() {
            self.memory.mark(&[value]);
        }
        self.memory.sweep(self.budget.used() as u64);
    }

    /// An empty coroutine, with the stack of an ended one if there is any.
    pub fn fresh_coroutine(&mut self) -> Coroutine {
        self.spares.pop().unwrap_or_else(Coroutine::empty)
    }

    /// Keeps the stack of an ended task.
    pub fn recycle(&mut self, mut coroutine: Coroutine) {
        if self.spares.len() < MOST_SPARES && coroutine.values.capacity() <= LARGEST_SPARE {
            coroutine.clear();
            self.spares.push(coroutine);
        }
    }
}
