//! Random `.task` programs.
//!
//! [`program`] draws a tree over every construct of the language, [`Program`]'s `Display` prints
//! it as source text. Numbers in the tree are raw choices: the printer takes them modulo what is
//! visible at that point, so every tree prints as a valid program and stays valid as it shrinks.

mod block;
mod call;
mod case;
mod draw;
mod expression;
mod print;
mod scope;
mod simpler;
mod task;
mod tree;

pub use case::{Case, Subset};
pub use draw::{case, program};
pub use tree::{
    Block, Bound, Expr, Index, Label, Operator, Place, Proc, Program, Sort, Stmt, Style,
};
