//! Reports read back from their JSON form.
//!
//! JSON is what the other machine formats are made from ([`sarif`](crate::sarif), [`junit`](crate::junit),
//! [`html`](crate::html)) and what [baselines](crate::baseline) are read from: a native program writes its report by
//! itself, and an exploration merges those of many runs, so JSON is the one form that all reports have. Only
//! what those formats need is read; keys that are not known are passed over.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::model::Report;

/// A report as its JSON form has it.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct Saved {
    /// The version of the form.
    pub schema: u32,
    /// The program's path.
    pub program: String,
    /// `clean`, `findings` or `unknown`.
    pub verdict: String,
    /// What the absence of findings means.
    pub guarantee: String,
    /// How many threads it is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// What that phrase leaves out.
    #[serde(default)]
    pub not_covered: Vec<String>,
    /// The findings.
    pub findings: Vec<SavedFinding>,
    /// Findings that the user asked not to see.
    #[serde(default)]
    pub suppressed_findings: Vec<SavedFinding>,
    /// How many findings there are on each variable, if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_variable: Vec<SavedShare>,
    /// How many there are in each file, if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_file: Vec<SavedShare>,
    /// How many findings are not listed.
    #[serde(default)]
    pub left_out: u64,
    /// How many findings were left out because the user asked not to see them.
    #[serde(default)]
    pub suppressed: u64,
    /// How many findings were left out because the baseline has them.
    #[serde(default)]
    pub known: u64,
    /// Why the run stopped early.
    #[serde(default)]
    pub error: Option<SavedProblem>,
}

/// The findings on one variable, or in one file.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedShare {
    /// The variable or the path.
    pub name: String,
    /// How many findings.
    pub findings: u64,
    /// On how many locations, together.
    #[serde(default)]
    pub locations: u64,
}

/// A finding as its JSON form has it.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedFinding {
    /// `race`, `atomicity` and so on.
    pub kind: String,
    /// `certain` or `possible`.
    pub certainty: String,
    /// The variable or element.
    #[serde(default)]
    pub location: Option<String>,
    /// The finding in one sentence.
    pub message: String,
    /// How often it was seen.
    #[serde(default = "one")]
    pub count: u64,
    /// How many locations it has.
    #[serde(default = "one")]
    pub locations: u64,
    /// What tells it from others.
    #[serde(default)]
    pub fingerprint: String,
    /// Where it shows first.
    #[serde(default)]
    pub position: Option<SavedPosition>,
    /// The accesses.
    #[serde(default)]
    pub accesses: Vec<SavedAccess>,
    /// The task whose assertion failed.
    #[serde(default)]
    pub task: Option<SavedTask>,
    /// The waiting tasks of a deadlock.
    #[serde(default)]
    pub waits: Vec<SavedWait>,
    /// The schedule that shows it.
    #[serde(default)]
    pub schedule: Vec<SavedNote>,
    /// Two schedules of a race, one with each order.
    #[serde(default)]
    pub witness: Vec<Vec<SavedStop>>,
    /// Why it is so.
    #[serde(default)]
    pub why: Vec<SavedNote>,
    /// What to do next.
    #[serde(default)]
    pub help: Option<String>,
    /// How to see it again.
    #[serde(default)]
    pub replay: Option<SavedReplay>,
    /// The memory it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<SavedObject>,
    /// Other findings with its cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_cause: Vec<SavedAlso>,
}

/// What is known of the memory that a finding is on.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedObject {
    /// `global`, `heap` and so on.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// In bytes.
    #[serde(default)]
    pub size: Option<u64>,
    /// Where it was declared or allocated.
    #[serde(default)]
    pub position: Option<SavedPosition>,
    /// Who allocated it.
    #[serde(default)]
    pub allocated_by: Option<String>,
}

/// Another pair of positions with the cause of a finding.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedAlso {
    /// The variable or element.
    #[serde(default)]
    pub location: Option<String>,
    /// Of the accesses.
    pub positions: Vec<SavedPosition>,
}

/// One step of a schedule.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedStop {
    /// Who runs.
    pub task: String,
    /// The same in words, told from the others of the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Up to where.
    #[serde(default)]
    pub position: Option<SavedPosition>,
}

/// A stretch of source text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub struct SavedPosition {
    /// The file.
    pub file: String,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column just past the last character.
    pub end_column: u32,
}

/// One access.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedAccess {
    /// `read` or `write`.
    pub operation: String,
    /// Whether it gives the memory back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub frees: bool,
    /// Where.
    #[serde(default)]
    pub position: Option<SavedPosition>,
    /// In which function.
    #[serde(default)]
    pub function: Option<String>,
    /// By whom.
    pub task: SavedTask,
    /// The locks held.
    #[serde(default)]
    pub locks: Vec<String>,
    /// The calls that led there, innermost first.
    #[serde(default)]
    pub stack: Vec<SavedFrame>,
}

