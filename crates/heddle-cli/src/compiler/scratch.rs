//! A folder for files that exist only as long as the compiler runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// The folder; removed when dropped.
pub struct Scratch {
    dir: PathBuf,
}

impl Scratch {
    /// Makes a folder of this name and the process's number among the temporary files.
    pub fn new(name: &str) -> io::Result<Self> {
        let dir = std::env::temp_dir().join(format!("{name}-{}", process::id()));
        // What a killed process of the same number left behind.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir)?;
        Ok(Self { dir })
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, a small folder stays behind among other temporary files.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
