//! Numbers of nodes, taken in blocks: threads that make nodes all the time need not agree on every one, nor write to
//! the same cache lines.
//!
//! A thread's block goes with the tasks it executes: whoever the thread turns to takes it over
//! ([`Engine::pass_numbers`]). A task whose thread has none gets each number singly.
//!
//! # Invariants
//! 1. A node's number is higher than its parent's, and than those of all nodes that its task made before: siblings
//!    stand in the sequence of their numbers. So a block that lies below what the task has made is given up, as
//!    when the task goes on on another thread.
//! 2. Whoever was given a number before [`Forest::count`](crate::forest::Forest) was asked for was given a lower one.
//! 3. Nothing is written into a block that was taken before memory was given back ([`crate::reclaim`]).
//!
//! Numbers do not say which of two nodes of different tasks was made first.

use super::{Cursor, Engine};
use crate::store::Block;
use heddle_core::order::tree::{Departures, NodeIndex, NodeKind, Nodes};

/// Nodes in a thread's first block, and in its largest.
const FIRST: u32 = 2;
const MOST: u32 = 64;

/// What a thread has taken.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    nodes: Block,
    /// When it was taken.
    epoch: u32,
    /// Nodes in the next block; 0 if there is to be none.
    next: u32,
}

/// A copy of a task's position has no numbers: they are its thread's.
impl Clone for Numbers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Engine {
    /// The thread that executes this task, and whatever it turns to, takes numbers in blocks.
    pub fn number_in_blocks(&self, cursor: &mut Cursor) {
        if cursor.numbers.next == 0 && self.recorder.is_none() {
            cursor.numbers.next = FIRST;
        }
    }

    /// The thread that executed one task executes another from now on.
    pub fn pass_numbers(&self, from: &mut Cursor, to: &mut Cursor) {
        if from.numbers.next != 0 {
            to.numbers = std::mem::take(&mut from.numbers);
        }
    }

    /// Adds a node below `parent`, made by the task at `cursor`, that stands for what `kind` says.
    #[inline]
    pub(crate) fn push_node(
        &self,
        cursor: &mut Cursor,
        parent: NodeIndex,
        kind: NodeKind,
        task: heddle_core::TaskId,
        departures: Departures,
    ) -> Option<NodeIndex> {
        let node = self.forest.child(parent, kind, task).with(departures);
        let index = match cursor.numbers.next == 0 || self.has_layers() {
            true => self.forest.push_singly(node),
            false => {
                let numbers = &mut cursor.numbers;
                let is_valid = numbers.epoch == self.forest.epoch()
                    && numbers.nodes.starts_after(cursor.newest);
                if !is_valid {
                    self.take_numbers(numbers);
                }
                self.forest.push_in(&mut cursor.numbers.nodes, node)
            }
        };
        cursor.newest = index.unwrap_or(cursor.newest);
        index
    }

    #[cold]
    fn take_numbers(&self, numbers: &mut Numbers) {
        let epoch = self.forest.epoch();
        let len = match numbers.epoch == epoch {
            false => FIRST,
            // The last block is given up before it is full, as at each region of a thread that makes
            // few nodes in one: it was too long.
            true if numbers.nodes.left() > 0 => (numbers.next / 4).max(FIRST),
            true => numbers.next,
        };
        numbers.nodes = self.forest.take_numbers(len);
        (numbers.epoch, numbers.next) = (epoch, (2 * len).min(MOST));
    }
}
