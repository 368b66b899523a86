//! Starting other programs: always from the root of the repository, always with a named step.
//!
//! A step passes its output through and is followed by one line with the time it took. What only
//! installs something is quiet: its output is shown when it fails.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the repository")
        .to_path_buf()
}

/// The cargo that started this program, with these arguments.
pub fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = program(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments);
    if std::env::var_os("CI").is_some() {
        // What is built once and thrown away is built faster so.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The command as it was built last beside this program. Asking cargo to run it would build it again: for
/// one package, what it depends on has other features than for all.
pub fn heddle() -> Command {
    let own = std::env::current_exe().unwrap_or_else(|_| root().join("target/debug/xtask"));
    program(&own.with_file_name("heddle").to_string_lossy())
}

/// `name`, to be run at the root with nothing to read.
pub fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs one step to its end.
pub fn step(title: &str, command: &mut Command) -> Result<(), Failure> {
    eprintln!("── {title}");
    let start = Instant::now();
    let status = command.status().map_err(|e| not_started(command, &e))?;
    if !status.success() {
        return Err(Failure::Step(format!(
            "{title}: {status}\n  {}",
            line(command)
        )));
    }
    eprintln!("── {title}: ok, {:.1} s\n", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command whose output matters only if it fails; returns what it printed.
pub fn quietly(title: &str, command: &mut Command) -> Result<String, Failure> {
    let output = command.output().map_err(|e| not_started(command, &e))?;
    if !output.status.success() {
        let shown = String::from_utf8_lossy(&output.stderr);
        let message = format!("{title}: {}\n  {}\n{shown}", output.status, line(command));
        return Err(Failure::Step(message));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the command can be started and succeeds.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::Step(format!("cannot start `{}`: {error}", line(command)))
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask").is_dir());
    }

    #[test]
    fn a_failing_step_names_its_title_and_its_command() {
        let failure = step("weaving", program("false").arg("--now")).unwrap_err();
        let text = failure.to_string();
        assert!(
            text.contains("weaving") && text.contains("false --now"),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_does_not_exist_is_a_failure_not_a_panic() {
        let failure = quietly("weaving", &mut program("no-such-program-here")).unwrap_err();
        assert!(failure.to_string().contains("cannot start"));
        assert!(!succeeds(&mut program("no-such-program-here")));
    }
}
