//! Series-af and Series-f: Fourier coefficients, by async-finish and by futures.

use crate::verdict::assert_clean;
use heddle::{Shared2d, finish, par_for};
use std::f64::consts::PI;

const PAIRS: usize = 100;
const STEPS: usize = 50;

/// The integral of (x+1)^x times a wave, from 0 to 2, by the midpoint rule.
fn integral(wave: impl Fn(f64) -> f64) -> f64 {
    let width = 2.0 / STEPS as f64;
    let middles = (0..STEPS).map(|step| (step as f64 + 0.5) * width);
    middles.map(|x| (x + 1.0).powf(x) * wave(x) * width).sum()
}

fn pair(n: usize) -> [f64; 2] {
    let angle = |x: f64| PI * n as f64 * x;
    [integral(|x| angle(x).cos()), integral(|x| angle(x).sin())]
}

fn series_by_async_finish() {
    let series = Shared2d::new(PAIRS, 2, 0.0);
    par_for(0..PAIRS, |n| series.row(n).write_from(.., &pair(n)));
    assert_eq!(series.row(3).to_vec(), pair(3));
}

#[test]
fn series_by_async_finish_is_clean() {
    assert_clean(series_by_async_finish);
}

/// The coefficients come back as values; only the main task writes.
fn series_by_futures() {
    let series = Shared2d::new(PAIRS, 2, 0.0);
    finish(|s| {
        let pairs: Vec<_> = (0..PAIRS).map(|n| s.future(move || pair(n))).collect();
        for (n, future) in pairs.into_iter().enumerate() {
            series.row(n).write_from(.., &future.join());
        }
    });
    assert_eq!(series.row(3).to_vec(), pair(3));
}

#[test]
fn series_by_futures_is_clean() {
    assert_clean(series_by_futures);
}
