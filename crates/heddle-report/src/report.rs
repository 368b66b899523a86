//! Building a [`Report`]: what is shown, what the verdict is, and what it means.

use heddle_core::{Features, Guarantee, Legend, Outcome};

use crate::details::Details;
use crate::fault;
use crate::finding::{self, Wording};
use crate::model::{Certainty, Report, Verdict};
use crate::resolve::Resolver;
use crate::sort::Sorted;

/// The version of the JSON form.
pub(crate) const SCHEMA: u32 = 1;

/// What is reported on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program's path as the user gave it.
    pub program: &'a str,
    /// What the check yielded.
    pub outcome: &'a Outcome,
    /// What its ids stand for.
    pub legend: &'a Legend,
    /// What the program may do.
    pub features: Features,
    /// What the program asks for beyond what was checked.
    pub unchecked: Unchecked,
}

/// An analysis the program asks for that was not made beside the one that was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Unchecked {
    /// There is none.
    #[default]
    Nothing,
    /// Some variables are declared `atomic`.
    Atomicity,
    /// Races: only torn regions are shown.
    Races,
    /// The program is cut into transactions.
    Transactions,
}

/// Whether possible findings count for the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strictness {
    /// Only certain findings do.
    #[default]
    CertainOnly,
    /// All do.
    Strict,
}

/// How to report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Settings {
    /// What counts for the verdict.
    pub strictness: Strictness,
    /// At most so many findings, where races at one pair of source positions count once.
    pub limit: Option<usize>,
}

impl Report {
    /// The report on this subject. Verdict and totals do not depend on the limit.
    pub fn new(subject: Subject<'_>, settings: Settings) -> Self {
        Self::build(subject, None, settings)
    }

    /// The report on a native program, of which more is known than positions.
    pub fn detailed(subject: Subject<'_>, details: &Details, settings: Settings) -> Self {
        Self::build(subject, Some(details), settings)
    }

    pub(crate) fn build(
        subject: Subject<'_>,
        details: Option<&Details>,
        settings: Settings,
    ) -> Self {
        let resolver = Resolver::new(subject.outcome, subject.legend, details);
        let sorted = Sorted::new(subject.outcome, subject.legend);
        let (shown, left_out) = sorted.limited(settings.limit);
        let mut wording = Wording::new(&resolver);
        let fault = subject.outcome.fault;
        Self {
            schema: SCHEMA,
            program: subject.program.into(),
            verdict: verdict(subject.outcome, settings.strictness),
            guarantee: subject.outcome.guarantee,
            threads: None,
            not_covered: not_covered(subject),
            findings: shown.iter().map(|found| wording.of(found)).collect(),
            totals: sorted.totals(),
            left_out,
            suppressed: details.map_or(0, |details| details.suppressed),
            transactions: subject.outcome.transactions.map(Into::into),
            exploration: None,
            velodrome: None,
            stats: None,
            error: fault.map(|(site, kind)| fault::problem(&resolver, site, kind)),
        }
    }
}

fn verdict(outcome: &Outcome, strictness: Strictness) -> Verdict {
    let strict = strictness == Strictness::Strict;
    let mut findings = outcome.findings.iter();
    match findings.any(|found| strict || finding::certainty(found) == Certainty::Certain) {
        true => Verdict::Findings,
        false => Verdict::Clean,
    }
}

fn not_covered(subject: Subject<'_>) -> Vec<String> {
    let features = subject.features;
    let keeping = subject.outcome.guarantee == Guarantee::KeepingAccesses;
    let atomics = subject.unchecked == Unchecked::Atomicity;
    let gaps = [
        (
            keeping && features.isolated,
            "other orders of the isolated bodies",
        ),
        (
            keeping && features.locks,
            "other orders of the locked sections",
        ),
        (keeping && features.choices, "other choices of ewait"),
        (
            keeping && subject.outcome.transactions.is_some(),
            "what the order of conflicting transactions decides",
        ),
        (atomics, "atomicity of the variables declared atomic"),
        (subject.unchecked == Unchecked::Races, "races"),
        (
            subject.unchecked == Unchecked::Transactions,
            "whether its cuts can be seen",
        ),
    ];
    let present = gaps.into_iter().filter(|(present, _)| *present);
    present.map(|(_, gap)| gap.to_owned()).collect()
}
