//! Each rule of a stream, broken once: live and in a file whose checksums are right.

mod streams;

use heddle_core::*;
use heddle_trace::{Damage, Feature, Kind, Limits, Trace, Validator, Violation, Writer};
use streams::{ALL_FEATURES, legend};

const fn task(n: u32) -> TaskId {
    TaskId::new(n)
}

const SITE: SiteId = SiteId::new(0);
const NAME: NameId = NameId::new(0);
const LOCK: LockId = LockId::new(1);
const TOKEN: TokenId = TokenId::new(0);
const DECLARE_LOCK: Event = Event::DeclareLock {
    lock: LOCK,
    name: NAME,
};
const ACQUIRE: Event = Event::Acquire {
    lock: LOCK,
    mode: LockMode::Exclusive,
    site: SITE,
};
const SHARE: Event = Event::Acquire {
    lock: LOCK,
    mode: LockMode::Shared,
    site: SITE,
};
const RELEASE: Event = Event::Release {
    lock: LOCK,
    site: SITE,
};
const WAIT: Event = Event::Wait {
    token: TOKEN,
    site: SITE,
};
const SIGNAL: Event = Event::Signal {
    token: TOKEN,
    site: SITE,
};
const CUT: Event = Event::Cut {
    by: CutBy::Hand,
    site: SITE,
};

const fn spawn(n: u32, finish: u32) -> Event {
    let finish = FinishId::new(finish);
    Event::Spawn {
        task: task(n),
        finish,
        kind: TaskKind::Async,
        site: SITE,
        name: None,
    }
}

const fn begin(n: u32) -> Event {
    Event::Begin { task: task(n) }
}

const fn resume(n: u32) -> Event {
    Event::Resume { task: task(n) }
}

const fn end(n: u32) -> Event {
    Event::End { task: task(n) }
}

const fn join(n: u32) -> Event {
    Event::Join {
        task: task(n),
        site: SITE,
    }
}

const fn open(n: u32) -> Event {
    Event::FinishBegin {
        finish: FinishId::new(n),
        kind: FinishKind::Finish,
        site: SITE,
    }
}

const fn close(n: u32) -> Event {
    Event::FinishEnd {
        finish: FinishId::new(n),
    }
}

const fn write(start: u64, len: u64) -> Event {
    Event::Write {
        extent: Extent::new(Location(start), len),
        site: SITE,
    }
}

fn stuck(n: u32, awaited: Awaited) -> Event {
    Event::Stuck {
        task: task(n),
        awaited,
        site: SITE,
    }
}

fn fault(message: FaultKind) -> Event {
    Event::Fault {
        site: SITE,
        message,
    }
}

/// All but the last event are good, the last is this violation; the validator says so, and so
/// does the reader of a file of them, with the position of that event.
#[track_caller]
fn check_with(features: Features, events: &[Event], expected: Violation) {
    let mut validator = Validator::new(features, Limits::of(&legend()));
    let (last, before) = events.split_last().expect("events");
    for event in before {
        assert_eq!(validator.step(*event), Ok(()), "{event:?}");
    }
    assert_eq!(validator.step(*last), Err(expected));
    assert_eq!(validator.finish(), Err(expected));

    let damaged = Trace::read(file(features, events)).expect_err("broken rules");
    assert_eq!(damaged.what, Damage::Violation(expected));
    assert_eq!(damaged.readable.events().collect::<Vec<_>>(), before);
    assert_eq!(damaged.offset, offset_behind(features, before));
}

#[track_caller]
fn check(events: &[Event], expected: Violation) {
    check_with(ALL_FEATURES, events, expected);
}

fn file(features: Features, events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &features, Some(&legend()));
    events.iter().for_each(|event| writer.on(*event));
    writer.finish(None).expect("vectors take everything")
}

/// Where the event after these would stand in a file.
fn offset_behind(features: Features, events: &[Event]) -> u64 {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &features, Some(&legend()));
    events.iter().for_each(|event| writer.on(*event));
    writer.flush();
    drop(writer);
    let empty_block = if events.is_empty() { 9 + 1 } else { 0 };
    bytes.len() as u64 + empty_block
}

