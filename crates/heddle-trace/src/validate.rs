//! The rules of a well-formed stream (see [`Event`]'s module), enforced event by event.
//!
//! Detectors index tables by the ids in events and trust that the stream keeps the rules. A live
//! front end keeps them by construction; a file does not, and a right checksum proves nothing. The
//! reader therefore steps every event through a [`Validator`] once, and tests do the same with
//! live runs.
//!
//! Besides rules 1 to 9: features that were not announced must not show up, sites and names must
//! be in the legend, and the memory a detector needs must be in proportion to the stream
//! ([`Limits`]).
//!
//! Invariants: a finish that encloses the running task is open (a task cannot end before its own
//! finishes, nor a finish before its tasks), so one ancestor query settles rule 4; at a task's
//! end its innermost scope is the finish it was spawned into.
//!
//! Cost: O(1) per event, O(log depth) for a spawn through a scope handle; 16 bytes per task, 20
//! per finish, 8 per lock, 1 per token; O(log holds) and a row of a tree where locks are shared. Tables grow by one row per announcing event.

use std::collections::BTreeSet;

use heddle_core::{
    Awaited, Event, Extent, FaultKind, Features, FinishId, Listener, LockId, LockMode, SiteId,
    TaskId, TokenId,
};

use crate::limits::{FREE, Limits};
use crate::scopes::Scopes;
use crate::violation::{Feature, Kind, Violation};

type Verdict = Result<(), Violation>;

/// Steps through a stream and stops at the first violation.
#[derive(Clone, Debug)]
pub struct Validator {
    features: Features,
    limits: Limits,
    tasks: Vec<Task>,
    scopes: Scopes,
    /// Who holds each lock alone.
    locks: Vec<Option<TaskId>>,
    /// Who holds which lock together with others.
    readers: BTreeSet<(LockId, TaskId)>,
    /// Whether each token was signalled.
    tokens: Vec<bool>,
    running: Option<TaskId>,
    /// Spawned tasks that have not ended.
    live: u32,
    spread: u64,
    stage: Stage,
    first: Verdict,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    /// The innermost finish the task has open, else the one it was spawned into.
    scope: FinishId,
    /// How many locks it holds.
    holds: u32,
    /// How many atomic blocks it is in.
    blocks: u32,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Spawned,
    Begun,
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Open,
    /// After the first `Stuck`: only more of them.
    Stuck,
    Closed,
}

impl Validator {
    /// A validator at the start of a run.
    pub fn new(features: Features, limits: Limits) -> Self {
        let main = Task {
            scope: FinishId::MAIN,
            holds: 0,
            blocks: 0,
            phase: Phase::Begun,
        };
        Self {
            features,
            limits,
            tasks: vec![main],
            scopes: Scopes::new(),
            locks: vec![None],
            readers: BTreeSet::new(),
            tokens: Vec::new(),
            running: Some(TaskId::MAIN),
            live: 0,
            spread: 0,
            stage: Stage::Open,
            first: Ok(()),
        }
    }

    /// Takes the next event. After a violation the state makes no sense any more: the same
    /// violation is returned for ever.
    pub fn step(&mut self, event: Event) -> Verdict {
        self.first?;
        self.first = self.event(event);
        self.first
    }

    /// Says whether the stream was well-formed and came to its close.
    pub fn finish(&self) -> Verdict {
        self.first?;
        ensure(self.stage != Stage::Open, Violation::NotClosed)
    }

    fn event(&mut self, event: Event) -> Verdict {
        let open = match event {
            Event::Stuck { .. } => self.stage != Stage::Closed,
            _ => self.stage == Stage::Open,
        };
        ensure(open, Violation::AfterClose)?;
        match event {
            Event::Declare { extent, name, .. } => {
                self.limits.extent(extent)?;
                self.limits.name(name)
            }
            Event::Atomic { extent, .. } => {
                self.announced(self.features.atomics, Feature::Atomics)?;
                self.limits.extent(extent)?;
                self.spread_over(extent)
            }
            Event::DeclareLock { lock, name } => {
                self.limits.name(name)?;
                next(Kind::Lock, lock.raw(), self.locks.len())?;
                self.locks.push(None);
                Ok(())
            }
            Event::DeclareToken { token, name } => {
                self.limits.name(name)?;
                next(Kind::Token, token.raw(), self.tokens.len())?;
                self.tokens.push(false);
                Ok(())
            }
            Event::Begin { task } => self.begin(task),
            Event::Resume { task } => self.resume(task),
            Event::Stuck {
                task,
                awaited,
                site,
            } => self.stuck(task, awaited, site),
            Event::Fault { site, message } => self.fault(site, message),
            _ => {
                let running = self.running.ok_or(Violation::NothingRuns)?;
                self.event_of(running, event)
            }
        }
    }

