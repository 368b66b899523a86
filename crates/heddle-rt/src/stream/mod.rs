//! The engine as a listener: follows one stream of events, whoever delivers it.
//!
//! Interpreted programs, recorded runs and replayed schedules are such streams. There is no rule here: each
//! event becomes one call of the [`Engine`], on the cursor of the task it belongs to. What is added is what a front
//! end has to keep for the engine: the cursors of tasks, the ends of those that can be joined, the signals of tokens,
//! and numbers for locations ([`Granules`]).

mod granules;

use crate::cache::ThreadCache;
use crate::engine::{Cursor, EndPoint, Engine, FinishScope};
#[cfg(not(feature = "shuttle"))]
use crate::reclaim::Kept;
use granules::Granules;
use heddle_core::atomicity::Scope;
use heddle_core::roster::Ancestry;
use heddle_core::{
    AccessKind, Event, Extent, Features, Finding, Listener, Location, SiteId, TaskId,
};
use rustc_hash::FxHashMap;

/// What is remembered of accesses for which two others can stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Keeping {
    /// Two of each sort: enough where the tree orders them ([`Engine::lost_an_access`] says where it did not).
    #[default]
    Two,
    /// All of them.
    All,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Follower {
    engine: Engine,
    cache: ThreadCache,
    /// Where the running task stands; none after an `End`.
    current: Option<Cursor>,
    /// Where the others stand that are spawned and have not ended.
    suspended: FxHashMap<TaskId, Cursor>,
    /// By task, where tasks can be joined by name.
    ends: Vec<Option<EndPoint>>,
    finishes: Vec<FinishScope>,
    /// By token: the strands that signalled it.
    signals: Vec<Vec<u32>>,
    running: TaskId,
    granules: Granules,
    has_joins: bool,
    strands: Strands,
}

/// Counts strands: their numbers ascend.
#[derive(Debug, Default)]
struct Strands {
    count: u64,
    latest: u32,
}

impl Strands {
    #[inline]
    fn see(&mut self, strand: u32) {
        if strand > self.latest {
            self.latest = strand;
            self.count += 1;
        }
    }
}

impl Follower {
    /// At the start of a run that does what `features` says; none if the address space for the engine's
    /// tables cannot be had.
    pub fn new(features: Features, scope: Scope, keeping: Keeping) -> Option<Self> {
        let mut engine = Engine::new()?;
        if scope == Scope::All {
            engine.watch_all();
        }
        if keeping == Keeping::All {
            engine.keep_all();
        }
        Some(Self::with(engine, features))
    }

