//! Exploration: every schedule that can differ, of real Rust code.
//!
//! Tasks are coroutines on one thread. They are switched only where the order of tasks can matter:
//! before an isolated section, a lock, an operation on an atomic, and where any of several tasks may be
//! waited for. The search itself is `heddle-explore`'s; each way to go on is a run from the start.

mod exploration;
mod explorer;
mod findings;
mod interrupt;
mod narrative;
mod numbers;
mod parts;
mod program;
mod progress;
pub(crate) mod staged;
pub(crate) mod world;

pub use exploration::{Exploration, Explored};
pub use explorer::{Explorer, explore};
pub use heddle_explore::Reduction;
pub(crate) use numbers::FIRST_LOCATION;