    /// An event that belongs to the running task.
    fn event_of(&mut self, running: TaskId, event: Event) -> Verdict {
        match event {
            Event::Read { extent, site }
            | Event::Write { extent, site }
            | Event::Free { extent, site } => self.access(extent, site),
            Event::Alloc { extent, name, site } => {
                self.limits.extent(extent)?;
                self.limits.site(site)?;
                name.map_or(Ok(()), |name| self.limits.name(name))
            }
            Event::Bind { name, .. } => self.limits.name(name),
            Event::Spawn {
                task,
                finish,
                site,
                name,
                ..
            } => {
                self.limits.site(site)?;
                name.map_or(Ok(()), |name| self.limits.name(name))?;
                self.spawn(running, task, finish)
            }
            Event::End { task } => self.end(running, task),
            Event::FinishBegin { finish, site, .. } => {
                self.limits.site(site)?;
                self.finish_begin(running, finish)
            }
            Event::FinishEnd { finish } => self.finish_end(running, finish),
            Event::Join { task, site } => self.join(task, site),
            Event::Signal { token, site } => self.signal(token, site),
            Event::Wait { token, site } => self.wait(token, site),
            Event::Acquire { lock, mode, site } => self.acquire(running, lock, mode, site),
            Event::Release { lock, site } => self.release(running, lock, site),
            Event::Cut { site, .. } => {
                self.announced(self.features.cuts, Feature::Cuts)?;
                self.limits.site(site)
            }
            Event::AtomicBegin { site } => self.enter_block(running, site),
            Event::AtomicEnd { site } => self.leave_block(running, site),
            Event::AssertionFailed { site } => self.limits.site(site),
            Event::Declare { .. }
            | Event::Atomic { .. }
            | Event::DeclareLock { .. }
            | Event::DeclareToken { .. }
            | Event::Begin { .. }
            | Event::Resume { .. }
            | Event::Stuck { .. }
            | Event::Fault { .. } => unreachable!("handled by `event`"),
        }
    }
}

/// Atomic blocks: rule 9.
impl Validator {
    fn enter_block(&mut self, running: TaskId, site: SiteId) -> Verdict {
        self.announced(self.features.atomics, Feature::Atomics)?;
        let task = self.task_mut(running)?;
        task.blocks = task.blocks.saturating_add(1);
        self.limits.site(site)
    }

    fn leave_block(&mut self, running: TaskId, site: SiteId) -> Verdict {
        let task = self.task_mut(running)?;
        let left = task.blocks.checked_sub(1);
        task.blocks = left.ok_or(Violation::NotInBlock(running))?;
        self.limits.site(site)
    }
}

/// Tasks and finishes: rules 2 to 5.
impl Validator {
    fn spawn(&mut self, running: TaskId, task: TaskId, finish: FinishId) -> Verdict {
        next(Kind::Task, task.raw(), self.tasks.len())?;
        let innermost = self.task(running)?.scope;
        if finish != innermost {
            self.announced(self.features.scope_handles, Feature::ScopeHandles)?;
        }
        let known = self.scopes.get(finish).is_some();
        ensure(
            known,
            Violation::Unknown {
                kind: Kind::Finish,
                id: finish.raw(),
            },
        )?;
        ensure(
            self.scopes.encloses(finish, innermost),
            Violation::NotEnclosing(finish),
        )?;
        if let Some(into) = self.scopes.get_mut(finish) {
            into.pending += 1;
        }
        self.live += 1;
        self.tasks.push(Task {
            scope: finish,
            holds: 0,
            blocks: 0,
            phase: Phase::Spawned,
        });
        Ok(())
    }

    fn begin(&mut self, id: TaskId) -> Verdict {
        let task = self.task_mut(id)?;
        ensure(task.phase == Phase::Spawned, Violation::BeganBefore(id))?;
        task.phase = Phase::Begun;
        self.running = Some(id);
        Ok(())
    }

