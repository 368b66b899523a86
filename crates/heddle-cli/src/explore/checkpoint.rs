//! Checkpoints: what of an exploration is done, in a file.
//!
//! Findings are kept as schedules: running them again tells what they show.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use heddle_explore::{Checkpoint, Fingerprint, Found, Program, Schedule, Summary, verdicts};
use heddle_report::Problem;
use serde::{Deserialize, Serialize};

use super::options::ExploreOptions;
use crate::console::reason;

/// The version of the file's form.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Saved {
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

/// What must be the same for a checkpoint to be of use.
pub fn identity(path: &Path, options: &ExploreOptions) -> Result<String, Problem> {
    let text = fs::read(path).map_err(|error| {
        Problem::plain(format!(
            "cannot read {}: {}",
            path.display(),
            reason(&error)
        ))
    })?;
    let mut hash = Fingerprint::new();
    for chunk in text.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.add(u64::from_le_bytes(word));
    }
    hash.add(text.len() as u64);
    let shard = options
        .shard
        .map_or("1/1".into(), |shard| shard.to_string());
    let preemptions = options
        .preemptions
        .map_or("any".into(), |most| most.to_string());
    let [low, high] = hash.words();
    let reduction = format!("{:?}", options.reduction).to_lowercase();
    Ok(format!(
        "{high:016x}{low:016x} {reduction} shard {shard} preemptions {preemptions}"
    ))
}

/// What the file says is done; nothing if there is no such file.
pub fn load<P: Program>(
    file: &Path,
    identity: &str,
    program: &P,
) -> Result<Option<Checkpoint>, Problem> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {}", file.display(), reason(&error));
            return Err(Problem::plain(message));
        }
    };
    let wrong = |what: &str| {
        Problem::plain(format!("{}: {what}", file.display())).help(Some(
            "take another file, or remove this one to begin anew".into(),
        ))
    };
    let saved: Saved = serde_json::from_str(&text)
        .map_err(|error| wrong(&format!("not a checkpoint ({error})")))?;
    if saved.heddle_checkpoint != FORM {
        return Err(wrong("a checkpoint of another version"));
    }
    if saved.identity != identity {
        return Err(wrong("a checkpoint of another program or of other options"));
    }
    let mut found = Vec::new();
    for text in &saved.found {
        let schedule: Schedule = text.parse().map_err(|error| wrong(&format!("{error}")))?;
        for verdict in verdicts(program, &schedule).unwrap_or_default() {
            let schedule = schedule.clone();
            found.push(Found { verdict, schedule });
        }
    }
    let closed: Option<Vec<Fingerprint>> = saved.closed.iter().map(|text| state(text)).collect();
    Ok(Some(Checkpoint {
        units: saved.units,
        done: saved.done,
        summary: Summary {
            found,
            schedules: saved.schedules,
            states: saved.states,
            transitions: saved.transitions,
            longest: saved.longest,
            limits: Vec::new(),
        },
        states: closed.ok_or_else(|| wrong("a state that is no number"))?,
    }))
}

fn state(text: &str) -> Option<Fingerprint> {
    let word = |from: usize| u64::from_str_radix(text.get(from..from + 16)?, 16).ok();
    Some(Fingerprint::from_words([word(0)?, word(16)?]))
}

/// Replaces the file as a whole, so that one that can be read is always there.
pub fn save(file: &Path, identity: &str, done: &Checkpoint) -> Result<(), Problem> {
    let saved = Saved {
        heddle_checkpoint: FORM,
        identity: identity.to_owned(),
        units: done.units,
        done: done.done.clone(),
        schedules: done.summary.schedules,
        states: done.summary.states,
        transitions: done.summary.transitions,
        longest: done.summary.longest,
        found: done
            .summary
            .found
            .iter()
            .map(|found| found.schedule.to_string())
            .collect(),
        closed: done.states.iter().map(|state| digits(*state)).collect(),
    };
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    let written = serde_json::to_vec(&saved)
        .map_err(std::io::Error::from)
        .and_then(|bytes| fs::write(&beside, bytes))
        .and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        Problem::plain(format!(
            "cannot write {}: {}",
            file.display(),
            reason(&error)
        ))
    })
}

fn digits(state: Fingerprint) -> String {
    let [low, high] = state.words();
    format!("{low:016x}{high:016x}")
}
