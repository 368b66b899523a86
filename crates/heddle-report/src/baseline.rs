//! What is known already: the findings of an earlier report.

use std::collections::HashSet;

use crate::model::Finding;
use crate::saved::{Saved, SavedFinding};

/// The findings of earlier reports, by their fingerprints.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    known: HashSet<String>,
}

impl Baseline {
    /// What these JSON reports say; else why they cannot be a baseline.
    pub fn read(text: &str) -> Result<Self, String> {
        let reports = Saved::read(text).map_err(|error| format!("not a JSON report ({error})"))?;
        if reports.is_empty() {
            return Err("there is no report in it".into());
        }
        if reports.iter().any(|report| report.left_out > 0) {
            return Err("it leaves findings out; make it without --max-findings".into());
        }
        Ok(Self::of(&reports))
    }

    /// What these reports say.
    pub fn of(reports: &[Saved]) -> Self {
        let found = reports.iter().flat_map(all);
        let known = found.map(SavedFinding::identity).collect();
        Self { known }
    }

    /// Whether the finding is known.
    pub fn has(&self, finding: &Finding) -> bool {
        self.known.contains(&finding.fingerprint)
    }

    /// Whether a finding that was read is known.
    pub fn has_saved(&self, finding: &SavedFinding) -> bool {
        self.known.contains(&finding.identity())
    }
}

fn all(report: &Saved) -> impl Iterator<Item = &SavedFinding> {
    report.findings.iter().chain(&report.suppressed_findings)
}

/// How two sets of reports differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference<'a> {
    /// In the second only.
    pub new: Vec<&'a SavedFinding>,
    /// In the first only.
    pub gone: Vec<&'a SavedFinding>,
    /// In both.
    pub same: Vec<&'a SavedFinding>,
}

impl<'a> Difference<'a> {
    /// Compares by fingerprint.
    pub fn new(before: &'a [Saved], after: &'a [Saved]) -> Self {
        let (old, new) = (Baseline::of(before), Baseline::of(after));
        let found = |reports: &'a [Saved]| reports.iter().flat_map(|report| &report.findings);
        let (same, added) = found(after).partition(|finding| old.has_saved(finding));
        Self {
            new: added,
            gone: found(before)
                .filter(|finding| !new.has_saved(finding))
                .collect(),
            same,
        }
    }
}
