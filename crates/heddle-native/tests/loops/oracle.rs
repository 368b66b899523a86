//! What a loop touches, found by going through it step by step: slow, and obviously right.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{
    Action, Base, Call, Element, Exit, Function, Guard, Kind, LAST, Lock, MARKS, Shape,
};

/// A byte of an array.
pub type Byte = (Element, i64);

/// Who touches what: the statements, and how.
pub type Touched = BTreeMap<Byte, BTreeSet<(usize, Kind)>>;

/// What a call touches.
pub fn touched(function: &Function, call: &Call) -> Touched {
    let mut touched = Touched::new();
    for (place, index) in accesses(function, call) {
        let element = function.element(place.base);
        let base = match place.base {
            Base::P => call.p,
            Base::Q => call.q,
        };
        let first = (base + index) * element.size();
        for byte in first..first + element.size() {
            let who = touched.entry((element, byte)).or_default();
            who.insert((place.statement, place.kind));
        }
    }
    touched
}

/// The lowest and the highest index that a call uses with a pointer.
pub fn span(function: &Function, call: &Call, base: Base) -> Option<(i64, i64)> {
    let accesses = accesses(function, call);
    let own = accesses.iter().filter(|(place, _)| place.base == base);
    let indices: Vec<i64> = own.map(|(_, index)| *index).collect();
    Some((*indices.iter().min()?, *indices.iter().max()?))
}

/// The bytes on which two parallel calls race.
pub fn racy(left: (&Function, &Touched), right: (&Function, &Touched)) -> BTreeSet<Byte> {
    if left.0.lock == Lock::Held && right.0.lock == Lock::Held {
        return BTreeSet::new();
    }
    let writes = |who: &BTreeSet<(usize, Kind)>| who.iter().any(|(_, kind)| *kind == Kind::Write);
    let both = left.1.iter().filter_map(|(byte, mine)| {
        let other = right.1.get(byte)?;
        (writes(mine) || writes(other)).then_some(*byte)
    });
    both.collect()
}

/// One access: by which statement, through which pointer, how.
struct Access {
    statement: usize,
    base: Base,
    kind: Kind,
}

/// All accesses of a call with their indices.
fn accesses(function: &Function, call: &Call) -> Vec<(Access, i64)> {
    let mut all = Vec::new();
    for run in runs(function.shape, call.from, call.to) {
        for i in run {
            if !iteration(function, call.from, i, &mut all) {
                break;
            }
        }
    }
    all
}

/// One iteration; whether the loop goes on.
fn iteration(function: &Function, from: i64, i: i64, all: &mut Vec<(Access, i64)>) -> bool {
    for (at, statement) in function.statements.iter().enumerate() {
        if at == function.exit_before && leaves(function.exit, from, i) {
            return false;
        }
        if holds(statement.guard, i) {
            act(at, statement.action, i, all);
        }
    }
    true
}

fn act(statement: usize, action: Action, i: i64, all: &mut Vec<(Access, i64)>) {
    all.extend(action.all().map(|(place, kind)| {
        let access = Access {
            statement,
            base: place.base,
            kind,
        };
        (access, place.stride * i + place.offset)
    }));
}

fn leaves(exit: Exit, from: i64, i: i64) -> bool {
    match exit {
        Exit::Never => false,
        Exit::After(count) => i == from + count,
        Exit::AtTheLastMark => mark(i) == LAST,
    }
}

fn holds(guard: Guard, i: i64) -> bool {
    match guard {
        Guard::Always => true,
        Guard::Marked(wanted) => mark(i) == wanted,
        Guard::Fourth(rest) => i & 3 == rest,
    }
}

fn mark(i: i64) -> u8 {
    MARKS[(i & 31) as usize]
}

/// The indices of each run of the innermost loop.
fn runs(shape: Shape, from: i64, to: i64) -> Vec<Vec<i64>> {
    let stepped = |end: i64, step: i64| (from..end).step_by(step as usize).collect();
    let row = |r: i64, width: i64, pitch: i64| (0..width).map(|j| from + r * pitch + j).collect();
    match shape {
        Shape::Below { step } => vec![stepped(to, step)],
        Shape::UpTo { step } => vec![stepped(to + 1, step)],
        Shape::Until | Shape::Pointer => vec![stepped(to, 1)],
        Shape::Down { step } => {
            let steps = (0..).map(|count| to - count * step);
            vec![steps.take_while(|i| *i > from).collect()]
        }
        Shape::AtLeastOnce | Shape::Jumps => vec![stepped(to.max(from + 1), 1)],
        Shape::Drain => vec![(from..to).rev().collect()],
        Shape::Rows { width, pitch } => (0..to - from).map(|r| row(r, width, pitch)).collect(),
        Shape::Triangle { pitch } => (0..to - from).map(|r| row(r, r + 1, pitch)).collect(),
    }
}
