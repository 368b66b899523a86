//! The examples `003-*` say what must be found in them.

use heddle_core::Certainty;
use heddle_lang::cuts::Cuts;
use heddle_transactions::Exact;
use std::collections::BTreeSet;

use crate::{location, separations, try_with};

#[test]
fn the_examples_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let path = entry.expect("it is readable").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("003-") {
            count += 1;
            holds(&name, &std::fs::read_to_string(&path).expect("it is text"));
        }
    }
    assert!(count >= 8, "{count}");
}

fn holds(name: &str, source: &str) {
    let expected = heddle_lang::expectations(source).expect("the lines are right");
    let expected: BTreeSet<String> = expected
        .check
        .expect("there are lines")
        .iter()
        .map(|line| {
            format!(
                "{:?} {}",
                line.certainty,
                line.location.clone().unwrap_or_default()
            )
        })
        .collect();
    let (live, checked) =
        try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let found: BTreeSet<String> = separations(&checked)
        .map(|one| {
            let certainty: Certainty = one.certainty;
            format!("{certainty:?} {}", location(&live, one))
        })
        .collect();
    assert_eq!(found, expected, "{name}");
}
