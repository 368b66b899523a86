//! Forgets edges between what nobody can ask about any more.
//!
//! A run may take a lock a hundred million times; what was handed over by most of these sections is of no interest
//! later, because no location's history names a strand of that time. Given which strands can still be asked about
//! (*wanted* ones), each knot that one of them enters by keeps what reaches it, and all other knots go.
//!
//! What reaches a knot is a set of strands that edges leave. Only wanted strands are asked about, so a set is written
//! with few of them: of those whose way up the tree comes to wanted nodes at the same node, the one that comes there by
//! the last child stands for all.
//!
//! *Proof.* Let `p` be the lowest node above `u` with wanted strands below it, and `c` its child towards `u`. Either `c` is `u`, or
//! no wanted strand is below `c`. Take `u'` with the same `p` and a later child `c'`. If a wanted `a` precedes `u` in the tree, their
//! paths part at `p` or above it. Above: as they do for `u'`. At `p`: the child towards `a` is no task and has a smaller index
//! than `c`, so a smaller one than `c'`, and `a` precedes `u'`. If `a` is `u`, then `c` is a strand left of `c'`, and precedes it.
//! (Pieces of a team's work are taken for parallel to what their member did beside them: then this holds among strands of the same
//! piece, or of pieces that no wanted strand belongs to.) Tasks
//! that were spawned through a scope handle do not stand in the sequence of their indices: then nothing is forgotten.
//!
//! # Cost
//! Linear in the knots made since the last time and those that were kept then, times the length of the sets, which is that
//! of the list of threads in a program of threads. If it is too long, everything stays as it is.

use super::numbers::Numbers;
use super::{FEW, Knot, KnotIndex, Layer, NONE, sources};
use crate::id::{FinishId, TaskId};
use crate::order::tree::{NodeIndex, Nodes};
use smallvec::SmallVec;

/// What can still be asked about.
pub trait Wanted {
    /// Whether this node is such a strand, or one is below it.
    fn node(&self, node: NodeIndex) -> bool;

    /// Whether this task may still go on, or is one of such a strand.
    fn task(&self, task: TaskId) -> bool;

    /// The piece of a team's work that a strand below `above` belongs to, as far as it matters there; the same for all pieces
    /// that no wanted strand belongs to.
    fn piece(&self, strand: NodeIndex, above: NodeIndex) -> u32;
}

/// More steps than this are not made, nor are so many strands held at a time.
const LIMIT: usize = 1 << 26;
const HELD: usize = 1 << 23;

/// A strand that reaches a knot, and the wanted node below which it stands for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Source {
    above: NodeIndex,
    piece: u32,
    child: NodeIndex,
    strand: NodeIndex,
}

impl Source {
    fn key(&self) -> (NodeIndex, u32) {
        (self.above, self.piece)
    }
}

/// Sorted by key.
type Reach = Vec<Source>;

/// A knot on the way to its new form.
#[derive(Clone, Debug, Default)]
struct Step {
    reach: Reach,
    /// Knots and lists that still need `reach`.
    uses: u32,
    is_root: bool,
    /// The last knot before it, or itself, that is kept.
    kept: KnotIndex,
    /// Its new number, if it is kept.
    number: KnotIndex,
}

struct Pruning<'a, T, W> {
    old: &'a Layer,
    tree: &'a T,
    wanted: &'a W,
    steps: Vec<Step>,
    work: usize,
    held: usize,
    new: Layer,
    /// New numbers of the chains.
    chains: Vec<u32>,
}

impl Layer {
    /// Forgets what does not matter to the wanted strands, and calls `keep` with those that edges still come from.
    pub fn prune<T: Nodes, W: Wanted>(
        &mut self,
        tree: &T,
        wanted: &W,
        mut keep: impl FnMut(NodeIndex),
    ) {
        // The main task's implicit finish is never over.
        self.ended.remove(&FinishId::MAIN);
        // What reaches a knot whose edges come from before a strand is no set of strands. Marked knots are such.
        let is_common = !self.knots.iter().any(|knot| knot.is_before_sources);
        if self.labels.is_empty() && is_common && !self.is_empty() {
            let pruned = Pruning::new(self, tree, wanted).run();
            if let Some(pruned) = pruned {
                *self = pruned;
            }
        }
        for knot in 1..self.knots.len() {
            let (from, _) = self.links(knot as KnotIndex);
            from.iter().for_each(|&strand| keep(strand));
        }
    }
}

