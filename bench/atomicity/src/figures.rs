//! From runs to the figures people compare: slowdowns, memory, their geometric means, and the targets.

use crate::column::{COLUMNS, Column};
use bench_harness::{cell, geometric_mean};
use bench_native::figures::Sample;
use serde::Serialize;
use std::collections::BTreeMap;

/// One line of the table.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Its size.
    pub size: usize,
    /// Repetitions behind each median.
    pub runs: usize,
    /// The medians.
    pub columns: BTreeMap<Column, Sample>,
}

/// A quotient of two columns, over all rows.
#[derive(Clone, Serialize, Debug)]
pub struct Mean {
    /// Above the line.
    pub of: Column,
    /// Below the line.
    pub to: Column,
    /// The geometric mean.
    pub mean: f64,
    /// The largest quotient.
    pub most: f64,
    /// The mean may be this large.
    pub target: Option<f64>,
}

/// The published slowdown is 4.2, and Velodrome's 4.6.
const TIMES: [(Column, Column, Option<f64>); 4] = [
    (Column::Null, Column::Plain, None),
    (Column::Atomicity, Column::Plain, Some(4.2)),
    (Column::Velodrome, Column::Plain, None),
    (Column::Atomicity, Column::Velodrome, Some(1.0)),
];

impl Row {
    fn time(&self, of: Column, to: Column) -> Option<f64> {
        Some(self.columns.get(&of)?.seconds / self.columns.get(&to)?.seconds)
    }
}

/// Of every quotient.
pub fn means(rows: &[Row]) -> Vec<Mean> {
    let mean = |&(of, to, target): &(Column, Column, Option<f64>)| {
        let quotients = rows.iter().filter_map(|row| row.time(of, to));
        let quotients: Vec<f64> = quotients.collect();
        Some(Mean {
            of,
            to,
            mean: geometric_mean(&quotients)?,
            most: quotients.into_iter().fold(0.0, f64::max),
            target,
        })
    };
    TIMES.iter().filter_map(mean).collect()
}

/// The heading above the rows.
pub fn heading() -> String {
    let times = TIMES.map(|(of, to, _)| format!("{:>21}", title(of, to)));
    let memory = COLUMNS.map(|column| format!("{:>13}", format!("{} MB", column.name())));
    format!(
        "{:<11}{:>9}{:>10}{} {}",
        "kernel",
        "size",
        "plain ms",
        times.concat(),
        memory.concat()
    )
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    let plain = row.columns.get(&Column::Plain);
    let times = TIMES.map(|(of, to, _)| cell(row.time(of, to), 21, 2, "x"));
    let memory = COLUMNS.map(|column| {
        let bytes = row
            .columns
            .get(&column)
            .map(|sample| sample.peak_bytes as f64);
        cell(bytes.map(|bytes| bytes / 1e6), 13, 0, "")
    });
    format!(
        "{:<11}{:>9}{}{} {}",
        row.kernel,
        row.size,
        cell(plain.map(|sample| sample.seconds * 1e3), 10, 0, ""),
        times.concat(),
        memory.concat()
    )
}

/// The line below the table.
pub fn mean_line(means: &[Mean]) -> String {
    let times = TIMES.map(|(of, to, _)| {
        let found = means.iter().find(|mean| (mean.of, mean.to) == (of, to));
        cell(found.map(|mean| mean.mean), 21, 2, "x")
    });
    format!("{:<30}{}", "geometric mean", times.concat())
}

/// Each target and whether it is met.
pub fn targets(means: &[Mean]) -> Vec<String> {
    let line = |mean: &Mean| {
        let target = mean.target?;
        let mark = match mean.mean <= target {
            true => "met   ",
            false => "missed",
        };
        Some(format!(
            "{mark} time {}: geometric mean at most {target}: {:.2} (worst {:.2})",
            title(mean.of, mean.to),
            mean.mean,
            mean.most
        ))
    };
    means.iter().filter_map(line).collect()
}

fn title(of: Column, to: Column) -> String {
    format!("{}/{}", of.name(), to.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seconds: [f64; 4]) -> Row {
        let samples = seconds.map(|seconds| Sample {
            seconds,
            peak_bytes: 1,
        });
        Row {
            kernel: "k",
            size: 1,
            runs: 1,
            columns: COLUMNS.into_iter().zip(samples).collect(),
        }
    }

    #[test]
    fn targets_are_for_the_geometric_means() {
        let marks = |rows: &[Row]| -> Vec<bool> {
            let lines = targets(&means(rows));
            lines.iter().map(|line| line.starts_with("met")).collect()
        };
        assert_eq!(marks(&[row([1.0, 2.0, 4.0, 5.0])]), [true, true]);
        assert_eq!(marks(&[row([1.0, 2.0, 5.0, 4.0])]), [false, false]);
        let rows = [row([1.0, 1.0, 2.0, 2.0]), row([1.0, 1.0, 8.0, 8.0])];
        assert_eq!(marks(&rows), [true, true]);
    }
}
