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

/// Index of a node; a strand's index is its [`StrandId`](crate::StrandId).
pub type NodeIndex = u32;

/// The root: the main task's implicit finish.
pub const ROOT: NodeIndex = 0;

/// Bits of a packed node that hold its kind.
const KIND_BITS: u32 = 3;

/// Bits of a packed node that hold its kind and, of a strand, its departures.
const LOW_BITS: u32 = KIND_BITS + 2;

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A leaf.
    Strand = 0,
    /// A task spawned into its spawner's innermost finish.
    Task = 1,
    /// A finish.
    Finish = 2,
    /// A task spawned through a scope handle.
    Scoped = 3,
    /// The children a task waits for by itself, without their descendants (OpenMP's `taskwait`), and
    /// what the task does meanwhile. Which descendants are joined with them is for
    /// [`Nodes::joined`] to say.
    Wait = 4,
}

/// Which edges beside those of the tree can order a strand before others: who may stand for whom in a
/// history of bounded size depends on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Departures {
    /// None: its task has neither signalled nor released a lock, and nothing waits for it by name.
    None = 0,
    /// Hand-offs: its task has released locks or made atomic accesses.
    HandOffs = 1,
    /// Extra edges: a future, a dependent task, a thread, or a task that has signalled.
    Edges = 2,
}

/// One node, as stored.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The node above.
    pub parent: NodeIndex,
    /// An ancestor further up; which one depends on the depth alone.
    skip: NodeIndex,
    /// The depth, shifted left by [`LOW_BITS`], the departures of a strand, and the kind.
    depth_kind: u32,
    /// The task it belongs to or stands for.
    pub task: TaskId,
}

impl Node {
    /// The main task's finish.
    pub const ROOT: Self = Self {
        parent: ROOT,
        skip: ROOT,
        depth_kind: NodeKind::Finish as u32,
        task: TaskId::MAIN,
    };

    /// How many nodes are above it.
    pub fn depth(self) -> u32 {
        self.depth_kind >> LOW_BITS
    }

    /// The same node, a strand that edges of this sort can leave.
    pub fn with(self, departures: Departures) -> Self {
        Self {
            depth_kind: self.depth_kind | (departures as u32) << KIND_BITS,
            ..self
        }
    }

    /// Which edges can leave a strand.
    pub fn departures(self) -> Departures {
        match self.depth_kind >> KIND_BITS & 3 {
            0 => Departures::None,
            1 => Departures::HandOffs,
            _ => Departures::Edges,
        }
    }

    /// What it stands for.
    pub fn kind(self) -> NodeKind {
        match self.depth_kind & ((1 << KIND_BITS) - 1) {
            0 => NodeKind::Strand,
            1 => NodeKind::Task,
            2 => NodeKind::Finish,
            3 => NodeKind::Scoped,
            _ => NodeKind::Wait,
        }
    }
}

/// A place where nodes are kept, and what can be asked of them. Row 0 is [`Node::ROOT`].
pub trait Nodes {
    /// The node with this index.
    fn node(&self, index: NodeIndex) -> Node;

    /// How many nodes there are.
    fn count(&self) -> NodeIndex;

    /// The sibling a scoped task stands directly left of.
    fn anchor(&self, scoped: NodeIndex) -> NodeIndex;

    /// The next child of `parent`, to be stored; `task` is the task it belongs to or stands for.
    fn child(&self, parent: NodeIndex, kind: NodeKind, task: TaskId) -> Node {
        let above = self.node(parent);
        let depth_kind = (above.depth() + 1) << LOW_BITS | kind as u32;
        Node {
            parent,
            skip: self.skip_of_child(parent, above),
            depth_kind,
            task,
        }
    }

    /// Whether strand `a` precedes strand `b` in every schedule, as far as the tree tells.
    fn precedes(&self, a: NodeIndex, b: NodeIndex) -> bool {
        let (left, right) = self.fork(a, b);
        self.is_ordered_at(a, left, right)
    }

    /// The same for a strand `a` below `left`, and any below `right`, both children of their lowest common ancestor.
    #[inline]
    fn is_ordered_at(&self, a: NodeIndex, left: NodeIndex, right: NodeIndex) -> bool {
        match self.node(left).kind() {
            NodeKind::Task | NodeKind::Scoped => false,
            NodeKind::Strand | NodeKind::Finish => self.is_left(left, right),
            NodeKind::Wait => self.is_left(left, right) && self.joined(a, left),
        }
    }

    /// Whether [`precedes`](Self::precedes) is the order of the tree and nothing else.
    fn is_plain(&self) -> bool {
        true
    }

    /// Whether what its task does after `wait` comes after strand `a` inside it.
    fn joined(&self, _a: NodeIndex, _wait: NodeIndex) -> bool {
        true
    }

    /// Depth of the lowest common ancestor of two different strands.
    fn common_depth(&self, a: NodeIndex, b: NodeIndex) -> u32 {
        self.node(self.fork(a, b).0).depth() - 1
    }

