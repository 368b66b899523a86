//! Paths as seen from the folder in which the program was started.

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// Ways to write the folder: as the system knows it, and as the shell does, which may go through links.
static START: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Remembers the folder: later the program may go elsewhere.
pub(crate) fn prepare() {
    START.get_or_init(start);
}

/// The path as seen from there, if it lies below; else the path without `.` and `..`.
pub(crate) fn shown(path: &str) -> String {
    let path = plain(Path::new(path));
    let seen = below(START.get_or_init(start), &path);
    seen.unwrap_or(path).to_string_lossy().into_owned()
}

fn start() -> Vec<PathBuf> {
    let Ok(real) = std::env::current_dir() else {
        return Vec::new();
    };
    let told = std::env::var_os("PWD").map(PathBuf::from);
    // A program that was started by another may have that one's.
    let is_same = |told: &PathBuf| told.canonicalize().is_ok_and(|told| told == real);
    let told = told.filter(is_same);
    std::iter::once(real).chain(told).collect()
}

fn below(start: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let inside = |path: &Path| {
        let mut inside = start
            .iter()
            .filter_map(|start| path.strip_prefix(start).ok());
        inside.next().map(Path::to_path_buf)
    };
    inside(path).or_else(|| inside(&path.canonicalize().ok()?))
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_start_is_shown_from_there_whichever_way_it_is_written() {
        let start = [PathBuf::from("/real/work"), PathBuf::from("/link")];
        let seen = |path: &str| below(&start, &plain(Path::new(path)));
        assert_eq!(seen("/real/work/src/a.c"), Some("src/a.c".into()));
        assert_eq!(seen("/link/src/../a.c"), Some("a.c".into()));
        assert_eq!(seen("/elsewhere/a.c"), None);
        assert_eq!(seen("/real/workshop/a.c"), None);
    }
}
