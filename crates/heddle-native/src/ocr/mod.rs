//! Event-driven tasks: the Open Community Runtime's C interface, executed and checked.
//!
//! Yu, *Data Race Detection for Event-Driven Parallel Runtime Systems* (2017; `docs/papers.md`),
//! builds a graph of all spawn, continue and join edges and searches it at every question. Here a task
//! (EDT) enters the engine when it becomes runnable, as a child of whoever made it so: what that
//! task did before, and all that precedes it, then precedes the new one by the tree alone. Only what others
//! contributed (a creator that is somebody else, further satisfied slots) needs an extra edge.
//!
//! # Guarantee
//! The order is that of the program: creation, `ocrAddDependence` and satisfaction precede the start of what
//! they lead to; a finish EDT's output event follows all tasks created in it. Nothing else is ordered: two
//! tasks that only share a data block are parallel, whatever order they happened to run in.
//!
//! # Deviations from the thesis
//! 1. The caller of `ocrAddDependence` and that of a satisfaction precede the destination's start; the thesis
//!    lacks both edges and reports correct programs.
//! 2. A block acquired in exclusive-write mode is a lock, not an order.
//! 3. All memory is checked, not data blocks alone.
//!
//! # Invariants
//! 1. [`World`](world::World) is locked inside the runtime only ([`crate::busy`]), and never while a task executes.
//! 2. A task's cursor is in one place: with the thread that executes it, in a [`Job`](schedule::Job), or, for a finish EDT
//!    whose body is over, with its finish.
//!
//! # Cost
//! Per task a node of the tree, per contributor beyond the enabling one an edge; no list of all tasks is searched.

mod abi;
mod actor;
mod arena;
mod block;
mod collective;
mod count;
mod edt;
mod event;
mod execute;
mod extension;
mod guid;
mod hint;
mod label;
mod legacy;
mod misuse;
mod pause;
mod schedule;
mod symbol;
mod world;

pub(crate) use arena::{HEADER, is_block};
pub(crate) use block::{may_touch, touched};
pub(crate) use count::{any, counts};
pub(crate) use misuse::{Told, findings, gaps, has_findings};
pub(crate) use world::function_of;

use actor::Point;
use guid::Guid;

/// What a thread remembers of the task it executes.
#[derive(Debug, Default)]
pub struct Local {
    /// The task; null outside of all.
    edt: Guid,
    /// Its output event, if it has one.
    output: Guid,
    /// The finish that tasks it creates belong to.
    home: u32,
    /// Where it stands.
    point: Point,
    /// The data blocks it may access, by address.
    held: Vec<block::Held>,
    /// Whether it has shut the program down.
    shuts_down: bool,
    /// Storage of the task's own.
    storage: Vec<Guid>,
}
