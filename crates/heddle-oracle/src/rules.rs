//! The rules of a well-formed event stream, checked one by one.
//!
//! The rules stand in the documentation of [`heddle_core::Event`]'s module; front ends promise
//! them and engines build on them. [`Rules`] listens to a run and keeps the first breach, so a
//! wrong verdict can be told from a wrong stream.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{Event, Features, FinishId, Listener, LockId, LockMode, TaskId, TokenId};

/// A listener that keeps the first breach of the rules.
#[derive(Debug)]
pub struct Rules {
    features: Features,
    seen: usize,
    breach: Option<String>,
    running: Option<TaskId>,
    tasks: BTreeMap<TaskId, Task>,
    finishes: BTreeMap<FinishId, Finish>,
    locks: usize,
    tokens: usize,
    holders: BTreeMap<LockId, BTreeMap<TaskId, LockMode>>,
    signalled: BTreeSet<TokenId>,
    closed: Closed,
}

#[derive(Debug)]
struct Task {
    finish: FinishId,
    phase: Phase,
    open: Vec<FinishId>,
    blocks: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Spawned,
    Begun,
    Ended,
}

#[derive(Debug)]
struct Finish {
    owner: TaskId,
    /// The finish around this one; the implicit one has none.
    outer: Option<FinishId>,
    open: bool,
    members: Vec<TaskId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closed {
    No,
    Stuck,
    Over,
}

type Checked = Result<(), String>;

impl Listener for Rules {
    fn on(&mut self, event: Event) {
        if self.breach.is_none()
            && let Err(rule) = self.check(event)
        {
            self.breach = Some(format!("event {}, {event:?}: {rule}", self.seen));
        }
        self.seen += 1;
    }
}

impl Rules {
    /// Rules for a program with these features.
    pub fn new(features: Features) -> Self {
        let main = Task {
            finish: FinishId::MAIN,
            phase: Phase::Begun,
            open: Vec::new(),
            blocks: 0,
        };
        let implicit = Finish {
            owner: TaskId::MAIN,
            outer: None,
            open: true,
            members: Vec::new(),
        };
        Self {
            features,
            seen: 0,
            breach: None,
            running: Some(TaskId::MAIN),
            tasks: BTreeMap::from([(TaskId::MAIN, main)]),
            finishes: BTreeMap::from([(FinishId::MAIN, implicit)]),
            locks: 0,
            tokens: 0,
            holders: BTreeMap::new(),
            signalled: BTreeSet::new(),
            closed: Closed::No,
        }
    }

    /// Checks a whole stream.
    pub fn hold(events: &[Event], features: Features) -> Checked {
        let mut rules = Self::new(features);
        for &event in events {
            rules.on(event);
        }
        rules.verdict()
    }

    /// The first breach, if there is one. To be asked after the last event.
    pub fn verdict(self) -> Checked {
        match self.breach {
            Some(breach) => Err(breach),
            None => require(
                self.closed != Closed::No,
                "rule 8: the stream is not closed",
            ),
        }
    }

    fn check(&mut self, event: Event) -> Checked {
        self.check_closed(event)?;
        match event {
            Event::Declare { .. } => Ok(()),
            Event::Atomic { .. } => require(self.features.atomics, "features: no atomics"),
            Event::DeclareLock { lock, .. } => {
                self.locks += 1;
                require(lock.index() == self.locks, "rule 3: lock ids are dense")
            }
            Event::DeclareToken { token, .. } => {
                self.tokens += 1;
                require(
                    token.index() + 1 == self.tokens,
                    "rule 3: token ids are dense",
                )
            }
            Event::Begin { task } => self.begin(task),
            Event::Resume { task } => self.resume(task),
            Event::Stuck { .. } => {
                self.closed = Closed::Stuck;
                Ok(())
            }
            Event::Fault { .. } => {
                self.closed = Closed::Over;
                Ok(())
            }
            _ => {
                let running = self.running.ok_or("rule 2: no task is running")?;
                self.act(running, event)
            }
        }
    }

    fn check_closed(&self, event: Event) -> Checked {
        match self.closed {
            Closed::No => Ok(()),
            Closed::Stuck => require(
                matches!(event, Event::Stuck { .. }),
                "rule 8: only `Stuck` follows `Stuck`",
            ),
            Closed::Over => Err("rule 8: the stream was closed".into()),
        }
    }

