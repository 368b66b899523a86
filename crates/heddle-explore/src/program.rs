//! What exploration needs of a program: to stop at its choice points and go on as told.
//!
//! A front end implements [`Program`] and [`Run`]. A run stands at a *choice point*: every task
//! has gone on as far as it can without a choice, and stands before a *choice operation*, waits,
//! or has ended. [`Run::choices`] lists the choice operations that can be executed now;
//! [`Run::take`] executes one of them and everything that then follows without a choice, of all
//! tasks, depth first.
//!
//! # Choice operations
//!
//! 1. Taking a lock, or entering an outermost `isolated`. It can be chosen while the lock is free.
//! 2. `ewait` and the like: one choice for each task that has ended and could be taken.
//! 3. Whatever else has an outcome that depends on the order of tasks: an atomic
//!    read-modify-write, a `try_lock`. It is told as a short section of a lock that the front end
//!    reserves for it: `Acquire`, the accesses, `Release`. A `try_lock` of L reads a location
//!    reserved for the state of L in such a section, and then every lock and unlock of L writes it
//!    in one, too.
//!
//! Reading and writing shared memory is no choice operation: in a program without races its order
//! does not matter (Nakade, Mercer, McCarthy, Lemma 4.1), and in a program with races a race is
//! found.
//!
//! # Events
//!
//! [`Program::start`] and [`Run::take`] deliver what happens to a listener, as a well-formed
//! stream (see [`Event`](heddle_core::Event)), with these additions for explored runs:
//!
//! 1. A task that does something undefined stops there, and `Fault` is delivered at once; the
//!    other tasks go on. No `Stuck` follows a `Fault`.
//! 2. When nothing can be chosen, the run is over: the main task has ended, or `Stuck` was
//!    delivered for every task that waits.
//!
//! Task and finish ids may differ between schedules; they are the same in two runs as long as the
//! same choices were taken.

use heddle_core::{Listener, LockId, TaskId};

use crate::fingerprint::{Names, State};

/// A program that can be started any number of times.
pub trait Program: Sync {
    /// A started program.
    type Run<'p>: Run
    where
        Self: 'p;

    /// Starts the program and runs it up to its first choice point.
    fn start<L: Listener>(&self, listener: &mut L) -> Self::Run<'_>;
}

/// A run that stands at a choice point.
pub trait Run: Sized {
    /// Adds what can be chosen now, each choice once, in any sequence that depends on the run
    /// alone. Nothing: the run is over.
    fn choices(&self, into: &mut Vec<Choice>);

    /// Executes the chosen operation and what follows, up to the next choice point.
    fn take<L: Listener>(&mut self, choice: Choice, listener: &mut L);

    /// Adds the locks that tasks stand before and cannot take, because they are held. Where this
    /// is left out, schedules that only a deadlock shows may be missed by a reduction.
    fn blocked(&self, into: &mut Vec<Choice>) {
        let _ = into;
    }

    /// Whether the run was ended before it came to its end, because it took too long.
    fn is_cut(&self) -> bool {
        false
    }

    /// A copy that goes its own way. Without one, alternatives are reached by running the program
    /// again from the start with the same choices.
    fn fork(&self) -> Option<Self> {
        None
    }

    /// Adds the state of the run: two runs with equal fingerprints behave alike from here on,
    /// whatever is chosen. Says whether it can; if not, states are not matched.
    fn fingerprint(&self, names: &Names, into: &mut State) -> bool {
        let _ = (names, into);
        false
    }
}

/// One choice operation that can be executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Choice {
    /// Who executes it.
    pub task: TaskId,
    /// What it does.
    pub operation: Operation,
}

/// What a choice operation does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// Takes this lock, which is free (lock 0: enters `isolated`), or one reserved for the operation.
    Acquire(LockId),
    /// Takes this ended task out of a set of tasks of which any one will do.
    Join {
        /// The task taken.
        task: TaskId,
        /// Whether there is a task in the set that has not ended and so cannot be chosen yet.
        more: bool,
    },
}
