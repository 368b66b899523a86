//! Order: which strands may run in parallel.
//!
//! An order follows the task events of one run and answers, for a strand seen earlier, whether it
//! precedes the strand that is running now in *every* schedule. If not, the two are parallel.
//!
//! | engine | runs | programs | query |
//! |---|---|---|---|
//! | [`Bags`] | serial depth first | structured, scope handles | near constant |
//! | [`Graph`] without edges: the tree | any | structured | logarithmic in depth, cached |
//! | [`Graph`] | any | any | the tree's, then a search of the extra edges |
//!
//! Strands are made lazily, at the first access after a task operation: a task that touches
//! nothing costs a row in a table.

mod bags;
mod graph;
pub mod layer;
pub mod tree;

pub use bags::Bags;
pub use graph::{Graph, HandOffs};

use crate::event::Event;
use crate::id::{FinishId, StrandId, TaskId, TokenId};

/// Follows task events and says what precedes the running strand.
///
/// Methods other than queries are to be called in the sequence of a well-formed event stream
/// (see [`Event`]); they speak of the running task.
pub trait Order {
    /// The running task creates `task` into `finish`.
    fn spawn(&mut self, task: TaskId, finish: FinishId);
    /// `task` starts and becomes the running task.
    fn begin(&mut self, task: TaskId);
    /// The running task, `task`, is over.
    fn end(&mut self, task: TaskId);
    /// `task` becomes the running task again.
    fn resume(&mut self, task: TaskId);
    /// The running task opens `finish`.
    fn finish_begin(&mut self, finish: FinishId);
    /// The running task's innermost finish, `finish`, is over.
    fn finish_end(&mut self, finish: FinishId);

    /// The end of `task` precedes what follows.
    fn join(&mut self, task: TaskId);
    /// What the running task did so far precedes later waits for `token`.
    fn signal(&mut self, token: TokenId);
    /// All signals of `token` so far precede what follows.
    fn wait(&mut self, token: TokenId);

    /// Closes the running strand and returns it: whatever the task does next is a new strand.
    fn close(&mut self) -> StrandId;
    /// Counts the closed strand `from` as handed over to what follows. Changes only
    /// [`Order::handed_over`], never [`Order::precedes`].
    fn hand_over(&mut self, from: StrandId);

    /// The running strand, made now if the task has not touched anything since its last operation.
    fn strand(&mut self) -> StrandId;
    /// Whether `earlier`, a strand that has already run, precedes the running strand or is it.
    fn precedes(&mut self, earlier: StrandId) -> bool;
    /// Whether `earlier` precedes the running strand when hand-offs count as order. To be asked
    /// only where [`Order::precedes`] says no.
    fn handed_over(&mut self, earlier: StrandId) -> bool;

    /// The task a strand belongs to.
    fn task_of(&self, strand: StrandId) -> TaskId;
    /// Whether the run kept to what this order can follow.
    fn followed(&self) -> bool;
    /// How many strands were made.
    fn strands(&self) -> u64;
}

/// Passes a task event on to an order. Other events say nothing about the order.
#[inline]
pub fn follow<O: Order>(order: &mut O, event: Event) {
    match event {
        Event::Spawn { task, finish, .. } => order.spawn(task, finish),
        Event::Begin { task } => order.begin(task),
        Event::End { task } => order.end(task),
        Event::Resume { task } => order.resume(task),
        Event::FinishBegin { finish, .. } => order.finish_begin(finish),
        Event::FinishEnd { finish } => order.finish_end(finish),
        Event::Join { task, .. } => order.join(task),
        Event::Signal { token, .. } => order.signal(token),
        Event::Wait { token, .. } => order.wait(token),
        _ => {}
    }
}

/// "No strand yet": index 0 is a strand in no order.
pub(crate) const NO_STRAND: StrandId = StrandId::new(0);
