//! Whatever the threads' schedule, the engine finds the same racy locations and the same torn ones.
//!
//! Runs on simulated threads: `cargo test -p heddle-rt --features shuttle --test shuttle`.
#![cfg(feature = "shuttle")]

use heddle_core::{Finding, FinishKind, LockId, SiteId, TaskKind, roster::Roster};
use heddle_rt::{Engine, LockMode, ThreadCache};
use shuttle::sync::{Arc, Mutex};
use std::collections::BTreeSet;

/// What one task does: locations it reads and writes, in sequence.
#[derive(Clone, Copy)]
enum Step {
    Read(u64),
    Write(u64),
    /// The same under the one lock there is.
    LockedRead(u64),
    LockedWrite(u64),
}

use Step::{LockedRead, LockedWrite, Read, Write};

const SITE: SiteId = SiteId::new(0);

/// The racy locations.
fn racy(tasks: &'static [&'static [Step]]) -> BTreeSet<u64> {
    let engine = executed(tasks);
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    let races = engine.races(&roster.ancestry());
    races.into_iter().filter_map(location).collect()
}

/// The torn locations.
fn torn(tasks: &'static [&'static [Step]]) -> BTreeSet<u64> {
    let engine = executed(tasks);
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    let tears = engine.tears(&roster.ancestry());
    tears.into_iter().filter_map(location).collect()
}

/// Runs the tasks, each on a thread of its own, inside one finish. Locations up to 7 are atomic.
fn executed(tasks: &'static [&'static [Step]]) -> Arc<Engine> {
    let engine = Arc::new(Engine::new().expect("address space"));
    let section = Arc::new(Mutex::new(()));
    let mut main = engine.main_task();
    engine.watch_range(0, 8, None);
    let scope = engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    let threads: Vec<_> = tasks
        .iter()
        .map(|steps| {
            let mut cursor = engine.spawn(&mut main, None, TaskKind::Async, SITE, None);
            let (engine, section) = (Arc::clone(&engine), Arc::clone(&section));
            shuttle::thread::spawn(move || {
                let mut cache = ThreadCache::new();
                for step in *steps {
                    run(*step, &engine, &section, &mut cache, &mut cursor);
                }
                engine.end(cursor);
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().expect("no task panics"));
    engine.finish_end(&mut main, scope);
    let mut cache = ThreadCache::new();
    engine.write(&mut cache, &mut main, 0, 8, || 0);
    assert!(!engine.gave_up());
    engine
}

fn location(finding: Finding) -> Option<u64> {
    match finding {
        Finding::Race { place, .. } => Some(place.location),
        Finding::Atomicity { places, .. } => Some(places[0].location),
        _ => None,
    }
}

fn run(
    step: Step,
    engine: &Engine,
    section: &Mutex<()>,
    cache: &mut ThreadCache,
    cursor: &mut heddle_rt::Cursor,
) {
    match step {
        Read(at) => engine.read(cache, cursor, at, 1, || 1),
        Write(at) => engine.write(cache, cursor, at, 1, || 2),
        LockedRead(at) | LockedWrite(at) => {
            let guard = section.lock().expect("no task panics");
            engine.acquire(cursor, LockId::new(1), LockMode::Exclusive);
            match step {
                LockedRead(_) => engine.read(cache, cursor, at, 1, || 3),
                _ => engine.write(cache, cursor, at, 1, || 4),
            }
            engine.release(cursor, LockId::new(1));
            drop(guard);
        }
    }
}

/// Tries many schedules; the racy locations must be `expected` in each.
fn always(tasks: &'static [&'static [Step]], expected: &'static [u64]) {
    let expected: BTreeSet<u64> = expected.iter().copied().collect();
    let again = expected.clone();
    shuttle::check_random(move || assert_eq!(racy(tasks), expected), 500);
    shuttle::check_pct(move || assert_eq!(racy(tasks), again), 500, 3);
}

#[test]
fn two_writers_always_race() {
    always(&[&[Write(1)], &[Write(1)]], &[1]);
}

#[test]
fn a_reader_and_a_writer_always_race_and_readers_never_do() {
    always(
        &[&[Read(1), Read(2)], &[Read(1), Write(2)], &[Read(1)]],
        &[2],
    );
}

#[test]
fn of_three_readers_any_one_can_race_with_the_writer() {
    always(&[&[Read(1)], &[Read(1)], &[Write(1)]], &[1]);
}

#[test]
fn locked_accesses_never_race_with_each_other() {
    always(
        &[
            &[LockedWrite(1), LockedRead(1)],
            &[LockedRead(1), LockedWrite(1)],
        ],
        &[],
    );
}

#[test]
fn a_locked_and_an_unlocked_access_always_race() {
    always(
        &[&[LockedWrite(1), Write(2)], &[Read(1), LockedRead(2)]],
        &[1, 2],
    );
}

#[test]
fn repeated_accesses_are_known_and_hide_nothing() {
    always(
        &[&[Write(1), Write(1), Read(1)], &[Read(2), Read(2), Read(1)]],
        &[1],
    );
}

/// Tries many schedules; the torn locations must be `expected` in each.
fn always_torn(tasks: &'static [&'static [Step]], expected: &'static [u64]) {
    let expected: BTreeSet<u64> = expected.iter().copied().collect();
    let again = expected.clone();
    shuttle::check_random(move || assert_eq!(torn(tasks), expected), 500);
    shuttle::check_pct(move || assert_eq!(torn(tasks), again), 500, 3);
}

#[test]
fn a_write_always_tears_a_pair_in_two_sections() {
    always_torn(&[&[LockedRead(1), LockedWrite(1)], &[LockedWrite(1)]], &[1]);
}

#[test]
fn a_read_tears_two_writes_and_never_two_reads() {
    always_torn(
        &[
            &[Write(1), Write(1), Read(2), Read(2)],
            &[Read(1), Read(2)],
            &[Read(1)],
        ],
        &[1],
    );
}

#[test]
fn two_tasks_that_touch_a_location_once_tear_nothing() {
    always_torn(&[&[Write(1), Read(2)], &[Write(1), Write(2)]], &[]);
}
