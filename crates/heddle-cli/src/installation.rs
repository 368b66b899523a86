//! Where the parts of Heddle are that programs are built with: the checker's library and its
//! headers.
//!
//! Three places are tried, in this sequence: what the environment names, the folders of an
//! installation (`lib` and `include` beside `bin`), and the build folder and sources of a working
//! copy, where library and command are made side by side.

use std::env;
use std::path::{Path, PathBuf};

/// The checker that programs are linked with.
pub const LIBRARY: &str = "libheddle_native.so";

const LIBRARY_DIR: &str = "HEDDLE_LIBRARY_DIR";
const HEADER: &str = "heddle.h";

/// The headers of the sources this command was made from.
const SOURCE_HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../heddle-native/include");

/// The folder of the checker's library, or what to do about its absence.
pub fn library_dir() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os(LIBRARY_DIR).filter(|value| !value.is_empty()) {
        let dir = PathBuf::from(named);
        return has(&dir, LIBRARY).ok_or_else(|| not_in_named(&dir));
    }
    let home = home();
    let places = [home.clone(), home.join("../lib"), home.join("deps")];
    let found = places.iter().find_map(|dir| has(dir, LIBRARY));
    found.ok_or_else(|| not_beside(&home))
}

/// The folder of `heddle.h`, if it is anywhere.
pub fn include_dir() -> Option<PathBuf> {
    let beside = home().join("../include");
    has(&beside, HEADER).or_else(|| has(Path::new(SOURCE_HEADERS), HEADER))
}

/// The folder this command lies in, links followed.
fn home() -> PathBuf {
    let command = env::current_exe().and_then(|path| path.canonicalize());
    let dir = command.ok().and_then(|path| Some(path.parent()?.into()));
    dir.unwrap_or_default()
}

/// `dir`, written plainly, if `file` is in it.
fn has(dir: &Path, file: &str) -> Option<PathBuf> {
    let dir = dir.canonicalize().ok()?;
    dir.join(file).is_file().then_some(dir)
}

fn not_in_named(dir: &Path) -> String {
    format!(
        "{LIBRARY_DIR} names {}, and there is no {LIBRARY} there",
        dir.display()
    )
}

fn not_beside(home: &Path) -> String {
    format!(
        "{LIBRARY} is neither in {} nor in ../lib: build it with \
         `cargo build -p heddle-native`, install all with `cargo xtask install`, or name its folder in {LIBRARY_DIR}",
        home.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_counts_only_with_the_file_in_it() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(has(sources, "Cargo.toml").is_some());
        assert!(has(sources, LIBRARY).is_none());
        assert!(has(Path::new("/no/such/folder"), LIBRARY).is_none());
    }

    #[test]
    fn what_is_missing_is_said_in_one_line_with_its_cure() {
        let text = not_beside(Path::new("/opt/bin"));
        assert!(text.contains("/opt/bin") && text.contains("cargo build"));
        assert!(!text.contains('\n'));
    }
}
