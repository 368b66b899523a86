//! 6.4: one check in front of a loop instead of one in every iteration.
//!
//! An access is moved if its loop stays in one strand and takes and gives back no lock, every
//! iteration certainly makes the access before anything that could leave the loop
//! ([`certain`](super::certain)), no iteration changes the locals that say which location it is,
//! and no lock can be held. In front of the loop comes a [`StmtKind::Check`] under a zero-trip
//! test: `from < to` for a `for`, the condition itself for a `while`, nothing for accesses in the
//! condition of a `while`. The test reads locals and constants only. Bounds that are more than that
//! are evaluated into fresh locals first: as often and in the same sequence as before. Where an
//! index is a local the test also asks whether it is in range: if not, the loop's first iteration
//! faults before the access is made.
//!
//! **Sound because** the check is made exactly when the loop makes the access at least once, in the
//! same strand, by the same kind of access to the same location, and with the same (empty) set of
//! locks: it *covers* all of them (see [`read_write`](super::read_write)). Between check and access
//! no other task runs, so outside locks it does not matter in which sequence the accesses of the
//! strand are seen: who wrote last when another task comes to run is the same. Inside a lock it
//! would: a read moved in front of a write of its own section would seem to read another section's
//! value, a hand-off that never was. Hence the condition on locks.
//!
//! Inner loops come first, so that a check moved out of a loop that certainly runs can move on.

use crate::eliminate::Analyses;
use crate::eliminate::calls::Iteration;
use crate::eliminate::certain::{self, Certain, Part};
use crate::eliminate::spot::{Index, Spot};
use crate::eliminate::values::{Facts, is_below};
use crate::eliminate::walk::{Loop, Op, each_op_of_value};
use crate::ir::{
    AccessId, AccessInfo, Binary, Body, Elimination, Expr, ExprKind, LocalId, Place, Program,
    Shared, Stmt, StmtKind,
};
use heddle_core::{AccessKind, NameId, SiteId};
use std::collections::BTreeSet;

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    let main = Facts::of_main(program);
    let procs: Vec<_> = (0..program.procs.len())
        .map(|row| Facts::of_proc(program, row, &analyses.parameters))
        .collect();
    let mut mover = Mover {
        analyses,
        shared: &program.shared,
        accesses: &mut program.accesses,
        facts: Facts::default(),
        locals: 0,
    };
    mover.activation(&mut program.main, main);
    for (proc, facts) in std::iter::zip(&mut program.procs, procs) {
        mover.activation(&mut proc.body, facts);
    }
}

struct Mover<'p> {
    analyses: &'p Analyses,
    shared: &'p [Shared],
    accesses: &'p mut Vec<AccessInfo>,
    /// Of the body at hand.
    facts: Facts,
    locals: u32,
}

/// Under which condition the check in front of the loop is made.
#[derive(Clone, PartialEq)]
enum Test {
    Always,
    If(Expr),
}

impl Test {
    fn guard(self, checks: Vec<Stmt>, site: SiteId) -> Vec<Stmt> {
        match self {
            _ if checks.is_empty() => checks,
            Self::Always => checks,
            Self::If(condition) => {
                let kind = StmtKind::If {
                    condition,
                    then: checks,
                    otherwise: Vec::new(),
                };
                vec![Stmt { kind, site }]
            }
        }
    }
}

