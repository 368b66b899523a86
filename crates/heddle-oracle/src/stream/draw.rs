//! How random scripts are drawn.
//!
//! Few locations, locks and tokens, so that accesses collide and sections meet.

use proptest::strategy::Strategy;

use super::script::{Block, Schedule, Script, Span, Step, Stop};
use super::{Class, Mode};
use crate::draw::{Dice, drawn};

/// How deep blocks nest.
const DEPTH: u32 = 5;
/// How many steps a block has, at most. Larger scripts are slower, not better.
const WIDTH: u32 = 3;
/// The location messages are about.
const FLAG: u8 = 5;

/// Scripts of a class, to run in a mode.
pub fn script(class: Class, mode: Mode) -> impl Strategy<Value = Script> {
    let choices = Choices::of(class);
    drawn(move |dice| choices.script(mode, dice))
}

type Leaf = fn(&mut Dice) -> Step;
type Around = fn(&mut Dice) -> Block;

/// What a class may use, with weights.
struct Choices {
    leaves: Vec<(u32, Leaf)>,
    blocks: Vec<(u32, Around)>,
}

impl Choices {
    fn of(class: Class) -> Self {
        Self {
            leaves: leaves(class),
            blocks: blocks(class),
        }
    }

    fn script(&self, mode: Mode, dice: &mut Dice) -> Script {
        let main = 1 + dice.below(3 * WIDTH);
        Script {
            main: (0..main).map(|_| self.step(dice, DEPTH)).collect(),
            schedule: schedule(mode, dice),
            stop: if dice.once_in(20) {
                Stop::Fault(1 + dice.below(60))
            } else {
                Stop::Never
            },
            sites: if dice.once_in(5) {
                1 + dice.below(3)
            } else {
                1000
            },
        }
    }

    fn step(&self, dice: &mut Dice, depth: u32) -> Step {
        if depth == 0 || dice.below(5) < 2 {
            return dice.weighted(&self.leaves)(dice);
        }
        let block = dice.weighted(&self.blocks)(dice);
        let steps = dice.below(WIDTH + 1);
        Step::Block(
            block,
            (0..steps).map(|_| self.step(dice, depth - 1)).collect(),
        )
    }
}

fn schedule(mode: Mode, dice: &mut Dice) -> Schedule {
    match mode {
        Mode::Serial => Schedule::Serial,
        Mode::Interleaved => {
            let choices = dice.below(40);
            Schedule::Interleaved((0..choices).map(|_| dice.small(6)).collect())
        }
    }
}

fn leaves(class: Class) -> Vec<(u32, Leaf)> {
    let features = class.features();
    let mut choices: Vec<(u32, Leaf)> = vec![
        (12, |dice| Step::Read(span(dice))),
        (10, |dice| Step::Write(span(dice))),
        (1, |dice| Step::Alloc(span(dice))),
        (1, |dice| Step::Free(span(dice))),
    ];
    if features.extra_edges {
        choices.push((4, |dice| Step::Join(dice.byte())));
        choices.push((3, |dice| Step::Signal(dice.small(2))));
        choices.push((3, |dice| Step::Wait(dice.small(2))));
    }
    if features.locks {
        choices.push((2, |dice| Step::Acquire(dice.small(2))));
        choices.push((2, |dice| Step::Release(dice.small(2))));
        choices.push((8, |dice| {
            let lock = Block::With(dice.small(2));
            message(dice, lock)
        }));
    }
    if features.isolated {
        choices.push((8, |dice| message(dice, Block::Isolated)));
    }
    choices
}

fn blocks(class: Class) -> Vec<(u32, Around)> {
    let features = class.features();
    let mut choices: Vec<(u32, Around)> = vec![
        (1, |_| Block::Plain),
        (4, |_| Block::Finish),
        (7, |_| Block::Async),
    ];
    if features.scope_handles {
        choices.push((7, |dice| Block::Escaping(dice.small(4))));
    }
    if features.extra_edges {
        choices.push((3, |dice| Block::After(dice.small(2))));
    }
    if features.isolated {
        choices.push((4, |_| Block::Isolated));
    }
    if features.locks {
        choices.push((6, |dice| Block::With(dice.small(2))));
    }
    choices
}

/// One half of a hand-off: an access, then a section that writes the location kept for that, or
/// a section that reads it, then an access.
fn message(dice: &mut Dice, section: Block) -> Step {
    let flag = Span {
        start: FLAG,
        len: 1,
    };
    let access = match dice.once_in(2) {
        true => Step::Read(span(dice)),
        false => Step::Write(span(dice)),
    };
    let steps = match dice.once_in(2) {
        true => vec![access, Step::Block(section, vec![Step::Write(flag)])],
        false => vec![Step::Block(section, vec![Step::Read(flag)]), access],
    };
    Step::Block(Block::Plain, steps)
}

fn span(dice: &mut Dice) -> Span {
    let len = dice.weighted(&[(16, 1), (2, 2), (1, 3), (1, 0)]);
    Span {
        start: dice.small(3),
        len,
    }
}
