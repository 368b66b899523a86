//! From times to the figures people compare: slowdowns, their geometric mean, and the targets.

use serde::Serialize;

/// One line of the table. Times are medians, in seconds.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Its size.
    pub size: usize,
    /// Unchecked, sequential.
    pub sequential: f64,
    /// Unchecked, on two threads.
    pub pooled: f64,
    /// Checked, serial.
    pub serial: f64,
    /// Checked, on two threads.
    pub parallel: f64,
    /// Repetitions behind each median.
    pub runs: usize,
}

/// The geometric means over all rows.
#[derive(Clone, Copy, Serialize, Debug)]
pub struct Means {
    /// Checked serial against sequential.
    pub serial_slowdown: f64,
    /// Checked on two threads against sequential.
    pub parallel_slowdown: f64,
    /// Sequential against unchecked on two threads.
    pub plain_gain: f64,
    /// Checked serial against checked on two threads.
    pub parallel_gain: f64,
}

const MEAN_AT_MOST: f64 = 3.05;
const EACH_AT_MOST: f64 = 10.0;

impl Row {
    fn serial_slowdown(&self) -> f64 {
        self.serial / self.sequential
    }

    fn parallel_slowdown(&self) -> f64 {
        self.parallel / self.sequential
    }

    /// What two threads gain the program itself: no more can be asked of the checked one.
    fn plain_gain(&self) -> f64 {
        self.sequential / self.pooled
    }

    fn parallel_gain(&self) -> f64 {
        self.serial / self.parallel
    }
}

/// See [`Means`].
pub fn means(rows: &[Row]) -> Means {
    let mean = |of: fn(&Row) -> f64| {
        let logarithms: f64 = rows.iter().map(|row| of(row).ln()).sum();
        (logarithms / rows.len().max(1) as f64).exp()
    };
    Means {
        serial_slowdown: mean(Row::serial_slowdown),
        parallel_slowdown: mean(Row::parallel_slowdown),
        plain_gain: mean(Row::plain_gain),
        parallel_gain: mean(Row::parallel_gain),
    }
}

/// The heading above the rows. The last two columns are what two threads gain, without and with
/// checking.
pub fn heading() -> String {
    format!(
        "{:<11} {:>9} {:>13} {:>12} {:>9} {:>13} {:>9} {:>11} {:>6}",
        "kernel",
        "size",
        "sequential ms",
        "serial ms",
        "slowdown",
        "2 threads ms",
        "slowdown",
        "plain gain",
        "gain"
    )
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    format!(
        "{:<11} {:>9} {:>13.1} {:>12.1} {:>8.2}x {:>13.1} {:>8.2}x {:>10.2}x {:>5.2}x",
        row.kernel,
        row.size,
        row.sequential * 1e3,
        row.serial * 1e3,
        row.serial_slowdown(),
        row.parallel * 1e3,
        row.parallel_slowdown(),
        row.plain_gain(),
        row.parallel_gain(),
    )
}

/// The line below the table.
pub fn mean_line(rows: &[Row]) -> String {
    let means = means(rows);
    format!(
        "{:<48} {:>8.2}x {:>13} {:>8.2}x {:>10.2}x {:>5.2}x",
        "geometric mean",
        means.serial_slowdown,
        "",
        means.parallel_slowdown,
        means.plain_gain,
        means.parallel_gain
    )
}

/// Each target and whether the rows meet it.
pub fn targets(rows: &[Row]) -> Vec<String> {
    let mean = means(rows).serial_slowdown;
    let slowest = rows.iter().map(Row::serial_slowdown).fold(0.0, f64::max);
    let least_gain = rows
        .iter()
        .map(Row::parallel_gain)
        .fold(f64::INFINITY, f64::min);
    vec![
        format!(
            "{} checked serial: geometric mean at most {MEAN_AT_MOST}x: {mean:.2}x",
            mark(mean <= MEAN_AT_MOST)
        ),
        format!(
            "{} checked serial: each at most {EACH_AT_MOST}x: {slowest:.2}x",
            mark(slowest <= EACH_AT_MOST)
        ),
        format!(
            "{} checked on two threads: each faster than serial: {least_gain:.2}x",
            mark(least_gain > 1.0)
        ),
    ]
}

fn mark(met: bool) -> &'static str {
    if met { "met   " } else { "missed" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sequential: f64, pooled: f64, serial: f64, parallel: f64) -> Row {
        Row {
            kernel: "k",
            size: 1,
            sequential,
            pooled,
            serial,
            parallel,
            runs: 1,
        }
    }

    #[test]
    fn the_mean_is_geometric() {
        let rows = [row(1.0, 0.5, 2.0, 1.0), row(1.0, 0.8, 8.0, 4.0)];
        let means = means(&rows);
        assert!((means.serial_slowdown - 4.0).abs() < 1e-12);
        assert!((means.parallel_gain - 2.0).abs() < 1e-12);
        assert!((means.plain_gain - 2.5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_missed_target_is_called_missed() {
        let missed = |rows: &[Row]| {
            let lines = targets(rows);
            lines
                .iter()
                .filter(|line| line.starts_with("missed"))
                .count()
        };
        assert_eq!(missed(&[row(1.0, 1.0, 11.0, 12.0)]), 3);
        assert_eq!(missed(&[row(1.0, 1.0, 2.0, 1.5)]), 0);
    }
}
