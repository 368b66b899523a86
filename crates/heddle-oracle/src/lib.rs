//! Test code: the slow, obviously right reference, and the random programs that hold the engines
//! to it.
//!
//! [`Oracle`] keeps the whole computation graph of a run and tries all pairs of accesses.
//! [`stream`] draws random event streams, [`program`] random `.task` programs, [`property`] says
//! what must hold of each, and [`soak`] tries many of them and shrinks what fails. [`transactions`] does
//! the same for programs that are cut into transactions.

mod atoms;
mod baselines;
pub mod draw;
pub mod graph;
pub mod interleave;
mod oracle;
mod predict;
pub mod program;
pub mod property;
mod rules;
mod soak;
pub mod stream;
pub mod transactions;

pub use atoms::{Subject, Torn, TornVerdicts, torn_verdicts};
pub use oracle::{Bounds, Oracle, Race, Verdicts, verdicts};
pub use predict::predictable_races;
pub use rules::{Rules, is_depth_first};
pub use soak::{
    Misses, cases, runner, soak, soak_atomicity, soak_traces, try_atomic_programs,
    try_atomic_streams, try_cases, try_cut_programs, try_programs, try_streams,
};
