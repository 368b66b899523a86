//! On real threads, the engine finds the same racy locations in every run.
//!
//! Also the program that ThreadSanitizer watches: see `cargo xtask soak`.
#![cfg(not(feature = "shuttle"))]

use heddle_core::{Finding, FinishKind, LockId, SiteId, TaskKind, roster::Roster};
use heddle_rt::{Engine, LockMode, ThreadCache};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

const SITE: SiteId = SiteId::new(0);
const TASKS: u64 = 4;
const ROUNDS: u64 = 50;

/// Each task writes an element of its own, reads one that all read, bumps one under a lock, and, in
/// location 9, writes what the others write too.
fn work(engine: &Engine, lock: &AtomicBool, cursor: &mut heddle_rt::Cursor, task: u64) {
    let mut cache = ThreadCache::new();
    for _ in 0..ROUNDS {
        engine.write(&mut cache, cursor, 10 + task, 1, || 1);
        engine.read(&mut cache, cursor, 7, 1, || 2);
        while lock.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        engine.acquire(cursor, LockId::new(1), LockMode::Exclusive);
        engine.read(&mut cache, cursor, 8, 1, || 3);
        engine.write(&mut cache, cursor, 8, 1, || 4);
        engine.release(cursor, LockId::new(1));
        lock.store(false, Ordering::Release);
        engine.write(&mut cache, cursor, 9, 1, || 5);
    }
}

fn racy() -> BTreeSet<u64> {
    let engine = Engine::new().expect("address space");
    let (engine, lock) = (&engine, &AtomicBool::new(false));
    let mut cache = ThreadCache::new();
    let mut main = engine.main_task();
    engine.write(&mut cache, &mut main, 0, 64, || 0);
    let scope = engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    std::thread::scope(|threads| {
        for task in 0..TASKS {
            let mut cursor = engine.spawn(&mut main, None, TaskKind::Async, SITE, None);
            threads.spawn(move || {
                work(engine, lock, &mut cursor, task);
                engine.end(cursor);
            });
        }
    });
    engine.finish_end(&mut main, scope);
    engine.write(&mut cache, &mut main, 0, 64, || 6);
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    assert!(!engine.gave_up());
    let races = engine.races(&roster.ancestry()).into_iter();
    races
        .filter_map(|finding| match finding {
            Finding::Race { place, .. } => Some(place.location),
            _ => None,
        })
        .collect()
}

#[test]
fn every_run_finds_the_one_racy_location() {
    for _ in 0..20 {
        assert_eq!(racy(), BTreeSet::from([9]));
    }
}
