//! Which strands are parallel, asked after the run for any two.
//!
//! For what spawns and finishes order, each strand gets two numbers: its place in the tree walked from
//! left to right, and its place with every task put behind what follows its spawn (Nudler and Rudolph,
//! *Tools for the Efficient Development of Efficient Parallel Programs*, 1986: English-Hebrew
//! labelling). One strand precedes another iff both numbers say so, which also lets part B find out by
//! sorting whether *any* strand is parallel. Extra edges (joins, signals, scope handles) only add order;
//! where there are some, the engine that every analysis uses is asked in addition.
//!
//! # Guarantee
//! [`Order::precedes`] is exact. [`Order::labels`] may call ordered strands parallel if there are extra
//! edges, never the reverse.

use heddle_core::atomicity::Scope;
use heddle_core::{Event, Features, Listener};
use heddle_rt::{Follower, Keeping};

use crate::log::{NONE, Strand, StrandInfo};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Leaf,
    Task,
    Finish,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    parent: u32,
    depth: u32,
    first: u32,
    last: u32,
    left: u32,
    right: u32,
}

/// The structure of a run while it is followed.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Follows the run where there are extra edges.
    engine: Option<Follower>,
    /// Whether there are extra edges, and no engine to follow them.
    is_blind: bool,
}

impl Tree {
    /// The main task's finish.
    pub const ROOT: u32 = 0;

    /// The tree at the start of the main task.
    pub fn new(has_extra_edges: bool) -> Self {
        let root = Node {
            kind: Kind::Finish,
            parent: NONE,
            depth: 0,
            first: NONE,
            last: NONE,
            left: NONE,
            right: NONE,
        };
        let features = Features {
            extra_edges: true,
            ..Features::default()
        };
        let engine = || Follower::new(features, Scope::Declared, Keeping::Two);
        let engine = has_extra_edges.then(engine).flatten();
        Self {
            nodes: vec![root],
            is_blind: has_extra_edges && engine.is_none(),
            engine,
        }
    }

    /// Whether there are extra edges that could not be followed, for lack of address space.
    pub fn is_blind(&self) -> bool {
        self.is_blind
    }

    /// Lets the order with extra edges know. Accesses and locks say nothing of it.
    pub fn follow(&mut self, event: Event) {
        if let Some(engine) = &mut self.engine {
            match event {
                Event::Spawn { .. }
                | Event::Begin { .. }
                | Event::End { .. }
                | Event::Resume { .. }
                | Event::FinishBegin { .. }
                | Event::FinishEnd { .. }
                | Event::Join { .. }
                | Event::Signal { .. }
                | Event::Wait { .. } => engine.on(event),
                _ => {}
            }
        }
    }

    /// Where the running strand stands in the order with extra edges.
    pub fn position(&mut self) -> Option<u32> {
        self.engine.as_mut().and_then(Follower::strand)
    }

    /// A strand below `scope`.
    pub fn leaf(&mut self, scope: u32) -> u32 {
        self.push(scope, Kind::Leaf)
    }

    /// A task below `scope`.
    pub fn task(&mut self, scope: u32) -> u32 {
        self.push(scope, Kind::Task)
    }

    /// A finish below `scope`.
    pub fn finish(&mut self, scope: u32) -> u32 {
        self.push(scope, Kind::Finish)
    }

    /// A task spawned through a scope handle: below `finish`, directly left of the child in which it
    /// was spawned, so that nothing inside that child is ordered with it by the tree.
    pub fn scoped_task(&mut self, finish: u32, scope: u32) -> u32 {
        let depth = self.nodes[finish as usize].depth + 1;
        let mut anchor = scope;
        while self.nodes[anchor as usize].depth > depth {
            anchor = self.nodes[anchor as usize].parent;
        }
        let node = self.make(finish, Kind::Task);
        let left = std::mem::replace(&mut self.nodes[anchor as usize].left, node);
        (
            self.nodes[node as usize].left,
            self.nodes[node as usize].right,
        ) = (left, anchor);
        match left {
            NONE => self.nodes[finish as usize].first = node,
            left => self.nodes[left as usize].right = node,
        }
        node
    }

