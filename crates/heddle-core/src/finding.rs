//! Findings: what the detectors say, as plain data in terms of ids.
//!
//! Reports resolve the ids with a [`Legend`](crate::Legend) and render; they add no logic.

use crate::event::{AccessKind, Awaited, FaultKind, FinishKind, TaskKind};
use crate::id::{FinishId, GroupId, LockId, NameId, SiteId, TaskId, TokenId};
use crate::run::OrderChoice;
use crate::transaction::{Separation, TransactionCounts};

/// Whether a finding stands in every schedule that keeps what was handed over between sections.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Certainty {
    /// Exists only if a hand-off between two sections of a lock can be undone.
    Possible,
    /// Exists with the hand-offs counted as order.
    Certain,
}

/// One access of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Read or write.
    pub kind: AccessKind,
    /// Where in the source.
    pub site: SiteId,
    /// By which task.
    pub task: TaskId,
    /// The locks held, ascending.
    pub locks: Vec<LockId>,
}

/// A location in the program's own terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The variable or array; `None` for memory nobody named.
    pub name: Option<NameId>,
    /// The element, for arrays.
    pub index: Option<u64>,
    /// The location's number: tells apart objects that share a name.
    pub location: u64,
}

/// Why two tasks are parallel: `spawned` runs beside everything up to the end of `finish`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Why {
    /// The closest common ancestor of both tasks.
    pub ancestor: TaskId,
    /// The child of `ancestor` through which one side runs beside the other.
    pub spawned: TaskId,
    /// Where that child is joined.
    pub finish: FinishId,
    /// Which of the two accesses (0 or 1) lies inside `spawned`.
    pub side: usize,
}

/// One reported defect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Two parallel conflicting accesses without common protection.
    Race {
        /// Certain or possible.
        certainty: Certainty,
        /// What is raced on.
        place: Place,
        /// The two accesses, in the sequence in which they ran.
        accesses: [Access; 2],
        /// Why they are parallel.
        why: Why,
        /// How often this pair of source positions raced on this place.
        count: u64,
    },
    /// Two accesses that belong together, and one that can come between them.
    Atomicity {
        /// Certain or possible.
        certainty: Certainty,
        /// The group that is to be accessed as one, if it is one.
        group: Option<GroupId>,
        /// What is torn: a location, or the members of the group.
        places: Vec<Place>,
        /// The three accesses in the sequence that tears: the first and the last are of one region.
        accesses: [Access; 3],
        /// What each of them accesses.
        touched: [Place; 3],
        /// Why the first and the second are parallel.
        why: Why,
        /// How often this triple of source positions was found on this place.
        count: u64,
        /// 0 where the program declares the unit atomic. Else how far it is from a sure defect, from 1 on.
        rank: u8,
    },
    /// Two transactions of one strand whose separation can be seen.
    Transaction(Box<Separation>),
    /// An assertion of the program failed.
    Assertion {
        /// The assertion.
        site: SiteId,
        /// The first task that failed it.
        task: TaskId,
        /// How often it failed.
        count: u64,
    },
    /// Nothing can run and tasks remain.
    Deadlock {
        /// Every waiting task and what it waits for.
        waits: Vec<Wait>,
    },
    /// Tasks that wait for each other in a circle, if a schedule lets all of them get so far.
    PossibleDeadlock {
        /// Each waits for the next, the last for the first.
        chain: Vec<Link>,
    },
    /// The program broke a rule of the runtime it uses.
    Misuse {
        /// What it did, in one sentence.
        what: NameId,
        /// What to do about it.
        help: NameId,
        /// Where.
        site: SiteId,
        /// The first task that did.
        task: TaskId,
        /// What else there is to see, and where.
        related: Option<(NameId, SiteId)>,
        /// How often.
        count: u64,
    },
}

/// One task of a possible deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// Who waits.
    pub task: TaskId,
    /// The lock it holds that the one before waits for, and where it took it. None where
    /// the one before waits for the task itself.
    pub holds: Option<(LockId, SiteId)>,
    /// For what it waits.
    pub awaited: Awaited,
    /// Where.
    pub site: SiteId,
}

