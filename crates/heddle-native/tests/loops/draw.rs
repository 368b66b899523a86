//! Draws loops, and pairs of calls that lie side by side in memory or have an element in common.

use super::code::{
    Action, Base, Call, Counter, Element, Exit, Function, Guard, Kind, LENGTH, Lock, Place, Shape,
    Statement,
};
use super::oracle;

/// Lengths around the widths of vectors and of unrolled loops.
const LENGTHS: [i64; 20] = [
    -2, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 40, 64, 65,
];

/// Random numbers, the same for the same seed (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators").
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn within(&mut self, first: i64, last: i64) -> i64 {
        first + (self.next() % (last - first + 1).unsigned_abs()) as i64
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.next() as usize % choices.len()]
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.next().is_multiple_of(count)
    }
}

/// A function whose first pointer is to such elements.
pub fn function(dice: &mut Dice, p: Element) -> Function {
    let counter = dice.one_of(&[
        Counter::Int,
        Counter::Int,
        Counter::Long,
        Counter::Unsigned,
        Counter::Short,
    ]);
    let shape = shape(dice, counter);
    let count = dice.within(1, 3);
    let mut statements: Vec<_> = (0..count).map(|at| statement(dice, at)).collect();
    keep_copied(&mut statements);
    Function {
        p,
        q: dice.one_of(&Element::ALL),
        counter,
        shape,
        exit: exit(dice, shape),
        exit_before: dice.within(0, count - 1) as usize,
        statements,
        lock: match dice.one_in(8) {
            true => Lock::Held,
            false => Lock::Free,
        },
    }
}

fn shape(dice: &mut Dice, counter: Counter) -> Shape {
    let step = dice.one_of(&[1, 1, 1, 2, 3]);
    // What counts down by more would jump over zero.
    let down = match counter {
        Counter::Unsigned => 1,
        _ => step,
    };
    let width = dice.within(2, 7);
    let pitch = dice.within(width, 12);
    dice.one_of(&[
        Shape::Below { step },
        Shape::Below { step: 1 },
        Shape::Below { step: 1 },
        Shape::UpTo { step },
        Shape::Until,
        Shape::Down { step: down },
        Shape::Down { step: 1 },
        Shape::AtLeastOnce,
        Shape::Jumps,
        Shape::Pointer,
        Shape::Pointer,
        Shape::Drain,
        Shape::Rows { width, pitch },
        Shape::Triangle { pitch },
    ])
}

fn exit(dice: &mut Dice, shape: Shape) -> Exit {
    match shape {
        Shape::Jumps => Exit::Never,
        _ if dice.one_in(6) => match dice.one_in(2) {
            true => Exit::AtTheLastMark,
            false => Exit::After(dice.within(0, 20)),
        },
        _ => Exit::Never,
    }
}

fn statement(dice: &mut Dice, at: i64) -> Statement {
    let guard = match dice.within(0, 11) {
        0 => Guard::Marked(dice.one_of(&[0, 1, 2])),
        1 => Guard::Fourth(dice.within(0, 3)),
        _ => Guard::Always,
    };
    // The first statement uses the first pointer.
    let base = match at > 0 && dice.one_in(3) {
        true => Base::Q,
        false => Base::P,
    };
    let (here, there) = (place(dice, base), dice.one_of(&[Base::P, Base::Q]));
    let action = match dice.within(0, 9) {
        0..=1 => Action::Read(here),
        2..=4 => Action::Write(here),
        5 => Action::Clear(here),
        6..=7 => Action::Update(here),
        // Of copies that overwrite each other, compilers make the last.
        _ if here.stride == 0 => Action::Update(here),
        _ => Action::Copy {
            to: here,
            from: place(dice, there),
        },
    };
    Statement { guard, action }
}

