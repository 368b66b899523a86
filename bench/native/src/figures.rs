//! From runs to the figures people compare: slowdowns, memory, their geometric means, and the targets.

use crate::process::Run;
use crate::way::{WAYS, Way};
use bench_harness::{cell, geometric_mean, median};
use serde::Serialize;
use std::collections::BTreeMap;

/// One run, or the median of several.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Sample {
    /// Wall-clock time.
    pub seconds: f64,
    /// Peak memory.
    pub peak_bytes: u64,
}

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
    pub ways: BTreeMap<Way, Sample>,
}

/// A quotient of two ways, over all rows.
#[derive(Clone, Serialize, Debug)]
pub struct Mean {
    /// What is divided.
    pub what: &'static str,
    /// Above the line.
    pub of: Way,
    /// Below the line.
    pub to: Way,
    /// The geometric mean.
    pub mean: f64,
    /// The largest quotient.
    pub most: f64,
    /// The mean may be this large.
    pub target: Option<f64>,
}

const TIMES: [(Way, Way, Option<f64>); 5] = [
    (Way::Null, Way::Plain, None),
    (Way::Heddle, Way::Plain, None),
    (Way::Archer, Way::Plain, None),
    (Way::Heddle, Way::Null, Some(1.6)),
    (Way::Heddle, Way::Archer, Some(0.6)),
];

const MEMORY: (Way, Way, Option<f64>) = (Way::Heddle, Way::Archer, Some(1.0));

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

impl Row {
    fn time(&self, of: Way, to: Way) -> Option<f64> {
        Some(self.ways.get(&of)?.seconds / self.ways.get(&to)?.seconds)
    }

    fn memory(&self, of: Way, to: Way) -> Option<f64> {
        Some(self.ways.get(&of)?.peak_bytes as f64 / self.ways.get(&to)?.peak_bytes as f64)
    }
}

/// Of every quotient that was measured.
pub fn means(rows: &[Row]) -> Vec<Mean> {
    let times = TIMES.iter().filter_map(|&(of, to, target)| {
        let quotients = rows.iter().filter_map(|row| row.time(of, to));
        mean("time", (of, to, target), quotients.collect())
    });
    let (of, to, _) = MEMORY;
    let quotients = rows.iter().filter_map(|row| row.memory(of, to));
    times
        .chain(mean("memory", MEMORY, quotients.collect()))
        .collect()
}

fn mean(
    what: &'static str,
    (of, to, target): (Way, Way, Option<f64>),
    quotients: Vec<f64>,
) -> Option<Mean> {
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
pub fn heading() -> String {
    let times = TIMES.map(|(of, to, _)| format!("{:>14}", title(of, to)));
    let memory = WAYS.map(|way| format!("{:>10}", format!("{} MB", way.name())));
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
    let plain = row.ways.get(&Way::Plain).map(|sample| sample.seconds * 1e3);
    let times = TIMES.map(|(of, to, _)| cell(row.time(of, to), 14, 2, "x"));
    let memory = WAYS.map(|way| {
        let bytes = row.ways.get(&way).map(|sample| sample.peak_bytes as f64);
        cell(bytes.map(|bytes| bytes / 1e6), 10, 0, "")
    });
    format!(
        "{:<11}{:>9}{}{} {}",
        row.kernel,
        row.size,
        cell(plain, 10, 0, ""),
        times.concat(),
        memory.concat()
    )
}

/// The line below the table.
pub fn mean_line(means: &[Mean]) -> String {
    let times = TIMES.map(|(of, to, _)| {
        let found = means
            .iter()
            .find(|m| m.what == "time" && (m.of, m.to) == (of, to));
        cell(found.map(|m| m.mean), 14, 2, "x")
    });
    format!("{:<30}{}", "geometric mean", times.concat())
}

/// Each target and whether it is met.
pub fn targets(means: &[Mean]) -> Vec<String> {
    let line = |mean: &Mean| {
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

fn title(of: Way, to: Way) -> String {
    format!("{}/{}", of.name(), to.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seconds: [f64; 4], bytes: [u64; 4]) -> Row {
        let samples = seconds.into_iter().zip(bytes);
        let samples = samples.map(|(seconds, peak_bytes)| Sample {
            seconds,
            peak_bytes,
        });
        Row {
            kernel: "k",
            size: 1,
            runs: 1,
            ways: WAYS.into_iter().zip(samples).collect(),
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
        let missed = |row: Row| {
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
        row.ways.remove(&Way::Heddle);
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
