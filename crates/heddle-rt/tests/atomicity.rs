//! The engine finds what the oracle says can be torn, on random event streams, whatever the interleaving.

mod driver;
mod recorded;

use driver::{followed, named, torn, verdicts};
use heddle_core::Certainty;
use heddle_core::atomicity::Scope;
use heddle_oracle::stream::{Class, Mode, atomic_script, simulate};
use heddle_oracle::{Oracle, Torn, TornVerdicts, torn_verdicts, try_cases};
use heddle_rt::{Analysis, Engine};
use std::cell::Cell;

/// The strongest verdict on each torn unit.
fn verdicts_of(all: &[Torn]) -> TornVerdicts {
    let mut verdicts = TornVerdicts::new();
    for torn in all {
        let known = verdicts.entry(torn.subject).or_insert(torn.certainty);
        *known = torn.certainty.max(*known);
    }
    verdicts
}

fn engine(scope: Scope, analysis: Analysis) -> Engine {
    let mut engine = Engine::new().expect("address space");
    engine.analyse(analysis);
    if scope == Scope::All {
        engine.watch_all();
    }
    engine
}

/// Says how many units can be torn in all cases together.
fn agrees(class: Class, mode: Mode, scope: Scope) -> [usize; 2] {
    let seen = Cell::new([0, 0]);
    let given = std::env::var("HEDDLE_CASES").ok();
    let cases = given.and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let result = try_cases(&atomic_script(class, mode), cases, 7, |script| {
        let events = simulate(script);
        let run = |analysis| followed(engine(scope, analysis), &events);
        let follower = run(Analysis::All);
        let oracle = Oracle::of(&events);
        let (found, expected) = (torn(&follower), verdicts_of(&oracle.torn(scope)));
        for certainty in expected.values() {
            let mut count = seen.get();
            count[usize::from(*certainty == Certainty::Certain)] += 1;
            seen.set(count);
        }
        if found != expected {
            return Err(format!(
                "the engine finds {found:?}, the oracle {expected:?}\n\n{script}"
            ));
        }
        let alone = run(Analysis::Atomicity);
        if torn(&alone) != found || !verdicts(&alone).is_empty() {
            let alone = torn(&alone);
            return Err(format!(
                "without races it finds {alone:?}, with them {found:?}\n\n{script}"
            ));
        }
        driver::agrees(&verdicts(&follower), &oracle.live_bounds_where_watched())
            .map_err(|wrong| format!("races: {wrong}\n\n{script}"))
    });
    if let Err(wrong) = result {
        panic!("{class:?}, {mode:?}, {scope:?}: {wrong}");
    }
    seen.get()
}

/// Random programs that tear nothing would say nothing.
fn assert_many(seen: &[[usize; 2]]) {
    let [possible, certain] = seen
        .iter()
        .fold([0, 0], |sum, seen| [sum[0] + seen[0], sum[1] + seen[1]]);
    assert!(
        possible > 0 && certain > 200,
        "{possible} possible, {certain} certain"
    );
}

#[test]
fn serial_runs() {
    let run = |class| agrees(class, Mode::Serial, Scope::Declared);
    assert_many(&Class::ALL.map(run));
}

#[test]
fn interleaved_runs() {
    let run = |class| agrees(class, Mode::Interleaved, Scope::Declared);
    assert_many(&Class::ALL.map(run));
}

#[test]
fn runs_in_which_everything_is_checked() {
    for mode in Mode::ALL {
        assert_many(&Class::ALL.map(|class| agrees(class, mode, Scope::All)));
    }
}

#[test]
fn two_accesses_and_two_pairs_suffice_in_structured_programs() {
    for mode in Mode::ALL {
        let [_, certain] = agrees(Class::Structured, mode, Scope::Declared);
        assert!(certain > 50, "{certain}");
    }
}

#[test]
fn a_recording_has_the_torn_units_of_the_run() {
    for class in Class::ALL {
        let script = atomic_script(class, Mode::Interleaved);
        let result = try_cases(&script, 200, 7, |script| {
            let events = simulate(script);
            let (engine, tape) = recorded::engine();
            let follower = followed(engine, &events);
            let outcome = recorded::outcome(follower.engine(), &tape)?;
            let found = named(&follower, torn_verdicts(&outcome));
            let expected = torn(&follower);
            match found == expected {
                true => Ok(()),
                false => Err(format!(
                    "the recording has {found:?}, the engine {expected:?}\n\n{script}"
                )),
            }
        });
        if let Err(wrong) = result {
            panic!("{class:?}: {wrong}");
        }
    }
}
