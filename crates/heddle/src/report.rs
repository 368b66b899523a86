//! What a checked run found, for people and for programs.

use crate::outcome::Judged;
use crate::sites::Caller;
use heddle_core::Guarantee;
use heddle_report::json::{self, Layout};
use heddle_report::text::{self, Colour};
use heddle_report::{
    Finding, Grouping, Kind, Replay, Settings, Subject, Unchecked, Verdict, replayed,
};
use std::fmt;
use std::time::Duration;

/// Findings shown in text unless told otherwise.
const TEXT_LIMIT: usize = 100;

/// What a checked run found.
///
/// Its [`Display`](fmt::Display) is the full report: every finding with the source lines of both
/// sides and why they are parallel, then the guarantee.
///
/// ```
/// use heddle::{Shared, check, join};
/// let report = check(|| {
///     let x = Shared::new(0);
///     join(|| x.set(1), || x.get());
/// });
/// assert!(!report.is_clean());
/// assert!(report.to_string().contains("race"));
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// One finding per location.
    report: heddle_report::Report,
    /// One finding per pair of source positions.
    grouped: heddle_report::Report,
    text: String,
    /// Answers that made no difference, one text each.
    unused: Vec<String>,
    stats: Stats,
}

/// How much a checked run did.
///
/// ```
/// let v = heddle::SharedVec::new(10, 0);
/// let report = heddle::check(|| {
///     heddle::join(|| v.set(0, 1), || v.slice(1..).to_vec());
/// });
/// let stats = report.stats();
/// assert_eq!((stats.tasks, stats.finishes), (1 + 2, 1 + 1));
/// assert_eq!((stats.reads, stats.writes), (9, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// Tasks, the main task included.
    pub tasks: u64,
    /// Finishes, the implicit one around the main task included.
    pub finishes: u64,
    /// Extra edges: values of futures, waits for groups, dependences.
    pub extra_edges: u64,
    /// Locations read, once for every access; a lock or an atomic is one location.
    pub reads: u64,
    /// Locations written, likewise.
    pub writes: u64,
    /// How long it took, the judging included.
    pub elapsed: Duration,
}

impl Report {
    pub(crate) fn new(
        judged: Judged,
        settings: Settings,
        caller: Caller,
        elapsed: Duration,
    ) -> Self {
        let subject = Subject {
            program: caller.file(),
            outcome: &judged.outcome,
            legend: &judged.legend,
            features: judged.features,
            unchecked: match judged.features.cuts && judged.outcome.transactions.is_none() {
                true => Unchecked::Transactions,
                false => Unchecked::Nothing,
            },
        };
        let shown = Settings {
            limit: settings.limit.or(Some(TEXT_LIMIT)),
            ..settings
        };
        let apart = Settings {
            grouping: Grouping::Locations,
            ..settings
        };
        let counts = judged.outcome.counts;
        let report = |settings| {
            let mut report = resolved(subject, settings);
            report.suppressed += judged.answered.harmless;
            report.unused_answers.clone_from(&judged.answered.unused);
            report
        };
        let unused = judged.answered.unused.iter();
        let unused: Vec<String> = unused
            .map(|problem| text::render_warning(problem, Colour::Plain))
            .collect();
        for warning in &unused {
            eprint!("{warning}");
        }
        Self {
            text: text::render(&report(shown), Colour::Plain),
            report: report(apart),
            grouped: report(settings),
            unused,
            stats: Stats {
                tasks: counts.tasks,
                finishes: counts.finishes,
                extra_edges: counts.extra_edges,
                reads: counts.reads,
                writes: counts.writes,
                elapsed,
            },
        }
    }

    /// Whether nothing is wrong for certain. Possible races, which exist only if what one section of
    /// a lock handed over to another can be undone, count if the checker is
    /// [strict](crate::Checker::strict).
    ///
    /// ```
    /// assert!(heddle::check(|| ()).is_clean());
    /// ```
    pub fn is_clean(&self) -> bool {
        self.report.verdict != Verdict::Findings
    }

