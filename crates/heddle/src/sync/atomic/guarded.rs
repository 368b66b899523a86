//! What an atomic operation tells the checker.
//!
//! Each is a section of its own on a lock of the atomic: sections of one lock do not race, and what they
//! read and write of the atomic's location makes the hand-offs.

use crate::context;
use crate::explore::world;
use crate::sites::Caller;
use crate::sync::identity::Identity;
use heddle_rt::LockMode;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// What an operation did, as far as it matters to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Load(Ordering),
    Store(Ordering),
    /// Both at once.
    Change(Ordering),
}

/// The checker's side of an atomic.
#[derive(Debug)]
pub(super) struct Guarded {
    identity: Identity,
    /// Makes an operation and its report one step, so that both have the same sequence.
    in_step: Mutex<()>,
}

impl Guarded {
    #[track_caller]
    pub(super) const fn new(kind: &'static str) -> Self {
        Self {
            identity: Identity::of_atomic(kind, Location::caller()),
            in_step: Mutex::new(()),
        }
    }

    /// Performs an operation whose effect is known beforehand.
    #[inline]
    pub(super) fn perform<R>(
        &self,
        effect: Effect,
        caller: Caller,
        operation: impl FnOnce() -> R,
    ) -> R {
        self.attempt(caller, || (operation(), effect))
    }

    /// Performs an operation that says itself what it did.
    #[inline]
    pub(super) fn attempt<R>(&self, caller: Caller, operation: impl FnOnce() -> (R, Effect)) -> R {
        if context::is_checked() {
            self.checked(caller, operation)
        } else {
            operation().0
        }
    }

    fn checked<R>(&self, caller: Caller, operation: impl FnOnce() -> (R, Effect)) -> R {
        self.identity.step(caller);
        let step = self.in_step.lock().unwrap_or_else(PoisonError::into_inner);
        let (result, effect) = operation();
        self.identity.enter(LockMode::Exclusive, caller);
        self.tell(effect, caller);
        self.identity.leave();
        drop(step);
        result
    }

    fn tell(&self, effect: Effect, caller: Caller) {
        use Ordering::Relaxed;
        match effect {
            // In an explored run every operation is seen by those that come after it.
            Effect::Load(_) if world::is_explored() => self.identity.receive(caller),
            Effect::Store(_) if world::is_explored() => self.identity.hand_over(caller),
            Effect::Change(_) if world::is_explored() => {
                self.identity.receive(caller);
                self.identity.hand_over(caller);
            }
            Effect::Store(Relaxed) => self.identity.cover_up(),
            // A relaxed change leaves the earlier release visible.
            Effect::Load(Relaxed) | Effect::Change(Relaxed) => {}
            Effect::Load(_) | Effect::Change(Ordering::Acquire) => self.identity.receive(caller),
            Effect::Store(_) => self.identity.hand_over(caller),
            Effect::Change(_) => {
                self.identity.receive(caller);
                self.identity.hand_over(caller);
            }
        }
    }
}
