//! Findings in source order, and which of them are one report.
//!
//! A loop over an array can race on a million elements at one pair of source positions. That is
//! one defect to mend: one finding in every format.

use std::cmp::Reverse;

use heddle_core::{Access, Certainty, Finding, Legend, Site};

use crate::report::Grouping;

/// The findings in source order, cut into runs that are one report each.
pub struct Sorted<'a> {
    findings: Vec<&'a Finding>,
    /// Index of each run's first finding.
    starts: Vec<usize>,
}

impl<'a> Sorted<'a> {
    /// Sorts by first position, second position, then location.
    pub fn new(found: &'a [Finding], legend: &'a Legend) -> Self {
        let mut findings: Vec<_> = found.iter().collect();
        findings.sort_by_cached_key(|finding| (Spot::new(legend, finding), place(legend, finding)));
        let mut starts = Vec::new();
        let mut last = None;
        for (index, finding) in findings.iter().enumerate() {
            let spot = Spot::new(legend, finding);
            let can_be_many = !matches!(
                finding,
                Finding::Assertion { .. } | Finding::Deadlock { .. } | Finding::Misuse { .. }
            );
            if last != Some(spot) || !can_be_many {
                starts.push(index);
            }
            last = Some(spot);
        }
        Self { findings, starts }
    }

    /// The findings that are one report each, in source order. Never empty slices.
    pub fn runs(&self, grouping: Grouping) -> Vec<&[&'a Finding]> {
        match grouping {
            Grouping::Locations => self.findings.chunks(1).collect(),
            Grouping::Positions => {
                let ends = self.starts.iter().skip(1).copied();
                let ends = ends.chain([self.findings.len()]);
                let bounds = self.starts.iter().zip(ends);
                bounds
                    .map(|(&start, end)| &self.findings[start..end])
                    .collect()
            }
        }
    }
}

/// What a finding is sorted and grouped by. What has no position comes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    /// Guesses come after what is known to be wrong, the best first.
    rank: u8,
    is_nowhere: bool,
    first: Option<Site>,
    second: Option<Site>,
    third: Option<Site>,
    certainty: Reverse<Certainty>,
    kind: u8,
}

impl Spot {
    fn new(legend: &Legend, finding: &Finding) -> Self {
        let (first, second, certainty, kind) = match finding {
            Finding::Race {
                accesses,
                certainty,
                ..
            } => {
                let [first, second] = in_source_order(legend, accesses);
                (Some(first.site), Some(second.site), *certainty, 0)
            }
            Finding::Atomicity {
                accesses,
                certainty,
                ..
            } => (
                Some(accesses[0].site),
                Some(accesses[1].site),
                *certainty,
                3,
            ),
            Finding::Transaction(separation) => {
                let [first, last] = &separation.parted;
                (Some(first.site), Some(last.site), separation.certainty, 4)
            }
            Finding::Assertion { site, .. } => (Some(*site), None, Certainty::Certain, 1),
            Finding::Misuse { site, .. } => (Some(*site), None, Certainty::Certain, 5),
            Finding::Deadlock { waits } => {
                let first = waits.first().map(|wait| wait.site);
                (first, None, Certainty::Certain, 2)
            }
            Finding::PossibleDeadlock { chain } => {
                let site = |row: usize| chain.get(row).map(|link| link.site);
                (site(0), site(1), Certainty::Possible, 2)
            }
        };
        let first = first.and_then(|site| legend.site(site));
        let (rank, third) = match finding {
            Finding::Atomicity { rank, accesses, .. } => (*rank, Some(accesses[2].site)),
            _ => (0, None),
        };
        Self {
            rank,
            third: third.and_then(|site| legend.site(site)),
            is_nowhere: first.is_none(),
            first,
            second: second.and_then(|site| legend.site(site)),
            certainty: Reverse(certainty),
            kind,
        }
    }
}

/// The accesses of a race come in the sequence in which they ran, which differs between the
/// locations of one loop; reports show the one with the smaller source position first.
pub fn in_source_order<'a>(legend: &Legend, accesses: &'a [Access; 2]) -> [&'a Access; 2] {
    let [first, second] = accesses;
    match legend.site(second.site) < legend.site(first.site) {
        true => [second, first],
        false => [first, second],
    }
}

type PlaceKey<'a> = (Option<&'a str>, Option<u64>, u64);

fn place<'a>(legend: &'a Legend, finding: &Finding) -> Option<PlaceKey<'a>> {
    let place = match finding {
        Finding::Race { place, .. } => place,
        Finding::Atomicity { places, .. } => places.first()?,
        Finding::Transaction(separation) => separation.places.first()?,
        _ => return None,
    };
    let name = place.name.and_then(|name| legend.name(name));
    Some((name, place.index, place.location))
}
