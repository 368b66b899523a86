//! Transactions of a native program: the run is recorded and judged when it has ended.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heddle_core::Guarantee;
use heddle_report::json::{self, Layout};
use heddle_report::saved::Saved;
use heddle_report::text;
use heddle_report::{Report, Settings, Strictness, Subject, Unchecked, Verdict};
use heddle_transactions::{Exact, Options};

use super::reports::Reports;
use crate::arguments::{Analysis, Format, RunOptions};
use crate::check;
use crate::console::Console;
use crate::input::{self, Input};
use crate::showing::Collected;
use crate::{results, transactions};

/// Where the run is recorded, if it is.
pub fn recording(options: &RunOptions, reports: &Reports) -> Option<PathBuf> {
    let is_judged = options.analysis == Analysis::Transactions;
    let own = is_judged.then(|| reports.recording());
    options.record.clone().or(own)
}

/// Judges the recording and prints the report. The exit status, if there are findings.
pub fn judge(
    options: &RunOptions,
    recording: Option<&Path>,
    console: &mut Console,
) -> Result<Option<ExitCode>, String> {
    let path = recording.ok_or("there is no recording")?;
    let (mut trace, damage) = match input::read(path).map_err(|problem| problem.message)? {
        Input::Recorded(trace, damage) => (*trace, damage),
        Input::Program(_) => return Err("the recording cannot be read".into()),
    };
    trace.features.cuts = true;
    let name = options.program[0].to_string_lossy().into_owned();
    let legend = trace.legend.clone();
    let how = Options {
        exact: Exact::Quick,
        count: options.stats,
        ..Options::default()
    };
    let found = check::answers_to(path, trace.features, &legend).and_then(|mut answers| {
        let found = transactions::recorded(how, &name, &legend, &mut trace, &mut answers)?;
        Ok((found, answers))
    });
    let ((mut outcome, stats), answers) = match found {
        Ok(found) => found,
        Err(problems) => {
            console.problems(&problems);
            return Ok(Some(ExitCode::from(2)));
        }
    };
    if damage.is_some() {
        outcome.guarantee = Guarantee::UpToHere;
    }
    let subject = Subject {
        program: &name,
        outcome: &outcome,
        legend: &legend,
        features: trace.features,
        unchecked: Unchecked::Nothing,
    };
    let known = options.show.known().map_err(|problem| problem.message)?;
    let settings = Settings {
        baseline: known.as_ref(),
        ..settings(options)
    };
    let mut report = Report::new(subject, settings);
    report.stats = options.stats.then_some(stats);
    report.suppressed += answers.harmless();
    report.unused_answers = answers.unused();
    console.warnings(&report.unused_answers);
    deliver(options, &report, console)?;
    let has_findings = report.verdict == Verdict::Findings && options.exit_status != 0;
    Ok(has_findings.then(|| ExitCode::from(options.exit_status)))
}

fn settings(options: &RunOptions) -> Settings<'static> {
    let limit = results::limit(options.max_findings, options.show.format);
    let strictness = match options.strict {
        true => Strictness::Strict,
        false => Strictness::CertainOnly,
    };
    Settings {
        strictness,
        limit,
        possible: options.show.possible(),
        ..Settings::default()
    }
}

fn deliver(options: &RunOptions, report: &Report, console: &mut Console) -> Result<(), String> {
    let mut bytes = Vec::new();
    match options.show.format {
        Format::Text => {
            let colour = match options.show.output {
                Some(_) => text::Colour::Plain,
                None => console.results(),
            };
            bytes.extend(text::render(report, colour).into_bytes());
        }
        // Writing to memory cannot fail.
        Format::Json => _ = json::write(report, Layout::Pretty, &mut bytes),
        format => bytes = Collected::new(vec![Saved::new(report)]).document(format),
    }
    super::deliver(options, &bytes, console)
}
