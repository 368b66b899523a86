//! Possible deadlocks, predicted from one run, against all schedules of small random lock programs.
//!
//! The programs have no values, so that every schedule does the same: a deadlock is predicted iff some
//! schedule has one. Where task operations are made inside of sections, a prediction may be
//! wrong (see the module `deadlock`), but no deadlock is missed.

use heddle_check::possible_deadlocks;
use heddle_core::{
    Event, Features, Finding, FinishId, FinishKind, Listener, LockId, LockMode, NameId, Run,
    SiteId, TaskId, TaskKind,
};
use heddle_oracle::Rules;
use proptest::prelude::*;
use std::collections::HashSet;

#[derive(Clone, Debug)]
enum Statement {
    /// A section of a lock, shared if so told. One of a lock that is held is part of it.
    With(u8, bool, Vec<Statement>),
    Async(Vec<Statement>),
    Future(Vec<Statement>),
    /// Waits for the task's latest future.
    Get,
    Finish(Vec<Statement>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Acquire(u8, LockMode),
    Release(u8),
    Spawn(usize, TaskKind),
    Get(usize),
    FinishBegin,
    FinishEnd,
}

#[derive(Clone, Debug, Default)]
struct Task {
    parent: usize,
    operations: Vec<Operation>,
}

/// Every task's operations; task 0 is the main task.
#[derive(Clone, Debug)]
struct Program(Vec<Task>);

impl Program {
    fn new(body: &[Statement]) -> Self {
        let mut program = Self(vec![Task::default()]);
        program.task(0, body, &mut Vec::new(), &mut None);
        program
    }

    fn push(&mut self, task: usize, operation: Operation) {
        self.0[task].operations.push(operation);
    }

    fn task(
        &mut self,
        task: usize,
        body: &[Statement],
        held: &mut Vec<u8>,
        latest: &mut Option<usize>,
    ) {
        for statement in body {
            match statement {
                Statement::With(lock, _, body) if held.contains(lock) => {
                    self.task(task, body, held, latest);
                }
                Statement::With(lock, shared, body) => {
                    let mode = match shared {
                        true => LockMode::Shared,
                        false => LockMode::Exclusive,
                    };
                    self.push(task, Operation::Acquire(*lock, mode));
                    held.push(*lock);
                    self.task(task, body, held, latest);
                    held.pop();
                    self.push(task, Operation::Release(*lock));
                }
                Statement::Async(body) => {
                    self.spawn(task, TaskKind::Async, body);
                }
                Statement::Future(body) => {
                    *latest = Some(self.spawn(task, TaskKind::Future, body));
                }
                Statement::Get => {
                    if let Some(future) = *latest {
                        self.push(task, Operation::Get(future));
                    }
                }
                Statement::Finish(body) => {
                    self.push(task, Operation::FinishBegin);
                    self.task(task, body, held, latest);
                    self.push(task, Operation::FinishEnd);
                }
            }
        }
    }

    fn spawn(&mut self, parent: usize, kind: TaskKind, body: &[Statement]) -> usize {
        let child = self.0.len();
        self.0.push(Task {
            parent,
            operations: Vec::new(),
        });
        self.push(parent, Operation::Spawn(child, kind));
        self.task(child, body, &mut Vec::new(), &mut None);
        child
    }

    fn is_below(&self, task: usize, ancestor: usize) -> bool {
        task == ancestor || task != 0 && self.is_below(self.0[task].parent, ancestor)
    }
}

/// How far each task is.
type State = Vec<u8>;

impl Program {
    fn is_spawned(&self, state: &State, task: usize) -> bool {
        let parent = self.0[task].parent;
        let mut done = self.0[parent].operations[..state[parent] as usize].iter();
        task == 0
            || done
                .any(|&operation| matches!(operation, Operation::Spawn(child, _) if child == task))
    }

    fn is_over(&self, state: &State, task: usize) -> bool {
        self.is_spawned(state, task) && state[task] as usize == self.0[task].operations.len()
    }

    fn holds(&self, state: &State, task: usize, lock: u8) -> Option<LockMode> {
        let done = &self.0[task].operations[..state[task] as usize];
        done.iter().fold(None, |held, &operation| match operation {
            Operation::Acquire(taken, mode) if taken == lock => Some(mode),
            Operation::Release(given) if given == lock => None,
            _ => held,
        })
    }

