//! `--expect`: what was found, compared with what a file says must be found in it.
//!
//! Every expected line must be matched by a finding of that kind, certainty and location. Every
//! finding must be expected; a possible one is also covered by a line that expects it certain,
//! since one location can have both.

use std::collections::HashSet;
use std::fmt::Write;

use heddle_core::Certainty as Expected;
use heddle_lang::{Expectation, Kind as ExpectedKind};
use heddle_report::{Certainty, Finding, Kind, printable};
use serde::Serialize;

/// How findings and expectations differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Comparison {
    /// The version of this form.
    pub schema: u32,
    /// The file.
    pub program: String,
    /// Whether nothing differs.
    pub as_expected: bool,
    /// What was expected and not found.
    pub missing: Vec<Line>,
    /// What was found and not expected.
    pub unexpected: Vec<Line>,
}

/// A finding as an expectation writes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Line {
    kind: &'static str,
    certainty: Certainty,
    location: Option<String>,
}

impl Comparison {
    /// Compares.
    pub fn new(program: &str, expected: &[Expectation], found: &[Finding]) -> Self {
        let expected: Vec<_> = expected.iter().map(Line::expected).collect();
        let mut found: Vec<_> = found.iter().map(Line::found).collect();
        // Sorted by position, so equal ones need not be neighbours.
        let mut seen = HashSet::new();
        found.retain(|line| seen.insert(line.clone()));
        let missing = without(&expected, |line| found.iter().any(|one| line.asks_for(one)));
        let unexpected = without(&found, |line| expected.iter().any(|one| one.covers(line)));
        Self {
            schema: 1,
            program: program.into(),
            as_expected: missing.is_empty() && unexpected.is_empty(),
            missing,
            unexpected,
        }
    }

    /// The differences, each line ended.
    pub fn text(&self) -> String {
        let mut text = format!("{}: not as expected\n", printable(&self.program));
        for line in &self.missing {
            let _ = writeln!(text, "  missing     {}", line.text());
        }
        for line in &self.unexpected {
            let _ = writeln!(text, "  unexpected  {}", line.text());
        }
        text
    }
}

fn without(lines: &[Line], is_fine: impl Fn(&Line) -> bool) -> Vec<Line> {
    lines
        .iter()
        .filter(|line| !is_fine(line))
        .cloned()
        .collect()
}

impl Line {
    fn expected(expectation: &Expectation) -> Self {
        let location = expectation.location.as_deref();
        Self {
            kind: expectation.kind.text(),
            certainty: match expectation.certainty {
                Expected::Certain => Certainty::Certain,
                Expected::Possible => Certainty::Possible,
            },
            location: location.map(|text| text.split_whitespace().collect()),
        }
    }

    fn found(finding: &Finding) -> Self {
        let kind = match finding.kind {
            Kind::Race => ExpectedKind::Race.text(),
            Kind::Atomicity => ExpectedKind::Atomicity.text(),
            Kind::Transaction => ExpectedKind::Transaction.text(),
            Kind::Assertion => ExpectedKind::Assertion.text(),
            Kind::Deadlock => ExpectedKind::Deadlock.text(),
            // Nothing in the language can be misused so.
            Kind::Misuse => "misuse",
        };
        Self {
            kind,
            certainty: finding.certainty,
            location: finding.location.clone(),
        }
    }

    /// Whether this expectation is met by what was found.
    fn asks_for(&self, found: &Line) -> bool {
        self.certainty == found.certainty && self.is_about(found)
    }

    /// Whether this expectation allows what was found.
    fn covers(&self, found: &Line) -> bool {
        let is_weaker = found.certainty == Certainty::Possible;
        (is_weaker || self.certainty == found.certainty) && self.is_about(found)
    }

    fn is_about(&self, found: &Line) -> bool {
        self.kind == found.kind && (self.location.is_none() || self.location == found.location)
    }

