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
//!    can be remembered for ever.
//! 2. A strand made after a knot cannot reach it, so the search is cut off at the age of `a`.
//!
//! # Cost
//! Nothing before the first edge. Then one word per strand and per task, and a few per edge. Most
//! questions are decided without a search: knots are strung on *chains*, each knot after one that
//! precedes it, so it is enough that an edge leaves `a`'s task for an earlier knot of the chain that
//! `b`'s entry is on. A search remembers what it learns of every knot it passes (`answers.rs`), so
//! that questions about one earlier strand pass a knot once, however many later strands they are
//! about. Where many earlier strands are asked about for one knot (a write after many reads), all
//! that reaches the knot is noted once, and each question is then a look at it (`cone.rs`). The edges
//! of a knot with many are kept in the order of the tree, for a binary search (`sources.rs`). In a long run, what
//! nobody can ask about any more is forgotten (`prune.rs`).

mod answers;
mod cone;
mod marks;
mod numbers;
mod prune;
mod sources;

use super::tree::{NodeIndex, Nodes};
use crate::id::{FinishId, TaskId};
use answers::Answers;
use cone::Cone;
pub use marks::Mark;
use marks::Marks;
use numbers::Numbers;
pub use prune::Wanted;
use rustc_hash::{FxHashMap, FxHashSet};
use sources::Scopes;

/// Index of a knot; 0 is none.
type KnotIndex = u32;

const NONE: KnotIndex = 0;

/// Edges into a knot that are looked at one by one.
const FEW: usize = 8;

/// Departures of a task that are looked at before a search is made.
const RECENT: usize = 8;

#[derive(Clone, Copy, Debug, Default)]
struct Knot {
    /// Number of tree nodes when it was made.
    age: NodeIndex,
    /// The chain it is on, and its place there: whatever is earlier on the chain precedes it.
    chain: u32,
    place: u32,
    /// Where its links begin: first strands whose end precedes it, then knots that do.
    links: u32,
    /// How many of its links are strands.
    sources: u32,
    /// Whether its strands themselves do not precede it, but only what precedes them.
    is_before_sources: bool,
}

/// An edge, seen from the task it leaves.
#[derive(Clone, Copy, Debug)]
struct Departure {
    from: NodeIndex,
    to: KnotIndex,
    /// One more than the number of the task's departure before it; 0 if there is none.
    previous: u32,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Layer {
    /// In the sequence of their ages.
    knots: Vec<Knot>,
    links: Vec<u32>,
    /// The last knot of each chain.
    chain_ends: Vec<KnotIndex>,
    departures: Vec<Departure>,
    /// One more than the number of each task's last departure; missing rows are 0.
    departed: Numbers,
    /// Entry of each strand, by tree node; missing rows are none.
    entries: Numbers,
    /// Last knot of each task; missing rows are none.
    latest: Numbers,
    /// Last knots of the ended tasks of each open finish.
    ended: FxHashMap<FinishId, Vec<KnotIndex>>,
    known: Answers,
    search: Search,
    cone: Cone,
    scopes: Scopes,
    /// Through what an edge leads, of knots whose edges may turn out not to count.
    labels: FxHashMap<KnotIndex, u64>,
    marks: Marks,
}

/// Scratch of the search.
#[derive(Clone, Debug, Default)]
struct Search {
    number: u32,
    /// The search that passed each knot last, and the knot from which it came there.
    passed: Vec<(u32, KnotIndex)>,
    work: Vec<KnotIndex>,
    trail: Vec<KnotIndex>,
}

impl Layer {
    /// No edges yet.
    pub fn new() -> Self {
        Self {
            knots: vec![Knot::default()],
            links: Vec::new(),
            chain_ends: vec![NONE],
            departures: Vec::new(),
            departed: Numbers::default(),
            entries: Numbers::default(),
            latest: Numbers::default(),
            ended: FxHashMap::default(),
            known: Answers::default(),
            search: Search::default(),
            cone: Cone::default(),
            scopes: Scopes::default(),
            labels: FxHashMap::default(),
            marks: Marks::default(),
        }
    }

    /// Whether no edge has arrived anywhere yet.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.knots.len() == 1
    }

