//! Which examples this version must get right, decided by what they say themselves.
//!
//! An example counts if its `// expect:` lines name only findings that `heddle check` makes today.

use crate::command::root;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// First words of an expectation that can be checked.
const CHECKED: &[&str] = &[
    "clean",
    "race",
    "atomicity",
    "transaction",
    "assertion",
    "deadlock",
];

/// The examples to check, in the sequence of their names.
pub fn checked() -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let folder = root().join("examples");
    for entry in folder.read_dir().map_err(|e| unreadable(&folder, &e))? {
        let path = entry.map_err(|e| unreadable(&folder, &e))?.path();
        if path.extension().is_some_and(|ext| ext == "task") && counts(&path)? {
            files.push(Path::new("examples").join(path.file_name().unwrap_or_default()));
        }
    }
    files.sort();
    Ok(files)
}

fn counts(path: &Path) -> Result<bool, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(path, &e))?;
    Ok(is_checked(&text))
}

fn is_checked(text: &str) -> bool {
    let mut expectations = expectations(text).peekable();
    expectations.peek().is_some() && expectations.all(|e| CHECKED.contains(&e))
}

/// What each `// expect:` line of the leading comments names.
fn expectations(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map_while(|line| line.trim_start().strip_prefix("//"))
        .filter_map(|comment| comment.trim_start().strip_prefix("expect:"))
        .map(|expected| {
            let expected = expected.trim_start();
            let named = expected.strip_prefix("possible ").unwrap_or(expected);
            named.split_whitespace().next().unwrap_or_default()
        })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Step(format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_torn_regions_assertions_deadlocks_and_clean_are_checked() {
        for expected in [
            "clean",
            "race x",
            "possible race x",
            "atomicity x,y",
            "transaction x,y",
            "assertion",
            "deadlock",
        ] {
            assert!(
                is_checked(&format!("// expect: {expected}\nshared x;")),
                "{expected}"
            );
        }
    }

    #[test]
    fn one_expectation_beyond_this_version_leaves_the_file_out() {
        assert!(!is_checked(
            "// expect: race x\n// expect: livelock x\nshared x;"
        ));
        assert!(!is_checked("// expect: livelock x\nshared x;"));
    }

    #[test]
    fn only_leading_comments_state_expectations() {
        assert!(!is_checked("shared x;\n// expect: clean\n"));
        assert!(!is_checked("// A word, and no expectation.\nshared x;"));
    }

    #[test]
    fn the_papers_first_figure_is_among_the_checked_ones() {
        let files = checked().expect("the examples are readable");
        assert!(files.contains(&PathBuf::from("examples/000-fig2.task")));
    }
}