    fn act(&mut self, running: TaskId, event: Event) -> Checked {
        match event {
            Event::Spawn { task, finish, .. } => self.spawn(running, task, finish),
            Event::End { task } => self.end(running, task),
            Event::FinishBegin { finish, .. } => self.begin_finish(running, finish),
            Event::FinishEnd { finish } => self.end_finish(running, finish),
            Event::Join { task, .. } => self.join(task),
            Event::Signal { token, .. } => self.signal(token),
            Event::Wait { token, .. } => self.wait(token),
            Event::Acquire { lock, mode, .. } => self.acquire(running, lock, mode),
            Event::Release { lock, .. } => self.release(running, lock),
            Event::Cut { .. } => require(self.features.cuts, "features: no cuts"),
            Event::AtomicBegin { .. } => self.enter_block(running),
            Event::AtomicEnd { .. } => self.leave_block(running),
            _ => Ok(()),
        }
    }

    fn enter_block(&mut self, task: TaskId) -> Checked {
        let state = self.tasks.get_mut(&task).ok_or("rule 3: no such task")?;
        state.blocks += 1;
        require(self.features.atomics, "features: no atomics")
    }

    fn leave_block(&mut self, task: TaskId) -> Checked {
        let state = self.tasks.get_mut(&task).ok_or("rule 3: no such task")?;
        require(state.blocks > 0, "rule 9: leaves a block it is not in")?;
        state.blocks -= 1;
        Ok(())
    }

    fn begin(&mut self, task: TaskId) -> Checked {
        let state = self
            .tasks
            .get_mut(&task)
            .ok_or("rule 3: begins before its spawn")?;
        require(state.phase == Phase::Spawned, "rule 3: begins twice")?;
        state.phase = Phase::Begun;
        self.running = Some(task);
        Ok(())
    }

    fn resume(&mut self, task: TaskId) -> Checked {
        let phase = self.tasks.get(&task).map(|state| state.phase);
        require(
            phase == Some(Phase::Begun),
            "rule 2: resumed, but not begun or already ended",
        )?;
        self.running = Some(task);
        Ok(())
    }

    fn spawn(&mut self, running: TaskId, task: TaskId, finish: FinishId) -> Checked {
        require(
            task.index() == self.tasks.len(),
            "rule 3: task ids are dense",
        )?;
        let around = self.finishes_around(running);
        require(
            around.contains(&finish),
            "rule 4: the finish does not enclose the task",
        )?;
        require(
            self.features.scope_handles || around.first() == Some(&finish),
            "features: no scope handles",
        )?;
        let state = self
            .finishes
            .get_mut(&finish)
            .ok_or("rule 3: no such finish")?;
        require(state.open, "rule 4: the finish is over")?;
        state.members.push(task);
        self.tasks.insert(
            task,
            Task {
                finish,
                phase: Phase::Spawned,
                open: Vec::new(),
                blocks: 0,
            },
        );
        Ok(())
    }

    /// The finishes that enclose a task, from the inside out.
    fn finishes_around(&self, task: TaskId) -> Vec<FinishId> {
        let Some(state) = self.tasks.get(&task) else {
            return Vec::new();
        };
        let mut around = Vec::new();
        let mut next = Some(state.open.last().copied().unwrap_or(state.finish));
        while let Some(finish) = next {
            around.push(finish);
            next = self.finishes.get(&finish).and_then(|state| state.outer);
        }
        around
    }

    fn end(&mut self, running: TaskId, task: TaskId) -> Checked {
        require(running == task, "rule 2: another task is running")?;
        require(
            !self.holders.values().any(|held| held.contains_key(&task)),
            "rule 7: ends with a lock",
        )?;
        let state = self.tasks.get_mut(&task).ok_or("rule 3: no such task")?;
        require(state.open.is_empty(), "rule 5: ends inside its own finish")?;
        state.phase = Phase::Ended;
        self.running = None;
        if task == TaskId::MAIN {
            self.closed = Closed::Over;
            let all_ended = self.tasks.values().all(|task| task.phase == Phase::Ended);
            require(all_ended, "rule 8: the main task ends before the others")?;
        }
        Ok(())
    }

