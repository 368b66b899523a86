//! The engine of Heddle: from the events of one run to findings that hold for every schedule.
//!
//! ```text
//! front end ──events──▶ order     (who may run in parallel with whom)
//!               │   └──▶ histories (what touched each location)
//!               │             │
//!               │             ▼
//!               └──record──▶ findings ──▶ report
//! ```
//!
//! No I/O, no unsafe, and no knowledge of any front end or file format.

pub mod atomicity;
mod check;
pub mod deadlock;
mod event;
mod finding;
pub mod history;
pub mod hold;
mod id;
mod legend;
pub mod order;
mod place;
pub mod race;
pub mod roster;
mod transaction;
pub mod witness;

pub use check::{Analyses, Features, OrderChoice, OrderError, Run, check, check_with};
pub use event::{
    AccessKind, Awaited, Event, FaultKind, FinishKind, Listener, LockMode, Shape, TaskKind,
    ValueProblem,
};
pub use finding::{
    Access, Certainty, Counts, Finding, FinishInfo, Guarantee, Link, Outcome, Place, TaskInfo,
    Wait, Why,
};
pub use id::{
    Extent, FileId, FinishId, GroupId, Location, LockId, NameId, SiteId, StrandId, TaskId, TokenId,
};
pub use legend::{Legend, Site, SourceFile};
pub use transaction::{Decision, Moment, Separation, Step, TransactionCounts};
