//! Twelve task-parallel kernels written as a user of the `heddle` crate would write them.
//!
//! The list is Table 2 of Raman et al., *Efficient Data Race Detection for Async-Finish
//! Parallelism*; the programs are written from the algorithms. Each module holds the task-parallel
//! program on shared data, a plain sequential version on vectors that it must agree with bit for bit,
//! and a seeded defect that makes it racy.

pub mod crypt;
pub mod fannkuch;
pub mod fasta;
pub mod kernel;
pub mod lufact;
pub mod mandelbrot;
pub mod matmul;
pub mod moldyn;
pub mod montecarlo;
pub mod random;
pub mod raytracer;
pub mod series;
pub mod sor;
pub mod sparse;

pub use kernel::{Digest, Kernel, Variant};

/// All kernels, in the sequence of the paper's table.
pub const KERNELS: [Kernel; 12] = [
    series::KERNEL,
    lufact::KERNEL,
    sor::KERNEL,
    crypt::KERNEL,
    sparse::KERNEL,
    moldyn::KERNEL,
    montecarlo::KERNEL,
    raytracer::KERNEL,
    fannkuch::KERNEL,
    fasta::KERNEL,
    mandelbrot::KERNEL,
    matmul::KERNEL,
];
