//! What the threads of one search share: states entered, bounds, counts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rustc_hash::FxHashSet;

use super::{Limit, Part, Settings};
use crate::fingerprint::Fingerprint;
use crate::watch::Mixed;

/// How many choices are executed between two reports of what was done.
pub(super) const TICKS: u64 = 256;
/// How many choices are executed between two looks at the clock.
pub(super) const LOOK: u64 = 64;

/// Sets of states, so that threads seldom wait for each other.
const SETS: usize = 64;

/// What was done so far, for someone who watches.
#[derive(Debug, Default)]
pub struct Counters {
    /// Runs that came to their end.
    pub schedules: AtomicU64,
    /// Choice points that were entered.
    pub states: AtomicU64,
    /// Units that are done, and how many there are.
    pub units: AtomicU64,
    /// See `units`.
    pub all_units: AtomicU64,
    /// Which part of a unit is done.
    pub part: Part,
}

/// See the module's documentation.
pub(super) struct Shared<'s> {
    pub settings: &'s Settings,
    stop: &'s AtomicBool,
    own_counters: Counters,
    given_counters: Option<&'s Counters>,
    visited: Vec<Mutex<FxHashSet<Fingerprint>>>,
    /// States whose subtrees were left in the middle.
    open: Mutex<FxHashSet<Fingerprint>>,
    pub mixed: Mutex<Mixed>,
    schedules: AtomicU64,
    transitions: AtomicU64,
    over: AtomicBool,
    begin: Instant,
}

impl<'s> Shared<'s> {
    pub fn new(settings: &'s Settings, stop: &'s AtomicBool) -> Self {
        Self {
            settings,
            stop,
            own_counters: Counters::default(),
            given_counters: None,
            visited: (0..SETS).map(|_| Mutex::default()).collect(),
            open: Mutex::default(),
            mixed: Mutex::default(),
            schedules: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            over: AtomicBool::new(false),
            begin: Instant::now(),
        }
    }

    /// Has counts told to someone who watches.
    pub fn watched_by(mut self, counters: &'s Counters) -> Self {
        self.given_counters = Some(counters);
        self
    }

    pub fn counters(&self) -> &Counters {
        self.given_counters.unwrap_or(&self.own_counters)
    }

    /// Whether the state was not there before.
    pub fn is_new(&self, key: Fingerprint) -> bool {
        let set = &self.visited[key.words()[0] as usize % SETS];
        locked(set).insert(key)
    }

    /// Takes these states for done.
    pub fn visit(&self, keys: impl Iterator<Item = Fingerprint>) {
        for key in keys {
            self.is_new(key);
        }
    }

    /// Notes states whose subtrees are left in the middle.
    pub fn leave_open(&self, keys: impl Iterator<Item = Fingerprint>) {
        locked(&self.open).extend(keys);
    }

    /// The states whose subtrees are done.
    pub fn closed(&self) -> Vec<Fingerprint> {
        let open = locked(&self.open);
        let sets = self.visited.iter();
        let keys = sets.flat_map(|set| locked(set).iter().copied().collect::<Vec<_>>());
        keys.filter(|key| !open.contains(key)).collect()
    }

    /// Whether the search must begin anew; if so, states entered are forgotten.
    pub fn begin_again(&mut self) -> bool {
        let again = locked(&self.mixed).begin_again();
        if again {
            for set in &self.visited {
                locked(set).clear();
            }
            self.schedules.store(0, Ordering::Relaxed);
        }
        again
    }

    /// Counts a run that came to its end; the limit it reached.
    pub fn count_schedule(&self) -> Option<Limit> {
        let most = self.settings.max_schedules?;
        let count = self.schedules.fetch_add(1, Ordering::Relaxed) + 1;
        if count < most {
            return None;
        }
        self.end();
        Some(Limit::Schedules)
    }

    /// Looks at the bounds; the one that was reached.
    #[cold]
    pub fn look(&self, transitions: u64) -> Option<Limit> {
        let done = self.transitions.fetch_add(transitions, Ordering::Relaxed) + transitions;
        let limit = if self.is_stopped() {
            Limit::Interrupted
        } else if self
            .settings
            .max_transitions
            .is_some_and(|most| done >= most)
        {
            Limit::Schedules
        } else if let Some(most) = self.settings.max_time
            && self.begin.elapsed() >= most
        {
            Limit::Time
        } else {
            return None;
        };
        self.end();
        Some(limit)
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the search on all threads.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// A panic on another thread does not make sets of numbers wrong.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