impl<'a, T: Nodes, W: Wanted> Pruning<'a, T, W> {
    fn new(old: &'a Layer, tree: &'a T, wanted: &'a W) -> Self {
        let new = Layer {
            departed: Numbers::starting_at(old.departed.end()),
            ..Layer::new()
        };
        Self {
            old,
            tree,
            wanted,
            steps: vec![Step::default(); old.knots.len()],
            work: 0,
            held: 0,
            new,
            chains: vec![NONE; old.chain_ends.len()],
        }
    }

    fn run(mut self) -> Option<Layer> {
        self.find_roots();
        self.count_uses();
        for knot in 1..self.old.knots.len() as KnotIndex {
            if self.steps[knot as usize].is_needed() {
                self.pass(knot)?;
            }
        }
        self.close_lists()?;
        Some(self.finish())
    }

    /// Knots by which wanted strands enter, or tasks go on, are kept.
    fn find_roots(&mut self) {
        let Self {
            old, wanted, steps, ..
        } = self;
        let strands = old.entries.iter().filter(|&(row, _)| wanted.node(row));
        let tasks = old.latest.iter();
        let tasks = tasks.filter(|&(row, _)| wanted.task(TaskId::new(row)));
        for (_, knot) in strands.chain(tasks) {
            steps[knot as usize].is_root = true;
        }
        for &knot in old.ended.values().flatten() {
            steps[knot as usize].uses += 1;
        }
    }

    fn count_uses(&mut self) {
        let knots = 1..self.steps.len() as KnotIndex;
        for knot in knots.clone().rev() {
            if self.steps[knot as usize].is_needed() {
                for before in self.preceding(knot) {
                    self.steps[before as usize].uses += 1;
                }
            }
        }
        for knot in knots {
            if self.steps[knot as usize].is_needed() {
                let base = self.base(knot);
                let step = &mut self.steps[knot as usize];
                step.kept = if step.is_root { knot } else { base };
                if step.is_root && base != NONE {
                    self.steps[base as usize].uses += 1;
                }
            }
        }
    }

    /// The last kept knot before this one, in the sequence of one task.
    fn base(&self, knot: KnotIndex) -> KnotIndex {
        let first = self.preceding(knot).first().copied();
        first.map_or(NONE, |first| self.steps[first as usize].kept)
    }

    /// The knots directly before this one: first the one that its own task passed last, if it did.
    fn preceding(&self, knot: KnotIndex) -> SmallVec<[KnotIndex; 4]> {
        let (from, before) = self.old.links(knot);
        let entries = from.iter().map(|&strand| self.old.entry(strand));
        let all = before.iter().copied().chain(entries);
        all.filter(|&knot| knot != NONE).collect()
    }

    /// Works out what reaches this knot, and makes its new form if it is kept.
    fn pass(&mut self, knot: KnotIndex) -> Option<()> {
        let mut reach = Reach::new();
        for before in self.preceding(knot) {
            let other = self.reach(before);
            reach = match reach.is_empty() {
                true => other,
                false => self.union(reach, &other)?,
            };
        }
        let (from, _) = self.old.links(knot);
        let mut own: Reach = from.iter().map(|&strand| self.source(strand)).collect();
        own.sort_unstable_by_key(Source::key);
        reach = self.union(reach, &own)?;
        if self.steps[knot as usize].is_root {
            self.keep(knot, &reach);
        }
        let step = &mut self.steps[knot as usize];
        if step.uses > 0 {
            self.held += reach.len();
            step.reach = reach;
        }
        Some(())
    }

    fn keep(&mut self, knot: KnotIndex, reach: &Reach) {
        let Knot {
            age, chain, place, ..
        } = self.old.knots[knot as usize];
        let is_end = self.old.chain_ends[chain as usize] == knot;
        let chain = self.chain(chain);
        let base = self.base(knot);
        let known = match base {
            NONE => Reach::new(),
            base => self.reach(base),
        };
        let before = self.steps[base as usize].number;
        let place = (age, chain, place);
        let number = self.make(place, reach, before, &known);
        if is_end {
            self.new.chain_ends[chain as usize] = number;
        }
        self.steps[knot as usize].number = number;
    }

