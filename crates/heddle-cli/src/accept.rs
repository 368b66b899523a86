//! `heddle accept`: writes an answer into the file beside the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use heddle_answers::anchor::Anchor;
use heddle_answers::file::{self, Answer};
use heddle_answers::{path_beside, source};
use heddle_core::{FileId, Legend, Site};
use heddle_report::Problem;

use crate::arguments::AcceptOptions;
use crate::console::{Console, reason};
use crate::input::{self, Input, shown};
use crate::status::Status;

/// A position as reports write it: `line:column`, with its file in front if that is another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    file: Option<PathBuf>,
    line: u32,
    column: u32,
}

impl Place {
    fn is_at(&self, site: &Site) -> bool {
        (site.line, site.column) == (self.line, self.column)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.rsplitn(3, ':');
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        let (column, line) = (number(), number());
        let file = parts.next();
        match (line, column, file) {
            (Some(line), Some(column), None) => Ok(Self {
                file: None,
                line,
                column,
            }),
            (Some(line), Some(column), Some(file)) if !file.is_empty() => Ok(Self {
                file: Some(file.into()),
                line,
                column,
            }),
            _ => Err("write LINE:COLUMN or FILE:LINE:COLUMN, as the report does".to_owned()),
        }
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
    if input::is_stdin(&options.file) {
        return Err(Problem::plain("accept needs a file, not -"));
    }
    let places = [&options.first, &options.second];
    let program = Program::read(&options.file, places)?;
    let (first, second) = (program.anchor(places[0])?, program.anchor(places[1])?);
    let answer = match options.merge {
        true => Answer::Merge,
        false => Answer::Harmless,
    };
    let path = path_beside(&program.path);
    add(&path, answer, first, second, options.why.clone())
}

/// The source file that positions are in which name no other.
struct Program {
    path: PathBuf,
    text: String,
}

impl Program {
    /// The file at `path`, or the one that the recorded run there has these positions in.
    fn read(path: &Path, places: [&Place; 2]) -> Result<Self, Problem> {
        match input::source_or_recorded(path)? {
            Input::Program(text) => Ok(Self {
                path: path.to_owned(),
                text,
            }),
            Input::Recorded(trace, _) => Self::recorded(path, &trace.legend, places),
        }
    }

    fn recorded(path: &Path, legend: &Legend, places: [&Place; 2]) -> Result<Self, Problem> {
        let mut own = places.into_iter().filter(|place| place.file.is_none());
        let has_all = |id: FileId| {
            let here = |place: &Place| {
                let mut sites = legend.sites.iter().filter(|site| site.file == id);
                sites.any(|site| place.is_at(site))
            };
            own.clone().all(here)
        };
        let files = (0..).map(FileId::new).zip(&legend.files);
        let having: Vec<_> = files.filter(|&(id, _)| has_all(id)).collect();
        let [(_, file)] = having[..] else {
            let what = match (having.len(), own.next()) {
                (0, Some(_)) => "no source file of this run has something at these positions",
                _ => "several source files of this run have something at these positions",
            };
            let problem = Problem::plain(format!("{}: {what}", shown(path)));
            let help = "name the source file instead of the recorded run";
            return Err(problem.help(Some(help.into())));
        };
        let path = PathBuf::from(&file.path);
        let text = match &file.text {
            Some(text) => text.clone(),
            None => input::text(&path)?,
        };
        Ok(Self { path, text })
    }

    fn anchor(&self, place: &Place) -> Result<Anchor, Problem> {
        let other = match &place.file {
            Some(file) => Some(Self {
                text: input::text(file)?,
                path: file.clone(),
            }),
            None => None,
        };
        let file = other.as_ref().unwrap_or(self);
        // The file of answers lies beside the program, and files in its folder go by their names.
        let is_beside = file.path.parent() == self.path.parent();
        let name = file.path.file_name().filter(|_| is_beside);
        let name = name.unwrap_or(file.path.as_os_str()).to_string_lossy();
        let Place { line, column, .. } = *place;
        Anchor::new(&name, &file.text, line, column).ok_or_else(|| {
            let path = shown(&file.path);
            Problem::plain(format!("{path}: there is nothing at {line}:{column}"))
        })
    }
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
