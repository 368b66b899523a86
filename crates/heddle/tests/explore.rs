//! Exploration of real Rust code: what is found, how it is replayed, and what the reductions leave out.

use heddle::atomic::{AtomicU32, Ordering};
use heddle::{
    Exploration, Explorer, Mutex, Reduction, RwLock, Shared, SharedVec, explore, finish, future,
    isolated, join, par_for,
};

/// Kinds and locations of what was found, each once.
fn found(exploration: &Exploration) -> Vec<String> {
    let lines = exploration.findings().iter().map(|found| {
        let kind = serde_kind(&found.finding);
        match &found.finding.location {
            Some(location) => format!("{kind} {location}"),
            None => kind,
        }
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.dedup();
    lines
}

fn serde_kind(finding: &heddle::Finding) -> String {
    format!("{:?}", finding.kind).to_lowercase()
}

/// By every reduction the same is found.
#[track_caller]
fn check(body: impl Fn() + Sync, expected: &[&str]) {
    for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
        let exploration = Explorer::new().reduction(reduction).explore(&body);
        assert_eq!(
            found(&exploration),
            expected,
            "{reduction:?}\n{exploration}"
        );
        assert!(exploration.is_complete());
    }
}

#[test]
fn a_lost_update_is_found_in_the_schedule_that_loses_it() {
    let body = |twice: bool| {
        let count = Shared::new(0).named("count");
        finish(|s| {
            for _ in 0..2 {
                s.spawn(|_| {
                    if twice {
                        let seen = isolated(|| count.get());
                        isolated(|| count.set(seen + 1));
                    } else {
                        isolated(|| count.add(1));
                    }
                });
            }
        });
        assert_eq!(count.get(), 2);
    };
    check(|| body(true), &["assertion"]);
    check(|| body(false), &[]);
}

#[test]
fn a_race_that_one_order_of_sections_hides_is_found() {
    let body = |guarded: bool| {
        let (turn, x) = (Shared::new(1), Shared::new(0).named("x"));
        finish(|s| {
            s.spawn(|_| isolated(|| turn.set(0)));
            isolated(|| turn.set(1));
        });
        if turn.get() == 0 {
            join(
                || x.set(20),
                || {
                    if !guarded {
                        x.set(10)
                    }
                },
            );
        }
    };
    check(|| body(false), &["race x"]);
    check(|| body(true), &[]);
}

#[test]
fn locks_in_opposite_sequence_deadlock_and_in_the_same_do_not() {
    let body = |same: bool| {
        let (a, b) = (Mutex::named("a", 0), Mutex::named("b", 0));
        join(
            || {
                let mut a = a.lock().unwrap();
                *a += *b.lock().unwrap();
            },
            || {
                if same {
                    let a = a.lock().unwrap();
                    *b.lock().unwrap() += *a;
                } else {
                    let mut b = b.lock().unwrap();
                    *b += *a.lock().unwrap();
                }
            },
        );
    };
    check(|| body(false), &["deadlock"]);
    check(|| body(true), &[]);
}

fn dine(philosophers: usize, last_is_left_handed: bool) {
    let forks: Vec<Mutex<u32>> = (0..philosophers).map(|_| Mutex::new(0)).collect();
    finish(|s| {
        for seat in 0..philosophers {
            let forks = &forks;
            s.spawn(move |_| {
                let (mut left, mut right) = (seat, (seat + 1) % philosophers);
                if last_is_left_handed && right == 0 {
                    (left, right) = (right, left);
                }
                let mut left = forks[left].lock().unwrap();
                let mut right = forks[right].lock().unwrap();
                *left += 1;
                *right += 1;
            });
        }
    });
    let uses: u32 = forks
        .into_iter()
        .map(|fork| fork.into_inner().unwrap())
        .sum();
    assert_eq!(uses, 2 * philosophers as u32);
}

#[test]
fn philosophers_deadlock_unless_one_is_left_handed() {
    check(|| dine(3, false), &["deadlock"]);
    check(|| dine(3, true), &[]);
}

#[test]
fn a_lock_taken_twice_by_one_task_is_a_deadlock() {
    check(
        || {
            let lock = Mutex::new(0);
            let _guard = lock.lock();
            let _again = lock.lock();
        },
        &["deadlock"],
    );
}

#[test]
fn readers_share_and_writers_wait() {
    check(
        || {
            let (value, x) = (RwLock::new(0), Shared::new(0).named("x"));
            join(
                || {
                    let _seen = value.read().unwrap();
                    x.set(1);
                },
                || {
                    let _seen = value.read().unwrap();
                    x.set(2);
                },
            );
        },
        &["race x"],
    );
    check(
        || {
            let (value, x) = (RwLock::new(0), Shared::new(0));
            let change = |by: i32| {
                *value.write().unwrap() += by;
                let _alone = value.write().unwrap();
                x.add(by);
            };
            join(|| change(1), || change(2));
            assert_eq!((*value.read().unwrap(), x.get()), (3, 3));
        },
        &[],
    );
}

#[test]
fn operations_on_atomics_come_in_any_order() {
    check(
        || {
            let count = AtomicU32::new(0);
            let add = || {
                let seen = count.load(Ordering::SeqCst);
                count.store(seen + 1, Ordering::SeqCst);
            };
            join(add, add);
            assert_eq!(count.load(Ordering::SeqCst), 2);
        },
        &["assertion"],
    );
    check(
        || {
            let count = AtomicU32::new(0);
            let add = || count.fetch_add(1, Ordering::SeqCst);
            join(add, add);
            assert_eq!(count.load(Ordering::SeqCst), 2);
        },
        &[],
    );
}

#[test]
fn a_lock_that_is_tried_may_be_free_or_not() {
    let body = |hopeful: bool| {
        let (lock, got) = (Mutex::new(0), AtomicU32::new(0));
        let attempt = || {
            if let Ok(mut value) = lock.try_lock() {
                *value += 1;
                got.fetch_add(1, Ordering::SeqCst);
            }
        };
        join(attempt, attempt);
        let got = got.load(Ordering::SeqCst);
        assert_eq!(got, *lock.lock().unwrap());
        assert!(!hopeful || got == 2, "one of them did not get it");
    };
    check(|| body(true), &["assertion"]);
    check(|| body(false), &[]);
}

#[test]
fn any_task_of_a_group_may_be_the_first() {
    let body = |right: bool| {
        let data = SharedVec::new(2, 0).named("data");
        finish(|s| {
            let group = s.group();
            group.post(|| data.set(0, 1));
            group.post(|| data.set(1, 1));
            group.wait_any();
            if right {
                group.wait_any();
            }
            data.get(0);
        });
    };
    check(|| body(false), &["race data[0]"]);
    check(|| body(true), &[]);
}

#[test]
fn a_value_that_is_waited_for_while_holding_what_it_needs_is_a_deadlock() {
    let body = |early: bool| {
        let lock = std::sync::Arc::new(Mutex::new(0));
        let needs = std::sync::Arc::clone(&lock);
        let value = future(move || *needs.lock().unwrap());
        if early {
            let value = value.join();
            *lock.lock().unwrap() += value;
        } else {
            let mut guard = lock.lock().unwrap();
            *guard += value.join();
        }
    };
    check(|| body(false), &["deadlock"]);
    check(|| body(true), &[]);
}

#[test]
fn a_program_without_choices_is_one_schedule() {
    let exploration = explore(|| {
        let sums = SharedVec::new(4, 0);
        par_for(0..4, |i| sums.set(i, i));
    });
    assert_eq!((exploration.schedules(), exploration.is_clean()), (1, true));
    assert!(exploration.is_complete());
}

#[test]
fn sections_that_do_not_conflict_are_not_reordered() {
    let body = || {
        let values = SharedVec::new(6, 0);
        par_for(0..6, |i| isolated(|| values.set(i, 1)));
    };
    let all = Explorer::new().reduction(Reduction::None).explore(body);
    assert_eq!(all.schedules(), 720);
    assert_eq!(explore(body).schedules(), 1);
}

#[test]
fn the_report_names_the_schedule_and_what_it_means() {
    let exploration = explore(|| {
        let count = AtomicU32::new(0);
        let add = || {
            let seen = count.load(Ordering::SeqCst);
            count.store(seen + 1, Ordering::SeqCst);
        };
        join(add, add);
        assert_eq!(count.load(Ordering::SeqCst), 2, "an update is lost");
    });
    let text = exploration.to_string();
    assert!(text.contains("replay: HEDDLE_REPLAY="), "{text}");
    assert!(text.contains("an update is lost"), "{text}");
    assert!(
        text.contains("guarantee: all schedules, explored"),
        "{text}"
    );
}

#[test]
fn a_panic_in_one_schedule_does_not_end_the_search() {
    let exploration = Explorer::new().reduction(Reduction::None).explore(|| {
        let order = Mutex::new(Vec::new());
        finish(|s| {
            for i in 0..3 {
                let order = &order;
                s.spawn(move |_| order.lock().unwrap().push(i));
            }
        });
        assert_ne!(*order.lock().unwrap(), [1, 0, 2]);
    });
    assert_eq!(exploration.schedules(), 6);
    assert_eq!(found(&exploration), ["assertion"]);
}

/// Loses an update in some schedules.
fn lossy() -> Exploration {
    explore(|| {
        let count = Shared::new(0).named("count");
        par_for(0..2, |_| {
            let seen = isolated(|| count.get());
            isolated(|| count.set(seen + 1));
        });
        assert_eq!(count.get(), 2);
    })
}

/// Does nothing by itself; the next test runs it in a process of its own.
#[test]
fn a_schedule_given_by_the_environment() {
    if std::env::var_os("HEDDLE_REPLAY").is_some() {
        lossy().assert_clean();
    }
}

#[test]
fn the_schedule_of_a_finding_is_replayed_step_by_step() {
    let schedule = lossy().findings()[0].schedule.clone();
    let replay = |schedule: &str| {
        let test = std::env::current_exe().expect("a test");
        let mut command = std::process::Command::new(test);
        command.args([
            "--exact",
            "a_schedule_given_by_the_environment",
            "--nocapture",
        ]);
        let output = command.env("HEDDLE_REPLAY", schedule).output();
        let output = output.expect("the test starts");
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8(text).expect("text"),
        )
    };
    let (is_clean, text) = replay(&schedule);
    assert!(!is_clean, "{text}");
    for step in 1..=4 {
        assert!(text.contains(&format!("{step}. task #")), "{text}");
    }
    assert!(text.contains("enters an isolated section at"), "{text}");
    assert!(
        text.contains("a task panics at") || text.contains("panic:"),
        "{text}"
    );
    // Another one keeps the update.
    let (is_clean, text) = replay("-");
    assert!(is_clean, "{text}");
    let (is_clean, text) = replay("1:x");
    assert!(
        !is_clean && text.contains("is no step of a schedule"),
        "{text}"
    );
    let (is_clean, text) = replay("70:3");
    assert!(!is_clean && text.contains("HEDDLE_REPLAY"), "{text}");
}