    /// As it would be written in a file.
    fn text(&self) -> String {
        let certainty = match self.certainty {
            Certainty::Certain => "",
            Certainty::Possible => "possible ",
        };
        let location = self.location.as_deref().unwrap_or_default();
        let text = format!("{certainty}{} {location}", self.kind);
        printable(text.trim_end()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: Kind, certainty: Certainty, location: Option<&str>) -> Finding {
        Finding {
            kind,
            certainty,
            location: location.map(str::to_owned),
            object: None,
            message: String::new(),
            count: 1,
            position: None,
            accesses: [].into(),
            task: None,
            waits: Vec::new(),
            schedule: Vec::new(),
            cuts: Vec::new(),
            cycle: Vec::new(),
            decision: None,
            rank: 0,
            why: [].into(),
            replay: None,
            witness: [].into(),
            common_steps: 0,
            help: None,
            same_cause: Vec::new(),
            fingerprint: String::new(),
            locations: 1,
            samples: Vec::new(),
        }
    }

    fn race(location: &str) -> Finding {
        finding(Kind::Race, Certainty::Certain, Some(location))
    }

    fn possible(location: &str) -> Finding {
        finding(Kind::Race, Certainty::Possible, Some(location))
    }

    /// What is missing and what is unexpected, as text.
    fn compare(lines: &[&str], found: &[Finding]) -> (Vec<String>, Vec<String>) {
        let source: String = lines
            .iter()
            .map(|line| format!("// expect: {line}\n"))
            .collect();
        let expected = heddle_lang::expectations(&source).expect("the lines are right");
        let expected = expected.check.unwrap_or_default();
        let comparison = Comparison::new("a.task", &expected, found);
        let text = |lines: &[Line]| lines.iter().map(Line::text).collect();
        assert_eq!(
            comparison.as_expected,
            comparison.text().lines().count() == 1
        );
        (text(&comparison.missing), text(&comparison.unexpected))
    }

    fn none() -> Vec<String> {
        Vec::new()
    }

    #[test]
    fn clean_means_nothing_at_all() {
        assert_eq!(compare(&["clean"], &[]), (none(), none()));
        assert_eq!(
            compare(&["clean"], &[race("x")]),
            (none(), vec!["race x".into()])
        );
        let (_, unexpected) = compare(&["clean"], &[possible("x")]);
        assert_eq!(unexpected, ["possible race x"]);
    }

    #[test]
    fn every_line_must_be_met_with_its_certainty() {
        assert_eq!(compare(&["race x"], &[race("x")]), (none(), none()));
        assert_eq!(compare(&["race x"], &[]), (vec!["race x".into()], none()));
        assert_eq!(
            compare(&["race x"], &[possible("x")]),
            (vec!["race x".into()], none())
        );
        assert_eq!(
            compare(&["possible race x"], &[race("x")]),
            (vec!["possible race x".into()], vec!["race x".into()])
        );
    }

    #[test]
    fn a_certain_line_covers_a_possible_finding_beside_the_certain_one() {
        assert_eq!(
            compare(&["race x"], &[race("x"), possible("x")]),
            (none(), none())
        );
        assert_eq!(
            compare(&["possible race x"], &[possible("x")]),
            (none(), none())
        );
    }

    #[test]
    fn locations_are_told_apart() {
        assert_eq!(
            compare(&["race A[1]"], &[race("A[2]")]),
            (vec!["race A[1]".into()], vec!["race A[2]".into()])
        );
    }

    #[test]
    fn many_findings_at_one_location_are_one_line() {
        let (_, unexpected) = compare(&["clean"], &[race("x"), race("y"), race("x")]);
        assert_eq!(unexpected, ["race x", "race y"]);
    }

    #[test]
    fn kinds_without_location_are_matched_by_kind() {
        let failed = [finding(Kind::Assertion, Certainty::Certain, None)];
        assert_eq!(compare(&["assertion"], &failed), (none(), none()));
        assert_eq!(
            compare(&["deadlock"], &failed),
            (vec!["deadlock".into()], vec!["assertion".into()])
        );
    }

    #[test]
    fn kinds_that_are_not_analysed_are_missing() {
        let (missing, _) = compare(&["atomicity x, y"], &[]);
        assert_eq!(missing, ["atomicity x,y"]);
    }
}
