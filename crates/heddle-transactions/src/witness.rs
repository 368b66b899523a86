//! A schedule in terms of any run of the program: who must wait for whom.
//!
//! A thread cycle fixes the sequence of its own transactions only; what else runs, and when, does not
//! matter. A task about to begin one of these transactions waits until those before it are over. In a
//! sequence that agrees with the serial order that never blocks.

use heddle_core::TaskId;
use rustc_hash::FxHashMap;

use crate::decide::Stands;
use crate::log::Log;

/// The transactions that must come one after the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Witness {
    /// Tasks by who created them: creator, how many it had created before.
    pub tasks: FxHashMap<(TaskId, u32), TaskId>,
    /// Task, and how many task operations and cuts it has made when the transaction begins.
    pub turns: Vec<(TaskId, u32)>,
}

impl Witness {
    /// The schedule that shows a cycle; no turns if there is none.
    pub fn new(stands: &Stands, log: &Log) -> Self {
        let mut witness = Self::default();
        for &transaction in &stands.sequence {
            let mut task = log.task_of(transaction);
            let segment = log.transactions[transaction as usize].segment;
            witness.turns.push((task, segment));
            while task != TaskId::MAIN {
                let info = &log.tasks[task.index()];
                witness.tasks.insert((info.parent, info.ordinal), task);
                task = info.parent;
            }
        }
        witness
    }
}
