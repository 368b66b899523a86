//! The reports of one run. Each process of the program writes one: a child that was forked may have
//! found something of its own. They meet in a folder that exists only as long as this command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::console::reason;

/// The folder; removed when dropped.
pub struct Reports {
    dir: PathBuf,
}

impl Reports {
    /// Makes the folder.
    pub fn new() -> Result<Self, String> {
        let dir = std::env::temp_dir().join(format!("heddle-run-{}", process::id()));
        // What a killed process of the same number left behind.
        let _ = fs::remove_dir_all(&dir);
        let made = fs::create_dir(&dir);
        made.map_err(|error| format!("cannot make {}: {}", dir.display(), reason(&error)))?;
        Ok(Self { dir })
    }

    /// What a process is told to write to; it puts its own number in.
    pub fn pattern(&self) -> PathBuf {
        self.dir.join("%p")
    }

    /// Where a recording is kept that nobody asked to keep.
    pub fn recording(&self) -> PathBuf {
        self.dir.join("recording.hdl")
    }

    /// All reports, that of process `first` before those of its children.
    pub fn text(&self, first: u32) -> Vec<u8> {
        let mut numbers = self.numbers();
        numbers.sort_by_key(|number| (*number != first, *number));
        let read = |number: &u32| fs::read(self.dir.join(number.to_string())).unwrap_or_default();
        numbers.iter().map(read).collect::<Vec<_>>().concat()
    }

    fn numbers(&self) -> Vec<u32> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter_map(|name| name.parse().ok()).collect()
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        // If this fails, a small folder stays behind among other temporary files.
        let _ = fs::remove_dir_all(&self.dir);
    }
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
        for number in ["30", "4", "5"] {
            fs::write(reports.dir.join(number), number).expect("it is writable");
        }
        assert_eq!(reports.text(5), b"5430");
        let dir = reports.dir.clone();
        drop(reports);
        assert!(!dir.exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let path = Path::new("/no/such/folder/report");
        assert!(prepare(Some(path)).is_err_and(|message| message.contains("/no/such/folder")));
        assert_eq!(prepare(None), Ok(()));
    }
}
