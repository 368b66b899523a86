//! How much work a check was: shown on request, in text and in JSON.

use std::time::Duration;

use heddle_core::Counts;
use serde::Serialize;

use crate::model::Transactions;

/// The figures of one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stats {
    /// Which order decided what is parallel.
    pub order: String,
    /// Tasks, the main task included.
    pub tasks: u64,
    /// Finishes, the implicit one included.
    pub finishes: u64,
    /// What was counted beyond that; native programs are too fast to count it.
    #[serde(flatten)]
    pub work: Option<Work>,
    /// Event-driven tasks; only for programs that have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_driven: Option<EventDriven>,
    /// What came of the thread cycles. Not in JSON, where the report has it.
    #[serde(skip)]
    pub transactions: Option<Transactions>,
    /// What check elimination saved; only for programs it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<CheckCounts>,
    /// How long it took. Not in JSON: the same input gives the same bytes.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Event-driven tasks, their events, and the edges between them: spawns, satisfactions, event to sink, and from tasks
/// to the finish around them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EventDriven {
    /// Tasks.
    pub edts: u64,
    /// Events, output events included.
    pub events: u64,
    /// Edges.
    pub edges: u64,
}

/// What strands did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Work {
    /// Strands that made an access.
    pub strands: u64,
    /// Extra edges: joins and waits.
    pub extra_edges: u64,
    /// Hand-off edges between sections.
    pub hand_offs: u64,
    /// Locations read, as far as they were checked.
    pub reads: u64,
    /// Locations written, as far as they were checked.
    pub writes: u64,
}

/// Checks executed, with and without elimination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckCounts {
    /// Checks the run would have made with every elimination off.
    pub without_elimination: u64,
    /// Checks it made.
    pub with_elimination: u64,
    /// What each elimination saved, in the sequence they are applied.
    pub eliminated: Vec<Eliminated>,
}

/// What one elimination saved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Eliminated {
    /// Its name on the command line.
    pub elimination: String,
    /// Checks not executed because of it.
    pub checks: u64,
}

impl Stats {
    /// The figures of a check, without those of elimination.
    pub fn new(order: impl Into<String>, counts: &Counts, elapsed: Duration) -> Self {
        Self {
            order: order.into(),
            tasks: counts.tasks,
            finishes: counts.finishes,
            work: Some(Work {
                strands: counts.strands,
                extra_edges: counts.extra_edges,
                hand_offs: counts.hand_offs,
                reads: counts.reads,
                writes: counts.writes,
            }),
            event_driven: None,
            transactions: None,
            checks: None,
            elapsed,
        }
    }

    /// The figures of a native run, whose accesses are not counted.
    pub fn of_tasks(order: impl Into<String>, counts: &Counts) -> Self {
        Self {
            work: None,
            ..Self::new(order, counts, Duration::ZERO)
        }
    }
}
