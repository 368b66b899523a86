//! Sets of strands, laid out in the order of the tree, so that one question about all of them is a few
//! binary searches.
//!
//! In a walk through the tree from left to right, what strand `a` precedes by the tree is a run that begins
//! behind `a` and ends with the subtree of `a`'s parent; and for each finish or wait around `a`, a run that begins
//! behind its subtree and ends with the subtree of its parent, if `a` is joined by it. So of a set that is sorted in
//! that order, the first strand behind `a`, and the first behind each such subtree, stand for all.

use crate::order::tree::{NodeIndex, NodeKind, Nodes, ROOT};
use std::cmp::Ordering;

/// Sorts strands in the order of the tree, and drops repeated ones.
pub(super) fn sort<A>(strands: &mut smallvec::SmallVec<A>, tree: &impl Nodes)
where
    A: smallvec::Array<Item = NodeIndex>,
{
    strands.sort_unstable_by(|&a, &b| compare(a, b, tree));
    strands.dedup();
}

/// Whether `a` is one of these strands, which are sorted, or precedes one in the tree.
pub(super) fn reach(
    strands: &[NodeIndex],
    a: NodeIndex,
    tree: &impl Nodes,
    scopes: &mut Scopes,
) -> bool {
    let behind = strands.partition_point(|&u| compare(u, a, tree) == Ordering::Less);
    let Some(&first) = strands.get(behind) else {
        return false;
    };
    if first == a || tree.precedes(a, first) {
        return true;
    }
    let rest = &strands[behind..];
    let mut scope = scopes.around(a, tree);
    while scope != ROOT {
        let at = rest.partition_point(|&u| compare(u, scope, tree) != Ordering::Greater);
        let Some(&first) = rest.get(at) else {
            return false;
        };
        if tree.precedes(a, first) {
            return true;
        }
        scope = scopes.around(scope, tree);
    }
    false
}

/// Which of two nodes comes first; equal if one is in the other's subtree.
fn compare(a: NodeIndex, b: NodeIndex, tree: &impl Nodes) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let (left, right) = tree.fork(a, b);
    if left == right {
        return Ordering::Equal;
    }
    place(left, tree).cmp(&place(right, tree))
}

/// Where a node stands among its siblings: a scoped task directly left of its anchor.
fn place(node: NodeIndex, tree: &impl Nodes) -> (NodeIndex, bool, NodeIndex) {
    match tree.node(node).kind() {
        NodeKind::Scoped => (tree.anchor(node), false, node),
        _ => (node, true, node),
    }
}

/// The innermost finish or wait around each task, as far as it was asked for: one more than its node.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    of_tasks: Vec<u32>,
    trail: Vec<usize>,
}

impl Scopes {
    /// The innermost finish or wait that a node is in, or the root.
    pub(super) fn around(&mut self, node: NodeIndex, tree: &impl Nodes) -> NodeIndex {
        let mut at = tree.node(node).parent;
        let found = loop {
            let here = tree.node(at);
            match here.kind() {
                _ if at == ROOT => break ROOT,
                NodeKind::Finish | NodeKind::Wait => break at,
                NodeKind::Task | NodeKind::Scoped => {
                    let task = here.task.index();
                    match self.of_tasks.get(task) {
                        Some(&known) if known > 0 => break known - 1,
                        _ => self.trail.push(task),
                    }
                }
                NodeKind::Strand => {}
            }
            at = here.parent;
        };
        while let Some(task) = self.trail.pop() {
            if self.of_tasks.len() <= task {
                self.of_tasks.resize(task + 1, 0);
            }
            self.of_tasks[task] = found + 1;
        }
        found
    }
}
