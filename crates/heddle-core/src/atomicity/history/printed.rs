//! The twelve entries of Figs. 6 to 9, as printed: kept to measure what they miss.
//!
//! Per unit two reads, two writes and one pair per pattern. Every check stands where the figures have
//! it. Nothing here may be mended; [`Fixed`](super::Fixed) is what came of it.
//!
//! # Deviations
//! 1. Fig. 9, line 20 takes the local *write*: an obvious slip of the pen.
//! 2. Local entries are per region, as the text under Fig. 10 has it, not per task.
//! 3. Lines 13 and 26 do not say which of two entries is replaced: here the first that is not parallel.
//!
//! # Known misses
//! 1. A new pair is tried only where it replaces the kept one (lines 4, 8, 15, 19).
//! 2. One pair per pattern does not stand for all, in a run that is not depth first.
//! 3. The second and later accesses of a region are never tried as the middle of an earlier pair.
//! 4. A pair whose accesses share a lock is dropped, though the lock keeps out only those who take it.

use super::local::Locals;
use super::{History, Pair, Running, Tears, Touch, row};
use crate::atomicity::pattern::Pattern::{self, ReadRead, ReadWrite, WriteRead, WriteWrite};
use crate::atomicity::unit::UnitId;
use crate::event::AccessKind::{self, Read, Write};
use crate::hold::LockSetId;
use crate::id::StrandId;
use crate::order::Order;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Printed {
    cells: Vec<Cell>,
}

#[derive(Default, Debug)]
struct Cell {
    locals: Locals,
    /// R1, R2 and W1, W2.
    touches: [[Option<Touch>; 2]; 2],
    /// RR, RW, WR, WW.
    pairs: [Option<Pair>; 4],
}

impl<O: Order> History<O> for Printed {
    fn access<T: Tears>(&mut self, unit: UnitId, now: Touch, mut run: Running<'_, O>, to: &mut T) {
        let cell = row(&mut self.cells, unit);
        let local = cell.locals.running(&mut run);
        let (is_first, firsts) = (
            local.is_empty(),
            [Read, Write].map(|kind| local.first(kind)),
        );
        local.note(now);
        match is_first {
            true => cell.first_access(unit, now, &mut run, to),
            false => cell.later_access(unit, firsts, now, &mut run, to),
        }
    }
}

impl Cell {
    /// Figs. 7 and 8.
    fn first_access<O: Order, T: Tears>(
        &mut self,
        unit: UnitId,
        now: Touch,
        run: &mut Running<'_, O>,
        to: &mut T,
    ) {
        let tried: &[Pattern] = match now.mark.kind {
            Read => &[WriteWrite],
            Write => &[WriteWrite, ReadWrite, ReadRead, WriteRead],
        };
        for &pattern in tried {
            if let Some(pair) = self.pairs[pattern as usize] {
                run.try_pair(unit, pair, now, to);
            }
        }
        self.keep_touch(now, run);
    }

    /// Fig. 9.
    fn later_access<O: Order, T: Tears>(
        &mut self,
        unit: UnitId,
        firsts: [Option<Touch>; 2],
        now: Touch,
        run: &mut Running<'_, O>,
        to: &mut T,
    ) {
        for first in firsts.into_iter().flatten() {
            let pair = run.pair(first, now);
            let kept = &mut self.pairs[pair.pattern() as usize];
            let strand = kept.map(|pair| pair.last.mark.strand);
            if pair.kept != LockSetId::EMPTY || !is_replaceable(strand, run) {
                continue;
            }
            *kept = Some(pair);
            for &kind in middles(pair.pattern()) {
                for middle in self.touches[kind as usize].into_iter().flatten() {
                    run.try_middle(unit, pair, middle, to);
                }
            }
        }
        self.keep_touch(now, run);
    }

    fn keep_touch<O: Order>(&mut self, now: Touch, run: &mut Running<'_, O>) {
        for kept in &mut self.touches[now.mark.kind as usize] {
            if is_replaceable(kept.map(|touch| touch.mark.strand), run) {
                *kept = Some(now);
                return;
            }
        }
    }
}

/// The entry is empty or not parallel with what runs now.
fn is_replaceable<O: Order>(entry: Option<StrandId>, run: &mut Running<'_, O>) -> bool {
    entry.is_none_or(|strand| run.order.precedes(strand))
}

/// The kinds of access that tear a pair of this pattern.
fn middles(pattern: Pattern) -> &'static [AccessKind] {
    match pattern {
        WriteWrite => &[Write, Read],
        _ => &[Write],
    }
}
