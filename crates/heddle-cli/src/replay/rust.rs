//! A race of a Rust program that uses the heddle crate, executed in both orders.
//!
//! The program is run twice. It is told which access is to come first, and where to leave what it did, by two variables in
//! its environment; the crate's `explore/staged.rs` is the other side of this.

use std::path::Path;
use std::process::{Command, Output};

use heddle_report::Problem;
use heddle_report::replayed::{self, Replayed, Touched};

use crate::status::Status;

/// Lines of a failed command's output that are shown.
const LINES: usize = 12;

/// The race between accesses at these positions.
pub fn replayed(at: [&str; 2], command: &[String]) -> Result<(String, Status), Vec<Problem>> {
    let folder = tempfile::tempdir().map_err(|error| {
        let message = format!("cannot make a temporary folder: {error}");
        vec![Problem::plain(message)]
    })?;
    let one = runs(1, at, command, &folder.path().join("first"))?;
    let other = runs(2, at, command, &folder.path().join("second"))?;
    let Some((one, other, location)) = pair(&one, &other) else {
        return Err(vec![nothing_shown(at, &one, &other)]);
    };
    let (first, second) = (who(one, at[0], location), who(other, at[1], location));
    let title = format!(
        "race: {location} is accessed at {} and at {}\n",
        at[0], at[1]
    );
    let text = replayed::both([one, other], [first, second], location);
    let text = match file_of(at[0]) {
        Some(file) if Some(file) == file_of(at[1]) => text.replace(&format!("{file}:"), ""),
        _ => text,
    };
    Ok((format!("{title}{text}"), Status::Findings))
}

/// The file of a position, if it has one.
fn file_of(position: &str) -> Option<&str> {
    let (rest, _column) = position.rsplit_once(':')?;
    let (file, _line) = rest.rsplit_once(':')?;
    Some(file)
}

/// The checks that the command makes with one access first.
fn runs(
    order: u32,
    [first, second]: [&str; 2],
    command: &[String],
    to: &Path,
) -> Result<Vec<Replayed>, Vec<Problem>> {
    let (program, arguments) = command.split_first().unwrap_or((&command[0], &[]));
    let output = Command::new(program)
        .args(arguments)
        .env("HEDDLE_WITNESS", format!("{order} {first} {second}"))
        .env("HEDDLE_WITNESS_TO", to)
        .output()
        .map_err(|error| vec![Problem::plain(format!("cannot run {program}: {error}"))])?;
    match std::fs::read_to_string(to) {
        Ok(text) => Ok(replayed::read(&text)),
        Err(_) => Err(vec![no_check(command, &output)]),
    }
}

fn no_check(command: &[String], output: &Output) -> Problem {
    let message = format!("`{}` ran no check of the heddle crate", command.join(" "));
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
    let problem = Problem::plain(message);
    match last.is_empty() {
        true => problem,
        false => problem.note(format!(
            "it ended with {}, and said:\n{last}",
            output.status
        )),
    }
}

/// The runs of one check in both orders, with a location at which each has its order.
fn pair<'a>(
    one: &'a [Replayed],
    other: &'a [Replayed],
) -> Option<(&'a Replayed, &'a Replayed, &'a str)> {
    one.iter().zip(other).find_map(|(one, other)| {
        let location = one.shown.iter().find(|name| other.shown.contains(name))?;
        Some((one, other, &**location))
    })
}

fn nothing_shown([first, second]: [&str; 2], one: &[Replayed], other: &[Replayed]) -> Problem {
    let message =
        format!("no check could be run with {first} before {second}, and the other way round");
    let stopped = one.iter().chain(other).find_map(|run| run.stopped.clone());
    let problem = Problem::plain(message);
    match stopped {
        Some(why) => problem.note(why),
        None => problem.note(
            "positions are those of a race in a report: line and column, with the file before them"
                .to_owned(),
        ),
    }
}

/// Who makes the access that comes first.
fn who<'a>(run: &'a Replayed, at: &str, location: &str) -> &'a str {
    let is_it = |touch: &&Touched| touch.location == location && replayed::is_at(&touch.at, at);
    let touch = run.touches.iter().find(is_it);
    touch.map_or("one task", |touch| &touch.who)
}