    fn resume(&mut self, id: TaskId) -> Verdict {
        match self.task(id)?.phase {
            Phase::Spawned => Err(Violation::NeverBegan(id)),
            Phase::Ended => Err(Violation::EndedBefore(id)),
            Phase::Begun => {
                self.running = Some(id);
                Ok(())
            }
        }
    }

    fn end(&mut self, running: TaskId, id: TaskId) -> Verdict {
        ensure(running == id, Violation::NotRunning(id))?;
        let task = *self.task(id)?;
        ensure(task.holds == 0, Violation::HeldAtEnd(id))?;
        if id == TaskId::MAIN {
            return self.end_main(task.scope);
        }
        let into = self
            .scopes
            .get_mut(task.scope)
            .ok_or(Violation::NotInnermost(task.scope))?;
        ensure(into.owner != id, Violation::FinishOpen(task.scope))?;
        into.pending -= 1;
        self.live -= 1;
        self.task_mut(id)?.phase = Phase::Ended;
        self.running = None;
        Ok(())
    }

    fn end_main(&mut self, scope: FinishId) -> Verdict {
        ensure(scope == FinishId::MAIN, Violation::FinishOpen(scope))?;
        let pending = Violation::TasksPending {
            finish: scope,
            tasks: self.live,
        };
        ensure(self.live == 0, pending)?;
        self.stage = Stage::Closed;
        Ok(())
    }

    fn finish_begin(&mut self, running: TaskId, id: FinishId) -> Verdict {
        next(Kind::Finish, id.raw(), self.scopes.len())?;
        let parent = self.task(running)?.scope;
        self.scopes.begin(running, parent);
        self.task_mut(running)?.scope = id;
        Ok(())
    }

    fn finish_end(&mut self, running: TaskId, id: FinishId) -> Verdict {
        let unknown = Violation::Unknown {
            kind: Kind::Finish,
            id: id.raw(),
        };
        let finish = *self.scopes.get(id).ok_or(unknown)?;
        let task = self.task_mut(running)?;
        let own = finish.owner == running && id != FinishId::MAIN;
        ensure(own && task.scope == id, Violation::NotInnermost(id))?;
        let pending = Violation::TasksPending {
            finish: id,
            tasks: finish.pending,
        };
        ensure(finish.pending == 0, pending)?;
        task.scope = finish.parent;
        Ok(())
    }
}

/// Extra edges and locks: rules 6 and 7.
impl Validator {
    fn join(&self, task: TaskId, site: SiteId) -> Verdict {
        self.announced(self.features.extra_edges, Feature::ExtraEdges)?;
        self.limits.site(site)?;
        ensure(
            self.task(task)?.phase == Phase::Ended,
            Violation::NotEnded(task),
        )
    }

    fn signal(&mut self, token: TokenId, site: SiteId) -> Verdict {
        self.announced(self.features.extra_edges, Feature::ExtraEdges)?;
        self.limits.site(site)?;
        self.token(token)?;
        self.tokens[token.index()] = true;
        Ok(())
    }

    fn wait(&self, token: TokenId, site: SiteId) -> Verdict {
        self.announced(self.features.extra_edges, Feature::ExtraEdges)?;
        self.limits.site(site)?;
        ensure(self.token(token)?, Violation::NotSignalled(token))
    }

    fn acquire(&mut self, running: TaskId, lock: LockId, mode: LockMode, site: SiteId) -> Verdict {
        match lock {
            LockId::ISOLATED => self.announced(self.features.isolated, Feature::Isolated)?,
            _ => self.announced(self.features.locks, Feature::Locks)?,
        }
        self.limits.site(site)?;
        ensure(self.holder(lock)?.is_none(), Violation::Held(lock))?;
        match mode {
            LockMode::Exclusive => {
                ensure(!self.has_readers(lock), Violation::Held(lock))?;
                self.locks[lock.index()] = Some(running);
            }
            LockMode::Shared => {
                ensure(lock != LockId::ISOLATED, Violation::SharedIsolated)?;
                ensure(self.readers.insert((lock, running)), Violation::Held(lock))?;
            }
        }
        self.task_mut(running)?.holds += 1;
        Ok(())
    }

    fn release(&mut self, running: TaskId, lock: LockId, site: SiteId) -> Verdict {
        self.limits.site(site)?;
        if self.holder(lock)? == Some(running) {
            self.locks[lock.index()] = None;
        } else {
            let shared = self.readers.remove(&(lock, running));
            ensure(shared, Violation::NotHeld(lock))?;
        }
        self.task_mut(running)?.holds -= 1;
        Ok(())
    }
}