    /// The node above.
    pub fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    fn make(&mut self, parent: u32, kind: Kind) -> u32 {
        let depth = self.nodes[parent as usize].depth + 1;
        self.nodes.push(Node {
            kind,
            parent,
            depth,
            first: NONE,
            last: NONE,
            left: NONE,
            right: NONE,
        });
        (self.nodes.len() - 1) as u32
    }

    fn push(&mut self, parent: u32, kind: Kind) -> u32 {
        let node = self.make(parent, kind);
        let left = std::mem::replace(&mut self.nodes[parent as usize].last, node);
        self.nodes[node as usize].left = left;
        match left {
            NONE => self.nodes[parent as usize].first = node,
            left => self.nodes[left as usize].right = node,
        }
        node
    }

    /// Numbers the leaves; `push` puts a node's children on the stack, the first one last.
    fn number(&self, push: impl Fn(&Self, Node, &mut Vec<u32>)) -> Vec<u32> {
        let mut numbers = vec![0; self.nodes.len()];
        let mut next = 0;
        let mut stack = vec![Self::ROOT];
        while let Some(row) = stack.pop() {
            let node = self.nodes[row as usize];
            if node.kind == Kind::Leaf {
                numbers[row as usize] = next;
                next += 1;
            } else {
                push(self, node, &mut stack);
            }
        }
        numbers
    }

    fn push_left_to_right(&self, node: Node, stack: &mut Vec<u32>) {
        let mut child = node.last;
        while child != NONE {
            stack.push(child);
            child = self.nodes[child as usize].left;
        }
    }

    /// What is no task comes first, then the tasks, the last spawned first.
    fn push_tasks_last(&self, node: Node, stack: &mut Vec<u32>) {
        let mut child = node.first;
        while child != NONE {
            if self.nodes[child as usize].kind == Kind::Task {
                stack.push(child);
            }
            child = self.nodes[child as usize].right;
        }
        let mut child = node.last;
        while child != NONE {
            if self.nodes[child as usize].kind != Kind::Task {
                stack.push(child);
            }
            child = self.nodes[child as usize].left;
        }
    }
}

/// The order of all strands of a run.
#[derive(Debug)]
pub struct Order {
    labels: Vec<Labels>,
    positions: Vec<Option<u32>>,
    engine: Option<Follower>,
}

/// The two numbers of a strand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels {
    /// From left to right.
    pub english: u32,
    /// With tasks last.
    pub hebrew: u32,
}

impl Labels {
    /// Whether this strand precedes the other, as far as spawns and finishes tell.
    pub fn precede(self, other: Self) -> bool {
        self.english < other.english && self.hebrew < other.hebrew
    }
}

impl Order {
    /// The order of these strands.
    pub fn new(tree: Tree, strands: &[StrandInfo]) -> Self {
        let english = tree.number(Tree::push_left_to_right);
        let hebrew = tree.number(Tree::push_tasks_last);
        let labels = strands.iter().map(|strand| {
            let number = |numbers: &[u32]| numbers.get(strand.leaf as usize).copied();
            Labels {
                english: number(&english).unwrap_or(0),
                hebrew: number(&hebrew).unwrap_or(0),
            }
        });
        Self {
            labels: labels.collect(),
            positions: strands.iter().map(|strand| strand.position).collect(),
            engine: tree.engine,
        }
    }

    /// The strand's numbers.
    pub fn labels(&self, strand: Strand) -> Labels {
        self.labels[strand as usize]
    }

    /// Whether labels alone decide.
    pub fn is_structured(&self) -> bool {
        self.engine.is_none()
    }

    /// Whether `a` precedes `b` in every schedule. With extra edges, exact for strands that made an
    /// access.
    pub fn precedes(&mut self, a: Strand, b: Strand) -> bool {
        let [of_a, of_b] = [a, b].map(|strand| self.labels[strand as usize]);
        if of_a.precede(of_b) {
            return true;
        }
        let positions = [a, b].map(|strand| self.positions[strand as usize]);
        match (&self.engine, positions) {
            (Some(engine), [Some(a), Some(b)]) if a != b => engine.is_ordered(a, b),
            _ => false,
        }
    }

    /// Whether neither of two different strands precedes the other.
    pub fn parallel(&mut self, a: Strand, b: Strand) -> bool {
        a != b && !self.precedes(a, b) && !self.precedes(b, a)
    }
}
