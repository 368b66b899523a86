//! 6.5: no checks at accesses that another access of the same strand covers.
//!
//! `C` *covers* `M` if both are certainly of the same location ([`Spot`]), in the same strand,
//! under the same acquisitions of the same locks, and `C` is a write or both are reads. Then every
//! race of `M` with an access of another strand is one of `C` too, with the same certainty: `C` has
//! the same place in the order, the same locks, and conflicts with whatever `M` conflicts with.
//! - **A check before.** `C` dominates `M`: whenever `M` is made, `C` has been, and no task
//!   operation, lock operation or call that may contain one lies between. `M` is dropped. (The
//!   paper says so for reads `M`; a write dominated by a write is its "accesses of the same type",
//!   6.4.)
//! - **A check after.** `M` is a read, and nothing between `M` and `C` can keep `C` from running:
//!   no fault, return, call, loop or branch around `C`. `M` is dropped. An index of `C` that might
//!   be out of range does not count, for `M` used it already.
//!
//! **Chains are sound.** Covering is transitive. A check that is dropped for an earlier one is
//! never what an access before it is dropped for, and one that is dropped for a later one is a read
//! whose cover certainly runs in the same strand; so following covers ends at a check that is made.
//! Accesses whose check was moved in front of a loop cover others, as the moved check does.
//!
//! **Hand-offs stay the same.** Edges come from reads inside sections that see another section's
//! write. A read inside a section is dropped only for an access before it in the same acquisition:
//! either a read, which saw the same write and gave the same edge (in between no other task ran),
//! or a write of its own, which means there is no edge. A later read is no substitute, its own
//! section may have written in between; so reads that may be under a lock are never dropped for a
//! later access. A write is dropped only for a write before it, of the same strand and acquisition,
//! between which no other task ran: who wrote last, and under which locks, does not change.
//!
//! Inside a section a hand-off may arrive between `C` and a later `M`, at a read of something else.
//! Then `C` comes after less than `M`. It comes before the same, as hand-offs leave a section only
//! where it ends. So what is parallel to `M` is parallel to `C`.

use crate::eliminate::Analyses;
use crate::eliminate::calls::Iteration;
use crate::eliminate::spot::Spot;
use crate::eliminate::values::Facts;
use crate::eliminate::walk::{Flow, Loop, Op, block};
use crate::ir::{AccessId, AccessInfo, Body, Elimination, LocalId, Program, Shared};
use heddle_core::AccessKind;
use std::collections::{BTreeMap, BTreeSet};

/// More locations than this are not remembered at one point, so that copying what is known at each
/// branch stays cheap in programs with very many of them.
const REMEMBERED: usize = 512;

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    let main = Facts::of_main(program);
    let procs: Vec<_> = (0..program.procs.len())
        .map(|row| Facts::of_proc(program, row, &analyses.parameters))
        .collect();
    let mut covering = Covering {
        analyses,
        shared: &program.shared,
        accesses: &mut program.accesses,
        facts: Facts::default(),
    };
    covering.activation(&program.main, main);
    for (proc, facts) in std::iter::zip(&program.procs, procs) {
        covering.activation(&proc.body, facts);
    }
}

/// What is known at a point of an activation.
#[derive(Clone, Default)]
struct Known {
    /// Checked before, in this strand and under these locks.
    checked: BTreeMap<Spot, AccessKind>,
    /// Reads, outside locks, after which nothing so far could stop the run.
    pending: Vec<(Spot, AccessId)>,
    /// Since the arm of the branch began: something could stop the run.
    stoppable: bool,
    /// Since the arm of the branch began: locals set.
    assigned: BTreeSet<LocalId>,
}

impl Known {
    fn forget(&mut self) {
        self.checked.clear();
        self.stop();
    }

    fn stop(&mut self) {
        self.pending.clear();
        self.stoppable = true;
    }

    fn assign(&mut self, local: LocalId) {
        self.assigned.insert(local);
        self.checked.retain(|spot, _| !spot.mentions(local));
        self.pending.retain(|(spot, _)| !spot.mentions(local));
    }

    fn covers(&self, spot: Spot, kind: AccessKind) -> bool {
        self.checked.get(&spot).is_some_and(|known| *known >= kind)
    }

