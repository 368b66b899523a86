//! Two accesses per kind and two pairs per pattern: enough for structured programs without mutual
//! exclusion, in any run.
//!
//! Yoga and Nagarakatte keep two accesses per kind and *one* pair per pattern, and try a new pair only where
//! it replaces the kept one. Both lose violations. Here every access is tried as the last and as the middle
//! one of a triple before anything is forgotten, and two pairs are kept, by the rule of Raman et al. for
//! readers: those whose lowest common ancestor is highest in the tree. Whatever later strand is parallel with
//! some access (or pair) of a kind is parallel with one that is kept. In a serial depth-first run one
//! is enough (Feng and Leiserson's pseudo-transitivity), so the bags keep one.
//!
//! # Invariant
//! A second is kept only beside a first that is parallel with it.

use super::local::Locals;
use super::{History, Pair, Running, Tears, Touch, row};
use crate::atomicity::pattern::Pattern;
use crate::atomicity::unit::UnitId;
use crate::id::StrandId;
use crate::order::{Bags, Graph, Order};

/// What is to be done with a newcomer beside what is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// It stands for all that is kept.
    Alone,
    /// It takes the place of the first.
    First,
    /// It takes the second place, which is free.
    Second,
    /// What is kept stands for it.
    None,
}

/// Says which strands, of all that did the same, stand for the others.
pub trait Apart: Order {
    /// Where the running strand belongs beside the kept ones, which are earlier.
    fn room(&mut self, kept: [Option<StrandId>; 2]) -> Room;
}

impl Apart for Bags {
    fn room(&mut self, [first, _]: [Option<StrandId>; 2]) -> Room {
        match first.is_some_and(|first| !self.precedes(first)) {
            true => Room::None,
            false => Room::Alone,
        }
    }
}

impl Apart for Graph {
    fn room(&mut self, kept: [Option<StrandId>; 2]) -> Room {
        let parallel = kept.map(|kept| kept.is_some_and(|strand| !self.precedes(strand)));
        match (parallel, kept) {
            ([false, false], _) => Room::Alone,
            ([true, _], [_, None]) => Room::Second,
            ([true, true], [Some(first), Some(second)]) => {
                let now = self.strand();
                let together = self.common_depth(first, second);
                match self.common_depth(first, now) < together {
                    true => Room::First,
                    false => Room::None,
                }
            }
            // One that precedes this strand leaves with the same finish as the parallel one.
            _ => Room::None,
        }
    }
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Fixed {
    cells: Vec<Cell>,
}

#[derive(Default, Debug)]
struct Cell {
    locals: Locals,
    /// By kind of access.
    touches: [Kept<Touch>; 2],
    /// By pattern.
    pairs: [Kept<Pair>; 4],
}

/// At most two, the second only beside a first.
#[derive(Clone, Copy, Debug)]
struct Kept<T>([Option<T>; 2]);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self([None, None])
    }
}

impl<T: Copy> Kept<T> {
    fn iter(&self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }

    fn keep<O: Apart>(&mut self, new: T, strand: impl Fn(T) -> StrandId, order: &mut O) {
        match order.room(self.0.map(|kept| kept.map(&strand))) {
            Room::Alone => self.0 = [Some(new), None],
            Room::First => self.0[0] = Some(new),
            Room::Second => self.0[1] = Some(new),
            Room::None => {}
        }
    }
}

impl<O: Apart> History<O> for Fixed {
    fn access<T: Tears>(&mut self, unit: UnitId, now: Touch, mut run: Running<'_, O>, to: &mut T) {
        let cell = row(&mut self.cells, unit);
        let local = cell.locals.running(&mut run);
        if local.is_settled(now) {
            return;
        }
        for first in local.firsts() {
            let pair = run.pair(first, now);
            for middle in cell.touches.iter().flat_map(Kept::iter) {
                run.try_middle(unit, pair, middle, to);
            }
            let pairs = &mut cell.pairs[pair.pattern() as usize];
            pairs.keep(pair, |pair| pair.last.mark.strand, run.order);
        }
        for pattern in Pattern::ALL {
            for pair in cell.pairs[pattern as usize].iter() {
                run.try_pair(unit, pair, now, to);
            }
        }
        let touches = &mut cell.touches[now.mark.kind as usize];
        touches.keep(now, |touch| touch.mark.strand, run.order);
        local.note(now);
    }
}
