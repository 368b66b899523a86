//! Which examples this version must get right, decided by what they say themselves.
//!
//! An example counts if its `// expect:` lines name only findings that `heddle check` makes today.
//! A program with a `cut` is left out: there "clean" speaks of transactions, which are not checked
//! yet, so that an agreement would mean nothing.

use crate::command::root;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// First words of an expectation that can be checked.
const CHECKED: &[&str] = &["clean", "race", "atomicity", "assertion", "deadlock"];

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
    expectations.peek().is_some() && expectations.all(|e| CHECKED.contains(&e)) && !has_cut(text)
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

fn has_cut(text: &str) -> bool {
    text.lines()
        .filter_map(|line| line.split("//").next())
        .any(|code| {
            code.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|w| w == "cut")
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
            "// expect: race x\n// expect: transaction x\nshared x;"
        ));
        assert!(!is_checked("// expect: transaction x\nshared x;"));
    }

    #[test]
    fn only_leading_comments_state_expectations() {
        assert!(!is_checked("shared x;\n// expect: clean\n"));
        assert!(!is_checked("// A word, and no expectation.\nshared x;"));
    }

    #[test]
    fn a_program_with_a_cut_is_left_out_but_the_word_in_a_comment_is_not_one() {
        assert!(!is_checked(
            "// expect: clean\nshared x;\nx = 1; cut; x = 2;"
        ));
        assert!(is_checked(
            "// No cut here.\n// expect: clean\nshared x, uncut;"
        ));
    }

    #[test]
    fn the_papers_first_figure_is_among_the_checked_ones() {
        let files = checked().expect("the examples are readable");
        assert!(files.contains(&PathBuf::from("examples/000-fig2.task")));
    }
}