/// Early ends: rule 8.
impl Validator {
    fn stuck(&mut self, task: TaskId, awaited: Awaited, site: SiteId) -> Verdict {
        self.limits.site(site)?;
        ensure(
            self.task(task)?.phase != Phase::Ended,
            Violation::EndedBefore(task),
        )?;
        match awaited {
            Awaited::Finish(finish) => {
                let unknown = Violation::Unknown {
                    kind: Kind::Finish,
                    id: finish.raw(),
                };
                self.scopes.get(finish).ok_or(unknown)?;
            }
            Awaited::Task(task) => {
                self.task(task)?;
            }
            Awaited::Token(token) => {
                self.token(token)?;
            }
            Awaited::Lock(lock) => {
                self.holder(lock)?;
            }
            Awaited::Region(name) => self.limits.name(name)?,
        }
        self.stage = Stage::Stuck;
        Ok(())
    }

    fn fault(&mut self, site: SiteId, fault: FaultKind) -> Verdict {
        self.limits.site(site)?;
        match fault {
            FaultKind::LockAlreadyHeld { lock }
            | FaultKind::LockNotHeld { lock }
            | FaultKind::LockHeldAtEnd { lock } => {
                self.holder(lock)?;
            }
            FaultKind::AlreadySatisfied { token } => {
                self.token(token)?;
            }
            FaultKind::NoSuchTask { name } => self.limits.name(name)?,
            FaultKind::DivisionByZero
            | FaultKind::IndexOutOfRange { .. }
            | FaultKind::BadLength { .. }
            | FaultKind::TaskOperationInIsolated
            | FaultKind::WrongValue(_)
            | FaultKind::LimitReached => {}
        }
        self.stage = Stage::Closed;
        Ok(())
    }
}

/// Look-ups and limits.
impl Validator {
    fn access(&mut self, extent: Extent, site: SiteId) -> Verdict {
        self.limits.extent(extent)?;
        self.limits.site(site)?;
        self.spread_over(extent)
    }

    /// A detector has a cell for each of these locations.
    fn spread_over(&mut self, extent: Extent) -> Verdict {
        self.spread = self.spread.saturating_add(extent.len.saturating_sub(FREE));
        ensure(self.spread <= self.limits.spread, Violation::TooSpread)
    }

    fn task(&self, id: TaskId) -> Result<&Task, Violation> {
        let unknown = Violation::Unknown {
            kind: Kind::Task,
            id: id.raw(),
        };
        self.tasks.get(id.index()).ok_or(unknown)
    }

    fn task_mut(&mut self, id: TaskId) -> Result<&mut Task, Violation> {
        let unknown = Violation::Unknown {
            kind: Kind::Task,
            id: id.raw(),
        };
        self.tasks.get_mut(id.index()).ok_or(unknown)
    }

    fn has_readers(&self, lock: LockId) -> bool {
        let of_lock = (lock, TaskId::new(0))..=(lock, TaskId::new(u32::MAX));
        self.readers.range(of_lock).next().is_some()
    }

    /// Who holds it alone.
    fn holder(&self, lock: LockId) -> Result<Option<TaskId>, Violation> {
        let unknown = Violation::Unknown {
            kind: Kind::Lock,
            id: lock.raw(),
        };
        self.locks.get(lock.index()).copied().ok_or(unknown)
    }

    fn token(&self, token: TokenId) -> Result<bool, Violation> {
        let unknown = Violation::Unknown {
            kind: Kind::Token,
            id: token.raw(),
        };
        self.tokens.get(token.index()).copied().ok_or(unknown)
    }

    fn announced(&self, announced: bool, feature: Feature) -> Verdict {
        ensure(announced, Violation::Unannounced(feature))
    }
}

/// Validates a live run: the first violation is kept for [`Validator::finish`].
impl Listener for Validator {
    fn on(&mut self, event: Event) {
        // Kept in `self.first`.
        let _ = self.step(event);
    }
}

fn ensure(holds: bool, otherwise: Violation) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise) }
}

fn next(kind: Kind, id: u32, next: usize) -> Verdict {
    let next = next as u64;
    ensure(u64::from(id) == next, Violation::NotNext { kind, id, next })
}
