//! The definitions of chapters 2 and 3 of the thesis, under its names.
//!
//! Each is written as it is printed, without regard to cost. One thing is made explicit that the
//! thesis leaves to the reader: a read before any write receives the initial value, which counts as a
//! write that comes before all others.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::AccessKind;

use super::model::{Atomization, Cell, Instruction, Thread, Transaction};

/// A set of directed access constraints (Definition 6); as a choice of some of those that the
/// access interactions allow, an *access assignment* (Definition 10).
pub type AccessAssignment = BTreeSet<(Transaction, Transaction)>;

/// What Definition 5 looks at: per location, the writes in their order, and the write whose value
/// each read receives (`None`: the initial value).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Behaviour {
    writes: BTreeMap<Cell, Vec<Instruction>>,
    reads: BTreeMap<Instruction, Option<Instruction>>,
}

impl Behaviour {
    /// What a schedule of this atomization does.
    pub fn of(program: &Atomization, schedule: &[Transaction]) -> Self {
        let mut behaviour = Self::default();
        for &transaction in schedule {
            for (instruction, access) in program.instructions(transaction) {
                let writes = behaviour.writes.entry(access.cell).or_default();
                match access.kind {
                    AccessKind::Write => writes.push(instruction),
                    AccessKind::Read => {
                        let seen = writes.last().copied();
                        behaviour.reads.insert(instruction, seen);
                    }
                }
            }
        }
        behaviour
    }
}

/// Definition 5: two schedules, of two atomizations of one program, are *equivalent* if for each location
/// corresponding writes occur in the same order and corresponding reads receive values written by
/// corresponding writes.
pub fn equivalent(
    (one, schedule): (&Atomization, &[Transaction]),
    (other, other_schedule): (&Atomization, &[Transaction]),
) -> bool {
    Behaviour::of(one, schedule) == Behaviour::of(other, other_schedule)
}

/// Definition 8: two transactions have an *access interaction* if they are in parallel, both access a location, and at
/// least one of them writes it.
pub fn interact(program: &Atomization, one: Transaction, other: Transaction) -> bool {
    program.parallel(one.thread, other.thread) && !conflicts(program, one, other).is_empty()
}

/// The locations through which two transactions conflict, whether they are in parallel or not.
pub fn conflicts(program: &Atomization, one: Transaction, other: Transaction) -> BTreeSet<Cell> {
    let mine = program.accesses(one).iter();
    let theirs = program.accesses(other);
    mine.filter(|mine| theirs.iter().any(|theirs| mine.conflicts_with(*theirs)))
        .map(|mine| mine.cell)
        .collect()
}

/// Every access constraint that the access interactions of the program allow, in both directions.
pub fn possible_access_constraints(program: &Atomization) -> AccessAssignment {
    let transactions: Vec<Transaction> = program.transactions().collect();
    let pairs = transactions
        .iter()
        .flat_map(|&one| transactions.iter().map(move |&other| (one, other)));
    pairs
        .filter(|&(one, other)| interact(program, one, other))
        .collect()
}

/// Definition 6: the *access constraints* of a schedule point from the earlier to the later of two
/// transactions that interact.
pub fn access_constraints(program: &Atomization, schedule: &[Transaction]) -> AccessAssignment {
    let mut constraints = AccessAssignment::new();
    for (n, &earlier) in schedule.iter().enumerate() {
        for &later in &schedule[n + 1..] {
            if interact(program, earlier, later) {
                constraints.insert((earlier, later));
            }
        }
    }
    constraints
}

/// Definition 10: a schedule *realizes* an access assignment that is a subset of its access constraints.
pub fn realizes(
    program: &Atomization,
    schedule: &[Transaction],
    assignment: &AccessAssignment,
) -> bool {
    assignment.is_subset(&access_constraints(program, schedule))
}

/// Definition 10: an access assignment is *realizable* if some of these, which are all schedules of
/// the program, realizes it.
pub fn is_realizable(
    program: &Atomization,
    schedules: &[Vec<Transaction>],
    assignment: &AccessAssignment,
) -> bool {
    let mut schedules = schedules.iter();
    schedules.any(|schedule| realizes(program, schedule, assignment))
}

/// Definition 14: the *induced access assignment* on the atomic-threads atomization has a constraint between two threads
/// wherever the schedule has one between transactions of theirs.
pub fn induced_access_assignment(constraints: &AccessAssignment) -> AccessAssignment {
    let whole = |one: &Transaction| Transaction {
        thread: one.thread,
        index: 0,
    };
    constraints
        .iter()
        .map(|(one, other)| (whole(one), whole(other)))
        .collect()
}

/// Whether the *assignment graph* (Definition 11) has a cycle: thread edges, transaction edges and the
/// assignment's own. With the access constraints of a schedule this is its *schedule graph* (Definition 7).
pub fn has_cycle(program: &Atomization, assignment: &AccessAssignment) -> bool {
    topological_order(program, assignment).is_none()
}

/// A schedule that realizes the assignment, by topological sort (the backward direction of Lemma 3);
/// `None` if its assignment graph has a cycle.
pub fn topological_order(
    program: &Atomization,
    assignment: &AccessAssignment,
) -> Option<Vec<Transaction>> {
    let mut left: BTreeSet<Transaction> = program.transactions().collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let is_first = |one: &&Transaction| {
            let is_held_back = |earlier: &Transaction| {
                assignment.contains(&(*earlier, **one))
                    || program.precedes(earlier.thread, one.thread)
                    || (earlier.thread == one.thread && earlier.index < one.index)
            };
            !left.iter().any(is_held_back)
        };
        let next = *left.iter().find(is_first)?;
        left.remove(&next);
        order.push(next);
    }
    Some(order)
}

/// Definition 15: whether the graph with these access edges has a *thread cycle*: a series of thread and access
/// edges in which each begins in the thread where the one before it ended.
pub fn has_thread_cycle(program: &Atomization, assignment: &AccessAssignment) -> bool {
    program
        .threads()
        .any(|start| reachable(program, assignment, start, |_| true).contains(&start))
}

/// The threads that thread and access edges lead to from `start`, by way of threads that `may_pass`.
pub fn reachable(
    program: &Atomization,
    assignment: &AccessAssignment,
    start: Thread,
    may_pass: impl Fn(Thread) -> bool,
) -> BTreeSet<Thread> {
    let mut found = BTreeSet::new();
    let mut left = vec![start];
    while let Some(from) = left.pop() {
        let by_access = assignment.iter();
        let by_access = by_access.filter(|(one, _)| one.thread == from);
        let by_access = by_access.map(|(_, other)| other.thread);
        let by_thread = program.threads();
        let by_thread = by_thread.filter(|&to| program.before(to).contains(&from));
        for to in by_access.chain(by_thread) {
            if may_pass(to) && found.insert(to) {
                left.push(to);
            }
        }
    }
    found
}

/// Definition 16: a *race assignment* is an access assignment whose assignment graph contains a thread
/// cycle but does not contain any cycles.
pub fn is_race_assignment(program: &Atomization, assignment: &AccessAssignment) -> bool {
    has_thread_cycle(program, assignment) && !has_cycle(program, assignment)
}
