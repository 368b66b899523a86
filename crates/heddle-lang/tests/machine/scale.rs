//! Millions of tasks, iterations and calls, in bounded memory and without deep recursion.
//!
//! Unoptimised builds do a tenth of it.

use heddle_core::{Event, Listener};
use heddle_lang::machine;

use super::compiled;

const SCALE: u64 = if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};

/// Counts tasks and accesses, and remembers how the run ended.
#[derive(Default)]
struct Counter {
    begun: u64,
    ended: u64,
    accesses: u64,
    last: Option<Event>,
}

impl Listener for Counter {
    fn on(&mut self, event: Event) {
        match event {
            Event::Begin { .. } => self.begun += 1,
            Event::End { .. } => self.ended += 1,
            Event::Read { .. } | Event::Write { .. } => self.accesses += 1,
            _ => {}
        }
        self.last = Some(event);
    }
}

#[track_caller]
fn count(source: &str) -> Counter {
    let program = compiled(&source.replace("SCALE", &SCALE.to_string()));
    let mut counter = Counter::default();
    machine::run(&program, &mut counter, &mut |_| {});
    let ended = matches!(counter.last, Some(Event::End { .. }));
    assert!(ended, "ended with {:?}", counter.last);
    counter
}

#[test]
fn a_million_tasks_side_by_side() {
    let counter = count("shared A[10]; for i in 0..SCALE { async { A[i % 10] = i; } }");
    assert_eq!((counter.begun, counter.ended), (SCALE, SCALE + 1));
    let counter = count("for i in 0..SCALE { finish { async { skip; } } spawn { skip; } }");
    assert_eq!(counter.begun, 2 * SCALE);
}

#[test]
fn a_million_tasks_inside_each_other() {
    let counter = count(
        "shared x;
         proc nest(n) { if (n > 0) { async { x = n; nest(n - 1); } } }
         nest(SCALE);",
    );
    assert_eq!((counter.begun, counter.ended), (SCALE, SCALE + 1));
    let counter = count(
        "proc nest(n) { if (n > 0) { finish { async { nest(n - 1); } } } }
         nest(SCALE);",
    );
    assert_eq!(counter.ended, SCALE + 1);
}

#[test]
fn a_million_tasks_that_wait() {
    let counter = count(
        "event e; shared x;
         for i in 0..SCALE { task t after e { x = i; } }
         satisfy e;",
    );
    assert_eq!((counter.begun, counter.ended), (SCALE, SCALE + 1));
    let counter = count(
        "event e;
         task t after e { skip; }
         for i in 0..SCALE { task t after t { skip; } }
         satisfy e;",
    );
    assert_eq!(counter.begun, SCALE + 1);
}

#[test]
fn a_million_posted_tasks_awaited_one_by_one() {
    let counter = count(
        "region r;
         for i in 0..SCALE { post r { skip; } }
         for i in 0..SCALE - 10 { ewait r; }
         await r;",
    );
    assert_eq!(counter.ended, SCALE + 1);
    let counter = count("region r; for i in 0..SCALE { post r passing r { skip; } } await r;");
    assert_eq!(counter.ended, SCALE + 1);
}

#[test]
fn a_million_futures() {
    let counter = count(
        "let sum = 0;
         for i in 0..SCALE { future f { return i; } sum = sum + get(f); }
         assert sum == SCALE * (SCALE - 1) / 2;",
    );
    assert_eq!(counter.ended, SCALE + 1);
}

#[test]
fn a_million_calls_inside_each_other() {
    let counter = count(
        "shared x;
         proc sum(n) { if (n == 0) { return 0; } x = n; return n + sum(n - 1); }
         assert sum(SCALE) == SCALE * (SCALE + 1) / 2;",
    );
    assert_eq!(counter.accesses, SCALE);
}

#[test]
fn a_million_arrays_one_after_the_other() {
    let counter = count(
        "shared sum;
         for i in 0..SCALE { let q = new[100]; q[i % 100] = 1; sum = sum + q[i % 100]; }
         assert sum == SCALE;",
    );
    assert_eq!(counter.accesses, 4 * SCALE + 1);
}

#[test]
fn ten_million_iterations() {
    let counter = count(
        "shared A[1000], x;
         for i in 0..SCALE * 10 { A[i % 1000] = A[(i + 7) % 1000] + x; x = i; }",
    );
    assert_eq!(counter.accesses, 40 * SCALE);
}
