//! The graph: the tree plus extra edges. Orders anything, in any run.
//!
//! Computation graphs as in Nakade, Mercer, McCarthy (*Model-checking Task Parallel Programs for
//! Data-races using Computation Graphs*, 2017) and the reachability graph of event-driven runtimes.
//!
//! The tree only ever claims order that is real, so its "precedes" is final; where it says
//! "parallel", the extra edges decide (see the `layer` module). Without extra edges this *is* the
//! tree order: each query then costs one comparison more.
//!
//! There are two layers of edges. The first has what the program's meaning orders: joins, signals,
//! the spawn edge of a scope handle. The second, kept only where the program can exclude, has the
//! same and the hand-offs; it decides certain from possible.
//!
//! # Guarantee
//! `precedes` is exact for every well-formed event stream, serial or not. `handed_over` is exact
//! for the graph with hand-off edges.

use super::layer::Layer;
use super::tree::{NodeIndex, NodeKind, Nodes, ROOT, Tree};
use super::{NO_STRAND, Order};
use crate::id::{FinishId, StrandId, TaskId, TokenId};

/// Whether hand-offs are to be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandOffs {
    /// The program has no mutual exclusion.
    Ignored,
    /// Hand-off edges are kept, and [`Order::handed_over`] answers.
    Followed,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Graph {
    tree: Tree,
    edges: Layer,
    with_hand_offs: Option<Layer>,
    tasks: Vec<TaskState>,
    finishes: Vec<FinishState>,
    /// Strands that signalled each token.
    signals: Vec<Vec<NodeIndex>>,
    running: TaskId,
    current: StrandId,
    strands: u64,
    recent: Recent,
}

/// Where a task stands in the tree.
#[derive(Clone, Copy, Debug)]
struct TaskState {
    /// The node whose children the task's next nodes are: its own or its innermost finish's.
    scope: NodeIndex,
    /// The finish that tasks it spawns belong to.
    finish: FinishId,
    /// The finish it was spawned into.
    joined_by: FinishId,
    /// Its last strand, once it has ended.
    last: StrandId,
}

#[derive(Clone, Copy, Debug)]
struct FinishState {
    node: NodeIndex,
    /// What was the owner's innermost finish before.
    outer: FinishId,
}

impl Graph {
    /// The order at the start of the main task.
    pub fn new(hand_offs: HandOffs) -> Self {
        let main = TaskState {
            scope: ROOT,
            finish: FinishId::MAIN,
            joined_by: FinishId::MAIN,
            last: NO_STRAND,
        };
        Self {
            tree: Tree::new(),
            edges: Layer::new(),
            with_hand_offs: (hand_offs == HandOffs::Followed).then(Layer::new),
            tasks: vec![main],
            finishes: vec![FinishState {
                node: ROOT,
                outer: FinishId::MAIN,
            }],
            signals: Vec::new(),
            running: TaskId::MAIN,
            current: NO_STRAND,
            strands: 0,
            recent: Recent::default(),
        }
    }

    /// Depth of the lowest common ancestor of two strands: the smaller, the further apart.
    pub fn common_depth(&self, a: StrandId, b: StrandId) -> u32 {
        self.tree.common_depth(a.raw(), b.raw())
    }

    /// Whether strand `a` precedes strand `b` in every schedule, whichever is running. Two different
    /// strands of which neither precedes the other are parallel.
    pub fn ordered(&mut self, a: StrandId, b: StrandId) -> bool {
        self.tree.precedes(a.raw(), b.raw()) || self.edges.reaches(a.raw(), b.raw(), &self.tree)
    }

    fn layers(&mut self) -> impl Iterator<Item = &mut Layer> {
        std::iter::once(&mut self.edges).chain(&mut self.with_hand_offs)
    }

    fn make_strand_of(&mut self, task: TaskId) -> StrandId {
        let scope = self.tasks[task.index()].scope;
        let node = self.tree.push(scope, NodeKind::Strand, task);
        self.layers().for_each(|layer| layer.enter(node, task));
        self.strands += 1;
        StrandId::new(node)
    }

    #[cold]
    fn make_strand(&mut self) -> StrandId {
        self.current = self.make_strand_of(self.running);
        self.current
    }

    /// Adds an edge from each of the strands to what `task` does next, in every layer.
    fn arrive(&mut self, task: TaskId, from: &[NodeIndex]) {
        let Self {
            tree,
            edges,
            with_hand_offs,
            ..
        } = self;
        for layer in std::iter::once(edges).chain(with_hand_offs) {
            layer.arrive(task, from, tree);
        }
        self.current = NO_STRAND;
    }

    /// The last strand of a task that has ended.
    fn last_strand(&mut self, task: TaskId) -> StrandId {
        if self.tasks[task.index()].last == NO_STRAND {
            self.tasks[task.index()].last = self.make_strand_of(task);
        }
        self.tasks[task.index()].last
    }

    #[cold]
    fn spawn_scoped(&mut self, task: TaskId, finish: FinishId) -> NodeIndex {
        let spawner = self.close();
        let inside = self.tasks[self.running.index()].scope;
        let node = self
            .tree
            .push_scoped(self.finishes[finish.index()].node, inside, task);
        self.arrive(task, &[spawner.raw()]);
        node
    }
}

