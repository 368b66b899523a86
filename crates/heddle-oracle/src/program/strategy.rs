//! How random programs are drawn.
//!
//! Weights are set so that clean and racy programs are both common; a test holds them to that.
//! Simple choices come first in every union: proptest shrinks towards them.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::tree::{
    Block, Bound, Expr, Index, Label, Operator, Place, Proc, Program, Sort, Stmt, Style,
};
use crate::stream::Class;

const DEPTH: u32 = 4;
const SIZE: u32 = 32;
const WIDTH: usize = 4;

const PLAIN_OPERATORS: &[&str] = &["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
const DIVIDING_OPERATORS: &[&str] = &["/", "%"];

/// Programs of a class.
pub fn program(class: Class) -> impl Strategy<Value = Program> {
    let procs = prop_oneof![2 => Just(Vec::new()), 1 => vec(proc(class), 1..=2)];
    let main = vec(stmt(class), 1..=WIDTH + 4);
    (1..=4u8, 0..=2u8, style(class), procs, main).prop_map(
        |(scalars, arrays, style, procs, main)| Program {
            scalars,
            arrays,
            style,
            procs,
            main,
        },
    )
}

fn style(class: Class) -> Union<BoxedStrategy<Style>> {
    if class.features().scope_handles {
        return Union::new_weighted(vec![(1, Just(Style::Mixed).boxed())]);
    }
    Union::new_weighted(vec![
        (3, Just(Style::Async).boxed()),
        (2, Just(Style::Cilk).boxed()),
    ])
}

fn proc(class: Class) -> impl Strategy<Value = Proc> {
    let param = prop_oneof![
        2 => Just(Sort::Integer),
        3 => Just(Sort::Array),
        1 => Just(if class.features().extra_edges { Sort::Handle } else { Sort::Integer }),
    ];
    let result = prop_oneof![3 => Just(Sort::Integer), 1 => Just(Sort::Array)];
    let body = vec(stmt(class), 1..=3);
    (vec(param, 0..=2), result, body).prop_map(|(params, result, body)| Proc {
        params,
        result,
        body,
    })
}

fn stmt(class: Class) -> impl Strategy<Value = Stmt> {
    leaf(class).prop_recursive(DEPTH, SIZE, WIDTH as u32, move |inner| {
        let stmts = vec(inner, 0..=WIDTH).boxed();
        let block = (block(class), stmts.clone());
        let branches = (expr(class), stmts.clone(), stmts.clone());
        let mut choices = vec![
            (3, leaf(class).boxed()),
            (
                8,
                block
                    .prop_map(|(block, stmts)| Stmt::Block(block, stmts))
                    .boxed(),
            ),
            (
                1,
                branches
                    .prop_map(|(test, then, other)| Stmt::If(test, then, other))
                    .boxed(),
            ),
        ];
        if class.features().extra_edges {
            choices.push((1, two_posts(stmts).boxed()));
        }
        Union::new_weighted(choices)
    })
}

/// Two tasks in one region and a wait for the faster one.
fn two_posts(stmts: BoxedStrategy<Vec<Stmt>>) -> impl Strategy<Value = Stmt> {
    (0..2u8, stmts.clone(), stmts).prop_map(|(region, first, second)| {
        let post = |stmts| Stmt::Block(Block::Post(region, None), stmts);
        let stmts = vec![post(first), post(second), Stmt::AwaitAny(region)];
        Stmt::Block(Block::Plain, stmts)
    })
}

fn leaf(class: Class) -> Union<BoxedStrategy<Stmt>> {
    let features = class.features();
    let choice = || any::<u8>();
    let mut choices = vec![
        (1, Just(Stmt::Skip).boxed()),
        (6, place().prop_map(Stmt::Read).boxed()),
        (6, place().prop_map(Stmt::Write).boxed()),
        (
            7,
            (place(), expr(class))
                .prop_map(|(place, value)| Stmt::Store(place, value))
                .boxed(),
        ),
        (2, expr(class).prop_map(Stmt::Let).boxed()),
        (1, expr(class).prop_map(Stmt::Shadow).boxed()),
        (
            1,
            (choice(), expr(class))
                .prop_map(|(local, value)| Stmt::Assign(local, value))
                .boxed(),
        ),
        (2, Just(Stmt::New).boxed()),
        (1, choice().prop_map(Stmt::Copy).boxed()),
        (3, Just(Stmt::Sync).boxed()),
        (
            3,
            (choice(), choice())
                .prop_map(|(proc, args)| Stmt::Call(proc, args))
                .boxed(),
        ),
        (
            3,
            (choice(), choice())
                .prop_map(|(proc, args)| Stmt::SpawnCall(proc, args))
                .boxed(),
        ),
        (1, expr(class).prop_map(Stmt::Return).boxed()),
        (1, expr(class).prop_map(Stmt::Assert).boxed()),
        (1, expr(class).prop_map(Stmt::Print).boxed()),
    ];
    if features.isolated {
        choices.push((10, message(class).boxed()));
    }
    if features.extra_edges {
        choices.push((2, choice().prop_map(Stmt::GetArray).boxed()));
        choices.push((2, choice().prop_map(Stmt::Satisfy).boxed()));
        choices.push((3, choice().prop_map(Stmt::Await).boxed()));
        choices.push((2, choice().prop_map(Stmt::AwaitAny).boxed()));
        choices.push((
            4,
            choice()
                .prop_map(|handle| Stmt::Let(Expr::Get(handle)))
                .boxed(),
        ));
    }
    Union::new_weighted(choices)
}

/// One half of a hand-off: an access, then a section that writes the first scalar, or a section
/// that reads it, then an access.
fn message(class: Class) -> impl Strategy<Value = Stmt> {
    let access = prop_oneof![place().prop_map(Stmt::Read), place().prop_map(Stmt::Write)];
    let flag = Place::Scalar(0);
    (any::<bool>(), section(class), access).prop_map(move |(sends, section, access)| {
        let stmts = match sends {
            true => vec![
                access,
                Stmt::Block(section, vec![Stmt::Write(flag.clone())]),
            ],
            false => vec![Stmt::Block(section, vec![Stmt::Read(flag.clone())]), access],
        };
        Stmt::Block(Block::Plain, stmts)
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

fn block(class: Class) -> Union<BoxedStrategy<Block>> {
    let features = class.features();
    let mut choices = vec![
        (1, Just(Block::Plain).boxed()),
        (4, Just(Block::Finish).boxed()),
        (7, Just(Block::Async(Label::Absent)).boxed()),
        (1, Just(Block::Async(Label::Present)).boxed()),
        (3, Just(Block::Spawn).boxed()),
        (2, bound().prop_map(Block::For).boxed()),
        (
            1,
            (1..=2u8, expr(class))
                .prop_map(|(times, test)| Block::While(times, test))
                .boxed(),
        ),
    ];
    if features.isolated {
        choices.push((5, Just(Block::Isolated).boxed()));
    }
    if features.locks {
        choices.push((4, any::<u8>().prop_map(Block::With).boxed()));
        choices.push((2, any::<u8>().prop_map(Block::Hold).boxed()));
    }
    if features.extra_edges {
        let sort = prop_oneof![3 => Just(Sort::Integer), 1 => Just(Sort::Array)];
        let regions = (any::<u8>(), option::of(any::<u8>()));
        choices.push((4, sort.prop_map(Block::Future).boxed()));
        choices.push((4, vec(any::<u8>(), 0..=2).prop_map(Block::Task).boxed()));
        choices.push((
            4,
            regions
                .prop_map(|(to, passing)| Block::Post(to, passing))
                .boxed(),
        ));
    }
    Union::new_weighted(choices)
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![
        4 => (0..=2u8).prop_map(Bound::Constant),
        1 => place().prop_map(Bound::Load),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (1..=6u8).prop_map(Place::Scalar),
        3 => (any::<u8>(), index()).prop_map(|(array, index)| Place::Element(array, index)),
        3 => (any::<u8>(), index()).prop_map(|(array, index)| Place::Heap(array, index)),
    ]
}

fn index() -> impl Strategy<Value = Index> {
    prop_oneof![
        3 => any::<u8>().prop_map(Index::Constant),
        3 => any::<u8>().prop_map(Index::Counter),
        1 => any::<u8>().prop_map(Index::Load),
    ]
}

fn expr(class: Class) -> BoxedStrategy<Expr> {
    let operand = operand(class);
    operand
        .prop_recursive(2, 4, 2, |inner| {
            let two = (operator(), inner.clone(), inner.clone());
            prop_oneof![
                4 => two.prop_map(|(operator, left, right)| {
                    Expr::Binary(operator, Box::new(left), Box::new(right))
                }),
                1 => inner.clone().prop_map(|operand| Expr::Negate(Box::new(operand))),
                1 => inner.prop_map(|operand| Expr::Not(Box::new(operand))),
            ]
        })
        .boxed()
}

fn operand(class: Class) -> Union<BoxedStrategy<Expr>> {
    let mut choices = vec![
        (4, (-2..4i8).prop_map(Expr::Int).boxed()),
        (3, any::<u8>().prop_map(Expr::Local).boxed()),
        (3, place().prop_map(Expr::Load).boxed()),
        (
            1,
            (any::<u8>(), 0..4u8)
                .prop_map(|(proc, args)| Expr::Call(proc, args))
                .boxed(),
        ),
    ];
    if class.features().extra_edges {
        choices.push((2, any::<u8>().prop_map(Expr::Get).boxed()));
    }
    Union::new_weighted(choices)
}

fn operator() -> impl Strategy<Value = Operator> {
    prop_oneof![
        5 => proptest::sample::select(PLAIN_OPERATORS).prop_map(Operator::Plain),
        1 => proptest::sample::select(DIVIDING_OPERATORS).prop_map(Operator::Dividing),
    ]
}
