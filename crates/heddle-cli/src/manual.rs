//! Manual pages and completion scripts, made from the table of flags.

use clap::CommandFactory;
use clap_complete::Shell;
use heddle_report::Problem;

use crate::arguments::{Arguments, Color};
use crate::console::{Console, reason};
use crate::status::Status;

/// Prints a completion script.
pub fn completions(shell: Shell) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "heddle", &mut script);
    print(&script)
}

/// Prints the manual page of a command, or of `heddle` itself.
pub fn page(name: Option<&str>) -> Status {
    let mut heddle = Arguments::command();
    heddle.build();
    let command = match name {
        None => Some(heddle),
        Some(name) => heddle.find_subcommand(name).cloned(),
    };
    let Some(command) = command else {
        return fail(format!("there is no command {}", name.unwrap_or_default()));
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => print(&page),
        Err(error) => fail(format!("cannot make the page: {}", reason(&error))),
    }
}

fn print(bytes: &[u8]) -> Status {
    let mut console = Console::new(Color::Never);
    console.print(&String::from_utf8_lossy(bytes));
    match console.failure() {
        None => Status::Clean,
        Some(problem) => {
            console.problems(&[problem]);
            Status::Error
        }
    }
}

fn fail(message: String) -> Status {
    Console::new(Color::Auto).problems(&[Problem::plain(message)]);
    Status::Error
}
