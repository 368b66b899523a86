//! The README and the book say what is true: every command in them is run, what they show is
//! printed, pictures are what `heddle graph` draws, and links lead somewhere.
//!
//! `page.rs` says how a page tells what to do with a block. `cargo xtask bless` puts in what is
//! printed and drawn now.

#[path = "../../../heddle-native/tests/harness/mod.rs"]
mod harness;
mod page;
mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use page::{Block, Page, Role, between};
use session::{Ended, Session};

fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = crates.and_then(Path::parent);
    root.expect("the crate lies in the repository").into()
}

/// The README, and all pages of the book.
fn pages() -> Vec<Page> {
    let mut paths = vec![PathBuf::from("README.md")];
    let docs = fs::read_dir(root().join("docs")).expect("there is a book");
    let names = docs.map(|entry| entry.expect("the book is readable").file_name());
    let pages = names.filter(|name| name.to_string_lossy().ends_with(".md"));
    paths.extend(pages.map(|name| Path::new("docs").join(name)));
    paths.sort();
    paths
        .into_iter()
        .map(|path| Page::read(&root(), path))
        .collect()
}

fn blesses() -> bool {
    std::env::var_os("HEDDLE_BLESS").is_some()
}

fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n\n"));
}

#[test]
fn every_command_of_the_book_does_what_the_book_says() {
    // For who writes a page: `HEDDLE_BOOK=ci` runs those with `ci` in their names alone.
    let asked = std::env::var("HEDDLE_BOOK").unwrap_or_default();
    let pages = pages().into_iter();
    let pages = pages.filter(|page| page.path.to_string_lossy().contains(&asked));
    let problems = pages.flat_map(|page| run(&page));
    assert_none(problems.collect());
}

/// Runs a page's commands; says what is not as the page has it.
fn run(page: &Page) -> Vec<String> {
    let is_run = |block: &&Block| !matches!(block.role(), Role::Other | Role::NotRun(_));
    if page.blocks.iter().find(is_run).is_none() {
        return Vec::new();
    }
    let mut session = Session::new(&root());
    let mut problems = Vec::new();
    let mut renewed = Vec::new();
    for block in &page.blocks {
        let done = match block.role() {
            Role::File(name) => {
                session.write(name, &block.text);
                Ok(())
            }
            Role::Script(script) => as_told(block, &session.run(&script)),
            Role::Session => shown(block, &mut session).map_err(|(problem, now)| {
                renewed.push((block.span.clone(), now));
                problem
            }),
            Role::NotRun(_) | Role::Other => Ok(()),
        };
        if let Err(problem) = done {
            problems.push(format!("{}:{}: {problem}", page.path.display(), block.line));
        }
    }
    if blesses() && !renewed.is_empty() {
        bless(page, renewed);
    }
    problems
}

fn as_told(block: &Block, ended: &Ended) -> Result<(), String> {
    match ended.status == block.status() {
        true => Ok(()),
        false => {
            let (status, printed) = (ended.status, &ended.printed);
            let asked = block.status();
            Err(format!("ends with {status}, not with {asked}:\n{printed}"))
        }
    }
}

/// Runs a session and compares; what the block must say comes with the problem.
fn shown(block: &Block, session: &mut Session) -> Result<(), (String, String)> {
    let mut now = String::new();
    let mut problem = None;
    for (command, expected) in commands_of(&block.text) {
        let ended = session.run(command);
        let printed = ended.printed.trim_end();
        let is_right = matches(expected.trim_end(), printed);
        let is_error = ended.status > 1 && ended.status != block.status();
        if is_error || !is_right {
            let status = ended.status;
            problem = Some(format!("`{command}` ends with {status}:\n{printed}"));
        }
        let kept = match is_right {
            true => expected.trim_end(),
            false => printed,
        };
        now += &format!("$ {command}\n");
        now.extend(kept.lines().flat_map(|line| [line, "\n"]));
    }
    problem.map_or(Ok(()), |problem| Err((problem, now)))
}

/// The commands of a session, each with what follows it.
fn commands_of(text: &str) -> Vec<(&str, &str)> {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    let parts = text.split("\n$ ");
    let parts = parts.map(|part| part.split_once('\n').unwrap_or((part, "")));
    parts.collect()
}

