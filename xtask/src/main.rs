//! `cargo xtask <task>`: everything one does with this repository, in one place and in Rust.
//!
//! The table [`TASKS`] is the only list of tasks; the usage text is made from it. Status: 0 done,
//! 1 a step failed, 2 the command line is wrong.

mod bench;
mod bless;
mod command;
mod examples;
mod failure;
mod faults;
mod fuzz;
mod install;
mod options;
mod sample;
mod setup;
mod soak;
mod test;
mod wrap;

use failure::Failure;
use std::process::ExitCode;

struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Failure>,
}

const TASKS: &[Task] = &[
    Task {
        name: "setup",
        arguments: "",
        about: "install what the tests need, once",
        run: setup::run,
    },
    Task {
        name: "install",
        arguments: "[--prefix DIR]",
        about: "install heddle, its library and its headers (~/.local)",
        run: install::run,
    },
    Task {
        name: "test",
        arguments: "",
        about: "format, lints, tests, examples, documentation",
        run: test::run,
    },
    Task {
        name: "wrap",
        arguments: "",
        about: "wrap the prose of all pages at 100 columns",
        run: wrap::run,
    },
    Task {
        name: "bench",
        arguments: "[NAME] [OPTIONS]",
        about: "run the benchmarks of bench/ (all of them without NAME)",
        run: bench::run,
    },
    Task {
        name: "bless",
        arguments: "",
        about: "make the expected outputs again from what the programs print now",
        run: bless::run,
    },
    Task {
        name: "soak",
        arguments: "[atomicity] [--cases N] [--seed S]",
        about: "random programs against the oracle (100000 cases)",
        run: soak::run,
    },
    Task {
        name: "soak",
        arguments: "faults [--minutes N] [--seed S] [--kills N] [--forks N]",
        about: "a native program under signals, forks and full disks (30 minutes)",
        run: soak::run,
    },
    Task {
        name: "fuzz",
        arguments: "[SECONDS]",
        about: "fuzz each target of fuzz/ (60 seconds each)",
        run: fuzz::run,
    },
    Task {
        name: "help",
        arguments: "",
        about: "print this",
        run: help,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let (name, rest) = arguments
        .split_first()
        .ok_or_else(|| Failure::Usage("no task given".into()))?;
    let task = TASKS
        .iter()
        .find(|task| task.name == name)
        .ok_or_else(|| Failure::Usage(format!("no task `{name}`")))?;
    (task.run)(rest)
}

fn report(failure: &Failure) -> ExitCode {
    eprintln!("xtask: {failure}");
    match failure {
        Failure::Usage(_) => {
            eprint!("\n{}", usage());
            ExitCode::from(2)
        }
        Failure::Step(_) => ExitCode::FAILURE,
    }
}

fn help(rest: &[String]) -> Result<(), Failure> {
    options::none("help", rest)?;
    print!("{}", usage());
    Ok(())
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <task>\n\n");
    for task in TASKS {
        let call = format!("{} {}", task.name, task.arguments);
        text.push_str(&format!("  {call:<38} {}\n", task.about));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &[&str]) -> Result<(), Failure> {
        dispatch(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_unknown_or_missing_task_is_a_usage_error() {
        assert!(matches!(call(&["weave"]), Err(Failure::Usage(_))));
        assert!(matches!(call(&[]), Err(Failure::Usage(_))));
    }

    #[test]
    fn stray_arguments_are_a_usage_error_and_start_nothing() {
        for task in ["setup", "test", "wrap", "bless", "help"] {
            assert!(matches!(call(&[task, "--loud"]), Err(Failure::Usage(_))));
        }
        assert!(matches!(call(&["install", "/opt"]), Err(Failure::Usage(_))));
        assert!(matches!(call(&["fuzz", "long"]), Err(Failure::Usage(_))));
        assert!(matches!(call(&["soak", "--cases"]), Err(Failure::Usage(_))));
        assert!(matches!(
            call(&["bench", "nothing"]),
            Err(Failure::Usage(_))
        ));
    }

    #[test]
    fn the_usage_text_names_every_task() {
        let text = usage();
        for task in TASKS {
            assert!(text.contains(&format!("\n  {}", task.name)));
        }
    }
}
