//! `heddle accept`: writes an answer into the file beside the program.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use heddle_answers::anchor::Anchor;
use heddle_answers::file::{self, Answer};
use heddle_answers::{path_beside, source};
use heddle_report::Problem;

use crate::arguments::AcceptOptions;
use crate::console::{Console, reason};
use crate::input::{self, shown};
use crate::status::Status;

/// A position as reports write it: `line:column`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    line: u32,
    column: u32,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(':').and_then(|(line, column)| {
            let (line, column) = (line.parse().ok()?, column.parse().ok()?);
            Some(Self { line, column })
        });
        parsed.ok_or_else(|| "write LINE:COLUMN, as the report does".to_owned())
    }
}

/// The whole command.
pub fn run(options: &AcceptOptions) -> Status {
    let mut console = Console::new(options.color);
    match accept(options) {
        Ok(said) => {
            console.print(&format!("{said}\n"));
            Status::Clean
        }
        Err(problem) => {
            console.problems(&[problem]);
            Status::Error
        }
    }
}

/// Writes the answer; says what was done.
fn accept(options: &AcceptOptions) -> Result<String, Problem> {
    let program = &options.file;
    if input::is_stdin(program) {
        return Err(Problem::plain("accept needs a file, not -"));
    }
    let text = input::text(program)?;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let anchor = |place: Place| {
        Anchor::new(&name, &text, place.line, place.column).ok_or_else(|| {
            let Place { line, column } = place;
            let path = shown(program);
            Problem::plain(format!("{path}: there is nothing at {line}:{column}"))
        })
    };
    let (first, second) = (anchor(options.first)?, anchor(options.second)?);
    let answer = match options.merge {
        true => Answer::Merge,
        false => Answer::Harmless,
    };
    add(
        &path_beside(program),
        answer,
        first,
        second,
        options.why.clone(),
    )
}

fn add(
    path: &Path,
    answer: Answer,
    first: Anchor,
    second: Anchor,
    why: Option<String>,
) -> Result<String, Problem> {
    let old = match path.exists() {
        true => input::text(path)?,
        false => String::new(),
    };
    let entries = file::parse(&source(&shown(path), &old), &old)?;
    let is_same = |entry: &&file::Entry| entry.first == first && entry.second == second;
    if let Some(entry) = entries.iter().find(is_same) {
        let (path, line, name) = (shown(path), entry.site.line, entry.answer.name());
        return match entry.answer == answer {
            true => Ok(format!("{path}:{line}: is already marked {name}")),
            false => Err(Problem::plain(format!(
                "{path}:{line}: these are marked {name}; remove that entry first"
            ))),
        };
    }
    let mut new = old.trim_end().to_owned();
    if !new.is_empty() {
        new += "\n\n";
    }
    new += &file::print(answer, first, second, why);
    // What is not valid any more is not written: an array of entries in one line cannot be added to.
    file::parse(&source(&shown(path), &new), &new)?;
    write(path, &new)?;
    let count = entries.len() + 1;
    let plural = if count == 1 { "entry" } else { "entries" };
    Ok(format!(
        "{}: marked {} ({count} {plural})",
        shown(path),
        answer.name()
    ))
}

/// Replaces the file in one step, so that an interruption loses nothing.
fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        Problem::plain(format!("cannot write {}: {}", shown(path), reason(&error)))
    })
}
