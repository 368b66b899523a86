//! What a guard tells the checker when it is made and when it is dropped.

use super::held;
use super::identity::Identity;
use crate::context;
use crate::sites::Caller;
use heddle_rt::LockMode;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A section of a lock, as far as the checker knows of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    knowledge: Knowledge,
    began_at: Caller,
    changed: bool,
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
            identity.enter(mode);
            identity.receive(caller);
        }
        Self {
            knowledge,
            began_at: caller,
            changed: false,
        }
    }

    /// What the lock protects may be changed in this section.
    #[inline]
    pub(super) fn changes_value(&mut self) {
        self.changed = true;
    }

    /// The running task is about to give the lock back.
    pub(super) fn end(self, identity: &Identity) {
        held::pop(identity.lock());
        if self.knowledge == Knowledge::Checked {
            if self.changed {
                identity.hand_over(self.began_at);
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
