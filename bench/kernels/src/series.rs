//! Series: the first Fourier coefficients of (x+1)^x over the interval from 0 to 2.
//!
//! One task per pair of coefficients; a task integrates by the trapezoid rule in local variables and
//! writes its pair once.

use crate::kernel::{Digest, Kernel, Variant};
use heddle::{Shared, SharedVec, par_for};
use std::f64::consts::PI;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Series",
    defect: "the running sum of the integration is one shared variable",
    file: file!(),
    source: include_str!("series.rs"),
    small: 6,
    full: 1500,
    run: |pairs, variant| Digest::of_floats(&run(pairs, variant)),
    reference: |pairs| Digest::of_floats(&reference(pairs)),
};

const STEPS: usize = 1000;
const WIDTH: f64 = 2.0 / STEPS as f64;

/// The coefficients a0, b0, a1, b1 and so on.
pub fn run(pairs: usize, variant: Variant) -> Vec<f64> {
    let coefficients = SharedVec::from(vec![0.0; 2 * pairs]);
    let sum = Shared::new(0.0);
    par_for(0..pairs, |n| {
        let pair = match variant {
            Variant::Sound => [cosine, sine].map(|wave| integrate(n, wave)),
            Variant::Seeded => [cosine, sine].map(|wave| integrate_in(&sum, n, wave)),
        };
        coefficients.write_from(2 * n..2 * n + 2, &scaled(n, pair));
    });
    coefficients.into_vec()
}

/// The same on a vector, without tasks.
pub fn reference(pairs: usize) -> Vec<f64> {
    let mut coefficients = Vec::with_capacity(2 * pairs);
    for n in 0..pairs {
        let pair = [integrate(n, cosine), integrate(n, sine)];
        coefficients.extend(scaled(n, pair));
    }
    coefficients
}

type Wave = fn(f64) -> f64;

fn cosine(angle: f64) -> f64 {
    angle.cos()
}

fn sine(angle: f64) -> f64 {
    angle.sin()
}

/// The constant term counts half.
fn scaled(n: usize, pair: [f64; 2]) -> [f64; 2] {
    let scale = if n == 0 { 0.5 } else { 1.0 };
    pair.map(|value| value * scale)
}

fn integrand(step: usize, n: usize, wave: Wave) -> f64 {
    let x = step as f64 * WIDTH;
    let weight = if step == 0 || step == STEPS { 0.5 } else { 1.0 };
    weight * (x + 1.0).powf(x) * wave(PI * n as f64 * x)
}

fn integrate(n: usize, wave: Wave) -> f64 {
    let mut sum = 0.0;
    for step in 0..=STEPS {
        sum += integrand(step, n, wave);
    }
    sum * WIDTH
}

/// Wrong: all tasks add up in the same place.
fn integrate_in(sum: &Shared<f64>, n: usize, wave: Wave) -> f64 {
    sum.set(0.0); // racy
    for step in 0..=STEPS {
        let term = integrand(step, n, wave);
        sum.add(term);
    }
    sum.get() * WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_term_is_half_the_integral_over_the_interval() {
        // The integral of (x+1)^x from 0 to 2 is 5.76388...
        let series = reference(2);
        assert!((series[0] - 2.8819).abs() < 1e-3, "{series:?}");
        assert!(series[1].abs() < 1e-12, "{series:?}");
    }
}