impl Order for Graph {
    fn spawn(&mut self, task: TaskId, finish: FinishId) {
        let spawner = self.tasks[self.running.index()];
        let running = self.running;
        self.layers().for_each(|layer| layer.spawn(running, task));
        let node = match finish == spawner.finish {
            true => self.tree.push(spawner.scope, NodeKind::Task, task),
            false => self.spawn_scoped(task, finish),
        };
        self.tasks.push(TaskState {
            scope: node,
            finish,
            joined_by: finish,
            last: NO_STRAND,
        });
        self.current = NO_STRAND;
    }

    fn begin(&mut self, task: TaskId) {
        self.resume(task);
    }

    fn end(&mut self, task: TaskId) {
        let joined_by = self.tasks[task.index()].joined_by;
        self.layers().for_each(|layer| layer.end(task, joined_by));
        self.tasks[task.index()].last = self.current;
        self.current = NO_STRAND;
    }

    fn resume(&mut self, task: TaskId) {
        self.running = task;
        self.current = NO_STRAND;
    }

    fn finish_begin(&mut self, _: FinishId) {
        let id = FinishId::new(self.finishes.len() as u32);
        let state = &mut self.tasks[self.running.index()];
        let node = self.tree.push(state.scope, NodeKind::Finish, self.running);
        self.finishes.push(FinishState {
            node,
            outer: state.finish,
        });
        (state.scope, state.finish) = (node, id);
        self.current = NO_STRAND;
    }

    fn finish_end(&mut self, finish: FinishId) {
        let FinishState { node, outer } = self.finishes[finish.index()];
        let state = &mut self.tasks[self.running.index()];
        (state.scope, state.finish) = (self.tree.parent(node), outer);
        let Self {
            tree,
            edges,
            with_hand_offs,
            running,
            ..
        } = self;
        for layer in std::iter::once(edges).chain(with_hand_offs) {
            layer.finish_end(finish, *running, tree);
        }
        self.current = NO_STRAND;
    }

    fn join(&mut self, task: TaskId) {
        let last = self.last_strand(task);
        self.arrive(self.running, &[last.raw()]);
    }

    fn signal(&mut self, token: TokenId) {
        let strand = self.close().raw();
        if self.signals.len() <= token.index() {
            self.signals.resize(token.index() + 1, Vec::new());
        }
        self.signals[token.index()].push(strand);
    }

    fn wait(&mut self, token: TokenId) {
        let from = self.signals.get(token.index()).cloned().unwrap_or_default();
        self.arrive(self.running, &from);
    }

    fn close(&mut self) -> StrandId {
        let strand = self.strand();
        self.current = NO_STRAND;
        strand
    }

    fn hand_over(&mut self, from: StrandId) {
        let Self {
            tree,
            with_hand_offs,
            running,
            ..
        } = self;
        if let Some(layer) = with_hand_offs {
            layer.arrive(*running, &[from.raw()], tree);
            self.current = NO_STRAND;
        }
    }

    #[inline(always)]
    fn strand(&mut self) -> StrandId {
        if self.current == NO_STRAND {
            self.make_strand()
        } else {
            self.current
        }
    }

    #[inline]
    fn precedes(&mut self, earlier: StrandId) -> bool {
        if self.tree.task(earlier.raw()) == self.running {
            return true;
        }
        let now = self.strand();
        if let Some(answer) = self.recent.get(earlier, now) {
            return answer;
        }
        let answer = self.tree.precedes(earlier.raw(), now.raw())
            || self.edges.reaches(earlier.raw(), now.raw(), &self.tree);
        self.recent.put(earlier, now, answer);
        answer
    }

    fn handed_over(&mut self, earlier: StrandId) -> bool {
        let now = self.strand();
        match &mut self.with_hand_offs {
            Some(layer) => layer.reaches(earlier.raw(), now.raw(), &self.tree),
            None => false,
        }
    }

    fn task_of(&self, strand: StrandId) -> TaskId {
        self.tree.task(strand.raw())
    }

    fn followed(&self) -> bool {
        true
    }

    fn strands(&self) -> u64 {
        self.strands
    }
}

/// A direct-mapped cache of recent answers: what is between two strands never changes.
#[derive(Debug)]
struct Recent(Box<[(StrandId, StrandId, bool)]>);

impl Recent {
    const SIZE: usize = 1 << 10;

    #[inline]
    fn slot(earlier: StrandId, now: StrandId) -> usize {
        (earlier.raw().wrapping_mul(0x9E37_79B1) >> 20 ^ now.raw()) as usize & (Self::SIZE - 1)
    }

    #[inline]
    fn get(&self, earlier: StrandId, now: StrandId) -> Option<bool> {
        let (a, b, answer) = self.0[Self::slot(earlier, now)];
        (a == earlier && b == now).then_some(answer)
    }

    #[inline]
    fn put(&mut self, earlier: StrandId, now: StrandId, answer: bool) {
        self.0[Self::slot(earlier, now)] = (earlier, now, answer);
    }
}

impl Default for Recent {
    fn default() -> Self {
        Self(vec![(NO_STRAND, NO_STRAND, false); Self::SIZE].into_boxed_slice())
    }
}
