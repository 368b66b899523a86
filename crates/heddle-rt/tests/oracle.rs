//! The engine gives the oracle's verdicts on random event streams, whatever the interleaving.

use heddle_core::{Certainty, Event, Extent, Finding, LockId, SiteId, TaskId, roster::Roster};
use heddle_oracle::stream::{Class, Mode, script, simulate};
use heddle_oracle::{Oracle, Verdicts, try_cases};
use heddle_rt::{Cursor, EndPoint, Engine, FinishScope, LockMode, ThreadCache};
use std::collections::HashMap;

/// Numbers the locations of a stream densely, as the engine's front ends do. The locations of an extent
/// stay neighbours.
struct Numbers(Vec<u64>);

impl Numbers {
    fn of(events: &[Event]) -> Self {
        let extents = events.iter().filter_map(|event| match *event {
            Event::Read { extent, .. } | Event::Write { extent, .. } => Some(extent),
            Event::Alloc { extent, .. } | Event::Free { extent, .. } => Some(extent),
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
struct Driver {
    engine: Engine,
    cache: ThreadCache,
    cursors: HashMap<TaskId, Cursor>,
    ends: HashMap<TaskId, EndPoint>,
    finishes: Vec<FinishScope>,
    signals: HashMap<u32, Vec<u32>>,
    running: TaskId,
    numbers: Numbers,
}

impl Driver {
    fn new(numbers: Numbers) -> Self {
        let engine = Engine::new().expect("address space");
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
        }
    }

    fn on(&mut self, event: Event) {
        let Self {
            engine,
            cache,
            cursors,
            ends,
            finishes,
            signals,
            running,
            numbers,
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
            Event::Acquire { lock, .. } => engine.acquire(cursor, lock, LockMode::Exclusive),
            Event::Release { lock, .. } => engine.release(cursor, lock),
            Event::Read { extent, site } => {
                let (start, len) = span(extent);
                engine.read(cache, cursor, start, len, || site.raw());
            }
            Event::Write { extent, site } | Event::Free { extent, site } => {
                let (start, len) = span(extent);
                engine.write(cache, cursor, start, len, || site.raw());
            }
            Event::Alloc { extent, .. } => {
                let (start, len) = span(extent);
                engine.forget(start, len);
            }
            _ => {}
        }
    }

    fn verdicts(&self) -> Verdicts {
        let mut roster = Roster::new();
        (roster.tasks, roster.finishes) = self.engine.participants();
        let mut verdicts = Verdicts::new();
        for finding in self.engine.races(&roster.ancestry()) {
            if let Finding::Race {
                certainty, place, ..
            } = finding
            {
                let location = heddle_core::Location(self.numbers.0[place.location as usize]);
                let known = verdicts.entry(location).or_insert(Certainty::Possible);
                *known = certainty.max(*known);
            }
        }
        assert!(!self.engine.gave_up());
        verdicts
    }
}

fn agrees(class: Class, mode: Mode) {
    let given = std::env::var("HEDDLE_CASES").ok();
    let cases = given.and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let result = try_cases(&script(class, mode), cases, 7, |script| {
        let events = simulate(script);
        let mut driver = Driver::new(Numbers::of(&events));
        events.iter().for_each(|&event| driver.on(event));
        let (found, expected) = (driver.verdicts(), Oracle::of(&events).verdicts());
        match found == expected {
            true => Ok(()),
            false => Err(format!(
                "the engine finds {found:?}, the oracle {expected:?}\n\n{script}"
            )),
        }
    });
    if let Err(wrong) = result {
        panic!("{class:?}, {mode:?}: {wrong}");
    }
}

#[test]
fn serial_runs() {
    Class::ALL
        .iter()
        .for_each(|&class| agrees(class, Mode::Serial));
}

#[test]
fn interleaved_runs() {
    Class::ALL
        .iter()
        .for_each(|&class| agrees(class, Mode::Interleaved));
}

#[test]
fn a_repeated_access_of_one_strand_is_known_and_another_strand_still_races() {
    let mut driver = Driver::new(Numbers(vec![3]));
    let site = SiteId::new(0);
    let extent = Extent::one(heddle_core::Location(3));
    let task = TaskId::new(1);
    let finish = heddle_core::FinishId::MAIN;
    let kind = heddle_core::TaskKind::Async;
    driver.on(Event::Spawn {
        task,
        finish,
        kind,
        site,
        name: None,
    });
    for _ in 0..3 {
        driver.on(Event::Write { extent, site });
    }
    assert!(driver.verdicts().is_empty());
    driver.on(Event::Begin { task });
    driver.on(Event::Acquire {
        lock: LockId::ISOLATED,
        site,
    });
    driver.on(Event::Write { extent, site });
    assert_eq!(driver.verdicts().len(), 1);
}
