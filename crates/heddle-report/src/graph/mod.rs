//! The graph of a run: tasks as lanes, strands as nodes, and the edges that order them.
//!
//! A strand is a piece of a task between two points where edges leave or arrive: a spawn, the end of a finish, a
//! join, a signal, a wait. Two strands are parallel if no path leads from one to the other. [`Builder`] listens to a run;
//! [`dot`](Graph::dot) and [`svg`](Graph::svg) draw what it heard.

mod build;
mod dot;
mod fold;
mod layout;
mod svg;

use std::collections::HashSet;

use heddle_core::{AccessKind, Finding, Legend, SiteId, TaskId};

use crate::printable::printable;
use crate::report::Grouping;
use crate::sort::Sorted;
use crate::update::Update;

pub use build::Builder;
pub use layout::Layout;

/// Accesses of a strand that are shown.
const ACCESSES: usize = 4;

/// The graph of one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The tasks, in the sequence of their creation; the main task is the first.
    pub lanes: Vec<Lane>,
    /// The strands; edges lead from lower numbers to higher ones.
    pub strands: Vec<Strand>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// How many strands are not in it because there are too many.
    pub left_out: u64,
}

/// A task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// What it is called.
    pub name: String,
    /// The lane of the task that created it.
    pub parent: Option<usize>,
    /// Its number in findings.
    pub task: TaskId,
}

/// A piece of a task that nothing divides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strand {
    /// The lane of its task.
    pub lane: usize,
    /// The accesses it makes, each site once.
    pub accesses: Vec<(AccessKind, SiteId)>,
    /// The first of them in words.
    pub labels: Vec<String>,
    /// Whether a finding is about one of them.
    pub is_found: bool,
    /// Whether a report shows it: of findings at one pair of positions, the first stands for all.
    pub is_shown: bool,
}

/// An edge between two strands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The strand it leaves.
    pub from: usize,
    /// The strand it arrives at.
    pub to: usize,
    /// What makes it.
    pub kind: EdgeKind,
}

/// What makes an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EdgeKind {
    /// The task goes on.
    Next,
    /// A task is created.
    Spawn,
    /// A finish ends.
    Join,
    /// A future, a dependence, an event: what the tree of finishes does not say.
    Extra,
}

impl EdgeKind {
    /// Its name in drawings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Spawn => "spawn",
            Self::Join => "join",
            Self::Extra => "extra",
        }
    }
}

impl Graph {
    /// Puts accesses into words, and marks the strands that findings are about.
    pub fn describe(&mut self, legend: &Legend, findings: &[Finding]) {
        let found: HashSet<(TaskId, SiteId)> = findings.iter().flat_map(parties).collect();
        let sorted = Sorted::new(findings, legend);
        let runs = sorted.runs(Grouping::Positions);
        let first = runs.iter().filter_map(|run| run.first());
        let shown: HashSet<(TaskId, SiteId)> = first.flat_map(|finding| parties(finding)).collect();
        for strand in &mut self.strands {
            let task = self.lanes[strand.lane].task;
            let is_found = |(_, site): &(AccessKind, SiteId)| found.contains(&(task, *site));
            strand.is_found = strand.accesses.iter().any(is_found);
            let is_shown = |(_, site): &(AccessKind, SiteId)| shown.contains(&(task, *site));
            strand.is_shown = strand.accesses.iter().any(is_shown);
            // What findings are about comes first.
            let mut all = strand.accesses.clone();
            all.sort_by_key(|one| !is_found(one));
            let shown = all.iter().take(ACCESSES).map(|one| words(legend, *one));
            strand.labels = shown.collect();
            if all.len() > ACCESSES {
                strand
                    .labels
                    .push(format!("and {} more", all.len() - ACCESSES));
            }
        }
    }
}

/// The accesses that a finding is about.
fn parties(finding: &Finding) -> Vec<(TaskId, SiteId)> {
    let accesses = match finding {
        Finding::Race { accesses, .. } => &accesses[..],
        Finding::Atomicity { accesses, .. } => &accesses[..],
        _ => &[],
    };
    let parties = accesses.iter().map(|access| (access.task, access.site));
    parties.collect()
}

/// `write x 5:25`.
fn words(legend: &Legend, (kind, site): (AccessKind, SiteId)) -> String {
    let verb = match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
    };
    let Some(site) = legend.site(site) else {
        return verb.into();
    };
    let file = legend.file(site.file);
    let line = file.and_then(|file| file.text.as_deref()?.lines().nth(site.line as usize - 1));
    let from = site.column.saturating_sub(1) as usize;
    let len = match site.end_line == site.line {
        true => site.end_column.saturating_sub(site.column) as usize,
        false => 12,
    };
    let what: String = line
        .unwrap_or_default()
        .chars()
        .skip(from)
        .take(len.min(16))
        .collect();
    // Where the place is an operator's, the line says what it is applied to.
    let is_name = what.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let update = line
        .filter(|_| !is_name)
        .and_then(|line| Update::read(line, site.column));
    let what = update.map_or(what, |update| update.text.chars().take(16).collect());
    format!("{verb} {} {}:{}", printable(&what), site.line, site.column)
}