    /// What reaches `knot`, which is needed once less from now on.
    fn reach(&mut self, knot: KnotIndex) -> Reach {
        let step = &mut self.steps[knot as usize];
        step.uses -= 1;
        match step.uses {
            0 => {
                self.held -= step.reach.len();
                std::mem::take(&mut step.reach)
            }
            _ => step.reach.clone(),
        }
    }

    fn union(&mut self, a: Reach, b: &[Source]) -> Option<Reach> {
        self.work += a.len() + b.len();
        if self.work > LIMIT || self.held > HELD {
            return None;
        }
        let mut union = Reach::with_capacity(a.len() + b.len());
        let mut add = |source: Source| match union.last_mut() {
            Some(last) if Source::key(last) == source.key() => {
                if (last.child, last.strand) < (source.child, source.strand) {
                    *last = source;
                }
            }
            _ => union.push(source),
        };
        let mut a = a.into_iter().peekable();
        for &source in b {
            while let Some(first) = a.next_if(|first| first.key() <= source.key()) {
                add(first);
            }
            add(source);
        }
        a.for_each(add);
        Some(union)
    }

    /// Where a strand stands for others.
    fn source(&self, strand: NodeIndex) -> Source {
        let mut child = strand;
        loop {
            let above = self.tree.node(child).parent;
            if above == 0 || self.wanted.node(above) {
                return Source {
                    above,
                    piece: self.wanted.piece(strand, above),
                    child,
                    strand,
                };
            }
            child = above;
        }
    }

    fn chain(&mut self, old: u32) -> u32 {
        let chain = &mut self.chains[old as usize];
        if *chain == NONE {
            *chain = self.new.chain_ends.len() as u32;
            self.new.chain_ends.push(NONE);
        }
        *chain
    }

    /// Makes a knot of this age, chain and place: what reaches it beside what is known to reach the knot before it.
    fn make(
        &mut self,
        (age, chain, place): (NodeIndex, u32, u32),
        reach: &[Source],
        before: KnotIndex,
        known: &[Source],
    ) -> KnotIndex {
        let is_known = |source: &&Source| {
            known
                .binary_search_by_key(&source.key(), Source::key)
                .is_ok_and(|at| known[at] == **source)
        };
        let from = reach.iter().filter(|source| !is_known(source));
        let mut from: SmallVec<[NodeIndex; FEW]> = from.map(|source| source.strand).collect();
        if from.len() > FEW {
            sources::sort(&mut from, self.tree);
        }
        let new = &mut self.new;
        let number = new.knots.len() as KnotIndex;
        for &strand in &from {
            new.depart(self.tree.node(strand).task, strand, number);
        }
        new.knots.push(Knot {
            age,
            chain,
            place,
            links: new.links.len() as u32,
            sources: from.len() as u32,
            is_before_sources: false,
        });
        new.links.extend_from_slice(&from);
        if before != NONE {
            new.links.push(before);
        }
        number
    }

    /// The tasks that have ended in a finish become one.
    fn close_lists(&mut self) -> Option<()> {
        let old = self.old;
        for (&finish, ended) in &old.ended {
            let mut reach = Reach::new();
            for &knot in ended {
                let other = self.reach(knot);
                reach = self.union(reach, &other)?;
            }
            let chain = self.new.chain_ends.len() as u32;
            let number = self.make((self.tree.count(), chain, 0), &reach, NONE, &[]);
            self.new.chain_ends.push(number);
            self.new.ended.insert(finish, vec![number]);
        }
        Some(())
    }

    fn finish(self) -> Layer {
        let Self {
            old,
            wanted,
            steps,
            mut new,
            ..
        } = self;
        let renumber = |knot: u32| steps[knot as usize].number;
        new.entries = old.entries.kept(|row| wanted.node(row), renumber);
        let is_wanted = |row| wanted.task(TaskId::new(row));
        new.latest = old.latest.kept(is_wanted, renumber);
        new.known.expect(new.knots.len());
        new
    }
}

impl Step {
    fn is_needed(&self) -> bool {
        self.is_root || self.uses > 0
    }
}
