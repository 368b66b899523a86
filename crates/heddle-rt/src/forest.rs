//! The program structure tree, extended by many threads at once.

use crate::cells::Cells;
use crate::store::{Block, Store};
#[cfg(not(feature = "shuttle"))]
use crate::store::{Pages, Reserved};
use crate::sync::{AtomicU32, Ordering, PoisonError, RwLock};
use heddle_core::TaskId;
use heddle_core::order::tree::{Departures, Node, NodeIndex, NodeKind, Nodes};
use rustc_hash::FxHashMap;
#[cfg(not(feature = "shuttle"))]
use std::sync::atomic::AtomicU8;

/// The nodes of a run. Siblings are made by one task, in its program's sequence, and their indices ascend
/// along it whatever threads the task runs on (`engine/numbers.rs`). The members of a team are
/// made in any sequence, but they are tasks: which stands left does not matter.
#[derive(Debug)]
pub(crate) struct Forest {
    nodes: Store<Node>,
    anchors: RwLock<FxHashMap<NodeIndex, NodeIndex>>,
    /// For a wait that is over: one more than a node above it, with nothing in between that could
    /// leave a task unjoined. 0 while it is not, and for ever if its task ended first.
    over: Cells,
    /// Changes when memory is given back.
    epoch: AtomicU32,
    /// Bytes that are not 0 for scopes in which nothing stands any more.
    #[cfg(not(feature = "shuttle"))]
    left: Reserved<AtomicU8>,
}

/// Of a wait that is not over: descendants of its children will not be joined by it.
const LEAKY: u32 = u32::MAX;

impl Forest {
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let nodes = Store::new(capacity)?;
        nodes.push(Node::ROOT)?;
        Some(Self {
            nodes,
            anchors: RwLock::default(),
            over: Cells::new(capacity as usize)?,
            epoch: AtomicU32::new(0),
            #[cfg(not(feature = "shuttle"))]
            left: Reserved::new(capacity as usize)?,
        })
    }

    pub(crate) fn push(
        &self,
        parent: NodeIndex,
        kind: NodeKind,
        task: TaskId,
    ) -> Option<NodeIndex> {
        self.push_singly(self.child(parent, kind, task))
    }

    pub(crate) fn push_singly(&self, node: Node) -> Option<NodeIndex> {
        self.nodes.push(node)
    }

    #[inline]
    pub(crate) fn push_in(&self, numbers: &mut Block, node: Node) -> Option<NodeIndex> {
        self.nodes.push_in_taken(numbers, node)
    }

    pub(crate) fn take_numbers(&self, len: u32) -> Block {
        self.nodes.take_next(len)
    }

    /// Numbers taken in another epoch are void.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Relaxed)
    }

    pub(crate) fn push_scoped(
        &self,
        finish: NodeIndex,
        inside: NodeIndex,
        task: TaskId,
    ) -> Option<NodeIndex> {
        let anchor = self.anchor_for(finish, inside);
        let mut anchors = self.anchors.write().unwrap_or_else(PoisonError::into_inner);
        let node = self.push(finish, NodeKind::Scoped, task)?;
        anchors.insert(node, anchor);
        Some(node)
    }

    /// A strand of a task that stands, or stood, in `scope`.
    pub(crate) fn push_strand(
        &self,
        scope: NodeIndex,
        task: TaskId,
        departures: Departures,
    ) -> Option<NodeIndex> {
        let node = self.child(scope, NodeKind::Strand, task).with(departures);
        self.nodes.push(node)
    }

    /// A child in `wait` is over, and some of its descendants are not joined with it.
    pub(crate) fn leak(&self, wait: NodeIndex) {
        if let Some(over) = self.over.get(u64::from(wait)) {
            over.store(LEAKY, Ordering::Release);
        }
    }

    /// The task has waited for the children in `wait`. Says whether they leave descendants behind that are not
    /// joined.
    pub(crate) fn wait_over(&self, wait: NodeIndex) -> bool {
        self.leave(wait);
        self.over.get(u64::from(wait)).is_some_and(|over| {
            let before = over.swap(self.node(wait).parent + 1, Ordering::AcqRel);
            before == LEAKY
        })
    }

    /// The way up from a wait that is over; not above `limit`.
    fn shortcut(&self, at: NodeIndex, limit: u32) -> Option<NodeIndex> {
        let above = self.over.get(u64::from(at))?.load(Ordering::Acquire);
        let far = above.checked_sub(1).filter(|_| above != LEAKY)?;
        (self.node(far).depth() >= limit).then_some(far)
    }

    fn is_over(&self, wait: NodeIndex) -> bool {
        self.over
            .get(u64::from(wait))
            .is_some_and(|over| !matches!(over.load(Ordering::Acquire), 0 | LEAKY))
    }

    fn is_task(&self, node: NodeIndex) -> bool {
        matches!(self.node(node).kind(), NodeKind::Task | NodeKind::Scoped)
    }

    /// Lets later climbs from `start` begin at `at`, if nothing in between matters.
    fn shorten(&self, start: NodeIndex, at: NodeIndex) {
        if let Some(over) = self.over.get(u64::from(start)) {
            over.store(at + 1, Ordering::Release);
        }
    }
}

