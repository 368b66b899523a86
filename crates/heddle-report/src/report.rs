//! Building a [`Report`]: what is shown, what the verdict is, and what it means.

use std::collections::HashMap;

use heddle_core::{
    Features, Finding as CoreFinding, Guarantee, Legend, MOST_RACES, Outcome, SiteId, TaskId,
};

use crate::baseline::Baseline;
use crate::cause;
use crate::details::Details;
use crate::digest;
use crate::fault;
use crate::finding::Wording;
use crate::fingerprint;
use crate::model::{Certainty, Finding, Possible, Report, Totals, Verdict};
use crate::resolve::Resolver;
use crate::sort::Sorted;
use crate::text::count;

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

/// What is one finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Grouping {
    /// All locations at the same source positions: one defect to mend.
    #[default]
    Positions,
    /// Each location, for comparisons with what is known of every location.
    Locations,
}

/// How to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings<'a> {
    /// What counts for the verdict.
    pub strictness: Strictness,
    /// At most so many findings.
    pub limit: Option<usize>,
    /// What is one finding.
    pub grouping: Grouping,
    /// How text shows possible findings.
    pub possible: Possible,
    /// What is known already, and not to be shown.
    pub baseline: Option<&'a Baseline>,
}

impl Report {
    /// The report on this subject. Verdict and totals do not depend on the limit.
    pub fn new(subject: Subject<'_>, settings: Settings<'_>) -> Self {
        Self::build(subject, None, settings)
    }

    /// The same where it is known which tasks were joined by a `get` or the like, and where.
    pub fn with_joins(
        subject: Subject<'_>,
        joins: &HashMap<TaskId, SiteId>,
        settings: Settings<'_>,
    ) -> Self {
        let resolver = Resolver::new(subject.outcome, subject.legend, None).joined(joins);
        Self::resolved(subject, &resolver, None, settings)
    }

    /// The report on a native program, of which more is known than positions.
    pub fn detailed(subject: Subject<'_>, details: &Details, settings: Settings<'_>) -> Self {
        Self::build(subject, Some(details), settings)
    }

    pub(crate) fn build(
        subject: Subject<'_>,
        details: Option<&Details>,
        settings: Settings<'_>,
    ) -> Self {
        let resolver = Resolver::new(subject.outcome, subject.legend, details);
        Self::resolved(subject, &resolver, details, settings)
    }

    fn resolved(
        subject: Subject<'_>,
        resolver: &Resolver<'_>,
        details: Option<&Details>,
        settings: Settings<'_>,
    ) -> Self {
        let worded = |found: &[CoreFinding]| -> Vec<Finding> {
            let sorted = Sorted::new(found, subject.legend);
            let mut wording = Wording::new(resolver);
            let runs = sorted.runs(settings.grouping);
            let findings = runs.iter().map(|run| wording.of_run(run));
            let findings = fingerprint::stamped(findings);
            match settings.grouping {
                Grouping::Positions => cause::joined(findings),
                Grouping::Locations => findings,
            }
        };
        let suppressed_findings = details.map_or(Vec::new(), |details| worded(&details.suppressed));
        let fault = subject.outcome.fault;
        let report = Self {
            schema: SCHEMA,
            program: subject.program.into(),
            verdict: Verdict::Clean,
            guarantee: subject.outcome.guarantee,
            threads: None,
            not_covered: not_covered(subject),
            findings: worded(&subject.outcome.findings),
            totals: Totals::default(),
            by_variable: Vec::new(),
            by_file: Vec::new(),
            left_out: 0,
            suppressed: suppressed_findings.len() as u64,
            suppressed_findings,
            known: 0,
            possible: settings.possible,
            transactions: subject.outcome.transactions.map(Into::into),
            unused_answers: Vec::new(),
            exploration: None,
            stats: None,
            error: fault.map(|(site, kind)| fault::problem(resolver, site, kind)),
        };
        report.concluded(settings)
    }

    /// Leaves out what the baseline has, settles verdict and totals, then leaves out what is beyond the limit.
    pub(crate) fn concluded(mut self, settings: Settings<'_>) -> Self {
        let all = self.findings.len();
        if let Some(baseline) = settings.baseline {
            self.findings.retain(|finding| !baseline.has(finding));
        }
        self.known = (all - self.findings.len()) as u64;
        self.totals = Totals::of(&self.findings);
        self.by_variable = digest::by_variable(&self.findings);
        self.by_file = digest::by_file(&self.findings);
        let strict = settings.strictness == Strictness::Strict;
        let counts = |finding: &Finding| strict || finding.certainty == Certainty::Certain;
        self.verdict = match self.findings.iter().any(counts) {
            true => Verdict::Findings,
            false => Verdict::Clean,
        };
        let limit = settings.limit.unwrap_or(usize::MAX);
        self.left_out = self.findings.len().saturating_sub(limit) as u64;
        self.findings.truncate(limit);
        self
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
    let present = present.map(|(_, gap)| gap.to_owned());
    present.chain(crowded(subject.outcome)).collect()
}

/// What is not told of locations with very many races.
fn crowded(outcome: &Outcome) -> Option<String> {
    let (most, crowded) = (u64::from(MOST_RACES), outcome.counts.crowded);
    (crowded > 0).then(|| {
        let beyond = count(most, "race");
        let crowded = count(crowded, "location");
        format!("pairs of positions beyond {beyond} of one location ({crowded})")
    })
}
