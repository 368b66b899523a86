//! The report as plain data. Field order is the key order of the JSON form.

use std::borrow::Cow;
use std::sync::Arc;

use heddle_core::{Guarantee, TransactionCounts};
use serde::{Serialize, Serializer};

use crate::cause::Also;
use crate::details::{ObjectKind, Unit};
use crate::digest::Share;
use crate::explored::{Exploration, Replay};
use crate::position::Position;
use crate::problem::Problem;
use crate::stats::Stats;

/// Everything one checked program yields, ready to be shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// The version of this form.
    pub schema: u32,
    /// The program's path as the user gave it.
    pub program: String,
    /// What the exit status says.
    pub verdict: Verdict,
    /// What the absence of findings means.
    #[serde(serialize_with = "as_phrase")]
    pub guarantee: Guarantee,
    /// How many threads the largest team of the run had, if that is what the phrase is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// What that phrase leaves out, for this program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
    /// The findings, in source order.
    pub findings: Vec<Finding>,
    /// How many were found in all.
    #[serde(skip)]
    pub totals: Totals,
    /// How many findings each variable has, shown or not, where there are many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_variable: Vec<Share>,
    /// How many findings each file has, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_file: Vec<Share>,
    /// How many findings are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// How many findings were left out because the user asked not to see them.
    #[serde(skip_serializing_if = "is_zero")]
    pub suppressed: u64,
    /// Those of them that are known in full.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressed_findings: Vec<Finding>,
    /// How many findings were left out because the baseline has them.
    #[serde(skip_serializing_if = "is_zero")]
    pub known: u64,
    /// How text shows possible findings.
    #[serde(skip)]
    pub possible: Possible,
    /// What came of the thread cycles, where transactions were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<Transactions>,
    /// Answers of the programmer's (`heddle.toml`) that nothing in this run asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused_answers: Vec<Problem>,
    /// How many schedules were run, where several were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    /// How much work it was, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
    /// Why the run stopped early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

fn as_phrase<S: Serializer>(guarantee: &Guarantee, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&guarantee_phrase(*guarantee))
}

/// The guarantee in the manual's words.
pub fn guarantee_phrase(guarantee: Guarantee) -> Cow<'static, str> {
    let phrase = match guarantee {
        Guarantee::Explored => "all schedules, explored",
        Guarantee::Partly { schedules: 1 } => "1 schedule, not all",
        Guarantee::Partly { schedules } => return format!("{schedules} schedules, not all").into(),
        Guarantee::AllSchedules => "all schedules of this input",
        Guarantee::KeepingAccesses => "all schedules that keep these accesses",
        Guarantee::UpToHere => "only the run up to where it stopped",
        Guarantee::UnknownScheduler => {
            "nothing: a library schedules the program's tasks, and how is not known"
        }
        Guarantee::NotChecked => "nothing: transactions are not checked by this version",
    };
    phrase.into()
}

/// Whether a phrase says no more than the name: `main`, `task T4`.
fn is_name(phrase: &String) -> bool {
    phrase == "main" || phrase.starts_with("task ")
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What came of the thread cycles of a program with cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Transactions {
    /// Transactions that made an access.
    pub transactions: u64,
    /// Pairs of them that conflict, where they were counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub interactions: u64,
    /// Cycles that a schedule shows.
    pub confirmed: u64,
    /// Cycles that no schedule shows.
    pub refuted: u64,
    /// Cycles that could not be decided.
    pub undecided: u64,
    /// Cycles at other locations of positions that have many findings already.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlisted: u64,
}

impl From<TransactionCounts> for Transactions {
    fn from(counts: TransactionCounts) -> Self {
        Self {
            transactions: counts.transactions,
            interactions: counts.interactions,
            confirmed: counts.confirmed,
            refuted: counts.refuted,
            undecided: counts.undecided,
            unlisted: counts.unlisted,
        }
    }
}

/// How text shows findings that are only possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Possible {
    /// A line each.
    #[default]
    Brief,
    /// Like those that are certain.
    Full,
}

/// Whether there is anything to mend.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing certain was found (under strictness, nothing at all).
    Clean,
    /// The same, but the run stopped early or was not checked: what would have been found is not known.
    Unknown,
    /// Something was.
    Findings,
}

