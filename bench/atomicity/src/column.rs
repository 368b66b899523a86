//! The columns: what is compared with what.

use bench_native::figures::{self, Quotient};
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
}

/// All of them, in the sequence of a repetition.
pub const COLUMNS: [Column; 3] = [Column::Plain, Column::Null, Column::Atomicity];

impl figures::Column for Column {
    const ALL: &'static [Self] = &COLUMNS;
    /// The published slowdown is 4.2.
    const TIMES: &'static [Quotient<Self>] = &[
        (Self::Null, Self::Plain, None),
        (Self::Atomicity, Self::Plain, Some(4.2)),
    ];
    const MEMORY: &'static [Quotient<Self>] = &[];
    const TOGETHER: &'static str = "columns";
    const WIDTHS: [usize; 2] = [21, 13];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Null => "null",
            Self::Atomicity => "atomicity",
        }
    }
}

impl Column {
    /// Builds the program.
    pub fn build(self, tools: &Toolchain, kernel: &Kernel) -> Result<PathBuf, String> {
        match self {
            Self::Plain => tools.build(kernel, Way::Plain, Variant::Sound),
            Self::Null => tools.build(kernel, Way::Null, Variant::Sound),
            Self::Atomicity => tools.build(kernel, Way::Heddle, Variant::Annotated),
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
        }
        command
    }

    /// Runs the program once.
    pub fn run(self, program: &Path, size: usize) -> Result<process::Run, String> {
        process::run(&mut self.command(program, size), program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_native::figures::{Row, Sample, means, targets};

    fn row(seconds: [f64; 3]) -> Row<Column> {
        let samples = seconds.map(|seconds| Sample {
            seconds,
            peak_bytes: 1,
        });
        Row {
            kernel: "k",
            size: 1,
            runs: 1,
            samples: COLUMNS.into_iter().zip(samples).collect(),
        }
    }

    #[test]
    fn targets_are_for_the_geometric_means() {
        let marks = |rows: &[Row<Column>]| -> Vec<bool> {
            let lines = targets(&means(rows));
            lines.iter().map(|line| line.starts_with("met")).collect()
        };
        assert_eq!(marks(&[row([1.0, 2.0, 4.0])]), [true]);
        assert_eq!(marks(&[row([1.0, 2.0, 5.0])]), [false]);
        assert_eq!(marks(&[row([1.0, 1.0, 2.0]), row([1.0, 1.0, 8.0])]), [true]);
    }
}
