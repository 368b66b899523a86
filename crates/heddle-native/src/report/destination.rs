//! The file that a report goes to.
//!
//! A program may fork, and may have another take its place; each process and each program writes a report of
//! its own, and all go to the same file if the user names one. So the first one removes what an earlier run
//! has left there and tells all that come after it, by the variable they inherit, to add theirs. A recording
//! is the first one's alone.
//!
//! The file is opened at the start, and again in a forked child if its name has the process's number in it: at the end,
//! the program may have no right, no descriptor or no way left to do so.

use super::file::{File, Mode};
use super::options::{Options, VARIABLE};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file, once it is open.
static OPEN: Mutex<Option<File>> = Mutex::new(None);

/// Makes way for this run's reports. To be called while there is one thread.
pub(crate) fn prepare(options: &Options) {
    if !options.adds && (options.report.is_some() || options.record.is_some()) {
        let path = options.report.as_deref().map(numbered);
        // Devices and links are left alone. What cannot be removed is added to.
        if let Some(path) = path.filter(|path| is_file(path)) {
            let _ = fs::remove_file(path);
        }
        let mut inherited = std::env::var_os(VARIABLE).unwrap_or_default();
        inherited.push(":append=1");
        // SAFETY: the program has not started, so nobody else uses the environment.
        unsafe { std::env::set_var(VARIABLE, inherited) };
    }
    open_early(options);
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| file.is_file())
}

/// Opens the file, unless it is a device or a pipe: opening one may wait for somebody.
fn open_early(options: &Options) {
    let Some(path) = options.report.as_deref().map(numbered) else {
        return;
    };
    // Where the folder cannot be made, the report says so when it cannot be written.
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        let _ = fs::create_dir_all(folder);
    }
    if (is_file(&path) || fs::symlink_metadata(&path).is_err())
        && let Ok(file) = File::open(&path, Mode::Append)
    {
        file.lock();
        let before = open().replace(file);
        before.into_iter().for_each(File::close);
    }
}

fn open() -> std::sync::MutexGuard<'static, Option<File>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This process was just forked. If it cannot open a file of its own, it uses its parent's.
pub(crate) fn forked(options: &Options) {
    let is_numbered = |path: &PathBuf| path.to_string_lossy().contains("%p");
    if options.report.as_ref().is_some_and(is_numbered) {
        open_early(options);
    }
}

/// Says something that stands where a report would.
pub(crate) fn tell(options: &Options, line: &str) {
    let written = options
        .report
        .as_deref()
        .map(|path| add(path, line.as_bytes()));
    if !matches!(written, Some(Ok(()))) {
        crate::say::line(line.trim_end());
    }
}

/// Adds a report.
pub(crate) fn add(path: &Path, report: &[u8]) -> Result<(), String> {
    let path = numbered(path);
    let written = match &mut *open() {
        Some(file) => file.write_all(report),
        None => File::open(&path, Mode::Append).and_then(|mut file| {
            let written = file.write_all(report);
            file.close();
            written
        }),
    };
    let shown = path.display();
    written.map_err(|error| format!("cannot write the report to {shown}: {error}"))
}

/// Says that there are findings: whoever started the program need not read them.
pub(crate) fn mark() {
    if let Some(file) = &*open() {
        file.mark();
    }
}

/// There is nothing to report: an empty file is not left behind.
pub(crate) fn discard(path: &Path) {
    let path = numbered(path);
    if open().is_some() && fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == 0) {
        let _ = fs::remove_file(path);
    }
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
