//! `--record`: where a run is kept.

use std::fs::{self, File};
use std::path::Path;

use heddle_lang::Program;
use heddle_report::{Problem, Unchecked};
use heddle_trace::{Trace, Writer};

use crate::console::reason;
use crate::input::shown;

/// A note of the recording: an analysis the program asks for.
const ASKS_FOR: &str = "asks-for";
const ATOMICITY: &str = "atomicity";

/// Opens the file the run of `program` (from the file `source`) is recorded in.
pub fn start(path: &Path, source: &Path, program: &Program) -> Result<Writer<File>, Problem> {
    if is_same_file(path, source) {
        let message = format!("recording to {} would overwrite the program", shown(path));
        return Err(Problem::plain(message));
    }
    let file = File::create(path).map_err(|error| failure(path, &error))?;
    Ok(Writer::new(file, &program.features, Some(&program.legend)))
}

/// What the recorded program asked for beyond what can be checked: older recordings say that something is
/// atomic, but not what.
pub fn unchecked(trace: &Trace) -> Unchecked {
    let asks = |(key, value): &(String, String)| key == ASKS_FOR && value == ATOMICITY;
    match trace.notes.iter().any(asks) && !trace.features.atomics {
        true => Unchecked::Atomicity,
        false => Unchecked::Nothing,
    }
}

/// Closes the recording.
pub fn finish(path: &Path, recorder: Writer<File>) -> Result<(), Problem> {
    match recorder.finish(None) {
        Ok(_) => Ok(()),
        Err(error) => Err(failure(path, &error)),
    }
}

fn failure(path: &Path, error: &std::io::Error) -> Problem {
    Problem::plain(format!(
        "cannot record to {}: {}",
        shown(path),
        reason(error)
    ))
}

fn is_same_file(one: &Path, two: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(two)) {
        (Ok(one), Ok(two)) => one == two,
        _ => false,
    }
}
