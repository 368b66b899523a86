//! What the checker calls a lock: a number, a name, and a location for what is handed over through it.

use super::held;
use crate::context;
use crate::locations::Locations;
use crate::locks::{LockLabel, next_lock};
use crate::sites::Caller;
use heddle_core::LockId;
use heddle_rt::LockMode;
use std::sync::OnceLock;

/// A lock's number and location are given when first asked for, so that locks can be made in a `static`.
#[derive(Debug)]
pub(super) struct Identity {
    label: LockLabel,
    known: OnceLock<Known>,
}

#[derive(Debug)]
struct Known {
    lock: LockId,
    contents: Locations,
}

impl Identity {
    /// Of a lock of this kind.
    pub(super) const fn new(kind: &'static str, made_at: Caller) -> Self {
        Self {
            label: LockLabel::new(kind, None, made_at),
            known: OnceLock::new(),
        }
    }

    /// Of a lock that reports call by this name.
    pub(super) const fn named(kind: &'static str, name: &'static str, made_at: Caller) -> Self {
        Self {
            label: LockLabel::new(kind, Some(name), made_at),
            known: OnceLock::new(),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| Known {
            lock: next_lock(),
            contents: Locations::new(1),
        })
    }

    pub(super) fn lock(&self) -> LockId {
        self.known().lock
    }

    /// See [`held::assert_free`].
    #[track_caller]
    pub(super) fn assert_free(&self, mode: LockMode) {
        held::assert_free(|| self.label.phrase(), self.lock(), mode);
    }

    /// The running task is in a section from now on.
    pub(super) fn enter(&self, mode: LockMode) {
        context::acquire(self.lock(), Some(&self.label), mode);
    }

    pub(super) fn leave(&self) {
        context::release(self.lock());
    }

    /// The section sees what earlier ones left.
    pub(super) fn receive(&self, caller: Caller) {
        context::read(self.known().contents.start(), 1, caller);
    }

    /// The section leaves something to later ones.
    pub(super) fn hand_over(&self, caller: Caller) {
        context::write(self.known().contents.start(), 1, caller);
    }

    /// The section leaves something that is not handed over: later ones do not see what was left
    /// before. Loses no race, since the location is only accessed under the lock.
    pub(super) fn cover_up(&self) {
        if let Some(session) = context::session() {
            session.forget(self.known().contents.start(), 1);
        }
    }
}