/// Numbers of findings before any were left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Certain races.
    pub races: usize,
    /// Possible races.
    pub possible_races: usize,
    /// Atomic regions that can be torn.
    pub atomicity: usize,
    /// Those that can only if a hand-off is undone.
    pub possible_atomicity: usize,
    /// Cuts that can be seen.
    pub transactions: usize,
    /// Those that may be.
    pub possible_transactions: usize,
    /// Failed assertions.
    pub assertions: usize,
    /// Deadlocks.
    pub deadlocks: usize,
    /// Deadlocks that did not happen, but can in another schedule.
    pub possible_deadlocks: usize,
    /// Broken rules of the runtime.
    pub misuses: usize,
}

/// What sort of defect a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Two parallel accesses without common protection.
    Race,
    /// Two accesses that belong together, and one that can come between them.
    Atomicity,
    /// Two transactions of one strand whose separation can be seen.
    Transaction,
    /// An assertion of the program failed.
    Assertion,
    /// Nothing can run and tasks remain, or can come to that.
    Deadlock,
    /// A rule of the runtime was broken.
    Misuse,
}

/// Whether a finding stands with the hand-offs between sections counted as order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It does.
    Certain,
    /// It only exists without them.
    Possible,
}

/// One defect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// What sort.
    pub kind: Kind,
    /// Certain or possible.
    pub certainty: Certainty,
    /// The variable or element, for kinds that have one.
    pub location: Option<String>,
    /// What memory that is, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Arc<Object>>,
    /// The whole defect in one sentence.
    pub message: String,
    /// How often it was seen, at all its locations together.
    pub count: u64,
    /// How many locations share these source positions; 0 for kinds that have none.
    #[serde(skip_serializing_if = "is_at_most_one")]
    pub locations: u64,
    /// The first of those locations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<String>,
    /// Of a possible race: where the others are that have the same cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same_cause: Vec<Also>,
    /// Tells this finding from others; stays the same over edits elsewhere in the source.
    pub fingerprint: String,
    /// Where it shows first.
    pub position: Option<Position>,
    /// The two accesses of a race; the three of a torn region, in the sequence that tears; those of a cycle of
    /// transactions. Shared, as are the sentences: one loop can race on a million
    /// elements for one reason.
    #[serde(skip_serializing_if = "is_empty")]
    pub accesses: Arc<[Access]>,
    /// The task whose assertion failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Arc<Task>>,
    /// The waiting tasks of a deadlock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// The schedule that shows it, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<Note>,
    /// Two schedules of a race, one with each order of the accesses, as the strands they take.
    #[serde(skip_serializing_if = "is_empty")]
    pub witness: Arc<[Vec<Stop>]>,
    /// How many of the last steps the spawn chains of a race's two tasks share: they part before those.
    #[serde(skip)]
    pub common_steps: usize,
    /// The cuts between two transactions that can be told apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Position>,
    /// The cycle that shows it, from the first of them to the second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<Note>,
    /// How the cycle was decided: `replayed`, `confirmed`, `diverged` or `undecided`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// Why it is so.
    pub why: Arc<[Note]>,
    /// How to see it happen again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Arc<str>>,
    /// Of what nobody declared atomic: how far it is from a sure defect, from 1 on.
    #[serde(skip_serializing_if = "is_zero_rank")]
    pub rank: u8,
}

fn is_at_most_one(count: &u64) -> bool {
    *count <= 1
}

fn is_zero_rank(rank: &u8) -> bool {
    *rank == 0
}

fn is_empty<T>(list: &Arc<[T]>) -> bool {
    list.is_empty()
}

/// One access of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Access {
    /// Read or write.
    pub operation: Operation,
    /// Whether it gives the memory back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frees: bool,
    /// Where in the source.
    pub position: Option<Position>,
    /// In which function, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// By which task.
    pub task: Arc<Task>,
    /// The locks held; `isolated` is one.
    pub locks: Vec<String>,
    /// The calls that led there, innermost first, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

/// One call on a stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// Where in it.
    pub position: Option<Position>,
}

