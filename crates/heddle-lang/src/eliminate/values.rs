//! What is known of the locals of a body, and so of what can stop a run.
//!
//! A check may only be moved in front of code, or be dropped in favour of a later one, if that code
//! cannot stop the run (a fault), leave the activation or go on forever. Two facts rule out most
//! faults: this local is always an integer; this local is always a heap array of a known length.
//! Both are found without regard to flow: from all assignments of the local in its body, and for
//! captured locals from the creating body. A parameter is an integer if all arguments passed for it
//! are.
//!
//! The length is taken from the only assignment of the local. That it comes before every use is the
//! language's scope rule: a name can be used only after its `let` in the same block or below.

use crate::eliminate::spot::Index;
use crate::eliminate::walk::{Assigned, Op, each_op};
use crate::ir::{Body, Expr, ExprKind, LocalId, Place, Proc, Program, Shared, Spawn};

/// What is known of the locals of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    integer: Vec<bool>,
    length: Vec<Option<u64>>,
}

/// For each procedure, which parameters are always integers.
pub(super) struct Parameters(Vec<Vec<bool>>);

impl Facts {
    pub(super) fn of_main(program: &Program) -> Self {
        Self::of(&program.main, &[])
    }

    pub(super) fn of_proc(program: &Program, row: usize, parameters: &Parameters) -> Self {
        let entry: Vec<_> = std::iter::zip(0.., &parameters.0[row])
            .map(|(local, &integer)| (LocalId(local), integer, None))
            .collect();
        Self::of(&program.procs[row].body, &entry)
    }

    /// Of the task that `spawn`, standing in the body these facts are of, creates.
    pub(super) fn of_task(&self, spawn: &Spawn) -> Self {
        let entry: Vec<_> = spawn
            .captures
            .iter()
            .map(|copy| (copy.to, self.is_integer(copy.from), self.length(copy.from)))
            .collect();
        Self::of(&spawn.body, &entry)
    }

    fn of(body: &Body, entry: &[(LocalId, bool, Option<u64>)]) -> Self {
        let mut assigned = Vec::new();
        each_op(&body.block, |op| {
            if let Op::Assign { local, value } = op {
                assigned.push((local, value));
            }
        });
        Self {
            integer: integers(body, entry, &assigned),
            length: lengths(body, entry, &assigned),
        }
    }

    /// A further local that is always an integer.
    pub(super) fn add_integer(&mut self) {
        self.integer.push(true);
        self.length.push(None);
    }

    pub(super) fn is_integer(&self, local: LocalId) -> bool {
        row(&self.integer, local)
    }

    /// Whether the expression's value, if it has one, is an integer.
    pub(super) fn gives_integer(&self, expr: &Expr) -> bool {
        gives_integer(&self.integer, expr)
    }

    pub(super) fn length(&self, local: LocalId) -> Option<u64> {
        self.length.get(local.0 as usize).copied().flatten()
    }

    /// The number of elements of the array that `place` is in, where it is known.
    pub(super) fn length_at(&self, place: &Place, shared: &[Shared]) -> Option<u64> {
        match place {
            Place::Scalar(_) => Some(1),
            Place::Element { array, .. } => Some(shared.get(array.0 as usize)?.len),
            Place::Heap { handle, .. } => self.length(*handle),
        }
    }

    /// Whether what comes after `op` may never run. Barriers aside, which end the strand anyway.
    pub(super) fn may_stop(&self, op: Op<'_>, shared: &[Shared]) -> bool {
        match op {
            Op::Access { place, .. } | Op::Aim(place) => !self.surely_exists(place, shared),
            Op::Integer(expr) => !self.gives_integer(expr),
            Op::Divisor(expr) => matches!(expr.kind, ExprKind::Int(0)) || !is_constant(expr),
            Op::Allocate | Op::Call { .. } | Op::Return(_) => true,
            _ => false,
        }
    }

    fn surely_exists(&self, place: &Place, shared: &[Shared]) -> bool {
        let (Place::Element { index, .. } | Place::Heap { index, .. }) = place else {
            return true;
        };
        match (self.length_at(place, shared), Index::of(&index.kind)) {
            (Some(len), Some(Index::Constant(index))) => is_below(index, len),
            _ => false,
        }
    }
}

/// Whether `index` is one of an array of `len` elements.
pub(super) fn is_below(index: i64, len: u64) -> bool {
    u64::try_from(index).is_ok_and(|index| index < len)
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Int(_))
}

