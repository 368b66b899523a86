//! Dependences that do not come: what is a deadlock of every schedule, what only of the serial one.

use heddle::{Checker, Event, Shared, finish};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What the program panics with, if it does.
fn panics(run: impl FnOnce()) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(run)).err()?;
    Some(*payload.downcast::<String>().expect("panics have messages"))
}

fn checked(threads: usize, program: impl Fn() + Sync) -> Option<String> {
    panics(|| {
        Checker::new()
            .parallel(threads)
            .check(&program)
            .assert_clean()
    })
}

#[track_caller]
fn assert_deadlock(text: Option<String>) {
    let text = text.expect("a deadlock");
    assert!(text.starts_with("deadlock"), "{text}");
    assert!(text.contains("waiting.rs"), "{text}");
}

#[track_caller]
fn assert_serial_only(text: Option<String>) {
    let text = text.expect("the serial run cannot go on");
    assert!(text.starts_with("the serial run cannot go on"), "{text}");
    assert!(!text.contains("deadlock"), "{text}");
    assert!(
        text.contains("waiting.rs") && text.contains("HEDDLE_PARALLEL"),
        "{text}"
    );
}

/// A task of an inner finish starts after an event that this finish cannot bring.
fn waits_inside(go: &Event) {
    finish(|inner| drop(inner.task_after(&[go], || ())));
}

#[test]
fn an_event_that_is_dropped_before_it_is_satisfied_is_a_deadlock_everywhere() {
    let program = || {
        finish(|s| {
            let lost = Event::new();
            let first = s.task_after(&[&lost], || ());
            s.task_after(&[&first], || ());
        });
    };
    assert_deadlock(panics(program));
    assert_deadlock(panics(|| heddle::sequential(program)));
    (0..3).for_each(|threads| assert_deadlock(checked(threads, program)));
}

#[test]
fn tasks_that_do_not_wait_for_it_run_all_the_same() {
    let ran = Shared::new(0);
    let program = || {
        finish(|s| {
            let (lost, go) = (Event::new(), Event::new());
            s.task_after(&[&lost, &go], || unreachable!("it waits in vain"));
            s.task_after(&[&go], || ran.set(1));
            go.satisfy();
        });
    };
    for threads in 0..3 {
        ran.set(0);
        assert_deadlock(checked(threads, program));
        assert_eq!(ran.get(), 1);
    }
}

#[test]
fn what_a_task_keeps_alive_that_never_runs_is_lost_with_it() {
    let program = || {
        finish(|s| {
            let (lost, kept) = (Event::new(), Arc::new(Event::new()));
            let other = Arc::clone(&kept);
            // The first owns what the second, and itself, wait for.
            s.task_after(&[&lost, &*kept], move || other.satisfy());
            s.task_after(&[&*kept], || ());
        });
    };
    assert_deadlock(panics(program));
    (0..3).for_each(|threads| assert_deadlock(checked(threads, program)));
}

#[test]
fn an_event_that_its_own_task_satisfies_after_the_finish_is_a_deadlock() {
    let program = || {
        let go = Event::new();
        waits_inside(&go);
        go.satisfy();
    };
    (0..3).for_each(|threads| assert_deadlock(checked(threads, program)));
}

#[test]
fn in_a_task_that_shows_only_on_threads() {
    let program = || {
        finish(|s| {
            s.spawn(|_| {
                let go = Event::new();
                waits_inside(&go);
                go.satisfy();
            });
        });
    };
    // The main task goes on meanwhile, and might satisfy it for all that is known.
    assert_serial_only(checked(0, program));
    assert_deadlock(checked(2, program));
}

#[test]
fn an_event_that_another_task_satisfies_later_stops_the_serial_run_only() {
    let program = || {
        let go = Event::new();
        finish(|outer| {
            outer.spawn(|_| waits_inside(&go));
            outer.spawn(|_| go.satisfy());
        });
    };
    assert_serial_only(checked(0, program));
    assert_serial_only(panics(|| heddle::sequential(program)));
    for threads in [1, 2, 4] {
        (0..50).for_each(|_| assert_eq!(checked(threads, program), None));
    }
    (0..50).for_each(|_| assert_eq!(panics(program), None));
}

#[test]
fn an_event_that_an_earlier_task_has_satisfied_stops_nobody() {
    let program = || {
        let go = Event::new();
        finish(|outer| {
            outer.spawn(|_| go.satisfy());
            outer.spawn(|_| waits_inside(&go));
        });
    };
    (0..3).for_each(|threads| assert_eq!(checked(threads, program), None));
    assert_eq!(panics(|| heddle::sequential(program)), None);
}