    fn check(&mut self, spot: Spot, kind: AccessKind) {
        let full = self.checked.len() >= REMEMBERED;
        match self.checked.get_mut(&spot) {
            Some(known) => *known = kind.max(*known),
            None if full => {}
            None => {
                self.checked.insert(spot, kind);
            }
        }
    }

    /// Keeps what is checked on both ways.
    fn meet(&mut self, other: &Self) {
        self.checked
            .retain(|spot, kind| match other.checked.get(spot) {
                Some(known) => {
                    *kind = (*kind).min(*known);
                    true
                }
                None => false,
            });
    }
}

struct Covering<'p> {
    analyses: &'p Analyses,
    shared: &'p [Shared],
    accesses: &'p mut [AccessInfo],
    facts: Facts,
}

impl Covering<'_> {
    fn activation(&mut self, body: &Body, facts: Facts) {
        let outer = std::mem::replace(&mut self.facts, facts);
        block(self, &body.block, &mut Known::default());
        self.facts = outer;
    }

    fn access(&mut self, spot: Option<Spot>, access: AccessId, state: &mut Known) {
        let Some((spot, info)) = spot.zip(self.accesses.get(access.0 as usize).copied()) else {
            return;
        };
        match info.eliminated {
            None if self.analyses.subjects.may_drop(access) => {
                self.cover(spot, access, info.kind, state);
            }
            Some(Elimination::LoopInvariant | Elimination::ReadWrite) => {
                state.check(spot, info.kind);
            }
            _ => {}
        }
    }

    fn cover(&mut self, spot: Spot, access: AccessId, kind: AccessKind, state: &mut Known) {
        if state.covers(spot, kind) {
            return self.drop(access);
        }
        let (covered, pending) = std::mem::take(&mut state.pending)
            .into_iter()
            .partition(|(other, _)| *other == spot);
        state.pending = pending;
        for (_, read) in covered {
            self.drop(read);
        }
        if kind == AccessKind::Read && !self.analyses.held.at(access) {
            state.pending.push((spot, access));
        }
        state.check(spot, kind);
    }

    fn drop(&mut self, access: AccessId) {
        if let Some(info) = self.accesses.get_mut(access.0 as usize) {
            info.eliminated.get_or_insert(Elimination::ReadWrite);
        }
    }

    /// Reads of a place are not in doubt because of a later mention of it: it exists.
    fn may_stop(&mut self, op: Op<'_>, state: &mut Known) {
        let spot = match op {
            Op::Access { place, .. } | Op::Aim(place) => Spot::of(place),
            _ => None,
        };
        let exists = spot.is_some_and(|spot| state.checked.contains_key(&spot));
        if !exists && self.facts.may_stop(op, self.shared) {
            state.stoppable = true;
            state.pending.retain(|(other, _)| Some(*other) == spot);
        }
    }
}

impl<'a> Flow<'a> for Covering<'_> {
    type State = Known;

    fn op(&mut self, op: Op<'a>, state: &mut Known) {
        if self.analyses.calls.breaks_strand(op) {
            state.forget();
        }
        self.may_stop(op, state);
        match op {
            Op::Access { place, access } => self.access(Spot::of(place), access, state),
            Op::Assign { local, .. } => state.assign(local),
            Op::Spawn(spawn) => self.activation(&spawn.body, self.facts.of_task(spawn)),
            _ => {}
        }
    }

    /// An access in one arm does not make up for a read before the branch: the other may be taken.
    fn branch(&mut self, before: &Known) -> Known {
        Known {
            checked: before.checked.clone(),
            ..Known::default()
        }
    }

    fn merge(&mut self, state: &mut Known, arms: [Known; 2]) {
        let [mut then, otherwise] = arms;
        then.meet(&otherwise);
        if then.stoppable || otherwise.stoppable {
            state.stop();
        }
        for local in then.assigned.iter().chain(&otherwise.assigned) {
            state.assign(*local);
        }
        state.checked = then.checked;
        state.pending.extend(then.pending);
        state.pending.extend(otherwise.pending);
    }

    fn enter_loop(&mut self, looping: Loop<'a>, state: &mut Known) {
        let iteration = Iteration::of(looping, &self.analyses.calls);
        if iteration.breaks_strand {
            state.forget();
        }
        for local in iteration.assigned {
            state.assign(local);
        }
        state.stop();
    }

    fn exit_loop(&mut self, state: &mut Known, _inside: Known) {
        state.stop();
    }
}
