//! Outside of a check, tasks that wait for what can never come are a deadlock, and said to be one, as soon
//! as that is certain: when the process has no thread left that could bring it.
//!
//! A test harness is such a thread, so this is a program of its own.

use heddle::{Event, finish, future};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    every_task_waiting_is_a_deadlock();
    a_future_that_waits_for_itself_is_a_deadlock();
    another_thread_is_waited_for_however_long_it_takes();
}

fn message(program: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(program)).expect_err("a deadlock");
    *payload.downcast::<String>().expect("a message")
}

fn every_task_waiting_is_a_deadlock() {
    let never = Event::new();
    let text = message(|| finish(|s| drop(s.task_after(&[&never], || ()))));
    assert!(text.contains("deadlock at the end of a finish"), "{text}");
    assert_eq!(text.matches("alone.rs").count(), 2, "{text}");
}

fn a_future_that_waits_for_itself_is_a_deadlock() {
    let text = message(|| {
        finish(|s| {
            let group = s.group();
            let group = &*Box::leak(Box::new(group));
            group.post(move || group.wait_all());
        });
    });
    assert!(
        text.contains("deadlock") && text.contains("the task made at"),
        "{text}"
    );
}

fn another_thread_is_waited_for_however_long_it_takes() {
    let go = Arc::new(Event::new());
    let early = Arc::clone(&go);
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(3));
        early.satisfy();
    });
    let mut ran = false;
    finish(|s| drop(s.task_after(&[&*go], || ran = true)));
    assert!(ran && future(|| 1).get() == 1);
    late.join().expect("it satisfied the event");
}
