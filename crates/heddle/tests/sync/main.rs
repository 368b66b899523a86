//! Locks, isolated sections and atomics: what excludes what, and what is handed over.

mod atomics;
mod isolated_sections;
mod mutex;
mod rwlock;

use heddle::atomic::{AtomicBool, AtomicUsize, Ordering};
use heddle::{Certainty, Checker, Mutex, Report, RwLock, Shared, check, finish, isolated};
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
