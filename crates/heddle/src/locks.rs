//! Numbers of locks, and what reports call them.

use crate::locations::Locations;
use crate::sites::Caller;
use crate::written;
use heddle_core::LockId;
use heddle_rt::Pairs;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A number for a lock; 0 is for isolated.
pub(crate) fn next_lock() -> LockId {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    LockId::new(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What reports call a lock: its own name, that of the variable it is kept in, or what it is and where it was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LockLabel {
    kind: &'static str,
    name: Option<&'static str>,
    made_at: Caller,
}

impl LockLabel {
    pub(crate) const fn new(
        kind: &'static str,
        name: Option<&'static str>,
        made_at: Caller,
    ) -> Self {
        Self {
            kind,
            name,
            made_at,
        }
    }

    /// A location for what the lock protects, called by the same name.
    pub(crate) fn locations(&self) -> Locations {
        let mut locations = Locations::labelled(1, self.kind, self.made_at);
        if let Some(name) = self.name {
            locations.rename(name);
        }
        locations
    }

    /// Tells apart the places where locks are made.
    pub(crate) fn place(&self) -> usize {
        std::ptr::from_ref(self.made_at).addr()
    }

    /// In a sentence about this lock.
    pub(crate) fn phrase(&self) -> String {
        match self.name {
            Some(name) => format!("the {} `{name}`", self.kind),
            None => format!("this {}", self.kind),
        }
    }
}

impl fmt::Display for LockLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, made_at) = (self.kind, self.made_at);
        match (self.name, written::keeper(made_at)) {
            (Some(name), _) => f.write_str(name),
            (None, Some(name)) => f.write_str(&name),
            (None, None) => write!(f, "{kind}@{made_at}"),
        }
    }
}

/// What a lock protects: its location, and which two accesses to it are a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) location: u64,
    pub(crate) pairs: Pairs,
}

/// The locks that one session has seen.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    labels: Mutex<FxHashMap<LockId, LockLabel>>,
}

impl Locks {
    /// Keeps the label; calls `meet` before anybody else can go on with a lock that is new.
    fn note(&self, lock: LockId, label: &LockLabel, meet: impl FnOnce()) {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if labels.insert(lock, *label).is_none() {
            meet();
        }
    }

    /// What to call these locks, each different from the others: those that share their name get a
    /// number.
    pub(crate) fn names(&self, locks: &[LockId]) -> Vec<String> {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = |lock: &LockId| match labels.get(lock) {
            Some(label) => label.to_string(),
            None => "lock".into(),
        };
        distinct(locks.iter().map(plain).collect())
    }
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut total: FxHashMap<&str, u32> = FxHashMap::default();
    for name in &names {
        *total.entry(name).or_default() += 1;
    }
    let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
    let number = |name: &str, seen: u32| match total[name] {
        1 => name.to_owned(),
        _ => format!("{name}#{seen}"),
    };
    let each = names.iter().map(|name| {
        let seen = seen.entry(name).or_default();
        *seen += 1;
        number(name, *seen)
    });
    each.collect()
}

/// The locks a thread took last, so that it seldom needs the table all threads share.
#[derive(Debug)]
pub(crate) struct RecentLocks([Cell<LockId>; RECENT]);

const RECENT: usize = 16;

impl RecentLocks {
    /// Makes sure that the session knows what to call this lock, and has met it.
    pub(crate) fn note(&self, locks: &Locks, lock: LockId, label: &LockLabel, meet: impl FnOnce()) {
        let slot = &self.0[lock.index() % RECENT];
        if slot.replace(lock) != lock {
            locks.note(lock, label, meet);
        }
    }
}

impl Default for RecentLocks {
    fn default() -> Self {
        Self([const { Cell::new(LockId::ISOLATED) }; RECENT])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_that_share_their_name_are_numbered_and_others_are_not() {
        let names = ["table", "log", "table"].map(str::to_owned).to_vec();
        assert_eq!(distinct(names), ["table#1", "log", "table#2"]);
    }
}
