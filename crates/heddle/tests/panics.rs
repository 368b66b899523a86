//! Panics in tasks come out of their finish, after all tasks have ended, and harm nothing else.

use heddle::{Checker, Event, Shared, finish, future, join};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the program panicked with.
fn message(result: Result<impl Sized, Box<dyn Any + Send>>) -> String {
    let Err(payload) = result else {
        return "no panic".into();
    };
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()));
    text.expect("panics have messages")
}

/// Runs the program unchecked, sequentially, checked serially and checked in parallel.
fn everywhere(program: impl Fn() + Sync, expect: impl Fn(String)) {
    expect(message(catch_unwind(AssertUnwindSafe(&program))));
    expect(message(catch_unwind(AssertUnwindSafe(|| {
        heddle::sequential(&program)
    }))));
    for threads in [0, 2] {
        let checker = Checker::new().parallel(threads);
        expect(message(catch_unwind(AssertUnwindSafe(|| {
            checker.check(&program)
        }))));
    }
}

#[test]
fn a_panic_leaves_its_finish_when_all_tasks_have_ended() {
    let ended = AtomicUsize::new(0);
    let program = || {
        ended.store(0, Ordering::SeqCst);
        finish(|s| {
            s.spawn(|_| panic!("torn"));
            (0..10).for_each(|_| {
                s.spawn(|_| {
                    ended.fetch_add(1, Ordering::SeqCst);
                })
            });
        });
    };
    everywhere(program, |text| {
        assert_eq!((&*text, ended.load(Ordering::SeqCst)), ("torn", 10));
    });
}

#[test]
fn a_panic_of_the_body_waits_for_the_tasks_too() {
    let ended = AtomicUsize::new(0);
    let program = || {
        ended.store(0, Ordering::SeqCst);
        finish(|s| {
            s.spawn(|_| {
                ended.fetch_add(1, Ordering::SeqCst);
            });
            panic!("cut");
        });
    };
    everywhere(program, |text| {
        assert_eq!((&*text, ended.load(Ordering::SeqCst)), ("cut", 1));
    });
}

#[test]
fn panics_pass_through_join_futures_and_nested_finishes() {
    let sides = || {
        join(|| 1, || -> i32 { panic!("right") });
    };
    everywhere(sides, |text| assert_eq!(text, "right"));
    let nested = || finish(|s| s.spawn(|_| finish(|s| s.spawn(|_| panic!("deep")))));
    everywhere(nested, |text| assert_eq!(text, "deep"));
    let gets = || {
        finish(|s| {
            s.future(|| -> i32 { panic!("no value") }).get();
        })
    };
    everywhere(gets, |text| assert_eq!(text, "no value"));
}

#[test]
fn getting_the_value_of_a_free_future_that_panicked_panics() {
    let result = catch_unwind(|| future(|| -> i32 { panic!("gone") }).get());
    assert!(message(result).contains("whose task panicked"));
}

#[test]
fn a_second_satisfy_panics_and_names_the_event() {
    let program = || {
        let event = Event::new();
        event.satisfy();
        event.satisfy();
    };
    everywhere(program, |text| {
        assert!(
            text.contains("panics.rs") && text.contains("second time"),
            "{text}"
        );
    });
}

#[test]
fn a_task_that_waits_forever_is_named() {
    for threads in [0, 2] {
        let program = || {
            let never = Event::new();
            finish(|s| {
                let first = s.task_after(&[&never], || ());
                s.task_after(&[&first], || ());
            });
        };
        let checker = Checker::new().parallel(threads);
        let text = message(catch_unwind(AssertUnwindSafe(|| checker.check(program))));
        assert!(text.contains("deadlock"), "{text}");
        assert_eq!(text.matches("panics.rs").count(), 4, "{text}");
    }
}

#[test]
fn what_a_task_that_never_ran_owns_is_dropped() {
    let owned = std::sync::Arc::new(());
    let program = || {
        let never = Event::new();
        let captured = std::sync::Arc::clone(&owned);
        finish(|s| drop(s.task_after(&[&never], move || drop(captured))));
    };
    let text = message(catch_unwind(AssertUnwindSafe(|| heddle::check(program))));
    assert!(text.contains("deadlock"), "{text}");
    assert_eq!(std::sync::Arc::strong_count(&owned), 1);
}

#[test]
fn a_checker_is_usable_after_a_panic() {
    for threads in [0, 2] {
        let checker = Checker::new().parallel(threads);
        for _ in 0..3 {
            let x = Shared::new(0);
            let torn = || finish(|s| s.spawn(|_| panic!("torn")));
            assert!(catch_unwind(AssertUnwindSafe(|| checker.check(torn))).is_err());
            let racy = || {
                join(|| x.set(1), || x.set(2));
            };
            assert_eq!(checker.check(racy).races().count(), 1);
        }
    }
}

#[test]
fn races_are_found_around_a_panic_that_is_caught_inside() {
    let report = heddle::check(|| {
        let x = Shared::new(0);
        finish(|s| {
            s.spawn(|_| x.set(1));
            let caught = catch_unwind(AssertUnwindSafe(|| {
                finish(|s| s.spawn(|_| panic!("caught")));
            }));
            assert!(caught.is_err());
            x.set(2);
        });
        x.set(3);
    });
    assert_eq!(report.races().count(), 1);
}

/// Set in the process that panics.
const PANICS: &str = "HEDDLE_TEST_PANICS";

#[test]
fn what_was_found_before_a_panic_is_printed() {
    if std::env::var_os(PANICS).is_some() {
        let x = Shared::new(0);
        Checker::new().check(|| {
            join(|| x.set(1), || x.set(2));
            panic!("afterwards");
        });
    }
    let this = std::env::current_exe().expect("a test has a file");
    let mut command = std::process::Command::new(this);
    command.args(["what_was_found_before_a_panic_is_printed", "--nocapture"]);
    let output = command.env(PANICS, "1").output().expect("it starts");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{printed}");
    assert!(printed.contains("found before the panic"), "{printed}");
    assert!(
        printed.contains("race") && printed.contains("up to where it stopped"),
        "{printed}"
    );
}
