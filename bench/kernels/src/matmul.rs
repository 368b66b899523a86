//! Matmul: the product of two square matrices.
//!
//! One task per block of rows. A task reads its rows and the whole right matrix once, multiplies in
//! local memory, and writes its rows of the result.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{SharedVec, finish, par_chunks};
use std::ops::Range;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Matmul",
    defect: "the tasks split the inner sum and all add to the same result",
    file: file!(),
    source: include_str!("matmul.rs"),
    small: 12,
    full: 640,
    run: |size, variant| Digest::of_floats(&run(size, variant)),
    reference: |size| Digest::of_floats(&reference(size)),
};

const ROWS_PER_TASK: usize = 32;

/// The product, row by row.
pub fn run(size: usize, variant: Variant) -> Vec<f64> {
    let [a, b] = inputs(size).map(SharedVec::from);
    let c = SharedVec::from(vec![0.0; size * size]);
    match variant {
        Variant::Sound => by_rows(size, [&a, &b, &c]),
        Variant::Seeded => by_terms(size, [&a, &b, &c]),
    }
    c.into_vec()
}

/// The same on vectors, without tasks.
pub fn reference(size: usize) -> Vec<f64> {
    let [a, b] = inputs(size);
    let mut c = vec![0.0; size * size];
    for i in 0..size {
        for k in 0..size {
            for j in 0..size {
                c[i * size + j] += a[i * size + k] * b[k * size + j];
            }
        }
    }
    c
}

fn inputs(size: usize) -> [Vec<f64>; 2] {
    let mut random = Random::new(3);
    [(); 2].map(|()| (0..size * size).map(|_| random.unit()).collect())
}

fn by_rows(size: usize, [a, b, c]: [&SharedVec<f64>; 3]) {
    par_chunks(0..size, ROWS_PER_TASK, |rows| {
        let part = rows.start * size..rows.end * size;
        let (left, right) = (a.slice(part.clone()).to_vec(), b.to_vec());
        c.write_from(part, &product(size, &left, &right));
    });
}

fn product(size: usize, left: &[f64], right: &[f64]) -> Vec<f64> {
    let mut result = vec![0.0; left.len()];
    for (row, out) in left.chunks(size).zip(result.chunks_mut(size)) {
        for (factor, line) in row.iter().zip(right.chunks(size)) {
            for (sum, value) in out.iter_mut().zip(line) {
                *sum += factor * value;
            }
        }
    }
    result
}

/// Wrong: two tasks, each with half of the terms of every sum.
fn by_terms(size: usize, matrices: [&SharedVec<f64>; 3]) {
    finish(|s| {
        s.spawn(move |_| add_terms(size, 0..size / 2, matrices));
        s.spawn(move |_| add_terms(size, size / 2..size, matrices));
    });
}

fn add_terms(size: usize, terms: Range<usize>, [a, b, c]: [&SharedVec<f64>; 3]) {
    for i in 0..size {
        for k in terms.clone() {
            let factor = a.get(i * size + k);
            for j in 0..size {
                let value = b.get(k * size + j);
                c.update(i * size + j, |sum| sum + factor * value); // racy
            }
        }
    }
}
