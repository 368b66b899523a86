//! Finding a program the way a shell does.

use std::env;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program called `name`: a path if there is a slash in it, else looked for in `PATH`.
pub fn program(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 || name.as_encoded_bytes().contains(&b'/') {
        return is_executable(path).then(|| path.to_owned());
    }
    let dirs = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&dirs).map(|dir| dir.join(path));
    found.into_iter().find(|path| is_executable(path))
}

/// Whether there is a file that may be run.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| may_be_run(&file))
}

fn may_be_run(file: &Metadata) -> bool {
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_and_a_path_is_taken_as_it_is() {
        let found = program(OsStr::new("sh")).expect("every system has a shell");
        assert!(found.is_absolute());
        assert_eq!(program(OsStr::new("/bin/sh")), Some("/bin/sh".into()));
        assert_eq!(program(OsStr::new("no-such-program-here")), None);
    }

    #[test]
    fn folders_and_plain_files_are_no_programs() {
        assert!(!is_executable(Path::new("/")));
        assert!(!is_executable(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")
        ));
    }
}
