//! MonteCarlo: what a share may be worth, from random walks with the drift and volatility of its past.
//!
//! A first task works out drift and volatility; then one task per walk, each with its own generator.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{Shared, SharedVec, finish, par_for};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "MonteCarlo",
    defect: "the walks add their results to one shared sum",
    file: file!(),
    source: include_str!("montecarlo.rs"),
    small: 20,
    full: 5000,
    run: |walks, variant| Digest::of_floats(&run(walks, variant)),
    reference: |walks| Digest::of_floats(&reference(walks)),
};

const DAYS: usize = 1000;

/// The mean return, then the return of each walk.
pub fn run(walks: usize, variant: Variant) -> Vec<f64> {
    let prices = SharedVec::from(past_prices());
    let [drift, volatility, sum] = [0.0; 3].map(Shared::new);
    let returns = SharedVec::from(vec![0.0; walks]);
    finish(|s| {
        s.spawn(|_| {
            let (mean, deviation) = moments(&prices.to_vec());
            drift.set(mean);
            volatility.set(deviation);
        });
    });
    par_for(0..walks, |walk| {
        let end = walk_to_end(walk, drift.get(), volatility.get());
        returns.set(walk, end);
        if variant == Variant::Seeded {
            sum.set(sum.get() + end); // racy
        }
    });
    with_mean(returns.into_vec())
}

/// The same on vectors, without tasks.
pub fn reference(walks: usize) -> Vec<f64> {
    let (drift, volatility) = moments(&past_prices());
    let walk = |walk| walk_to_end(walk, drift, volatility);
    with_mean((0..walks).map(walk).collect())
}

fn with_mean(returns: Vec<f64>) -> Vec<f64> {
    let mean = returns.iter().sum::<f64>() / returns.len() as f64;
    std::iter::once(mean).chain(returns).collect()
}

fn past_prices() -> Vec<f64> {
    let mut random = Random::new(17);
    let mut price = 100.0;
    let mut next = || {
        price *= 1.0 + 0.01 * random.gaussian();
        price
    };
    (0..DAYS).map(|_| next()).collect()
}

/// Mean and standard deviation of the daily logarithmic returns.
fn moments(prices: &[f64]) -> (f64, f64) {
    let returns: Vec<f64> = prices.windows(2).map(|w| (w[1] / w[0]).ln()).collect();
    let count = returns.len() as f64;
    let mean = returns.iter().sum::<f64>() / count;
    let squares: f64 = returns.iter().map(|r| (r - mean) * (r - mean)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

fn walk_to_end(seed: usize, drift: f64, volatility: f64) -> f64 {
    let mut random = Random::new(seed as u64);
    let mut step = || drift + volatility * random.gaussian();
    (0..DAYS).map(|_| step()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_of_a_steady_growth_have_no_deviation() {
        let prices: Vec<f64> = (0..50).map(|day| 1.01f64.powi(day)).collect();
        let (drift, volatility) = moments(&prices);
        assert!((drift - 1.01f64.ln()).abs() < 1e-12);
        assert!(volatility < 1e-12);
    }
}
