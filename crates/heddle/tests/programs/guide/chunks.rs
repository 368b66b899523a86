//! Smoothing a signal in chunks, each with a sum of its own.

use heddle::{SharedVec, par_chunks};

const CHUNK: usize = 1000;

/// Fills `smoothed` with the means of each value of `signal` and its neighbours. Returns by how much
/// all values changed together.
pub fn smooth(signal: &SharedVec<f64>, smoothed: &SharedVec<f64>) -> f64 {
    let inner = 1..signal.len() - 1;
    let changes = SharedVec::new(signal.len().div_ceil(CHUNK), 0.0);
    par_chunks(inner, CHUNK, |own| {
        let around = signal.slice(own.start - 1..own.end + 1).to_vec();
        let means: Vec<f64> = around
            .windows(3)
            .map(|w| (w[0] + w[1] + w[2]) / 3.0)
            .collect();
        let change = means
            .iter()
            .zip(&around[1..])
            .map(|(mean, own)| (mean - own).abs());
        changes.set(own.start / CHUNK, change.sum());
        smoothed.write_from(own, &means);
    });
    changes.iter().sum()
}
