//! Exploration: one run for each schedule that can differ.
//!
//! Where tasks exclude each other, or may take whichever other task ended first, one run does not
//! answer for all schedules of an input. This crate enumerates those that differ and gives what
//! was found in any of them, each with the schedule that shows it.
//!
//! It knows no front end. A program is something that stops where it has a choice ([`Program`],
//! [`Run`]): the machine of `.task` programs, real Rust code on coroutines, a native process that
//! waits to be told what to do.

mod cursor;
mod fingerprint;
mod minimise;
mod past;
mod program;
mod replay;
mod saved;
mod schedule;
mod search;
mod verdict;
mod watch;

pub use fingerprint::{Fingerprint, Names, State};
pub use minimise::minimise;
pub use program::{Choice, Operation, Program, Run};
pub use replay::{Diverged, Plain, Played, Replay, Until, replay, verdicts};
pub use saved::{BadCheckpoint, Saved};
pub use schedule::{BadSchedule, Schedule};
pub use search::{
    Checkpoint, Counters, Found, Limit, Observer, Part, Reduction, Settings, Summary, Work,
    explore, explore_units,
};
pub use verdict::{Race, Verdict};
