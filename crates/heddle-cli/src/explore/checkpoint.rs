//! Checkpoints: what of an exploration is done, in a file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use heddle_explore::{BadCheckpoint, Checkpoint, Fingerprint, Program, Saved};
use heddle_report::Problem;

use super::options::ExploreOptions;
use crate::console::reason;

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
    let text = match heddle_report::read::text(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {}", file.display(), reason(&error));
            return Err(Problem::plain(message));
        }
    };
    let wrong = |what: &BadCheckpoint| {
        Problem::plain(format!("{}: {what}", file.display())).help(Some(
            "take another file, or remove this one to begin anew".into(),
        ))
    };
    let saved = Saved::parse(&text).map_err(|error| wrong(&error))?;
    let done = saved.resume(identity, program);
    Ok(Some(done.map_err(|error| wrong(&error))?))
}

/// Replaces the file as a whole, so that one that can be read is always there.
pub fn save(file: &Path, identity: &str, done: &Checkpoint) -> Result<(), Problem> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, Saved::new(identity, done).to_text())
        .and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        Problem::plain(format!(
            "cannot write {}: {}",
            file.display(),
            reason(&error)
        ))
    })
}
