//! Where the running strand stands in the tree, so that its order with an earlier strand is found in a few steps.
//!
//! A thread keeps the nodes above the strand it executes, by depth. Tasks start and end close to where the thread was, so
//! keeping them costs a step or two per task. The lowest common ancestor of an earlier strand and the running one is then
//! the first of the earlier one's ancestors that is among them, found by skip pointers on one side only; and as long as
//! the thread stays below that ancestor and does not come to the earlier strand's own branch, it is the same for all that
//! the thread executes, and is remembered.
//!
//! # Cost
//! A look-up where it is remembered; O(log depth) otherwise. A thread that turns to a far part of a deep tree does not
//! climb all of it at once: only the lowest ancestors are kept then, and more when a question needs them.
//!
//! # Invariants
//! 1. `nodes[top..]` is a path of the tree: each is the parent of the next.
//! 2. What is remembered of a strand is a child, off the path when it was found, of a node that it names with its depth.

use heddle_core::order::tree::{Node, NodeIndex, Nodes};

/// Strands whose forks are remembered.
const FORKS: usize = 1 << 8;
/// Steps up that one question pays for.
const STEPS: u32 = 64;
/// Ancestors that are climbed to one by one, because most strands are not far.
const NEAR: u32 = 4;
/// No node has this number.
const NONE: NodeIndex = NodeIndex::MAX;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Path {
    /// By depth; what lies above `top` is not known.
    nodes: Vec<NodeIndex>,
    top: usize,
    forks: Box<[Known]>,
}

/// Where an earlier strand's branch leaves the path: below `above`, at this depth.
#[derive(Clone, Copy, Debug)]
struct Known {
    strand: NodeIndex,
    branch: NodeIndex,
    above: NodeIndex,
    depth: u32,
}

const UNKNOWN: Known = Known {
    strand: NONE,
    branch: NONE,
    above: NONE,
    depth: 0,
};

/// The two children of the lowest common ancestor of an earlier strand and the running one, and its depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fork {
    pub(crate) earlier: NodeIndex,
    pub(crate) now: NodeIndex,
    pub(crate) depth: u32,
}

