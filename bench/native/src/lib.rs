//! Seventeen programs in C with OpenMP, built and run in several ways: what benchmarks of native checking are
//! made of.

pub mod counts;
pub mod defects;
pub mod figures;
pub mod kernel;
pub mod measure;
pub mod options;
pub mod process;
pub mod toolchain;
pub mod way;
