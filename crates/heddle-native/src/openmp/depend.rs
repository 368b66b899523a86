//! Dependences between sibling tasks, from their `depend` clauses in the sequence of creation.
//!
//! Per variable there is the latest *set* of tasks that may run side by side (one writer, or any
//! number of readers, of `inoutset` or of `mutexinoutset` tasks) and the set before. A task that joins the
//! latest set follows the one before; any other follows the latest and starts a set of its own. What
//! is earlier is followed through these. `omp_all_memory` is a set of one for all variables at once.
//!
//! Tasks of a `mutexinoutset` set also exclude each other: each holds a lock of the variable while it runs.
//!
//! # Invariant
//! The runtime starts no task before those that precede it here are over, so their ends are known then.

use super::ompt::{Dependence, dependence};
use crate::runtime::{LockKind, Locks};
use heddle_core::LockId;
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A task that others may have to wait for.
#[derive(Debug, Default)]
pub(super) struct Node(AtomicU32);

impl Node {
    /// Its last strand; none while it is not over.
    pub(super) fn end(&self) -> Option<u32> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            strand => Some(strand),
        }
    }

    /// It is over.
    pub(super) fn set_end(&self, strand: u32) {
        self.0.store(strand, Ordering::Release);
    }
}

/// How a task uses a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    In,
    InOut,
    Set,
    MutexSet,
}

impl Use {
    fn new(kind: c_int) -> Self {
        match kind {
            dependence::IN => Self::In,
            dependence::INOUTSET => Self::Set,
            dependence::MUTEXINOUTSET => Self::MutexSet,
            _ => Self::InOut,
        }
    }

    /// Both at once.
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::InOut }
    }
}

/// The tasks that used a variable last.
#[derive(Debug)]
struct Variable {
    latest: Vec<Arc<Node>>,
    how: Use,
    before: Vec<Arc<Node>>,
}

/// The dependences among the tasks that one task creates.
#[derive(Debug, Default)]
pub(super) struct Table {
    variables: FxHashMap<u64, Variable>,
    all_memory: Option<Arc<Node>>,
}

impl Table {
    /// All tasks so far are over.
    pub(super) fn clear(&mut self) {
        if self.all_memory.is_some() || !self.variables.is_empty() {
            self.variables.clear();
            self.all_memory = None;
        }
    }

    /// Whom a task with these dependences follows. `node` stands for it from now on; without one it
    /// precedes nobody.
    pub(super) fn add(&mut self, items: &[Dependence], node: Option<&Arc<Node>>) -> Vec<Arc<Node>> {
        if items
            .iter()
            .any(|item| dependence::ALL_MEMORY.contains(&item.kind))
        {
            return self.add_all_memory(node);
        }
        let mut predecessors = Vec::new();
        for (variable, how) in merged(items) {
            let first = Variable {
                latest: self.all_memory.iter().cloned().collect(),
                how: Use::InOut,
                before: Vec::new(),
            };
            let entry = self.variables.entry(variable).or_insert(first);
            predecessors.extend_from_slice(entry.preceding(how));
            if let Some(node) = node {
                entry.enter(how, node);
            }
        }
        predecessors
    }

    fn add_all_memory(&mut self, node: Option<&Arc<Node>>) -> Vec<Arc<Node>> {
        let latest = self
            .variables
            .values()
            .flat_map(|variable| &variable.latest);
        let predecessors = latest.chain(&self.all_memory).cloned().collect();
        if let Some(node) = node {
            self.variables.clear();
            self.all_memory = Some(Arc::clone(node));
        }
        predecessors
    }
}

impl Variable {
    fn joins(&self, how: Use) -> bool {
        how == self.how && how != Use::InOut
    }

    fn preceding(&self, how: Use) -> &[Arc<Node>] {
        if self.joins(how) {
            &self.before
        } else {
            &self.latest
        }
    }

    fn enter(&mut self, how: Use, node: &Arc<Node>) {
        if !self.joins(how) {
            self.before = std::mem::take(&mut self.latest);
            self.how = how;
        }
        self.latest.push(Arc::clone(node));
    }
}

/// Each variable once.
fn merged(items: &[Dependence]) -> Vec<(u64, Use)> {
    let mut uses: Vec<(u64, Use)> = Vec::with_capacity(items.len());
    for item in items {
        let how = Use::new(item.kind);
        match uses
            .iter_mut()
            .find(|(variable, _)| *variable == item.variable)
        {
            Some((_, known)) => *known = known.and(how),
            None => uses.push((item.variable, how)),
        }
    }
    uses
}

/// The locks that a task with these dependences holds while it runs.
pub(super) fn locks<'a>(
    locks: &'a Locks,
    items: &'a [Dependence],
) -> impl Iterator<Item = LockId> + 'a {
    items
        .iter()
        .filter(|item| item.kind == dependence::MUTEXINOUTSET)
        .map(|item| locks.id(item.variable as usize, LockKind::Dependence))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: c_int = 3;

    /// Adds tasks one after the other; gives the numbers of those each follows.
    fn followed(tasks: &[&[(u64, c_int)]]) -> Vec<Vec<u32>> {
        let mut table = Table::default();
        let mut add = |(number, items): (usize, &&[(u64, c_int)])| {
            let items: Vec<Dependence> = items
                .iter()
                .map(|&(variable, kind)| Dependence { variable, kind })
                .collect();
            let node = Arc::new(Node::default());
            node.set_end(number as u32 + 1);
            let found = table.add(&items, Some(&node));
            let mut found: Vec<u32> = found.iter().filter_map(|node| node.end()).collect();
            found.sort_unstable();
            found
        };
        tasks.iter().enumerate().map(&mut add).collect()
    }

    #[test]
    fn readers_follow_the_writer_and_precede_the_next() {
        let found = followed(&[&[(8, OUT)], &[(8, 1)], &[(8, 1)], &[(8, OUT)]]);
        assert_eq!(found, [vec![], vec![1], vec![1], vec![2, 3]]);
    }

    #[test]
    fn sets_of_different_sorts_follow_each_other() {
        let found = followed(&[
            &[(8, 1)],
            &[(8, 7)],
            &[(8, 7)],
            &[(8, 4)],
            &[(8, 4)],
            &[(8, 1)],
        ]);
        assert_eq!(
            found,
            [vec![], vec![1], vec![1], vec![2, 3], vec![2, 3], vec![4, 5]]
        );
    }

    #[test]
    fn in_and_out_of_one_variable_is_inout() {
        let found = followed(&[&[(8, 1)], &[(8, 1), (8, OUT)], &[(8, 1)]]);
        assert_eq!(found, [vec![], vec![1], vec![2]]);
    }

    #[test]
    fn all_memory_follows_everyone_and_precedes_everyone() {
        let found = followed(&[&[(8, 1)], &[(16, OUT)], &[(0, 34)], &[(24, 1)], &[(8, OUT)]]);
        assert_eq!(found, [vec![], vec![], vec![1, 2], vec![3], vec![3]]);
    }

    #[test]
    fn different_variables_are_independent() {
        let found = followed(&[&[(8, OUT)], &[(16, OUT)]]);
        assert!(found.iter().all(Vec::is_empty));
    }
}