/// Finds nodes that no strand of interest stands below.
#[cfg(not(feature = "shuttle"))]
impl Forest {
    /// No task stands in this scope any more, nor will one; those it has created may go on.
    #[inline]
    pub(crate) fn leave(&self, scope: NodeIndex) {
        if (scope as usize) < self.left.capacity() {
            // SAFETY: the index is below the capacity; zero is a valid value.
            unsafe { &*self.left.base().add(scope as usize) }.store(1, Ordering::Relaxed);
        }
    }

    /// A task that stood in `scope` is over: nothing stands there, nor in the task's scopes around it.
    pub(crate) fn leave_task(&self, scope: NodeIndex) {
        let mut at = scope;
        while at != 0 {
            self.leave(at);
            if self.is_task(at) {
                return;
            }
            at = self.node(at).parent;
        }
    }

    /// Whether something may stand in this scope.
    fn is_in_use(&self, node: NodeIndex) -> bool {
        // SAFETY: the index is that of a node.
        self.node(node).kind() != NodeKind::Strand
            && unsafe { &*self.left.base().add(node as usize) }.load(Ordering::Relaxed) == 0
    }

    /// All scopes that something may stand in.
    pub(crate) fn in_use<'a>(&'a self, gone: &'a Released) -> impl Iterator<Item = NodeIndex> + 'a {
        let present = gone.nodes.present::<Node>(self.count() as usize);
        let present = present.map(|node| node as NodeIndex);
        present.filter(|&node| self.is_in_use(node))
    }

    /// Whether there are tasks that were spawned through scope handles.
    pub(crate) fn has_scoped(&self) -> bool {
        let anchors = self.anchors.read().unwrap_or_else(PoisonError::into_inner);
        !anchors.is_empty()
    }

    /// Gives back the memory of nodes that are dead for the second time.
    pub(crate) fn release(&self, gone: &mut Released, is_dead: impl Fn(usize) -> bool + Copy) {
        let nodes = self.count() as usize;
        self.epoch.fetch_add(1, Ordering::Relaxed);
        self.nodes.release(&mut gone.nodes, is_dead);
        let over = self.over.reserved();
        over.release(&mut gone.over, nodes, is_dead);
        self.left.release(&mut gone.left, nodes, is_dead);
    }
}

/// What was given back of the nodes.
#[cfg(not(feature = "shuttle"))]
#[derive(Debug, Default)]
pub(crate) struct Released {
    nodes: Pages,
    over: Pages,
    left: Pages,
}

#[cfg(all(test, not(feature = "shuttle")))]
impl Released {
    /// How many of so many nodes are still there.
    pub(crate) fn there(&self, nodes: usize) -> usize {
        self.nodes.present::<Node>(nodes).count()
    }
}

/// Simulated runs are short.
#[cfg(feature = "shuttle")]
impl Forest {
    pub(crate) fn leave(&self, _scope: NodeIndex) {}

    pub(crate) fn leave_task(&self, _scope: NodeIndex) {}
}

impl Nodes for Forest {
    #[inline(always)]
    fn node(&self, index: NodeIndex) -> Node {
        self.nodes.get(index)
    }

    fn count(&self) -> NodeIndex {
        self.nodes.len()
    }

    fn anchor(&self, scoped: NodeIndex) -> NodeIndex {
        let anchors = self.anchors.read().unwrap_or_else(PoisonError::into_inner);
        anchors.get(&scoped).copied().unwrap_or(scoped)
    }

    /// A wait joins a task's children, not theirs: a descendant is joined unless, on the way up to
    /// the wait, its task's creator ended without waiting for it and no finish is between.
    fn joined(&self, a: NodeIndex, wait: NodeIndex) -> bool {
        let limit = self.node(wait).depth();
        let (mut below, mut at) = (a, self.node(a).parent);
        let mut escaped = false;
        let mut start = None;
        while at != wait {
            match self.node(at).kind() {
                NodeKind::Finish => (escaped, start) = (false, None),
                NodeKind::Wait if self.is_over(at) => start = start.or(Some(at)),
                NodeKind::Wait if self.is_task(below) => (escaped, start) = (true, None),
                _ => {}
            }
            if let Some(start) = start.filter(|&start| start != at) {
                self.shorten(start, at);
            }
            // What a shortcut leads to is reached from the task's own code, as from `a`.
            (below, at) = match self.shortcut(at, limit) {
                Some(far) => (a, far),
                None => (at, self.node(at).parent),
            };
        }
        !escaped && (self.is_over(wait) || !self.is_task(below))
    }
}
