//! The reports of one run. Each process of the program writes one: a child that was forked may have
//! found something of its own. They meet in a folder that exists only as long as this command, unless a
//! process goes on when the program has ended, as daemons do: each holds a lock on its report while it lives.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::console::reason;
use crate::scratch::Scratch;

/// How often, and how long each time, processes that are about to end are waited for.
const WAITS: u32 = 20;
const WAIT: Duration = Duration::from_millis(25);

/// The folder; removed when dropped.
pub struct Reports {
    dir: Scratch,
}

impl Reports {
    /// Makes the folder.
    pub fn new() -> Result<Self, String> {
        let made = Scratch::new("heddle-run");
        let place = std::env::temp_dir();
        let dir = made.map_err(|error| {
            format!(
                "cannot make a folder in {}: {}",
                place.display(),
                reason(&error)
            )
        })?;
        Ok(Self { dir })
    }

    /// What a process is told to write to; it puts its own number in.
    pub fn pattern(&self) -> PathBuf {
        self.dir.dir().join("%p")
    }

    /// Where a recording is kept that nobody asked to keep.
    pub fn recording(&self) -> PathBuf {
        self.dir.dir().join("recording.hdl")
    }

    /// All reports, that of process `first` before those of its children.
    pub fn text(&self, first: u32) -> Vec<u8> {
        let mut numbers = self.numbers();
        numbers.sort_by_key(|number| (*number != first, *number));
        let read = |number: &u32| fs::read(self.path(*number)).unwrap_or_default();
        numbers.iter().map(read).collect::<Vec<_>>().concat()
    }

    /// Whether a process has findings that count: it has marked its report then.
    pub fn has_findings(&self) -> bool {
        let is_marked = |number: &u32| {
            let file = fs::metadata(self.path(*number));
            file.is_ok_and(|file| file.permissions().mode() & 0o100 != 0)
        };
        self.numbers().iter().any(is_marked)
    }

    /// The processes that have not ended, after a moment's patience: their reports are still to come.
    pub fn unfinished(&self) -> Vec<u32> {
        let is_running = |&number: &u32| is_locked(&self.path(number));
        for _ in 0..WAITS {
            if !self.numbers().iter().any(is_running) {
                return Vec::new();
            }
            thread::sleep(WAIT);
        }
        self.numbers().into_iter().filter(is_running).collect()
    }

    /// The folder stays. Where it is.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }

    fn path(&self, number: u32) -> PathBuf {
        self.dir.dir().join(number.to_string())
    }

    fn numbers(&self) -> Vec<u32> {
        let entries = fs::read_dir(self.dir.dir()).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter_map(|name| name.parse().ok()).collect()
    }
}

fn is_locked(path: &Path) -> bool {
    let file = File::open(path);
    file.is_ok_and(|file| flock(file, FlockOperation::NonBlockingLockExclusive).is_err())
}

/// Whether the file the user wants the report in can be written shows before the program runs.
pub fn prepare(output: Option<&Path>) -> Result<(), String> {
    output.map_or(Ok(()), |path| keep(path, b""))
}

/// Writes the report to the file the user wants it in.
pub fn keep(path: &Path, report: &[u8]) -> Result<(), String> {
    let shown = path.display();
    fs::write(path, report)
        .map_err(|error| format!("cannot write the report to {shown}: {}", reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_comes_first_and_the_folder_goes() {
        let reports = Reports::new().expect("it can be made");
        let folder = fs::metadata(reports.dir.dir()).expect("it is there");
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        for number in ["30", "4", "5"] {
            fs::write(reports.dir.dir().join(number), number).expect("it is writable");
        }
        assert_eq!(reports.text(5), b"5430");
        let dir = reports.dir.dir().to_owned();
        drop(reports);
        assert!(!dir.exists());
    }

    #[test]
    fn a_process_that_holds_its_report_has_not_ended() {
        let reports = Reports::new().expect("it can be made");
        fs::write(reports.path(4), "").expect("it is writable");
        assert!(reports.unfinished().is_empty());
        let held = File::open(reports.path(4)).expect("it was just made");
        flock(&held, FlockOperation::NonBlockingLockShared).expect("nobody else has it");
        assert_eq!(reports.unfinished(), [4]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let path = Path::new("/no/such/folder/report");
        assert!(prepare(Some(path)).is_err_and(|message| message.contains("/no/such/folder")));
        assert_eq!(prepare(None), Ok(()));
    }
}
