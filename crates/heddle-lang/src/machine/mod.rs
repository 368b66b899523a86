//! The machine: runs a `.task` program once, serially, and delivers every event of the run.
//!
//! Problem: one depth-first run must show a listener exactly what the program did, at a cost that
//! leaves the listener the larger part of the time, for millions of tasks and for recursion as
//! deep as memory allows. So the program is first compiled to flat register code ([`Code`]); tasks
//! are coroutines with stacks of their own; nothing in the program's depth becomes depth on the
//! stack of the machine itself.
//!
//! # The scheduler's rules
//!
//! The run is deterministic: the same code gives the same events.
//!
//! 1. A created task begins at once, and its creator is *suspended* on a stack, unless one of the
//!    task's `after` dependences is unmet: then the task is *parked* and its creator goes on.
//! 2. A running task that must wait (an unended task in `get`, `await`, `ewait`; a finish or sync
//!    block with unended tasks; a lock held by another task) is parked. It has not advanced: when
//!    it runs again it tries the same instruction again.
//! 3. When what a parked task waits for has come, it joins the end of the *ready* queue. It does
//!    not preempt anyone. At the end of a task those who wait for the task itself come first, in
//!    the sequence in which they began to wait, then the owner of the finish it was the last task
//!    of. A release makes the longest-waiting task ready, and does not reserve the lock for it.
//! 4. When the running task ends or parks, the most recently suspended task continues; if none is
//!    suspended, the first of the ready queue. A task that starts gives `Begin`, then the edges of
//!    its dependences; one that goes on gives `Resume`.
//! 5. When nothing is suspended or ready and the main task has not ended, the run is stuck: every
//!    parked task is reported by id, once for each thing it waits for.
//!
//! A program without waiting therefore never touches the queue: creation is a push, the end of a
//! task is a pop.
//!
//! # Which finish a task belongs to
//!
//! `async`, `future`, `task` and `post` create into the innermost `finish` statement the running
//! task has open, else into the scope the running task itself was created into. `spawn` creates
//! into the sync block of the running procedure activation (or task body) at its present depth of
//! `finish` statements, which is opened when it is first needed. `sync` ends that block. A
//! block the same activation opened outside the present `finish` cannot be ended inside it:
//! there `sync` waits for the block's tasks and gives a `Join` for each.
//!
//! # Cost
//!
//! A task that has ended costs four bytes; its stack is used again. Values are plain data, and
//! heap arrays hold only integers: unreachable arrays are found by one flat scan of the stacks of
//! live tasks, paid for by the allocations since the last scan. All memory a program can claim is
//! bounded; at the bound the run stops with `LimitReached`.

mod access;
mod code;
mod compile;
mod control;
mod coroutine;
mod exclusion;
mod execute;
mod limits;
mod liveness;
mod locks;
mod memory;
mod problem;
mod procedures;
mod regions;
mod schedule;
mod scopes;
mod snapshot;
mod spawn;
mod state;
mod synchronise;
mod tasks;
mod turns;
mod value;

pub use code::Code;
pub use control::Controlled;
pub use liveness::Liveness;
pub use turns::{Plan, Planned};

use heddle_core::Listener;

use crate::ir::{Elimination, Program};
use code::Delivery;

/// How many accesses a run made and how many of them were checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RunCounts {
    /// Accesses to shared and heap memory, checked or not.
    pub accesses: u64,
    /// Accesses delivered to the listener, checks moved in front of loops included.
    pub checks: u64,
    /// Accesses executed without a check, by the elimination responsible (in declaration order).
    pub eliminated: [u64; 5],
}

impl RunCounts {
    /// Accesses this elimination freed of their check.
    pub fn eliminated_by(&self, elimination: Elimination) -> u64 {
        self.eliminated[elimination as usize]
    }
}

/// How often each [`Delivery`] was executed; the cheapest thing to count on the hot path.
#[derive(Clone, Copy, Default, Debug)]
struct Tally([u64; Delivery::COUNT]);

impl Tally {
    #[inline(always)]
    fn count(&mut self, delivery: Delivery) {
        self.0[delivery as usize] += 1;
    }

    fn counts(self) -> RunCounts {
        let [plain, main, read_only, escape, invariant, read_write, moved] = self.0;
        let eliminated = [main, read_only, escape, invariant, read_write];
        RunCounts {
            accesses: plain + eliminated.iter().sum::<u64>(),
            checks: plain + moved,
            eliminated,
        }
    }
}

/// Compiles the program and runs it once; see [`Code::run`].
pub fn run<L: Listener>(
    program: &Program,
    listener: &mut L,
    output: &mut dyn FnMut(i64),
) -> RunCounts {
    Code::new(program).run(listener, output)
}

impl Code {
    /// Runs the program from the start to its end, its first fault or its deadlock. Every event
    /// goes to `listener`, every printed value to `output`.
    pub fn run<L: Listener>(&self, listener: &mut L, output: &mut dyn FnMut(i64)) -> RunCounts {
        state::Machine::new(self, listener, output).run()
    }
}
