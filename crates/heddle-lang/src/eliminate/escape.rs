//! 6.3: no checks at heap arrays that never leave the activation that made them.
//!
//! Locals of one body that may hold the same array (one is assigned to the other somewhere) form a
//! class. A class *leaves* if a member is captured by a task, returned, or passed for a parameter
//! that leaves in its procedure; it is *foreign* if a member may hold an array from elsewhere: a
//! parameter, a captured local, the result of a call or `get`. Accesses through classes that are
//! neither need no check.
//!
//! **Sound because** arrays cannot be stored in shared memory: the ways a handle can pass from one
//! activation to another are exactly those named. An array of such a class is touched only by its
//! own activation and procedures this one calls, all of one task, so all its accesses are ordered.
//! A hand-off edge over one of its elements would lead from that task to itself. Arrays passed to a
//! procedure keep their checks there; only the maker's are dropped.
//!
//! Deviation from the paper: none in effect; its alias analysis of object fields is not needed.

use crate::eliminate::Analyses;
use crate::eliminate::calls::{Calls, Summary};
use crate::eliminate::walk::{Assigned, Op, each_op};
use crate::ir::{
    AccessId, Body, Elimination, ExprKind, LocalId, Place, Proc, ProcId, Program, Spawn,
};

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    let leaving = Leaving::of(program, &analyses.calls);
    let mut local = Vec::new();
    local_accesses(&program.main, &[], &leaving, &mut local);
    for proc in &program.procs {
        let foreign: Vec<_> = (0..proc.params).map(LocalId).collect();
        local_accesses(&proc.body, &foreign, &leaving, &mut local);
    }
    for access in local {
        if let Some(info) = program.accesses.get_mut(access.0 as usize) {
            info.eliminated.get_or_insert(Elimination::Escape);
        }
    }
}

/// Collects the accesses through handles that stay, in `body` and the tasks it creates.
fn local_accesses(body: &Body, foreign: &[LocalId], leaving: &Leaving, found: &mut Vec<AccessId>) {
    let mut classes = Classes::of(body, leaving);
    for local in foreign {
        classes.mark(*local, |class| class.foreign = true);
    }
    each_op(&body.block, |op| match op {
        Op::Access {
            place: Place::Heap { handle, .. },
            access,
        } if classes.stays(*handle) => found.push(access),
        Op::Spawn(spawn) => local_accesses(&spawn.body, &captured(spawn), leaving, found),
        _ => {}
    });
}

fn captured(spawn: &Spawn) -> Vec<LocalId> {
    spawn.captures.iter().map(|copy| copy.to).collect()
}

/// For each procedure and parameter: does an array passed for it leave?
struct Leaving(Vec<Vec<bool>>);

impl Leaving {
    /// Starts from "none leaves" and adds until nothing changes.
    fn of(program: &Program, calls: &Calls) -> Self {
        let none = |proc: &Proc| vec![false; proc.params as usize];
        let mut leaving = Self(program.procs.iter().map(none).collect());
        calls.settle(|row| {
            let proc = &program.procs[row];
            let classes = Classes::of(&proc.body, &leaving);
            let leaves = |local| classes.class(LocalId(local)).leaves;
            let now: Vec<_> = (0..proc.params).map(leaves).collect();
            if leaving.0[row] == now {
                return Summary::Same;
            }
            leaving.0[row] = now;
            Summary::Changed
        });
        leaving
    }

    fn leaves(&self, proc: ProcId, param: usize) -> bool {
        let known = self.0.get(proc.0 as usize).and_then(|row| row.get(param));
        known.copied().unwrap_or(true)
    }
}

/// The locals of one body, grouped by what they may hold.
struct Classes {
    /// Union-find: a local whose parent is itself stands for its class.
    parent: Vec<u32>,
    classes: Vec<Class>,
}

#[derive(Clone, Copy, Default)]
struct Class {
    leaves: bool,
    foreign: bool,
}

impl Classes {
    fn of(body: &Body, leaving: &Leaving) -> Self {
        let mut classes = Self {
            parent: (0..body.locals).collect(),
            classes: vec![Class::default(); body.locals as usize],
        };
        each_op(&body.block, |op| classes.unite_over(op));
        each_op(&body.block, |op| classes.flow(op, leaving));
        classes
    }

    fn unite_over(&mut self, op: Op<'_>) {
        if let Op::Assign {
            local,
            value: Assigned::Value(value),
        } = op
            && let ExprKind::Local(other) = value.kind
        {
            self.unite(local, other);
        }
    }

    fn flow(&mut self, op: Op<'_>, leaving: &Leaving) {
        match op {
            Op::Assign {
                local,
                value: Assigned::Value(value),
            } if matches!(value.kind, ExprKind::Call { .. } | ExprKind::Get(_)) => {
                self.mark(local, |class| class.foreign = true);
            }
            Op::Spawn(spawn) => {
                for copy in &spawn.captures {
                    self.mark(copy.from, |class| class.leaves = true);
                }
            }
            Op::Call { proc, args } => {
                for (param, arg) in args.iter().enumerate() {
                    if leaving.leaves(proc, param) {
                        self.mark_value(&arg.kind);
                    }
                }
            }
            Op::Return(Some(value)) => self.mark_value(&value.kind),
            _ => {}
        }
    }

    fn mark_value(&mut self, value: &ExprKind) {
        if let ExprKind::Local(local) = value {
            self.mark(*local, |class| class.leaves = true);
        }
    }

    fn stays(&self, local: LocalId) -> bool {
        let class = self.class(local);
        !class.leaves && !class.foreign
    }

    fn class(&self, local: LocalId) -> Class {
        let everything = Class {
            leaves: true,
            foreign: true,
        };
        let found = self.root(local).and_then(|root| self.classes.get(root));
        found.copied().unwrap_or(everything)
    }

    fn mark(&mut self, local: LocalId, change: impl FnOnce(&mut Class)) {
        if let Some(root) = self.root(local) {
            change(&mut self.classes[root]);
        }
    }

    fn root(&self, local: LocalId) -> Option<usize> {
        let mut at = local.0 as usize;
        loop {
            let parent = *self.parent.get(at)? as usize;
            if parent == at {
                return Some(at);
            }
            at = parent;
        }
    }

    /// Unites before any mark is set. The smaller number stays, which keeps paths short for code
    /// that copies earlier locals to later ones.
    fn unite(&mut self, left: LocalId, right: LocalId) {
        if let (Some(left), Some(right)) = (self.root(left), self.root(right)) {
            let (low, high) = (left.min(right), left.max(right));
            self.parent[high] = low as u32;
        }
    }
}