impl Path {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            top: 0,
            forks: vec![UNKNOWN; FORKS].into(),
        }
    }

    /// Forgets all nodes: their memory may be given back.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn forget(&mut self) {
        self.nodes.clear();
        self.top = 0;
        self.forks.fill(UNKNOWN);
    }

    /// Where the way to `earlier` parts from that to `now`, the running strand, which is another one.
    #[inline]
    pub(crate) fn fork(&mut self, tree: &impl Nodes, earlier: NodeIndex, now: NodeIndex) -> Fork {
        self.come_to(tree, tree.node(now).parent);
        let known = self.forks[Self::slot(earlier)];
        if known.strand == earlier && self.has(known.above, known.depth as usize) {
            let below = self.below(known.depth, now);
            if below != known.branch {
                return Fork {
                    earlier: known.branch,
                    now: below,
                    depth: known.depth,
                };
            }
        }
        self.find(tree, earlier, now)
    }

    #[inline(never)]
    fn find(&mut self, tree: &impl Nodes, earlier: NodeIndex, now: NodeIndex) -> Fork {
        let (mut branch, mut near) = (earlier, NEAR);
        loop {
            let node = tree.node(branch);
            if node.depth() as usize <= self.top && self.top > 0 && !self.extend(tree) {
                let (earlier, now) = tree.fork(earlier, now);
                let depth = tree.node(earlier).depth() - 1;
                return Fork {
                    earlier,
                    now,
                    depth,
                };
            }
            if self.has(node.parent, node.depth() as usize - 1) {
                let depth = node.depth() - 1;
                self.forks[Self::slot(earlier)] = Known {
                    strand: earlier,
                    branch,
                    above: node.parent,
                    depth,
                };
                return Fork {
                    earlier: branch,
                    now: self.below(depth, now),
                    depth,
                };
            }
            branch = match near {
                0 => self.leap(tree, node),
                _ => node.parent,
            };
            near = near.saturating_sub(1);
        }
    }

    /// The farthest ancestor of `node` that is known to be off the path.
    fn leap(&self, tree: &impl Nodes, node: Node) -> NodeIndex {
        let (far, depth) = tree.skip(node);
        let is_on_path = self.has(far, depth as usize);
        // What is skipped over may be on the path above its known part.
        match is_on_path || (depth as usize) < self.top {
            true => node.parent,
            false => far,
        }
    }

    /// A few more of the nodes above; whether all of them are known then.
    fn extend(&mut self, tree: &impl Nodes) -> bool {
        let top = self.top;
        let mut node = self.nodes[top];
        for depth in (top.saturating_sub(STEPS as usize)..top).rev() {
            node = tree.node(node).parent;
            self.nodes[depth] = node;
            self.top = depth;
        }
        self.top < top && self.top == 0
    }

    /// Makes the path that to `scope`.
    #[inline]
    fn come_to(&mut self, tree: &impl Nodes, scope: NodeIndex) {
        if self.nodes.last() != Some(&scope) {
            self.turn_to(tree, scope);
        }
    }

    #[inline(never)]
    fn turn_to(&mut self, tree: &impl Nodes, scope: NodeIndex) {
        let mut depth = tree.node(scope).depth() as usize;
        let is_known = self.has(scope, depth);
        self.nodes.resize(depth + 1, NONE);
        self.top = self.top.min(depth);
        if is_known {
            return;
        }
        let mut node = scope;
        for _ in 0..STEPS {
            self.nodes[depth] = node;
            if depth == 0 {
                self.top = 0;
                return;
            }
            node = tree.node(node).parent;
            depth -= 1;
            if self.has(node, depth) {
                return;
            }
        }
        self.top = depth + 1;
    }

    /// Whether a node of this depth is on the path, as far as it is known.
    #[inline]
    fn has(&self, node: NodeIndex, depth: usize) -> bool {
        depth >= self.top && self.nodes.get(depth) == Some(&node)
    }

    /// What of the path comes after a node of this depth.
    #[inline]
    fn below(&self, depth: u32, now: NodeIndex) -> NodeIndex {
        let below = self.nodes.get(depth as usize + 1);
        below.copied().unwrap_or(now)
    }

    #[inline]
    fn slot(strand: NodeIndex) -> usize {
        (strand.wrapping_mul(0x9E37_79B1) >> 16) as usize % FORKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_core::TaskId;
    use heddle_core::order::tree::{NodeKind, ROOT, Tree};

    /// A tree of this many nodes in which most have a child soon, with a strand below each.
    fn random_tree(nodes: u32, seed: u32, depth: u32) -> (Tree, Vec<NodeIndex>) {
        let (mut tree, mut strands) = (Tree::new(), Vec::new());
        let (mut inner, mut random) = (vec![ROOT], seed);
        for _ in 0..nodes {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let back = (random >> 8) % depth;
            let parent = inner[inner.len() - 1 - (back as usize).min(inner.len() - 1)];
            let node = tree.push(parent, NodeKind::Task, TaskId::MAIN);
            inner.push(node);
            strands.push(tree.push(node, NodeKind::Strand, TaskId::MAIN));
        }
        (tree, strands)
    }

    #[test]
    fn a_remembered_fork_is_that_of_the_tree_wherever_the_thread_turns() {
        for (seed, depth) in [(1, 3), (2, 2), (3, 50), (4, 1000)] {
            let (tree, strands) = random_tree(3000, seed, depth);
            let mut path = Path::new();
            let mut random = seed;
            let mut at = 0;
            for _ in 0..30_000 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if random >> 30 == 0 {
                    at = (random >> 9) as usize % strands.len();
                } else if random >> 31 == 1 {
                    at = (at + 1) % strands.len();
                }
                let now = strands[at];
                let earlier = strands[(random >> 4) as usize % 40 * 71 % strands.len()];
                if earlier == now {
                    continue;
                }
                let found = path.fork(&tree, earlier, now);
                assert_eq!((found.earlier, found.now), tree.fork(earlier, now));
                assert_eq!(found.depth, tree.common_depth(earlier, now));
            }
        }
    }
}
