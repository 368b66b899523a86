//! How small cut programs and formulas are drawn.
//!
//! Small enough that all schedules can be tried, large enough for cycles through three threads; a
//! test holds the weights to that.

use proptest::strategy::Strategy;

use super::formula::{Clause, Formula, Literal};
use super::model::{Access, Atomization, Thread};
use super::tree::{CutProgram, Item, Style};
use crate::draw::{Dice, drawn};

/// How deep tasks nest.
const DEPTH: u32 = 2;

/// Cut programs of the language.
pub fn cut_program() -> impl Strategy<Value = CutProgram> {
    drawn(|dice| {
        let steps = 2 + dice.below(4);
        CutProgram {
            style: dice.weighted(&[(1, Style::Cilk), (1, Style::Finish)]),
            variables: 1 + dice.small(3),
            main: (0..steps).map(|_| item(dice, DEPTH)).collect(),
        }
    })
}

fn item(dice: &mut Dice, depth: u32) -> Item {
    let nested = if depth == 0 { 0 } else { 3 };
    type Choice = (u32, fn(&mut Dice, u32) -> Item);
    let choices: [Choice; 8] = [
        (3, |dice, _| Item::Read(dice.small(3))),
        (3, |dice, _| Item::Write(dice.small(3))),
        (1, |dice, _| Item::Update(dice.small(3))),
        (4, |_, _| Item::Cut),
        (1, |dice, _| Item::Wait(dice.byte())),
        (3 * nested, |dice, depth| Item::Task(items(dice, depth))),
        (nested / 3, |dice, depth| Item::Finish(items(dice, depth))),
        (nested / 3, |dice, depth| Item::Future(items(dice, depth))),
    ];
    dice.weighted(&choices)(dice, depth)
}

fn items(dice: &mut Dice, depth: u32) -> Vec<Item> {
    let steps = 1 + dice.below(4);
    (0..steps).map(|_| item(dice, depth - 1)).collect()
}

/// Explicit models: any directed acyclic graph of threads.
pub fn atomization() -> impl Strategy<Value = Atomization> {
    drawn(|dice| {
        let (threads, cells) = (2 + dice.below(3), 1 + dice.below(3));
        let mut program = Atomization::default();
        for n in 0..threads {
            let before: Vec<Thread> = (0..n as usize)
                .filter(|_| dice.once_in(4))
                .map(Thread)
                .collect();
            let transactions = 1 + dice.below(3);
            let transactions = (0..transactions).map(|_| accesses(dice, cells));
            program.add(transactions.collect(), &before);
        }
        program.without_empty()
    })
}

fn accesses(dice: &mut Dice, cells: u32) -> Vec<Access> {
    let accesses = 1 + dice.below(2);
    let access = |dice: &mut Dice| match dice.once_in(2) {
        true => Access::read(dice.below(cells)),
        false => Access::write(dice.below(cells)),
    };
    (0..accesses).map(|_| access(dice)).collect()
}

/// Formulas with up to so many variables and clauses.
pub fn formula(variables: u32, clauses: u32) -> impl Strategy<Value = Formula> {
    drawn(move |dice| {
        let variables = 1 + dice.below(variables);
        let clauses = 1 + dice.below(clauses);
        let literal = |dice: &mut Dice| Literal {
            variable: dice.below(variables) as u8,
            is_negated: dice.once_in(2),
        };
        Formula {
            clauses: (0..clauses)
                .map(|_| Clause([literal(dice), literal(dice), literal(dice)]))
                .collect(),
        }
    })
}
