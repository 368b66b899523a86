//! The `heddle` command: reads files, checks them, prints reports, and says by its exit status
//! what came of it.
//!
//! All I/O of Heddle's command line is here; everything else is in the libraries. Findings go to
//! standard output, everything else to standard error.

mod arguments;
mod check;
mod console;
mod expect;
mod input;
mod manual;
mod order;
mod program;
mod progress;
mod record;
mod status;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use status::{Status, guarded};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // The only way to fail here is a closed standard error, and then nobody listens.
        let _ = console::note(&format!("heddle: internal error: {panic}"));
        let _ =
            console::note("This is a bug in Heddle. Please report it with the file you checked.");
    }));
    let arguments = Arguments::parse();
    guarded(|| run(&arguments.command)).into()
}

fn run(command: &Command) -> Status {
    match command {
        Command::Check(options) => check::run(options),
        Command::Completions { shell } => manual::completions(*shell),
        Command::Man { command } => manual::page(command.as_deref()),
    }
}