/// Lets nothing else write through the pointer that the first copy writes through: what is only copied to be
/// overwritten, compilers do not even read.
fn keep_copied(statements: &mut [Statement]) {
    let written = |action: Action| {
        let mut all = action.all().filter(|(_, kind)| *kind == Kind::Write);
        all.next().map(|(place, _)| place)
    };
    let is_copy = |one: &Statement| matches!(one.action, Action::Copy { .. });
    let Some(copy) = statements.iter().position(is_copy) else {
        return;
    };
    let base = written(statements[copy].action).map(|place| place.base);
    for (at, statement) in statements.iter_mut().enumerate() {
        match written(statement.action) {
            Some(place) if at != copy && base == Some(place.base) => {
                statement.action = Action::Read(place);
            }
            _ => {}
        }
    }
}

fn place(dice: &mut Dice, base: Base) -> Place {
    Place {
        base,
        stride: dice.one_of(&[1, 1, 1, 1, 1, 1, -1, -1, 2, 3, 0]),
        offset: dice.one_of(&[0, 0, 0, 0, 1, 1, 2, 3, -1]),
    }
}

/// Calls of two functions; none if they have no kind of array in common.
pub fn pair(dice: &mut Dice, functions: &[Function], pair: [usize; 2]) -> Option<[Call; 2]> {
    let [left, right] = pair.map(|number| &functions[number]);
    let both = [Base::P, Base::Q];
    let all = both.iter().flat_map(|one| both.map(|other| (*one, other)));
    let shared = all.filter(|(one, other)| left.element(*one) == right.element(*other));
    let shared: Vec<_> = shared.collect();
    if shared.is_empty() {
        return None;
    }
    let mut calls = pair.map(|number| call(dice, functions, number));
    let (one, other) = dice.one_of(&shared);
    let neighbours = oracle::span(left, &calls[0], one)
        .zip(oracle::span(right, &calls[1], other))
        .map(|spans| beside(dice, *pointer(&mut calls[0], one), spans));
    let legal = legal(right, &calls[1], other);
    if let Some(at) = neighbours.filter(|at| legal.0 <= *at && *at <= legal.1) {
        *pointer(&mut calls[1], other) = at;
    }
    Some(calls)
}

/// Where the second pointer must be so that what it spans begins or ends at an edge of what the first does.
fn beside(dice: &mut Dice, first: i64, (one, other): ((i64, i64), (i64, i64))) -> i64 {
    let (low, high) = (first + one.0, first + one.1);
    match dice.within(0, 9) {
        0..=1 => high + 1 - other.0,
        2..=4 => high - other.0,
        5 => low - 1 - other.1,
        6..=7 => low - other.1,
        8 => low - other.0,
        _ => dice.within(low, high) - other.0,
    }
}

fn call(dice: &mut Dice, functions: &[Function], number: usize) -> Call {
    let function = &functions[number];
    let lowest = match function.counter {
        Counter::Unsigned => 0,
        _ => -3,
    };
    let from = dice.within(lowest, 3);
    let length = dice.one_of(&LENGTHS);
    let length = match function.shape {
        Shape::Rows { .. } | Shape::Triangle { .. } => length.clamp(0, 9),
        Shape::Below { .. } | Shape::UpTo { .. } if function.counter != Counter::Unsigned => length,
        _ => length.max(0),
    };
    let mut call = Call {
        function: number,
        p: 0,
        q: 0,
        from,
        to: from + length,
    };
    for base in [Base::P, Base::Q] {
        let (first, last) = legal(function, &call, base);
        *pointer(&mut call, base) = dice.within(first, last);
    }
    call
}

/// Where in its array a pointer may point to so that no index is out of bounds.
fn legal(function: &Function, call: &Call, base: Base) -> (i64, i64) {
    let (low, high) = oracle::span(function, call, base).unwrap_or((0, 0));
    ((-low).max(0), LENGTH - 1 - high.max(0))
}

fn pointer(call: &mut Call, base: Base) -> &mut i64 {
    match base {
        Base::P => &mut call.p,
        Base::Q => &mut call.q,
    }
}
