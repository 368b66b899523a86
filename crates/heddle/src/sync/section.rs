//! What a guard tells the checker when it is made and when it is dropped.

use super::held;
use super::identity::Identity;
use crate::context;
use crate::explore::world;
use crate::sites::Caller;
use heddle_core::TaskId;
use heddle_rt::LockMode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A section of a lock, as far as the checker knows of it.
#[derive(Debug)]
pub(super) struct Section {
    knowledge: Knowledge,
    /// The task that is in it. Others it may lend the value to are not.
    task: Option<TaskId>,
    /// Whether a further look at the value tells nothing new. Guards can be lent to other threads.
    has_looked: AtomicBool,
    changed_at: Option<Caller>,
}

/// Whether the checker knows of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knowledge {
    Checked,
    Unchecked,
}

impl Section {
    /// The running task has taken the lock.
    pub(super) fn begin(identity: &Identity, mode: LockMode, caller: Caller) -> Self {
        held::push(identity.lock(), mode, caller);
        let knowledge = match context::is_checked() {
            true => Knowledge::Checked,
            false => Knowledge::Unchecked,
        };
        if knowledge == Knowledge::Checked {
            identity.enter(mode, caller);
            identity.receive(caller);
        }
        Self {
            knowledge,
            task: context::task(),
            has_looked: AtomicBool::new(knowledge == Knowledge::Unchecked),
            changed_at: None,
        }
    }

    /// What the lock protects is looked at in this section.
    #[inline]
    pub(super) fn looks(&self, identity: &Identity, caller: Caller) {
        if !self.has_looked.load(Ordering::Relaxed) {
            self.looks_first(identity, caller);
        }
    }

    #[cold]
    fn looks_first(&self, identity: &Identity, caller: Caller) {
        if self.task == context::task() {
            self.has_looked.store(true, Ordering::Relaxed);
            identity.look(caller);
        }
    }

    /// What the lock protects may be changed in this section. What is seen of it from now on may be the
    /// section's own change.
    #[inline]
    pub(super) fn changes_value(&mut self, caller: Caller) {
        if self.changed_at.is_none() {
            self.changed_at = Some(caller);
            *self.has_looked.get_mut() = true;
        }
    }

    /// The running task is about to give the lock back, and leaves this value if it is plain data.
    pub(super) fn end<'a>(&self, identity: &Identity, value: impl FnOnce() -> Option<&'a [u8]>) {
        held::pop(identity.lock());
        if self.knowledge == Knowledge::Checked {
            if let Some(changed_at) = self.changed_at {
                identity.hand_over(changed_at);
                if world::is_explored() {
                    identity.leaves(value());
                }
            }
            identity.leave();
        }
    }
}

/// Makes a guard of ours from one of the standard library's, poisoned or not.
pub(super) fn wrap<I, G>(inner: LockResult<I>, guard: impl FnOnce(I) -> G) -> LockResult<G> {
    match inner {
        Ok(inner) => Ok(guard(inner)),
        Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
    }
}

pub(super) fn try_wrap<I, G>(
    inner: TryLockResult<I>,
    guard: impl FnOnce(I) -> G,
) -> TryLockResult<G> {
    match inner {
        Ok(inner) => Ok(guard(inner)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(PoisonError::new(guard(poisoned.into_inner())).into())
        }
    }
}
