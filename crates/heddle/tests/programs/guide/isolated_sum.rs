//! Smoothing a signal; the sum is protected.

use heddle::{Shared, SharedVec, isolated, par_for};

/// Fills `smoothed` with the means of each value of `signal` and its neighbours. Returns by how much
/// all values changed together.
pub fn smooth(signal: &SharedVec<f64>, smoothed: &SharedVec<f64>) -> f64 {
    let change = Shared::new(0.0);
    par_for(1..signal.len() - 1, |i| {
        let [left, own, right] = [i - 1, i, i + 1].map(|at| signal.get(at));
        let mean = (left + own + right) / 3.0;
        smoothed.set(i, mean);
        isolated(|| change.add((mean - own).abs()));
    });
    change.get()
}
