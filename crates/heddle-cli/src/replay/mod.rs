//! `heddle replay`: races, executed in both orders.
//!
//! A race is between two strands of which neither comes before the other, so the program can be run with either first. Both
//! runs are made, and what the strands that touch the variable read and write is shown side by side.

mod rust;
mod task;

use std::path::PathBuf;

use clap::Args;
use heddle_report::{Finding, Problem, Replay, Report, replayed};

use crate::arguments::Color;
use crate::console::Console;
use crate::status::Status;

/// The flags of `heddle replay`.
#[derive(Args, Debug)]
pub struct ReplayOptions {
    /// A .task program (- is standard input), and positions if only some of its races are to be
    /// replayed; or, with a command, the two positions of a race, as reports print them: 4:16 5:25.
    #[arg(value_name = "FILE|POSITION", required = true)]
    what: Vec<String>,

    /// A command that runs a Rust program or test which uses the heddle crate.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,

    /// When to use colour in error messages.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

/// The whole command.
pub fn run(options: &ReplayOptions) -> Status {
    let mut console = Console::new(options.color);
    match both_orders(options) {
        Ok((text, status)) => {
            console.print(&text);
            status
        }
        Err(problems) => {
            console.problems(&problems);
            Status::Error
        }
    }
}

fn both_orders(options: &ReplayOptions) -> Result<(String, Status), Vec<Problem>> {
    let ReplayOptions { what, command, .. } = options;
    match (&what[..], command.is_empty()) {
        ([file, at @ ..], true) => task::replayed(&PathBuf::from(file), at),
        ([first, second], false) => rust::replayed([first, second], command),
        _ => Err(vec![Problem::plain(
            "with a command, say the two positions of the race: heddle replay POSITION POSITION -- COMMAND",
        )]),
    }
}

/// Says in each race of a program's report how to see both of its orders.
pub fn offer(report: &mut Report, file: &str) {
    for finding in &mut report.findings {
        if let Some([first, second]) = positions(finding) {
            let file = crate::explore::quoted(file);
            finding.replay = Some(Replay {
                schedule: None,
                command: format!("heddle replay {file} {first} {second}"),
            });
        }
    }
}

fn positions(finding: &Finding) -> Option<[String; 2]> {
    Some(replayed::positions(finding)?.map(ToString::to_string))
}
