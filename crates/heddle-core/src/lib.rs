//! What every part of Heddle shares: events, orders, findings, and what needs no engine.
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

mod account;
pub mod atomicity;
pub mod bags;
pub mod deadlock;
mod event;
mod finding;
mod id;
mod legend;
pub mod order;
mod place;
pub mod roster;
mod run;
mod transaction;
pub mod witness;

pub use account::Account;
pub use event::{
    AccessKind, Awaited, CutBy, Event, FaultKind, FinishKind, Listener, LockMode, Shape, TaskKind,
    ValueProblem,
};
pub use finding::{
    Access, Certainty, Counts, Finding, FinishInfo, Guarantee, Link, MOST_RACES, Outcome, Place,
    TaskInfo, Wait, Why,
};
pub use id::{
    Extent, FileId, FinishId, GroupId, Location, LockId, NameId, SiteId, StrandId, TaskId, TokenId,
};
pub use legend::{Legend, Site, SourceFile};
pub use place::Places;
pub use run::{Features, OrderChoice, OrderError, Run};
pub use transaction::{Cut, Decision, Moment, Separation, Step, TransactionCounts};
