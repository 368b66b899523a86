//! Fig. 4 of Yoga and Nagarakatte, *Atomicity Violation Checker for Task Parallel Programs*: all eight triples, without
//! locks, in sections apart and in one section, of each kind of lock.

use super::*;
use heddle::{Mutex, Operation, RwLock, Shared, SharedVec, isolated};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
}
use Kind::{Read, Write};

/// What the two accesses of the first task and the one of the second do.
type Triple = [Kind; 3];

fn triples() -> Vec<Triple> {
    let kinds = [Read, Write];
    let pairs = kinds.map(|first| kinds.map(|middle| kinds.map(|last| [first, middle, last])));
    pairs.into_iter().flatten().flatten().collect()
}

/// Whether no serial sequence explains them.
fn is_unserializable([first, middle, last]: Triple) -> bool {
    match middle {
        Read => first == Write && last == Write,
        Write => true,
    }
}

fn access(x: &Shared<i32>, kind: Kind) {
    match kind {
        Read => assert!(x.get() < 2),
        Write => x.set(1),
    }
}

/// Runs all triples: both sides through `section`, the first task's accesses by `sections` in one or two.
fn all_triples(sections: Sections, section: impl Fn(&mut dyn FnMut(), Kind) + Sync) {
    for triple in triples() {
        let [first, middle, last] = triple;
        let found = torn(|| {
            let x = Shared::new(0).named("x").atomic();
            both(
                || match sections {
                    Sections::Apart => {
                        section(&mut || access(&x, first), first);
                        section(&mut || access(&x, last), last);
                    }
                    Sections::One => {
                        let kind = if first == last { first } else { Write };
                        section(
                            &mut || {
                                access(&x, first);
                                access(&x, last);
                            },
                            kind,
                        );
                    }
                },
                || section(&mut || access(&x, middle), middle),
            );
        });
        let is_torn = sections == Sections::Apart && is_unserializable(triple);
        assert_eq!(!found.is_empty(), is_torn, "{triple:?}");
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sections {
    Apart,
    One,
}

#[test]
fn exactly_five_triples_are_torn_without_locks() {
    all_triples(Sections::Apart, |body, _| body());
}

#[test]
fn exactly_five_triples_are_torn_by_isolated_sections_apart_and_none_by_one() {
    for sections in [Sections::Apart, Sections::One] {
        all_triples(sections, |body, _| isolated(body));
    }
}

#[test]
fn exactly_five_triples_are_torn_by_sections_of_a_mutex_apart_and_none_by_one() {
    for sections in [Sections::Apart, Sections::One] {
        let lock = Mutex::new(());
        all_triples(sections, |body, _| {
            let _guard = lock.lock().unwrap();
            body();
        });
    }
}

#[test]
fn exactly_five_triples_are_torn_by_sections_of_a_rwlock_apart_and_none_by_one() {
    for sections in [Sections::Apart, Sections::One] {
        let lock = RwLock::new(());
        all_triples(sections, |body, kind| match kind {
            Read => {
                let _guard = lock.read().unwrap();
                body();
            }
            Write => {
                let _guard = lock.write().unwrap();
                body();
            }
        });
    }
}

#[test]
fn what_is_not_declared_is_not_torn() {
    let found = torn(|| {
        let x = Shared::new(0);
        let twice = || (isolated(|| x.set(1)), isolated(|| x.set(2)));
        both(twice, twice);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn locked_programs_that_are_torn_do_not_race() {
    let x = Shared::new(0).atomic();
    let report = heddle::check(|| {
        let add = || {
            let seen = isolated(|| x.get());
            isolated(|| x.set(seen + 1));
        };
        both(add, add);
    });
    assert_eq!((report.races().count(), report.torn().count()), (0, 1));
    assert!(!report.is_clean());
}

#[test]
fn a_finding_has_the_three_accesses_in_the_order_that_tears() {
    let x = Shared::new(0).named("x").atomic();
    let first = line!() + 3;
    let found = lines(|| {
        let update = || {
            let seen = isolated(|| x.get());
            isolated(|| x.set(seen + 1));
        };
        let set = || isolated(|| x.set(7));
        both(update, set);
    });
    assert_eq!(found, [first, first + 3, first + 1]);
    let report = heddle::check(|| {
        both(
            || (isolated(|| x.set(1)), isolated(|| x.set(2))),
            || isolated(|| x.get()),
        )
    });
    let text = report.to_string();
    assert!(
        text.contains("x can be read by task #2 between two writes by task #1"),
        "{text}"
    );
    let finding = report.torn().next().unwrap();
    let does = finding.accesses.iter().map(|access| access.operation);
    assert!(does.eq([Operation::Write, Operation::Read, Operation::Write]));
    assert!(
        finding
            .accesses
            .iter()
            .all(|access| access.locks == ["isolated"])
    );
}

#[test]
fn the_middle_may_be_a_grandchild_and_the_pair_the_spawner_itself() {
    let program = |joined: bool| {
        let x = Shared::new(0).named("x").atomic();
        let spawn = || {
            finish(|s| {
                s.spawn(|s| s.spawn(|_| isolated(|| x.set(1))));
                if !joined {
                    isolated(|| x.get());
                    isolated(|| x.get());
                }
            });
        };
        spawn();
        isolated(|| x.get());
        isolated(|| x.get());
    };
    assert_eq!(torn(|| program(false)), only("x"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn accesses_of_two_strands_are_no_pair() {
    let found = torn(|| {
        let x = Shared::new(0).atomic();
        both(
            || {
                let seen = isolated(|| x.get());
                finish(|s| s.spawn(|_| ()));
                isolated(|| x.set(seen + 1));
            },
            || isolated(|| x.set(7)),
        );
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn futures_that_are_got_too_late_tear() {
    let program = |in_time: bool| {
        let x = Shared::new(0).named("x").atomic();
        finish(|s| {
            let value = s.future(|| isolated(|| x.set(1)));
            if in_time {
                value.get();
                isolated(|| x.get());
                isolated(|| x.get());
            } else {
                isolated(|| x.get());
                isolated(|| x.get());
                value.get();
            }
        });
    };
    assert_eq!(torn(|| program(false)), only("x"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn elements_of_a_vector_are_each_for_themselves() {
    let found = torn(|| {
        let bins = SharedVec::new(4, 0).named("bins").atomic();
        heddle::par_for(0..3, |i| {
            for bin in [i, i + 1] {
                let seen = isolated(|| bins.get(bin));
                isolated(|| bins.set(bin, seen + 1));
            }
        });
    });
    assert_eq!(
        found,
        BTreeSet::from(["bins[1]", "bins[2]"].map(str::to_owned))
    );
}

#[test]
fn a_range_that_is_written_tears_each_of_its_elements() {
    let found = torn(|| {
        let v = SharedVec::new(4, 0).named("v").atomic();
        both(
            || {
                isolated(|| v.get(2));
                isolated(|| v.get(2));
            },
            || isolated(|| v.fill(1.., 7)),
        );
    });
    assert_eq!(found, only("v[2]"));
}
