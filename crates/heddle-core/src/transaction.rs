//! A finding about transactions, as plain data: two transactions of one strand whose separation can
//! be seen, and the cycle that shows it.

use crate::event::CutBy;
use crate::finding::{Access, Certainty, Place};
use crate::id::{SiteId, TaskId};

/// Two transactions of one strand that others can come between such that the outcome is none that
/// uncut strands can have (Huang: *Data-Race Detection in Transactions-Everywhere Parallel
/// Programming*, 2003; the pair (t0, t0') of Theorem 14 and its thread cycle).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Separation {
    /// Certain if the cycle was confirmed by a schedule.
    pub certainty: Certainty,
    /// How it was decided.
    pub decision: Decision,
    /// The locations whose accesses close the cycle on the separated strand, ascending.
    pub places: Vec<Place>,
    /// The access of the first transaction with which the cycle starts, and that of the second with
    /// which it ends.
    pub parted: [Access; 2],
    /// The cuts between the two, in the sequence of the strand.
    pub cuts: Vec<Cut>,
    /// The cycle, from the first transaction to the second.
    pub cycle: Vec<Step>,
    /// The accesses of the cycle in the sequence in which the schedule makes them.
    pub schedule: Vec<Moment>,
    /// How many strands were found separated at these source positions.
    pub count: u64,
}

/// A cut between two transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Where.
    pub site: SiteId,
    /// Whose it is.
    pub by: CutBy,
}

/// What is known of a thread cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// A schedule of these accesses shows it.
    Confirmed,
    /// The program was run again under that schedule, and what it did then is not serializable.
    Replayed,
    /// The schedule of the recorded accesses shows it, but run under it the program does otherwise.
    Diverged,
    /// Neither a schedule nor a proof that there is none was found within the bound.
    Undecided,
}

/// One step of a cycle, from strand to strand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Two conflicting accesses of parallel transactions, the first of which comes first.
    Conflict {
        /// What both access.
        place: Place,
        /// The earlier access.
        from: Access,
        /// The later access.
        to: Access,
    },
    /// Task order: what the one task did precedes what the other does next.
    Serial {
        /// The task of the earlier strand.
        from: TaskId,
        /// The task of the later strand.
        to: TaskId,
    },
}

/// One access of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The access.
    pub access: Access,
    /// What it touches.
    pub place: Place,
}

/// What the check of transactions did, beside findings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TransactionCounts {
    /// Transactions that made an access.
    pub transactions: u64,
    /// Pairs of parallel transactions with conflicting accesses, counted once for each location; at most
    /// [`TransactionCounts::MOST_INTERACTIONS`] are counted.
    pub interactions: u64,
    /// Thread cycles of which a schedule was found.
    pub confirmed: u64,
    /// Thread cycles that no schedule shows.
    pub refuted: u64,
    /// Thread cycles that could not be decided.
    pub undecided: u64,
    /// Of those confirmed or undecided, how many have no finding of their own: they differ from others at the
    /// same source positions in their locations alone, and those are many.
    pub unlisted: u64,
}

impl TransactionCounts {
    /// From here on interactions are no longer counted.
    pub const MOST_INTERACTIONS: u64 = 20_000_000;
}
