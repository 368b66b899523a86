//! Ménier's rule: a cut before and after each call, at the end of each loop iteration, at labels and cases, and
//! before `goto`, `break` and `continue`.
//!
//! It goes by the source. Statements are cut in its text ([`statements`]), before any compiler sees it, so
//! all compilers cut the same. What is a call only the compiler knows (conversions, operators, destructors): calls are cut
//! in code that it has not optimised yet, clang's in [`calls`], that of gcc in [`gcc`](super::gcc).

/// What is said of a source that compiles as it is, but not with its cuts.
pub const NOT_CUT: &str = "note: without the cuts of the rule this compiles: they do not fit what its macros make of \
                           statements. HEDDLE_CUT() cuts by hand, --cuts=access behind every access";

pub mod calls;
mod edits;
mod layout;
mod macros;
pub mod marker;
pub mod statements;
mod tokens;
