//! The columns: what is compared with what.

use bench_native::toolchain::Toolchain;
use bench_native::way::{THREADS, Variant, Way};
use bench_native::{kernel::Kernel, process};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One column of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Column {
    /// As compiled without a checker.
    Plain,
    /// Instrumented, with a runtime that does nothing.
    Null,
    /// Heddle's analysis of all schedules.
    Atomicity,
    /// Velodrome's analysis of the schedule that runs.
    Velodrome,
}

/// All of them, in the sequence of a repetition.
pub const COLUMNS: [Column; 4] = [
    Column::Plain,
    Column::Null,
    Column::Atomicity,
    Column::Velodrome,
];

impl Column {
    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Null => "null",
            Self::Atomicity => "atomicity",
            Self::Velodrome => "velodrome",
        }
    }

    /// Builds the program. That of the two analyses is the same.
    pub fn build(self, tools: &Toolchain, kernel: &Kernel) -> Result<PathBuf, String> {
        match self {
            Self::Plain => tools.build(kernel, Way::Plain, Variant::Sound),
            Self::Null => tools.build(kernel, Way::Null, Variant::Sound),
            Self::Atomicity => tools.build(kernel, Way::Heddle, Variant::Annotated),
            Self::Velodrome => Ok(tools.built(kernel, Way::Heddle, Variant::Annotated)),
        }
    }

    /// How the program is run.
    pub fn command(self, program: &Path, size: usize) -> Command {
        let mut command = Command::new(program);
        command
            .arg(size.to_string())
            .env("OMP_NUM_THREADS", THREADS);
        match self {
            Self::Plain | Self::Null => {}
            Self::Atomicity => {
                command.env("HEDDLE_OPTIONS", "analysis=atomicity");
            }
            Self::Velodrome => {
                command.env("HEDDLE_OPTIONS", "analysis=velodrome-alone");
            }
        }
        command
    }

    /// Runs the program once.
    pub fn run(self, program: &Path, size: usize) -> Result<process::Run, String> {
        process::run(&mut self.command(program, size), program)
    }
}
