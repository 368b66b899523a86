//! The `.task` language: parser, checker, static check elimination, interpreter.
//!
//! [`compile`] turns source text into a resolved [`ir::Program`] or says, with positions, why it
//! cannot. [`expectations`] reads what a file says must be found in it, [`decode`] turns a file's
//! bytes into text.

mod ast;
mod diagnostic;
pub mod eliminate;
mod encoding;
mod expectation;
mod explore;
pub mod ir;
mod lexer;
pub mod machine;
mod parser;
mod resolve;
mod spelling;

pub use diagnostic::Diagnostic;
pub use encoding::decode;
pub use expectation::{Expectation, Expectations, Kind, expectations};
pub use explore::{TaskProgram, TaskRun};
pub use ir::Program;

use diagnostic::Diagnostics;

/// Parses and checks `source`. `path` is only quoted in reports.
///
/// The errors come in source order and are never empty.
pub fn compile(path: &str, source: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let tokens = lexer::lex(source, &mut diagnostics);
    let parsed = parser::parse(&tokens, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.into_sorted());
    }
    let program = resolve::resolve(path, source, &parsed, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.into_sorted());
    }
    Ok(program)
}
