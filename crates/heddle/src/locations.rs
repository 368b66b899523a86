//! Numbers for locations: every element of a shared value has its own, and a name for reports.
//!
//! Numbers are process-wide, so that a value may outlive a check or be used in several.

use crate::atomicity::Declared;
use crate::explore::FIRST_LOCATION;
use crate::explore::world;
use crate::session::running_sessions;
use crate::sites::Caller;
use crate::written;
use heddle_core::GroupId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A run of location numbers that belongs to one shared value. Nobody else has these numbers while it
/// lives; when it is dropped, every running session forgets what it knew of them.
#[derive(Debug)]
pub(crate) struct Locations {
    start: u64,
    len: u64,
}

/// What reports call a shared value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Label {
    /// What it is: `SharedVec`, `Mutex`, ...
    pub(crate) kind: &'static str,
    /// Where it was made.
    pub(crate) made_at: Caller,
    /// The name it was given.
    pub(crate) name: Option<&'static str>,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, file, line) = (self.kind, self.made_at.file(), self.made_at.line());
        match (self.name, written::keeper(self.made_at)) {
            (Some(name), _) => f.write_str(name),
            (None, Some(name)) => f.write_str(&name),
            (None, None) => write!(f, "{kind}@{file}:{line}"),
        }
    }
}

/// A location in terms of the value it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Labelled {
    pub(crate) label: Label,
    /// The element, for values of several.
    pub(crate) index: Option<u64>,
}

#[derive(Debug, Default)]
struct Registry {
    next: u64,
    /// Numbers given back, by how many there are in a row.
    free: FxHashMap<u64, Vec<u64>>,
    /// Living values with a name, by their first number.
    living: BTreeMap<u64, (u64, Label)>,
    /// What of living values must not be torn, by its first number and by when that was said.
    declared: BTreeMap<(u64, u64), Declared>,
    declarations: u64,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

fn with_registry<R>(f: impl FnOnce(&mut Registry) -> R) -> R {
    let mut registry: MutexGuard<'_, Option<Registry>> =
        REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    f(registry.get_or_insert_default())
}

impl Locations {
    /// Numbers for `len` locations nobody names, which stay the same in all explored runs.
    pub(crate) fn new(len: usize) -> Self {
        with_registry(|registry| registry.take(len as u64))
    }

    /// Numbers for the `len` elements of a value; reports name them by its kind and where it was made.
    pub(crate) fn labelled(len: usize, kind: &'static str, made_at: Caller) -> Self {
        let label = Label {
            kind,
            made_at,
            name: None,
        };
        if let Some(start) = world::locations(len as u64, label) {
            return Self {
                start,
                len: len as u64,
            };
        }
        with_registry(|registry| {
            let locations = registry.take(len as u64);
            if len > 0 {
                registry
                    .living
                    .insert(locations.start, (locations.len, label));
            }
            locations
        })
    }

    /// Reports call the value by this name from now on.
    pub(crate) fn rename(&mut self, name: &'static str) {
        if self.is_explored() {
            return world::rename(self.start, name);
        }
        with_registry(|registry| {
            if let Some((_, label)) = registry.living.get_mut(&self.start) {
                label.name = Some(name);
            }
        });
    }

    /// All of them must not be torn, as the group says or each by itself.
    pub(crate) fn declare(&self, group: Option<GroupId>) {
        let (start, len) = (self.start, self.len);
        if len > 0 {
            declare(Declared { start, len, group });
        }
    }

    /// Whether they were numbered in an explored run.
    fn is_explored(&self) -> bool {
        self.start >= FIRST_LOCATION
    }

    /// How many.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The first number.
    #[inline(always)]
    pub(crate) fn start(&self) -> u64 {
        self.start
    }
}

impl Registry {
    fn take(&mut self, len: u64) -> Locations {
        let free = self.free.get_mut(&len).and_then(Vec::pop);
        let start = free.unwrap_or_else(|| {
            let start = self.next;
            self.next = start.saturating_add(len);
            start
        });
        Locations { start, len }
    }

    fn undeclare(&mut self, start: u64, len: u64) {
        let ended = self.declared.range((start, 0)..(start + len, 0));
        let ended: Vec<_> = ended.map(|(&key, _)| key).collect();
        for key in ended {
            self.declared.remove(&key);
        }
    }

    fn label(&self, location: u64) -> Option<Labelled> {
        let (&start, &(len, label)) = self.living.range(..=location).next_back()?;
        let index = location - start;
        (index < len).then_some(Labelled {
            label,
            index: (len > 1).then_some(index),
        })
    }
}

/// These locations must not be torn, in all sessions that run and in all to come, while their value lives.
pub(crate) fn declare(declared: Declared) {
    with_registry(|registry| {
        registry.declarations += 1;
        let key = (declared.start, registry.declarations);
        registry.declared.insert(key, declared);
    });
    for session in running_sessions() {
        session.watch(declared);
    }
}

/// Calls `tell` with all that must not be torn, in the sequence in which that was said. No value is dropped
/// meanwhile.
pub(crate) fn each_declared(tell: impl FnMut(Declared)) {
    with_registry(|registry| {
        let rows = registry.declared.iter();
        let rows = rows.map(|(&(_, when), &declared)| (when, declared));
        let rows: BTreeMap<u64, Declared> = rows.collect();
        rows.into_values().for_each(tell);
    });
}

/// The names of these locations, as far as their values live and have one.
pub(crate) fn labels(locations: &[u64]) -> Vec<Option<Labelled>> {
    with_registry(|registry| {
        let labels = locations.iter().map(|&location| registry.label(location));
        labels.collect()
    })
}

impl Drop for Locations {
    fn drop(&mut self) {
        if self.len == 0 || self.is_explored() {
            return;
        }
        // First, so that no session that starts now watches what the others forget.
        with_registry(|registry| registry.undeclare(self.start, self.len));
        for session in running_sessions() {
            session.forget(self.start, self.len);
        }
        with_registry(|registry| {
            registry.living.remove(&self.start);
            registry.free.entry(self.len).or_default().push(self.start);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    #[test]
    fn living_values_never_share_numbers() {
        let (a, b) = (Locations::new(3), Locations::new(3));
        assert!(a.start + 3 <= b.start || b.start + 3 <= a.start);
    }

    #[test]
    fn a_location_is_named_after_its_value_while_that_lives() {
        let here = Location::caller();
        let value = Locations::labelled(5, "Thing", here);
        let at = value.start() + 2;
        let labelled = labels(&[at])[0].expect("the value lives");
        assert_eq!((labelled.label.kind, labelled.index), ("Thing", Some(2)));
        drop(value);
        assert!(labels(&[at])[0].is_none_or(|label| label.label.made_at != here));
    }
}
