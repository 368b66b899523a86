//! How a stream of events breaks the rules, as data.

use std::error::Error;
use std::fmt;

use heddle_core::{FinishId, LockId, NameId, SiteId, TaskId, TokenId};

/// Something whose ids are dense.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `Spawn`, [`TaskId`].
    Task,
    /// `FinishBegin`, [`FinishId`].
    Finish,
    /// `DeclareLock`, [`LockId`].
    Lock,
    /// `DeclareToken`, [`TokenId`].
    Token,
}

/// A feature of [`Features`](heddle_core::Features) that shows in events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// `Join`, `Signal`, `Wait`.
    ExtraEdges,
    /// `Spawn` into another than the innermost finish.
    ScopeHandles,
    /// `Acquire` of lock 0.
    Isolated,
    /// `Acquire` of another lock.
    Locks,
    /// `Cut`.
    Cuts,
    /// `Atomic`, `AtomicBegin`, `AtomicEnd`.
    Atomics,
}

/// The first thing wrong with a stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Violation {
    /// Rule 2: an event of the running task while none runs.
    NothingRuns,
    /// Rule 2: a task that is not running ends.
    NotRunning(TaskId),
    /// Rule 3: an id is announced that is not the next one.
    NotNext {
        /// Of what.
        kind: Kind,
        /// The id announced.
        id: u32,
        /// The id that would have been next.
        next: u64,
    },
    /// Rule 3: an id that was never announced.
    Unknown {
        /// Of what.
        kind: Kind,
        /// The id.
        id: u32,
    },
    /// Rule 3: a task begins for the second time.
    BeganBefore(TaskId),
    /// Rule 3: a task runs on that never began.
    NeverBegan(TaskId),
    /// Rule 3: a task goes on or gets stuck after its end.
    EndedBefore(TaskId),
    /// Rule 4: a task is spawned into a finish that is over or does not enclose its spawner.
    NotEnclosing(FinishId),
    /// Rule 5: a finish ends that is not the innermost one its own task has open.
    NotInnermost(FinishId),
    /// Rule 5: a finish ends before the tasks spawned into it.
    TasksPending {
        /// The finish; [`FinishId::MAIN`] when the main task ends.
        finish: FinishId,
        /// How many of its tasks have not ended.
        tasks: u32,
    },
    /// Rule 5: a task ends before a finish it began.
    FinishOpen(FinishId),
    /// Rule 6: a task is joined before its end.
    NotEnded(TaskId),
    /// Rule 6: a token is waited for before its first signal.
    NotSignalled(TokenId),
    /// Rule 7: a lock is taken while a task (this one or another) holds it.
    Held(LockId),
    /// Rule 7: isolated is shared.
    SharedIsolated,
    /// Rule 7: a lock is given back by a task that does not hold it.
    NotHeld(LockId),
    /// Rule 7: a task ends while it holds locks. (A front end reports this as a fault.)
    HeldAtEnd(TaskId),
    /// Rule 9: a task leaves an atomic block it is not in.
    NotInBlock(TaskId),
    /// Rule 8: an event after the stream's close.
    AfterClose,
    /// Rule 8: the stream stops without a close.
    NotClosed,
    /// A feature that was not announced.
    Unannounced(Feature),
    /// A source position the legend lacks.
    UnknownSite(SiteId),
    /// A name the legend lacks.
    UnknownName(NameId),
    /// An extent past the last location, or longer than the limit.
    BadExtent {
        /// First location.
        start: u64,
        /// Number of locations.
        len: u64,
    },
    /// The accesses of the run touch more neighbouring locations than the limit.
    TooSpread,
}

