//! What a recording of an engine's run says, once its rules are checked.
#![allow(dead_code, reason = "each test takes what it needs")]

use heddle_check::check;
use heddle_core::{
    Event, Features, Finding, Listener, OrderChoice, Outcome, Run, SiteId, roster::Roster,
};
use heddle_rt::{Engine, Recorded, Recording, Unit};
use heddle_trace::{Limits, Validator};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The events of a run that is being recorded.
#[derive(Clone, Default)]
pub struct Tape(Arc<Mutex<Vec<Event>>>);

impl Listener for Tape {
    fn on(&mut self, event: Event) {
        self.0.lock().expect("nobody panics").push(event);
    }
}

struct Replay(Vec<Event>, Features);

impl Run for Replay {
    fn features(&self) -> Features {
        self.1
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.0.iter().for_each(|event| listener.on(*event));
    }
}

/// An engine whose run is recorded, a granule being a location.
pub fn engine() -> (Engine, Tape) {
    let tape = Tape::default();
    let mut engine = Engine::new().expect("address space");
    engine.record_to(Recording {
        to: Box::new(tape.clone()),
        unit: Unit::Granule,
    });
    (engine, tape)
}

/// The racy locations according to the engine.
pub fn live(engine: &Engine) -> BTreeSet<u64> {
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    locations(&engine.races(&roster.ancestry()))
}

/// The racy locations according to the recording, or what rule it breaks.
pub fn recorded(engine: &Engine, tape: &Tape) -> Result<BTreeSet<u64>, String> {
    outcome(engine, tape).map(|outcome| locations(&outcome.findings))
}

/// What is found in the recording, or what rule it breaks.
pub fn outcome(engine: &Engine, tape: &Tape) -> Result<Outcome, String> {
    let Recorded {
        features,
        sites,
        names,
    } = engine.finish_recording().ok_or("no recording")?;
    let events = tape.0.lock().expect("nobody panics").clone();
    let limits = Limits {
        sites: sites.len() as u64,
        names: names.len() as u64,
        ..Limits::default()
    };
    let mut validator = Validator::new(features, limits);
    for (at, &event) in events.iter().enumerate() {
        let step = validator.step(event);
        step.map_err(|broken| format!("event {at}: {event:?}: {broken}\n{events:#?}"))?;
    }
    validator.finish().map_err(|broken| broken.to_string())?;
    let outcome = check(&mut Replay(events, features), OrderChoice::Graph);
    let outcome = outcome.map_err(|error| format!("{error:?}"))?;
    assert_eq!(sites[0], SiteId::new(0).raw());
    Ok(outcome)
}

fn locations(findings: &[Finding]) -> BTreeSet<u64> {
    let places = findings.iter().filter_map(|finding| match finding {
        Finding::Race { place, .. } => Some(place.location),
        _ => None,
    });
    places.collect()
}
