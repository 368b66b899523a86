//! Which locks keep others out.

use super::*;
use heddle::{Mutex, RwLock, Shared, isolated};

#[test]
fn a_lock_that_the_middle_does_not_take_protects_nothing() {
    let program = |same: bool| {
        let x = Shared::new(0).named("x").atomic();
        let (lock, other) = (Mutex::new(()), Mutex::new(()));
        both(
            || {
                let _guard = lock.lock().unwrap();
                x.add(1);
            },
            || {
                let _guard = if same { &lock } else { &other }.lock().unwrap();
                x.set(7);
            },
        );
    };
    assert_eq!(torn(|| program(false)), only("x"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn one_lock_after_the_other_does_not_keep_out_who_has_both() {
    let found = torn(|| {
        let x = Shared::new(0).named("x").atomic();
        let (first, second) = (Mutex::new(()), Mutex::new(()));
        both(
            || {
                let seen = first.lock().map(|_guard| x.get()).unwrap();
                second.lock().map(|_guard| x.set(seen + 1)).unwrap();
            },
            || {
                let _guards = (first.lock().unwrap(), second.lock().unwrap());
                x.set(7);
            },
        );
    });
    assert_eq!(found, only("x"));
}

#[test]
fn an_outer_lock_protects_against_those_who_take_it() {
    let program = |takes_outer: bool| {
        let x = Shared::new(0).named("x").atomic();
        let (outer, inner) = (Mutex::new(()), Mutex::new(()));
        let set = |value| inner.lock().map(|_guard| x.set(value)).unwrap();
        both(
            || {
                let _guard = outer.lock().unwrap();
                set(1);
                set(2);
            },
            || {
                let _guard = takes_outer.then(|| outer.lock().unwrap());
                set(3);
            },
        );
    };
    assert_eq!(torn(|| program(false)), only("x"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn readers_keep_writers_out_but_not_readers() {
    let program = |writes_as_reader: bool| {
        let x = Shared::new(0).named("x").atomic();
        let lock = RwLock::new(());
        both(
            || {
                let _guard = lock.read().unwrap();
                x.get();
                x.get();
            },
            || match writes_as_reader {
                true => lock.read().map(|_guard| x.set(1)).unwrap(),
                false => lock.write().map(|_guard| x.set(1)).unwrap(),
            },
        );
    };
    assert_eq!(torn(|| program(true)), only("x"));
    assert_eq!(torn(|| program(false)), BTreeSet::new());
}

#[test]
fn isolated_in_isolated_is_one_section() {
    let found = torn(|| {
        let n = Shared::new(0).atomic();
        let add = || {
            isolated(|| {
                let seen = isolated(|| n.get());
                isolated(|| n.set(seen + 1));
            });
        };
        both(add, add);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn locks_are_named_at_each_access() {
    let x = Shared::new(0).atomic();
    let (log, table) = (Mutex::named("log", ()), Mutex::named("table", ()));
    let report = heddle::check(|| {
        both(
            || {
                let _kept = table.lock().unwrap();
                log.lock().map(|_guard| x.get()).unwrap();
                log.lock().map(|_guard| x.get()).unwrap();
            },
            || log.lock().map(|_guard| x.set(1)).unwrap(),
        )
    });
    let [finding] = report.torn().collect::<Vec<_>>()[..] else {
        panic!("one torn unit in {report}");
    };
    let locks: Vec<_> = finding
        .accesses
        .iter()
        .map(|access| &access.locks)
        .collect();
    assert_eq!((locks[1].len(), &locks[1][0][..]), (1, "log"));
    assert!(
        locks[0].contains(&"table".into()) && locks[2].contains(&"log".into()),
        "{locks:?}"
    );
    let text = report.to_string();
    assert!(text.contains("then gives log back"), "{text}");
}

#[test]
fn a_writer_who_comes_only_because_of_a_flag_makes_it_possible() {
    let report = Checker::new().parallel(0).check(|| {
        let (x, done) = (Shared::new(0).named("x").atomic(), Shared::new(0));
        let flag = Mutex::new(());
        both(
            || {
                isolated(|| x.get());
                isolated(|| x.set(1));
                flag.lock().map(|_guard| done.set(1)).unwrap();
            },
            || {
                if flag.lock().map(|_guard| done.get()).unwrap() == 1 {
                    isolated(|| x.set(2));
                }
            },
        );
    });
    let [finding] = report.torn().collect::<Vec<_>>()[..] else {
        panic!("one torn unit in {report}");
    };
    assert_eq!(finding.certainty, Certainty::Possible);
    assert!(report.is_clean(), "{report}");
}
