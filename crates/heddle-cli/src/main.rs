//! The `heddle` command: checks files, builds and runs programs that are checked while they run,
//! prints reports, and says by its exit status what came of it.
//!
//! All I/O of Heddle's command line is here; everything else is in the libraries. Findings go to
//! standard output, everything else to standard error.

mod accept;
mod arguments;
mod check;
#[cfg(unix)]
mod compiler;
mod console;
mod demo;
mod diff;
mod expect;
mod explore;
mod graph;
mod input;
#[cfg(unix)]
mod installation;
mod joins;
mod manual;
mod order;
mod program;
mod progress;
mod record;
mod replay;
mod results;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod scratch;
#[cfg(unix)]
mod search;
mod showing;
mod status;
mod suggest;
mod trail;
mod transactions;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use status::guarded;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // The only way to fail here is a closed standard error, and then nobody listens.
        let _ = console::note(&format!("heddle: internal error: {panic}"));
        let _ =
            console::note("This is a bug in Heddle. Please report it with the file you checked.");
    }));
    #[cfg(unix)]
    if let Some(code) = compiler::wrapped(std::env::args_os()) {
        return code;
    }
    let arguments = Arguments::parse_from(words());
    guarded(|| dispatch(&arguments.command))
}

/// The command line.
#[cfg(unix)]
fn words() -> Vec<OsString> {
    compiler::spelt_out(std::env::args_os())
}

/// The command line.
#[cfg(not(unix))]
fn words() -> Vec<OsString> {
    std::env::args_os().collect()
}

fn dispatch(command: &Command) -> ExitCode {
    match command {
        Command::Check(options) => check::run(options).into(),
        Command::Demo(options) => demo::run(options).into(),
        Command::Accept(options) => accept::run(options).into(),
        Command::Explore(options) => explore::run(options).into(),
        Command::Merge(options) => explore::merge::run(options).into(),
        Command::Graph(options) => graph::run(options).into(),
        Command::Replay(options) => replay::run(options).into(),
        Command::Diff(options) => diff::run(options).into(),
        #[cfg(unix)]
        Command::Cc(options) => compiler::run(compiler::Language::C, options),
        #[cfg(unix)]
        Command::Cxx(options) => compiler::run(compiler::Language::Cxx, options),
        #[cfg(unix)]
        Command::Run(options) => run::run(options),
        Command::Completions { shell } => manual::completions(*shell).into(),
        Command::Man { command } => manual::page(command.as_deref()).into(),
    }
}
