//! Marks on knots: whether a strand follows one of many that have something in common.
//!
//! To ask [`reaches`](Layer::reaches) for each of them would cost as many questions as there are. A mark is put where an
//! edge arrives, and one question is about all knots that have it.
//!
//! # Cost
//! A search remembers what it learns of every knot it passes, so that questions about one mark pass a knot once. Knots
//! that are older than the first that is marked are not passed.

use super::{KnotIndex, Layer, NONE};
use crate::id::TaskId;
use crate::order::tree::NodeIndex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What knots have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mark(u32);

impl Mark {
    /// Marks are told apart by numbers.
    pub fn new(number: u32) -> Self {
        Self(number)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    of: FxHashMap<KnotIndex, SmallVec<[Mark; 2]>>,
    /// The oldest knot that has each mark.
    first: FxHashMap<Mark, KnotIndex>,
    /// Whether a knot has the mark or follows one that has it.
    known: FxHashMap<(Mark, KnotIndex), bool>,
}

impl Marks {
    /// What is known of a knot without looking at those before it.
    fn answer(&self, mark: Mark, knot: KnotIndex) -> Option<bool> {
        let has_it = self
            .of
            .get(&knot)
            .is_some_and(|marks| marks.contains(&mark));
        match has_it {
            true => Some(true),
            false => self.known.get(&(mark, knot)).copied(),
        }
    }
}

impl Layer {
    /// Marks where the last edge has arrived at `task`, which has done nothing since.
    pub fn mark(&mut self, task: TaskId, mark: Mark) {
        let knot = self.latest(task);
        self.marks.of.entry(knot).or_default().push(mark);
        self.marks.first.entry(mark).or_insert(knot);
    }

    /// Whether strand `b` follows an edge that has the mark.
    pub fn follows(&mut self, mark: Mark, b: NodeIndex) -> bool {
        let entry = self.entry(b);
        let first = self.marks.first.get(&mark).copied();
        let Some(first) = first.filter(|&first| entry != NONE && entry >= first) else {
            return false;
        };
        match self.marks.answer(mark, entry) {
            Some(answer) => answer,
            None => self.search_mark(mark, first, entry),
        }
    }

    /// Looks for a knot with the mark, backwards from `entry`, of which nothing is known.
    #[cold]
    fn search_mark(&mut self, mark: Mark, first: KnotIndex, entry: KnotIndex) -> bool {
        let mut search = std::mem::take(&mut self.search);
        search.begin(entry, self.knots.len());
        let mut found = None;
        while let Some(knot) = search.work.pop() {
            match self.marks.answer(mark, knot) {
                Some(false) => continue,
                Some(true) => {
                    found = Some(knot);
                    break;
                }
                None => search.trail.push(knot),
            }
            let (from, before) = self.links(knot);
            let entries = from.iter().map(|&strand| self.entry(strand));
            for next in before.iter().copied().chain(entries) {
                if next >= first && search.pass(next, knot) {
                    search.work.push(next);
                }
            }
        }
        let learned = match found {
            Some(knot) => search.path(knot, entry),
            None => std::mem::take(&mut search.trail),
        };
        let answers = learned.iter().map(|&knot| ((mark, knot), found.is_some()));
        self.marks.known.extend(answers);
        search.trail = learned;
        self.search = search;
        found.is_some()
    }
}
