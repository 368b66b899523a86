//! The syntax tree: a program as written, names not yet looked up.

use crate::ir::{Binary, Unary};
use heddle_core::{Site, TaskKind};

/// A name where it is mentioned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) site: Site,
}

#[derive(Debug)]
pub(crate) struct Program<'s> {
    pub(crate) declarations: Vec<Declaration<'s>>,
    pub(crate) statements: Vec<Statement<'s>>,
    pub(crate) end: Site,
}

#[derive(Debug)]
pub(crate) enum Declaration<'s> {
    Shared(Vec<SharedVariable<'s>>),
    Lock(Vec<Name<'s>>),
    Event(Vec<Name<'s>>),
    Region(Vec<Name<'s>>),
    /// The groups.
    Atomic(Vec<Vec<Name<'s>>>),
    Proc(Proc<'s>),
}

#[derive(Debug)]
pub(crate) struct SharedVariable<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) len: Option<Expr<'s>>,
    pub(crate) initial: Option<Expr<'s>>,
}

#[derive(Debug)]
pub(crate) struct Proc<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Name<'s>>,
    pub(crate) body: Block<'s>,
}

#[derive(Debug)]
pub(crate) struct Block<'s> {
    pub(crate) statements: Vec<Statement<'s>>,
    /// The closing brace.
    pub(crate) end: Site,
}

#[derive(Debug)]
pub(crate) struct Statement<'s> {
    pub(crate) kind: StatementKind<'s>,
    /// The whole of it without the semicolon; of a statement with a block, the head.
    pub(crate) site: Site,
}

#[derive(Debug)]
pub(crate) enum StatementKind<'s> {
    Create(Create<'s>),
    SpawnCall(Call<'s>),
    Finish(Block<'s>),
    Sync,
    Satisfy(Name<'s>),
    Await(Name<'s>),
    AwaitAny(Name<'s>),
    Isolated(Block<'s>),
    Acquire(Name<'s>),
    Release(Name<'s>),
    With(Name<'s>, Block<'s>),
    Cut,
    Let(Name<'s>, Expr<'s>),
    Assign(Mention<'s>, Expr<'s>),
    Read(Mention<'s>),
    Write(Mention<'s>),
    If {
        /// `if`, then each `else if`.
        arms: Vec<Arm<'s>>,
        otherwise: Option<Block<'s>>,
    },
    While(Expr<'s>, Block<'s>),
    For {
        variable: Name<'s>,
        from: Expr<'s>,
        to: Expr<'s>,
        body: Block<'s>,
    },
    /// A call or `get`.
    Evaluate(Expr<'s>),
    Return(Option<Expr<'s>>),
    Assert(Expr<'s>),
    Print(Expr<'s>),
    Skip,
}

/// One condition and what it guards.
#[derive(Debug)]
pub(crate) struct Arm<'s> {
    pub(crate) site: Site,
    pub(crate) condition: Expr<'s>,
    pub(crate) block: Block<'s>,
}

/// The creation of a task with a body of its own.
#[derive(Debug)]
pub(crate) struct Create<'s> {
    pub(crate) kind: TaskKind,
    pub(crate) label: Option<Name<'s>>,
    pub(crate) after: Vec<Name<'s>>,
    pub(crate) region: Option<Name<'s>>,
    pub(crate) passing: Option<Name<'s>>,
    pub(crate) body: Block<'s>,
}

#[derive(Debug)]
pub(crate) struct Call<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) args: Vec<Expr<'s>>,
    pub(crate) site: Site,
}

/// `x` or `A[i]`.
#[derive(Debug)]
pub(crate) struct Mention<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) index: Option<Box<Expr<'s>>>,
    pub(crate) site: Site,
}

#[derive(Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) site: Site,
    /// Height of the tree, so that it can be bounded: walking and dropping it recurses.
    pub(crate) height: u32,
}

#[derive(Debug)]
pub(crate) enum ExprKind<'s> {
    Int(i64),
    Mention(Mention<'s>),
    Get(Box<Expr<'s>>),
    Call(Call<'s>),
    New(Box<Expr<'s>>),
    Unary(Unary, Box<Expr<'s>>),
    Binary(Operator, Box<Expr<'s>>, Box<Expr<'s>>),
}

/// What stands between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Strict(Binary),
    And,
    Or,
}
