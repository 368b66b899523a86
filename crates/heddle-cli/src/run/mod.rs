//! `heddle run`: runs a program built with `heddle cc`, then prints what was found.
//!
//! The program itself is checked by the library linked into it, which writes the report; this
//! command tells it how, by `HEDDLE_OPTIONS`, and stays out of the way meanwhile: standard input,
//! output, errors and signals are the program's. The report comes after the program's own output; where it is for another
//! program to read, what this one prints goes to standard error instead.

mod later;
mod loader;
mod reports;
mod settings;
mod signals;

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use heddle_report::Problem;
use heddle_report::saved::Saved;
use heddle_report::suppress::Suppressions;
use signal_hook::low_level::signal_name;

use crate::arguments::{Analysis, Format, RunOptions};
use crate::console::{self, Console, reason};
use crate::search;
use crate::showing::Collected;
use crate::status::{Status, passed_on};
pub use loader::examine;
use reports::Reports;

/// The whole command.
pub fn run(options: &RunOptions) -> ExitCode {
    let mut console = Console::new(options.color);
    match checked(options, &mut console) {
        Ok(code) => code,
        Err(message) => {
            console.problems(&[Problem::plain(message)]);
            Status::Error.into()
        }
    }
}

fn checked(options: &RunOptions, console: &mut Console) -> Result<ExitCode, String> {
    let (name, arguments) = options.program.split_first().ok_or("there is no program")?;
    let path = find(name)?;
    options.suppress.as_deref().map_or(Ok(()), readable)?;
    loader::examine(&path)?;
    options.show.known().map_err(|problem| problem.message)?;
    reports::prepare(options.show.output.as_deref())?;
    let reports = Reports::new()?;
    let mut command = Command::new(&path);
    command.args(arguments);
    let record = later::recording(options, &reports);
    let (pattern, record) = (reports.pattern(), record.as_deref());
    settings::apply(options, &pattern, record, console.results(), &mut command)?;
    if is_mixed(options) {
        command.stdout(io::stderr());
    }
    let (status, process) = supervise(&path, &mut command)?;
    let unfinished = reports.unfinished();
    let report = reports.text(process);
    let is_told = !report.is_empty();
    if options.analysis == Analysis::Transactions {
        let judged = later::judge(options, record, console)?;
        conclude(&path, status, is_told)?;
        return Ok(judged.unwrap_or(passed_on(status)));
    }
    deliver(options, &formatted(options, report)?, console)?;
    let has_findings = reports.has_findings();
    tell_of(&unfinished, reports);
    let code = conclude(&path, status, is_told || !unfinished.is_empty())?;
    // A process that the program has started may have findings where the program has none.
    match status.success() && has_findings {
        true => Ok(options.exit_status.into()),
        false => Ok(code),
    }
}

/// Whether what the program prints would stand in the middle of what another program is to read. It goes to standard error
/// then.
fn is_mixed(options: &RunOptions) -> bool {
    options.show.format != Format::Text && options.show.output.is_none()
}

/// The processes' reports in the format asked for.
fn formatted(options: &RunOptions, reports: Vec<u8>) -> Result<Vec<u8>, String> {
    let format = options.show.format;
    if matches!(format, Format::Text | Format::Json) {
        return Ok(reports);
    }
    let text = String::from_utf8_lossy(&reports);
    let saved = Saved::read(&text).map_err(|error| format!("the report is damaged: {error}"))?;
    Ok(Collected::new(saved).document(format))
}

/// Says where the reports of processes will be that go on.
fn tell_of(unfinished: &[u32], reports: Reports) {
    if unfinished.is_empty() {
        return;
    }
    let dir = reports.keep();
    for process in unfinished {
        let path = dir.join(process.to_string());
        console::say(&format!(
            "heddle run: process {process} goes on after the program's end; its report will be in {}",
            path.display()
        ));
    }
}

/// Starts the program and waits until it ends; also says what process it was.
fn supervise(path: &Path, command: &mut Command) -> Result<(ExitStatus, u32), String> {
    let cannot = |what: &str, error: io::Error| {
        format!("cannot {what} {}: {}", path.display(), reason(&error))
    };
    let relay = signals::Relay::prepare().map_err(|error| cannot("watch over", error))?;
    let mut child = command.spawn().map_err(|error| cannot("run", error))?;
    let passing = relay.start(child.id());
    let status = child.wait().map_err(|error| cannot("wait for", error))?;
    passing.stop();
    Ok((status, child.id()))
}

fn deliver(options: &RunOptions, report: &[u8], console: &mut Console) -> Result<(), String> {
    match &options.show.output {
        Some(path) => reports::keep(path, report),
        None => {
            console.print_with(|out| out.write_all(report));
            console
                .failure()
                .map_or(Ok(()), |problem| Err(problem.message))
        }
    }
}

/// `is_told`: there is a report, or one will come.
fn conclude(path: &Path, status: ExitStatus, is_told: bool) -> Result<ExitCode, String> {
    let shown = path.display();
    if let Some(signal) = status.signal() {
        let name = signal_name(signal).unwrap_or("signal");
        console::say(&format!(
            "heddle run: {shown} was killed by {name} ({signal})"
        ));
    } else if !is_told {
        return Err(format!(
            "{shown} left no report: nothing built with `heddle cc` came to its end in it"
        ));
    }
    Ok(passed_on(status))
}

/// The program of this name.
pub fn find(name: &OsStr) -> Result<PathBuf, String> {
    if let Some(path) = search::program(name) {
        return Ok(path);
    }
    let (path, shown) = (Path::new(name), name.to_string_lossy());
    Err(match path.metadata() {
        Err(_) => format!("there is no program {shown}"),
        Ok(file) if file.is_dir() => format!("{shown} is a folder, not a program"),
        Ok(_) if search::is_executable(path) => {
            format!("there is no program {shown} in PATH; this folder's is ./{shown}")
        }
        Ok(_) => format!("{shown} is not executable"),
    })
}

/// The program reads the file at its end; what is wrong with it shows before.
fn readable(suppressions: &Path) -> Result<(), String> {
    let shown = suppressions.display();
    let text = heddle_report::read::text(suppressions).map_err(|error| {
        format!(
            "cannot read the suppressions in {shown}: {}",
            reason(&error)
        )
    })?;
    let parsed = Suppressions::parse(&text).map(drop);
    parsed.map_err(|wrong| format!("{shown}: {wrong}"))
}
