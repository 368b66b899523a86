//! Order: strands, and which of them precede which in every schedule.

use super::{Cursor, Engine, NO_STRAND};
use crate::cache::ThreadCache;
use crate::sync::Ordering;
use heddle_core::TaskId;
use heddle_core::order::tree::{Departures, Node, NodeIndex, NodeKind, Nodes, ROOT};

/// The tree, with pieces of a team's work taken for parallel to what their member did beside them.
pub(super) struct Structure<'a>(pub(super) &'a Engine);

impl Nodes for Structure<'_> {
    fn node(&self, index: NodeIndex) -> Node {
        self.0.forest.node(index)
    }

    fn count(&self) -> NodeIndex {
        self.0.forest.count()
    }

    fn anchor(&self, scoped: NodeIndex) -> NodeIndex {
        self.0.forest.anchor(scoped)
    }

    fn precedes(&self, a: NodeIndex, b: NodeIndex) -> bool {
        self.0.forest.precedes(a, b) && !self.0.separated(a, b)
    }

    fn is_plain(&self) -> bool {
        !self.0.has_pieces.load(Ordering::Acquire)
    }
}

impl Engine {
    /// The running strand, made now if need be.
    pub(crate) fn strand(&self, cursor: &mut Cursor) -> u32 {
        if cursor.strand == NO_STRAND {
            let strand = self.strand_outside_layers(cursor);
            self.each_layer(|layer| layer.enter(strand, cursor.task));
        }
        cursor.strand
    }

    /// The same, where there are no edges beside those of the tree.
    #[inline]
    pub(crate) fn strand_outside_layers(&self, cursor: &mut Cursor) -> u32 {
        if cursor.strand == NO_STRAND {
            let Cursor {
                scope,
                task,
                departures,
                ..
            } = *cursor;
            let node = self.push_node(cursor, scope, NodeKind::Strand, task, departures);
            cursor.strand = self.or_give_up(node).unwrap_or(NO_STRAND);
        }
        cursor.strand
    }

    pub(super) fn close(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.strand(cursor);
        cursor.end_strand();
        strand
    }

    /// A strand of a task that is over.
    pub(crate) fn make_strand(
        &self,
        scope: NodeIndex,
        task: TaskId,
        departures: Departures,
    ) -> u32 {
        let node = self.forest.push_strand(scope, task, departures);
        let strand = self.or_give_up(node).unwrap_or(NO_STRAND);
        self.each_layer(|layer| layer.enter(strand, task));
        strand
    }

    /// Whether the strand `earlier` precedes the task's running strand in every schedule.
    pub fn precedes(&self, cache: &mut ThreadCache, cursor: &mut Cursor, earlier: u32) -> bool {
        // A strand is made only if it must be.
        if cursor.strand == NO_STRAND && self.forest.node(earlier).task == cursor.task {
            return true;
        }
        let now = self.strand(cursor);
        if let Some(answer) = self.remembered_order(cache, cursor, earlier, now) {
            return answer;
        }
        let answer = self.forest.node(earlier).task == cursor.task
            || self.tree_orders(cache, earlier, now)
            || !cache.is_hurried && self.is_ordered_by_edges(earlier, now);
        if answer {
            cache.orders.learn_past(earlier, cursor.task);
        } else if !cache.is_hurried {
            cache.orders.learn(earlier, now, false);
        }
        answer
    }

    /// Whether `earlier` precedes the running strand, if the thread has asked before.
    #[inline(always)]
    pub(crate) fn remembered_order(
        &self,
        cache: &ThreadCache,
        cursor: &Cursor,
        earlier: u32,
        now: u32,
    ) -> Option<bool> {
        match cache.orders.is_past(earlier, cursor.task) {
            true => Some(true),
            false => cache.orders.get(earlier, now),
        }
    }

    /// As [`is_ordered_by_tree`](Self::is_ordered_by_tree), for the running strand `now`.
    pub(crate) fn tree_orders(&self, cache: &mut ThreadCache, earlier: u32, now: u32) -> bool {
        let fork = cache.path.fork(&self.forest, earlier, now);
        self.forest.is_ordered_at(earlier, fork.earlier, fork.now)
            && !(self.has_pieces.load(Ordering::Acquire)
                && self.separation_at(earlier, now, || fork.depth).is_some())
    }

