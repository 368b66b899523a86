//! Measuring one program in its ways, and making sure that each run was worth measuring.

use crate::figures::{Column, Row, Sample};
use crate::kernel::Kernel;
use crate::options::Options;
use crate::process::{self, Run};
use crate::toolchain::Toolchain;
use crate::way::{Reports, Variant, Way};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What Archer says when it has taken over.
const ARCHER_ACTIVE: &str = "Archer detected OpenMP application with TSan";

/// The medians of one program in the ways asked for.
pub fn measure(tools: &Toolchain, kernel: &Kernel, options: &Options) -> Result<Row<Way>, String> {
    let size = options.size(kernel);
    let expected = sequential(tools, kernel, size)?;
    let programs = programs(tools, kernel, &options.ways)?;
    confirm_archer(&programs, kernel)?;
    let start = |way, program: &Path| start(program, way, size, Reports::Withheld);
    take_turns(kernel, size, options.runs, &programs, &expected, start)
}

/// Median times over the repetitions, after one that is not counted. The columns take turns, so that a
/// slow spell of the machine hits all of them.
pub fn take_turns<C: Column>(
    kernel: &Kernel,
    size: usize,
    runs: usize,
    programs: &[(C, PathBuf)],
    expected: &str,
    start: impl Fn(C, &Path) -> Result<Run, String>,
) -> Result<Row<C>, String> {
    let mut samples = vec![Vec::new(); programs.len()];
    for run in 0..=runs {
        for ((column, program), samples) in programs.iter().zip(&mut samples) {
            let done = start(*column, program)?;
            check(&done, expected).map_err(|e| format!("{}, {column:?}: {e}", kernel.name))?;
            if run > 0 {
                samples.push(Sample::of(&done));
            }
        }
    }
    let medians = samples.into_iter().map(Sample::median);
    let columns = programs.iter().map(|&(column, _)| column);
    Ok(Row {
        kernel: kernel.name,
        size,
        runs,
        samples: columns.zip(medians).collect(),
    })
}

/// Runs a program of a way.
pub fn start(program: &Path, way: Way, size: usize, reports: Reports) -> Result<Run, String> {
    process::run(&mut command(program, way, size, reports), program)
}

fn command(program: &Path, way: Way, size: usize, reports: Reports) -> Command {
    let mut command = Command::new(program);
    command.arg(size.to_string());
    command.envs(way.environment(reports));
    command
}

fn programs(
    tools: &Toolchain,
    kernel: &Kernel,
    ways: &[Way],
) -> Result<Vec<(Way, PathBuf)>, String> {
    let build = |&way: &Way| Ok((way, tools.build(kernel, way, Variant::Sound)?));
    ways.iter().map(build).collect()
}

/// What the program prints when it runs without threads.
pub fn sequential(tools: &Toolchain, kernel: &Kernel, size: usize) -> Result<String, String> {
    let program = tools.build_sequential(kernel)?;
    let run = start(&program, Way::Plain, size, Reports::Printed)?;
    match run.status.success() {
        true => Ok(run.output),
        false => Err(format!("{}, sequential: {}", kernel.name, run.status)),
    }
}

/// Archer is silent, and silently absent, unless it is asked to say that it is there.
fn confirm_archer(programs: &[(Way, PathBuf)], kernel: &Kernel) -> Result<(), String> {
    let archers = programs.iter().filter(|(way, _)| *way == Way::Archer);
    for (way, program) in archers {
        let mut command = command(program, *way, kernel.small, Reports::Withheld);
        let run = process::run(command.env("ARCHER_OPTIONS", "verbose=1"), program)?;
        if !run.output.contains(ARCHER_ACTIVE) {
            return Err(format!("{}: Archer was not loaded", kernel.name));
        }
    }
    Ok(())
}

/// A run counts if its result is right, and a checker had nothing to say.
pub fn check(run: &Run, expected: &str) -> Result<(), String> {
    if run.output != expected {
        return Err(format!(
            "wrong result `{}`\n{}",
            run.output.trim(),
            run.errors
        ));
    }
    match run.status.success() {
        true => Ok(()),
        false => Err(format!("{}\n{}", run.status, run.errors)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn run(output: &str, errors: &str, status: i32) -> Run {
        Run {
            output: output.to_owned(),
            errors: errors.to_owned(),
            status: ExitStatus::from_raw(status << 8),
            seconds: 1.0,
            processor_seconds: 1.0,
            peak_bytes: 1,
        }
    }

    #[test]
    fn only_a_right_and_clean_run_counts() {
        assert!(check(&run("1\n", "", 0), "1\n").is_ok());
        assert!(check(&run("2\n", "", 0), "1\n").is_err());
        assert!(check(&run("1\n", "race", 1), "1\n").is_err());
    }
}
