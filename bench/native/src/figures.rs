//! From runs to the figures people compare: slowdowns, memory, their geometric means, and the targets.

use crate::kernel::Kernel;
use crate::process::Run;
use bench_harness::{cell, geometric_mean, median};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// What is compared with what: the columns of a table. The first is the program without a checker.
pub trait Column: Copy + Ord + serde::Serialize + std::fmt::Debug + 'static {
    /// All of them, in the sequence of a repetition.
    const ALL: &'static [Self];
    /// Which times are divided.
    const TIMES: &'static [Quotient<Self>];
    /// Which peaks of memory are.
    const MEMORY: &'static [Quotient<Self>];
    /// What they are called, all together, in the figures that are written.
    const TOGETHER: &'static str;
    /// How wide quotients and peaks are printed.
    const WIDTHS: [usize; 2];

    /// In tables.
    fn name(self) -> &'static str;
}

/// Above the line, below the line, and how large the geometric mean may be.
pub type Quotient<C> = (C, C, Option<f64>);

/// One run, or the median of several.
#[derive(Clone, Copy, PartialEq, serde::Serialize, Debug)]
pub struct Sample {
    /// Wall-clock time.
    pub seconds: f64,
    /// Peak memory.
    pub peak_bytes: u64,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row<C> {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Its size.
    pub size: usize,
    /// Repetitions behind each median.
    pub runs: usize,
    /// The medians.
    pub samples: BTreeMap<C, Sample>,
}

/// A quotient of two columns, over all rows.
#[derive(Clone, serde::Serialize, Debug)]
pub struct Mean<C> {
    /// What is divided.
    pub what: &'static str,
    /// Above the line.
    pub of: C,
    /// Below the line.
    pub to: C,
    /// The geometric mean.
    pub mean: f64,
    /// The largest quotient.
    pub most: f64,
    /// The mean may be this large.
    pub target: Option<f64>,
}

impl Sample {
    /// Of one run.
    pub fn of(run: &Run) -> Self {
        Self {
            seconds: run.seconds,
            peak_bytes: run.peak_bytes,
        }
    }

    /// The median time and the median memory.
    pub fn median(samples: Vec<Self>) -> Self {
        let seconds = samples.iter().map(|sample| sample.seconds).collect();
        let mut bytes: Vec<u64> = samples.iter().map(|sample| sample.peak_bytes).collect();
        bytes.sort_unstable();
        Self {
            seconds: median(seconds),
            peak_bytes: bytes.get(bytes.len() / 2).copied().unwrap_or(0),
        }
    }
}

impl<C: Column> Row<C> {
    fn time(&self, of: C, to: C) -> Option<f64> {
        Some(self.samples.get(&of)?.seconds / self.samples.get(&to)?.seconds)
    }

    fn memory(&self, of: C, to: C) -> Option<f64> {
        Some(self.samples.get(&of)?.peak_bytes as f64 / self.samples.get(&to)?.peak_bytes as f64)
    }
}

impl<C: Column> Serialize for Row<C> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(4))?;
        map.serialize_entry("kernel", self.kernel)?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("runs", &self.runs)?;
        map.serialize_entry(C::TOGETHER, &self.samples)?;
        map.end()
    }
}

/// The rows of a table and the means over them.
pub type Figures<C> = (Vec<Row<C>>, Vec<Mean<C>>);