    /// The operation that the task can do next.
    fn enabled(&self, state: &State, task: usize) -> Option<Operation> {
        let operation = *self.0[task].operations.get(state[task] as usize)?;
        let can = match operation {
            Operation::Acquire(lock, mode) => (0..self.0.len()).all(|other| {
                let held = self.holds(state, other, lock);
                other == task || held.is_none_or(|held| !held.excludes(mode))
            }),
            Operation::Get(future) => self.is_over(state, future),
            Operation::FinishEnd => self.finish_is_over(state, task),
            _ => true,
        };
        (can && self.is_spawned(state, task)).then_some(operation)
    }

    fn finish_is_over(&self, state: &State, task: usize) -> bool {
        let done = &self.0[task].operations[..state[task] as usize];
        let mut depth = 0;
        for &operation in done.iter().rev() {
            match operation {
                Operation::FinishEnd => depth += 1,
                Operation::FinishBegin if depth == 0 => return true,
                Operation::FinishBegin => depth -= 1,
                Operation::Spawn(child, _) => {
                    let mut below = (0..self.0.len()).filter(|&other| self.is_below(other, child));
                    if below.any(|other| !self.is_over(state, other)) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Whether any schedule ends with tasks that cannot go on.
    fn can_deadlock(&self) -> bool {
        let mut open = vec![vec![0; self.0.len()]];
        let mut seen: HashSet<State> = HashSet::new();
        while let Some(state) = open.pop() {
            let tasks = 0..self.0.len();
            let next: Vec<usize> = tasks
                .filter(|&task| self.enabled(&state, task).is_some())
                .collect();
            let all_over = (0..self.0.len()).all(|task| self.is_over(&state, task));
            if next.is_empty() && !all_over {
                return true;
            }
            for task in next {
                let mut state = state.clone();
                state[task] += 1;
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            }
        }
        false
    }

    /// The events of the run that prefers the task created last; none if it gets stuck.
    fn serial_run(&self) -> Option<Recorded> {
        let mut run = Recording::new(self);
        loop {
            let tasks = (0..self.0.len()).rev();
            let mut enabled = tasks.filter(|&task| self.enabled(&run.state, task).is_some());
            match enabled.next() {
                Some(task) => run.step(task),
                None => break,
            }
        }
        let all_over = (0..self.0.len()).all(|task| self.is_over(&run.state, task));
        run.switch(0);
        run.events.push(Event::End { task: TaskId::MAIN });
        let recorded = all_over.then_some(Recorded(run.events))?;
        Rules::hold(&recorded.0, recorded.features()).expect("a well-formed stream");
        Some(recorded)
    }
}

struct Recording<'a> {
    program: &'a Program,
    state: State,
    events: Vec<Event>,
    ids: Vec<Option<TaskId>>,
    has_begun: Vec<bool>,
    /// The open finishes of each task.
    finishes: Vec<Vec<FinishId>>,
    tasks: u32,
    finish_count: u32,
    running: usize,
}

impl<'a> Recording<'a> {
    fn new(program: &'a Program) -> Self {
        let count = program.0.len();
        let locks = (1..=LOCKS).map(|lock| Event::DeclareLock {
            lock: LockId::new(u32::from(lock)),
            name: NameId::new(0),
        });
        let mut recording = Self {
            program,
            state: vec![0; count],
            events: locks.collect(),
            ids: vec![None; count],
            has_begun: vec![false; count],
            finishes: vec![Vec::new(); count],
            tasks: 0,
            finish_count: 0,
            running: 0,
        };
        recording.ids[0] = Some(TaskId::MAIN);
        recording.has_begun[0] = true;
        recording
    }

    fn id(&self, task: usize) -> TaskId {
        self.ids[task].expect("spawned")
    }

    fn finish_of(&self, task: usize) -> FinishId {
        match self.finishes[task].last() {
            Some(&finish) => finish,
            None => FinishId::MAIN,
        }
    }

    fn step(&mut self, task: usize) {
        self.switch(task);
        let at = self.state[task] as usize;
        let site = SiteId::new((task * 64 + at) as u32);
        match self.program.0[task].operations[at] {
            Operation::Acquire(lock, mode) => {
                let lock = LockId::new(u32::from(lock) + 1);
                self.events.push(Event::Acquire { lock, mode, site });
            }
            Operation::Release(lock) => {
                let lock = LockId::new(u32::from(lock) + 1);
                self.events.push(Event::Release { lock, site });
            }
            Operation::Spawn(child, kind) => self.spawn(task, child, kind, site),
            Operation::Get(future) => {
                let task = self.id(future);
                self.events.push(Event::Join { task, site });
            }
            Operation::FinishBegin => {
                self.finish_count += 1;
                let finish = FinishId::new(self.finish_count);
                self.finishes[task].push(finish);
                let kind = FinishKind::Finish;
                self.events.push(Event::FinishBegin { finish, kind, site });
            }
            Operation::FinishEnd => {
                let finish = self.finishes[task].pop().expect("begun");
                self.events.push(Event::FinishEnd { finish });
            }
        }
        self.state[task] += 1;
        self.end_if_over(task);
    }

    fn spawn(&mut self, parent: usize, child: usize, kind: TaskKind, site: SiteId) {
        self.tasks += 1;
        let task = TaskId::new(self.tasks);
        self.ids[child] = Some(task);
        let finish = self.finish_of(parent);
        // Its own tasks belong to the same finish until it opens one.
        self.finishes[child].push(finish);
        let name = None;
        self.events.push(Event::Spawn {
            task,
            finish,
            kind,
            site,
            name,
        });
        if self.program.0[child].operations.is_empty() {
            self.switch(child);
            self.end_if_over(child);
        }
    }

    fn switch(&mut self, task: usize) {
        if self.running == task && self.has_begun[task] {
            return;
        }
        self.running = task;
        let id = self.id(task);
        self.events.push(match self.has_begun[task] {
            true => Event::Resume { task: id },
            false => Event::Begin { task: id },
        });
        self.has_begun[task] = true;
    }

    fn end_if_over(&mut self, task: usize) {
        if task != 0 && self.state[task] as usize == self.program.0[task].operations.len() {
            // A child without operations may have run last.
            self.switch(task);
            let task = self.id(task);
            self.events.push(Event::End { task });
            self.running = usize::MAX;
        }
    }
}

struct Recorded(Vec<Event>);

impl Run for Recorded {
    fn features(&self) -> Features {
        Features {
            extra_edges: true,
            locks: true,
            ..Features::default()
        }
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.0.iter().for_each(|&event| listener.on(event));
    }
}

const LOCKS: u8 = 3;

/// Sections without task operations inside, down to this depth.
fn sections(depth: u32) -> BoxedStrategy<Vec<Statement>> {
    let inner = match depth {
        0 => Just(Vec::new()).boxed(),
        _ => sections(depth - 1),
    };
    let section = (0..LOCKS, prop::bool::weighted(0.2), inner);
    let section = section.prop_map(|(lock, shared, body)| Statement::With(lock, shared, body));
    prop::collection::vec(section, 0..3).boxed()
}

fn structured(depth: u32) -> BoxedStrategy<Vec<Statement>> {
    if depth == 0 {
        return sections(2);
    }
    let body = || structured(depth - 1);
    let statement = prop_oneof![
        3 => sections(2),
        3 => body().prop_map(|body| vec![Statement::Async(body)]),
        1 => body().prop_map(|body| vec![Statement::Future(body)]),
        1 => Just(vec![Statement::Get]),
        1 => body().prop_map(|body| vec![Statement::Finish(body)]),
    ];
    prop::collection::vec(statement, 0..4)
        .prop_map(|parts| parts.concat())
        .boxed()
}

/// Anything anywhere.
fn mixed(depth: u32) -> BoxedStrategy<Vec<Statement>> {
    if depth == 0 {
        return Just(Vec::new()).boxed();
    }
    let body = || mixed(depth - 1);
    let statement = prop_oneof![
        3 => (0..LOCKS, prop::bool::weighted(0.2), body())
            .prop_map(|(lock, shared, body)| Statement::With(lock, shared, body)),
        2 => body().prop_map(Statement::Async),
        1 => body().prop_map(Statement::Future),
        1 => Just(Statement::Get),
        1 => body().prop_map(Statement::Finish),
    ];
    prop::collection::vec(statement, 0..3).boxed()
}

fn is_small(program: &Program) -> bool {
    let operations: usize = program.0.iter().map(|task| task.operations.len()).sum();
    program.0.len() <= 6 && operations <= 36
}

fn predicted(program: &Program) -> Option<Vec<Finding>> {
    program
        .serial_run()
        .map(|mut run| possible_deadlocks(&mut run).expect("address space"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn a_deadlock_is_predicted_iff_some_schedule_has_it(body in structured(2)) {
        let program = Program::new(&body);
        prop_assume!(is_small(&program));
        if let Some(found) = predicted(&program) {
            prop_assert_eq!(!found.is_empty(), program.can_deadlock(), "{:#?}", found);
        }
    }

    #[test]
    fn no_deadlock_is_missed_where_sections_span_task_operations(body in mixed(4)) {
        let program = Program::new(&body);
        prop_assume!(is_small(&program));
        if let Some(found) = predicted(&program) {
            prop_assert!(!found.is_empty() || !program.can_deadlock());
        }
    }
}

fn with(lock: u8, body: Vec<Statement>) -> Statement {
    Statement::With(lock, false, body)
}

fn read(lock: u8, body: Vec<Statement>) -> Statement {
    Statement::With(lock, true, body)
}

fn tasks(bodies: Vec<Vec<Statement>>) -> Program {
    let tasks = bodies.into_iter().map(Statement::Async).collect();
    Program::new(&[Statement::Finish(tasks)])
}

#[track_caller]
fn check(program: Program, deadlocks: usize) {
    let found = predicted(&program).expect("the run comes to its end");
    assert_eq!(found.len(), deadlocks, "{found:#?}");
    assert_eq!(program.can_deadlock(), deadlocks > 0);
}

#[test]
fn two_locks_in_opposite_sequence_are_one_deadlock() {
    let one = vec![with(0, vec![with(1, vec![])])];
    let other = vec![with(1, vec![with(0, vec![])])];
    check(tasks(vec![one.clone(), other]), 1);
    check(tasks(vec![one.clone(), one]), 0);
}

#[test]
fn one_task_alone_waits_for_nobody() {
    let one = with(0, vec![with(1, vec![])]);
    let other = with(1, vec![with(0, vec![])]);
    check(tasks(vec![vec![one.clone(), other.clone()]]), 0);
    check(Program::new(&[one, Statement::Async(vec![other])]), 0);
}

#[test]
fn philosophers_wait_in_a_circle() {
    let fork = |left: u8, right: u8| vec![with(left, vec![with(right, vec![])])];
    check(tasks(vec![fork(0, 1), fork(1, 2), fork(2, 0)]), 1);
    check(tasks(vec![fork(0, 1), fork(1, 2), fork(0, 2)]), 0);
}

#[test]
fn a_gate_lock_keeps_tasks_apart() {
    let one = vec![with(2, vec![with(0, vec![with(1, vec![])])])];
    let other = vec![with(2, vec![with(1, vec![with(0, vec![])])])];
    check(tasks(vec![one, other]), 0);
}

#[test]
fn readers_keep_no_readers_waiting() {
    let writer = vec![with(0, vec![with(1, vec![])])];
    let reader = vec![with(1, vec![read(0, vec![])])];
    check(tasks(vec![writer, reader.clone()]), 1);
    let other = vec![read(0, vec![with(1, vec![])])];
    check(tasks(vec![other, reader]), 0);
}

#[test]
fn a_gate_that_readers_share_is_none() {
    let one = vec![read(2, vec![with(0, vec![with(1, vec![])])])];
    let other = vec![read(2, vec![with(1, vec![with(0, vec![])])])];
    check(tasks(vec![one, other]), 1);
}

#[test]
fn a_lock_taken_again_is_not_waited_for() {
    let again = vec![with(0, vec![with(1, vec![with(0, vec![])])])];
    check(tasks(vec![again.clone(), again]), 0);
}

#[test]
fn a_wait_for_a_task_that_needs_the_lock_held_is_a_deadlock() {
    let needs = Statement::Future(vec![with(0, vec![])]);
    let get = Statement::Get;
    check(
        Program::new(&[needs.clone(), with(0, vec![get.clone()])]),
        1,
    );
    check(Program::new(&[needs.clone(), get, with(0, vec![])]), 0);
    let spawns = Statement::Future(vec![with(0, vec![]), Statement::Async(vec![])]);
    check(
        Program::new(&[Statement::Finish(vec![
            spawns,
            with(0, vec![Statement::Get]),
        ])]),
        1,
    );
    let finish = |inside: Statement| Statement::Finish(vec![needs.clone(), inside]);
    check(Program::new(&[finish(with(0, vec![]))]), 0);
}

#[test]
fn a_circle_may_lead_through_a_wait_for_tasks() {
    // One holds 0 and waits for a future that takes 1; the other holds 1 and takes 0.
    let one = vec![
        Statement::Future(vec![with(1, vec![])]),
        with(0, vec![Statement::Get]),
    ];
    let other = vec![with(1, vec![with(0, vec![])])];
    check(tasks(vec![one, other]), 1);
}
