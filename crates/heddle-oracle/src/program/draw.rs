//! How random programs are drawn.
//!
//! Weights are set so that clean and racy programs are both common; a test holds them to that.

use proptest::strategy::Strategy;

use super::tree::{
    Block, Bound, Expr, Index, Label, Operator, Place, Proc, Program, Sort, Stmt, Style,
};
use super::{Case, Subset};
use crate::draw::{Dice, drawn};
use crate::stream::Class;

/// How deep blocks nest.
const DEPTH: u32 = 4;
/// How many statements a block has, at most. Larger programs are slower, not better.
const WIDTH: u32 = 3;
/// How deep expressions nest.
const EXPR_DEPTH: u32 = 2;

const PLAIN_OPERATORS: [&str; 11] = ["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
const DIVIDING_OPERATORS: [&str; 2] = ["/", "%"];

/// Programs of a class.
pub fn program(class: Class) -> impl Strategy<Value = Program> {
    let choices = Choices::of(class);
    drawn(move |dice| choices.program(dice))
}

/// Programs of a class with eliminations to try on them; all 32 sets only now and then.
pub fn case(class: Class) -> impl Strategy<Value = Case> {
    let choices = Choices::of(class);
    drawn(move |dice| Case {
        program: choices.program(dice),
        eliminations: match dice.once_in(32) {
            true => Subset::Every,
            false => Subset::One(dice.small(32)),
        },
    })
}

type MakeStmt = fn(&Choices, &mut Dice) -> Stmt;
type MakeBlock = fn(&Choices, &mut Dice) -> Block;

/// What a class may use, with weights.
struct Choices {
    class: Class,
    leaves: Vec<(u32, MakeStmt)>,
    blocks: Vec<(u32, MakeBlock)>,
}

impl Choices {
    fn of(class: Class) -> Self {
        Self {
            class,
            leaves: leaves(class),
            blocks: blocks(class),
        }
    }

    fn has_edges(&self) -> bool {
        self.class.features().extra_edges
    }

    fn program(&self, dice: &mut Dice) -> Program {
        let procs = dice.weighted(&[(4, 0), (1, 1), (1, 2)]);
        let main = if self.has_edges() { 1 } else { 2 } + dice.below(2 * WIDTH);
        Program {
            scalars: 1 + dice.small(4),
            arrays: dice.small(3),
            style: self.style(dice),
            procs: (0..procs).map(|_| self.proc(dice)).collect(),
            main: (0..main).map(|_| self.stmt(dice, DEPTH)).collect(),
        }
    }

    fn style(&self, dice: &mut Dice) -> Style {
        match self.class.features().scope_handles {
            true => Style::Mixed,
            false => dice.weighted(&[(3, Style::Async), (2, Style::Cilk)]),
        }
    }

    fn proc(&self, dice: &mut Dice) -> Proc {
        let handle = if self.has_edges() {
            Sort::Handle
        } else {
            Sort::Integer
        };
        let params = dice.below(3);
        let body = 1 + dice.below(3);
        Proc {
            params: (0..params)
                .map(|_| dice.weighted(&[(2, Sort::Integer), (3, Sort::Array), (1, handle)]))
                .collect(),
            result: dice.weighted(&[(3, Sort::Integer), (1, Sort::Array)]),
            body: (0..body).map(|_| self.stmt(dice, DEPTH - 1)).collect(),
        }
    }

    fn stmts(&self, dice: &mut Dice, depth: u32) -> Vec<Stmt> {
        let stmts = dice.below(WIDTH + 1);
        (0..stmts).map(|_| self.stmt(dice, depth)).collect()
    }

    fn stmt(&self, dice: &mut Dice, depth: u32) -> Stmt {
        if depth == 0 {
            return dice.weighted(&self.leaves)(self, dice);
        }
        match dice.below(13) {
            0 => Stmt::If(
                self.expr(dice, EXPR_DEPTH),
                self.stmts(dice, depth - 1),
                self.stmts(dice, depth - 1),
            ),
            1 if self.has_edges() => self.two_posts(dice, depth - 1),
            1..=4 => dice.weighted(&self.leaves)(self, dice),
            _ => {
                let block = dice.weighted(&self.blocks)(self, dice);
                Stmt::Block(block, self.stmts(dice, depth - 1))
            }
        }
    }

    /// Two tasks in one region and a wait for the faster one.
    fn two_posts(&self, dice: &mut Dice, depth: u32) -> Stmt {
        let region = dice.small(2);
        let mut post = || Stmt::Block(Block::Post(region, None), self.stmts(dice, depth));
        let stmts = vec![post(), post(), Stmt::AwaitAny(region)];
        Stmt::Block(Block::Plain, stmts)
    }

    fn expr(&self, dice: &mut Dice, depth: u32) -> Expr {
        if depth == 0 || dice.once_in(2) {
            return self.operand(dice);
        }
        match dice.below(6) {
            0 => Expr::Negate(Box::new(self.expr(dice, depth - 1))),
            1 => Expr::Not(Box::new(self.expr(dice, depth - 1))),
            _ => {
                let left = Box::new(self.expr(dice, depth - 1));
                let right = Box::new(self.expr(dice, depth - 1));
                Expr::Binary(operator(dice), left, right)
            }
        }
    }

    fn operand(&self, dice: &mut Dice) -> Expr {
        match dice.below(if self.has_edges() { 13 } else { 11 }) {
            0..4 => Expr::Int(dice.below(6) as i8 - 2),
            4..7 => Expr::Local(dice.byte()),
            7..10 => Expr::Load(place(dice)),
            10 => Expr::Call(dice.byte(), dice.small(4)),
            _ => Expr::Get(dice.byte()),
        }
    }

    fn value(&self, dice: &mut Dice) -> Expr {
        self.expr(dice, EXPR_DEPTH)
    }
}

fn leaves(class: Class) -> Vec<(u32, MakeStmt)> {
    let features = class.features();
    let mut choices: Vec<(u32, MakeStmt)> = vec![
        (1, |_, _| Stmt::Skip),
        (6, |_, dice| Stmt::Read(place(dice))),
        (6, |_, dice| Stmt::Write(place(dice))),
        (7, |choices, dice| {
            Stmt::Store(place(dice), choices.value(dice))
        }),
        (2, |choices, dice| Stmt::Let(choices.value(dice))),
        (1, |choices, dice| Stmt::Shadow(choices.value(dice))),
        (1, |choices, dice| {
            Stmt::Assign(dice.byte(), choices.value(dice))
        }),
        (2, |_, _| Stmt::New),
        (1, |_, dice| Stmt::Copy(dice.byte())),
        (3, |_, _| Stmt::Sync),
        (3, |_, dice| Stmt::Call(dice.byte(), dice.byte())),
        (3, |_, dice| Stmt::SpawnCall(dice.byte(), dice.byte())),
        (1, |choices, dice| Stmt::Return(choices.value(dice))),
        (1, |choices, dice| Stmt::Assert(choices.value(dice))),
        (1, |choices, dice| Stmt::Print(choices.value(dice))),
    ];
    if features.isolated {
        choices.push((6, |_, dice| message(dice, Block::Isolated)));
    }
    if features.locks {
        choices.push((6, |_, dice| {
            let lock = Block::With(dice.small(2));
            message(dice, lock)
        }));
    }
    if features.extra_edges {
        choices.push((2, |_, dice| Stmt::GetArray(dice.byte())));
        choices.push((2, |_, dice| Stmt::Satisfy(dice.byte())));
        choices.push((3, |_, dice| Stmt::Await(dice.byte())));
        choices.push((2, |_, dice| Stmt::AwaitAny(dice.byte())));
        choices.push((4, |_, dice| Stmt::Let(Expr::Get(dice.byte()))));
    }
    choices
}

fn blocks(class: Class) -> Vec<(u32, MakeBlock)> {
    let features = class.features();
    let mut choices: Vec<(u32, MakeBlock)> = vec![
        (1, |_, _| Block::Plain),
        (4, |_, _| Block::Finish),
        (7, |_, _| Block::Async(Label::Absent)),
        (1, |_, _| Block::Async(Label::Present)),
        (3, |_, _| Block::Spawn),
        (2, |_, dice| Block::For(bound(dice))),
        (1, |choices, dice| {
            Block::While(1 + dice.small(2), choices.value(dice))
        }),
    ];
    if features.isolated {
        choices.push((3, |_, _| Block::Isolated));
    }
    if features.locks {
        choices.push((4, |_, dice| Block::With(dice.byte())));
        choices.push((2, |_, dice| Block::Hold(dice.byte())));
    }
    if features.extra_edges {
        choices.push((3, |_, _| Block::Future(Sort::Integer)));
        choices.push((1, |_, _| Block::Future(Sort::Array)));
        choices.push((4, |_, dice| Block::Task(after(dice))));
        choices.push((4, |_, dice| Block::Post(dice.byte(), passing(dice))));
    }
    choices
}

fn after(dice: &mut Dice) -> Vec<u8> {
    let dependences = dice.below(3);
    (0..dependences).map(|_| dice.byte()).collect()
}

fn passing(dice: &mut Dice) -> Option<u8> {
    dice.once_in(2).then(|| dice.byte())
}

/// One half of a hand-off: an access, then a section that writes the first scalar, or a section
/// that reads it, then an access.
fn message(dice: &mut Dice, section: Block) -> Stmt {
    let flag = Place::Scalar(0);
    let access = match dice.once_in(2) {
        true => Stmt::Read(place(dice)),
        false => Stmt::Write(place(dice)),
    };
    let stmts = match dice.once_in(2) {
        true => vec![access, Stmt::Block(section, vec![Stmt::Write(flag)])],
        false => vec![Stmt::Block(section, vec![Stmt::Read(flag)]), access],
    };
    Stmt::Block(Block::Plain, stmts)
}

fn bound(dice: &mut Dice) -> Bound {
    match dice.once_in(5) {
        true => Bound::Load(place(dice)),
        false => Bound::Constant(dice.small(3)),
    }
}

fn place(dice: &mut Dice) -> Place {
    match dice.below(10) {
        0..4 => Place::Scalar(1 + dice.small(6)),
        4..7 => Place::Element(dice.byte(), index(dice)),
        _ => Place::Heap(dice.byte(), index(dice)),
    }
}

fn index(dice: &mut Dice) -> Index {
    match dice.below(7) {
        0..3 => Index::Constant(dice.byte()),
        3..6 => Index::Counter(dice.byte()),
        _ => Index::Load(dice.byte()),
    }
}

/// Now and then a division that may be undefined.
fn operator(dice: &mut Dice) -> Operator {
    if dice.once_in(100) {
        return Operator::Plain("/");
    }
    match dice.once_in(6) {
        true => Operator::Dividing(DIVIDING_OPERATORS[dice.below(2) as usize]),
        false => Operator::Plain(PLAIN_OPERATORS[dice.below(11) as usize]),
    }
}
