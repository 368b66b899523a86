//! Finishes and sync blocks that are open, and how many of their tasks have not ended.

use heddle_core::{FaultKind, FinishId, TaskId};

use super::problem::{Fallible, fault};
use super::schedule::Waiter;

/// An open finish: a row of [`Scopes`], used again once the finish has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeKey(u32);

impl ScopeKey {
    /// The finish around the main task.
    pub const MAIN: Self = Self(0);
}

#[derive(Clone, Debug)]
struct Scope {
    finish: FinishId,
    membership: Membership,
    /// Tasks created into it that have not ended.
    unended: u32,
    /// Its owner, while that waits for them.
    waiter: Option<Waiter>,
    /// Tasks created into it that a `sync` inside a later finish must join.
    members: Vec<TaskId>,
}

impl Scope {
    fn new(finish: FinishId, membership: Membership) -> Self {
        Self {
            finish,
            membership,
            unended: 0,
            waiter: None,
            members: Vec::new(),
        }
    }
}

/// Whether a scope remembers the tasks created into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Membership {
    Counted,
    Remembered,
}

/// All open finishes.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    rows: Vec<Scope>,
    free: Vec<ScopeKey>,
    next_finish: u32,
}

impl Scopes {
    /// Only the main task's.
    pub fn new() -> Self {
        Self {
            rows: vec![Scope::new(FinishId::MAIN, Membership::Counted)],
            free: Vec::new(),
            next_finish: 1,
        }
    }

    /// Opens a finish with the next id.
    pub fn open(&mut self, membership: Membership) -> Fallible<ScopeKey> {
        let finish = FinishId::new(self.next_finish);
        let Some(next) = self.next_finish.checked_add(1) else {
            return Err(fault(FaultKind::LimitReached));
        };
        self.next_finish = next;
        if let Some(key) = self.free.pop() {
            *self.row(key) = Scope::new(finish, membership);
            return Ok(key);
        }
        let key = ScopeKey(self.rows.len() as u32);
        self.rows.push(Scope::new(finish, membership));
        Ok(key)
    }

    /// Forgets a finish that has ended.
    pub fn close(&mut self, key: ScopeKey) {
        let scope = self.row(key);
        debug_assert_eq!(scope.unended, 0, "a finish ends after its tasks");
        scope.members = Vec::new();
        self.free.push(key);
    }

    /// Notes that `task` was created into the scope.
    pub fn add(&mut self, key: ScopeKey, task: TaskId) {
        let scope = self.row(key);
        scope.unended += 1;
        if scope.membership == Membership::Remembered {
            scope.members.push(task);
        }
    }

    /// Notes that a task created into the scope has ended; who waited for the last one.
    pub fn remove(&mut self, key: ScopeKey) -> Option<Waiter> {
        let scope = self.row(key);
        scope.unended -= 1;
        match scope.unended {
            0 => scope.waiter.take(),
            _ => None,
        }
    }

    /// Whether every task created into it has ended.
    pub fn is_quiet(&self, key: ScopeKey) -> bool {
        self.rows[key.0 as usize].unended == 0
    }

    /// The id the scope is announced by.
    pub fn finish(&self, key: ScopeKey) -> FinishId {
        self.rows[key.0 as usize].finish
    }

    /// Notes who waits for its tasks.
    pub fn wait(&mut self, key: ScopeKey, waiter: Waiter) {
        self.row(key).waiter = Some(waiter);
    }

    /// The remembered tasks.
    pub fn members(&self, key: ScopeKey) -> &[TaskId] {
        &self.rows[key.0 as usize].members
    }

    /// The remembered tasks, which are then forgotten.
    pub fn take_members(&mut self, key: ScopeKey) -> Vec<TaskId> {
        std::mem::take(&mut self.row(key).members)
    }

    fn row(&mut self, key: ScopeKey) -> &mut Scope {
        &mut self.rows[key.0 as usize]
    }
}