/// Measures kernel by kernel and prints the table as it grows.
pub fn table<'k, C: Column>(
    kernels: impl Iterator<Item = &'k Kernel>,
    measure: impl Fn(&'k Kernel) -> Result<Row<C>, String>,
) -> Result<Figures<C>, String> {
    println!("{}", heading::<C>());
    let mut rows = Vec::new();
    for kernel in kernels {
        let row = measure(kernel)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    let means = means(&rows);
    println!("{}\n", mean_line(&means));
    Ok((rows, means))
}

/// Of every quotient that was measured.
pub fn means<C: Column>(rows: &[Row<C>]) -> Vec<Mean<C>> {
    let times = C::TIMES.iter().filter_map(|&(of, to, target)| {
        let quotients = rows.iter().filter_map(|row| row.time(of, to));
        mean("time", (of, to, target), quotients.collect())
    });
    let memory = C::MEMORY.iter().filter_map(|&(of, to, target)| {
        let quotients = rows.iter().filter_map(|row| row.memory(of, to));
        mean("memory", (of, to, target), quotients.collect())
    });
    times.chain(memory).collect()
}

fn mean<C>(
    what: &'static str,
    (of, to, target): Quotient<C>,
    quotients: Vec<f64>,
) -> Option<Mean<C>> {
    geometric_mean(&quotients).map(|mean| Mean {
        what,
        of,
        to,
        mean,
        most: quotients.iter().copied().fold(0.0, f64::max),
        target,
    })
}

/// The heading above the rows.
fn heading<C: Column>() -> String {
    let [time, memory] = C::WIDTHS;
    let times = C::TIMES.iter();
    let times = times.map(|&(of, to, _)| format!("{:>time$}", title(of, to)));
    let peaks = C::ALL.iter();
    let peaks = peaks.map(|column| format!("{:>memory$}", format!("{} MB", column.name())));
    format!(
        "{:<11}{:>9}{:>10}{} {}",
        "kernel",
        "size",
        "plain ms",
        times.collect::<String>(),
        peaks.collect::<String>()
    )
}

/// One row of the printed table.
fn line<C: Column>(row: &Row<C>) -> String {
    let [time, memory] = C::WIDTHS;
    let plain = C::ALL.first().and_then(|plain| row.samples.get(plain));
    let times = C::TIMES.iter();
    let times = times.map(|&(of, to, _)| cell(row.time(of, to), time, 2, "x"));
    let peaks = C::ALL.iter().map(|column| {
        let peak = row.samples.get(column);
        cell(
            peak.map(|sample| sample.peak_bytes as f64 / 1e6),
            memory,
            0,
            "",
        )
    });
    format!(
        "{:<11}{:>9}{}{} {}",
        row.kernel,
        row.size,
        cell(plain.map(|sample| sample.seconds * 1e3), 10, 0, ""),
        times.collect::<String>(),
        peaks.collect::<String>()
    )
}

/// The line below the table.
fn mean_line<C: Column>(means: &[Mean<C>]) -> String {
    let times = C::TIMES.iter().map(|&(of, to, _)| {
        let found = means
            .iter()
            .find(|m| m.what == "time" && (m.of, m.to) == (of, to));
        cell(found.map(|m| m.mean), C::WIDTHS[0], 2, "x")
    });
    format!("{:<30}{}", "geometric mean", times.collect::<String>())
}

/// Each target and whether it is met.
pub fn targets<C: Column>(means: &[Mean<C>]) -> Vec<String> {
    let line = |mean: &Mean<C>| {
        let target = mean.target?;
        let mark = if mean.mean <= target {
            "met   "
        } else {
            "missed"
        };
        Some(format!(
            "{mark} {} {}: geometric mean at most {target}: {:.2} (worst {:.2})",
            mean.what,
            title(mean.of, mean.to),
            mean.mean,
            mean.most
        ))
    };
    means.iter().filter_map(line).collect()
}

fn title<C: Column>(of: C, to: C) -> String {
    format!("{}/{}", of.name(), to.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::way::{WAYS, Way};

    fn row(seconds: [f64; 4], bytes: [u64; 4]) -> Row<Way> {
        let samples = seconds.into_iter().zip(bytes);
        let samples = samples.map(|(seconds, peak_bytes)| Sample {
            seconds,
            peak_bytes,
        });
        Row {
            kernel: "k",
            size: 1,
            runs: 1,
            samples: WAYS.into_iter().zip(samples).collect(),
        }
    }

    #[test]
    fn means_are_geometric() {
        let rows = [
            row([1.0, 2.0, 2.0, 4.0], [1; 4]),
            row([1.0, 8.0, 8.0, 4.0], [1; 4]),
        ];
        let means = means(&rows);
        assert!((means[0].mean - 4.0).abs() < 1e-12);
        assert!((means[4].mean - 1.0).abs() < 1e-12 && means[4].most == 2.0);
    }

    #[test]
    fn a_missed_target_is_called_missed() {
        let missed = |row: Row<Way>| {
            let lines = targets(&means(&[row]));
            assert_eq!(lines.len(), 3);
            lines
                .iter()
                .filter(|line| line.starts_with("missed"))
                .count()
        };
        assert_eq!(missed(row([1.0, 2.0, 3.0, 6.0], [1, 1, 2, 2])), 0);
        assert_eq!(missed(row([1.0, 2.0, 4.0, 6.0], [1, 1, 3, 2])), 3);
    }

    #[test]
    fn what_was_not_measured_has_neither_figure_nor_target() {
        let mut row = row([1.0; 4], [1; 4]);
        row.samples.remove(&Way::Heddle);
        assert!(line(&row).contains(" -"));
        assert!(targets(&means(&[row])).is_empty());
    }

    #[test]
    fn a_median_takes_time_and_memory_each_for_itself() {
        let sample = |seconds, peak_bytes| Sample {
            seconds,
            peak_bytes,
        };
        let samples = vec![sample(3.0, 1), sample(1.0, 2), sample(2.0, 3)];
        assert_eq!(Sample::median(samples), sample(2.0, 2));
    }
}