    fn begin_finish(&mut self, running: TaskId, finish: FinishId) -> Checked {
        require(
            finish.index() == self.finishes.len(),
            "rule 3: finish ids are dense",
        )?;
        let outer = self.finishes_around(running).first().copied();
        let state = Finish {
            owner: running,
            outer,
            open: true,
            members: Vec::new(),
        };
        self.finishes.insert(finish, state);
        self.tasks
            .get_mut(&running)
            .ok_or("rule 3: no such task")?
            .open
            .push(finish);
        Ok(())
    }

    fn end_finish(&mut self, running: TaskId, finish: FinishId) -> Checked {
        let state = self
            .finishes
            .get_mut(&finish)
            .ok_or("rule 3: no such finish")?;
        require(state.owner == running, "rule 5: another task began it")?;
        state.open = false;
        let task = self.tasks.get_mut(&running).ok_or("rule 3: no such task")?;
        require(
            task.open.pop() == Some(finish),
            "rule 5: not the innermost one",
        )?;
        let members = state.members.iter();
        let ended = members.filter_map(|member| self.tasks.get(member));
        require(
            ended.into_iter().all(|member| member.phase == Phase::Ended),
            "rule 5: a task of the finish has not ended",
        )
    }

    fn join(&self, task: TaskId) -> Checked {
        require(self.features.extra_edges, "features: no extra edges")?;
        let phase = self.tasks.get(&task).map(|state| state.phase);
        require(phase == Some(Phase::Ended), "rule 6: joined before its end")
    }

    fn signal(&mut self, token: TokenId) -> Checked {
        require(self.features.extra_edges, "features: no extra edges")?;
        require(
            token.index() < self.tokens,
            "rule 3: the token was not announced",
        )?;
        self.signalled.insert(token);
        Ok(())
    }

    fn wait(&self, token: TokenId) -> Checked {
        require(self.features.extra_edges, "features: no extra edges")?;
        require(self.signalled.contains(&token), "rule 6: nobody signalled")
    }

    fn acquire(&mut self, running: TaskId, lock: LockId, mode: LockMode) -> Checked {
        let allowed = if lock == LockId::ISOLATED {
            self.features.isolated
        } else {
            self.features.locks
        };
        require(allowed, "features: no such lock")?;
        require(
            lock.index() <= self.locks,
            "rule 3: the lock was not announced",
        )?;
        let may_share = lock != LockId::ISOLATED || mode == LockMode::Exclusive;
        require(may_share, "rule 7: isolated is shared")?;
        let holders = self.holders.entry(lock).or_default();
        let is_free = match mode {
            LockMode::Exclusive => holders.is_empty(),
            LockMode::Shared => holders.values().all(|&how| how == LockMode::Shared),
        };
        let taken = holders.insert(running, mode);
        require(is_free && taken.is_none(), "rule 7: the lock is held")
    }

    fn release(&mut self, running: TaskId, lock: LockId) -> Checked {
        let holders = self.holders.entry(lock).or_default();
        require(
            holders.remove(&running).is_some(),
            "rule 7: the task does not hold the lock",
        )
    }
}

/// Whether every task ran at its spawn, at once and to its end: what bags rely on.
pub fn is_depth_first(events: &[Event]) -> bool {
    let mut suspended = vec![TaskId::MAIN];
    let mut previous = None;
    for &event in events {
        let in_sequence = match event {
            Event::Begin { task } => {
                suspended.push(task);
                matches!(previous, Some(Event::Spawn { task: spawned, .. }) if spawned == task)
            }
            Event::End { .. } => {
                suspended.pop();
                !matches!(previous, Some(Event::Spawn { .. }))
            }
            Event::Resume { task } => {
                matches!(previous, Some(Event::End { .. })) && suspended.last() == Some(&task)
            }
            Event::Stuck { .. } => false,
            Event::Fault { .. } => true,
            _ => !matches!(previous, Some(Event::Spawn { .. })),
        };
        if !in_sequence {
            return false;
        }
        previous = Some(event);
    }
    true
}

fn require(holds: bool, rule: &str) -> Checked {
    if holds { Ok(()) } else { Err(rule.into()) }
}
