//! `heddle diff`: what one report has that another has not.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use heddle_report::baseline::Difference;
use heddle_report::printable;
use heddle_report::saved::SavedFinding;
use serde_json::json;

use crate::arguments::Color;
use crate::console::Console;
use crate::showing::saved;
use crate::status::Status;

/// The flags of `heddle diff`.
#[derive(Args, Debug)]
pub struct DiffOptions {
    /// A report in JSON.
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// Another, of a later run.
    #[arg(value_name = "AFTER")]
    after: PathBuf,

    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

/// The whole command. New findings make the status 1.
pub fn run(options: &DiffOptions) -> Status {
    let mut console = Console::new(options.color);
    let read = saved(&options.before).and_then(|before| Ok((before, saved(&options.after)?)));
    let (before, after) = match read {
        Ok(read) => read,
        Err(problem) => {
            console.problems(&[problem]);
            return Status::Error;
        }
    };
    let difference = Difference::new(&before, &after);
    console.print(&match options.json {
        true => object(&difference),
        false => lines(&difference),
    });
    if let Some(problem) = console.failure() {
        console.problems(&[problem]);
        return Status::Error;
    }
    match difference.new.is_empty() {
        true => Status::Clean,
        false => Status::Findings,
    }
}

fn lines(difference: &Difference) -> String {
    let mut text = String::new();
    for (word, findings) in [("new", &difference.new), ("gone", &difference.gone)] {
        for finding in findings {
            let title = finding.title_at();
            let _ = writeln!(text, "{word:<5} {}", printable(&title));
        }
    }
    let (new, gone, same) = (
        difference.new.len(),
        difference.gone.len(),
        difference.same.len(),
    );
    let _ = writeln!(text, "{new} new, {gone} gone, {same} in both");
    text
}

fn object(difference: &Difference) -> String {
    let list = |findings: &[&SavedFinding]| -> Vec<_> {
        let one = |finding: &&SavedFinding| {
            json!({
                "fingerprint": finding.identity(),
                "kind": finding.kind,
                "certainty": finding.certainty,
                "location": finding.location,
                "message": finding.message,
            })
        };
        findings.iter().map(one).collect()
    };
    let object = json!({
        "schema": 1,
        "new": list(&difference.new),
        "gone": list(&difference.gone),
        "same": list(&difference.same),
    });
    format!("{object:#}\n")
}
