//! What is known of every task by its id: whether it has ended, when, and what it left behind.

use std::collections::{BTreeMap, HashMap};

use heddle_core::{FaultKind, TaskId};

use super::problem::{Fallible, fault};
use super::regions::Regions;
use super::schedule::Waiter;
use super::value::Value;

/// Stands in [`Tasks::ends`] for a task that has not ended.
const NOT_ENDED: u32 = 0;

/// All tasks ever created. One that ended and left nothing costs four bytes.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    /// Row `n`: task `n` was the how-manieth to end.
    ends: Vec<u32>,
    ended: u32,
    /// Values of ended futures, other than zero.
    results: HashMap<TaskId, Value>,
    /// Region tasks that ended tasks did not await.
    left: HashMap<TaskId, Regions>,
    /// Who waits for a task's end, in the sequence in which they came.
    waiters: BTreeMap<TaskId, Vec<Waiter>>,
}

impl Tasks {
    /// Only the main task.
    pub fn new() -> Self {
        Self {
            ends: vec![NOT_ENDED],
            ended: 0,
            results: HashMap::new(),
            left: HashMap::new(),
            waiters: BTreeMap::new(),
        }
    }

    /// The next task.
    pub fn create(&mut self) -> Fallible<TaskId> {
        // The last id stays unused, so that the number of ended tasks fits as well.
        match u32::try_from(self.ends.len()) {
            Ok(id) if id < u32::MAX => {
                self.ends.push(NOT_ENDED);
                Ok(TaskId::new(id))
            }
            _ => Err(fault(FaultKind::LimitReached)),
        }
    }

    /// When the task ended, as a number that grows from end to end.
    #[inline]
    pub fn end(&self, task: TaskId) -> Option<u32> {
        match self.ends[task.index()] {
            NOT_ENDED => None,
            end => Some(end),
        }
    }

    /// Notes that the task has ended; gives who waited for that.
    #[inline]
    pub fn note_end(&mut self, task: TaskId) -> Vec<Waiter> {
        self.ended += 1;
        self.ends[task.index()] = self.ended;
        if self.waiters.is_empty() {
            return Vec::new();
        }
        self.waiters.remove(&task).unwrap_or_default()
    }

    /// Notes who waits for the task's end.
    pub fn wait(&mut self, task: TaskId, waiter: Waiter) {
        let waiters = self.waiters.entry(task).or_default();
        match waiters.last_mut() {
            // Repeated `ewait`s of one task over many others leave no trail.
            Some(last) if waiter.replaces(*last) => *last = waiter,
            _ => waiters.push(waiter),
        }
    }

    /// Keeps the value of a future.
    pub fn keep_result(&mut self, task: TaskId, value: Value) {
        if value != Value::ZERO {
            self.results.insert(task, value);
        }
    }

    /// The value of an ended task.
    pub fn result(&self, task: TaskId) -> Value {
        self.results.get(&task).copied().unwrap_or(Value::ZERO)
    }

    /// All kept values.
    pub fn results(&self) -> impl Iterator<Item = Value> {
        self.results.values().copied()
    }

    /// Keeps the tasks an ended task did not await.
    pub fn leave(&mut self, task: TaskId, regions: Regions) {
        if !regions.is_empty() {
            self.left.insert(task, regions);
        }
    }

    /// What ended tasks did not await and nobody has taken over.
    pub fn unclaimed(&self) -> impl Iterator<Item = (TaskId, &Regions)> {
        self.left.iter().map(|(&task, regions)| (task, regions))
    }

    /// Takes over what an ended task did not await.
    pub fn take_over(&mut self, task: TaskId) -> Regions {
        self.left.remove(&task).unwrap_or_default()
    }
}
