//! The engine gives the oracle's verdicts on random event streams, whatever the interleaving.

mod driver;

use driver::{Driver, Numbers};
use heddle_core::{Event, Extent, LockId, LockMode, SiteId, TaskId};
use heddle_oracle::stream::{Class, Mode, script, simulate};
use heddle_oracle::{Oracle, try_cases};
use heddle_rt::Engine;

fn agrees(class: Class, mode: Mode, reclaims: bool) {
    let given = std::env::var("HEDDLE_CASES").ok();
    let cases = given.and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let result = try_cases(&script(class, mode), cases, 7, |script| {
        let events = simulate(script);
        let mut driver = Driver::new(Engine::new().expect("address space"), Numbers::of(&events));
        driver.reclaims = reclaims;
        events.iter().for_each(|&event| driver.on(event));
        driver::agrees(&driver.verdicts(), &Oracle::of(&events))
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
    let mut driver = Driver::new(Engine::new().expect("address space"), Numbers(vec![3]));
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
    assert!(driver.verdicts().is_empty());
    driver.on(Event::Begin { task });
    driver.on(Event::Acquire {
        lock: LockId::ISOLATED,
        mode: LockMode::Exclusive,
        site,
    });
    driver.on(Event::Write { extent, site });
    assert_eq!(driver.verdicts().len(), 1);
}
