//! The one vocabulary between front ends and everything behind them.
//!
//! A front end runs (or replays) a program and delivers [`Event`]s to a [`Listener`]. Events are
//! small and `Copy`: delivered by value they cost nothing once inlined, and a vector or file of
//! them is the recorded form of the run. Text never travels in events; it sits in the
//! [`Legend`](crate::Legend) and is named by id.
//!
//! # Rules of a well-formed stream
//!
//! 1. At the start the main task is running inside [`FinishId::MAIN`]; neither is announced.
//! 2. An event belongs to the *running* task: the one of the latest `Begin` or `Resume`.
//!    After `End` no task runs until the next `Begin` or `Resume`.
//! 3. Task, finish, lock and token ids are dense and announced in ascending sequence by `Spawn`, `FinishBegin`,
//!    `DeclareLock` and `DeclareToken`. (Lock 0, isolated, is never announced.) A task begins once, after its `Spawn`, and ends once.
//! 4. `Spawn` names a finish that is open and encloses the running task: normally the innermost
//!    one, else an outer one (a *scope handle*).
//! 5. A task's finishes nest: `FinishEnd` is delivered by the task that began it, ends the
//!    innermost one that task has open, and comes after the `End` of every task spawned into it.
//! 6. `Join` comes after the `End` of the task it names, `Wait` after a `Signal` of the token.
//! 7. A lock is held by at most one task, or by any number of tasks that share it. `Acquire` of a lock the running
//!    task holds, in whichever mode, is not delivered. Isolated is never shared.
//! 8. The main task's `End` closes the stream; its finish has no `FinishEnd`. A run that stopped
//!    early closes with `Fault` or with one or more `Stuck`.
//! 9. A task leaves only atomic blocks it has entered; one it has not left ends with it. `Atomic` may
//!    come at any time; where locations are atomic already, the latest one counts.

use crate::id::{Extent, FinishId, GroupId, Location, LockId, NameId, SiteId, TaskId, TokenId};

/// How a task came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TaskKind {
    /// Spawned into a finish.
    Async,
    /// A Cilk child, spawned into its procedure's sync block.
    Spawn,
    /// Has a value that others get.
    Future,
    /// Starts after named tasks and events.
    Dependent,
    /// Posted into a region.
    Post,
    /// Explicitly created, to be waited for (OpenMP's `task`).
    Task,
    /// One thread's share of a parallel region (OpenMP's implicit task).
    Member,
    /// Iterations of a loop that any thread of its team may get.
    Chunk,
    /// A section that any thread of its team may get.
    Section,
    /// A body that one thread of its team executes, whichever it is.
    Single,
    /// A thread that the program started.
    Thread,
    /// Runs when all it depends on is there (an EDT of the Open Community Runtime).
    EventDriven,
}

/// What a finish is in the program's own terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FinishKind {
    /// A `finish` statement or the like.
    Finish,
    /// The children between two `sync` statements of one procedure.
    SyncBlock,
    /// A parallel region.
    Parallel,
    /// What a team of threads does between two barriers.
    Phase,
    /// A task group.
    Group,
}

/// How a declared extent is written in reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One location: `x`.
    Scalar,
    /// Indexed: `A[3]`.
    Array,
}

/// Whether an access reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// The location's value is used.
    Read,
    /// The location's value is set.
    Write,
}

/// Who decided that a transaction ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CutBy {
    /// The programmer: there is a cut in the source.
    Hand,
    /// A rule of the compiler's: there is nothing in the source that could be taken away.
    Rule,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LockMode {
    /// By any number of readers at a time.
    Shared,
    /// By one task alone.
    Exclusive,
}

impl LockMode {
    /// Whether two holds of one lock cannot be at the same time: all but two shared ones.
    #[inline]
    pub const fn excludes(self, other: Self) -> bool {
        !matches!((self, other), (Self::Shared, Self::Shared))
    }
}

/// What a task that can never go on is waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Awaited {
    /// The end of this finish.
    Finish(FinishId),
    /// The end of this task.
    Task(TaskId),
    /// The signal of this token.
    Token(TokenId),
    /// This lock, held by another task.
    Lock(LockId),
    /// Any task in the region of this name, while there is none.
    Region(NameId),
}