impl Violation {
    /// The rule of [`Event`](heddle_core::Event)'s module that is broken, if it is a numbered one.
    pub fn rule(self) -> Option<u8> {
        Some(match self {
            Self::NothingRuns | Self::NotRunning(_) => 2,
            Self::NotNext { .. } | Self::Unknown { .. } => 3,
            Self::BeganBefore(_) | Self::NeverBegan(_) | Self::EndedBefore(_) => 3,
            Self::NotEnclosing(_) => 4,
            Self::NotInnermost(_) | Self::TasksPending { .. } | Self::FinishOpen(_) => 5,
            Self::NotEnded(_) | Self::NotSignalled(_) => 6,
            Self::Held(_) | Self::SharedIsolated | Self::NotHeld(_) | Self::HeldAtEnd(_) => 7,
            Self::AfterClose | Self::NotClosed => 8,
            Self::NotInBlock(_) => 9,
            Self::Unannounced(_) | Self::UnknownSite(_) | Self::UnknownName(_) => return None,
            Self::BadExtent { .. } | Self::TooSpread => return None,
        })
    }

    fn describe(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingRuns => write!(f, "no task is running"),
            Self::NotRunning(task) => write!(f, "task {} ends while it is not running", task.raw()),
            Self::NotNext { kind, id, next } => {
                write!(
                    f,
                    "{kind} {id} is announced where {kind} {next} would be next"
                )
            }
            Self::Unknown { kind, id } => write!(f, "{kind} {id} was never announced"),
            Self::BeganBefore(task) => write!(f, "task {} begins again", task.raw()),
            Self::NeverBegan(task) => write!(f, "task {} runs on but never began", task.raw()),
            Self::EndedBefore(task) => write!(f, "task {} has already ended", task.raw()),
            Self::NotEnclosing(finish) => {
                write!(
                    f,
                    "a task is spawned into finish {}, which does not enclose it",
                    finish.raw()
                )
            }
            Self::NotInnermost(finish) => {
                write!(
                    f,
                    "finish {} ends but is not the running task's innermost",
                    finish.raw()
                )
            }
            Self::TasksPending { finish, tasks } => {
                write!(
                    f,
                    "finish {} ends before {tasks} of its tasks",
                    finish.raw()
                )
            }
            Self::FinishOpen(finish) => {
                write!(
                    f,
                    "a task ends before finish {}, which it began",
                    finish.raw()
                )
            }
            Self::NotEnded(task) => write!(f, "task {} is joined before its end", task.raw()),
            Self::NotSignalled(token) => {
                write!(f, "token {} is waited for before any signal", token.raw())
            }
            Self::Held(lock) => write!(f, "lock {} is taken while it is held", lock.raw()),
            Self::SharedIsolated => f.write_str("isolated is shared"),
            Self::NotHeld(lock) => {
                write!(
                    f,
                    "lock {} is given back by a task that does not hold it",
                    lock.raw()
                )
            }
            Self::HeldAtEnd(task) => write!(f, "task {} ends while it holds a lock", task.raw()),
            Self::NotInBlock(task) => {
                write!(f, "task {} leaves an atomic block it is not in", task.raw())
            }
            Self::AfterClose => write!(f, "an event follows the end of the run"),
            Self::NotClosed => write!(f, "the run stops without an end"),
            Self::Unannounced(feature) => write!(f, "the run uses {feature}, not announced"),
            Self::UnknownSite(site) => write!(f, "the legend has no site {}", site.raw()),
            Self::UnknownName(name) => write!(f, "the legend has no name {}", name.raw()),
            Self::BadExtent { start, len } => {
                write!(f, "{len} locations from {start} are too many")
            }
            Self::TooSpread => write!(f, "the run touches too many locations"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(f)?;
        match self.rule() {
            Some(rule) => write!(f, " (rule {rule})"),
            None => Ok(()),
        }
    }
}

impl Error for Violation {}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Task => "task",
            Self::Finish => "finish",
            Self::Lock => "lock",
            Self::Token => "token",
        })
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExtraEdges => "extra edges",
            Self::ScopeHandles => "scope handles",
            Self::Isolated => "isolated",
            Self::Locks => "locks",
            Self::Cuts => "cuts",
            Self::Atomics => "atomics",
        })
    }
}
