//! Sparse: a sparse matrix times a dense vector, over and over.
//!
//! The matrix is a list of (row, column, value), sorted by row. The list is cut where a row begins, so
//! that each row of the result belongs to one task.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{SharedVec, par_for};
use std::ops::Range;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Sparse",
    defect: "the list is cut into equal parts, also in the middle of a row",
    file: file!(),
    source: include_str!("sparse.rs"),
    small: 30,
    full: 40_000,
    run: |size, variant| Digest::of_floats(&run(size, variant)),
    reference: |size| Digest::of_floats(&reference(size)),
};

const TASKS: usize = 8;
const ENTRIES_PER_ROW: usize = 5;
const REPETITIONS: usize = 100;

/// An input: the entries by row, column and value, and the vector.
struct Input {
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    vector: Vec<f64>,
}

/// The vector, multiplied `REPETITIONS` times, all products added up.
pub fn run(size: usize, variant: Variant) -> Vec<f64> {
    let input = Input::new(size);
    let parts = parts(&input.rows, variant);
    let [rows, columns] = [input.rows, input.columns].map(SharedVec::from);
    let [values, vector] = [input.values, input.vector].map(SharedVec::from);
    let result = SharedVec::from(vec![0.0; size]);
    par_for(0..TASKS, |task| {
        let part = || parts[task].clone();
        let rows = rows.slice(part()).to_vec();
        let columns = columns.slice(part()).to_vec();
        let values = values.slice(part()).to_vec();
        let vector = vector.to_vec();
        for _ in 0..REPETITIONS {
            for ((&row, &column), value) in rows.iter().zip(&columns).zip(&values) {
                let term = vector[column as usize] * value;
                result.update(row as usize, |sum| sum + term); // racy
            }
        }
    });
    result.into_vec()
}

/// The same on vectors, without tasks.
pub fn reference(size: usize) -> Vec<f64> {
    let input = Input::new(size);
    let mut result = vec![0.0; size];
    for _ in 0..REPETITIONS {
        for at in 0..input.values.len() {
            let column = input.columns[at] as usize;
            result[input.rows[at] as usize] += input.vector[column] * input.values[at];
        }
    }
    result
}

impl Input {
    fn new(size: usize) -> Self {
        let mut random = Random::new(11);
        let entries = ENTRIES_PER_ROW * size;
        let mut rows: Vec<u32> = (0..entries).map(|_| random.below(size) as u32).collect();
        rows.sort_unstable();
        Self {
            rows,
            columns: (0..entries).map(|_| random.below(size) as u32).collect(),
            values: (0..entries).map(|_| random.unit()).collect(),
            vector: (0..size).map(|_| random.unit()).collect(),
        }
    }
}

/// Where each task's part of the list begins and ends.
fn parts(rows: &[u32], variant: Variant) -> Vec<Range<usize>> {
    let cut = |task: usize| {
        let even = rows.len() * task / TASKS;
        match variant {
            Variant::Sound => row_start(rows, even),
            Variant::Seeded => even,
        }
    };
    (0..TASKS).map(|task| cut(task)..cut(task + 1)).collect()
}

/// The first entry at or after `at` that begins a row.
fn row_start(rows: &[u32], at: usize) -> usize {
    match at.checked_sub(1).map(|before| rows[before]) {
        Some(row) => rows.partition_point(|&other| other <= row),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_lie_between_rows() {
        let rows = [0, 0, 0, 1, 1, 4];
        let cuts: Vec<usize> = (0..=6).map(|at| row_start(&rows, at)).collect();
        assert_eq!(cuts, [0, 3, 3, 3, 5, 5, 6]);
    }
}
