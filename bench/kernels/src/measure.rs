//! Measuring one kernel in its four ways.

use crate::figures::Row;
use bench_kernels::{Digest, Kernel, Variant};
use heddle::Checker;
use rayon_core::ThreadPoolBuilder;
use std::time::Instant;

/// How a kernel is run.
#[derive(Clone, Copy, Debug)]
enum Way {
    Sequential,
    /// Unchecked, on as many threads as the checked parallel run.
    Pooled,
    Serial,
    Parallel,
}

const WAYS: [Way; 4] = [Way::Sequential, Way::Pooled, Way::Serial, Way::Parallel];
const THREADS: usize = 2;

/// Median times over `runs` repetitions, after one that is not counted.
pub fn measure(kernel: &Kernel, runs: usize) -> Result<Row, String> {
    let expected = (kernel.reference)(kernel.full);
    let mut times = [const { Vec::new() }; WAYS.len()];
    for run in 0..=runs {
        for (way, times) in WAYS.into_iter().zip(&mut times) {
            let seconds = timed(kernel, way, expected)?;
            if run > 0 {
                times.push(seconds);
            }
        }
    }
    let [sequential, pooled, serial, parallel] = times.map(median);
    Ok(Row {
        kernel: kernel.name,
        size: kernel.full,
        sequential,
        pooled,
        serial,
        parallel,
        runs,
    })
}

fn timed(kernel: &Kernel, way: Way, expected: Digest) -> Result<f64, String> {
    let start = Instant::now();
    let result = run(kernel, way)?;
    let seconds = start.elapsed().as_secs_f64();
    if result != expected {
        return Err(format!("{}, {way:?}: wrong result", kernel.name));
    }
    Ok(seconds)
}

fn run(kernel: &Kernel, way: Way) -> Result<Digest, String> {
    let program = || (kernel.run)(kernel.full, Variant::Sound);
    match way {
        Way::Sequential => Ok(heddle::sequential(program)),
        Way::Pooled => on_plain_threads(program),
        Way::Serial => checked(Checker::new(), program),
        Way::Parallel => checked(Checker::new().parallel(THREADS), program),
    }
}

/// As a checked parallel run: the threads are made for it, and the program runs on one of them.
fn on_plain_threads(program: impl FnOnce() -> Digest + Send) -> Result<Digest, String> {
    let threads = ThreadPoolBuilder::new().num_threads(THREADS).build();
    let threads = threads.map_err(|e| format!("no threads: {e}"))?;
    Ok(threads.install(program))
}

fn checked(checker: Checker, program: impl FnOnce() -> Digest + Send) -> Result<Digest, String> {
    let mut result = None;
    let report = checker.check(|| result = Some(program()));
    if !report.is_clean() {
        return Err(report.to_string());
    }
    result.ok_or_else(|| "the program did not run".to_owned())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_count_is_the_middle_one() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
