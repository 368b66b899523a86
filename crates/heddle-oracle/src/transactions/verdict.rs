//! What can be seen of a program's cuts, by Definition 13: all schedules of the cut program against
//! all schedules of the uncut one.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{AccessAssignment, Behaviour, access_constraints, conflicts, reachable};
use super::model::{Atomization, Cell, Transaction};
use super::schedule::{Schedule, schedules};

/// Two transactions of one thread, the earlier one first: the thesis's t0 and t0'.
pub type Pair = (Transaction, Transaction);

/// The locations through which a thread cycle leaves t0 and comes back to t0'.
pub type Closing = (Cell, Cell);

/// The answer for one program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// A schedule that is not equivalent to any schedule of the uncut program, if there is one: the
    /// program *contains a data race*.
    pub witness: Option<Schedule>,
    /// The root causes: each pair that some schedule shows by a thread cycle which starts at t0,
    /// ends at t0' and otherwise passes only through threads in parallel with theirs (condition 1 of Theorem 14; of
    /// other cycles, cases 2 and 3 of Theorem 15 say that they have a root cause elsewhere). With each,
    /// the locations that can close such a cycle.
    pub root_causes: BTreeMap<Pair, BTreeSet<Closing>>,
}

impl Verdict {
    /// Whether the program contains a data race.
    pub fn is_race(&self) -> bool {
        self.witness.is_some()
    }
}

/// The verdict on a program; `None` if it has more than `limit` schedules.
pub fn verdict(program: &Atomization, limit: usize) -> Option<Verdict> {
    let uncut = program.atomic_threads();
    let serial: BTreeSet<Behaviour> = schedules(&uncut, limit)?
        .iter()
        .map(|schedule| Behaviour::of(&uncut, schedule))
        .collect();
    let mut verdict = Verdict::default();
    for schedule in schedules(program, limit)? {
        if serial.contains(&Behaviour::of(program, &schedule)) {
            continue;
        }
        for (pair, closings) in root_causes_of(program, &access_constraints(program, &schedule)) {
            let known = verdict.root_causes.entry(pair).or_default();
            known.extend(closings);
        }
        verdict.witness.get_or_insert(schedule);
    }
    Some(verdict)
}

/// The root causes in the graph with these access edges: by Theorem 14, thread cycles that start at t0 and end at a later
/// transaction of the same thread, all other threads being in parallel with it.
pub fn root_causes_of(
    program: &Atomization,
    edges: &AccessAssignment,
) -> BTreeMap<Pair, BTreeSet<Closing>> {
    let mut found: BTreeMap<Pair, BTreeSet<Closing>> = BTreeMap::new();
    for &(start, first) in edges {
        // The thread itself is not in parallel with itself, so no path passes through it twice.
        let may_pass = |thread| program.parallel(thread, start.thread);
        let mut passed = reachable(program, edges, first.thread, may_pass);
        passed.insert(first.thread);
        for &(last, end) in edges {
            let closes = end.thread == start.thread && start.index < end.index;
            if closes && passed.contains(&last.thread) {
                let closings = found.entry((start, end)).or_default();
                for out in conflicts(program, start, first) {
                    closings.extend(
                        conflicts(program, last, end)
                            .iter()
                            .map(|&back| (out, back)),
                    );
                }
            }
        }
    }
    found
}
