//! Locks, isolated sections and atomics: what excludes what, and what is handed over.

mod atomics;
mod isolated_sections;
mod mutex;
mod rwlock;

use heddle::atomic::{AtomicBool, AtomicUsize, Ordering};
use heddle::{Certainty, Checker, Mutex, Order, Report, RwLock, Shared, check, finish, isolated};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs two tasks beside each other; serially, one after the other.
fn both<A, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) {
    finish(|s| {
        s.spawn(|_| drop(a()));
        s.spawn(|_| drop(b()));
    });
}

/// How certain the races of a serial run are.
fn certainties(program: impl FnOnce() + Send) -> Vec<Certainty> {
    let report = Checker::new().parallel(0).check(program);
    report.races().map(|race| race.certainty).collect()
}

fn assert_clean(program: impl Fn() + Sync) {
    for checker in [Checker::new(), Checker::new().parallel(2)] {
        checker.check(&program).assert_clean();
    }
}

#[test]
fn locks_and_atomics_may_be_static_and_serve_several_checks() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    static NAMES: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let work = || {
        NAMES
            .lock()
            .unwrap()
            .push(COUNT.fetch_add(1, Ordering::Relaxed))
    };
    let run = || check(|| both(work, work));
    std::thread::scope(|threads| {
        let reports: Vec<_> = (0..4).map(|_| threads.spawn(run)).collect();
        for report in reports {
            Report::assert_clean(&report.join().unwrap());
        }
    });
    assert_eq!(NAMES.lock().unwrap().len(), 8);
}

#[test]
fn outside_of_a_check_they_exclude_each_other_on_the_pool() {
    let (m, count) = (Mutex::new(0), AtomicUsize::new(0));
    let x = Shared::new(0);
    finish(|s| {
        for _ in 0..100 {
            s.spawn(|_| {
                *m.lock().unwrap() += 1;
                count.fetch_add(1, Ordering::Relaxed);
                isolated(|| x.add(1));
            });
        }
    });
    assert_eq!(
        (*m.lock().unwrap(), count.into_inner(), x.get()),
        (100, 100, 100)
    );
}

/// The locks held at the two sides of the one race of a serial run.
fn locks_of(program: impl FnOnce() + Send) -> Vec<Vec<String>> {
    let report = Checker::new().parallel(0).check(program);
    let [race] = report.races().collect::<Vec<_>>()[..] else {
        panic!("one race in {report}");
    };
    race.accesses
        .iter()
        .map(|side| side.locks.clone())
        .collect()
}

#[test]
fn reports_call_locks_by_their_name_or_by_where_they_were_made() {
    let x = Shared::new(0);
    let named = Mutex::named("log", ());
    let (plain, line) = (RwLock::new(()), line!());
    let found = locks_of(|| {
        both(
            || named.lock().map(|_guard| x.set(1)).unwrap(),
            || plain.write().map(|_guard| x.set(2)).unwrap(),
        )
    });
    let made_at = format!("RwLock@crates/heddle/tests/sync/main.rs:{line}:");
    assert_eq!(found[0], ["log"]);
    assert!(found[1][0].starts_with(&made_at), "{found:?}");
}

#[test]
fn locks_made_at_one_place_are_told_apart() {
    let x = Shared::new(0);
    let locks = [1, 2].map(|_| Mutex::named("part", ()));
    let touch = |n: usize| locks[n].lock().map(|_guard| x.set(n)).unwrap();
    let found = locks_of(|| both(|| touch(0), || touch(1)));
    assert_eq!(found, [["part#1"], ["part#2"]]);
}