impl Mover<'_> {
    fn activation(&mut self, body: &mut Body, facts: Facts) {
        let outer = (
            std::mem::replace(&mut self.facts, facts),
            std::mem::replace(&mut self.locals, body.locals),
        );
        self.block(&mut body.block);
        body.locals = self.locals;
        (self.facts, self.locals) = outer;
    }

    fn block(&mut self, block: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(block) {
            self.inside(&mut stmt);
            self.move_out(&mut stmt, block);
            block.push(stmt);
        }
    }

    fn inside(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Spawn(spawn) => {
                let facts = self.facts.of_task(spawn);
                self.activation(&mut spawn.body, facts);
            }
            StmtKind::Finish(body)
            | StmtKind::Isolated(body)
            | StmtKind::With(_, body)
            | StmtKind::While { body, .. }
            | StmtKind::For { body, .. } => self.block(body),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.block(then);
                self.block(otherwise);
            }
            _ => {}
        }
    }

    /// Puts the checks that can leave the loop `stmt`, if it is one, at the end of `before`.
    fn move_out(&mut self, stmt: &mut Stmt, before: &mut Vec<Stmt>) {
        let movable = self.movable(stmt);
        if movable.is_empty() {
            return;
        }
        let Some(runs) = self.zero_trip_test(stmt, before) else {
            return self.move_conditions(movable, before);
        };
        let mut moved = BTreeSet::new();
        let (conditions, bodies): (Vec<_>, Vec<_>) = movable
            .into_iter()
            .partition(|each| each.part == Part::Condition);
        before.extend(self.checks(conditions, &mut moved));
        let checks = self.checks(bodies, &mut moved);
        before.extend(runs.guard(checks, stmt.site));
    }

    fn move_conditions(&mut self, mut movable: Vec<Certain>, before: &mut Vec<Stmt>) {
        movable.retain(|each| each.part == Part::Condition);
        before.extend(self.checks(movable, &mut BTreeSet::new()));
    }

    fn movable(&self, stmt: &Stmt) -> Vec<Certain> {
        let Some(looping) = Loop::of(stmt) else {
            return Vec::new();
        };
        let iteration = Iteration::of(looping, &self.analyses.calls);
        if iteration.breaks_strand {
            return Vec::new();
        }
        let mut found = certain::accesses(looping, &self.facts, self.shared, self.analyses);
        found.retain(|each| self.may_move(each, &iteration));
        found
    }

    fn may_move(&self, each: &Certain, iteration: &Iteration) -> bool {
        let stands = self.accesses.get(each.access.0 as usize);
        let invariant = Spot::of(&each.place).is_some_and(|spot| {
            spot.locals()
                .all(|local| !iteration.assigned.contains(&local))
        });
        invariant
            && stands.is_some_and(|info| info.eliminated.is_none())
            && self.analyses.subjects.may_drop(each.access)
            && !self.analyses.held.at(each.access)
            && self.exists_if(&each.place).is_some()
    }

    /// The test under which an element is in range, if there is one.
    fn exists_if(&self, place: &Place) -> Option<Test> {
        let (Place::Element { index, .. } | Place::Heap { index, .. }) = place else {
            return Some(Test::Always);
        };
        let len = self.facts.length_at(place, self.shared)?;
        match Index::of(&index.kind)? {
            Index::Constant(value) => is_below(value, len).then_some(Test::Always),
            Index::Local(local) if self.facts.is_integer(local) => {
                let len = i64::try_from(len).ok()?;
                Some(Test::If(in_range(index, len)))
            }
            Index::Local(_) => None,
        }
    }

    /// One check for each location and kind; the accesses they stand for are marked.
    fn checks(
        &mut self,
        movable: Vec<Certain>,
        moved: &mut BTreeSet<(Spot, AccessKind)>,
    ) -> Vec<Stmt> {
        let mut checks = Vec::new();
        for each in movable {
            let test = self.exists_if(&each.place);
            let info = self.accesses.get_mut(each.access.0 as usize);
            if let (Some(spot), Some(test), Some(info)) = (Spot::of(&each.place), test, info) {
                let copy = *info;
                info.eliminated = Some(Elimination::LoopInvariant);
                if moved.insert((spot, copy.kind)) {
                    let check = self.check(each.place, copy);
                    checks.extend(test.guard(vec![check], copy.site));
                }
            }
        }
        checks
    }

    fn check(&mut self, place: Place, info: AccessInfo) -> Stmt {
        let access = AccessId(self.accesses.len() as u32);
        self.accesses.push(info);
        Stmt {
            kind: StmtKind::Check { place, access },
            site: info.site,
        }
    }

    /// Whether the body of the loop runs, as a test over locals and constants; none if there is
    /// no such test.
    fn zero_trip_test(&mut self, stmt: &mut Stmt, before: &mut Vec<Stmt>) -> Option<Test> {
        match &mut stmt.kind {
            StmtKind::While { condition, .. } => match condition.kind {
                ExprKind::Int(value) => (value != 0).then_some(Test::Always),
                _ => self.is_pure(condition).then(|| Test::If(condition.clone())),
            },
            StmtKind::For { from, to, .. } => match (&from.kind, &to.kind) {
                (ExprKind::Int(from), ExprKind::Int(to)) => (from < to).then_some(Test::Always),
                _ if self.facts.gives_integer(from) && self.facts.gives_integer(to) => {
                    self.fix(from, before);
                    self.fix(to, before);
                    Some(Test::If(less(from.clone(), to.clone(), stmt.site)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether evaluating the expression once more changes nothing and cannot stop the run.
    fn is_pure(&self, expr: &Expr) -> bool {
        let mut pure = true;
        each_op_of_value(expr, |op| {
            pure &= matches!(op, Op::Integer(_) | Op::Divisor(_));
            pure &= !self.facts.may_stop(op, self.shared);
        });
        pure
    }

    /// Evaluates a bound into a fresh local, unless it is a local or a constant already.
    fn fix(&mut self, bound: &mut Expr, before: &mut Vec<Stmt>) {
        if Index::of(&bound.kind).is_some() {
            return;
        }
        let local = LocalId(self.locals);
        self.locals += 1;
        self.facts.add_integer();
        let site = bound.site;
        let kind = ExprKind::Local(local);
        let value = std::mem::replace(bound, Expr { kind, site });
        // The name is only used for arrays, and the value is an integer.
        let name = NameId::new(0);
        let kind = StmtKind::SetLocal { local, name, value };
        before.push(Stmt { kind, site });
    }
}

fn in_range(index: &Expr, len: i64) -> Expr {
    let site = index.site;
    let constant = |value| Expr {
        kind: ExprKind::Int(value),
        site,
    };
    let above = less(constant(-1), index.clone(), site);
    let below = less(index.clone(), constant(len), site);
    let kind = ExprKind::And(Box::new(above), Box::new(below));
    Expr { kind, site }
}

fn less(left: Expr, right: Expr, site: SiteId) -> Expr {
    let kind = ExprKind::Binary(Binary::Less, Box::new(left), Box::new(right));
    Expr { kind, site }
}