    /// How many knots there are.
    pub fn len(&self) -> usize {
        self.knots.len() - 1
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
            _ => self.tie(owner, &[], &before, tree),
        }
    }

    /// Adds edges from the ends of the strands `from` to what `task` does next.
    pub fn arrive(&mut self, task: TaskId, from: &[NodeIndex], tree: &impl Nodes) {
        match self.latest(task) {
            NONE => self.tie(task, from, &[], tree),
            latest => self.tie(task, from, &[latest], tree),
        }
    }

    /// Adds an edge from before the strand `from`, which may still run, to what `task` does next: what precedes
    /// the strand precedes that, the strand itself does not.
    pub fn arrive_from_before(&mut self, task: TaskId, from: NodeIndex, tree: &impl Nodes) {
        self.arrive(task, &[from], tree);
        let Self {
            knots,
            departures,
            departed,
            ..
        } = self;
        if let Some(knot) = knots.last_mut() {
            knot.is_before_sources = true;
        }
        // Whoever looks at a task's departures takes the strand that departs for one that precedes.
        if let Some(Departure { previous, .. }) = departures.pop() {
            departed.set(tree.node(from).task.raw(), previous);
        }
    }

    /// The same, with what the edges lead through, for [`reaches_if`](Self::reaches_if).
    pub fn arrive_through(
        &mut self,
        task: TaskId,
        from: &[NodeIndex],
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
            let (from, before) = self.links(knot);
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
        if !self.is_unreached(task) {
            self.entries.set(strand, self.latest(task));
        }
    }

    /// Whether no edge has arrived at the task or before it was created, so that nothing need be noted of its strands.
    #[inline]
    pub fn is_unreached(&self, task: TaskId) -> bool {
        self.is_empty() || self.latest(task) == NONE
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
        if let Some(answer) = self.known.get(a, entry) {
            return answer;
        }
        let answer = match self.cone.decides(a, entry) {
            true => self.cone.has(a, tree, &mut self.scopes),
            false => {
                self.departs_for(a, entry, tree) || {
                    let (answer, steps) = self.search(a, entry, tree);
                    self.lay_out_after(steps, entry, tree);
                    answer
                }
            }
        };
        self.known.put(a, entry, answer);
        answer
    }

    /// Whether an edge leaves `a` or a later strand of its task for a knot on the chain up to `entry`.
    fn departs_for(&self, a: NodeIndex, entry: KnotIndex, tree: &impl Nodes) -> bool {
        let Knot { chain, place, .. } = self.knots[entry as usize];
        let mut at = self.departed.get(tree.node(a).task.raw());
        for _ in 0..RECENT {
            let Some(number) = at.checked_sub(1) else {
                return false;
            };
            let Departure { from, to, previous } = self.departures[number as usize];
            let to = &self.knots[to as usize];
            if from >= a && to.chain == chain && to.place <= place {
                return true;
            }
            at = previous;
        }
        false
    }

    /// Looks for an edge that `a` precedes, backwards from a knot, the oldest knots first. Also says how many knots
    /// it has passed.
    #[cold]
    fn search(&mut self, a: NodeIndex, entry: KnotIndex, tree: &impl Nodes) -> (bool, usize) {
        let mut search = std::mem::take(&mut self.search);
        search.begin(entry, self.knots.len());
        let mut found = None;
        while let Some(knot) = search.work.pop() {
            let is_known = match knot == entry {
                true => None,
                false => self.known.get(a, knot),
            };
            match is_known {
                Some(false) => continue,
                None if !self.leaves_for(a, knot, tree) => {
                    search.trail.push(knot);
                    self.go_back(a, knot, &mut search);
                }
                _ => {
                    found = Some(knot);
                    break;
                }
            }
        }
        // Of a path that was found, all knots are reached; of a search in vain, none that was passed.
        let learned = match found {
            Some(knot) => search.path(knot, entry),
            None => std::mem::take(&mut search.trail),
        };
        for &knot in &learned {
            self.known.put(a, knot, found.is_some());
        }
        let steps = learned.len().max(search.trail.len());
        search.trail = learned;
        self.search = search;
        (found.is_some(), steps)
    }

    /// Whether `a` precedes the start of an edge into this knot.
    fn leaves_for(&mut self, a: NodeIndex, knot: KnotIndex, tree: &impl Nodes) -> bool {
        let Self {
            knots,
            links,
            scopes,
            ..
        } = self;
        let Knot {
            links: start,
            sources,
            is_before_sources,
            ..
        } = knots[knot as usize];
        let from = &links[start as usize..(start + sources) as usize];
        if from.len() > FEW && tree.is_plain() {
            return sources::reach(from, a, tree, scopes);
        }
        from.iter()
            .any(|&u| u == a && !is_before_sources || u != a && tree.precedes(a, u))
    }

    /// Puts the knots before this one on the list, so that the oldest comes first.
    fn go_back(&self, a: NodeIndex, knot: KnotIndex, search: &mut Search) {
        let (from, before) = self.links(knot);
        let start = search.work.len();
        let entries = from.iter().map(|&strand| self.entry(strand));
        for next in before.iter().copied().chain(entries) {
            if self.knots[next as usize].age > a && search.pass(next, knot) {
                search.work.push(next);
            }
        }
        search.work[start..].sort_unstable_by(|a, b| b.cmp(a));
    }

    fn tie(&mut self, task: TaskId, from: &[NodeIndex], before: &[KnotIndex], tree: &impl Nodes) {
        let knot = self.knots.len() as KnotIndex;
        let mut from: smallvec::SmallVec<[NodeIndex; FEW]> = from.into();
        if from.len() > FEW {
            sources::sort(&mut from, tree);
        }
        for &strand in &from {
            self.depart(tree.node(strand).task, strand, knot);
        }
        let (chain, place) = self.place(knot, &from, before);
        self.knots.push(Knot {
            age: tree.count(),
            chain,
            place,
            links: self.links.len() as u32,
            sources: from.len() as u32,
            is_before_sources: false,
        });
        self.links.extend_from_slice(&from);
        self.links.extend_from_slice(before);
        self.known.expect(self.knots.len());
        self.set_latest(task, knot);
    }

    fn depart(&mut self, task: TaskId, from: NodeIndex, to: KnotIndex) {
        let previous = self.departed.get(task.raw());
        self.departures.push(Departure { from, to, previous });
        self.departed.set(task.raw(), self.departures.len() as u32);
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

    /// The strands that edges into a knot come from, and the knots before it.
    fn links(&self, knot: KnotIndex) -> (&[NodeIndex], &[KnotIndex]) {
        let Knot { links, sources, .. } = self.knots[knot as usize];
        let end = match self.knots.get(knot as usize + 1) {
            Some(next) => next.links as usize,
            None => self.links.len(),
        };
        self.links[links as usize..end].split_at(sources as usize)
    }

    fn entry(&self, strand: NodeIndex) -> KnotIndex {
        self.entries.get(strand)
    }

    fn latest(&self, task: TaskId) -> KnotIndex {
        self.latest.get(task.raw())
    }

    fn set_latest(&mut self, task: TaskId, knot: KnotIndex) {
        self.latest.set(task.raw(), knot);
    }
}

impl Default for Layer {
    fn default() -> Self {
        Self::new()
    }
}

impl Search {
    fn begin(&mut self, entry: KnotIndex, knots: usize) {
        if self.passed.len() < knots {
            self.passed.resize(knots, (0, NONE));
        }
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.passed.fill((0, NONE));
            self.number = 1;
        }
        self.work.clear();
        self.trail.clear();
        self.pass(entry, NONE);
        self.work.push(entry);
    }

    /// Whether the search comes to a knot for the first time.
    fn pass(&mut self, knot: KnotIndex, from: KnotIndex) -> bool {
        let passed = &mut self.passed[knot as usize];
        let is_new = passed.0 != self.number;
        if is_new {
            *passed = (self.number, from);
        }
        is_new
    }

    /// The knots on the way from `entry` to `knot`.
    fn path(&self, knot: KnotIndex, entry: KnotIndex) -> Vec<KnotIndex> {
        let mut path = vec![knot];
        let mut at = knot;
        while at != entry {
            at = self.passed[at as usize].1;
            path.push(at);
        }
        path
    }
}

#[cfg(test)]
mod tests;
