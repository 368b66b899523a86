//! The dynamic program structure tree: the structured part of the order, for any run.
//!
//! Raman, Zhao, Sarkar, Vechev, Yahav: *Scalable and Precise Dynamic Datarace Detection for
//! Structured Parallelism* (2012); laid out in an array as in Yoga and Nagarakatte's atomicity
//! checker. Inner nodes are finishes and tasks, leaves are strands; a node's children stand in the
//! sequence in which its task made them. Two strands are parallel iff, of the two children of
//! their lowest common ancestor above them, the left one is a task.
//!
//! # Invariants
//! 1. A node is made once and never moves or changes; its parent has a smaller index.
//! 2. All children of a node are made by one task, so siblings stand in the sequence of their
//!    indices. The exception is a task spawned through a scope handle: it stands directly left of
//!    its *anchor*, the sibling inside which it was spawned (`Scoped`).
//!
//! # Cost
//! Sixteen bytes per node. A query climbs by skip pointers (Myers, *An applicative random-access
//! stack*, 1983): O(log depth), and O(log distance) for strands close to each other.

use crate::id::TaskId;
use rustc_hash::FxHashMap;

/// Index of a node.
pub(crate) type NodeIndex = u32;

/// The root: the main task's implicit finish.
pub(crate) const ROOT: NodeIndex = 0;

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    Strand = 0,
    Task = 1,
    Finish = 2,
    /// A task spawned through a scope handle.
    Scoped = 3,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeIndex,
    /// An ancestor further up; which one depends on the depth alone.
    skip: NodeIndex,
    /// The depth, shifted left by two, and the kind.
    depth_kind: u32,
    task: TaskId,
}

impl Node {
    fn depth(self) -> u32 {
        self.depth_kind >> 2
    }

    fn kind(self) -> NodeKind {
        match self.depth_kind & 3 {
            0 => NodeKind::Strand,
            1 => NodeKind::Task,
            2 => NodeKind::Finish,
            _ => NodeKind::Scoped,
        }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The anchor of each scoped task's node.
    anchors: FxHashMap<NodeIndex, NodeIndex>,
}

impl Tree {
    /// The tree of the main task's finish.
    pub(crate) fn new() -> Self {
        let depth_kind = NodeKind::Finish as u32;
        let root = Node {
            parent: ROOT,
            skip: ROOT,
            depth_kind,
            task: TaskId::MAIN,
        };
        Self {
            nodes: vec![root],
            anchors: FxHashMap::default(),
        }
    }

    /// Makes the next child of `parent`; `task` is the task it belongs to or stands for.
    pub(crate) fn push(&mut self, parent: NodeIndex, kind: NodeKind, task: TaskId) -> NodeIndex {
        let above = self.nodes[parent as usize];
        let depth_kind = (above.depth() + 1) << 2 | kind as u32;
        let skip = self.skip_of_child(parent, above);
        self.nodes.push(Node {
            parent,
            skip,
            depth_kind,
            task,
        });
        (self.nodes.len() - 1) as NodeIndex
    }

