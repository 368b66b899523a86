//! The smallest programs in which the history that Yoga and Nagarakatte print misses a violation.
//!
//! Each also shows that the engine and the oracle find it.

use heddle_check::check;
use heddle_core::atomicity::Scope;
use heddle_core::{
    AccessKind, Event, Extent, Features, Finding, FinishId, FinishKind, Listener, Location,
    OrderChoice, SiteId, TaskId, TaskKind,
};
use heddle_oracle::Oracle;
use heddle_oracle::property::compiled;
use heddle_oracle::stream::Recorded;

const SITE: SiteId = SiteId::new(0);
const X: Extent = Extent::one(Location(0));

#[track_caller]
fn is_missed(run: &mut Recorded) {
    let oracle = Oracle::of(&run.events);
    assert!(oracle.torn_as_printed(Scope::Declared).is_empty());
    assert!(!oracle.torn(Scope::Declared).is_empty());
    let outcome = check(run, OrderChoice::Graph).expect("the graph takes every run");
    let is_torn = |finding: &Finding| matches!(finding, Finding::Atomicity { .. });
    assert!(outcome.findings.iter().any(is_torn));
}

#[track_caller]
fn is_missed_in(source: &str) {
    let mut events = Vec::new();
    let program = compiled(source).expect("a valid program");
    heddle_lang::machine::run(&program, &mut events, &mut |_| {});
    is_missed(&mut Recorded {
        events,
        features: program.features,
    });
}

#[test]
fn a_pair_that_does_not_replace_the_kept_one_is_not_tried() {
    is_missed_in(
        "shared x; atomic x;
         finish { async { x = 1; async { read x; read x; } } async { read x; read x; } }",
    );
}

#[test]
fn the_second_access_of_a_region_is_not_tried_in_the_middle_of_an_earlier_pair() {
    is_missed_in(
        "shared x; atomic x;
         finish { async { read x; read x; } async { read x; x = 1; } }",
    );
}

#[test]
fn a_pair_in_one_section_is_dropped_although_the_writer_does_not_take_the_lock() {
    is_missed_in(
        "shared x; atomic x; lock L;
         finish { async { with L { read x; read x; } } async { x = 1; } }",
    );
}

/// `finish { async I { r x; r x }  finish { async A { r x; r x } }  async K { x = 1 } }`, executed A, I, K.
#[test]
fn one_pair_does_not_stand_for_all_in_a_parallel_run() {
    let (outer, inner) = (FinishId::new(1), FinishId::new(2));
    let [i, a, k] = [1, 2, 3].map(TaskId::new);
    let spawn = |task, finish| Event::Spawn {
        task,
        finish,
        kind: TaskKind::Async,
        site: SITE,
        name: None,
    };
    let open = |finish| Event::FinishBegin {
        finish,
        kind: FinishKind::Finish,
        site: SITE,
    };
    let run = |events: &mut Vec<Event>, task, kinds: &[AccessKind]| {
        events.on(Event::Begin { task });
        for kind in kinds {
            events.on(match kind {
                AccessKind::Read => Event::Read {
                    extent: X,
                    site: SITE,
                },
                AccessKind::Write => Event::Write {
                    extent: X,
                    site: SITE,
                },
            });
        }
        events.on(Event::End { task });
    };
    let main = TaskId::MAIN;
    let mut events = vec![
        Event::Atomic {
            extent: X,
            group: None,
        },
        open(outer),
        spawn(i, outer),
        open(inner),
        spawn(a, inner),
    ];
    run(&mut events, a, &[AccessKind::Read; 2]);
    run(&mut events, i, &[AccessKind::Read; 2]);
    events.extend([
        Event::Resume { task: main },
        Event::FinishEnd { finish: inner },
        spawn(k, outer),
    ]);
    run(&mut events, k, &[AccessKind::Write]);
    events.extend([
        Event::Resume { task: main },
        Event::FinishEnd { finish: outer },
        Event::End { task: main },
    ]);
    is_missed(&mut Recorded {
        events,
        features: Features {
            atomics: true,
            ..Features::default()
        },
    });
}
