//! What can be torn: every triple of accesses, by every kind of data and lock, and what is not to be reported.

mod blocks;
mod classics;
mod groups;
mod locks;
mod settings;
mod triples;
mod values;

use heddle::{Certainty, Checker, Finding, Report, finish};
use std::collections::BTreeSet;

/// Runs two tasks beside each other; serially, one after the other.
fn both<A, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) {
    finish(|s| {
        s.spawn(|_| drop(a()));
        s.spawn(|_| drop(b()));
    });
}

/// What is torn for certain, by name; the same serially and on threads.
fn torn(program: impl Fn() + Sync) -> BTreeSet<String> {
    let run = |threads| certain(&Checker::new().parallel(threads).check(&program));
    let found = run(0);
    for threads in [1, 2, 4] {
        assert_eq!(run(threads), found, "on {threads} threads");
    }
    found
}

fn certain(report: &Report) -> BTreeSet<String> {
    let certain = report
        .torn()
        .filter(|finding| finding.certainty == Certainty::Certain);
    certain.map(location).collect()
}

fn location(finding: &Finding) -> String {
    finding.location.clone().expect("what is torn has a name")
}

/// The set of one name.
fn only(name: &str) -> BTreeSet<String> {
    BTreeSet::from([name.to_owned()])
}

/// The lines of the three accesses of the one finding of a serial run.
fn lines(program: impl FnOnce() + Send) -> [u32; 3] {
    let report = Checker::new().parallel(0).check(program);
    let [finding] = report.torn().collect::<Vec<_>>()[..] else {
        panic!("one torn unit in {report}");
    };
    let lines = finding.accesses.iter();
    let lines = lines.map(|access| access.position.as_ref().expect("it has one").line);
    let lines: Vec<u32> = lines.collect();
    lines.try_into().expect("three accesses")
}
