//! Paths as seen from the folder in which the program was started.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
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
    let is_same = |told: &PathBuf| resolved(told).is_some_and(|told| told == real);
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
    inside(path).or_else(|| inside(&resolved(path)?))
}

/// More than a path may have, as the system sees it.
const LINKS: u32 = 40;

/// The absolute path without links, if there is such a file. The C library's own function allocates, and the report may
/// be written by a thread that was interrupted in the program's allocator.
fn resolved(path: &Path) -> Option<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        let names = path.components().rev();
        names.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut rest = parts(path);
    let mut done = PathBuf::new();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_encoded_bytes() {
            b"." => continue,
            b".." => {
                done.pop();
                continue;
            }
            _ => {}
        }
        let next = done.join(&part);
        match fs::read_link(&next) {
            Ok(target) if links < LINKS => {
                links += 1;
                rest.extend(parts(&target));
            }
            // Not a link.
            Err(error) if error.kind() == ErrorKind::InvalidInput => done = next,
            _ => return None,
        }
    }
    done.is_absolute().then_some(done)
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

    #[test]
    fn links_are_followed_as_the_system_does() {
        use std::os::unix::fs::symlink;
        let dir = std::env::temp_dir().join(format!("heddle-paths-{}", std::process::id()));
        fs::create_dir_all(dir.join("real/deep")).expect("a folder can be made");
        fs::write(dir.join("real/a.c"), "").expect("a file can be written");
        symlink("real", dir.join("link")).expect("a link can be made");
        symlink("../link/../link/a.c", dir.join("real/b.c")).expect("a link can be made");
        symlink(dir.join("round"), dir.join("round")).expect("a link can be made");
        let paths = ["link/deep/../b.c", "link", "real/a.c", "round", "none"];
        for path in paths.map(|path| dir.join(path)) {
            let known = path.canonicalize().ok();
            assert_eq!(resolved(&path), known, "{}", path.display());
        }
        assert_eq!(resolved(Path::new("relative")), None);
        fs::remove_dir_all(dir).expect("the folder can be removed");
    }
}
