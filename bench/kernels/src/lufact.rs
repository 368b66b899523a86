//! LUFact: the LU factorisation of a dense matrix with partial pivoting.
//!
//! The matrix is worked off in panels of some columns: the main task factors the panel and the rows
//! beside it, then one task per block of rows subtracts from the rest. Every element sees the same
//! subtractions in the same sequence as in the plain algorithm, so the results are equal to the bit.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{Shared2d, finish};
use std::ops::Range;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "LUFact",
    defect: "the next panel is begun without a finish around the updates",
    file: file!(),
    source: include_str!("lufact.rs"),
    small: 70,
    full: 1000,
    run: |size, variant| Digest::of_floats(&run(size, variant)),
    reference: |size| Digest::of_floats(&reference(size)),
};

const PANEL: usize = 32;
const ROWS_PER_TASK: usize = 32;

/// L below the diagonal and U on and above it, rows exchanged.
pub fn run(size: usize, variant: Variant) -> Vec<f64> {
    let matrix = Shared2d::from_vec(input(size), size);
    match variant {
        Variant::Sound => panels(size).for_each(|panel| {
            factor(&matrix, panel.clone());
            finish(|s| {
                for rows in row_blocks(panel.end, size) {
                    let (matrix, panel) = (&matrix, panel.clone());
                    s.spawn(move |_| subtract(matrix, rows, panel));
                }
            });
        }),
        Variant::Seeded => finish(|s| {
            for panel in panels(size) {
                factor(&matrix, panel.clone());
                for rows in row_blocks(panel.end, size) {
                    let (matrix, panel) = (&matrix, panel.clone());
                    s.spawn(move |_| subtract(matrix, rows, panel));
                }
            }
        }),
    }
    matrix.into_vec()
}

/// The same on a vector, without tasks and panels.
pub fn reference(size: usize) -> Vec<f64> {
    let mut a = input(size);
    for k in 0..size {
        let pivot = (k..size).reduce(|best, i| larger(best, i, |i| a[i * size + k]));
        let pivot = pivot.unwrap_or(k);
        for j in 0..size {
            a.swap(k * size + j, pivot * size + j);
        }
        for i in k + 1..size {
            a[i * size + k] /= a[k * size + k];
            for j in k + 1..size {
                a[i * size + j] -= a[i * size + k] * a[k * size + j];
            }
        }
    }
    a
}

fn input(size: usize) -> Vec<f64> {
    let mut random = Random::new(23);
    (0..size * size).map(|_| random.unit() - 0.5).collect()
}

fn larger(best: usize, i: usize, value: impl Fn(usize) -> f64) -> usize {
    if value(i).abs() > value(best).abs() {
        i
    } else {
        best
    }
}

fn panels(size: usize) -> impl Iterator<Item = Range<usize>> {
    let panel = move |start: usize| start..size.min(start + PANEL);
    (0..size).step_by(PANEL).map(panel)
}

fn row_blocks(start: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    let block = move |start: usize| start..size.min(start + ROWS_PER_TASK);
    (start..size).step_by(ROWS_PER_TASK).map(block)
}

/// Factors the panel's columns, exchanges rows, and brings the rows beside the panel up to date.
fn factor(matrix: &Shared2d<f64>, panel: Range<usize>) {
    let size = matrix.rows();
    let mut columns = Block::read(matrix, panel.start..size, panel.clone());
    let exchanges = columns.factor();
    columns.write(matrix, panel.start, panel.start);
    for (to, from) in exchanges {
        exchange(matrix, panel.start + to, panel.start + from, &panel);
    }
    let mut beside = Block::read(matrix, panel.clone(), panel.end..size);
    for k in 0..panel.len() {
        for i in k + 1..panel.len() {
            beside.subtract_row(i, k, columns.at(i, k));
        }
    }
    beside.write(matrix, panel.start, panel.end);
}