    /// Makes a child of `finish` that stands left of the child `inside` descends from.
    pub(crate) fn push_scoped(
        &mut self,
        finish: NodeIndex,
        inside: NodeIndex,
        task: TaskId,
    ) -> NodeIndex {
        let anchor = self.raise(inside, self.depth(finish) + 1);
        let node = self.push(finish, NodeKind::Scoped, task);
        self.anchors.insert(node, anchor);
        node
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn parent(&self, node: NodeIndex) -> NodeIndex {
        self.nodes[node as usize].parent
    }

    pub(crate) fn task(&self, node: NodeIndex) -> TaskId {
        self.nodes[node as usize].task
    }

    fn depth(&self, node: NodeIndex) -> u32 {
        self.nodes[node as usize].depth()
    }

    /// Whether strand `a` precedes strand `b` in every schedule, as far as the tree tells.
    pub(crate) fn precedes(&self, a: NodeIndex, b: NodeIndex) -> bool {
        let (left, right) = self.fork(a, b);
        match self.nodes[left as usize].kind() {
            NodeKind::Task | NodeKind::Scoped => false,
            NodeKind::Strand | NodeKind::Finish => self.is_left(left, right),
        }
    }

    /// Depth of the lowest common ancestor of two different strands.
    pub(crate) fn common_depth(&self, a: NodeIndex, b: NodeIndex) -> u32 {
        self.depth(self.fork(a, b).0) - 1
    }

    /// Whether `a`, no scoped task itself, stands left of its sibling `b`.
    fn is_left(&self, a: NodeIndex, b: NodeIndex) -> bool {
        match self.anchors.get(&b) {
            Some(&anchor) if self.nodes[b as usize].kind() == NodeKind::Scoped => a < anchor,
            _ => a < b,
        }
    }

    /// The two children of the lowest common ancestor above two different leaves.
    fn fork(&self, mut a: NodeIndex, mut b: NodeIndex) -> (NodeIndex, NodeIndex) {
        let (deep_a, deep_b) = (self.depth(a), self.depth(b));
        if deep_a > deep_b {
            a = self.raise(a, deep_b);
        } else if deep_b > deep_a {
            b = self.raise(b, deep_a);
        }
        loop {
            let (above_a, above_b) = (self.nodes[a as usize], self.nodes[b as usize]);
            if above_a.parent == above_b.parent {
                return (a, b);
            }
            // At equal depth both skips reach equally far.
            let skip = above_a.skip != above_b.skip;
            a = if skip { above_a.skip } else { above_a.parent };
            b = if skip { above_b.skip } else { above_b.parent };
        }
    }

    /// The ancestor of `node` at `depth`.
    fn raise(&self, mut node: NodeIndex, depth: u32) -> NodeIndex {
        while self.depth(node) > depth {
            let here = self.nodes[node as usize];
            node = if self.depth(here.skip) >= depth {
                here.skip
            } else {
                here.parent
            };
        }
        node
    }

    fn skip_of_child(&self, parent: NodeIndex, above: Node) -> NodeIndex {
        let skip = self.nodes[above.skip as usize];
        let near = above.depth() - skip.depth();
        let far = skip.depth() - self.depth(skip.skip);
        if near == far { skip.skip } else { parent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(tree: &Tree, mut node: NodeIndex, depth: u32) -> NodeIndex {
        while tree.depth(node) > depth {
            node = tree.parent(node);
        }
        node
    }

    #[test]
    fn raising_by_skips_equals_climbing_parent_by_parent() {
        let mut tree = Tree::new();
        let mut chain = vec![ROOT];
        for n in 0..3000u32 {
            let parent = chain[(n as usize * 7919) % chain.len()].max(n.saturating_sub(3));
            chain.push(tree.push(parent, NodeKind::Task, TaskId::MAIN));
        }
        for &node in &chain {
            for depth in (0..=tree.depth(node)).step_by(17) {
                assert_eq!(tree.raise(node, depth), climb(&tree, node, depth));
            }
        }
    }

    #[test]
    fn a_deep_chain_is_raised_in_few_steps() {
        let mut tree = Tree::new();
        let mut node = ROOT;
        for _ in 0..1_000_000 {
            node = tree.push(node, NodeKind::Task, TaskId::MAIN);
        }
        let mut steps = 0;
        while node != ROOT {
            let skip = tree.nodes[node as usize].skip;
            node = if tree.depth(skip) > 0 {
                skip
            } else {
                tree.parent(node)
            };
            steps += 1;
        }
        assert!(steps < 100, "{steps} steps for depth 1,000,000");
    }

    #[test]
    fn a_strand_precedes_what_its_task_does_later_but_a_task_does_not() {
        let mut tree = Tree::new();
        let before = tree.push(ROOT, NodeKind::Strand, TaskId::MAIN);
        let task = tree.push(ROOT, NodeKind::Task, TaskId::new(1));
        let inside = tree.push(task, NodeKind::Strand, TaskId::new(1));
        let after = tree.push(ROOT, NodeKind::Strand, TaskId::MAIN);
        assert!(tree.precedes(before, inside) && tree.precedes(before, after));
        assert!(!tree.precedes(inside, after) && !tree.precedes(after, inside));
    }

    #[test]
    fn a_scoped_task_stands_left_of_its_anchor() {
        let mut tree = Tree::new();
        let outer = tree.push(ROOT, NodeKind::Finish, TaskId::MAIN);
        let first = tree.push(outer, NodeKind::Strand, TaskId::MAIN);
        let inner = tree.push(outer, NodeKind::Finish, TaskId::MAIN);
        let within = tree.push(inner, NodeKind::Strand, TaskId::MAIN);
        let scoped = tree.push_scoped(outer, inner, TaskId::new(1));
        let inside = tree.push(scoped, NodeKind::Strand, TaskId::new(1));
        let after_inner = tree.push(outer, NodeKind::Strand, TaskId::MAIN);
        let after_outer = tree.push(ROOT, NodeKind::Strand, TaskId::MAIN);
        assert!(tree.precedes(first, inside));
        assert!(
            !tree.precedes(within, inside),
            "that is for the spawn edge to say"
        );
        assert!(!tree.precedes(inside, after_inner));
        assert!(tree.precedes(inside, after_outer));
    }
}
