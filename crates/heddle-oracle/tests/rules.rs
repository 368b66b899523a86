//! The simulator keeps the rules of a stream, and each breach of them is noticed.

use heddle_core::{
    CutBy, Event, Features, FinishId, FinishKind, LockId, LockMode, NameId, SiteId, TaskId,
    TaskKind, TokenId,
};
use heddle_oracle::stream::{Class, Mode, script, simulate};
use heddle_oracle::{Rules, is_depth_first, try_cases};

const SITE: SiteId = SiteId::new(0);
const NAME: NameId = NameId::new(0);
const END: Event = Event::End { task: TaskId::MAIN };

const EVERYTHING: Features = Features {
    extra_edges: true,
    scope_handles: true,
    isolated: true,
    locks: true,
    choices: true,
    cuts: true,
    atomics: true,
};

fn spawn(task: u32, finish: u32) -> Event {
    Event::Spawn {
        task: TaskId::new(task),
        finish: FinishId::new(finish),
        kind: TaskKind::Async,
        site: SITE,
        name: None,
    }
}

fn begin(task: u32) -> Event {
    Event::Begin {
        task: TaskId::new(task),
    }
}

fn end(task: u32) -> Event {
    Event::End {
        task: TaskId::new(task),
    }
}

fn resume(task: u32) -> Event {
    Event::Resume {
        task: TaskId::new(task),
    }
}

fn open(finish: u32) -> Event {
    Event::FinishBegin {
        finish: FinishId::new(finish),
        kind: FinishKind::Finish,
        site: SITE,
    }
}

fn close(finish: u32) -> Event {
    Event::FinishEnd {
        finish: FinishId::new(finish),
    }
}

fn acquire(lock: u32) -> Event {
    Event::Acquire {
        lock: LockId::new(lock),
        mode: LockMode::Exclusive,
        site: SITE,
    }
}

#[track_caller]
fn breaks(rule: &str, events: &[Event]) {
    breaks_with(rule, EVERYTHING, events);
}

#[track_caller]
fn breaks_with(rule: &str, features: Features, events: &[Event]) {
    let breach = Rules::hold(events, features).expect_err("a breach");
    assert!(breach.contains(rule), "{breach}");
}

#[test]
fn simulated_streams_keep_the_rules() {
    for class in Class::ALL {
        for mode in Mode::ALL {
            let holds = try_cases(&script(class, mode), 300, 7, |script| {
                Rules::hold(&simulate(script), class.features())
            });
            holds.unwrap_or_else(|breach| panic!("{class:?} {mode:?}: {breach}"));
        }
    }
}

#[test]
fn serial_runs_without_waiting_are_depth_first() {
    let holds =
        try_cases(
            &script(Class::Isolated, Mode::Serial),
            300,
            7,
            |script| match is_depth_first(&simulate(script)) {
                true => Ok(()),
                false => Err("not depth first".into()),
            },
        );
    assert_eq!(holds, Ok(()));
}

#[test]
fn a_task_that_begins_late_is_not_depth_first() {
    let late = [spawn(1, 0), open(1), begin(1), end(1), resume(0), close(1)];
    assert!(!is_depth_first(&late));
    let left = [spawn(1, 0), begin(1), spawn(2, 0), end(1), begin(2)];
    assert!(!is_depth_first(&left));
    assert!(!is_depth_first(&left[..4]));
    let nested = [spawn(1, 0), begin(1), end(1), resume(0), open(1), close(1)];
    assert!(is_depth_first(&nested));
}

#[test]
fn only_a_running_task_acts() {
    breaks("rule 2", &[spawn(1, 0), begin(1), end(1), open(1)]);
    breaks("rule 2", &[spawn(1, 0), resume(1)]);
}

#[test]
fn ids_are_dense_and_tasks_begin_once() {
    breaks("rule 3", &[spawn(2, 0)]);
    breaks("rule 3", &[open(2)]);
    breaks("rule 3", &[begin(1)]);
    breaks("rule 3", &[spawn(1, 0), begin(1), begin(1)]);
    let lock = LockId::new(2);
    breaks("rule 3", &[Event::DeclareLock { lock, name: NAME }]);
    breaks("rule 3", &[acquire(1)]);
}

#[test]
fn a_task_is_spawned_into_a_finish_around_its_parent() {
    breaks("rule 4", &[open(1), close(1), spawn(1, 1)]);
    breaks("rule 4", &[spawn(1, 0), open(1), begin(1), spawn(2, 1)]);
}

#[test]
fn finishes_nest_and_wait() {
    breaks("rule 5", &[open(1), open(2), close(1)]);
    breaks("rule 5", &[open(1), spawn(1, 1), close(1)]);
    breaks("rule 5", &[open(1), spawn(1, 1), begin(1), close(1)]);
    breaks("rule 5", &[open(1), END]);
}

#[test]
fn joins_and_waits_come_after_what_they_wait_for() {
    let join = Event::Join {
        task: TaskId::new(1),
        site: SITE,
    };
    breaks("rule 6", &[spawn(1, 0), join]);
    let token = TokenId::new(0);
    let declared = Event::DeclareToken { token, name: NAME };
    breaks("rule 6", &[declared, Event::Wait { token, site: SITE }]);
}

#[test]
fn a_lock_has_one_holder() {
    let isolated = LockId::ISOLATED;
    let release = Event::Release {
        lock: isolated,
        site: SITE,
    };
    breaks("rule 7", &[acquire(0), spawn(1, 0), begin(1), acquire(0)]);
    breaks("rule 7", &[acquire(0), acquire(0)]);
    breaks("rule 7", &[release]);
    breaks("rule 7", &[acquire(0), END]);
}

#[test]
fn a_stream_is_closed_once() {
    breaks("rule 8", &[]);
    breaks("rule 8", &[END, open(1)]);
    breaks("rule 8", &[spawn(1, 0), END]);
}

#[test]
fn undeclared_features_do_not_show_up() {
    let none = Features::default();
    breaks_with("features", none, &[acquire(0)]);
    breaks_with(
        "features",
        none,
        &[Event::Cut {
            by: CutBy::Hand,
            site: SITE,
        }],
    );
    breaks_with("features", none, &[open(1), spawn(1, 0)]);
}
