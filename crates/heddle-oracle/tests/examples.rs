//! The oracle finds in each example the races its first lines promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use heddle_core::{Certainty, Event, Legend, Location, Shape};
use heddle_lang::{Kind, expectations, machine};
use heddle_oracle::{Oracle, Rules};

/// Certainty and the location as written in an expectation.
type Races = BTreeSet<(Certainty, String)>;

#[test]
fn the_oracle_finds_the_races_the_examples_promise() {
    let examples = examples();
    assert!(examples.len() > 20, "too few examples: {examples:?}");
    for example in examples {
        let source = fs::read_to_string(&example).expect("a readable example");
        if let Some((found, promised)) = races(&source) {
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
fn races(source: &str) -> Option<(Races, Races)> {
    let program = heddle_lang::compile("example.task", source).expect("a valid example");
    if program.features.cuts {
        return None;
    }
    let mut events = Vec::new();
    machine::run(&program, &mut events, &mut |_| {});
    assert_eq!(Rules::hold(&events, program.features), Ok(()));
    let verdicts = Oracle::of(&events).verdicts().into_iter();
    let found = verdicts
        .map(|(location, certainty)| (certainty, written(&events, &program.legend, location)));
    Some((found.collect(), promised(source)))
}

fn promised(source: &str) -> Races {
    let promised = expectations(source)
        .expect("valid expectations")
        .check
        .unwrap_or_default();
    let races = promised
        .into_iter()
        .filter(|promise| promise.kind == Kind::Race);
    races
        .map(|race| (race.certainty, race.location.unwrap_or_default()))
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
