//! SOR: successive over-relaxation of a grid.
//!
//! Rows are relaxed in two colours: first the odd ones, which read the even ones above and below, then
//! the even ones. Within a colour, one task per block of rows; between the colours, a finish.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{Shared2d, par_chunks};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "SOR",
    defect: "both colours are relaxed inside one finish",
    file: file!(),
    source: include_str!("sor.rs"),
    small: 40,
    full: 600,
    run: |size, variant| Digest::of_floats(&run(size, variant)),
    reference: |size| Digest::of_floats(&reference(size)),
};

const SWEEPS: usize = 40;
const ROWS_PER_TASK: usize = 32;
const OMEGA: f64 = 1.25;

/// The grid after `SWEEPS` sweeps, row by row.
pub fn run(size: usize, variant: Variant) -> Vec<f64> {
    let grid = grid(size);
    for _ in 0..SWEEPS {
        match variant {
            Variant::Sound => {
                relax_rows(&grid, 1, 2);
                relax_rows(&grid, 2, 2);
            }
            Variant::Seeded => relax_rows(&grid, 1, 1),
        }
    }
    grid.into_vec()
}

/// The same on a vector, without tasks.
pub fn reference(size: usize) -> Vec<f64> {
    let mut grid = input(size);
    for _ in 0..SWEEPS {
        for first in [1, 2] {
            for i in (first..size - 1).step_by(2) {
                for j in 1..size - 1 {
                    let at = i * size + j;
                    let beside = grid[at - size] + grid[at + size] + grid[at - 1] + grid[at + 1];
                    grid[at] = OMEGA / 4.0 * beside + (1.0 - OMEGA) * grid[at];
                }
            }
        }
    }
    grid
}

fn input(size: usize) -> Vec<f64> {
    let mut random = Random::new(19);
    (0..size * size).map(|_| random.unit()).collect()
}

fn grid(size: usize) -> Shared2d<f64> {
    Shared2d::from_vec(input(size), size)
}

/// Relaxes every `step`-th inner row from `first` on, in parallel.
fn relax_rows(grid: &Shared2d<f64>, first: usize, step: usize) {
    par_chunks(first..grid.rows() - 1, ROWS_PER_TASK, |rows| {
        rows.step_by(step).for_each(|row| relax(grid, row));
    });
}

fn relax(grid: &Shared2d<f64>, row: usize) {
    let above = grid.row(row - 1).to_vec(); // racy
    let below = grid.row(row + 1).to_vec(); // racy
    let mut own = grid.row(row).to_vec();
    let inner = 1..own.len() - 1;
    for j in inner.clone() {
        let beside = above[j] + below[j] + own[j - 1] + own[j + 1];
        own[j] = OMEGA / 4.0 * beside + (1.0 - OMEGA) * own[j];
    }
    grid.row(row).write_from(inner.clone(), &own[inner]); // racy
}
