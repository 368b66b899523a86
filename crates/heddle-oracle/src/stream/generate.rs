//! Runs of a given size: so many tasks, so many accesses, like the trace generator of Yoga and Nagarakatte.

use super::script::{Block, Layout, Schedule, Script, Span, Step, Stop};
use crate::draw::Dice;

/// How large a generated run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Tasks, the main task not counted.
    pub tasks: u32,
    /// Accesses, all to two atomic locations.
    pub accesses: u32,
}

/// A run of this size, its tasks interleaved.
pub fn generated(size: Size, dice: &mut Dice) -> Script {
    let mut bodies: Vec<Vec<Step>> = vec![Vec::new(); size.tasks as usize + 1];
    for _ in 0..size.accesses {
        let body = dice.below(size.tasks + 1) as usize;
        bodies[body].push(access(dice));
    }
    // Children have larger numbers than their parents, so that a body is whole when it is put in its place.
    for task in (1..bodies.len()).rev() {
        let body = std::mem::take(&mut bodies[task]);
        let parent = &mut bodies[dice.below(task as u32) as usize];
        let at = dice.below(parent.len() as u32 + 1) as usize;
        parent.insert(at, spawned(body, dice));
    }
    let choices = dice.below(40);
    Script {
        main: std::mem::take(&mut bodies[0]),
        atomics: vec![(Span { start: 0, len: 2 }, dice.once_in(4).then_some(0))],
        schedule: Schedule::Interleaved((0..choices).map(|_| dice.small(6)).collect()),
        stop: Stop::Never,
        layout: Layout::Low,
        sites: 1000,
    }
}

fn spawned(body: Vec<Step>, dice: &mut Dice) -> Step {
    let task = Step::Block(Block::Async, body);
    match dice.once_in(4) {
        true => Step::Block(Block::Finish, vec![task]),
        false => task,
    }
}

fn access(dice: &mut Dice) -> Step {
    let span = Span {
        start: dice.small(2),
        len: 1,
    };
    let access = match dice.once_in(2) {
        true => Step::Read(span),
        false => Step::Write(span),
    };
    match dice.once_in(3) {
        true => Step::Block(Block::With(dice.small(2)), vec![access]),
        false => access,
    }
}
