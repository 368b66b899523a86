//! Every access and every pair that no later one stands for: exact with extra edges, locks and hand-offs.
//!
//! # Rule
//! A pair is forgotten when a new one *stands for* it: the new one's end comes after the old one's in every
//! schedule, it keeps no lock that the old did not keep, and it is torn by whatever tears the old.
//! An access is forgotten when a new one comes after it in every schedule, holds no lock that the old
//! did not hold, and writes if the old wrote. What is found later with the forgotten one is found with the new
//! one as well: a strand that comes after the new one comes after the old one too. The same holds with
//! hand-offs counted as order, so certainty is exact as well.
//!
//! # Cost
//! Accesses are grouped by what they hold and pairs by what they keep. Groups that share a lock with the newcomer
//! are passed over, so that a unit that is always locked costs the same however many tasks lock it. A group
//! is looked through for what can be forgotten when it has doubled.

use super::local::Locals;
use super::{History, Pair, Running, Tears, Touch, row};
use crate::atomicity::pattern::tears_at_least;
use crate::atomicity::unit::UnitId;
use crate::event::AccessKind;
use crate::hold::LockSetId;
use crate::order::Order;

/// Groups up to this size are looked through at every access.
const SMALL: usize = 4;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Spilled {
    cells: Vec<Cell>,
}

#[derive(Default, Debug)]
struct Cell {
    locals: Locals,
    /// By lock set and kind.
    touches: Vec<Group<AccessKind, Touch>>,
    /// By kept locks and whether a read tears them.
    pairs: Vec<Group<TornByRead, Pair>>,
}

type TornByRead = bool;

/// What is the same but for its strand and site.
#[derive(Debug)]
struct Group<K, T> {
    locks: LockSetId,
    kind: K,
    members: Vec<T>,
    /// The size at which it is looked through next.
    look_at: usize,
}

impl<O: Order> History<O> for Spilled {
    fn access<T: Tears>(&mut self, unit: UnitId, now: Touch, mut run: Running<'_, O>, to: &mut T) {
        let cell = row(&mut self.cells, unit);
        let local = cell.locals.running(&mut run);
        if local.is_settled(now) {
            return;
        }
        let firsts: [Option<Touch>; 2] =
            [AccessKind::Read, AccessKind::Write].map(|kind| local.first(kind));
        local.note(now);
        for first in firsts.into_iter().flatten() {
            let pair = run.pair(first, now);
            cell.try_middles(unit, pair, &mut run, to);
            cell.keep_pair(pair, &mut run);
        }
        cell.try_pairs(unit, now, &mut run, to);
        cell.keep_touch(now, &mut run);
    }
}

impl Cell {
    fn try_middles<O: Order, T: Tears>(
        &self,
        unit: UnitId,
        pair: Pair,
        run: &mut Running<'_, O>,
        to: &mut T,
    ) {
        for group in &self.touches {
            if pair.pattern().is_torn_by(group.kind) && run.holds.disjoint(pair.kept, group.locks) {
                for &middle in &group.members {
                    run.try_middle(unit, pair, middle, to);
                }
            }
        }
    }

    fn try_pairs<O: Order, T: Tears>(
        &self,
        unit: UnitId,
        now: Touch,
        run: &mut Running<'_, O>,
        to: &mut T,
    ) {
        let locks = run.holds.lock_set(now.mark.hold);
        for group in &self.pairs {
            let is_torn = now.mark.kind == AccessKind::Write || group.kind;
            if is_torn && run.holds.disjoint(group.locks, locks) {
                for &pair in &group.members {
                    run.try_pair(unit, pair, now, to);
                }
            }
        }
    }

    fn keep_pair<O: Order>(&mut self, pair: Pair, run: &mut Running<'_, O>) {
        let torn_by_read = pair.pattern().is_torn_by(AccessKind::Read);
        for group in &mut self.pairs {
            if (torn_by_read || !group.kind) && run.holds.within(pair.kept, group.locks) {
                group.thin(|old| run.order.precedes(old.last.mark.strand));
            }
        }
        group(&mut self.pairs, pair.kept, torn_by_read).push(pair);
    }

    fn keep_touch<O: Order>(&mut self, now: Touch, run: &mut Running<'_, O>) {
        let locks = run.holds.lock_set(now.mark.hold);
        for group in &mut self.touches {
            let stands = tears_at_least(now.mark.kind, group.kind);
            if stands && run.holds.within(locks, group.locks) {
                group.thin(|old| run.order.precedes(old.mark.strand));
            }
        }
        group(&mut self.touches, locks, now.mark.kind).push(now);
    }
}

impl<K, T> Group<K, T> {
    /// Forgets what the newcomer stands for.
    fn thin(&mut self, mut is_before: impl FnMut(&T) -> bool) {
        if self.members.len() < self.look_at {
            return;
        }
        self.members.retain(|old| !is_before(old));
        self.look_at = SMALL.max(2 * self.members.len());
    }

    fn push(&mut self, new: T) {
        self.members.push(new);
    }
}

fn group<K: Copy + PartialEq, T>(
    groups: &mut Vec<Group<K, T>>,
    locks: LockSetId,
    kind: K,
) -> &mut Group<K, T> {
    let known = groups
        .iter()
        .position(|group| group.locks == locks && group.kind == kind);
    let at = known.unwrap_or_else(|| {
        groups.push(Group {
            locks,
            kind,
            members: Vec::new(),
            look_at: 0,
        });
        groups.len() - 1
    });
    &mut groups[at]
}