/// Exchanges two rows outside of the panel, whose own rows are exchanged already.
fn exchange(matrix: &Shared2d<f64>, a: usize, b: usize, panel: &Range<usize>) {
    for columns in [0..panel.start, panel.end..matrix.rows()] {
        let row_a = Block::read(matrix, a..a + 1, columns.clone());
        let row_b = Block::read(matrix, b..b + 1, columns.clone());
        row_a.write(matrix, b, columns.start);
        row_b.write(matrix, a, columns.start);
    }
}

/// What the panel takes away from some rows to its right.
fn subtract(matrix: &Shared2d<f64>, rows: Range<usize>, panel: Range<usize>) {
    let right = panel.end..matrix.rows();
    let factors = Block::read(matrix, rows.clone(), panel.clone());
    let above = Block::read(matrix, panel, right.clone());
    let mut own = Block::read(matrix, rows.clone(), right.clone());
    for i in 0..rows.len() {
        for (k, row) in above.rows().enumerate() {
            let factor = factors.at(i, k);
            let pairs = own.row_mut(i).iter_mut().zip(row);
            pairs.for_each(|(value, other)| *value -= factor * other);
        }
    }
    own.write(matrix, rows.start, right.start);
}

/// A local copy of a part of the matrix.
struct Block {
    width: usize,
    values: Vec<f64>,
}

impl Block {
    fn read(matrix: &Shared2d<f64>, rows: Range<usize>, columns: Range<usize>) -> Self {
        let width = columns.len();
        let mut values = vec![0.0; rows.len() * width];
        for (row, i) in values.chunks_mut(width.max(1)).zip(rows) {
            matrix.row(i).read_into(columns.clone(), row); // racy
        }
        Self { width, values }
    }

    fn write(&self, matrix: &Shared2d<f64>, first_row: usize, first_column: usize) {
        let columns = first_column..first_column + self.width;
        for (row, i) in self.rows().zip(first_row..) {
            matrix.row(i).write_from(columns.clone(), row); // racy
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.width + j]
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.width.max(1))
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.width..(i + 1) * self.width]
    }

    /// Row `i` minus row `k` times a factor.
    fn subtract_row(&mut self, i: usize, k: usize, factor: f64) {
        self.subtract_from(i, k, factor, 0);
    }

    fn subtract_from(&mut self, i: usize, k: usize, factor: f64, first: usize) {
        for j in first..self.width {
            let other = self.at(k, j);
            self.values[i * self.width + j] -= factor * other;
        }
    }

    /// Factors this block; returns which rows changed places, in sequence.
    fn factor(&mut self) -> Vec<(usize, usize)> {
        let height = self.values.len() / self.width.max(1);
        (0..self.width)
            .map(|k| {
                let pivot = (k..height).reduce(|best, i| larger(best, i, |i| self.at(i, k)));
                let pivot = pivot.unwrap_or(k);
                self.exchange(k, pivot);
                self.eliminate(k, height);
                (k, pivot)
            })
            .collect()
    }

    fn exchange(&mut self, a: usize, b: usize) {
        for j in 0..self.width {
            self.values.swap(a * self.width + j, b * self.width + j);
        }
    }

    fn eliminate(&mut self, k: usize, height: usize) {
        for i in k + 1..height {
            let factor = self.at(i, k) / self.at(k, k);
            self.values[i * self.width + k] = factor;
            self.subtract_from(i, k, factor, k + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exchanged rows change the sequence within a column only, so sorted columns are compared.
    #[test]
    fn the_factors_multiply_to_the_rows_of_the_matrix() {
        let (size, lu) = (8, reference(8));
        let entry = |i: usize, j: usize| {
            let lower = |k: usize| if k == i { 1.0 } else { lu[i * size + k] };
            let terms = (0..=i.min(j)).map(|k| lower(k) * lu[k * size + j]);
            terms.sum::<f64>()
        };
        for j in 0..size {
            let mut product: Vec<f64> = (0..size).map(|i| entry(i, j)).collect();
            let mut column: Vec<f64> = input(size).into_iter().skip(j).step_by(size).collect();
            product.sort_by(f64::total_cmp);
            column.sort_by(f64::total_cmp);
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
            assert!(product.iter().zip(&column).all(near), "column {j}");
        }
    }
}