    /// # Panics
    /// If the report is not [clean](Self::is_clean), with its full text.
    ///
    /// ```should_panic
    /// use heddle::{Shared, check, join};
    /// let x = Shared::new(0);
    /// check(|| { join(|| x.set(1), || x.set(2)); }).assert_clean();
    /// ```
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean(), "\n{self}");
    }

    /// The races, in the sequence of their source positions.
    ///
    /// ```
    /// use heddle::{SharedVec, check, par_for};
    /// let report = check(|| {
    ///     let sums = SharedVec::new(2, 0);
    ///     par_for(0..4, |i| sums.set(i % 2, i));
    /// });
    /// for race in report.races() {
    ///     let [first, second] = &*race.accesses else { unreachable!() };
    ///     assert_eq!(first.position, second.position);
    /// }
    /// assert_eq!(report.races().count(), 2);
    /// ```
    pub fn races(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.report.findings.iter();
        findings.filter(|finding| finding.kind == Kind::Race)
    }

    /// The atomicity violations: three accesses each, in the sequence that violates atomicity.
    ///
    /// ```
    /// use heddle::{Operation, Shared, check, isolated, join};
    /// let x = Shared::new(0).atomic();
    /// let report = check(|| {
    ///     let twice = || {
    ///         isolated(|| x.set(1));
    ///         isolated(|| x.set(2));
    ///     };
    ///     join(twice, || isolated(|| x.get()));
    /// });
    /// for finding in report.torn() {
    ///     let [_, middle, _] = &*finding.accesses else { unreachable!() };
    ///     assert_eq!(middle.operation, Operation::Read);
    /// }
    /// assert_eq!(report.torn().count(), 1);
    /// ```
    pub fn torn(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.report.findings.iter();
        findings.filter(|finding| finding.kind == Kind::Atomicity)
    }

    /// The cuts that can be seen: two transactions of one strand each, and the schedule that shows it.
    ///
    /// ```
    /// use heddle::{Analysis, Checker, Shared, cut, join};
    /// let x = Shared::new(0).named("x");
    /// let add = || {
    ///     let seen = x.get();
    ///     cut();
    ///     x.set(seen + 1);
    /// };
    /// let checker = Checker::new().analyses([Analysis::Transactions]);
    /// let report = checker.check(|| { join(add, add); });
    /// let cut = report.visible_cuts().next().unwrap();
    /// assert_eq!(cut.location.as_deref(), Some("x"));
    /// ```
    pub fn visible_cuts(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.report.findings.iter();
        findings.filter(|finding| finding.kind == Kind::Transaction)
    }

    /// The answers in `heddle.toml` that made no difference to this run, as they were printed to standard error: their
    /// lines changed, or there is no such finding. Entries for positions that the run did not come by are not
    /// among them.
    ///
    /// ```
    /// assert_eq!(heddle::check(|| ()).unused_answers().count(), 0);
    /// ```
    pub fn unused_answers(&self) -> impl Iterator<Item = &str> {
        self.unused.iter().map(String::as_str)
    }

    /// What the absence of findings means.
    ///
    /// ```
    /// use heddle::{Guarantee, check, isolated, join};
    /// let report = check(|| { join(|| (), || ()); });
    /// assert_eq!(report.guarantee(), Guarantee::AllSchedules);
    /// let report = check(|| isolated(|| ()));
    /// assert_eq!(report.guarantee(), Guarantee::KeepingAccesses);
    /// ```
    pub fn guarantee(&self) -> Guarantee {
        self.report.guarantee
    }

    /// How much was done.
    ///
    /// ```
    /// assert_eq!(heddle::check(|| ()).stats().tasks, 1);
    /// ```
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The report as JSON, in the form that `heddle check --format json` has.
    ///
    /// ```
    /// assert!(heddle::check(|| ()).to_json().contains("\"verdict\": \"clean\""));
    /// ```
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail, and JSON is text.
        let written = json::write(&self.grouped, Layout::Pretty, &mut bytes);
        debug_assert!(written.is_ok());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The report, in which each race says how to see both of its orders.
fn resolved(subject: Subject<'_>, settings: Settings) -> heddle_report::Report {
    let mut report = heddle_report::Report::new(subject, settings);
    for finding in &mut report.findings {
        let positions = replayed::positions(finding);
        let at = positions.map(|at| at.map(|at| format!("{}:{at}", at.file.path())));
        finding.replay = at.map(|[first, second]| Replay {
            schedule: None,
            command: format!("heddle replay {first} {second} -- <this test>"),
        });
    }
    report
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
