//! Reports on many schedules of one program.
//!
//! Each finding comes with the run that shows it, and task numbers mean something in that run
//! only. So every finding is worded with its own outcome, and the words are put together.

use std::fmt::Write;
use std::time::Duration;

use heddle_core::{Features, Guarantee, Legend, Outcome};
use serde::{Serialize, Serializer};

use crate::fingerprint;
use crate::many;
use crate::model::{Certainty, Finding, Kind, Note, Report, Totals, Verdict};
use crate::problem::Problem;
use crate::report::{Grouping, SCHEMA, Settings, Subject, Unchecked};
use crate::resolve::Resolver;
use crate::text::grouped;

/// How to see a finding happen again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Replay {
    /// The schedule, as `--replay` takes it, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The whole command.
    pub command: String,
}

/// How many schedules were run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Exploration {
    /// How schedules that cannot differ were left out: `none`, `dpor`, `states`; `deterministic` where one
    /// run is a proof.
    pub reduction: String,
    /// Runs that came to their end.
    pub schedules: u64,
    /// Choice points that were entered.
    pub states: u64,
    /// Choices that were executed.
    pub transitions: u64,
    /// Whether every schedule that can differ is covered.
    pub complete: bool,
    /// What kept it from being complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// What one run could not settle, and no schedule shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<String>,
    /// Which part of how many this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// How long it took.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub elapsed: Duration,
}

fn as_seconds<S: Serializer>(elapsed: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((elapsed.as_secs_f64() * 1e6).round() / 1e6)
}

impl Exploration {
    /// One or two lines, each ended.
    pub fn text(&self) -> String {
        if self.reduction == "deterministic" {
            return "explored: no schedule differs (deterministic), one run is a proof\n".into();
        }
        let count = |number: u64, noun: &str| match number {
            1 => format!("1 {noun}"),
            _ => format!("{} {noun}s", grouped(number)),
        };
        let mut text = format!(
            "explored: {}, {} ({}), {:.1?}",
            count(self.schedules, "schedule"),
            count(self.states, "state"),
            self.reduction,
            self.elapsed
        );
        if let Some(shard) = &self.shard {
            let _ = write!(text, ", shard {shard}");
        }
        if !self.limits.is_empty() {
            let _ = write!(text, "; stopped by {}", self.limits.join(", "));
        }
        text.push('\n');
        for refuted in &self.refuted {
            let _ = writeln!(text, "settled: {refuted} cannot happen");
        }
        text
    }
}

/// A finding and the run that shows it.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The outcome of that run, with this one finding or fault.
    pub outcome: Outcome,
    /// How to see it again.
    pub replay: Replay,
    /// The schedule step by step.
    pub steps: Vec<Step>,
}

/// One step of a schedule, in ids.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happens; the task is put in front.
    pub text: String,
    /// Who does it.
    pub task: heddle_core::TaskId,
    /// Where.
    pub site: Option<heddle_core::SiteId>,
}

impl Report {
    /// The report on an exploration. All findings are certain: there is a run that shows each.
    pub fn explored(
        program: &str,
        legend: &Legend,
        features: Features,
        found: &[Confirmed],
        exploration: Exploration,
        settings: Settings<'_>,
    ) -> Self {
        let mut findings = Vec::new();
        let mut error = None;
        for confirmed in found {
            let mut report = one(program, legend, features, confirmed);
            error = error.or_else(|| fault(&mut report, &confirmed.replay));
            findings.append(&mut report.findings);
        }
        Self {
            error,
            ..Self::of_exploration(program, findings, exploration, settings)
        }
    }

    /// The same from findings that are worded already.
    pub fn of_exploration(
        program: &str,
        mut findings: Vec<Finding>,
        exploration: Exploration,
        settings: Settings<'_>,
    ) -> Self {
        findings.sort_by_key(sort_key);
        if settings.grouping == Grouping::Positions {
            findings = together(findings);
        }
        let report = Self {
            schema: SCHEMA,
            program: program.into(),
            verdict: Verdict::Clean,
            guarantee: guarantee(&exploration),
            threads: None,
            not_covered: Vec::new(),
            left_out: 0,
            findings: fingerprint::stamped(findings.into_iter()),
            totals: Totals::default(),
            by_variable: Vec::new(),
            by_file: Vec::new(),
            suppressed: 0,
            suppressed_findings: Vec::new(),
            known: 0,
            possible: settings.possible,
            transactions: None,
            unused_answers: Vec::new(),
            exploration: Some(exploration),
            stats: None,
            error: None,
        };
        report.concluded(settings)
    }
}

fn guarantee(exploration: &Exploration) -> Guarantee {
    match exploration.complete {
        _ if exploration.reduction == "deterministic" => Guarantee::AllSchedules,
        true if exploration.shard.is_none() => Guarantee::Explored,
        _ => Guarantee::Partly {
            schedules: exploration.schedules,
        },
    }
}

fn one(program: &str, legend: &Legend, features: Features, confirmed: &Confirmed) -> Report {
    let outcome = &confirmed.outcome;
    let subject = Subject {
        program,
        outcome,
        legend,
        features,
        unchecked: Unchecked::Nothing,
    };
    let mut report = Report::build(subject, None, Settings::default());
    let resolver = Resolver::new(outcome, legend, None);
    let notes = confirmed.steps.iter().map(|step| Note {
        text: format!("{} {}", resolver.task_phrase(step.task), step.text),
        position: step.site.and_then(|site| resolver.position(site)),
    });
    let notes: Vec<Note> = notes.collect();
    for finding in &mut report.findings {
        finding.certainty = Certainty::Certain;
        finding.replay = Some(confirmed.replay.clone());
        finding.schedule.clone_from(&notes);
    }
    report
}

fn fault(report: &mut Report, replay: &Replay) -> Option<Problem> {
    let problem = report.error.take()?;
    Some(problem.note(format!("replay: {}", replay.command)))
}

/// By position, then by the second position, then by location.
fn sort_key(finding: &Finding) -> (Kind, Vec<(u32, u32)>, Option<String>) {
    let spot = |position: &Option<crate::position::Position>| {
        position
            .as_ref()
            .map_or((0, 0), |position| (position.line, position.column))
    };
    let accesses = finding.accesses.iter().map(|access| spot(&access.position));
    let spots = std::iter::once(spot(&finding.position)).chain(accesses);
    (finding.kind, spots.collect(), finding.location.clone())
}

/// Findings at the same source positions as one, which the first stands for.
fn together(findings: Vec<Finding>) -> Vec<Finding> {
    let mut together: Vec<Finding> = Vec::new();
    for finding in findings {
        match together.last_mut() {
            Some(last) if is_same(last, &finding) => {
                if last.samples.is_empty() {
                    last.samples.extend(last.location.clone());
                }
                last.count = last.count.saturating_add(finding.count);
                last.locations += finding.locations;
                last.samples.extend(finding.location);
            }
            _ => together.push(finding),
        }
    }
    for finding in together.iter_mut().filter(|finding| finding.locations > 1) {
        let mut samples = std::mem::take(&mut finding.samples);
        samples.dedup();
        finding.message = many::message(finding, &samples);
        samples.truncate(many::SAMPLES);
        finding.samples = samples;
    }
    together
}

fn is_same(one: &Finding, two: &Finding) -> bool {
    let spots = |finding: &Finding| -> Vec<_> {
        let accesses = finding.accesses.iter();
        accesses.map(|access| access.position.clone()).collect()
    };
    one.locations > 0 && one.kind == two.kind && spots(one) == spots(two)
}
