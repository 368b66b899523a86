//! Reports: from findings in terms of ids to something a person or a program reads.
//!
//! [`Report::new`] resolves an [`Outcome`](heddle_core::Outcome) against its
//! [`Legend`](heddle_core::Legend) into plain data, with every explanation already worded. The
//! renderers ([`text`], [`json`]) lay that data out and add no logic of their own, so a new
//! format needs no knowledge of detectors. [`Problem`] is the same for what is not a finding:
//! a program that does not parse, a run that stopped, a damaged file.

pub mod baseline;
mod cause;
mod chains;
mod circle;
mod details;
mod digest;
mod explain;
mod explored;
mod fault;
mod finding;
mod fingerprint;
pub mod graph;
mod help;
pub mod html;
pub mod json;
pub mod junit;
mod locks;
mod many;
mod memory;
mod model;
mod native;
mod position;
mod printable;
mod problem;
pub mod read;
mod remedy;
pub mod replayed;
mod report;
mod resolve;
pub mod sarif;
pub mod saved;
mod separation;
mod snippet;
mod sort;
mod stats;
pub mod suppress;
pub mod text;
mod torn;
mod update;
mod witness;

pub use cause::Also;
pub use details::{Details, FrameInfo, ObjectInfo, ObjectKind, Unit};
pub use digest::Share;
pub use explored::{Confirmed, Exploration, Replay, Step};
pub use model::{
    Access, Certainty, Finding, Frame, Hold, Kind, Note, Numbered, Object, Operation, Possible,
    Report, Spawned, Stop, Task, Totals, Transactions, Verdict, Wait, guarantee_phrase,
};
pub use position::{Position, Source};
pub use printable::printable;
pub use problem::Problem;
pub use report::{Grouping, Settings, Strictness, Subject, Unchecked};
pub use resolve::task_phrase;
pub use stats::{CheckCounts, Eliminated, EventDriven, Stats};
