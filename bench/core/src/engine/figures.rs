//! The table of the one engine: cost per task and per access, memory, and how flat they stay.

use super::program::{ALIVE, Sharing};
use super::{Measured, Program};
use bench_harness::cell;
use serde::Serialize;

/// One line of the table.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// What tasks have in common.
    pub sharing: &'static str,
    /// Threads that run them.
    pub threads: u32,
    /// Tasks that access something.
    pub tasks: u32,
    /// Processor time of a whole checked run.
    pub nanos_per_task: Option<f64>,
    /// The same divided by the accesses of a task; spawning it is part of it.
    pub nanos_per_access: Option<f64>,
    /// The most memory the process held.
    pub peak_bytes: Option<u64>,
    /// Timed runs behind the median.
    pub runs: usize,
    /// Why there are no figures.
    pub stopped: Option<String>,
}

/// How the cost at the largest size that was finished compares with the smallest one.
#[derive(Clone, Serialize, Debug)]
pub struct Ratio {
    /// What tasks have in common.
    pub sharing: &'static str,
    /// Threads that run them.
    pub threads: u32,
    /// The smallest and the largest size.
    pub tasks: [u32; 2],
    /// Cost per task, the most expensive size over the smallest.
    pub cost: f64,
    /// Whether a larger size was stopped.
    pub stopped: bool,
}

const FLAT_WITHIN: f64 = 1.5;
const FEW_ALIVE_BYTES: u64 = 300_000_000;

impl Row {
    /// From what a child measured, or why it did not.
    pub fn new(program: Program, measured: Result<Measured, String>) -> Self {
        let nanos = |m: &Measured| m.seconds * 1e9 / f64::from(program.tasks);
        let found = measured.as_ref().ok();
        let accesses = f64::from(program.sharing.accesses());
        Self {
            sharing: program.sharing.name(),
            threads: program.threads,
            tasks: program.tasks,
            nanos_per_task: found.map(nanos),
            nanos_per_access: found
                .map(|m| nanos(m) / accesses)
                .filter(|_| accesses > 0.0),
            peak_bytes: found.map(|m| m.peak_bytes),
            runs: found.map_or(0, |m| m.runs),
            stopped: measured.err(),
        }
    }
}

/// The heading above the rows.
pub fn heading() -> String {
    format!(
        "{:<10} {:>7} {:>10} {:>10} {:>10} {:>10} {:>6}",
        "one engine", "threads", "tasks", "ns/task", "ns/access", "peak MiB", "runs"
    )
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    let mebibytes = row
        .peak_bytes
        .map(|bytes| bytes as f64 / f64::from(1 << 20));
    let line = format!(
        "{:<10} {:>7} {:>10} {} {} {} {:>6}  {}",
        row.sharing,
        row.threads,
        row.tasks,
        cell(row.nanos_per_task, 10, 1, ""),
        cell(row.nanos_per_access, 10, 1, ""),
        cell(mebibytes, 10, 1, ""),
        row.runs,
        row.stopped.as_deref().unwrap_or_default(),
    );
    line.trim_end().to_owned()
}

/// How flat each series is, in the sequence of the rows.
pub fn ratios(rows: &[Row]) -> Vec<Ratio> {
    let series = rows.chunk_by(|a, b| (a.sharing, a.threads) == (b.sharing, b.threads));
    series.filter_map(ratio).collect()
}

/// One series from its smallest size to its largest; nothing if there is but one.
fn ratio(series: &[Row]) -> Option<Ratio> {
    let done = || {
        series
            .iter()
            .filter_map(|row| Some((row.tasks, row.nanos_per_task?)))
    };
    let (smallest, first) = done().next()?;
    let (largest, _) = done().next_back()?;
    let most = done().map(|(_, nanos)| nanos).fold(0.0, f64::max);
    (series.len() > 1).then(|| Ratio {
        sharing: series[0].sharing,
        threads: series[0].threads,
        tasks: [smallest, largest],
        cost: most / first,
        stopped: series.iter().any(|row| row.stopped.is_some()),
    })
}

/// The lines below the table: how flat each series is.
pub fn ratio_line(ratio: &Ratio) -> String {
    let stopped = if ratio.stopped { "   then stopped" } else { "" };
    format!(
        "{:<10} {:>7} {:>10} / {:<8} {:>6.2}x{stopped}",
        ratio.sharing, ratio.threads, ratio.tasks[1], ratio.tasks[0], ratio.cost
    )
}

/// Each target and whether the rows meet it.
pub fn targets(rows: &[Row], ratios: &[Ratio]) -> Vec<String> {
    let worst = ratios.iter().map(|ratio| ratio.cost).fold(0.0, f64::max);
    let stopped = ratios.iter().filter(|ratio| ratio.stopped).count();
    let flat = (!ratios.is_empty()).then(|| {
        format!(
            "{} one engine: flat within {FLAT_WITHIN}x: {worst:.2}x, {stopped} series stopped",
            crate::figures::mark(worst <= FLAT_WITHIN && stopped == 0)
        )
    });
    let few_alive = rows
        .iter()
        .filter(|row| row.sharing == Sharing::FewAlive.name());
    let memory = few_alive.map(|row| {
        let met = row.peak_bytes.is_some_and(|bytes| bytes < FEW_ALIVE_BYTES);
        format!(
            "{} one engine: {} tasks, {ALIVE} at a time, on {} threads: less than 300 MB: {}",
            crate::figures::mark(met),
            row.tasks,
            row.threads,
            cell(row.peak_bytes.map(|bytes| bytes as f64 / 1e6), 0, 0, " MB"),
        )
    });
    flat.into_iter().chain(memory).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tasks: u32, seconds: Result<f64, String>) -> Row {
        let program = Program {
            sharing: Sharing::Read,
            tasks,
            threads: 1,
        };
        let measured = seconds.map(|seconds| Measured {
            seconds,
            runs: 3,
            peak_bytes: 1 << 20,
        });
        Row::new(program, measured)
    }

    #[test]
    fn an_access_is_a_fourth_of_a_task_that_makes_four() {
        let row = row(1000, Ok(4e-6));
        assert_eq!(
            (row.nanos_per_task, row.nanos_per_access),
            (Some(4.0), Some(1.0))
        );
    }

    #[test]
    fn a_series_that_was_stopped_misses_the_target_however_flat_it_was_until_then() {
        let rows = [
            row(10, Ok(1.0)),
            row(100, Ok(11.0)),
            row(1000, Err("late".into())),
        ];
        let ratios = ratios(&rows);
        assert_eq!((ratios[0].tasks, ratios[0].stopped), ([10, 100], true));
        assert!((ratios[0].cost - 1.1).abs() < 1e-9);
        assert!(targets(&rows, &ratios)[0].starts_with("missed"));
        assert!(line(&rows[2]).ends_with("late"));
    }
}
