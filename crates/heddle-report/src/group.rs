//! Races that share their pair of source positions are shown as one.

use crate::model::{Finding, Kind};

/// Locations a headline lists before it says how many more there are.
const LISTED: usize = 3;

/// Neighbouring findings that are one defect in the text. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group<'a> {
    findings: &'a [Finding],
}

/// Cuts sorted findings into groups.
pub fn groups(findings: &[Finding]) -> impl Iterator<Item = Group<'_>> {
    findings
        .chunk_by(is_same_report)
        .map(|findings| Group { findings })
}

impl<'a> Group<'a> {
    /// The finding that stands for the group: the one with the first location.
    pub fn first(&self) -> &'a Finding {
        &self.findings[0]
    }

    /// How many locations the group has.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether there is nothing in it; there always is.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// How often anything in the group was seen.
    pub fn count(&self) -> u64 {
        let counts = self.findings.iter().map(|finding| finding.count);
        counts.fold(0, u64::saturating_add)
    }

    /// `B[0], B[1], B[2] and 7 more`.
    pub fn locations(&self) -> String {
        let mut names: Vec<_> = self
            .findings
            .iter()
            .filter_map(|f| f.location.as_deref())
            .collect();
        // Objects of one name are told apart by nothing a reader knows.
        names.dedup();
        let more = names.len().saturating_sub(LISTED);
        let last = match more {
            0 => names.pop().unwrap_or_default().to_owned(),
            _ => format!("{more} more"),
        };
        names.truncate(LISTED);
        match names.is_empty() {
            true => last,
            false => format!("{} and {last}", names.join(", ")),
        }
    }
}

fn is_same_report(one: &Finding, two: &Finding) -> bool {
    let spots = |finding: &Finding| -> Vec<_> {
        let accesses = finding.accesses.iter();
        accesses.map(|access| access.position.clone()).collect()
    };
    let has_accesses = !matches!(one.kind, Kind::Assertion | Kind::Deadlock | Kind::Misuse);
    has_accesses
        && one.kind == two.kind
        && one.certainty == two.certainty
        && spots(one) == spots(two)
}
