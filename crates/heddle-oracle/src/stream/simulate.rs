//! Runs a script under its schedule and yields the events.
//!
//! Where a number in a step names nothing sensible (a join of oneself, a task operation inside
//! `isolated`) the step does nothing. When nobody can run, the first task that waits in a step
//! gives up that wait; waits at finish ends alone cannot form a cycle, so every run ends.

mod act;

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{
    Event, FaultKind, FinishId, GroupId, LockId, LockMode, NameId, SiteId, TaskId, TokenId,
};

use super::script::{Block, Schedule, Script, Step, Stop};

/// Locks other than isolated.
const LOCKS: u32 = 2;
/// Tokens.
const TOKENS: u32 = 2;

/// Runs `script` and returns its events.
pub fn simulate(script: &Script) -> Vec<Event> {
    let mut simulator = Simulator::new(script);
    simulator.declare();
    while simulator.turn() {}
    let mut events = simulator.events;
    if let Stop::Fault(after) = script.stop {
        let declarations = (LOCKS + TOKENS) as usize + script.atomics.len();
        stop_with_fault(&mut events, declarations + after as usize);
    }
    events
}

fn stop_with_fault(events: &mut Vec<Event>, after: usize) {
    events.truncate(after);
    while matches!(events.last(), Some(Event::End { .. })) {
        events.pop();
    }
    events.push(Event::Fault {
        site: SiteId::new(0),
        message: FaultKind::DivisionByZero,
    });
}

struct Simulator<'a> {
    script: &'a Script,
    events: Vec<Event>,
    tasks: Vec<Task<'a>>,
    finishes: Vec<Finish>,
    holders: BTreeMap<LockId, BTreeMap<TaskId, LockMode>>,
    signalled: BTreeSet<TokenId>,
    running: Option<TaskId>,
    /// Tasks in the sequence in which they were last put aside; serial runs go on with the latest.
    recent: Vec<TaskId>,
    choices: usize,
    sites: u32,
}

struct Task<'a> {
    finish: FinishId,
    /// What must be signalled before it starts.
    after: Option<TokenId>,
    phase: Phase,
    frames: Vec<Frame<'a>>,
    open: Vec<FinishId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Spawned,
    Begun,
    Ended,
}

/// Steps still to do and what to do after them.
struct Frame<'a> {
    steps: &'a [Step],
    then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    EndFinish(FinishId),
    Release(LockId),
    EndAtomic,
}

struct Finish {
    outer: Option<FinishId>,
    members: Vec<TaskId>,
}

/// What a task does next.
#[derive(Clone, Copy)]
enum Next<'a> {
    Begin,
    Step(&'a Step),
    Leave(Then),
    End,
}

impl<'a> Task<'a> {
    fn new(finish: FinishId, phase: Phase, steps: &'a [Step]) -> Self {
        let frames = vec![Frame {
            steps,
            then: Then::Nothing,
        }];
        Self {
            finish,
            after: None,
            phase,
            frames,
            open: Vec::new(),
        }
    }
}

impl<'a> Simulator<'a> {
    fn new(script: &'a Script) -> Self {
        Self {
            script,
            events: Vec::new(),
            tasks: vec![Task::new(FinishId::MAIN, Phase::Begun, &script.main)],
            finishes: vec![Finish {
                outer: None,
                members: Vec::new(),
            }],
            holders: BTreeMap::new(),
            signalled: BTreeSet::new(),
            running: Some(TaskId::MAIN),
            recent: vec![TaskId::MAIN],
            choices: 0,
            sites: 0,
        }
    }

    fn declare(&mut self) {
        let name = NameId::new(0);
        for lock in (1..=LOCKS).map(LockId::new) {
            self.events.push(Event::DeclareLock { lock, name });
        }
        for token in (0..TOKENS).map(TokenId::new) {
            self.events.push(Event::DeclareToken { token, name });
        }
        for &(span, group) in &self.script.atomics {
            let extent = self.extent(span);
            let group = group.map(|group| GroupId::new(u32::from(group)));
            self.events.push(Event::Atomic { extent, group });
        }
    }

    /// Lets some task do one thing. Says whether the run goes on.
    fn turn(&mut self) -> bool {
        let Some(task) = self.choose() else {
            return self.give_up();
        };
        let next = self.next(task);
        self.switch_to(task);
        match next {
            Next::Begin => {}
            Next::Step(step) => {
                self.advance(task);
                self.step(task, step);
            }
            Next::Leave(then) => self.leave(task, then),
            Next::End => self.end(task),
        }
        self.tasks[TaskId::MAIN.index()].phase != Phase::Ended
    }

