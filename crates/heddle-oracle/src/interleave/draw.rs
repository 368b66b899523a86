//! How small programs are drawn: mostly sections, so that schedules differ.

use proptest::strategy::Strategy;

use super::tree::{Stmt, Tree};
use crate::draw::{Dice, drawn};

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// Tasks, finishes and isolated.
    Isolated,
    /// And locks.
    Locks,
    /// And futures, regions, events.
    All,
}

/// How many tasks and statements at most: all interleavings are tried.
const TASKS: u32 = 4;
const STMTS: u32 = 14;

/// Programs of a flavour.
pub fn tree(flavour: Flavour) -> impl Strategy<Value = Tree> {
    drawn(move |dice| {
        let mut drawer = Drawer {
            flavour,
            tasks: 2 + dice.below(TASKS - 1),
            stmts: 6 + dice.below(STMTS - 5),
            discipline: dice.below(4),
        };
        Tree(drawer.main(dice))
    })
}

struct Drawer {
    flavour: Flavour,
    /// What may still be drawn.
    tasks: u32,
    stmts: u32,
    /// How rare accesses outside of sections are.
    discipline: u32,
}

impl Drawer {
    fn main(&mut self, dice: &mut Dice) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        while self.tasks > 0 || self.stmts > 0 && stmts.len() < 5 {
            stmts.push(self.stmt(dice, 3, false));
        }
        if dice.once_in(3) {
            let body = std::mem::take(&mut stmts);
            stmts.push(Stmt::Finish(body));
            stmts.push(Stmt::Read(0, dice.byte()));
            stmts.push(Stmt::Assert(0, dice.byte()));
        }
        stmts
    }

    fn block(&mut self, dice: &mut Dice, depth: u32, inside: bool) -> Vec<Stmt> {
        let len = 1 + dice.below(3);
        (0..len)
            .map(|_| self.stmt(dice, depth.saturating_sub(1), inside))
            .collect()
    }

    fn stmt(&mut self, dice: &mut Dice, depth: u32, inside: bool) -> Stmt {
        self.stmts = self.stmts.saturating_sub(1);
        if depth > 0 && self.tasks > 0 && dice.once_in(2) && (!inside || dice.once_in(4)) {
            self.tasks -= 1;
            return self.creation(dice, depth);
        }
        match dice.below(12) {
            0..5 if depth > 0 && self.stmts > 0 => self.section(dice, depth),
            5 | 6 if self.stmts > 0 => Stmt::If(
                dice.byte(),
                dice.byte(),
                self.block(dice, depth, inside),
                match dice.once_in(3) {
                    true => self.block(dice, depth, inside),
                    false => Vec::new(),
                },
            ),
            7 if self.flavour == Flavour::All => self.operation(dice),
            8 if dice.once_in(2) => Stmt::Assert(dice.byte(), dice.byte()),
            9 if depth > 0 => Stmt::Finish(self.block(dice, depth, inside)),
            _ if inside || self.discipline == 0 || dice.once_in(self.discipline) => access(dice),
            _ => self.section(dice, 1),
        }
    }

    fn section(&mut self, dice: &mut Dice, depth: u32) -> Stmt {
        let body = self.block(dice, depth, true);
        match self.flavour {
            Flavour::Isolated => Stmt::Isolated(body),
            _ if dice.once_in(3) => Stmt::Isolated(body),
            _ => Stmt::With(dice.byte(), body),
        }
    }

    fn creation(&mut self, dice: &mut Dice, depth: u32) -> Stmt {
        let body = self.block(dice, depth, false);
        if self.flavour != Flavour::All {
            return Stmt::Async(body);
        }
        match dice.below(8) {
            0 | 1 => Stmt::Future(body),
            2..5 => {
                let passing = dice.once_in(3).then(|| dice.byte());
                Stmt::Post(dice.byte() % 3 / 2, passing, body)
            }
            5 => Stmt::After(dice.byte(), body),
            _ => Stmt::Async(body),
        }
    }

    fn operation(&mut self, dice: &mut Dice) -> Stmt {
        match dice.below(6) {
            0 | 1 => Stmt::Get(dice.byte(), dice.byte()),
            2 => Stmt::Await(dice.byte() % 3 / 2),
            3 | 4 => Stmt::AwaitAny(dice.byte() % 3 / 2),
            _ => Stmt::Satisfy(dice.byte()),
        }
    }
}

fn access(dice: &mut Dice) -> Stmt {
    match dice.below(3) {
        0 => Stmt::Read(dice.byte(), dice.byte()),
        1 => Stmt::Set(dice.byte(), dice.byte()),
        _ => Stmt::Add(dice.byte(), dice.byte()),
    }
}