    /// The same with an engine at its start.
    pub fn with(engine: Engine, features: Features) -> Self {
        Self {
            current: Some(engine.main_task()),
            suspended: FxHashMap::default(),
            engine,
            cache: ThreadCache::new(),
            ends: Vec::new(),
            finishes: vec![FinishScope::MAIN],
            signals: Vec::new(),
            running: TaskId::MAIN,
            granules: Granules::default(),
            has_joins: features.extra_edges,
            strands: Strands::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How many strands made accesses, or were closed by an operation that others can wait for.
    pub fn strands(&self) -> u64 {
        self.strands.count
    }

    /// The running strand, made now if the running task has touched nothing since its last operation.
    pub fn strand(&mut self) -> Option<u32> {
        let cursor = self.current.as_mut()?;
        Some(self.engine.strand(cursor))
    }

    /// Whether strand `a` precedes strand `b` in every schedule, whichever is running.
    pub fn is_ordered(&self, a: u32, b: u32) -> bool {
        self.engine.is_ordered(a, b)
    }

    /// The stream's location of one of the engine's granules.
    pub fn location(&self, granule: u64) -> Location {
        self.granules.location(granule)
    }

    /// The locations of the races found so far but the first `known`, in the sequence of
    /// [`races`](Self::races).
    pub fn race_locations(&self, known: usize) -> Vec<Location> {
        let granules = self.engine.race_locations(known).into_iter();
        granules
            .map(|granule| self.granules.location(granule))
            .collect()
    }

    /// The locations that atomicity violations found so far are on, without the first `known`.
    pub fn tear_locations(&self, known: usize) -> Vec<Location> {
        let granules = self.engine.tear_locations(known).into_iter();
        granules
            .map(|granule| self.granules.location(granule))
            .collect()
    }

    /// The races found so far; places have their location only.
    pub fn races(&self, ancestry: &Ancestry<'_>) -> Vec<Finding> {
        self.located(self.engine.races(ancestry))
    }

    /// The atomicity violations found so far; places have their location only.
    pub fn tears(&self, ancestry: &Ancestry<'_>) -> Vec<Finding> {
        self.located(self.engine.tears(ancestry))
    }

    /// Findings on granules as findings on the stream's locations.
    fn located(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let locate = |granule: &mut u64| *granule = self.granules.location(*granule).0;
        for finding in &mut findings {
            match finding {
                Finding::Race { place, .. } => locate(&mut place.location),
                Finding::Atomicity {
                    places, touched, ..
                } => {
                    let places = places.iter_mut().chain(touched);
                    places.for_each(|place| locate(&mut place.location));
                }
                _ => {}
            }
        }
        findings
    }

    #[inline]
    fn access(&mut self, kind: AccessKind, extent: Extent, site: SiteId) {
        let Some(cursor) = &mut self.current else {
            return;
        };
        let (engine, cache, site) = (&self.engine, &mut self.cache, || site.raw());
        match self.granules.only(extent) {
            Some(range) => engine.sweep(kind, cache, cursor, range.start, extent.len, site),
            None => {
                let ranges = self.granules.ranges(extent);
                engine.sweep_ranges(kind, cache, cursor, &ranges, site);
            }
        }
        self.strands.see(cursor.strand());
    }

    /// Gives back what is unused.
    #[cfg(not(feature = "shuttle"))]
    #[cold]
    pub fn reclaim(&mut self) {
        let mut kept = Kept::default();
        let cursors = self.current.iter().chain(self.suspended.values());
        cursors.for_each(|cursor| kept.cursor(cursor));
        self.ends.iter().flatten().for_each(|end| kept.end(end));
        let signals = self.signals.iter().flatten();
        signals.for_each(|&strand| kept.strand(strand));
        let cache = std::iter::once((&mut self.cache, true));
        // SAFETY: this thread is the only one, and has the only cache.
        unsafe { self.engine.reclaim(cache, &kept) };
    }

    fn on_memory(&mut self, event: Event) {
        match event {
            Event::Alloc { extent, .. } => {
                for range in self.granules.known_ranges(extent) {
                    self.engine.forget(range.start, range.end - range.start);
                }
            }
            Event::Atomic { extent, group } => {
                for range in self.granules.ranges(extent) {
                    let len = range.end - range.start;
                    self.engine.watch_range(range.start, len, group);
                }
            }
            _ => {}
        }
    }

    /// Another task runs.
    fn switch(&mut self, task: TaskId) {
        if let Some(mut cursor) = self.current.take() {
            self.engine.suspend(&mut cursor);
            self.suspended.insert(self.running, cursor);
        }
        self.running = task;
        self.current = self.suspended.remove(&task);
        #[cfg(not(feature = "shuttle"))]
        if self.engine.wants_reclaim() {
            self.reclaim();
        }
    }

    fn end(&mut self, task: TaskId) {
        let Some(cursor) = self.current.take() else {
            return;
        };
        let end = self.engine.end(cursor);
        if self.has_joins {
            let rows = self.ends.len().max(task.index() + 1);
            self.ends.resize(rows, None);
            self.ends[task.index()] = Some(end);
        }
    }

    fn on_task(&mut self, event: Event) {
        let Self {
            engine,
            current,
            suspended,
            ends,
            finishes,
            signals,
            strands,
            ..
        } = self;
        let Some(cursor) = current else {
            return;
        };
        match event {
            Event::Spawn {
                task,
                finish,
                kind,
                site,
                name,
            } => {
                let into = finishes.get(finish.index());
                let child = engine.spawn(cursor, into, kind, site, name);
                suspended.insert(task, child);
            }
            Event::FinishBegin { kind, site, .. } => {
                finishes.push(engine.finish_begin(cursor, kind, site));
            }
            Event::FinishEnd { finish } => {
                if let Some(&scope) = finishes.get(finish.index()) {
                    engine.finish_end(cursor, scope);
                }
            }
            Event::Join { task, .. } => {
                if let Some(&Some(end)) = ends.get(task.index()) {
                    engine.join(cursor, end);
                }
            }
            Event::Signal { token, .. } => {
                let strand = engine.signal_for_list(cursor);
                strands.see(strand);
                signals.resize(signals.len().max(token.index() + 1), Vec::new());
                signals[token.index()].push(strand);
            }
            Event::Wait { token, .. } => {
                let signals = signals.get(token.index());
                engine.wait(cursor, signals.map_or(&[], Vec::as_slice));
            }
            Event::Acquire { lock, mode, .. } => engine.acquire(cursor, lock, mode),
            Event::Release { lock, .. } => {
                strands.see(engine.strand(cursor));
                engine.release(cursor, lock);
            }
            Event::AtomicBegin { .. } => engine.block_begin(cursor),
            Event::AtomicEnd { .. } => engine.block_end(cursor),
            _ => {}
        }
    }
}

impl Listener for Follower {
    #[inline]
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => self.access(AccessKind::Read, extent, site),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(AccessKind::Write, extent, site);
            }
            Event::Begin { task } | Event::Resume { task } => self.switch(task),
            Event::End { task } => self.end(task),
            Event::Alloc { .. } | Event::Atomic { .. } => self.on_memory(event),
            _ => self.on_task(event),
        }
    }
}
