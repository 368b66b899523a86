//! Drives an engine with a stream of events, as a front end would.
#![allow(dead_code, reason = "each test takes what it needs")]

use heddle_core::roster::Roster;
use heddle_core::{AccessKind, Certainty, Event, Extent, Finding, Location, SiteId, TaskId};
use heddle_oracle::{Oracle, Subject, TornVerdicts, Verdicts};
use heddle_rt::{Cursor, EndPoint, Engine, FinishScope, ThreadCache, Touch};
use std::collections::HashMap;

/// Numbers the locations of a stream densely, as the engine's front ends do. The locations of an extent
/// stay neighbours.
pub struct Numbers(pub Vec<u64>);

impl Numbers {
    /// Of all locations of a stream.
    pub fn of(events: &[Event]) -> Self {
        let extents = events.iter().filter_map(|event| match *event {
            Event::Read { extent, .. } | Event::Write { extent, .. } => Some(extent),
            Event::Alloc { extent, .. } | Event::Free { extent, .. } => Some(extent),
            Event::Atomic { extent, .. } => Some(extent),
            _ => None,
        });
        let mut all: Vec<u64> = extents
            .flat_map(|extent| extent.locations())
            .map(|location| location.0)
            .collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    fn span(&self, extent: Extent) -> (u64, u64) {
        let start = self
            .0
            .partition_point(|&location| location < extent.start.0);
        (start as u64, extent.len)
    }
}

/// Drives an engine with a recorded stream, as a front end would.
pub struct Driver {
    /// The engine.
    pub engine: Engine,
    cache: ThreadCache,
    cursors: HashMap<TaskId, Cursor>,
    ends: HashMap<TaskId, EndPoint>,
    finishes: Vec<FinishScope>,
    signals: HashMap<u32, Vec<u32>>,
    running: TaskId,
    numbers: Numbers,
    /// Whether what is unused is given back after each event.
    pub reclaims: bool,
}

impl Driver {
    /// At the start of the main task.
    pub fn new(engine: Engine, numbers: Numbers) -> Self {
        let cursors = HashMap::from([(TaskId::MAIN, engine.main_task())]);
        Self {
            engine,
            cache: ThreadCache::new(),
            cursors,
            ends: HashMap::new(),
            finishes: vec![FinishScope::MAIN],
            signals: HashMap::new(),
            running: TaskId::MAIN,
            numbers,
            reclaims: false,
        }
    }

    /// Tells the engine.
    pub fn on(&mut self, event: Event) {
        let Self {
            engine,
            cache,
            cursors,
            ends,
            finishes,
            signals,
            running,
            numbers,
            reclaims,
        } = self;
        let mut ended = engine.main_task();
        let cursor = cursors.get_mut(running).unwrap_or(&mut ended);
        let span = |extent: Extent| numbers.span(extent);
        match event {
            Event::Spawn {
                task,
                finish,
                kind,
                site,
                name,
            } => {
                let into = &finishes[finish.index()];
                let child = engine.spawn(cursor, Some(into), kind, site, name);
                cursors.insert(task, child);
            }
            Event::Begin { task } | Event::Resume { task } => {
                engine.suspend(cursor);
                *running = task;
            }
            Event::End { task } => {
                let cursor = cursors.remove(&task).expect("the task runs");
                ends.insert(task, engine.end(cursor));
            }
            Event::FinishBegin { kind, site, .. } => {
                finishes.push(engine.finish_begin(cursor, kind, site));
            }
            Event::FinishEnd { finish } => {
                engine.finish_end(cursor, finishes[finish.index()]);
            }
            Event::Join { task, .. } => engine.join(cursor, ends[&task]),
            Event::Signal { token, .. } => {
                signals
                    .entry(token.raw())
                    .or_default()
                    .push(engine.signal(cursor));
            }
            Event::Wait { token, .. } => {
                engine.wait(cursor, signals.get(&token.raw()).map_or(&[], Vec::as_slice));
            }
            Event::Acquire { lock, mode, .. } => engine.acquire(cursor, lock, mode),
            Event::Release { lock, .. } => engine.release(cursor, lock),
            Event::Read { extent, site } => {
                let (start, len) = span(extent);
                engine.read(cache, cursor, start, len, || site.raw());
                observe(engine, cursor, AccessKind::Read, (start, len), site);
            }
            Event::Write { extent, site } | Event::Free { extent, site } => {
                let (start, len) = span(extent);
                engine.write(cache, cursor, start, len, || site.raw());
                observe(engine, cursor, AccessKind::Write, (start, len), site);
            }
            Event::Alloc { extent, .. } => {
                let (start, len) = span(extent);
                engine.forget(start, len);
            }
            Event::Atomic { extent, group } => {
                let (start, len) = span(extent);
                engine.watch_range(start, len, group);
            }
            Event::AtomicBegin { .. } => engine.block_begin(cursor),
            Event::AtomicEnd { .. } => engine.block_end(cursor),
            _ => {}
        }
        if *reclaims {
            // SAFETY: this thread is the only one, and has the only cache.
            unsafe { engine.reclaim(std::iter::once(cache), true) };
        }
    }

