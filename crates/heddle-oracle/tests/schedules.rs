//! Serial and parallel runs of one program agree: where nothing but spawns and finishes orders
//! tasks, every schedule has the same racy locations.

use heddle_core::{Event, Location};
use heddle_oracle::stream::{Class, Mode, Schedule, Script, Stop, script, simulate};
use heddle_oracle::{Oracle, cases, try_cases};

fn schedules_agree(class: Class) {
    let holds = try_cases(&script(class, Mode::Interleaved), cases(400), 2, |script| {
        let schedule = Schedule::Serial;
        let serial = racy(&Script {
            schedule,
            stop: Stop::Never,
            ..script.clone()
        });
        let parallel = racy(&Script {
            stop: Stop::Never,
            ..script.clone()
        });
        match serial == parallel {
            true => Ok(()),
            false => Err(format!(
                "serial {serial:?}, parallel {parallel:?}\n\n{script}"
            )),
        }
    });
    holds.unwrap_or_else(|wrong| panic!("{class:?}: {wrong}"));
}

/// The racy locations, unless new lives of locations make them depend on the schedule.
fn racy(script: &Script) -> Option<Vec<Location>> {
    let events = simulate(script);
    let renews = |event: &Event| matches!(event, Event::Alloc { .. });
    let racy = || Oracle::of(&events).verdicts().into_keys().collect();
    (!events.iter().any(renews)).then(racy)
}

#[test]
fn schedules_of_structured_programs_agree() {
    schedules_agree(Class::Structured);
}

#[test]
fn schedules_with_isolated_agree() {
    schedules_agree(Class::Isolated);
}

#[test]
fn schedules_with_scope_handles_agree() {
    schedules_agree(Class::ScopeHandles);
}
