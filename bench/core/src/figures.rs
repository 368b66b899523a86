//! From measurements to the figures people compare: cost per access and per spawn, throughput,
//! memory, and how flat all of it stays.

use crate::measure::Measurement;
use crate::work::ACCESSES_PER_TASK;
use serde::Serialize;

/// One line of the table.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// Name of the order.
    pub order: &'static str,
    /// Name of the shape.
    pub shape: &'static str,
    /// Spawned tasks.
    pub tasks: u32,
    /// Of a whole checked run divided by its accesses; spawns are part of it.
    pub nanos_per_access: f64,
    /// Of a checked run in which tasks do nothing.
    pub nanos_per_spawn: f64,
    /// Of the run with accesses.
    pub peak_bytes: u64,
    /// Of the run without.
    pub peak_bytes_spawns_only: u64,
    /// Timed runs behind each median.
    pub runs: usize,
}

/// How a cost at the largest size compares with the smallest one.
#[derive(Clone, Serialize, Debug)]
pub struct Ratio {
    /// Name of the order.
    pub order: &'static str,
    /// Name of the shape.
    pub shape: &'static str,
    /// The smallest and the largest size.
    pub tasks: [u32; 2],
    /// Cost per access, largest over smallest.
    pub access: f64,
    /// Cost per spawn, largest over smallest.
    pub spawn: f64,
}

// The targets. Throughput is asked of bags, what programs get unless they need more.
const BAGS: &str = "bags";
const FLAT_WITHIN: f64 = 2.0;
const ACCESSES_PER_SECOND: f64 = 20e6;
const SPAWNS_PER_SECOND: f64 = 3e6;
const PEAK_BYTES: u64 = 3 << 29;

impl Row {
    /// Joins the two measurements of one program.
    pub fn new(
        (order, shape, tasks): (&'static str, &'static str, u32),
        accesses: Measurement,
        spawns: Measurement,
    ) -> Self {
        let nanos_per_task = |measured: Measurement| measured.seconds * 1e9 / f64::from(tasks);
        Self {
            order,
            shape,
            tasks,
            nanos_per_access: nanos_per_task(accesses) / ACCESSES_PER_TASK as f64,
            nanos_per_spawn: nanos_per_task(spawns),
            peak_bytes: accesses.peak_bytes,
            peak_bytes_spawns_only: spawns.peak_bytes,
            runs: accesses.runs,
        }
    }

    fn accesses_per_second(&self) -> f64 {
        1e9 / self.nanos_per_access
    }

    fn spawns_per_second(&self) -> f64 {
        1e9 / self.nanos_per_spawn
    }
}

/// The ratio between the ends of each order and shape, in the sequence of the rows.
pub fn ratios(rows: &[Row]) -> Vec<Ratio> {
    rows.chunk_by(|a, b| (a.order, a.shape) == (b.order, b.shape))
        .filter_map(|group| {
            let (first, last) = (group.first()?, group.last()?);
            Some(Ratio {
                order: first.order,
                shape: first.shape,
                tasks: [first.tasks, last.tasks],
                access: last.nanos_per_access / first.nanos_per_access,
                spawn: last.nanos_per_spawn / first.nanos_per_spawn,
            })
        })
        .collect()
}

/// The heading above the rows.
pub fn heading() -> String {
    format!(
        "{:<6} {:<11} {:>10} {:>10} {:>12} {:>9} {:>11} {:>10} {:>10}",
        "order",
        "shape",
        "tasks",
        "ns/access",
        "M accesses/s",
        "ns/spawn",
        "M spawns/s",
        "peak MiB",
        "no access"
    )
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    format!(
        "{:<6} {:<11} {:>10} {:>10.1} {:>12.1} {:>9.1} {:>11.2} {:>10.1} {:>10.1}",
        row.order,
        row.shape,
        row.tasks,
        row.nanos_per_access,
        row.accesses_per_second() / 1e6,
        row.nanos_per_spawn,
        row.spawns_per_second() / 1e6,
        mebibytes(row.peak_bytes),
        mebibytes(row.peak_bytes_spawns_only),
    )
}

/// The lines below the table: how flat each order and shape is.
pub fn ratio_line(ratio: &Ratio) -> String {
    format!(
        "{:<6} {:<11} {:>10} / {:<8} access {:>5.2}x   spawn {:>5.2}x",
        ratio.order, ratio.shape, ratio.tasks[1], ratio.tasks[0], ratio.access, ratio.spawn
    )
}

/// Each target and whether the rows meet it.
pub fn targets(rows: &[Row], ratios: &[Ratio]) -> Vec<String> {
    let bags = || rows.iter().filter(|row| row.order == BAGS);
    let least = |of: fn(&Row) -> f64| bags().map(of).fold(f64::INFINITY, f64::min);
    let accesses = least(Row::accesses_per_second);
    let spawns = least(Row::spawns_per_second);
    let peak = rows.iter().map(|row| row.peak_bytes).max().unwrap_or(0);
    let worst = ratios
        .iter()
        .map(|r| r.access.max(r.spawn))
        .fold(0.0, f64::max);
    vec![
        format!(
            "{} bags: at least 20 M accesses/s everywhere: {:.1}",
            mark(accesses >= ACCESSES_PER_SECOND),
            accesses / 1e6
        ),
        format!(
            "{} bags: at least 3 M spawns/s everywhere: {:.2}",
            mark(spawns >= SPAWNS_PER_SECOND),
            spawns / 1e6
        ),
        format!(
            "{} all: less than 1536 MiB: {:.0}",
            mark(peak < PEAK_BYTES),
            mebibytes(peak)
        ),
        format!(
            "{} all: flat within 2x: {worst:.2}x",
            mark(worst <= FLAT_WITHIN)
        ),
    ]
}

/// How a line about a target begins.
pub fn mark(met: bool) -> &'static str {
    if met { "met   " } else { "missed" }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(shape: &'static str, tasks: u32, seconds: f64) -> Row {
        let measurement = Measurement {
            seconds,
            runs: 3,
            peak_bytes: 1 << 20,
        };
        Row::new((BAGS, shape, tasks), measurement, measurement)
    }

    #[test]
    fn cost_per_access_is_a_sixteenth_of_cost_per_task() {
        let row = row("wide", 1000, 16e-6);
        assert!((row.nanos_per_access - 1.0).abs() < 1e-9);
        assert!((row.nanos_per_spawn - 16.0).abs() < 1e-9);
    }

    #[test]
    fn ratios_compare_the_ends_of_each_shape() {
        let rows = [
            row("wide", 10, 1.0),
            row("wide", 100, 30.0),
            row("deep", 10, 1.0),
        ];
        let found: Vec<_> = ratios(&rows).iter().map(|r| (r.shape, r.tasks)).collect();
        assert_eq!(found, [("wide", [10, 100]), ("deep", [10, 10])]);
        assert!((ratios(&rows)[0].access - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_missed_target_is_called_missed() {
        let rows = [row("wide", 1000, 1e-6), row("wide", 1_000_000, 1.0)];
        let lines = targets(&rows, &ratios(&rows));
        let missed = lines
            .iter()
            .filter(|line| line.starts_with("missed"))
            .count();
        assert_eq!((lines.len(), missed), (4, 3), "{lines:?}");
    }
}
