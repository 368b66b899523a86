//! What the tree's layout in an array and the cache of answers gain: Fig. 14 of the paper.
//!
//! All variants run in the same library, which asks at each question which one is wanted.

use crate::column::Column;
use crate::options::Options;
use bench_harness::{cell, geometric_mean, median};
use bench_native::kernel::Kernel;
use bench_native::measure::{check, sequential};
use bench_native::process;
use bench_native::toolchain::Toolchain;
use serde::Serialize;

/// The variants, and what they are called in tables.
const VARIANTS: [(&str, &str); 4] = [
    ("", "array"),
    ("uncached", "array, no cache"),
    ("linked", "linked"),
    ("linked,uncached", "linked, no cache"),
];

/// One line of the table.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// How many times slower than without a checker each variant is.
    pub slowdowns: Vec<f64>,
}

/// Median slowdowns. The variants take turns.
pub fn measure(tools: &Toolchain, kernel: &Kernel, options: &Options) -> Result<Row, String> {
    let size = options.size(kernel);
    let expected = sequential(tools, kernel, size)?;
    let plain = Column::Plain.build(tools, kernel)?;
    let program = Column::Atomicity.build(tools, kernel)?;
    let mut plain_times = Vec::new();
    let mut times = vec![Vec::new(); VARIANTS.len()];
    for _ in 0..options.runs {
        plain_times.push(Column::Plain.run(&plain, size)?.seconds);
        for ((wanted, name), times) in VARIANTS.iter().zip(&mut times) {
            let mut command = Column::Atomicity.command(&program, size);
            command.env("HEDDLE_STUDY", wanted);
            let run = process::run(tools.study(&mut command), &program)?;
            check(&run, &expected).map_err(|e| format!("{}, {name}: {e}", kernel.name))?;
            times.push(run.seconds);
        }
    }
    let plain = median(plain_times);
    Ok(Row {
        kernel: kernel.name,
        slowdowns: times
            .into_iter()
            .map(|times| median(times) / plain)
            .collect(),
    })
}

/// The geometric mean of each variant.
pub fn means(rows: &[Row]) -> Vec<f64> {
    let mean = |n: usize| {
        let slowdowns = rows.iter().filter_map(|row| row.slowdowns.get(n).copied());
        geometric_mean(&slowdowns.collect::<Vec<_>>())
    };
    (0..VARIANTS.len()).filter_map(mean).collect()
}

/// The heading above the rows.
pub fn heading() -> String {
    let names = VARIANTS.map(|(_, name)| format!("{name:>18}"));
    format!("{:<16}{}", "slowdown", names.concat())
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    format!("{:<16}{}", row.kernel, cells(&row.slowdowns))
}

/// The line below the table.
pub fn mean_line(means: &[f64]) -> String {
    format!("{:<16}{}", "geometric mean", cells(means))
}

fn cells(values: &[f64]) -> String {
    let cells = values.iter().map(|&value| cell(Some(value), 18, 2, "x"));
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variant_has_its_mean() {
        let row = |slowdowns: [f64; 4]| Row {
            kernel: "k",
            slowdowns: slowdowns.to_vec(),
        };
        let means = means(&[row([1.0, 2.0, 2.0, 3.0]), row([4.0, 2.0, 8.0, 3.0])]);
        let expected = [2.0, 2.0, 4.0, 3.0];
        assert!(
            means
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }
}
