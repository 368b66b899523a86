//! Locks: who holds them and who waits for them.

use std::collections::VecDeque;

use heddle_core::{FaultKind, LockId, TaskId};

use super::problem::{Fallible, fault};
use super::schedule::Waiter;

#[derive(Clone, Default, Debug)]
struct Lock {
    holder: Option<TaskId>,
    waiters: VecDeque<Waiter>,
}

/// Whether an `acquire` succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Acquired {
    Taken,
    /// Another task holds it.
    Busy,
}

/// All locks; row 0 is isolated.
#[derive(Clone, Debug)]
pub(super) struct Locks(Vec<Lock>);

impl Locks {
    /// Isolated and `declared` more.
    pub fn new(declared: usize) -> Self {
        Self(vec![Lock::default(); declared + 1])
    }

    /// Gives the lock to the task if it is free.
    pub fn acquire(&mut self, lock: LockId, task: TaskId) -> Fallible<Acquired> {
        let holder = &mut self.0[lock.index()].holder;
        match *holder {
            None => {
                *holder = Some(task);
                Ok(Acquired::Taken)
            }
            Some(other) if other == task => Err(fault(FaultKind::LockAlreadyHeld { lock })),
            Some(_) => Ok(Acquired::Busy),
        }
    }

    /// Who holds the lock.
    pub fn holder(&self, lock: LockId) -> Option<TaskId> {
        self.0[lock.index()].holder
    }

    /// Who holds each lock, isolated first.
    pub fn holders(&self) -> impl Iterator<Item = Option<TaskId>> {
        self.0.iter().map(|lock| lock.holder)
    }

    /// Takes the lock from the task; who has waited for it longest.
    pub fn release(&mut self, lock: LockId, task: TaskId) -> Fallible<Option<Waiter>> {
        let row = &mut self.0[lock.index()];
        if row.holder != Some(task) {
            return Err(fault(FaultKind::LockNotHeld { lock }));
        }
        row.holder = None;
        Ok(row.waiters.pop_front())
    }

    /// Notes who waits for the lock.
    pub fn wait(&mut self, lock: LockId, waiter: Waiter) {
        self.0[lock.index()].waiters.push_back(waiter);
    }

    /// The first lock the task holds.
    pub fn held_by(&self, task: TaskId) -> Option<LockId> {
        let row = self.0.iter().position(|lock| lock.holder == Some(task))?;
        Some(LockId::new(row as u32))
    }
}
