//! The engine gives the oracle's verdicts on random event streams, whatever the interleaving.

mod driver;

use driver::{followed, follower, verdicts};
use heddle_core::{
    Event, Extent, FinishId, FinishKind, Listener, Location, LockId, LockMode, SiteId, TaskId,
    TaskKind,
};
use heddle_oracle::stream::{Class, Mode, script, simulate};
use heddle_oracle::{Oracle, try_cases};
use heddle_rt::Engine;

fn agrees(class: Class, mode: Mode, reclaims: bool) {
    let given = std::env::var("HEDDLE_CASES").ok();
    let cases = given.and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let result = try_cases(&script(class, mode), cases, 7, |script| {
        let events = simulate(script);
        let mut follower = follower(Engine::new().expect("address space"));
        for &event in &events {
            follower.on(event);
            if reclaims {
                follower.reclaim();
            }
        }
        driver::agrees(&verdicts(&follower), &Oracle::of(&events).live_bounds())
            .map_err(|wrong| format!("{wrong}\n\n{script}"))
    });
    if let Err(wrong) = result {
        panic!("{class:?}, {mode:?}: {wrong}");
    }
}

#[test]
fn serial_runs() {
    Class::ALL
        .iter()
        .for_each(|&class| agrees(class, Mode::Serial, false));
}

#[test]
fn interleaved_runs() {
    Class::ALL
        .iter()
        .for_each(|&class| agrees(class, Mode::Interleaved, false));
}

#[test]
fn what_is_given_back_after_each_event_changes_no_verdict() {
    for class in Class::ALL {
        agrees(class, Mode::Serial, true);
        agrees(class, Mode::Interleaved, true);
    }
}

#[test]
fn a_repeated_access_of_one_strand_is_known_and_another_strand_still_races() {
    let mut driver = follower(Engine::new().expect("address space"));
    let site = SiteId::new(0);
    let extent = Extent::one(heddle_core::Location(3));
    let task = TaskId::new(1);
    let finish = heddle_core::FinishId::MAIN;
    let kind = heddle_core::TaskKind::Async;
    driver.on(Event::Spawn {
        task,
        finish,
        kind,
        site,
        name: None,
    });
    for _ in 0..3 {
        driver.on(Event::Write { extent, site });
    }
    assert!(verdicts(&driver).is_empty());
    driver.on(Event::Begin { task });
    driver.on(Event::Acquire {
        lock: LockId::ISOLATED,
        mode: LockMode::Exclusive,
        site,
    });
    driver.on(Event::Write { extent, site });
    assert_eq!(verdicts(&driver).len(), 1);
}

#[test]
fn a_race_met_time_and_again_hides_none_on_a_location_with_the_same_past() {
    let task = |number| TaskId::new(number);
    let finish = FinishId::new(1);
    let write = |len, site| Event::Write {
        extent: Extent::new(Location(0), len),
        site: SiteId::new(site),
    };
    let site = SiteId::new(9);
    let run = |number, finish, access| {
        let spawn = Event::Spawn {
            task: task(number),
            finish,
            kind: TaskKind::Async,
            site,
            name: None,
        };
        let begin = Event::Begin { task: task(number) };
        let end = Event::End { task: task(number) };
        let resume = Event::Resume { task: TaskId::MAIN };
        [spawn, begin, access, end, resume]
    };
    let kind = FinishKind::Finish;
    let mut events = vec![Event::FinishBegin { finish, kind, site }];
    events.extend((1..200).flat_map(|number| run(number, finish, write(1, 0))));
    events.push(Event::FinishEnd { finish });
    // Both locations have one past now, and the first has raced at site 0 many times.
    events.extend(run(200, FinishId::MAIN, write(2, 7)));
    events.push(write(2, 0));
    let driver = followed(Engine::new().expect("address space"), &events);
    assert_eq!(verdicts(&driver), Oracle::of(&events).verdicts());
}
