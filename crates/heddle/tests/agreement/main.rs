//! On random programs, all ways of running them agree with the oracle, and so with each other: by
//! location, and by pair of positions.
//!
//! A program is drawn once ([`program`]), run by the crate in every way ([`play`]), and walked through to
//! get the events of its serial run, on which the oracle tries all pairs of accesses ([`truth`]).

mod play;
mod program;
mod torn;
mod truth;

use heddle::{Certainty, Checker, Order};
use heddle_oracle::cases;
use play::{Found, findings};
use program::{ALONE, Class, Random, Step};
use std::collections::{BTreeMap, BTreeSet};
use torn::Unit;
use truth::Truth;

/// The ways to check a program while it runs, with a name each.
fn live_ways() -> Vec<(String, Checker)> {
    let way = |threads| {
        let checker = Checker::new().order(Order::Auto).parallel(threads);
        (format!("{threads} threads"), checker)
    };
    [0, 1, 2, 4].map(way).into()
}

/// And those that record the run of a program of this class, and judge it afterwards.
fn all_ways(class: Class) -> Vec<(String, Checker)> {
    let recorded = match class {
        Class::Edges => vec![Order::Graph],
        Class::Structured | Class::Exclusion => vec![Order::Graph, Order::Bags, Order::Tree],
    };
    let recorded = recorded.into_iter().map(|order| {
        let checker = Checker::new().order(order).parallel(0);
        (format!("{order:?}"), checker)
    });
    live_ways().into_iter().chain(recorded).collect()
}

/// Whether every reported pair of positions really races on its location, and every racy location is
/// reported.
fn agree_by_location(class: Class, steps: &[Step], truth: &Truth) {
    for (way, checker) in all_ways(class) {
        let found = findings(checker, steps);
        assert!(
            found.iter().all(|finding| truth.has(finding)),
            "{way} finds what is no race, {found:?} in {steps:#?}"
        );
        let locations = found.iter().map(Found::location).collect();
        assert_eq!(truth.racy_locations(), locations, "{way} on {steps:#?}");
    }
}

/// In a serial run the sections come in one sequence, so that the certainty is settled too.
fn agree_on_certainty(steps: &[Step], truth: &Truth) {
    let report = Checker::new().parallel(0).check(|| play::run(steps));
    for location in truth.racy_locations() {
        let here = |name: &str| name == play::name(location);
        let mut races = report
            .races()
            .filter(|race| race.location.as_deref().is_some_and(here));
        let certain = races.any(|race| race.certainty == Certainty::Certain);
        assert!(truth.allows(location, certain), "{location} in {steps:#?}");
    }
}

/// Whether exactly those units are reported that can be torn. Recorded runs know nothing of values behind locks.
fn agree_on_units(class: Class, steps: &[Step], truth: &Truth) {
    let live = live_ways().len();
    for (number, (way, checker)) in all_ways(class).into_iter().enumerate() {
        let found = torn_units(checker, steps);
        let mut expected = truth.torn().clone();
        expected.retain(|unit, _| number < live || !matches!(unit, Unit::Cell(_)));
        assert!(
            found.keys().eq(expected.keys()),
            "{way}: {found:?} instead of {expected:?} in {steps:#?}"
        );
        if number == 0 {
            assert_eq!(found, expected, "{way} on {steps:#?}");
        }
    }
}

fn torn_units(checker: Checker, steps: &[Step]) -> BTreeMap<Unit, heddle_core::Certainty> {
    let report = checker.check(|| play::run(steps));
    let mut units = BTreeMap::new();
    for finding in report.torn() {
        let certainty = match finding.certainty {
            Certainty::Certain => heddle_core::Certainty::Certain,
            Certainty::Possible => heddle_core::Certainty::Possible,
        };
        let known = units.entry(Unit::of(finding)).or_insert(certainty);
        *known = certainty.max(*known);
    }
    units
}

/// Tries many programs of a class; both verdicts must be common.
fn try_many(class: Class) {
    let programs = cases(200) as usize;
    let mut random = Random::new();
    let (mut racy, mut torn) = (0, BTreeSet::new());
    for _ in 0..programs {
        let steps = random.program(class);
        let truth = Truth::of(&steps);
        agree_by_location(class, &steps, &truth);
        agree_on_certainty(&steps, &truth);
        agree_on_units(class, &steps, &truth);
        torn.extend(truth.torn().keys());
        racy += usize::from(!truth.racy_locations().is_empty());
    }
    assert!(
        (programs / 10..programs * 9 / 10 + 1).contains(&racy),
        "{racy} of {programs} programs are racy"
    );
    let has_cells = |unit: &Unit| matches!(unit, Unit::Cell(_));
    assert!(torn.len() > ALONE, "only {torn:?} are torn");
    assert_eq!(torn.iter().any(has_cells), class == Class::Exclusion);
}

#[test]
fn structured_programs_have_the_findings_of_the_oracle() {
    try_many(Class::Structured);
}

#[test]
fn programs_with_futures_groups_and_scope_handles_have_the_findings_of_the_oracle() {
    try_many(Class::Edges);
}

#[test]
fn programs_with_locks_and_isolated_have_the_findings_of_the_oracle() {
    try_many(Class::Exclusion);
}