impl Saved {
    /// The guarantee with its limits, as text has it.
    pub fn covered(&self) -> String {
        let mut text = self.guarantee.clone();
        match self.threads {
            Some(1) => text += " with 1 thread",
            Some(threads) => text += &format!(" with {threads} threads"),
            None => {}
        }
        if !self.not_covered.is_empty() {
            text += &format!(" (not covered: {})", self.not_covered.join(", "));
        }
        text
    }
}

impl SavedAccess {
    /// `read`, `write` or `free`.
    pub fn noun(&self) -> &str {
        match self.frees {
            true => "free",
            false => &self.operation,
        }
    }
}

/// A task and how it came to be.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedTask {
    /// Its number; explorations of native programs have none.
    #[serde(default)]
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it is called in a sentence, if not by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Which it is of the tasks that were created at the same place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<SavedNumber>,
    /// Its spawn, its spawner's spawn and so on.
    #[serde(default)]
    pub spawned: Vec<SavedSpawn>,
}

impl SavedTask {
    /// What it is called in a sentence.
    pub fn called(&self) -> &str {
        self.phrase.as_deref().unwrap_or(&self.name)
    }
}

/// One of several tasks.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedNumber {
    /// Which, from 1 on.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

/// One step of a spawn chain.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedSpawn {
    /// Who was spawned.
    pub task: String,
    /// By which construct.
    pub construct: String,
    /// Where.
    #[serde(default)]
    pub position: Option<SavedPosition>,
    /// By whom.
    pub by: String,
}

/// One call on a stack.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedFrame {
    /// The function.
    pub function: String,
    /// Where in it.
    #[serde(default)]
    pub position: Option<SavedPosition>,
}

/// One task that waits forever.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedWait {
    /// Who waits.
    #[serde(deserialize_with = "task_or_name")]
    pub task: SavedTask,
    /// Where.
    #[serde(default)]
    pub position: Option<SavedPosition>,
    /// For what.
    #[serde(default)]
    pub awaited: String,
}

/// A sentence and the place it speaks of.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedNote {
    /// The sentence.
    pub text: String,
    /// The place.
    #[serde(default)]
    pub position: Option<SavedPosition>,
}

/// How to see a finding again.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedReplay {
    /// The whole command.
    pub command: String,
}

/// Why a run stopped early.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub struct SavedProblem {
    /// In one line.
    pub message: String,
    /// Where.
    #[serde(default)]
    pub position: Option<SavedPosition>,
}

fn one() -> u64 {
    1
}

/// Explorations of native programs know a task by its name alone.
fn task_or_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SavedTask, D::Error> {
    let value = Value::deserialize(deserializer)?;
    match value {
        Value::String(name) => Ok(SavedTask {
            id: 0,
            name,
            phrase: None,
            number: None,
            spawned: Vec::new(),
        }),
        value => SavedTask::deserialize(value).map_err(serde::de::Error::custom),
    }
}

impl Saved {
    /// The reports in a JSON text: one object, or one after the other.
    pub fn read(text: &str) -> Result<Vec<Self>, serde_json::Error> {
        serde_json::Deserializer::from_str(text)
            .into_iter()
            .collect()
    }

    /// The report as if it had been written and read back.
    pub fn new(report: &Report) -> Self {
        let value = serde_json::to_value(report).expect("a report has a JSON form");
        Self::deserialize(value).expect("what was written can be read")
    }
}

impl SavedFinding {
    /// Whether some schedule shows it for certain.
    pub fn is_certain(&self) -> bool {
        self.certainty == "certain"
    }

    /// The sort of finding in words.
    pub fn title(&self) -> &'static str {
        match (self.kind.as_str(), self.is_certain()) {
            ("race", true) => "race",
            ("race", false) => "possible race",
            ("atomicity", true) => "atomicity violation",
            ("atomicity", false) => "possible atomicity violation",
            ("transaction", true) => "visible cut",
            ("transaction", false) => "possible visible cut",
            ("assertion", _) => "failed assertion",
            ("deadlock", true) => "deadlock",
            ("deadlock", false) => "possible deadlock",
            ("misuse", _) => "misuse",
            _ => "finding",
        }
    }

    /// What tells it from others; findings without a fingerprint have their words.
    pub fn identity(&self) -> String {
        match self.fingerprint.as_str() {
            "" => format!("{}: {}", self.title(), self.message),
            print => print.to_owned(),
        }
    }
}
