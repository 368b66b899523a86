//! One call of `check`: its engine and what it learnt of positions and names.

use crate::activity::Activity;
use crate::atomicity::Declared;
use crate::counts::Tallies;
use crate::locations::{self, Labelled};
use crate::locks::Locks;
use crate::recorder::Recorder;
use crate::sites::Sites;
use crate::strays::{self, Strays, Threads};
use heddle_core::{Event, Extent, Features, Location};
use heddle_rt::Engine;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// How the tasks of a checked run are executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Execution {
    /// At once, where they are spawned.
    Inline,
    /// On the threads of a pool.
    Pool,
    /// As coroutines on one thread, in the sequence that exploration wants.
    Explored,
}

/// Everything that belongs to one checked run.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) engine: Engine,
    pub(crate) sites: Sites,
    pub(crate) locks: Locks,
    pub(crate) tallies: Tallies,
    pub(crate) execution: Execution,
    pub(crate) used: Used,
    pub(crate) activity: Activity,
    pub(crate) strays: Strays,
    pub(crate) threads: Threads,
    /// Writes the run down, if it is to be judged by another order.
    pub(crate) recorder: Option<Recorder>,
    /// Names of the places of findings, taken before their values were dropped.
    labels: Mutex<Labels>,
}

/// Names of places, and how many findings of each kind they are from.
#[derive(Debug, Default)]
struct Labels {
    names: FxHashMap<u64, Labelled>,
    races: usize,
    tears: usize,
}

/// What the program made use of.
#[derive(Debug, Default)]
pub(crate) struct Used {
    pub(crate) extra_edges: AtomicU64,
    pub(crate) scope_handles: AtomicBool,
    pub(crate) isolated: AtomicBool,
    pub(crate) locks: AtomicBool,
    pub(crate) choices: AtomicBool,
    pub(crate) futures: AtomicBool,
    pub(crate) atomics: AtomicBool,
    pub(crate) cuts: AtomicBool,
}

impl Used {
    /// As the engines of `heddle-core` want to know it.
    pub(crate) fn features(&self) -> Features {
        let has = |used: &AtomicBool| used.load(Ordering::Relaxed);
        Features {
            extra_edges: self.extra_edges.load(Ordering::Relaxed) > 0,
            scope_handles: has(&self.scope_handles),
            isolated: has(&self.isolated),
            locks: has(&self.locks),
            choices: has(&self.choices),
            cuts: has(&self.cuts),
            atomics: has(&self.atomics),
        }
    }
}

/// Sets a flag; does not write to memory that other threads read if it is already set.
pub(crate) fn note(used: &AtomicBool) {
    if !used.load(Ordering::Relaxed) {
        used.store(true, Ordering::Relaxed);
    }
}

/// The sessions that are running now, so that freed locations are forgotten in all of them.
static RUNNING: RwLock<Vec<Weak<Session>>> = RwLock::new(Vec::new());

/// The sessions that are running now.
pub(crate) fn running_sessions() -> Vec<Arc<Session>> {
    let running = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
    running.iter().filter_map(Weak::upgrade).collect()
}

impl Drop for Session {
    fn drop(&mut self) {
        strays::RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Session {
    /// A session, in which all that is declared so far is watched.
    pub(crate) fn start(
        engine: Engine,
        execution: Execution,
        recorder: Option<Recorder>,
    ) -> Arc<Self> {
        let session = Arc::new(Self {
            engine,
            sites: Sites::default(),
            locks: Locks::default(),
            tallies: Tallies::default(),
            execution,
            used: Used::default(),
            activity: Activity::new(),
            strays: Strays::default(),
            threads: Threads::default(),
            recorder,
            labels: Mutex::default(),
        });
        strays::RUNNING.fetch_add(1, Ordering::Relaxed);
        let mut running = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
        running.retain(|session| session.strong_count() > 0);
        running.push(Arc::downgrade(&session));
        drop(running);
        // What is declared from now on comes to this session by itself.
        locations::each_declared(|declared| session.watch(declared));
        session
    }

    /// These locations must not be torn.
    pub(crate) fn watch(&self, declared: Declared) {
        let Declared { start, len, group } = declared;
        note(&self.used.atomics);
        self.engine.watch_range(start, len, group);
        if let Some(recorder) = &self.recorder {
            let extent = Extent::new(Location(start), len);
            recorder.on(Event::Atomic { extent, group });
        }
    }

    /// These locations no longer belong to the value they belonged to.
    pub(crate) fn forget(&self, start: u64, len: u64) {
        self.label_findings();
        self.strays.look(self, start, len);
        self.engine.forget(start, len);
        if let Some(recorder) = &self.recorder {
            recorder.forget(start, len);
        }
    }

    /// Names for the places of all findings so far.
    pub(crate) fn labels(&self) -> FxHashMap<u64, Labelled> {
        self.label_findings();
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        labels.names.clone()
    }

    /// Places are named while their values live: every drop comes by here first.
    fn label_findings(&self) {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = self.engine.race_locations(labels.races);
        labels.races += new.len();
        let tears = self.engine.tear_count();
        if tears > labels.tears {
            new.extend(self.engine.tear_locations(labels.tears));
            labels.tears = tears;
        }
        if !new.is_empty() {
            let names = locations::labels(&new);
            let named = new.into_iter().zip(names);
            labels
                .names
                .extend(named.filter_map(|(at, name)| Some((at, name?))));
        }
    }
}
