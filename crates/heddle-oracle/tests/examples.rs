//! The oracle finds in each example the races, torn regions and visible cuts its first lines promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use heddle_core::atomicity::Scope;
use heddle_core::{Certainty, Event, Legend, Location, Shape};
use heddle_lang::{Kind, Program, expectations, machine};
use heddle_oracle::transactions::{closings, of_events};
use heddle_oracle::{Oracle, Rules, Subject, TornVerdicts, predictable_races};

/// Kind, certainty and the location as written in an expectation.
type Found = BTreeSet<(Kind, Certainty, String)>;

#[test]
fn the_oracle_finds_what_the_examples_promise() {
    let examples = examples();
    assert!(examples.len() > 20, "too few examples: {examples:?}");
    for example in examples {
        let source = fs::read_to_string(&example).expect("a readable example");
        if let Some((found, promised)) = found(&source) {
            assert_eq!(found, promised, "{}", example.display());
        }
    }
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = fs::read_dir(folder).expect("the folder of examples");
    let paths = entries.map(|entry| entry.expect("an example").path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "task"))
        .collect()
}

/// What the oracle finds and what the file promises. Files about cuts promise no races.
fn found(source: &str) -> Option<(Found, Found)> {
    let program = heddle_lang::compile("example.task", source).expect("a valid example");
    let mut events = Vec::new();
    machine::run(&program, &mut events, &mut |_| {});
    assert_eq!(Rules::hold(&events, program.features), Ok(()));
    if program.features.cuts {
        return Some((visible_cuts(&events, &program)?, promised(source)));
    }
    let (oracle, legend) = (Oracle::of(&events), &program.legend);
    let races = oracle.verdicts().into_iter();
    // What no reordering of the run shows is only possible.
    let shown = predictable_races(&events);
    let settled = |location, certainty| match &shown {
        Some(shown) if !shown.contains(&location) => Certainty::Possible,
        _ => certainty,
    };
    let races = races.map(|(location, certainty)| (location, settled(location, certainty)));
    let races = races
        .map(|(location, certainty)| (Kind::Race, certainty, written(&events, legend, location)));
    let torn = torn_verdicts_of(&oracle).into_iter();
    let torn = torn
        .map(|(subject, certainty)| (Kind::Atomicity, certainty, unit(&events, legend, subject)));
    Some((races.chain(torn).collect(), promised(source)))
}

/// The locations that close a thread cycle, certain if a run shows it; `None` for programs with locks.
fn visible_cuts(events: &[Event], program: &Program) -> Option<Found> {
    of_events(events).ok()?;
    let closings = closings(program, 50_000).expect("examples are small");
    let found = closings.into_iter().map(|(places, certainty)| {
        let names = places
            .iter()
            .map(|&place| written(events, &program.legend, place));
        let names: Vec<String> = names.collect();
        (Kind::Transaction, certainty, names.join(","))
    });
    Some(found.collect())
}

fn torn_verdicts_of(oracle: &Oracle) -> TornVerdicts {
    let mut verdicts = TornVerdicts::new();
    for torn in oracle.torn(Scope::Declared) {
        let verdict = verdicts.entry(torn.subject).or_insert(torn.certainty);
        *verdict = torn.certainty.max(*verdict);
    }
    verdicts
}

/// A unit as the program writes it: an element, or the names of the group's members.
fn unit(events: &[Event], legend: &Legend, subject: Subject) -> String {
    let group = match subject {
        Subject::Location(location) => return written(events, legend, location),
        Subject::Group(group) => group,
    };
    let members = events.iter().filter_map(|&event| match event {
        Event::Atomic { extent, group: of } if of == Some(group) => Some(extent.start),
        _ => None,
    });
    let names = members.map(|start| written(events, legend, start));
    let names = names.map(|name| name.trim_end_matches("[0]").to_owned());
    names.collect::<Vec<_>>().join(",")
}

fn promised(source: &str) -> Found {
    let promised = expectations(source)
        .expect("valid expectations")
        .check
        .unwrap_or_default();
    let checked = promised.into_iter().filter(|promise| {
        matches!(
            promise.kind,
            Kind::Race | Kind::Atomicity | Kind::Transaction
        )
    });
    checked
        .map(|promise| {
            let location = promise.location.unwrap_or_default();
            (promise.kind, promise.certainty, location)
        })
        .collect()
}

/// A shared location as the program writes it.
fn written(events: &[Event], legend: &Legend, location: Location) -> String {
    let declared = events.iter().find_map(|&event| match event {
        Event::Declare {
            extent,
            name,
            shape,
        } if extent.locations().any(|l| l == location) => Some((extent.start, name, shape)),
        _ => None,
    });
    let (start, name, shape) = declared.expect("a declared location");
    let name = legend.name(name).expect("a known name");
    match shape {
        Shape::Scalar => name.to_string(),
        Shape::Array => format!("{name}[{}]", location.0 - start.0),
    }
}
