//! `--record`: where a run is kept.

use std::fs::{self, File};
use std::path::Path;

use heddle_lang::Program;
use heddle_report::Problem;
use heddle_trace::Writer;

use crate::console::reason;
use crate::input::shown;

/// Opens the file the run of `program` (from the file `source`) is recorded in.
pub fn start(path: &Path, source: &Path, program: &Program) -> Result<Writer<File>, Problem> {
    if is_same_file(path, source) {
        let message = format!("recording to {} would overwrite the program", shown(path));
        return Err(Problem::plain(message));
    }
    let file = File::create(path).map_err(|error| failure(path, &error))?;
    Ok(Writer::new(file, &program.features, Some(&program.legend)))
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