#[test]
fn rule_2_events_belong_to_a_running_task() {
    check(&[spawn(1, 0), end(1)], Violation::NotRunning(task(1)));
    check(
        &[spawn(1, 0), begin(1), end(0)],
        Violation::NotRunning(task(0)),
    );
    let ended = [spawn(1, 0), begin(1), end(1)];
    for event in [write(0, 1), spawn(2, 0), open(1), CUT, end(1)] {
        check(&[&ended[..], &[event]].concat(), Violation::NothingRuns);
    }
}

#[test]
fn rule_3_ids_are_dense_and_tasks_begin_and_end_once() {
    let not_next = |kind, id, next| Violation::NotNext { kind, id, next };
    check(&[spawn(2, 0)], not_next(Kind::Task, 2, 1));
    check(&[spawn(u32::MAX, 0)], not_next(Kind::Task, u32::MAX, 1));
    check(&[spawn(0, 0)], not_next(Kind::Task, 0, 1));
    check(&[open(2)], not_next(Kind::Finish, 2, 1));
    let isolated = Event::DeclareLock {
        lock: LockId::ISOLATED,
        name: NAME,
    };
    check(&[isolated], not_next(Kind::Lock, 0, 1));
    let second = Event::DeclareToken {
        token: TokenId::new(1),
        name: NAME,
    };
    check(&[second], not_next(Kind::Token, 1, 0));
    check(&[begin(0)], Violation::BeganBefore(task(0)));
    check(
        &[spawn(1, 0), begin(1), end(1), begin(1)],
        Violation::BeganBefore(task(1)),
    );
    check(&[spawn(1, 0), resume(1)], Violation::NeverBegan(task(1)));
    check(
        &[spawn(1, 0), begin(1), end(1), resume(1)],
        Violation::EndedBefore(task(1)),
    );
}

#[test]
fn rule_3_ids_are_announced_before_they_are_used() {
    let unknown = |kind, id| Violation::Unknown { kind, id };
    check(&[begin(1)], unknown(Kind::Task, 1));
    check(&[resume(1)], unknown(Kind::Task, 1));
    check(&[join(7)], unknown(Kind::Task, 7));
    check(&[spawn(1, 1)], unknown(Kind::Finish, 1));
    check(&[close(1)], unknown(Kind::Finish, 1));
    check(&[ACQUIRE], unknown(Kind::Lock, 1));
    check(&[RELEASE], unknown(Kind::Lock, 1));
    check(&[SIGNAL], unknown(Kind::Token, 0));
    check(&[WAIT], unknown(Kind::Token, 0));
    check(&[stuck(1, Awaited::Task(task(0)))], unknown(Kind::Task, 1));
    check(&[stuck(0, Awaited::Task(task(9)))], unknown(Kind::Task, 9));
    check(
        &[stuck(0, Awaited::Finish(FinishId::new(1)))],
        unknown(Kind::Finish, 1),
    );
    check(&[stuck(0, Awaited::Token(TOKEN))], unknown(Kind::Token, 0));
    check(&[stuck(0, Awaited::Lock(LOCK))], unknown(Kind::Lock, 1));
    check(
        &[fault(FaultKind::LockNotHeld { lock: LOCK })],
        unknown(Kind::Lock, 1),
    );
    check(
        &[fault(FaultKind::AlreadySatisfied { token: TOKEN })],
        unknown(Kind::Token, 0),
    );
}

#[test]
fn rule_4_a_task_is_spawned_into_an_open_finish_around_it() {
    let over = Violation::NotEnclosing(FinishId::new(1));
    check(&[open(1), close(1), spawn(1, 1)], over);
    let beside = [spawn(1, 0), open(1), begin(1), spawn(2, 1)];
    check(&beside, over);
}