/// One observation of a running program.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// These locations have this name from the start (shared variables, globals).
    Declare {
        extent: Extent,
        name: NameId,
        shape: Shape,
    },
    /// This lock has this name.
    DeclareLock { lock: LockId, name: NameId },
    /// This token has this name.
    DeclareToken { token: TokenId, name: NameId },

    /// Accesses to these locations are to be atomic: all of `group` as one, without a group each
    /// location by itself. Until an `Alloc` covers them.
    Atomic {
        extent: Extent,
        group: Option<GroupId>,
    },

    /// The running task creates `task` and goes on running.
    Spawn {
        task: TaskId,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    },
    /// `task` starts to run; the task that ran before is suspended.
    Begin { task: TaskId },
    /// The running task is over.
    End { task: TaskId },
    /// `task`, which began earlier and has not ended, runs on.
    Resume { task: TaskId },

    /// The running task opens a finish.
    FinishBegin {
        finish: FinishId,
        kind: FinishKind,
        site: SiteId,
    },
    /// The running task's innermost finish is over, and with it all its tasks.
    FinishEnd { finish: FinishId },

    /// An extra edge: the end of `task` precedes what the running task does next.
    Join { task: TaskId, site: SiteId },
    /// What the running task did so far precedes whatever waits for `token` from now on.
    Signal { token: TokenId, site: SiteId },
    /// Every signal of `token` so far precedes what the running task does next.
    Wait { token: TokenId, site: SiteId },

    /// The running task takes a lock (lock 0: enters its outermost isolated body).
    Acquire {
        lock: LockId,
        mode: LockMode,
        site: SiteId,
    },
    /// The running task gives a lock back.
    Release { lock: LockId, site: SiteId },
    /// The running task ends its transaction and starts the next.
    Cut { by: CutBy, site: SiteId },

    /// The running task enters an atomic block: what it does up to the matching end is one region.
    AtomicBegin { site: SiteId },
    /// The running task leaves the innermost atomic block it is in.
    AtomicEnd { site: SiteId },

    /// The running task reads these locations.
    Read { extent: Extent, site: SiteId },
    /// The running task writes these locations.
    Write { extent: Extent, site: SiteId },
    /// These locations are a fresh object: what was known of them is void.
    Alloc {
        extent: Extent,
        name: Option<NameId>,
        site: SiteId,
    },
    /// The object allocated at `start` is now known by this name.
    Bind { start: Location, name: NameId },
    /// The running task gives these locations back; touching them in parallel is a race.
    Free { extent: Extent, site: SiteId },

    /// The running task's assertion failed. The run goes on.
    AssertionFailed { site: SiteId },
    /// Nothing can run: `task` waits at `site` for something that will never come.
    Stuck {
        task: TaskId,
        awaited: Awaited,
        site: SiteId,
    },
    /// The program did something undefined at `site`; the run stopped here.
    Fault { site: SiteId, message: FaultKind },
}

/// Why a run had to stop.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// Division or remainder by zero.
    DivisionByZero,
    /// An array index below zero or past the end.
    IndexOutOfRange { index: i64, len: u64 },
    /// A negative or absurdly large array length.
    BadLength { len: i64 },
    /// The task takes a lock it already holds.
    LockAlreadyHeld { lock: LockId },
    /// The task releases a lock it does not hold.
    LockNotHeld { lock: LockId },
    /// The task ended while it held a lock.
    LockHeldAtEnd { lock: LockId },
    /// A second `satisfy` of a once-only event.
    AlreadySatisfied { token: TokenId },
    /// A task operation inside `isolated`.
    TaskOperationInIsolated,
    /// An operation on the wrong sort of value: an array where an integer is needed, and so on.
    WrongValue(ValueProblem),
    /// A label or handle names no task yet.
    NoSuchTask { name: NameId },
    /// The interpreter's own bound (memory, call depth) was reached.
    LimitReached,
}

/// What sort of value was needed and not found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueProblem {
    /// An integer was needed.
    NotAnInteger,
    /// An array was needed.
    NotAnArray,
    /// A future was needed.
    NotAFuture,
}

/// Receives the events of one run. The open extension point of Heddle: detectors, recorders,
/// the oracle and counters are all listeners.
pub trait Listener {
    /// Takes the next event. Inlined into front ends, so that a constant variant costs no dispatch.
    fn on(&mut self, event: Event);
}

impl<L: Listener + ?Sized> Listener for &mut L {
    #[inline(always)]
    fn on(&mut self, event: Event) {
        (**self).on(event);
    }
}

/// Delivers each event to both, first to the left.
impl<A: Listener, B: Listener> Listener for (A, B) {
    #[inline(always)]
    fn on(&mut self, event: Event) {
        self.0.on(event);
        self.1.on(event);
    }
}

/// The recorded form in memory.
impl Listener for Vec<Event> {
    #[inline]
    fn on(&mut self, event: Event) {
        self.push(event);
    }
}