/// Whether the text is as expected. A line `...` stands for any lines, `[..]` for anything in a line.
fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let printed: Vec<&str> = printed.lines().collect();
    lines_match(&expected, &printed)
}

/// How long something took differs from run to run.
fn is_duration(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'µ', 'n']);
    number.len() < word.len() && number.parse::<f64>().is_ok()
}

/// Which two of many tasks are met first differs from run to run.
fn is_ordinal(word: &str) -> bool {
    let number = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The line with every duration in it the same, and every ordinal.
fn timeless(line: &str) -> String {
    let words = line.split(' ').map(|word| match word {
        word if is_duration(word) => "TIME",
        word if is_ordinal(word) => "NTH",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        (Some((line, rest)), Some((other, others))) => {
            line_matches(&timeless(line), &timeless(other)) && lines_match(rest, others)
        }
        _ => false,
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    let Some((start, rest)) = expected.split_once("[..]") else {
        return expected == printed;
    };
    let Some(printed) = printed.strip_prefix(start) else {
        return false;
    };
    let mut ends = printed.char_indices().map(|(at, _)| at);
    ends.any(|at| line_matches(rest, &printed[at..])) || rest.is_empty()
}

fn bless(page: &Page, renewed: Vec<(std::ops::Range<usize>, String)>) {
    let mut text = page.text.clone();
    for (span, now) in renewed.into_iter().rev() {
        text.replace_range(span, &now);
    }
    fs::write(root().join(&page.path), text).expect("pages are writable");
}

#[test]
fn no_command_of_the_book_goes_without_a_test_or_a_reason() {
    let commands = commands();
    let is_command = |line: &str| {
        let line = line.trim_start().trim_start_matches("$ ");
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("heddle"), Some(word)) => commands.contains_key(word),
            (Some("cargo"), Some(_)) => true,
            _ => false,
        }
    };
    let mut problems = Vec::new();
    for page in pages() {
        let path = page.path.display();
        for block in &page.blocks {
            match block.role() {
                Role::NotRun(reason) if reason.len() < 10 => {
                    problems.push(format!("{path}:{}: no reason", block.line));
                }
                Role::Other if block.text.lines().any(is_command) => {
                    problems.push(format!("{path}:{}: commands in no `sh` block", block.line));
                }
                _ => {}
            }
        }
        for (number, line) in &page.prose {
            if line.starts_with("    ") && is_command(line) {
                problems.push(format!("{path}:{number}: a command outside of a fence"));
            }
        }
    }
    assert_none(problems);
}

/// Heddle's commands, and the help of each.
fn commands() -> BTreeMap<String, String> {
    let help = harness::succeed(harness::heddle().arg("--help"));
    let list = between(&help, "Commands:\n", "\n\n").expect("the help lists commands");
    let names = list.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split_whitespace().next()?;
        (!line.starts_with("   ")).then(|| name.to_owned())
    });
    let with_help = names.map(|name| {
        let help = match name.as_str() {
            "help" => String::new(),
            _ => harness::succeed(harness::heddle().args([&name, "--help"])),
        };
        (name, help)
    });
    with_help.collect()
}

#[test]
fn commands_and_flags_that_the_book_names_exist() {
    let commands = commands();
    let mut problems = Vec::new();
    for page in pages() {
        for (number, line) in &page.prose {
            for code in line.split('`').skip(1).step_by(2) {
                if let Err(problem) = exists(&commands, code) {
                    problems.push(format!(
                        "{}:{number}: `{code}`: {problem}",
                        page.path.display()
                    ));
                }
            }
        }
    }
    assert_none(problems);
}

/// Whether the command in `code` exists, and its flags do up to what another program gets.
fn exists(commands: &BTreeMap<String, String>, code: &str) -> Result<(), String> {
    let mut words = code.split_whitespace();
    let (Some("heddle"), Some(name)) = (words.next(), words.next()) else {
        return Ok(());
    };
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '+');
    if name.is_empty() || code.contains("cc/c++") {
        return Ok(());
    }
    let Some(help) = commands.get(name) else {
        return Err("no such command".into());
    };
    let own = words.take_while(|word| word.starts_with('-') && *word != "--");
    let flags = own.filter(|word| word.starts_with("--"));
    for flag in flags {
        let flag = flag.split('=').next().unwrap_or(flag);
        if !help.contains(&format!("{flag} "))
            && !help.contains(&format!("{flag}\n"))
            && !help.contains(&format!("{flag}["))
        {
            return Err(format!("no flag {flag}"));
        }
    }
    Ok(())
}

