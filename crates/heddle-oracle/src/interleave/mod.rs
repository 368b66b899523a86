//! All schedules of a small program, by brute force.
//!
//! Independent of everything it is compared with: programs are trees of their own ([`Tree`]),
//! flattened and interpreted here one access at a time. [`enumerate`] visits every state that any
//! interleaving reaches. A race needs no order here: it is a state in which two tasks stand before
//! conflicting accesses.

mod brute;
mod draw;
mod flat;
mod tree;

pub use brute::{Outcomes, enumerate};
pub use draw::{Flavour, tree};
pub use tree::{Stmt, Tree};
