//! A folder for files that exist only as long as this command runs.
//!
//! Its name cannot be foreseen and nobody else may look into it: others share the place of temporary files,
//! and processes of other containers have the same numbers.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// The folder; removed when dropped.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes a folder whose name begins so.
    pub fn new(name: &str) -> io::Result<Self> {
        let prefix = format!("{name}-");
        let own = Permissions::from_mode(0o700);
        let folder = Builder::new().prefix(&prefix).permissions(own).tempdir();
        folder.map(Self)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        self.0.path()
    }

    /// It stays. Where it is.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_one_process_differ_and_are_its_own() {
        let folders = [0; 2].map(|_| Scratch::new("heddle-test").expect("it can be made"));
        assert_ne!(folders[0].dir(), folders[1].dir());
        let mode = folders[0]
            .dir()
            .metadata()
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
