//! How random scripts are drawn.
//!
//! Few locations, locks and tokens, so that accesses collide and sections meet. Simple choices
//! come first in every union: proptest shrinks towards them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::script::{Block, Schedule, Script, Span, Step, Stop};
use super::{Class, Mode};

const DEPTH: u32 = 5;
const SIZE: u32 = 40;
const WIDTH: usize = 5;
/// The location messages are about.
const FLAG: u8 = 5;

/// Scripts of a class, to run in a mode.
pub fn script(class: Class, mode: Mode) -> impl Strategy<Value = Script> {
    let main = vec(step(class), 1..=2 * WIDTH);
    (main, schedule(mode), stop(), sites()).prop_map(|(main, schedule, stop, sites)| Script {
        main,
        schedule,
        stop,
        sites,
    })
}

fn schedule(mode: Mode) -> BoxedStrategy<Schedule> {
    match mode {
        Mode::Serial => Just(Schedule::Serial).boxed(),
        Mode::Interleaved => vec(0..6u8, 0..40).prop_map(Schedule::Interleaved).boxed(),
    }
}

fn stop() -> impl Strategy<Value = Stop> {
    prop_oneof![
        19 => Just(Stop::Never),
        1 => (1..60usize).prop_map(Stop::Fault),
    ]
}

fn sites() -> impl Strategy<Value = u32> {
    prop_oneof![4 => Just(1000u32), 1 => 1..4u32]
}

fn step(class: Class) -> impl Strategy<Value = Step> {
    leaf(class).prop_recursive(DEPTH, SIZE, WIDTH as u32, move |inner| {
        let block = (block(class), vec(inner, 0..=WIDTH));
        Union::new_weighted(vec![
            (2, leaf(class).boxed()),
            (
                3,
                block
                    .prop_map(|(block, steps)| Step::Block(block, steps))
                    .boxed(),
            ),
        ])
    })
}

/// One half of a hand-off: an access, then a section that writes the location kept for that, or
/// a section that reads it, then an access.
fn message(class: Class) -> impl Strategy<Value = Step> {
    let access = prop_oneof![span().prop_map(Step::Read), span().prop_map(Step::Write)];
    let flag = Span {
        start: FLAG,
        len: 1,
    };
    (any::<bool>(), section(class), access).prop_map(move |(sends, section, access)| {
        let steps = match sends {
            true => vec![access, Step::Block(section, vec![Step::Write(flag)])],
            false => vec![Step::Block(section, vec![Step::Read(flag)]), access],
        };
        Step::Block(Block::Plain, steps)
    })
}

fn section(class: Class) -> impl Strategy<Value = Block> {
    let locks = if class.features().locks {
        0..3u8
    } else {
        0..1u8
    };
    locks.prop_map(|lock| lock.checked_sub(1).map_or(Block::Isolated, Block::With))
}

fn leaf(class: Class) -> Union<BoxedStrategy<Step>> {
    let features = class.features();
    let mut choices = vec![
        (12, span().prop_map(Step::Read).boxed()),
        (10, span().prop_map(Step::Write).boxed()),
        (1, span().prop_map(Step::Alloc).boxed()),
        (1, span().prop_map(Step::Free).boxed()),
    ];
    if features.extra_edges {
        choices.push((4, any::<u8>().prop_map(Step::Join).boxed()));
        choices.push((3, (0..2u8).prop_map(Step::Signal).boxed()));
        choices.push((3, (0..2u8).prop_map(Step::Wait).boxed()));
    }
    if features.isolated {
        choices.push((12, message(class).boxed()));
    }
    if features.locks {
        choices.push((2, (0..2u8).prop_map(Step::Acquire).boxed()));
        choices.push((2, (0..2u8).prop_map(Step::Release).boxed()));
    }
    Union::new_weighted(choices)
}

fn block(class: Class) -> Union<BoxedStrategy<Block>> {
    let features = class.features();
    let mut choices = vec![
        (1, Just(Block::Plain).boxed()),
        (4, Just(Block::Finish).boxed()),
        (7, Just(Block::Async).boxed()),
    ];
    if features.scope_handles {
        choices.push((5, (0..4u8).prop_map(Block::Escaping).boxed()));
    }
    if features.extra_edges {
        choices.push((3, (0..2u8).prop_map(Block::After).boxed()));
    }
    if features.isolated {
        choices.push((4, Just(Block::Isolated).boxed()));
    }
    if features.locks {
        choices.push((6, (0..2u8).prop_map(Block::With).boxed()));
    }
    Union::new_weighted(choices)
}

fn span() -> impl Strategy<Value = Span> {
    let len = prop_oneof![16 => Just(1u8), 3 => 2..=3u8, 1 => Just(0u8)];
    (0..3u8, len).prop_map(|(start, len)| Span { start, len })
}
