//! The file that a report goes to.
//!
//! A program may fork, and may have another take its place; each process and each program writes a report of
//! its own, and all go to the same file if the user names one. So the first one removes what an earlier run
//! has left there and tells all that come after it, by the variable they inherit, to add theirs. A recording
//! is the first one's alone.

use super::options::{Options, VARIABLE};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes way for this run's reports. To be called while there is one thread.
pub(crate) fn prepare(options: &Options) {
    if options.adds || options.report.is_none() && options.record.is_none() {
        return;
    }
    let path = options.report.as_deref().map(numbered);
    // Devices and links are left alone. What cannot be removed is added to.
    let is_file = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    if let Some(path) = path.filter(is_file) {
        let _ = fs::remove_file(path);
    }
    let mut inherited = std::env::var_os(VARIABLE).unwrap_or_default();
    inherited.push(":append=1");
    // SAFETY: the program has not started, so nobody else uses the environment.
    unsafe { std::env::set_var(VARIABLE, inherited) };
}

/// Says something that stands where a report would.
pub(crate) fn tell(options: &Options, line: &str) {
    let written = options.report.as_deref().map(|path| add(path, line.as_bytes()));
    if !matches!(written, Some(Ok(()))) {
        crate::say::line(line.trim_end());
    }
}

/// Adds a report.
pub(crate) fn add(path: &Path, report: &[u8]) -> Result<(), String> {
    let path = numbered(path);
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(report));
    let shown = path.display();
    written.map_err(|error| format!("cannot write the report to {shown}: {error}"))
}

/// The path with the process's number in it.
fn numbered(path: &Path) -> PathBuf {
    let number = std::process::id().to_string();
    path.to_string_lossy().replace("%p", &number).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_added_to_the_file_of_their_process() {
        let pattern = std::env::temp_dir().join("heddle-destination-%p");
        let path = numbered(&pattern);
        let _ = fs::remove_file(&path);
        add(&pattern, b"one").expect("the folder is writable");
        add(&pattern, b"two").expect("the folder is writable");
        assert_eq!(fs::read(&path).expect("it was written"), b"onetwo");
        fs::remove_file(&path).expect("it was just written");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let message = add(Path::new("/no/such/folder/report"), b"").unwrap_err();
        assert!(message.contains("/no/such/folder/report"), "{message}");
    }
}
