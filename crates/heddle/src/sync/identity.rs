//! What the checker calls a lock: a number, a name, and a location for what it protects.
//!
//! One byte of that location stands for the value, the others for what is handed over from section to section:
//! a section that does not look at the value is still one that another may have waited for.

use super::{crossing, held};
use crate::context;
use crate::explore::world;
use crate::locations::Locations;
use crate::locks::{LockLabel, Value, next_lock};
use crate::sites::Caller;
use heddle_core::{AccessKind, LockId};
use heddle_rt::{HANDED, LockMode, Pairs, VALUE};
use std::sync::{LockResult, OnceLock, TryLockError, TryLockResult};

/// A lock's number and location are given when first asked for, so that locks can be made in a `static`.
#[derive(Debug)]
pub(super) struct Identity {
    label: LockLabel,
    /// Which two accesses to what it protects belong together.
    pairs: Pairs,
    lock: OnceLock<LockId>,
    /// Not used in an explored run, which has its own numbers.
    contents: OnceLock<Locations>,
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
            lock: OnceLock::new(),
            contents: OnceLock::new(),
        }
    }

    /// Of a lock that reports call by this name.
    pub(super) const fn named(kind: &'static str, name: &'static str, made_at: Caller) -> Self {
        Self {
            label: LockLabel::new(kind, Some(name), made_at),
            pairs: Pairs::Updates,
            lock: OnceLock::new(),
            contents: OnceLock::new(),
        }
    }

    /// Sections of one strand belong together by this rule.
    pub(super) const fn set_pairs(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }

    fn location(&self) -> u64 {
        self.contents.get_or_init(|| self.label.locations()).start()
    }

    pub(super) fn lock(&self) -> LockId {
        *self.lock.get_or_init(next_lock)
    }

    /// What an explored run knows the lock by.
    fn known_by(&self) -> (&LockLabel, usize) {
        (&self.label, std::ptr::from_ref(self).addr())
    }

    /// The running task is about to take it. See [`held::assert_free`].
    #[track_caller]
    pub(super) fn before_taking(&self, mode: LockMode) {
        let caller = std::panic::Location::caller();
        if world::is_explored() {
            return world::acquire(self.lock(), Some(self.known_by()), mode, caller);
        }
        held::assert_free(|| self.label.phrase(), self.lock(), mode);
        context::waits_for(self.lock(), mode, caller);
    }

    /// Takes it, after `tried` did not.
    pub(super) fn wait<G>(
        &self,
        mode: LockMode,
        at: Caller,
        tried: TryLockResult<G>,
        take: impl FnOnce() -> LockResult<G>,
    ) -> LockResult<G> {
        match tried {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
            Err(TryLockError::WouldBlock) if world::is_explored() => panic!(
                "{} is used by several runs: make what tasks share inside of the explored body",
                self.label.phrase()
            ),
            Err(TryLockError::WouldBlock) => {
                let _waiting = crossing::waits(|| self.label.phrase(), self.lock(), mode, at);
                take()
            }
        }
    }

    /// The running task tries to take it. Whether it may.
    #[track_caller]
    pub(super) fn may_take(&self, mode: LockMode) -> bool {
        let caller = std::panic::Location::caller();
        !world::is_explored() || world::try_acquire(self.lock(), self.known_by(), mode, caller)
    }

    /// The running task makes an access that is a section of its own.
    pub(super) fn step(&self, caller: Caller) {
        if world::is_explored() {
            let (lock, mode) = (self.lock(), LockMode::Exclusive);
            world::acquire(lock, Some(self.known_by()), mode, caller);
        }
    }

    /// The running task is in a section from now on.
    pub(super) fn enter(&self, mode: LockMode, caller: Caller) {
        if world::is_explored() {
            return;
        }
        let value = Value {
            location: self.location(),
            pairs: self.pairs,
        };
        context::acquire(self.lock(), Some((&self.label, value)), mode, caller);
        if self.pairs == Pairs::All {
            context::unsupported("a lock whose value is atomic");
        }
    }

    pub(super) fn leave(&self) {
        context::release(self.lock());
    }

    /// The section sees what earlier ones left.
    pub(super) fn receive(&self, caller: Caller) {
        if world::is_explored() {
            return world::content(self.lock(), AccessKind::Read, caller);
        }
        context::hand(AccessKind::Read, self.location(), HANDED, caller);
    }

    /// The section looks at the value.
    pub(super) fn look(&self, caller: Caller) {
        if world::is_explored() {
            return;
        }
        context::touch(AccessKind::Read, self.location(), VALUE, caller);
    }

    /// The running task has the value to itself.
    pub(super) fn is_exclusive(&self) {
        if world::is_explored() {
            world::exclusive_content(self.lock());
        }
    }

    /// In an explored run: the value that the section leaves, if it is plain data.
    pub(super) fn leaves(&self, value: Option<&[u8]>) {
        if let Some(bytes) = value {
            world::stored_in(self.lock(), bytes);
        }
    }

    /// The section changes the value, and leaves it to later ones.
    pub(super) fn hand_over(&self, caller: Caller) {
        if world::is_explored() {
            return world::content(self.lock(), AccessKind::Write, caller);
        }
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
