//! What the checker calls a lock: a number, a name, and a location for what it protects.
//!
//! One byte of that location stands for the value, the others for what is handed over from section to section:
//! a section that does not look at the value is still one that another may have waited for.

use super::held;
use crate::context;
use crate::locations::Locations;
use crate::locks::{LockLabel, Value, next_lock};
use crate::sites::Caller;
use heddle_core::{AccessKind, LockId};
use heddle_rt::{HANDED, LockMode, Pairs, VALUE};
use std::sync::OnceLock;

/// A lock's number and location are given when first asked for, so that locks can be made in a `static`.
#[derive(Debug)]
pub(super) struct Identity {
    label: LockLabel,
    /// Which two accesses to what it protects belong together.
    pairs: Pairs,
    known: OnceLock<Known>,
}

#[derive(Debug)]
struct Known {
    lock: LockId,
    contents: Locations,
}

impl Identity {
    /// Of an atomic of this kind: what it does is one piece as it is.
    pub(super) const fn of_atomic(kind: &'static str, made_at: Caller) -> Self {
        let mut identity = Self::new(kind, made_at);
        identity.set_pairs(Pairs::None);
        identity
    }

    /// Of a lock of this kind.
    pub(super) const fn new(kind: &'static str, made_at: Caller) -> Self {
        Self {
            label: LockLabel::new(kind, None, made_at),
            pairs: Pairs::Updates,
            known: OnceLock::new(),
        }
    }

    /// Of a lock that reports call by this name.
    pub(super) const fn named(kind: &'static str, name: &'static str, made_at: Caller) -> Self {
        Self {
            label: LockLabel::new(kind, Some(name), made_at),
            pairs: Pairs::Updates,
            known: OnceLock::new(),
        }
    }

    /// Sections of one strand belong together by this rule.
    pub(super) const fn set_pairs(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| Known {
            lock: next_lock(),
            contents: self.label.locations(),
        })
    }

    fn location(&self) -> u64 {
        self.known().contents.start()
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
        let value = Value {
            location: self.location(),
            pairs: self.pairs,
        };
        context::acquire(self.lock(), Some((&self.label, value)), mode);
        if self.pairs == Pairs::All {
            context::unsupported("a lock whose value is atomic");
        }
    }

    pub(super) fn leave(&self) {
        context::release(self.lock());
    }

    /// The section sees what earlier ones left.
    pub(super) fn receive(&self, caller: Caller) {
        context::hand(AccessKind::Read, self.location(), HANDED, caller);
    }

    /// The section looks at the value.
    pub(super) fn look(&self, caller: Caller) {
        context::touch(AccessKind::Read, self.location(), VALUE, caller);
    }

    /// The section changes the value, and leaves it to later ones.
    pub(super) fn hand_over(&self, caller: Caller) {
        context::hand(AccessKind::Write, self.location(), VALUE | HANDED, caller);
    }

    /// The section leaves something that is not handed over: later ones do not see what was left
    /// before. Loses no race, since the location is only accessed under the lock.
    pub(super) fn cover_up(&self) {
        if let Some(session) = context::session() {
            session.forget(self.location(), 1);
        }
    }
}
