//! How random scripts are drawn.
//!
//! Few locations, locks and tokens, so that accesses collide and sections meet.

use proptest::strategy::Strategy;

use super::script::{Block, FLAG, Layout, Schedule, Script, Span, Step, Stop};
use super::{Class, Mode};
use crate::draw::{Dice, drawn};

/// How deep blocks nest.
const DEPTH: u32 = 5;
/// How many steps a block has, at most. Larger scripts are slower, not better.
const WIDTH: u32 = 3;
/// How deep the few chains of blocks nest, at most.
const CHAIN: u32 = 80;

/// Scripts of a class, to run in a mode.
pub fn script(class: Class, mode: Mode) -> impl Strategy<Value = Script> {
    let choices = Choices::of(class);
    drawn(move |dice| choices.script(mode, dice))
}

/// Scripts of a class in which some locations are atomic, to run in a mode.
pub fn atomic_script(class: Class, mode: Mode) -> impl Strategy<Value = Script> {
    let choices = Choices::atomic(class);
    drawn(move |dice| Script {
        atomics: atomics(dice),
        ..choices.script(mode, dice)
    })
}

/// The first locations, by themselves or in groups; sometimes a part of them.
fn atomics(dice: &mut Dice) -> Vec<(Span, Option<u8>)> {
    let one = |start| Span { start, len: 1 };
    match dice.below(5) {
        0 => vec![(Span { start: 0, len: 3 }, None)],
        1 => vec![(one(0), None), (one(1), Some(0)), (one(2), Some(0))],
        2 => vec![(Span { start: 0, len: 2 }, Some(0)), (one(2), Some(1))],
        3 => vec![(one(dice.small(3)), None)],
        _ => vec![(one(0), Some(0)), (one(1), None), (one(2), Some(0))],
    }
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

    /// The same, with accesses that come in pairs and with atomic blocks.
    fn atomic(class: Class) -> Self {
        let mut choices = Self::of(class);
        choices.leaves.push((12, pair));
        choices.blocks.push((2, |_| Block::Atomic));
        if class.features().locks {
            choices.leaves.push((8, |dice| {
                let lock = section(dice);
                sections(dice, lock)
            }));
        }
        if class.features().isolated {
            choices
                .leaves
                .push((4, |dice| sections(dice, Block::Isolated)));
        }
        choices
    }

    fn script(&self, mode: Mode, dice: &mut Dice) -> Script {
        let main = 1 + dice.below(3 * WIDTH);
        let mut main: Vec<Step> = (0..main).map(|_| self.step(dice, DEPTH)).collect();
        if dice.once_in(50) {
            let depth = dice.below(CHAIN);
            main.push(self.chain(dice, depth));
        }
        Script {
            main,
            atomics: Vec::new(),
            schedule: schedule(mode, dice),
            layout: layout(dice),
            stop: match dice.once_in(20) {
                true => Stop::Fault(1 + dice.below(60)),
                false => Stop::Never,
            },
            sites: match dice.once_in(5) {
                true => 1 + dice.below(3),
                false => 1000,
            },
        }
    }

    fn step(&self, dice: &mut Dice, depth: u32) -> Step {
        if depth == 0 || dice.below(5) < 2 {
            return self.leaf(dice);
        }
        let block = dice.weighted(&self.blocks)(dice);
        let steps = dice.below(WIDTH + 1);
        let inside = (0..steps).map(|_| self.step(dice, depth - 1));
        Step::Block(block, inside.collect())
    }

    /// A block in a block in a block, with something to do before and after each.
    fn chain(&self, dice: &mut Dice, depth: u32) -> Step {
        let mut step = self.leaf(dice);
        for _ in 0..depth {
            let block = dice.weighted(&self.blocks)(dice);
            step = Step::Block(block, vec![self.leaf(dice), step, self.leaf(dice)]);
        }
        step
    }

    fn leaf(&self, dice: &mut Dice) -> Step {
        dice.weighted(&self.leaves)(dice)
    }
}

/// Now and then where a table of pages, or a number cut to 32 bits, would show.
fn layout(dice: &mut Dice) -> Layout {
    let bases = [4094, (1 << 16) - 2, (1 << 32) - 2, 1 << 63, u64::MAX - 300];
    match dice.once_in(4) {
        true => Layout::From(bases[dice.below(5) as usize]),
        false => Layout::Low,
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
        choices.push((1, |dice| Step::Share(dice.small(2))));
        choices.push((2, |dice| Step::Release(dice.small(2))));
        choices.push((8, |dice| {
            let lock = section(dice);
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
        choices.push((6, section));
    }
    choices
}

/// A section of some lock; of some it is a reader's.
fn section(dice: &mut Dice) -> Block {
    let lock = dice.small(2);
    match dice.once_in(3) {
        true => Block::Sharing(lock),
        false => Block::With(lock),
    }
}

/// Two accesses to one location.
fn pair(dice: &mut Dice) -> Step {
    let at = dice.small(3);
    let steps = vec![access(dice, at), access(dice, at)];
    Step::Block(Block::Plain, steps)
}

/// Two accesses to one location, in a section each.
fn sections(dice: &mut Dice, section: Block) -> Step {
    let at = dice.small(3);
    let sections = (0..2).map(|_| Step::Block(section, vec![access(dice, at)]));
    Step::Block(Block::Plain, sections.collect())
}

fn access(dice: &mut Dice, start: u8) -> Step {
    let span = Span { start, len: 1 };
    match dice.once_in(2) {
        true => Step::Read(span),
        false => Step::Write(span),
    }
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
    let len = dice.weighted(&[(160, 1), (20, 2), (10, 3), (8, 0), (1, 200)]);
    Span {
        start: dice.small(3),
        len,
    }
}