#[test]
fn rule_5_finishes_nest_and_wait_for_their_tasks() {
    let not_innermost = |n| Violation::NotInnermost(FinishId::new(n));
    let pending = |n, tasks| Violation::TasksPending {
        finish: FinishId::new(n),
        tasks,
    };
    check(&[close(0)], not_innermost(0));
    check(&[open(1), open(2), close(1)], not_innermost(1));
    check(
        &[open(1), spawn(1, 1), begin(1), close(1)],
        not_innermost(1),
    );
    check(&[open(1), close(1), close(1)], not_innermost(1));
    check(&[open(1), spawn(1, 1), close(1)], pending(1, 1));
    let escaped = [
        open(1),
        spawn(1, 1),
        begin(1),
        spawn(2, 1),
        end(1),
        resume(0),
        close(1),
    ];
    check(&escaped, pending(1, 1));
    check(&[spawn(1, 0), spawn(2, 0), end(0)], pending(0, 2));
    check(
        &[spawn(1, 0), begin(1), open(1), end(1)],
        Violation::FinishOpen(FinishId::new(1)),
    );
    check(&[open(1), end(0)], Violation::FinishOpen(FinishId::new(1)));
}

#[test]
fn rule_6_edges_start_in_the_past() {
    check(&[spawn(1, 0), join(1)], Violation::NotEnded(task(1)));
    check(&[join(0)], Violation::NotEnded(task(0)));
    let declare = Event::DeclareToken {
        token: TOKEN,
        name: NAME,
    };
    check(&[declare, WAIT], Violation::NotSignalled(TOKEN));
}

#[test]
fn rule_7_a_lock_has_one_holder() {
    check(&[DECLARE_LOCK, ACQUIRE, ACQUIRE], Violation::Held(LOCK));
    let other = [DECLARE_LOCK, ACQUIRE, spawn(1, 0), begin(1)];
    check(&[&other[..], &[ACQUIRE]].concat(), Violation::Held(LOCK));
    check(&[&other[..], &[RELEASE]].concat(), Violation::NotHeld(LOCK));
    check(&[DECLARE_LOCK, RELEASE], Violation::NotHeld(LOCK));
    check(
        &[DECLARE_LOCK, ACQUIRE, end(0)],
        Violation::HeldAtEnd(task(0)),
    );
}

#[test]
fn rule_7_a_lock_is_shared_by_readers_only() {
    let other = [DECLARE_LOCK, SHARE, spawn(1, 0), begin(1)];
    check(&[&other[..], &[ACQUIRE]].concat(), Violation::Held(LOCK));
    check(&[&other[..], &[RELEASE]].concat(), Violation::NotHeld(LOCK));
    check(&[DECLARE_LOCK, SHARE, SHARE], Violation::Held(LOCK));
    check(&[DECLARE_LOCK, SHARE, ACQUIRE], Violation::Held(LOCK));
    check(&[DECLARE_LOCK, ACQUIRE, SHARE], Violation::Held(LOCK));
    check(
        &[DECLARE_LOCK, SHARE, end(0)],
        Violation::HeldAtEnd(task(0)),
    );
    let isolated = Event::Acquire {
        lock: LockId::ISOLATED,
        mode: LockMode::Shared,
        site: SITE,
    };
    check(&[isolated], Violation::SharedIsolated);
    let both = [SHARE, RELEASE, end(1), resume(0), RELEASE, ACQUIRE, RELEASE];
    let whole = [&other[..], &both, &[end(0)]].concat();
    assert!(Trace::read(file(ALL_FEATURES, &whole)).is_ok());
}

#[test]
fn rule_8_a_stream_closes_once() {
    check(&[end(0), end(0)], Violation::AfterClose);
    check(
        &[fault(FaultKind::LimitReached), CUT],
        Violation::AfterClose,
    );
    let wait = stuck(0, Awaited::Region(NAME));
    check(&[wait, wait, CUT], Violation::AfterClose);
    check(&[end(0), wait], Violation::AfterClose);
    let ended = [
        spawn(1, 0),
        begin(1),
        end(1),
        stuck(1, Awaited::Region(NAME)),
    ];
    check(&ended, Violation::EndedBefore(task(1)));
}

#[test]
fn rule_8_a_stream_that_just_stops_is_noticed_at_the_end() {
    for events in [&[][..], &[write(0, 1)]] {
        let damaged = Trace::read(file(ALL_FEATURES, events)).expect_err("not closed");
        assert_eq!(damaged.what, Damage::Violation(Violation::NotClosed));
        assert_eq!(damaged.readable.events().collect::<Vec<_>>(), events);
    }
}

