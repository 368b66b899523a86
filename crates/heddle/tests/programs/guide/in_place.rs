//! Smoothing a signal, in place.

use heddle::{Shared, SharedVec, par_for};

/// Replaces each value by the mean of itself and its neighbours. Returns by how much all values
/// changed together.
pub fn smooth(signal: &SharedVec<f64>) -> f64 {
    let change = Shared::new(0.0);
    par_for(1..signal.len() - 1, |i| {
        let [left, own, right] = [i - 1, i, i + 1].map(|at| signal.get(at));
        let mean = (left + own + right) / 3.0;
        signal.set(i, mean);
        change.add((mean - own).abs());
    });
    change.get()
}
