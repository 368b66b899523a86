//! All that reaches one knot: for questions about one knot and many earlier strands.
//!
//! For each task, the last of its nodes that precedes the knot is noted: a strand that an edge leaves, or the child
//! through which the tree leads to one. What a task did before that node precedes the knot. So does what a finish
//! or a wait of the task's has joined, if it ended before that node; so a question looks at the strand's own task and
//! at the owners of the finishes and waits around it.
//!
//! # Cost
//! It pays when searches for the same knot have passed as many knots as it looks at. It looks at the knots before it
//! from the latest on, as far as it pays; what is older is still searched for.

use super::sources::Scopes;
use super::{KnotIndex, Layer, NONE};
use crate::id::TaskId;
use crate::order::tree::{NodeIndex, NodeKind, Nodes, ROOT};

/// Fewer steps than this are left to searches.
const ENOUGH: usize = 48;

/// The last node of a task that precedes the knot, or before which the last one stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Last {
    node: NodeIndex,
    /// Whether the node itself precedes the knot.
    is_included: bool,
}

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Cone {
    knot: KnotIndex,
    /// Steps that searches for this knot took since it was laid out.
    steps: usize,
    /// Strands from this one on are decided.
    since: NodeIndex,
    /// How many knots were looked at.
    depth: usize,
    /// Which layout noted something of a task last, and what.
    last: Vec<(u32, Last)>,
    layout: u32,
}

impl Cone {
    /// Whether it says of `a` whether it reaches `knot`.
    #[inline]
    pub(super) fn decides(&self, a: NodeIndex, knot: KnotIndex) -> bool {
        self.knot == knot && self.depth > 0 && a >= self.since
    }

    /// Whether `a` reaches the knot.
    pub(super) fn has(&self, a: NodeIndex, tree: &impl Nodes, scopes: &mut Scopes) -> bool {
        let is_before = |of: TaskId| {
            self.last_of(of).is_some_and(|Last { node, is_included }| {
                node == a && is_included || node != a && tree.precedes(a, node)
            })
        };
        if is_before(tree.node(a).task) {
            return true;
        }
        let mut scope = scopes.around(a, tree);
        while scope != ROOT {
            if is_before(tree.node(scope).task) {
                return true;
            }
            scope = scopes.around(scope, tree);
        }
        false
    }

    fn last_of(&self, task: TaskId) -> Option<Last> {
        let &(layout, last) = self.last.get(task.index())?;
        (layout == self.layout).then_some(last)
    }

    /// What `task` did before this precedes the knot. Whether that is the first that is noted of it.
    fn note(&mut self, task: TaskId, now: Last) -> bool {
        if self.last.len() <= task.index() {
            self.last.resize(task.index() + 1, (0, Last::default()));
        }
        let last = &mut self.last[task.index()];
        let is_first = last.0 != self.layout;
        let now = if is_first { now } else { now.max(last.1) };
        *last = (self.layout, now);
        is_first
    }

    /// A strand precedes the knot, or its start does, and so does all that leads to it in the tree.
    fn note_strand(&mut self, strand: NodeIndex, is_included: bool, tree: &impl Nodes) {
        let (mut at, mut task) = (strand, tree.node(strand).task);
        let mut is_included = is_included;
        while self.note(
            task,
            Last {
                node: at,
                is_included,
            },
        ) {
            is_included = true;
            let Some(child) = task_around(at, tree) else {
                return;
            };
            // What is older than this is not decided here.
            if child < self.since {
                return;
            }
            let node = tree.node(child);
            at = match node.kind() {
                NodeKind::Scoped => tree.anchor(child),
                _ => child,
            };
            task = tree.node(node.parent).task;
        }
    }
}

/// The node that stands for the task in whose scope a node is; none for the main task.
fn task_around(node: NodeIndex, tree: &impl Nodes) -> Option<NodeIndex> {
    let mut at = tree.node(node).parent;
    while at != ROOT {
        let here = tree.node(at);
        if matches!(here.kind(), NodeKind::Task | NodeKind::Scoped) {
            return Some(at);
        }
        at = here.parent;
    }
    None
}

impl Layer {
    /// A search for `knot` took so many steps: if they were many by now, what reaches it is laid out.
    pub(super) fn lay_out_after(&mut self, steps: usize, knot: KnotIndex, tree: &impl Nodes) {
        let cone = &mut self.cone;
        if cone.knot != knot {
            (cone.knot, cone.steps, cone.depth) = (knot, 0, 0);
        }
        cone.steps += steps;
        let is_worth_it = cone.steps > ENOUGH && cone.steps * 4 > cone.depth;
        if is_worth_it && tree.is_plain() {
            self.lay_out(knot, tree);
        }
    }

    #[cold]
    fn lay_out(&mut self, knot: KnotIndex, tree: &impl Nodes) {
        let mut cone = std::mem::take(&mut self.cone);
        cone.depth = (cone.depth.max(cone.steps) * 4).min(knot as usize);
        cone.steps = 0;
        let oldest = knot - cone.depth as KnotIndex + 1;
        // Knots before the oldest are no younger than this.
        cone.since = self.knots[oldest as usize - 1].age;
        cone.layout = cone.layout.wrapping_add(1);
        if cone.layout == 0 {
            (cone.last, cone.layout) = (Vec::new(), 1);
        }
        let mut search = std::mem::take(&mut self.search);
        search.begin(knot, self.knots.len());
        for at in (oldest..=knot).rev() {
            if !search.has_passed(at) {
                continue;
            }
            let (from, before) = self.links(at);
            let is_included = !self.knots[at as usize].is_before_sources;
            from.iter()
                .for_each(|&strand| cone.note_strand(strand, is_included, tree));
            let entries = from.iter().map(|&strand| self.entry(strand));
            for next in before.iter().copied().chain(entries) {
                if next != NONE {
                    search.pass(next, at);
                }
            }
        }
        (self.search, self.cone) = (search, cone);
    }
}

impl super::Search {
    fn has_passed(&self, knot: KnotIndex) -> bool {
        self.passed[knot as usize].0 == self.number
    }
}
