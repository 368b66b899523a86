//! What Heddle's atomicity analysis is compared with: the history that its paper prints, and Velodrome.
//!
//! Both are judged from the whole run that the oracle keeps. They are here to be measured, not to be relied on.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::AccessKind::{self, Read, Write};

use crate::atoms::{Atoms, RegionId, Scope, Subject, Touch, is_torn};
use crate::graph::{Closure, Node};

/// The twelve entries of Figs. 6 to 9 of Yoga and Nagarakatte, *Atomicity Violation Checker for Task Parallel
/// Programs* (2016), as printed: two reads, two writes and one pair per pattern. Every check stands where the figures
/// have it. Nothing here may be mended.
///
/// # Deviations
/// 1. Fig. 9, line 20 takes the local *write*: an obvious slip of the pen.
/// 2. Local entries are per region, as the text under Fig. 10 has it, not per task.
/// 3. Lines 13 and 26 do not say which of two entries is replaced: here the first that is not parallel.
///
/// # Known misses
/// 1. A new pair is tried only where it replaces the kept one (lines 4, 8, 15, 19).
/// 2. One pair per pattern does not stand for all, in a run that is not depth first.
/// 3. The second and later accesses of a region are never tried as the middle of an earlier pair.
/// 4. A pair whose accesses share a lock is dropped, though the lock keeps out only those who take it.
#[derive(Default)]
struct Printed<'a> {
    /// The first read and the first write of each region.
    locals: BTreeMap<RegionId, [Option<&'a Touch>; 2]>,
    /// R1, R2 and W1, W2.
    touches: [[Option<&'a Touch>; 2]; 2],
    /// RR, RW, WR, WW.
    pairs: [Option<(&'a Touch, &'a Touch)>; 4],
}

impl<'a> Printed<'a> {
    /// Whether the access completes a violation.
    fn access(&mut self, now: &'a Touch, order: &Closure) -> bool {
        let local = self.locals.entry(now.region).or_default();
        let firsts = *local;
        local[now.kind as usize].get_or_insert(now);
        let found = match firsts {
            [None, None] => self.is_middle(now, order),
            firsts => self.ends_pair(firsts, now, order),
        };
        self.keep(now, order);
        found
    }

    /// Figs. 7 and 8.
    fn is_middle(&self, now: &Touch, order: &Closure) -> bool {
        let mut pairs = self.pairs.iter().flatten();
        pairs.any(|(first, last)| is_torn(first, now, last, order))
    }

    /// Fig. 9.
    fn ends_pair(
        &mut self,
        firsts: [Option<&'a Touch>; 2],
        now: &'a Touch,
        order: &Closure,
    ) -> bool {
        let mut found = false;
        for first in firsts.into_iter().flatten() {
            let kept = &mut self.pairs[pattern(first.kind, now.kind)];
            let shares_lock = first
                .sections
                .iter()
                .any(|held| now.sections.iter().any(|other| other == held));
            if shares_lock || !kept.is_none_or(|(_, last)| is_replaceable(last, now, order)) {
                continue;
            }
            *kept = Some((first, now));
            let mut middles = self.touches.iter().flatten().flatten();
            found |= middles.any(|middle| is_torn(first, middle, now, order));
        }
        found
    }

    fn keep(&mut self, now: &'a Touch, order: &Closure) {
        for kept in &mut self.touches[now.kind as usize] {
            if kept.is_none_or(|kept| is_replaceable(kept, now, order)) {
                *kept = Some(now);
                return;
            }
        }
    }
}

fn pattern(first: AccessKind, last: AccessKind) -> usize {
    match (first, last) {
        (Read, Read) => 0,
        (Read, Write) => 1,
        (Write, Read) => 2,
        (Write, Write) => 3,
    }
}

/// The entry is not parallel with what runs now.
fn is_replaceable(entry: &Touch, now: &Touch, order: &Closure) -> bool {
    !order.parallel(entry.node, now.node)
}

impl Atoms {
    /// The units that the printed history finds to be torn.
    pub(crate) fn printed(&self, scope: Scope, order: &Closure) -> BTreeSet<Subject> {
        let mut torn = BTreeSet::new();
        for ((subject, _), touches) in self.by_unit(scope) {
            let mut printed = Printed::default();
            for touch in touches {
                if printed.access(touch, order) {
                    torn.insert(subject);
                }
            }
        }
        torn
    }

    /// Flanagan, Freund, Yi: *Velodrome* (2008): the units on which the order that was observed closes a cycle of
    /// regions. `edges` are those of the program's own order and from each release of a lock to what takes it next;
    /// between conflicting accesses to a unit there is one in the sequence of the run. It says nothing of any other
    /// schedule: a serial run has no cycle.
    pub(crate) fn velodrome(
        &self,
        scope: Scope,
        edges: impl Iterator<Item = (Node, Node)>,
    ) -> BTreeSet<Subject> {
        let mut after: BTreeMap<RegionId, BTreeSet<RegionId>> = BTreeMap::new();
        let mut add = |from: RegionId, to: RegionId| {
            if from != to {
                after.entry(from).or_default().insert(to);
            }
        };
        for (from, to) in edges {
            if let (Some(&from), Some(&to)) = (self.nodes.get(&from), self.nodes.get(&to)) {
                add(from, to);
            }
        }
        let mut conflicts = Vec::new();
        for ((subject, _), touches) in self.by_unit(scope) {
            for (n, later) in touches.iter().enumerate() {
                let earlier = touches[..n].iter();
                for earlier in earlier.filter(|touch| (touch.kind, later.kind) != (Read, Read)) {
                    add(earlier.region, later.region);
                    conflicts.push((subject, earlier.region, later.region));
                }
            }
        }
        let closes = |&(_, from, to): &(Subject, RegionId, RegionId)| {
            from != to && reaches(&after, to, from)
        };
        let cyclic = conflicts.iter().filter(|conflict| closes(conflict));
        cyclic.map(|&(subject, ..)| subject).collect()
    }
}

fn reaches(after: &BTreeMap<RegionId, BTreeSet<RegionId>>, from: RegionId, to: RegionId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        let next = after.get(&at).into_iter().flatten();
        open.extend(next.copied().filter(|&next| seen.insert(next)));
    }
    false
}
