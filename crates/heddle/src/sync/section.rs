//! What a guard tells the checker when it is made and when it is dropped.

use super::held;
use super::identity::Identity;
use crate::context;
use crate::sites::Caller;
use heddle_rt::LockMode;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// Whether a guard's section is one that the checker knows of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Checked,
    Unchecked,
}

impl Section {
    /// The running task has taken the lock.
    pub(super) fn begin(identity: &Identity, mode: LockMode, caller: Caller) -> Self {
        held::push(identity.lock(), mode, caller);
        if !context::is_checked() {
            return Self::Unchecked;
        }
        identity.enter(mode);
        identity.receive(caller);
        Self::Checked
    }

    /// The running task is about to give the lock back.
    pub(super) fn end(self, identity: &Identity, wrote: Option<Caller>) {
        held::pop(identity.lock());
        if self == Self::Checked {
            if let Some(caller) = wrote {
                identity.hand_over(caller);
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
