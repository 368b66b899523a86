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
            Kind::Race => ExpectedKind::Race,
            Kind::Assertion => ExpectedKind::Assertion,
            Kind::Deadlock => ExpectedKind::Deadlock,
        };
        Self {
            kind: kind.text(),
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
