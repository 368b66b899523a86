//! What the program's environment tells the checker inside it.
//!
//! `HEDDLE_OPTIONS` is a list of `key=value` separated by colons; what the user has put there comes
//! first, so that the flags of the command win.

use std::env;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use heddle_report::text::Colour;

use crate::arguments::{Analysis, Atomic, Format, RunOptions};

const VARIABLE: &str = "HEDDLE_OPTIONS";

/// Sets the environment of the program about to be started.
pub fn apply(
    options: &RunOptions,
    report: &Path,
    record: Option<&Path>,
    colour: Colour,
    command: &mut Command,
) -> Result<(), String> {
    let ours = settings(options, report, record, colour)?;
    let given = env::var(VARIABLE).unwrap_or_default();
    let given = given.split(':').filter(|part| !part.is_empty());
    let all: Vec<String> = given.map(str::to_owned).chain(ours).collect();
    command.env(VARIABLE, all.join(":"));
    // Switched off, OpenMP's runtime would tell nothing of its tasks.
    command.env("OMP_TOOL", "enabled");
    if let Some(threads) = options.threads {
        command.env("OMP_NUM_THREADS", threads.to_string());
        command.env("HEDDLE_THREADS", threads.to_string());
    }
    Ok(())
}

fn settings(
    options: &RunOptions,
    report: &Path,
    record: Option<&Path>,
    colour: Colour,
) -> Result<Vec<String>, String> {
    // Transactions are judged afterwards, and decide the status then.
    let is_judged_later = options.analysis == Analysis::Transactions;
    let exit_status = if is_judged_later {
        0
    } else {
        options.exit_status
    };
    let mut settings = vec![
        format!("report={}", word(report)?),
        format!("format={}", format_name(options.show.format)),
        format!("color={}", colour_name(options, colour)),
        format!("exitcode={exit_status}"),
        // Whatever started this command, the run is a new one.
        "append=0".into(),
        "mark=1".into(),
    ];
    let analysis = analysis_name(options.analysis);
    settings.extend(analysis.map(|name| format!("analysis={name}")));
    settings.extend((options.atomic == Atomic::All).then(|| "atomic=all".into()));
    settings.extend(options.show.possible.then(|| "possible=full".into()));
    settings.extend(options.strict.then(|| "strict=1".into()));
    settings.extend(options.stats.then(|| "stats=1".into()));
    settings.extend(options.max_findings.map(|n| format!("max_findings={n}")));
    for (key, path) in [
        ("suppressions", options.suppress.as_deref()),
        ("record", record),
        ("baseline", options.show.baseline.as_deref()),
    ] {
        if let Some(path) = path {
            settings.push(format!("{key}={}", word(path)?));
        }
    }
    Ok(settings)
}

/// The program may change its folder before the path is used.
fn word(path: &Path) -> Result<String, String> {
    let absolute: PathBuf = absolute(path).unwrap_or_else(|_| path.into());
    let text = absolute.to_str().filter(|text| !text.contains(':'));
    let cannot = || {
        format!(
            "{}: a colon cannot be passed on in {VARIABLE}",
            path.display()
        )
    };
    text.map(str::to_owned).ok_or_else(cannot)
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Text => "text",
        // Other formats are made from it.
        _ => "json",
    }
}

/// What is asked for, unless it is what happens anyway.
fn analysis_name(analysis: Analysis) -> Option<&'static str> {
    match analysis {
        Analysis::All => None,
        Analysis::Races | Analysis::Transactions => Some("races"),
        Analysis::Atomicity => Some("atomicity"),
    }
}

/// What goes to a file is not coloured by the terminal's leave.
fn colour_name(options: &RunOptions, colour: Colour) -> &'static str {
    use crate::arguments::Color;
    match (colour, options.color) {
        (Colour::Plain, _) => "never",
        (Colour::Ansi, Color::Auto) if options.show.output.is_some() => "never",
        (Colour::Ansi, _) => "always",
    }
}