/// The memory a race is on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Object {
    /// What sort of memory.
    pub kind: ObjectKind,
    /// The variable, or what else the report calls it.
    pub name: String,
    /// In bytes, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// What places in it are counted in.
    #[serde(skip)]
    pub unit: Unit,
    /// Where it was declared or allocated.
    pub position: Option<Position>,
    /// The calls that led to the allocation, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
    /// The task that allocated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_by: Option<String>,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The location's value is used.
    Read,
    /// The location's value is set.
    Write,
    /// The memory is given back, which no other access may come after: a write that readers are told of.
    #[serde(rename = "write")]
    Free,
}

/// A task and how it came to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Task {
    /// Its number; the main task is 0.
    pub id: u32,
    /// Its name: `main`, the program's own name for it, or `#` and its number. A name that several
    /// tasks share has the number added. Tasks of native programs are named by where they were created.
    pub name: String,
    /// The task in a sentence: `main`, `task T4`, `the task created at 3:4`.
    #[serde(skip_serializing_if = "is_name")]
    pub phrase: String,
    /// Two of its sort in a sentence, for tasks that have no name of their own: `two tasks created at 3:4`.
    #[serde(skip)]
    pub two: Option<String>,
    /// Which of the tasks it is that its creator made at the same place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Numbered>,
    /// Its spawn, its spawner's spawn and so on, up to the main task.
    pub spawned: Vec<Spawned>,
    /// How many further steps up to the main task are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub spawned_left_out: u64,
}

/// One of several tasks that one task creates at one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Numbered {
    /// The how manieth it is, from 1 on.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// One step of a spawn chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Spawned {
    /// The name of the task that was spawned.
    pub task: String,
    /// By which construct: `async`, `spawn`, `future`, `task`, `post`, `parallel`, `for`, `section`, `single` or
    /// `thread`.
    pub construct: &'static str,
    /// Where.
    pub position: Option<Position>,
    /// In which function, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The name of the task that spawned it.
    pub by: String,
    /// That task in a sentence.
    #[serde(skip)]
    pub by_phrase: String,
}

/// One task that waits forever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wait {
    /// Who waits.
    pub task: Arc<Task>,
    /// Where.
    pub position: Option<Position>,
    /// For what, in words.
    pub awaited: String,
    /// What it holds meanwhile that another waits for, in a possible deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<Hold>,
}

/// A lock that a waiting task holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Hold {
    /// The lock.
    pub lock: String,
    /// Where it was taken.
    pub position: Option<Position>,
}

/// One step of a schedule: a task runs up to a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stop {
    /// The task's name.
    pub task: String,
    /// The task in a sentence, told from the others of the schedule.
    #[serde(skip_serializing_if = "is_name")]
    pub phrase: String,
    /// Up to where.
    pub position: Option<Position>,
    /// The same in a sentence.
    #[serde(skip)]
    pub place: String,
}

/// One sentence of an explanation and the place it speaks of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Note {
    /// The sentence.
    pub text: String,
    /// The place.
    pub position: Option<Position>,
}

impl Operation {
    /// `read`, `write` or `free`, for "the write at 3:4".
    pub fn noun(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Free => "free",
        }
    }

    /// `read`, `written` or `freed`, for "x is written by".
    pub fn participle(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "written",
            Self::Free => "freed",
        }
    }
}

impl Totals {
    /// How many findings there are of each kind.
    pub fn of(findings: &[Finding]) -> Self {
        let mut totals = Self::default();
        for finding in findings {
            let total = match (finding.kind, finding.certainty) {
                (Kind::Race, Certainty::Certain) => &mut totals.races,
                (Kind::Race, Certainty::Possible) => &mut totals.possible_races,
                (Kind::Atomicity, Certainty::Certain) => &mut totals.atomicity,
                (Kind::Atomicity, Certainty::Possible) => &mut totals.possible_atomicity,
                (Kind::Transaction, Certainty::Certain) => &mut totals.transactions,
                (Kind::Transaction, Certainty::Possible) => &mut totals.possible_transactions,
                (Kind::Assertion, _) => &mut totals.assertions,
                (Kind::Deadlock, Certainty::Certain) => &mut totals.deadlocks,
                (Kind::Deadlock, Certainty::Possible) => &mut totals.possible_deadlocks,
                (Kind::Misuse, _) => &mut totals.misuses,
            };
            *total += 1;
        }
        totals
    }
}

/// What the main task is called.
pub(crate) const MAIN: &str = "main";
