//! Extra edges on top of the tree: joins, signals, hand-offs.
//!
//! Only what the edges touch is stored. A *knot* is made where an edge arrives at a strand, and
//! where a finish ends whose tasks had knots of their own. Each strand knows the last knot before
//! it (its *entry*); each knot knows the strands its edges come from and the knots before it.
//! Strand `a` reaches strand `b` over extra edges iff, from `b`'s entry backwards over knots, an
//! edge is found that comes from `a` or from a strand that `a` precedes in the tree.
//!
//! # Invariants
//! 1. All edges into a knot are known when it is made, so what reaches it never changes: answers
//!    can be cached for ever.
//! 2. A strand made after a knot cannot reach it, so the search is cut off at the age of `a`.
//!
//! # Cost
//! Nothing before the first edge. Then one entry per strand, and per query at worst a search over the
//! knots younger than `a` that precede `b`. Two things cut it short: knots are strung on *chains*,
//! each knot after one that precedes it, so that where an edge leaves `a`'s task for an earlier knot of
//! the chain that `b`'s entry is on, nothing is searched; and the search stops at every knot for
//! which the answer is known from before.

use super::tree::{NodeIndex, Nodes};
use crate::id::{FinishId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Index of a knot; 0 is none.
type KnotIndex = u32;

const NONE: KnotIndex = 0;

#[derive(Clone, Debug, Default)]
struct Knot {
    /// Number of tree nodes when it was made.
    age: NodeIndex,
    /// The chain it is on, and its place there: whatever is earlier on the chain precedes it.
    chain: u32,
    place: u32,
    /// Strands whose end precedes this knot.
    from: Vec<NodeIndex>,
    /// Knots that precede this one.
    before: Vec<KnotIndex>,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Layer {
    knots: Vec<Knot>,
    /// The last knot of each chain.
    chain_ends: Vec<KnotIndex>,
    /// By task, the strands its edges leave from and the knots they arrive at.
    departures: FxHashMap<TaskId, Vec<(NodeIndex, KnotIndex)>>,
    /// Entry of each strand, by tree node; missing rows are none.
    entries: Vec<KnotIndex>,
    /// Last knot of each task; missing rows are none.
    latest: Vec<KnotIndex>,
    /// Last knots of the ended tasks of each open finish.
    ended: FxHashMap<FinishId, Vec<KnotIndex>>,
    /// Scratch of the search: which query last visited each knot.
    visited: Vec<u32>,
    query: u32,
    known: Answers,
    /// Through what an edge leads, of knots whose edges may turn out not to count.
    labels: FxHashMap<KnotIndex, u64>,
}

impl Layer {
    /// No edges yet.
    pub fn new() -> Self {
        Self {
            knots: vec![Knot::default()],
            chain_ends: vec![NONE],
            departures: FxHashMap::default(),
            entries: Vec::new(),
            latest: Vec::new(),
            ended: FxHashMap::default(),
            visited: vec![0],
            query: 0,
            known: Answers::default(),
            labels: FxHashMap::default(),
        }
    }

    /// Whether no edge has arrived anywhere yet.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.knots.len() == 1
    }

    /// `parent` creates `task`.
    pub fn spawn(&mut self, parent: TaskId, task: TaskId) {
        if !self.is_empty() {
            self.set_latest(task, self.latest(parent));
        }
    }

    /// `task`, spawned into `finish`, is over.
    pub fn end(&mut self, task: TaskId, finish: FinishId) {
        let knot = self.latest(task);
        if knot == NONE {
            return;
        }
        let ended = self.ended.entry(finish).or_default();
        if ended.last() != Some(&knot) {
            ended.push(knot);
        }
    }

    /// `finish` of `owner` is over.
    pub fn finish_end(&mut self, finish: FinishId, owner: TaskId, tree: &impl Nodes) {
        let Some(mut before) = self.ended.remove(&finish) else {
            return;
        };
        before.push(self.latest(owner));
        before.retain(|&knot| knot != NONE);
        before.sort_unstable();
        before.dedup();
        match before[..] {
            [only] => self.set_latest(owner, only),
            _ => self.tie(owner, Vec::new(), before, tree),
        }
    }

    /// Adds edges from the ends of the strands `from` to what `task` does next.
    pub fn arrive(&mut self, task: TaskId, from: Vec<NodeIndex>, tree: &impl Nodes) {
        let latest = self.latest(task);
        let before = if latest == NONE {
            Vec::new()
        } else {
            vec![latest]
        };
        self.tie(task, from, before, tree);
    }

    /// The same, with what the edges lead through, for [`reaches_if`](Self::reaches_if).
    pub fn arrive_through(
        &mut self,
        task: TaskId,
        from: Vec<NodeIndex>,
        label: u64,
        tree: &impl Nodes,
    ) {
        self.labels.insert(self.knots.len() as KnotIndex, label);
        self.arrive(task, from, tree);
    }

    /// Whether strand `a` reaches strand `b` if only those labelled edges count that `counts` says yes to.
    /// Slow: a search without short cuts.
    pub fn reaches_if(
        &self,
        a: NodeIndex,
        b: NodeIndex,
        tree: &impl Nodes,
        counts: impl Fn(u64) -> bool,
    ) -> bool {
        let mut work = vec![self.entry(b)];
        let mut seen = FxHashSet::default();
        while let Some(knot) = work.pop() {
            if self.knots[knot as usize].age <= a || !seen.insert(knot) {
                continue;
            }
            let Knot { from, before, .. } = &self.knots[knot as usize];
            work.extend_from_slice(before);
            if self.labels.get(&knot).is_none_or(|&label| counts(label)) {
                if from.iter().any(|&u| u == a || tree.precedes(a, u)) {
                    return true;
                }
                work.extend(from.iter().map(|&u| self.entry(u)));
            }
        }
        false
    }

    /// Notes the entry of a strand that was just made.
    #[inline]
    pub fn enter(&mut self, strand: NodeIndex, task: TaskId) {
        if !self.is_empty() {
            self.note_entry(strand, task);
        }
    }

    /// Whether strand `a` reaches strand `b` over at least one extra edge.
    #[inline]
    pub fn reaches(&mut self, a: NodeIndex, b: NodeIndex, tree: &impl Nodes) -> bool {
        if self.is_empty() {
            return false;
        }
        let entry = self.entry(b);
        if self.knots[entry as usize].age <= a {
            return false;
        }
        match self.known.get(a, entry) {
            Some(answer) => answer,
            None => self.departs_for(a, entry, tree) || self.search(a, entry, tree),
        }
    }

    /// Whether an edge leaves `a` or a later strand of its task for a knot on the chain up to `entry`.
    fn departs_for(&self, a: NodeIndex, entry: KnotIndex, tree: &impl Nodes) -> bool {
        let Knot { chain, place, .. } = self.knots[entry as usize];
        let departures = self
            .departures
            .get(&tree.node(a).task)
            .map_or(&[][..], Vec::as_slice);
        departures.iter().any(|&(from, to)| {
            let to = &self.knots[to as usize];
            from >= a && to.chain == chain && to.place <= place
        })
    }

    #[cold]
    fn search(&mut self, a: NodeIndex, entry: KnotIndex, tree: &impl Nodes) -> bool {
        self.query += 1;
        let mut work = vec![entry];
        let mut found = false;
        while let Some(knot) = work.pop() {
            if self.visited[knot as usize] == self.query || self.knots[knot as usize].age <= a {
                continue;
            }
            self.visited[knot as usize] = self.query;
            match self.known.get(a, knot) {
                Some(true) => {
                    found = true;
                    break;
                }
                Some(false) => continue,
                None => {}
            }
            let Knot { from, before, .. } = &self.knots[knot as usize];
            if from.iter().any(|&u| u == a || tree.precedes(a, u)) {
                found = true;
                break;
            }
            work.extend_from_slice(before);
            work.extend(from.iter().map(|&u| self.entry(u)));
        }
        self.known.put(a, entry, found);
        found
    }

    fn tie(
        &mut self,
        task: TaskId,
        from: Vec<NodeIndex>,
        before: Vec<KnotIndex>,
        tree: &impl Nodes,
    ) {
        let knot = self.knots.len() as KnotIndex;
        for &strand in &from {
            let departures = self.departures.entry(tree.node(strand).task).or_default();
            departures.push((strand, knot));
        }
        let (chain, place) = self.place(knot, &from, &before);
        self.knots.push(Knot {
            age: tree.count(),
            chain,
            place,
            from,
            before,
        });
        self.visited.push(0);
        self.set_latest(task, knot);
    }

    /// Puts a new knot at the end of a chain that one of its predecessors ends, or on one of its own.
    fn place(&mut self, knot: KnotIndex, from: &[NodeIndex], before: &[KnotIndex]) -> (u32, u32) {
        let entries = from.iter().map(|&strand| self.entry(strand));
        let mut preceding = before
            .iter()
            .copied()
            .chain(entries)
            .filter(|&knot| knot != NONE);
        let ends_chain =
            |&knot: &KnotIndex| self.chain_ends[self.knots[knot as usize].chain as usize] == knot;
        if let Some(end) = preceding.find(ends_chain) {
            let Knot { chain, place, .. } = self.knots[end as usize];
            self.chain_ends[chain as usize] = knot;
            return (chain, place + 1);
        }
        self.chain_ends.push(knot);
        (self.chain_ends.len() as u32 - 1, 0)
    }

    fn entry(&self, strand: NodeIndex) -> KnotIndex {
        self.entries.get(strand as usize).copied().unwrap_or(NONE)
    }

    fn note_entry(&mut self, strand: NodeIndex, task: TaskId) {
        let entry = self.latest(task);
        if entry != NONE {
            // Where threads make strands at once, an earlier one may be noted later.
            if self.entries.len() <= strand as usize {
                self.entries.resize(strand as usize + 1, NONE);
            }
            self.entries[strand as usize] = entry;
        }
    }

    fn latest(&self, task: TaskId) -> KnotIndex {
        self.latest.get(task.index()).copied().unwrap_or(NONE)
    }

    fn set_latest(&mut self, task: TaskId, knot: KnotIndex) {
        if self.latest.len() <= task.index() {
            self.latest.resize(task.index() + 1, NONE);
        }
        self.latest[task.index()] = knot;
    }
}

impl Default for Layer {
    fn default() -> Self {
        Self::new()
    }
}

/// A direct-mapped cache of answers: (strand, knot) to reached or not.
#[derive(Clone, Debug, Default)]
struct Answers(Vec<(NodeIndex, KnotIndex, bool)>);

impl Answers {
    const SIZE: usize = 1 << 12;

    fn slot(a: NodeIndex, knot: KnotIndex) -> usize {
        (a.wrapping_mul(0x9E37_79B1) ^ knot.wrapping_mul(0x85EB_CA77)) as usize >> 8
            & (Self::SIZE - 1)
    }

    fn get(&self, a: NodeIndex, knot: KnotIndex) -> Option<bool> {
        let &(strand, at, answer) = self.0.get(Self::slot(a, knot))?;
        (strand == a && at == knot).then_some(answer)
    }

    fn put(&mut self, a: NodeIndex, knot: KnotIndex, answer: bool) {
        self.0.resize(Self::SIZE, (0, NONE, false));
        self.0[Self::slot(a, knot)] = (a, knot, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tree::{NodeKind, ROOT, Tree};

    #[test]
    fn an_entry_noted_late_leaves_later_ones_as_they_are() {
        let mut tree = Tree::new();
        let mut layer = Layer::new();
        let task = |number| TaskId::new(number);
        let source = tree.push(ROOT, NodeKind::Strand, task(1));
        layer.arrive(task(2), vec![source], &tree);
        layer.arrive(task(3), vec![source], &tree);
        let early = tree.push(ROOT, NodeKind::Strand, task(2));
        let late = tree.push(ROOT, NodeKind::Strand, task(3));
        layer.enter(late, task(3));
        layer.enter(early, task(2));
        assert!(layer.reaches(source, early, &tree));
        assert!(layer.reaches(source, late, &tree));
    }
}
