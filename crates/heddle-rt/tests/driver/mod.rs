//! Follows streams of events with an engine, and asks it for verdicts.
#![allow(dead_code, reason = "each test takes what it needs")]

use heddle_core::roster::Roster;
use heddle_core::{Certainty, Event, Features, Finding, Listener, Location};
use heddle_oracle::{Bounds, Subject, TornVerdicts, Verdicts};
use heddle_rt::{Engine, Follower};

/// At the start of a run that may do anything.
pub fn follower(engine: Engine) -> Follower {
    let features = Features {
        extra_edges: true,
        ..Features::default()
    };
    Follower::with(engine, features)
}

/// After a whole stream.
pub fn followed(engine: Engine, events: &[Event]) -> Follower {
    let mut follower = follower(engine);
    events.iter().for_each(|&event| follower.on(event));
    follower
}

fn roster(follower: &Follower) -> Roster {
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = follower.engine().participants();
    assert!(!follower.engine().gave_up());
    roster
}

/// The racy locations.
pub fn verdicts(follower: &Follower) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for finding in follower.races(&roster(follower).ancestry()) {
        if let Finding::Race {
            certainty, place, ..
        } = finding
        {
            let known = verdicts.entry(Location(place.location));
            let known = known.or_insert(Certainty::Possible);
            *known = certainty.max(*known);
        }
    }
    verdicts
}

/// The torn units.
pub fn torn(follower: &Follower) -> TornVerdicts {
    let mut verdicts = TornVerdicts::new();
    for finding in follower.tears(&roster(follower).ancestry()) {
        if let Finding::Atomicity {
            certainty,
            group,
            places,
            ..
        } = finding
        {
            let location = || Subject::Location(Location(places[0].location));
            let subject = group.map_or_else(location, Subject::Group);
            let known = verdicts.entry(subject).or_insert(Certainty::Possible);
            *known = certainty.max(*known);
        }
    }
    verdicts
}

/// Verdicts on the engine's granules, as a recording has them, by the stream's locations.
pub fn named(follower: &Follower, verdicts: TornVerdicts) -> TornVerdicts {
    let name = |subject| match subject {
        Subject::Location(at) => Subject::Location(follower.location(at.0)),
        group => group,
    };
    let verdicts = verdicts.into_iter();
    verdicts
        .map(|(subject, certainty)| (name(subject), certainty))
        .collect()
}

/// Whether the engine finds the races, and calls those certain that a live run can.
pub fn agrees(found: &Verdicts, bounds: &Bounds) -> Result<(), String> {
    match bounds.allow(found) {
        true => Ok(()),
        false => Err(format!("the engine finds {found:?}, the oracle {bounds:?}")),
    }
}