/// One task that waits forever.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wait {
    /// Who waits.
    pub task: TaskId,
    /// For what.
    pub awaited: Awaited,
    /// Where.
    pub site: SiteId,
}

/// What is known of one task; reports show the chain of these up to the main task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TaskInfo {
    /// Who spawned it.
    pub parent: TaskId,
    /// Where.
    pub site: SiteId,
    /// Into which finish.
    pub finish: FinishId,
    /// How.
    pub kind: TaskKind,
    /// Its name in the program, if it has one.
    pub name: Option<NameId>,
}

/// What is known of one finish.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FinishInfo {
    /// Whose it is.
    pub owner: TaskId,
    /// Where it begins.
    pub site: SiteId,
    /// What it is in the program's terms.
    pub kind: FinishKind,
}

/// What "clean" means for a run (DESIGN: never more than was checked).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Guarantee {
    /// No mutual exclusion and no choice: one run answers for all schedules of this input.
    AllSchedules,
    /// Locks, isolated or a free choice (`ewait`) were used: other schedules may access otherwise.
    KeepingAccesses,
    /// Every schedule that can differ was run.
    Explored,
    /// So many schedules were run, and there are more.
    Partly {
        /// How many.
        schedules: u64,
    },
    /// The run stopped early: only what ran was checked.
    UpToHere,
    /// A library schedules the program's tasks, and how is not known.
    UnknownScheduler,
    /// The analysis this program asks for was not made (transactions).
    NotChecked,
}

/// How much work was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Tasks, the main task included.
    pub tasks: u64,
    /// Finishes, the implicit one included.
    pub finishes: u64,
    /// Strands that made an access.
    pub strands: u64,
    /// Extra edges: joins and waits.
    pub extra_edges: u64,
    /// Hand-off edges between sections.
    pub hand_offs: u64,
    /// Locations read.
    pub reads: u64,
    /// Locations written.
    pub writes: u64,
    /// Locations that have more races than [`MOST_RACES`].
    pub crowded: u64,
}

/// So many races of one location are told, each with its pair of positions: of certain ones, and of possible ones.
pub const MOST_RACES: u32 = 1000;

/// Everything one checked run yields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The defects.
    pub findings: Vec<Finding>,
    /// What the absence of findings means.
    pub guarantee: Guarantee,
    /// Set when the program itself did something undefined.
    pub fault: Option<(SiteId, FaultKind)>,
    /// All spawned tasks; row `n` is task `n + 1`. Task 0, the main task, has none.
    pub tasks: Vec<TaskInfo>,
    /// All begun finishes; row `n` is finish `n + 1`. Finish 0 is the main task's.
    pub finishes: Vec<FinishInfo>,
    /// Names of locks; row `n` is lock `n + 1`.
    pub locks: Vec<NameId>,
    /// Names of tokens.
    pub tokens: Vec<NameId>,
    /// How much was done.
    pub counts: Counts,
    /// The orders that were used, one per pass; the last decided.
    pub orders: Vec<OrderChoice>,
    /// What the check of transactions did, if it was made.
    pub transactions: Option<TransactionCounts>,
}

impl Outcome {
    /// What is known of `task`; `None` for the main task.
    pub fn task(&self, task: TaskId) -> Option<&TaskInfo> {
        self.tasks.get(task.index().checked_sub(1)?)
    }

    /// What is known of `finish`; `None` for the implicit one.
    pub fn finish(&self, finish: FinishId) -> Option<&FinishInfo> {
        self.finishes.get(finish.index().checked_sub(1)?)
    }

    /// The lock's name; `None` for isolated.
    pub fn lock(&self, lock: LockId) -> Option<NameId> {
        self.locks.get(lock.index().checked_sub(1)?).copied()
    }

    /// The token's name.
    pub fn token(&self, token: TokenId) -> Option<NameId> {
        self.tokens.get(token.index()).copied()
    }
}