    /// The anchor of a task spawned into `finish` by a task that stands at `inside`: the child of
    /// `finish` that `inside` is or descends from, or that one's anchor if it is scoped itself.
    fn anchor_for(&self, finish: NodeIndex, inside: NodeIndex) -> NodeIndex {
        let child = self.raise(inside, self.node(finish).depth() + 1);
        match self.node(child).kind() {
            NodeKind::Scoped => self.anchor(child),
            _ => child,
        }
    }

    /// Whether `a`, no scoped task itself, stands left of its sibling `b`.
    fn is_left(&self, a: NodeIndex, b: NodeIndex) -> bool {
        match self.node(b).kind() {
            NodeKind::Scoped => a < self.anchor(b),
            _ => a < b,
        }
    }

    /// The two children of the lowest common ancestor above two different leaves.
    fn fork(&self, mut a: NodeIndex, mut b: NodeIndex) -> (NodeIndex, NodeIndex) {
        let (deep_a, deep_b) = (self.node(a).depth(), self.node(b).depth());
        if deep_a > deep_b {
            a = self.raise(a, deep_b);
        } else if deep_b > deep_a {
            b = self.raise(b, deep_a);
        }
        loop {
            let (above_a, above_b) = (self.node(a), self.node(b));
            if above_a.parent == above_b.parent {
                return (a, b);
            }
            // At equal depth both skips reach equally far.
            let skip = above_a.skip != above_b.skip;
            a = if skip { above_a.skip } else { above_a.parent };
            b = if skip { above_b.skip } else { above_b.parent };
        }
    }

    /// An ancestor further up, and its depth.
    fn skip(&self, node: Node) -> (NodeIndex, u32) {
        (node.skip, self.node(node.skip).depth())
    }

    /// The ancestor of `node` at `depth`.
    fn raise(&self, mut node: NodeIndex, depth: u32) -> NodeIndex {
        loop {
            let here = self.node(node);
            if here.depth() <= depth {
                return node;
            }
            node = if self.node(here.skip).depth() >= depth {
                here.skip
            } else {
                here.parent
            };
        }
    }

    /// The skip pointer of a child of `parent`, whose node is `above`.
    fn skip_of_child(&self, parent: NodeIndex, above: Node) -> NodeIndex {
        let skip = self.node(above.skip);
        let near = above.depth() - skip.depth();
        let far = skip.depth() - self.node(skip.skip).depth();
        if near == far { skip.skip } else { parent }
    }
}

/// The nodes of a run that one thread follows.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The anchor of each scoped task's node.
    anchors: FxHashMap<NodeIndex, NodeIndex>,
}

impl Tree {
    /// The tree of the main task's finish.
    pub fn new() -> Self {
        Self {
            nodes: vec![Node::ROOT],
            anchors: FxHashMap::default(),
        }
    }

    /// Makes the next child of `parent`; `task` is the task it belongs to or stands for.
    pub fn push(&mut self, parent: NodeIndex, kind: NodeKind, task: TaskId) -> NodeIndex {
        let node = self.child(parent, kind, task);
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeIndex
    }

    /// Makes a child of `finish` that stands left of the child `inside` descends from.
    pub fn push_scoped(&mut self, finish: NodeIndex, inside: NodeIndex, task: TaskId) -> NodeIndex {
        let anchor = self.anchor_for(finish, inside);
        let node = self.push(finish, NodeKind::Scoped, task);
        self.anchors.insert(node, anchor);
        node
    }

    /// The node above.
    pub fn parent(&self, node: NodeIndex) -> NodeIndex {
        self.node(node).parent
    }

    /// The task a node belongs to or stands for.
    pub fn task(&self, node: NodeIndex) -> TaskId {
        self.node(node).task
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Nodes for Tree {
    #[inline(always)]
    fn node(&self, index: NodeIndex) -> Node {
        self.nodes[index as usize]
    }

    fn count(&self) -> NodeIndex {
        self.nodes.len() as NodeIndex
    }

    fn anchor(&self, scoped: NodeIndex) -> NodeIndex {
        self.anchors.get(&scoped).copied().unwrap_or(scoped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(tree: &Tree, mut node: NodeIndex, depth: u32) -> NodeIndex {
        while tree.node(node).depth() > depth {
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
            for depth in (0..=tree.node(node).depth()).step_by(17) {
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
            node = if tree.node(skip).depth() > 0 {
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

    #[test]
    fn a_task_scoped_from_inside_a_scoped_task_takes_over_its_anchor() {
        let mut tree = Tree::new();
        let inner = tree.push(ROOT, NodeKind::Finish, TaskId::MAIN);
        let task = tree.push(inner, NodeKind::Task, TaskId::new(1));
        let inside = tree.push(task, NodeKind::Strand, TaskId::new(1));
        let first = tree.push_scoped(ROOT, inner, TaskId::new(2));
        let within = tree.push(first, NodeKind::Finish, TaskId::new(2));
        let second = tree.push_scoped(ROOT, within, TaskId::new(3));
        let deep = tree.push(second, NodeKind::Strand, TaskId::new(3));
        assert!(!tree.precedes(inside, deep));
    }
}