#[test]
fn a_possible_deadlock_of_one_run_is_confirmed_or_refuted() {
    let (a, b, gate) = ("a", "b", "gate");
    let crossed = |gated: bool| {
        let (a, b) = (Mutex::named(a, 0), Mutex::named(b, 0));
        let gate = Mutex::named(gate, ());
        let both = |first: &Mutex<i32>, second: &Mutex<i32>| {
            let _gate = gated.then(|| gate.lock().unwrap());
            let mut first = first.lock().unwrap();
            *first += *second.lock().unwrap();
        };
        join(|| both(&a, &b), || both(&b, &a));
    };
    let checker = heddle::Checker::new().parallel(0);
    let possible = |gated| checker.check(|| crossed(gated)).to_string();
    assert!(
        possible(false).contains("possible deadlock"),
        "{}",
        possible(false)
    );
    assert!(!possible(true).contains("deadlock"), "{}", possible(true));
    check(|| crossed(false), &["deadlock"]);
    check(|| crossed(true), &[]);
}

#[test]
fn crossed_locks_that_cannot_meet_are_no_deadlock() {
    // The second task takes them the other way round only when the first is done with them.
    check(
        || {
            let (a, b, done) = (Mutex::new(0), Mutex::new(0), Shared::new(0));
            join(
                || {
                    let mut a = a.lock().unwrap();
                    *a += *b.lock().unwrap();
                    drop(a);
                    isolated(|| done.set(1));
                },
                || {
                    if isolated(|| done.get()) == 1 {
                        let mut b = b.lock().unwrap();
                        *b += *a.lock().unwrap();
                    }
                },
            );
        },
        &[],
    );
}

#[test]
fn a_race_with_a_strand_that_reads_at_two_places_is_shown() {
    let exploration = Explorer::new().explore(|| {
        let a = SharedVec::new(3, 0).named("A");
        finish(|s| {
            let a = &a;
            s.spawn(move |_| {
                if a.get(2) == 0 {
                    a.set(0, a.get(2));
                }
            });
            s.spawn(move |_| isolated(|| a.set(2, a.get(1))));
        });
    });
    let found = exploration.findings().iter();
    let locations: Vec<_> = found
        .map(|found| found.finding.location.as_deref())
        .collect();
    assert_eq!(locations, [Some("A[2]")]);
}
