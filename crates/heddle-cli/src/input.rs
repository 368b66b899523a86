//! Reading what is to be checked, and telling programs from recorded runs by their content.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use heddle_core::{FileId, Site, SourceFile};
use heddle_report::{Position, Problem, Source};
use heddle_trace::{Damage, Trace};

use crate::console::reason;

/// More than any version of a recording needs to be told from a program.
const HEADER_LEN: usize = 64;

/// Bytes a program may have. Checking one takes a hundred times as much memory.
const LONGEST: u64 = 16 << 20;

/// Something to check.
pub enum Input {
    /// A program's source text.
    Program(String),
    /// A recorded run, and what is wrong with its file.
    Recorded(Box<Trace>, Option<Problem>),
}

/// The path as reports show it.
pub fn shown(path: &Path) -> String {
    match is_stdin(path) {
        true => "<stdin>".into(),
        false => path.display().to_string(),
    }
}

/// Whether the path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads the file.
pub fn read(path: &Path) -> Result<Input, Problem> {
    let bytes = readable(path)?;
    if is_recorded(&bytes) {
        return Ok(recorded(path, bytes));
    }
    if let Some(problem) = foreign(path, &bytes) {
        return Err(problem);
    }
    let help = "is this a program or a recorded run?";
    let text = decoded(path, bytes).map_err(|problem| problem.help(Some(help.into())));
    text.map(Input::Program)
}

/// Reads a source file of any language, or a recorded run.
pub fn source_or_recorded(path: &Path) -> Result<Input, Problem> {
    let bytes = readable(path)?;
    if is_recorded(&bytes) {
        return Ok(recorded(path, bytes));
    }
    if bytes.starts_with(EXECUTABLE) {
        let message = format!("{} is an executable, not a source file", shown(path));
        let help = "name the source file that the finding is in";
        return Err(Problem::plain(message).help(Some(help.into())));
    }
    decoded(path, bytes).map(Input::Program)
}

/// Endings of the languages that are compiled, and what to do with such a file.
const COMPILED: &[(&[&str], &str, &str)] = &[
    (&["c", "h"], "C", "heddle cc"),
    (
        &["cc", "cpp", "cxx", "C", "c++", "hpp", "hh", "hxx"],
        "C++",
        "heddle c++",
    ),
];

/// What is to be said of a file that another command is for.
fn foreign(path: &Path, bytes: &[u8]) -> Option<Problem> {
    let shown = shown(path);
    if bytes.starts_with(EXECUTABLE) {
        let message = format!("{shown} is an executable, not a .task program or a recorded run");
        // A name by itself would be looked for in PATH.
        let here = if shown.contains('/') { "" } else { "./" };
        let help = format!("run it if it was built with heddle cc: heddle run {here}{shown}");
        return Some(Problem::plain(message).help(Some(help)));
    }
    let ending = path.extension()?.to_str()?;
    if ending == "rs" {
        let message = format!("{shown} is a Rust program, not a .task program or a recorded run");
        let help = "check it with the heddle crate: docs/rust-guide.md";
        return Some(Problem::plain(message).help(Some(help.into())));
    }
    let compiled = COMPILED
        .iter()
        .find(|(endings, ..)| endings.contains(&ending));
    let (_, language, command) = compiled?;
    let message = format!("{shown} is a {language} program, not a .task program or a recorded run");
    let has_openmp = String::from_utf8_lossy(bytes).contains("#pragma omp");
    let flags = if has_openmp { "-fopenmp " } else { "" };
    let help = format!("compile and run it: {command} {flags}{shown} -o prog && heddle run ./prog");
    Some(Problem::plain(message).help(Some(help)))
}

/// Reads a file that is text.
pub fn text(path: &Path) -> Result<String, Problem> {
    decoded(path, readable(path)?)
}

fn readable(path: &Path) -> Result<Vec<u8>, Problem> {
    bytes(path)
        .map_err(|error| Problem::plain(format!("cannot read {}: {}", shown(path), reason(&error))))
}

fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        not_utf8(path, error.as_bytes(), valid)
    })
}

/// Whether the file starts like a recording.
fn is_recorded(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(HEADER_LEN)];
    !matches!(Trace::read(start), Err(damaged) if damaged.what == Damage::NotATrace)
}

fn recorded(path: &Path, bytes: Vec<u8>) -> Input {
    match Trace::read(bytes) {
        Ok(trace) => Input::Recorded(Box::new(trace), None),
        Err(damaged) => {
            let message = format!("{}: damaged recording, {damaged}", shown(path));
            let mut problem =
                Problem::plain(message).note("what lies before the damage was checked");
            if damaged.what == Damage::Truncated {
                problem = problem.note("names and positions come last: let a recorded program end, or end it by SIGTERM");
            }
            Input::Recorded(damaged.readable, Some(problem))
        }
    }
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    match is_stdin(path) {
        false => bounded(fs::File::open(path)?),
        true => bounded(io::stdin().lock()),
    }
}

/// How executables begin.
const EXECUTABLE: &[u8] = b"\x7fELF";

/// Reads all of a recording, of a program as much as one may have, and of an executable enough to tell it is one.
fn bounded(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.by_ref()
        .take(HEADER_LEN as u64)
        .read_to_end(&mut bytes)?;
    if bytes.starts_with(EXECUTABLE) {
        return Ok(bytes);
    }
    if is_recorded(&bytes) {
        from.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    from.take(LONGEST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LONGEST {
        true => Err(io::Error::other(format!(
            "it has more than {} MiB, which is no program",
            LONGEST >> 20
        ))),
        false => Ok(bytes),
    }
}

/// The error at the first byte that is not text.
fn not_utf8(path: &Path, bytes: &[u8], valid: usize) -> Problem {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let site = Site {
        file: FileId::new(0),
        line: number(line),
        column: number(column),
        end_line: number(line),
        end_column: number(column + 1),
    };
    let source = Source::new(&SourceFile {
        path: shown(path),
        text: Some(String::from_utf8_lossy(bytes).into_owned()),
    });
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let mut problem = Problem::plain(format!("{}:{line}:{column}: not UTF-8", shown(path)));
    problem.label = Some(format!("byte {byte:#04x} is not UTF-8"));
    problem.at(Some(Position::new(Arc::new(source), site)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_another_command_is_named_with_that_command() {
        let help = |path: &str, bytes: &[u8]| foreign(Path::new(path), bytes)?.help;
        let names = |help: Option<String>, command: &str| {
            assert!(
                help.as_ref().is_some_and(|help| help.contains(command)),
                "{help:?}"
            );
        };
        names(help("loop.c", b"int main(void) {}"), "heddle cc loop.c");
        let openmp = b"#pragma omp parallel\n";
        names(help("loop.c", openmp), "heddle cc -fopenmp loop.c");
        names(help("loop.cpp", b""), "heddle c++");
        names(help("a.out", b"\x7fELF\x02\x01"), "heddle run ./a.out");
        names(
            help("bin/a.out", b"\x7fELF\x02\x01"),
            "heddle run bin/a.out",
        );
        names(help("main.rs", b""), "heddle crate");
        assert_eq!(help("loop.task", b"x = 1;"), None);
        assert_eq!(help("-", b"x = 1;"), None);
    }

    #[test]
    fn an_executable_of_any_size_is_told_by_its_first_bytes() {
        let endless = EXECUTABLE.chain(io::repeat(0));
        let bytes = bounded(endless).expect("it is not read to its end");
        assert!(foreign(Path::new("a.out"), &bytes).is_some());
    }

    #[test]
    fn a_source_without_end_is_read_up_to_the_bound() {
        let error = bounded(io::repeat(b' ')).expect_err("it has no end");
        assert!(error.to_string().contains("16 MiB"), "{error}");
        let longest = bounded(io::repeat(b' ').take(LONGEST)).expect("a program may be as long");
        assert_eq!(longest.len() as u64, LONGEST);
    }
}