    fn choose(&mut self) -> Option<TaskId> {
        let running = self.running.filter(|&task| self.can_go_on(task));
        match &self.script.schedule {
            Schedule::Serial => {
                let latest = self.recent.iter().rev().copied();
                running.or_else(|| latest.into_iter().find(|&task| self.can_go_on(task)))
            }
            Schedule::Interleaved(choices) => {
                let others = (0..self.tasks.len() as u32).map(TaskId::new);
                let others = others.filter(|&task| Some(task) != running && self.can_go_on(task));
                let able: Vec<TaskId> = running.into_iter().chain(others).collect();
                let choice = choices.get(self.choices % choices.len().max(1)).copied();
                self.choices += 1;
                able.get(usize::from(choice.unwrap_or(0)) % able.len().max(1))
                    .copied()
            }
        }
    }

    fn can_go_on(&self, task: TaskId) -> bool {
        match self.next(task) {
            Next::Begin => self.can_begin(task),
            Next::Leave(Then::EndFinish(finish)) => self.all_ended(finish),
            Next::Leave(_) => true,
            Next::End if self.tasks[task.index()].phase == Phase::Ended => false,
            Next::End => task != TaskId::MAIN || self.others_ended(),
            Next::Step(step) => self.can_do(task, step),
        }
    }

    fn can_begin(&self, task: TaskId) -> bool {
        let after = self.tasks[task.index()].after;
        after.is_none_or(|token| self.signalled.contains(&token))
    }

    fn can_do(&self, task: TaskId, step: &Step) -> bool {
        match *step {
            Step::Join(choice) => self
                .joinable(task, choice)
                .is_none_or(|other| self.ended(other)),
            Step::Wait(token) => {
                self.is_isolated(task) || self.signalled.contains(&token_id(token))
            }
            Step::Acquire(lock) | Step::Block(Block::With(lock), _) => {
                self.is_free_for(task, lock_id(lock), LockMode::Exclusive)
            }
            Step::Share(lock) | Step::Block(Block::Sharing(lock), _) => {
                self.is_free_for(task, lock_id(lock), LockMode::Shared)
            }
            Step::Block(Block::Isolated, _) => {
                self.is_free_for(task, LockId::ISOLATED, LockMode::Exclusive)
            }
            _ => true,
        }
    }

    fn next(&self, task: TaskId) -> Next<'a> {
        let state = &self.tasks[task.index()];
        match state.frames.last() {
            _ if state.phase == Phase::Spawned => Next::Begin,
            None => Next::End,
            Some(Frame {
                steps: [step, ..], ..
            }) => Next::Step(step),
            Some(Frame { steps: [], then }) => Next::Leave(*then),
        }
    }

    fn advance(&mut self, task: TaskId) {
        if let Some(frame) = self.tasks[task.index()].frames.last_mut() {
            frame.steps = frame.steps.get(1..).unwrap_or_default();
        }
    }

    fn switch_to(&mut self, task: TaskId) {
        if self.running == Some(task) {
            return;
        }
        let state = &mut self.tasks[task.index()];
        if state.phase == Phase::Spawned {
            state.phase = Phase::Begun;
            let after = state.after;
            self.events.push(Event::Begin { task });
            after.into_iter().for_each(|token| self.wait(token));
        } else {
            self.events.push(Event::Resume { task });
        }
        self.running = Some(task);
        self.recent.retain(|&other| other != task);
        self.recent.push(task);
    }

    /// Nobody can run: the first task that waits in a step or to begin does without it.
    fn give_up(&mut self) -> bool {
        let tasks = (0..self.tasks.len() as u32).map(TaskId::new);
        let gives_up = |&task: &TaskId| matches!(self.next(task), Next::Step(_) | Next::Begin);
        let Some(task) = tasks.into_iter().find(gives_up) else {
            return false;
        };
        match self.next(task) {
            Next::Begin => self.tasks[task.index()].after = None,
            Next::Step(Step::Block(_, steps)) => {
                self.advance(task);
                self.enter(task, steps, Then::Nothing);
            }
            _ => self.advance(task),
        }
        true
    }
}

fn lock_id(choice: u8) -> LockId {
    LockId::new(1 + u32::from(choice) % LOCKS)
}

fn token_id(choice: u8) -> TokenId {
    TokenId::new(u32::from(choice) % TOKENS)
}