#[test]
fn pictures_are_what_heddle_graph_draws() {
    let mut problems = Vec::new();
    for page in pages() {
        for figure in &page.figures {
            let at = page.path.display();
            let Some(file) = &figure.drawn_from else {
                problems.push(format!("{at}: {} has no `figure:` note", figure.image));
                continue;
            };
            let image = root().join(page.path.with_file_name(&figure.image));
            let mut graph = harness::heddle();
            graph.args(["graph", file]).current_dir(root());
            let drawn = harness::succeed(&mut graph);
            if blesses() {
                fs::create_dir_all(image.parent().expect("it lies in a folder")).expect("writable");
                fs::write(&image, &drawn).expect("pictures are writable");
            }
            if fs::read_to_string(&image).ok().as_deref() != Some(&drawn) {
                problems.push(format!("{at}: {} is not what is drawn now", figure.image));
            }
        }
    }
    assert_none(problems);
}

#[test]
fn the_table_of_contents_has_every_page_once_and_links_lead_somewhere() {
    let pages = pages();
    let mut problems = Vec::new();
    let anchors: BTreeMap<&Path, BTreeSet<String>> = pages
        .iter()
        .map(|page| (page.path.as_path(), anchors(page)))
        .collect();
    for page in &pages {
        for (number, link) in links(page) {
            let at = format!("{}:{number}", page.path.display());
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file.is_empty() {
                true => page.path.clone(),
                false => plain(&page.path.with_file_name(file)),
            };
            if !root().join(&target).exists() {
                problems.push(format!("{at}: {link} leads nowhere"));
            }
            let has = anchors.get(target.as_path());
            if !anchor.is_empty() && has.is_some_and(|has| !has.contains(anchor)) {
                problems.push(format!("{at}: {link} has no such heading"));
            }
        }
    }
    let summary = pages.iter().find(|page| page.path.ends_with("SUMMARY.md"));
    let listed: Vec<PathBuf> = links(summary.expect("there is a table of contents"))
        .into_iter()
        .map(|(_, link)| Path::new("docs").join(link))
        .collect();
    for page in &pages {
        let times = listed.iter().filter(|listed| **listed == page.path).count();
        let in_book = page.path.starts_with("docs") && !page.path.ends_with("SUMMARY.md");
        if times != usize::from(in_book) {
            problems.push(format!("{} is listed {times} times", page.path.display()));
        }
    }
    assert_none(problems);
}

/// The links of a page to files of the repository.
fn links(page: &Page) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in &page.prose {
        let mut rest = line.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let link = rest.split(')').next().unwrap_or_default();
            if !link.contains("://") {
                found.push((*number, link.to_owned()));
            }
        }
    }
    found
}

/// Headings as links name them.
fn anchors(page: &Page) -> BTreeSet<String> {
    let headings = page.prose.iter().filter(|(_, line)| line.starts_with('#'));
    let names = headings.map(|(_, line)| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept
            .chars()
            .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.collect::<String>().replace(' ', "-")
    });
    names.collect()
}

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn lines_are_compared_with_gaps() {
    assert!(matches("a\n...\nd", "a\nb\nc\nd"));
    assert!(matches("a [..] z", "a 12.5 ms z"));
    assert!(matches("[..]b[..]", "abc") && !matches("[..]b[..]", "ac"));
    assert!(!matches("a\n...\nd", "a\nb"));
    assert!(!matches("a", "a\nb"));
    assert!(matches("the 2nd of 9", "the 5th of 9") && !matches("the 2nd of 9", "the 2nd of 8"));
    assert!(matches("3 states, 18.3ms", "3 states, 2.1s") && !matches("3 states", "4 states"));
    assert_eq!(commands_of("$ a\nb\nc\n$ d\n"), [("a", "b\nc"), ("d", "")]);
}