fn row(integer: &[bool], local: LocalId) -> bool {
    integer.get(local.0 as usize).copied().unwrap_or(false)
}

fn gives_integer(integer: &[bool], expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(local) => row(integer, *local),
        ExprKind::Get(_) | ExprKind::Call { .. } | ExprKind::New(_) => false,
        ExprKind::Int(_)
        | ExprKind::Load { .. }
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::And(..)
        | ExprKind::Or(..) => true,
    }
}

/// Starts from "all are integers" (as they are at entry) and takes back until nothing changes.
fn integers(
    body: &Body,
    entry: &[(LocalId, bool, Option<u64>)],
    assigned: &[(LocalId, Assigned<'_>)],
) -> Vec<bool> {
    let mut integer = vec![true; body.locals as usize];
    for (local, known, _) in entry {
        set(&mut integer, *local, *known);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(local, value) in assigned {
            if row(&integer, local) && !stays_integer(&integer, value) {
                set(&mut integer, local, false);
                changed = true;
            }
        }
    }
    integer
}

fn stays_integer(integer: &[bool], value: Assigned<'_>) -> bool {
    match value {
        Assigned::Value(expr) => gives_integer(integer, expr),
        Assigned::Counter => true,
        Assigned::Task => false,
    }
}

fn lengths(
    body: &Body,
    entry: &[(LocalId, bool, Option<u64>)],
    assigned: &[(LocalId, Assigned<'_>)],
) -> Vec<Option<u64>> {
    let mut length = vec![None; body.locals as usize];
    let mut times = vec![0usize; body.locals as usize];
    let arrays = assigned
        .iter()
        .map(|(local, value)| (*local, new_length(*value)));
    let captured = entry.iter().map(|(local, _, len)| (*local, *len));
    for (local, len) in captured.chain(arrays) {
        if let Some(count) = times.get_mut(local.0 as usize) {
            *count += 1;
            set(&mut length, local, len.filter(|_| *count == 1));
        }
    }
    length
}

fn new_length(value: Assigned<'_>) -> Option<u64> {
    let Assigned::Value(expr) = value else {
        return None;
    };
    match &expr.kind {
        ExprKind::New(len) => match len.kind {
            ExprKind::Int(len) => u64::try_from(len).ok(),
            _ => None,
        },
        _ => None,
    }
}

fn set<T>(rows: &mut [T], local: LocalId, value: T) {
    if let Some(row) = rows.get_mut(local.0 as usize) {
        *row = value;
    }
}

impl Parameters {
    /// Starts from "all are integers" and takes back; a procedure is looked at again when its own
    /// parameters changed.
    pub(super) fn of(program: &Program) -> Self {
        let all = |proc: &Proc| vec![true; proc.params as usize];
        let mut parameters = Self(program.procs.iter().map(all).collect());
        let mut wrong = Vec::new();
        others_passed(&program.main, &Facts::of_main(program), &mut wrong);
        let mut open: Vec<usize> = (0..program.procs.len()).collect();
        open.extend(parameters.take_back(&mut wrong));
        while let Some(row) = open.pop() {
            let facts = Facts::of_proc(program, row, &parameters);
            others_passed(&program.procs[row].body, &facts, &mut wrong);
            open.extend(parameters.take_back(&mut wrong));
        }
        parameters
    }

    /// Returns the procedures of which a parameter is no longer known to be an integer.
    fn take_back(&mut self, wrong: &mut Vec<(usize, usize)>) -> Vec<usize> {
        let mut changed = Vec::new();
        for (row, param) in wrong.drain(..) {
            let known = self.0.get_mut(row).and_then(|row| row.get_mut(param));
            if known.is_some_and(std::mem::take) {
                changed.push(row);
            }
        }
        changed
    }
}

/// Collects procedure and position of every argument that may be something else than an integer.
fn others_passed(body: &Body, facts: &Facts, wrong: &mut Vec<(usize, usize)>) {
    each_op(&body.block, |op| match op {
        Op::Call { proc, args } => wrong.extend(
            args.iter()
                .enumerate()
                .filter(|(_, arg)| !facts.gives_integer(arg))
                .map(|(param, _)| (proc.0 as usize, param)),
        ),
        Op::Spawn(spawn) => others_passed(&spawn.body, &facts.of_task(spawn), wrong),
        _ => {}
    });
}
