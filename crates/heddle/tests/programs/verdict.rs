//! Running a program in both ways, and saying where its races are.

use heddle::{Access, Checker, Finding, Report};
use std::collections::BTreeSet;

/// The lines of the two sides of a race, ascending.
pub type Lines = (u32, u32);

/// The reports of a serial run and of one on two threads.
pub fn reports(program: impl Fn() + Sync) -> [Report; 2] {
    [0, 2].map(|threads| Checker::new().parallel(threads).check(&program))
}

/// Fails unless both runs are clean.
pub fn assert_clean(program: impl Fn() + Sync) {
    reports(program).iter().for_each(Report::assert_clean);
}

/// Fails unless both runs find a race between each of these pairs of marked lines, and none that
/// touches a line without a mark. On several threads, which accesses of two tasks meet first depends
/// on the schedule, so other pairs of marked lines may be found as well.
pub fn assert_races(source: &str, program: impl Fn() + Sync, markers: &[(&str, &str)]) {
    let pair = |&(a, b): &(&str, &str)| ascending(line_of(source, a), line_of(source, b));
    let expected: BTreeSet<Lines> = markers.iter().map(pair).collect();
    for report in reports(program) {
        let found = lines(&report);
        assert!(found.is_superset(&expected), "{expected:?} in\n{report}");
        let marked = |line: u32| is_marked(source, line);
        assert!(
            found.iter().all(|&(a, b)| marked(a) && marked(b)),
            "{report}"
        );
    }
}

/// Calls `test` often enough to meet many schedules: a thousand times, or as `HEDDLE_TEST_RUNS` says.
pub fn repeatedly(test: impl Fn()) {
    let wanted = std::env::var("HEDDLE_TEST_RUNS").ok();
    let runs = wanted.map_or(1000, |runs| runs.parse().expect("a number of runs"));
    (0..runs).for_each(|_| test());
}

fn ascending(a: u32, b: u32) -> Lines {
    (a.min(b), a.max(b))
}

/// The line that ends with this marker in a comment.
fn line_of(source: &str, marker: &str) -> u32 {
    let comment = format!("// {marker}");
    let at = source.lines().position(|line| line.ends_with(&comment));
    at.expect("the marker is in the source") as u32 + 1
}

/// Whether the line ends with a marker: a comment behind code.
fn is_marked(source: &str, line: u32) -> bool {
    let text = source.lines().nth(line as usize - 1);
    text.is_some_and(|text| text.contains("; // "))
}

/// The pairs of lines that race.
fn lines(report: &Report) -> BTreeSet<Lines> {
    let line = |access: &Access| access.position.as_ref().map(|position| position.line);
    let pair = |race: &Finding| match &*race.accesses {
        [a, b] => Some(ascending(line(a)?, line(b)?)),
        _ => None,
    };
    let pairs = report
        .races()
        .map(|race| pair(race).expect("two accesses with positions"));
    pairs.collect()
}