    /// Whether strand `a` precedes strand `b` in every schedule.
    pub(crate) fn is_ordered(&self, a: u32, b: u32) -> bool {
        Structure(self).precedes(a, b) || self.is_ordered_by_edges(a, b)
    }

    fn is_ordered_by_edges(&self, a: u32, b: u32) -> bool {
        self.has_edges.load(Ordering::Acquire) && self.edges().real.reaches(a, b, &Structure(self))
    }

    /// The same for the running strand `b`.
    pub(crate) fn precedes_running(&self, cache: &mut ThreadCache, a: u32, b: u32) -> bool {
        self.tree_orders(cache, a, b) || self.is_ordered_by_edges(a, b)
    }

    /// Whether the tree puts `strand` before all that a task does which has just been spawned.
    pub fn starts_after(&self, newborn: &Cursor, strand: u32) -> bool {
        newborn.scope != ROOT && Structure(self).precedes(strand, newborn.scope)
    }

    /// Whether `strand` precedes what the task does now, in every schedule.
    pub fn follows(&self, cursor: &mut Cursor, strand: u32) -> bool {
        let now = self.strand(cursor);
        self.is_ordered(strand, now)
    }

    /// Whether the tree alone orders them so, and would whatever stood beside `a` in its task.
    pub(crate) fn is_ordered_by_tree(&self, a: u32, b: u32) -> bool {
        Structure(self).precedes(a, b)
    }

    /// Whether it did in this run, on one member of a team, and only the sharing out of the team's
    /// work may be different in another schedule.
    pub(crate) fn ran_before(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        self.has_pieces.load(Ordering::Acquire)
            && self.separated(earlier, now)
            && self.forest.precedes(earlier, now)
    }

    pub(super) fn separated(&self, a: u32, b: u32) -> bool {
        self.has_pieces.load(Ordering::Acquire) && self.separation(a, b).is_some()
    }

    /// The depth of what the team does between two barriers, if both strands are the same member's
    /// there and in different pieces.
    pub(super) fn separation(&self, a: u32, b: u32) -> Option<u32> {
        self.separation_at(a, b, || self.forest.common_depth(a, b))
    }

    /// The same, with a way to find the depth of the lowest node around both in the tree of the run.
    fn separation_at(&self, a: u32, b: u32, common_depth: impl FnOnce() -> u32) -> Option<u32> {
        let origin = |strand| self.origin_of(self.forest.node(strand).task);
        let origins = [origin(a), origin(b)];
        if origins[0] == origins[1] {
            // Tasks of one origin are in one frame.
            return None;
        }
        let [one, other] = origins.map(|origin| self.origins.get(origin).frame);
        let phase = self.frames.separated(one, other)?.phase_depth;
        (common_depth() > phase).then_some(phase)
    }

    /// Depth of the lowest node around two parallel strands, in the tree in which each piece of a
    /// team's work is a task of its own.
    pub(crate) fn common_depth(&self, a: u32, b: u32) -> u32 {
        let pieces = self.has_pieces.load(Ordering::Acquire);
        let apart = pieces.then(|| self.separation(a, b)).flatten();
        apart.unwrap_or_else(|| self.forest.common_depth(a, b))
    }

    /// The same for two earlier strands, of which histories have the same two again and again.
    pub(crate) fn depth_of_both(&self, cache: &mut ThreadCache, a: u32, b: u32) -> u32 {
        cache.orders.depth(a, b, || self.common_depth(a, b))
    }

    /// The same for an earlier strand and the running one.
    pub(crate) fn depth_with(&self, cache: &mut ThreadCache, earlier: u32, now: u32) -> u32 {
        let depth = cache.path.fork(&self.forest, earlier, now).depth;
        let pieces = self.has_pieces.load(Ordering::Acquire);
        let apart = pieces.then(|| self.separation_at(earlier, now, || depth));
        apart.flatten().unwrap_or(depth)
    }
}
