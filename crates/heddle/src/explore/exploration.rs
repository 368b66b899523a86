//! What came of an exploration.

use super::findings;
use super::parts::Shard;
use crate::sites::Caller;
use heddle_explore::{Limit, Reduction, Summary};
use heddle_report::json::{self, Layout};
use heddle_report::{Finding, Replay, Report};
use std::fmt;
use std::time::Duration;

/// What an exploration found.
///
/// Its [`Display`](fmt::Display) is the full report.
#[derive(Clone, Debug)]
pub struct Exploration {
    pub(super) found: Vec<Explored>,
    pub(super) summary: Summary,
    pub(super) reduction: Reduction,
    pub(super) shard: Option<Shard>,
    pub(super) elapsed: Duration,
    pub(super) at: Caller,
}

/// A finding and the schedule that shows it.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What was found.
    pub finding: Finding,
    /// As `HEDDLE_REPLAY` takes it.
    pub schedule: String,
    pub(super) text: String,
}

impl Exploration {
    /// Whether nothing was found.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).is_clean());
    /// ```
    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// # Panics
    /// If something was found, with the full report.
    ///
    /// ```should_panic
    /// heddle::explore(|| panic!("always")).assert_clean();
    /// ```
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean(), "\n{self}");
    }

    /// What was found.
    ///
    /// ```
    /// let found = heddle::explore(|| panic!("always"));
    /// assert_eq!(found.findings().len(), 1);
    /// ```
    pub fn findings(&self) -> &[Explored] {
        &self.found
    }

    /// How many schedules were run to their end.
    ///
    /// ```
    /// assert_eq!(heddle::explore(|| ()).schedules(), 1);
    /// ```
    pub fn schedules(&self) -> u64 {
        self.summary.schedules
    }

    /// How many choice points were entered, ends included.
    ///
    /// ```
    /// assert_eq!(heddle::explore(|| ()).states(), 1);
    /// ```
    pub fn states(&self) -> u64 {
        self.summary.states
    }

    /// Whether every schedule that can differ was run.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).is_complete());
    /// ```
    pub fn is_complete(&self) -> bool {
        self.summary.is_complete()
    }

    /// How long it took.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).elapsed() > std::time::Duration::ZERO);
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The report as `heddle explore --format json` prints it; `heddle merge` puts those of all parts together.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).to_json().contains("\"verdict\":\"clean\""));
    /// ```
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        // Nothing goes wrong with a vector.
        let _ = json::write(&self.report(), Layout::Line, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Where `explore` was called.
    pub(super) fn program(&self) -> String {
        format!("{}:{}", self.at.file(), self.at.line())
    }

    /// Whether what was run is all there is.
    fn is_whole(&self) -> bool {
        self.is_complete() && self.shard.is_none()
    }

    fn report(&self) -> Report {
        let explored = self.found.iter().map(|explored| Finding {
            replay: Some(Replay {
                schedule: Some(explored.schedule.clone()),
                command: format!("HEDDLE_REPLAY={} <this test>", explored.schedule),
            }),
            ..explored.finding.clone()
        });
        let summary = &self.summary;
        let limits = summary.limits.iter();
        let exploration = heddle_report::Exploration {
            reduction: format!("{:?}", self.reduction).to_lowercase(),
            schedules: summary.schedules,
            states: summary.states,
            transitions: summary.transitions,
            complete: summary.is_complete(),
            limits: limits.map(|limit| phrase(*limit).into()).collect(),
            refuted: Vec::new(),
            shard: self.shard.map(|shard| shard.to_string()),
            elapsed: self.elapsed,
        };
        Report::of_exploration(
            &self.program(),
            explored.collect(),
            exploration,
            heddle_report::Settings::default(),
        )
    }
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.found {
            f.write_str(&found.text)?;
            writeln!(f, "replay: HEDDLE_REPLAY={} <this test>\n", found.schedule)?;
        }
        let result = match self.found.len() {
            0 => "clean".to_owned(),
            1 => "1 finding".to_owned(),
            many => format!("{many} findings"),
        };
        writeln!(f, "{}: {result}", self.at.file())?;
        let schedules = findings::plural(self.summary.schedules, "schedule");
        if let Some(shard) = self.shard {
            writeln!(f, "part: {shard}")?;
        }
        match self.is_whole() {
            true => writeln!(f, "guarantee: all schedules, explored ({schedules})"),
            false => writeln!(f, "guarantee: {schedules}, not all"),
        }
    }
}

/// What ended an exploration.
fn phrase(limit: Limit) -> &'static str {
    match limit {
        Limit::Schedules => "max_schedules",
        Limit::Time => "max_time",
        Limit::Preemptions => "preemptions",
        Limit::Length => "a run that goes on for too long",
        Limit::Interrupted => "an interrupt",
        Limit::Found => "a finding",
    }
}
