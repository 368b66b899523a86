//! A checkpoint as text: what of an exploration is done, to be kept in a file.
//!
//! Findings are kept as schedules: running them again tells what they show.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::program::Program;
use crate::replay::verdicts;
use crate::schedule::Schedule;
use crate::search::{Checkpoint, Found, Summary};

/// The version of the text's form.
const FORM: u32 = 1;

/// A checkpoint that was read, and what it is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    heddle_checkpoint: u32,
    /// What was explored, and how.
    identity: String,
    units: usize,
    done: Vec<usize>,
    schedules: u64,
    states: u64,
    transitions: u64,
    longest: usize,
    found: Vec<String>,
    /// States whose subtrees are done: 32 digits each.
    closed: Vec<String>,
}

/// What is wrong with a checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadCheckpoint(String);

impl fmt::Display for BadCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCheckpoint {}

fn bad(what: impl fmt::Display) -> BadCheckpoint {
    BadCheckpoint(what.to_string())
}

impl Saved {
    /// The checkpoint of the exploration that `identity` stands for: the program, the reduction, bounds, the part.
    pub fn new(identity: &str, done: &Checkpoint) -> Self {
        let summary = &done.summary;
        Self {
            heddle_checkpoint: FORM,
            identity: identity.to_owned(),
            units: done.units,
            done: done.done.clone(),
            schedules: summary.schedules,
            states: summary.states,
            transitions: summary.transitions,
            longest: summary.longest,
            found: summary
                .found
                .iter()
                .map(|found| found.schedule.to_string())
                .collect(),
            closed: done.states.iter().map(|state| digits(*state)).collect(),
        }
    }

    /// Reads what [`to_text`](Self::to_text) wrote.
    pub fn parse(text: &str) -> Result<Self, BadCheckpoint> {
        let saved: Self = serde_json::from_str(text)
            .map_err(|error| bad(format_args!("not a checkpoint ({error})")))?;
        match saved.heddle_checkpoint == FORM {
            true => Ok(saved),
            false => Err(bad("a checkpoint of another version")),
        }
    }

    /// The checkpoint as text.
    pub fn to_text(&self) -> String {
        // Numbers and strings can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether it is of this exploration.
    pub fn is_of(&self, identity: &str) -> bool {
        self.identity == identity
    }

    /// What is done of the exploration that `identity` stands for.
    pub fn resume<P: Program>(
        &self,
        identity: &str,
        program: &P,
    ) -> Result<Checkpoint, BadCheckpoint> {
        if !self.is_of(identity) {
            return Err(bad("a checkpoint of another program or of other options"));
        }
        let mut found = Vec::new();
        for text in &self.found {
            let schedule: Schedule = text.parse().map_err(bad)?;
            for verdict in verdicts(program, &schedule).unwrap_or_default() {
                let schedule = schedule.clone();
                found.push(Found { verdict, schedule });
            }
        }
        let closed: Option<Vec<Fingerprint>> = self.closed.iter().map(|text| state(text)).collect();
        Ok(Checkpoint {
            units: self.units,
            done: self.done.clone(),
            summary: Summary {
                found,
                schedules: self.schedules,
                states: self.states,
                transitions: self.transitions,
                longest: self.longest,
                limits: Vec::new(),
            },
            states: closed.ok_or_else(|| bad("a state that is no number"))?,
        })
    }
}

fn state(text: &str) -> Option<Fingerprint> {
    let word = |from: usize| u64::from_str_radix(text.get(from..from + 16)?, 16).ok();
    Some(Fingerprint::from_words([word(0)?, word(16)?]))
}

fn digits(state: Fingerprint) -> String {
    let [low, high] = state.words();
    format!("{low:016x}{high:016x}")
}
