//! Reports on native programs: from addresses and numbers to functions, source lines and names.
//!
//! While the program runs, only two things happen here: code addresses become sites ([`modules`]), and
//! what can be seen only at the moment of a race is kept ([`witness`]). Everything else waits for the
//! end ([`finish()`]), and is not done at all if there is nothing to explain.

pub mod callers;
pub mod calls;
pub mod deadlocks;
pub mod declarations;
pub(crate) mod destination;
pub(crate) mod file;
pub mod finish;
pub mod frames;
pub mod functions;
pub mod image;
pub mod inventory;
pub(crate) mod misuse;
pub mod modules;
pub mod options;
pub(crate) mod paths;
pub mod places;
pub mod races;
pub mod recording;
pub(crate) mod sequence;
mod siblings;
mod sizes;
pub mod source;
pub mod statement;
pub mod symbols;
pub mod tables;
pub mod tears;
pub mod types;
pub(crate) mod unseen;
pub mod witness;

pub use finish::{Ending, finish};
