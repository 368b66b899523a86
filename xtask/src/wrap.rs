//! `cargo xtask wrap`: Markdown in lines of at most 100 columns.
//!
//! A paragraph or list item with a longer line is filled anew; inline code stays in one line. Tables,
//! headings, comments, pictures and code are left as they are.

use crate::command::{program, quietly, root};
use crate::failure::Failure;
use crate::options;
use std::fs;
use std::path::PathBuf;

const COLUMNS: usize = 100;

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    options::none("wrap", rest)?;
    for (path, text) in pages()? {
        let wrapped = wrapped(&text);
        if wrapped != text {
            eprintln!("wrap: {}", path.display());
            fs::write(&path, wrapped)
                .map_err(|e| Failure::Step(format!("cannot write {}: {e}", path.display())))?;
        }
    }
    Ok(())
}

/// The pages of the repository.
fn pages() -> Result<Vec<(PathBuf, String)>, Failure> {
    let mut git = program("git");
    git.args(["ls-files", "-z", "*.md"]).current_dir(root());
    let list = quietly("git ls-files", &mut git)?;
    let paths = list.split('\0').filter(|name| !name.is_empty());
    let read = paths.map(|name| {
        let path = root().join(name);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|e| Failure::Step(format!("cannot read {name}: {e}")))?;
        Ok((path, text))
    });
    read.collect()
}

/// The text with its prose wrapped.
fn wrapped(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::new();
    let mut is_code = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        is_code ^= is_fence(line);
        let is_indented = line.starts_with("    ") && item(line).is_none();
        let follows = out
            .last()
            .is_none_or(|last| last.is_empty() || last.starts_with("    "));
        if is_code || is_kept(line) || (is_indented && follows) {
            out.push(line.into());
            at += 1;
            continue;
        }
        let more = lines[at + 1..].iter();
        let more = more
            .take_while(|line| !is_kept(line) && item(line).is_none())
            .count();
        let block = &lines[at..=at + more];
        at += more + 1;
        match block.iter().any(|line| line.chars().count() > COLUMNS) {
            true => out.extend(filled(block)),
            false => out.extend(block.iter().map(|&line| line.into())),
        }
    }
    out.join("\n")
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// Whether a line is no part of a paragraph.
fn is_kept(line: &str) -> bool {
    let line = line.trim();
    let starts = ["|", "#", "<!--", "![", "```"];
    line.is_empty() || starts.iter().any(|start| line.starts_with(start))
}

/// How far what begins a list item reaches, if the line is one.
fn item(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let (mark, _) = line[indent..].split_once(' ')?;
    let number = mark.strip_suffix('.').unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (mark == "-" || mark == "*" || is_number).then(|| indent + mark.len() + 1)
}

/// The lines of a paragraph, as long as they may be.
fn filled(block: &[&str]) -> Vec<String> {
    let first = block[0];
    let head = item(first).unwrap_or(first.len() - first.trim_start().len());
    let indent = " ".repeat(head);
    let text = block.iter().map(|line| line.trim()).collect::<Vec<_>>();
    let text = text.join(" ");
    let text = text.strip_prefix(first[..head].trim()).unwrap_or(&text);
    let mut lines = vec![first[..head].to_owned()];
    let mut is_empty = true;
    for word in words(text) {
        let line = lines.last_mut().expect("there is a first line");
        let is_full = line.chars().count() + 1 + word.chars().count() > COLUMNS;
        match () {
            () if is_empty => line.push_str(&word),
            () if is_full && !is_mark(&word) => lines.push(format!("{indent}{word}")),
            () => line.extend([" ", &word]),
        }
        is_empty = false;
    }
    lines
}

/// Whether a line that begins with this word would be taken for something else.
fn is_mark(word: &str) -> bool {
    item(&format!("{word} ")).is_some() || word.starts_with(['#', '>', '|', '+'])
}

/// Words, with inline code as one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        match words.last_mut().filter(|_| is_code) {
            Some(last) => last.extend([" ", word]),
            None => words.push(word.into()),
        }
        is_code ^= word.matches('`').count() % 2 == 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(words: usize) -> String {
        vec!["word"; words].join(" ")
    }

    #[test]
    fn a_long_paragraph_is_filled_and_a_short_one_left_alone() {
        let text = format!("{}\nand more\n\nshort\nlines\n", long(30));
        let out = wrapped(&text);
        assert!(out.lines().all(|line| line.len() <= COLUMNS), "{out}");
        assert!(out.ends_with("and more\n\nshort\nlines\n"), "{out}");
        assert_eq!(wrapped(&out), out);
    }

    #[test]
    fn the_lines_of_an_item_are_indented_like_its_first() {
        let out = wrapped(&format!("- {}\n12. {}\n", long(25), long(25)));
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 4, "{out}");
        assert!(
            lines[0].starts_with("- word") && lines[1].starts_with("  word"),
            "{out}"
        );
        assert!(
            lines[2].starts_with("12. word") && lines[3].starts_with("    word"),
            "{out}"
        );
    }

    #[test]
    fn tables_code_and_comments_stay_as_they_are() {
        let wide = long(40);
        let text =
            format!("| {wide} |\n\n```\n{wide}\n```\n\n    {wide}\n\n<!-- {wide} -->\n# {wide}\n");
        assert_eq!(wrapped(&text), text);
    }

    #[test]
    fn inline_code_stays_in_one_line() {
        let out = wrapped(&format!(
            "{} `cargo xtask test and more` end {}\n",
            long(18),
            long(5)
        ));
        assert!(
            out.lines()
                .any(|line| line.contains("`cargo xtask test and more`")),
            "{out}"
        );
    }
}
