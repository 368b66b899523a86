//! Which task runs next. The rules are those at the head of the machine's module.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use heddle_core::{Awaited, LockId, NameId, SiteId, TaskId, TokenId};

use crate::ir::RegionId;

use super::coroutine::Coroutine;
use super::scopes::ScopeKey;

/// Something a task needs before it starts, and where the program says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// The end of a task.
    End(TaskId, SiteId),
    /// The signal of a token.
    Signal(TokenId, SiteId),
}

impl Need {
    /// What a task that never starts is reported to wait for, and where.
    pub fn awaited(self) -> (Awaited, SiteId) {
        match self {
            Self::End(task, site) => (Awaited::Task(task), site),
            Self::Signal(token, site) => (Awaited::Token(token), site),
        }
    }
}

/// What a parked task waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// The end of every task in a scope it owns.
    Scope(ScopeKey),
    /// The end of any one of these tasks.
    AnyEnd(Vec<TaskId>),
    /// A lock that another task holds.
    Lock(LockId),
    /// A task in the region of this name, where there is none: forever.
    Region(NameId),
    /// To be chosen to take this lock (explored runs).
    TurnToLock(LockId),
    /// To be told which ended task of the region to join (explored runs).
    TurnToJoin(RegionId),
    /// Nothing: it did something undefined (explored runs).
    Fault,
    /// It has not begun: all of these, of which so many are still missing.
    Start { needs: Vec<Need>, missing: usize },
}

/// A parked task, as those know it who will wake it. Void once the task has been woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiter {
    task: TaskId,
    ticket: u64,
}

impl Waiter {
    /// Whether `earlier` is an earlier wait of the same task, and so void.
    pub fn replaces(self, earlier: Self) -> bool {
        self.task == earlier.task && self.ticket != earlier.ticket
    }
}

/// A task that cannot go on yet, or that can and is in the ready queue.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    pub coroutine: Coroutine,
    pub wait: Wait,
    /// Tells this wait of the task from its earlier ones.
    ticket: u64,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    Waiting,
    Ready,
}

/// A task that can run.
#[derive(Debug)]
pub(super) enum Runnable {
    /// It ran before.
    Resumed(Coroutine),
    /// It is to begin, and this is what it waited for.
    Fresh(Coroutine, Vec<Need>),
}

/// Every task that neither runs nor has ended. Copies share what they do not change.
#[derive(Clone, Default, Debug)]
pub(super) struct Schedule {
    suspended: Vec<Coroutine>,
    parked: BTreeMap<TaskId, Rc<Parked>>,
    ready: VecDeque<TaskId>,
    tickets: u64,
}

impl Schedule {
    /// Keeps the creator of a task that begins.
    #[inline]
    pub fn suspend(&mut self, coroutine: Coroutine) {
        self.suspended.push(coroutine);
    }

    /// The name under which `task`, about to be parked, can be woken.
    pub fn ticket(&mut self, task: TaskId) -> Waiter {
        self.tickets += 1;
        Waiter {
            task,
            ticket: self.tickets,
        }
    }

    /// Keeps a task until `waiter` is woken.
    pub fn park(&mut self, coroutine: Coroutine, wait: Wait, waiter: Waiter) {
        let parked = Parked {
            coroutine,
            wait,
            ticket: waiter.ticket,
            progress: Progress::Waiting,
        };
        self.parked.insert(waiter.task, Rc::new(parked));
    }

    /// Something the task waits for has come. It is ready if that was all.
    pub fn wake(&mut self, waiter: Waiter) {
        let Some(parked) = self.parked.get_mut(&waiter.task) else {
            return;
        };
        let parked = Rc::make_mut(parked);
        if parked.ticket != waiter.ticket || parked.progress == Progress::Ready {
            return;
        }
        if let Wait::Start { missing, .. } = &mut parked.wait {
            *missing -= 1;
            if *missing > 0 {
                return;
            }
        }
        parked.progress = Progress::Ready;
        self.ready.push_back(waiter.task);
    }

    /// Takes the task that runs next.
    #[inline]
    pub fn next(&mut self) -> Option<Runnable> {
        match self.suspended.pop() {
            Some(coroutine) => Some(Runnable::Resumed(coroutine)),
            None => self.next_ready(),
        }
    }

    fn next_ready(&mut self) -> Option<Runnable> {
        let task = self.ready.pop_front()?;
        self.take(task)
    }

    /// Takes a parked task, whatever it waits for.
    pub fn take(&mut self, task: TaskId) -> Option<Runnable> {
        let parked = Rc::unwrap_or_clone(self.parked.remove(&task)?);
        Some(match parked.wait {
            Wait::Start { needs, .. } => Runnable::Fresh(parked.coroutine, needs),
            _ => Runnable::Resumed(parked.coroutine),
        })
    }

    /// The parked tasks by id.
    pub fn parked(&self) -> impl Iterator<Item = &Parked> {
        self.parked.values().map(|parked| &**parked)
    }

    /// All tasks it keeps.
    pub fn coroutines(&self) -> impl Iterator<Item = &Coroutine> {
        let parked = self.parked().map(|parked| &parked.coroutine);
        self.suspended.iter().chain(parked)
    }
}