#[test]
fn features_that_were_not_announced_do_not_show_up() {
    let isolated = Event::Acquire {
        lock: LockId::ISOLATED,
        mode: LockMode::Exclusive,
        site: SITE,
    };
    let cases: [(&[Event], Feature); 7] = [
        (&[join(0)], Feature::ExtraEdges),
        (&[SIGNAL], Feature::ExtraEdges),
        (&[WAIT], Feature::ExtraEdges),
        (&[open(1), spawn(1, 0)], Feature::ScopeHandles),
        (&[isolated], Feature::Isolated),
        (&[DECLARE_LOCK, ACQUIRE], Feature::Locks),
        (&[CUT], Feature::Cuts),
    ];
    for (events, feature) in cases {
        check_with(Features::default(), events, Violation::Unannounced(feature));
    }
}

#[test]
fn sites_and_names_are_in_the_legend() {
    let (site, name) = (SiteId::new(300), NameId::new(20));
    let extent = Extent::one(Location(0));
    for event in [
        Event::Read { extent, site },
        Event::Write { extent, site },
        Event::Free { extent, site },
        Event::Alloc {
            extent,
            name: None,
            site,
        },
        Event::Cut {
            by: CutBy::Rule,
            site,
        },
        Event::AtomicBegin { site },
        Event::AssertionFailed { site },
        Event::Fault {
            site,
            message: FaultKind::LimitReached,
        },
        Event::Stuck {
            task: task(0),
            awaited: Awaited::Region(NAME),
            site,
        },
    ] {
        check(&[event], Violation::UnknownSite(site));
    }
    for event in [
        Event::Declare {
            extent,
            name,
            shape: Shape::Scalar,
        },
        Event::DeclareLock { lock: LOCK, name },
        Event::DeclareToken { token: TOKEN, name },
        Event::Alloc {
            extent,
            name: Some(name),
            site: SITE,
        },
        Event::Bind {
            start: Location(0),
            name,
        },
        Event::Fault {
            site: SITE,
            message: FaultKind::NoSuchTask { name },
        },
        stuck(0, Awaited::Region(name)),
    ] {
        check(&[event], Violation::UnknownName(name));
    }
}

#[test]
fn a_task_leaves_only_atomic_blocks_it_is_in() {
    let begin = Event::AtomicBegin { site: SITE };
    let leave = Event::AtomicEnd { site: SITE };
    let wrong = Violation::NotInBlock(TaskId::MAIN);
    check(&[leave], wrong);
    check(&[begin, begin, leave, leave, leave], wrong);
}

#[test]
fn extents_neither_overflow_nor_make_a_detector_allocate_without_bound() {
    let bad = |start, len| Violation::BadExtent { start, len };
    check(&[write(u64::MAX, 1)], bad(u64::MAX, 1));
    check(&[write(1, u64::MAX)], bad(1, u64::MAX));
    check(&[write(0, 1 << 40)], bad(0, 1 << 40));
    let (extent, name) = (Extent::new(Location(0), 1 << 33), NAME);
    check(
        &[Event::Declare {
            extent,
            name,
            shape: Shape::Array,
        }],
        bad(0, 1 << 33),
    );
    check(
        &[write(0, 1 << 26), write(0, 1), write(0, 33)],
        Violation::TooSpread,
    );
}

#[test]
fn of_a_file_whose_end_is_lost_the_events_may_exceed_the_legend() {
    let site = SiteId::new(1000);
    let events = [
        Event::Cut {
            by: CutBy::Rule,
            site,
        },
        end(0),
    ];
    let mut writer = Writer::new(Vec::new(), &ALL_FEATURES, Some(&legend()));
    events.iter().for_each(|event| writer.on(*event));
    let bytes = writer.finish(None).expect("vectors take everything");
    let whole = Trace::read(&bytes[..]).expect_err("site 1000 of 300");
    assert_eq!(whole.what, Damage::Violation(Violation::UnknownSite(site)));
    let cut = Trace::read(&bytes[..bytes.len() - 1]).expect_err("cut short");
    assert_eq!(cut.what, Damage::Truncated);
    assert_eq!(cut.readable.events().collect::<Vec<_>>(), events);
}