    /// Where cycles were closed in the observed order, as they were met: the location, and the position.
    pub fn cycles(&self) -> Vec<(Location, SiteId)> {
        let cycles = self.engine.cycles().unwrap_or_default().torn.into_iter();
        let named = cycles.map(|cycle| {
            let location = Location(self.numbers.0[cycle.granule as usize]);
            (location, SiteId::new(cycle.site))
        });
        named.collect()
    }

    /// The racy locations.
    pub fn verdicts(&self) -> Verdicts {
        let mut roster = Roster::new();
        (roster.tasks, roster.finishes) = self.engine.participants();
        let mut verdicts = Verdicts::new();
        for finding in self.engine.races(&roster.ancestry()) {
            if let Finding::Race {
                certainty, place, ..
            } = finding
            {
                let location = Location(self.numbers.0[place.location as usize]);
                let known = verdicts.entry(location).or_insert(Certainty::Possible);
                *known = certainty.max(*known);
            }
        }
        assert!(!self.engine.gave_up());
        verdicts
    }

    /// Verdicts on the engine's locations, by the stream's.
    pub fn named(&self, verdicts: TornVerdicts) -> TornVerdicts {
        let name = |subject| match subject {
            Subject::Location(at) => Subject::Location(Location(self.numbers.0[at.0 as usize])),
            group => group,
        };
        let verdicts = verdicts.into_iter();
        verdicts
            .map(|(subject, certainty)| (name(subject), certainty))
            .collect()
    }

    /// The torn units.
    pub fn torn(&self) -> TornVerdicts {
        let mut roster = Roster::new();
        (roster.tasks, roster.finishes) = self.engine.participants();
        let mut verdicts = TornVerdicts::new();
        for finding in self.engine.tears(&roster.ancestry()) {
            if let Finding::Atomicity {
                certainty,
                group,
                places,
                ..
            } = finding
            {
                let location = || Location(self.numbers.0[places[0].location as usize]);
                let subject = group.map_or_else(|| Subject::Location(location()), Subject::Group);
                let known = verdicts.entry(subject).or_insert(Certainty::Possible);
                *known = certainty.max(*known);
            }
        }
        assert!(!self.engine.gave_up());
        verdicts
    }
}

fn observe(
    engine: &Engine,
    cursor: &mut Cursor,
    kind: AccessKind,
    (start, len): (u64, u64),
    site: SiteId,
) {
    for granule in start..start + len {
        let touch = Touch {
            kind,
            granule,
            mask: 0xff,
            since: 0,
        };
        engine.observe(cursor, touch, || site.raw());
    }
}

/// Whether the engine finds the oracle's races, and calls the same ones certain.
pub fn agrees(found: &Verdicts, oracle: &Oracle) -> Result<(), String> {
    let expected = oracle.live_verdicts();
    match *found == expected {
        true => Ok(()),
        false => Err(format!(
            "the engine finds {found:?}, the oracle {expected:?}"
        )),
    }
}
