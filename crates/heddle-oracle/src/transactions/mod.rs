//! The reference for transactions: every schedule of a cut program, tried one by one.
//!
//! Huang, *Data-Race Detection in Transactions-Everywhere Parallel Programming* (MIT, 2003), defines
//! when a cut can be seen: some schedule of the cut program is not equivalent to any schedule of the
//! uncut one, whose threads are atomic. [`definitions`] are the definitions of chapters 2 and 3 under
//! the thesis's names, as functions over an explicit small program, the [`Atomization`]; they stand
//! here and not beside the analysis, because they cost quadratic to exponential time, serve to
//! judge the analysis, and must share no code with it.
//!
//! [`verdict`] follows Definition 13 to the letter: all schedules of the cut program against all
//! schedules of the uncut one. [`Search`] decides the same by trying all thread cycles, which
//! reaches larger programs; a property test holds the two together.
//! A program may make other accesses under another schedule: [`closings`] runs it under each.
//! [`of_events`] reads an [`Atomization`] off a run. [`CutProgram`] and [`Atomization`] are drawn at
//! random, shrink, and print as `.task` source; [`Formula`] is chapter 4's reduction from 3SAT.
//!
//! The thesis's *thread* is Heddle's strand; the thesis's word is kept here.

pub mod definitions;
mod draw;
mod events;
mod formula;
mod model;
mod print;
mod replay;
mod schedule;
mod search;
mod simpler;
mod tree;
mod verdict;

pub use draw::{atomization, cut_program, formula};
pub use events::{Followed, NotCovered, followed, of_events};
pub use formula::{Clause, Formula, Literal};
pub use model::{Access, Atomization, Cell, Instruction, Thread, Transaction};
pub use replay::closings;
pub use schedule::{Schedule, schedules};
pub use search::Search;
pub use tree::{CutProgram, Item, Style};
pub use verdict::{Closing, Pair, Verdict, root_causes_of, verdict};
