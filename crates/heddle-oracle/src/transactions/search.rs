//! The same question by trying all thread cycles, for programs with too many schedules.
//!
//! By Theorem 7 a cut can be seen iff there is a race assignment, and a smallest one consists of the access
//! edges of a thread cycle that visits no thread twice (the certificate of Theorem 8). So it is
//! enough to try all such cycles. A path whose assignment graph has a cycle already is given up: more
//! edges do not remove it. Exponential in the number of threads.

use super::definitions::{
    AccessAssignment, has_cycle, possible_access_constraints, topological_order,
};
use super::model::{Atomization, Thread, Transaction};
use super::schedule::Schedule;
use super::verdict::Pair;

/// A search through the thread cycles of a program.
#[derive(Debug)]
pub struct Search<'a> {
    program: &'a Atomization,
    edges: AccessAssignment,
}

impl<'a> Search<'a> {
    /// The search in this program.
    pub fn new(program: &'a Atomization) -> Self {
        let edges = possible_access_constraints(program);
        Self { program, edges }
    }

    /// Whether the program has a race assignment.
    pub fn finds_a_race(&self) -> bool {
        self.pairs()
            .any(|pair| self.race_assignment(pair).is_some())
    }

    /// The root causes: pairs for which there is a race assignment with a thread cycle through
    /// threads in parallel with theirs.
    pub fn root_causes(&self) -> Vec<Pair> {
        let pairs = self.pairs();
        pairs
            .filter(|&pair| self.race_assignment(pair).is_some())
            .collect()
    }

    /// All pairs of transactions of one thread.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let transactions = self.program.transactions();
        transactions.flat_map(|start| {
            let later = self.program.of(start.thread);
            let later = later.filter(move |end| start.index < end.index);
            later.map(move |end| (start, end))
        })
    }

    /// The access edges of a thread cycle that starts and ends with this pair, passes only through
    /// threads in parallel with theirs, and whose assignment graph has no cycle.
    pub fn race_assignment(&self, pair: Pair) -> Option<AccessAssignment> {
        let mut path = Path {
            pair,
            assignment: AccessAssignment::new(),
            visited: Vec::new(),
        };
        self.goes_on(&mut path, Step::From(pair.0))
            .then_some(path.assignment)
    }

    /// A schedule that realizes the race assignment of this pair.
    pub fn witness(&self, pair: Pair) -> Option<Schedule> {
        topological_order(self.program, &self.race_assignment(pair)?)
    }

    /// Whether the path can be completed; if so, it is.
    fn goes_on(&self, path: &mut Path, step: Step) -> bool {
        let starts = |from: &Transaction| match step {
            Step::From(start) => *from == start,
            Step::Through(thread) => from.thread == thread,
        };
        let edges = self.edges.iter().filter(|(from, _)| starts(from));
        for &edge in edges {
            if self.takes(path, edge) {
                return true;
            }
        }
        let Step::Through(thread) = step else {
            return false;
        };
        let threads = self.program.threads();
        let mut next = threads.filter(|&to| self.program.before(to).contains(&thread));
        next.any(|to| self.visits(path, to))
    }

    fn takes(&self, path: &mut Path, edge: (Transaction, Transaction)) -> bool {
        let is_new = path.assignment.insert(edge);
        let done = !has_cycle(self.program, &path.assignment)
            && (edge.1 == path.pair.1 || self.visits(path, edge.1.thread));
        if !done && is_new {
            path.assignment.remove(&edge);
        }
        done
    }

    fn visits(&self, path: &mut Path, thread: Thread) -> bool {
        let home = path.pair.0.thread;
        if path.visited.contains(&thread) || !self.program.parallel(thread, home) {
            return false;
        }
        path.visited.push(thread);
        let done = self.goes_on(path, Step::Through(thread));
        path.visited.pop();
        done
    }
}

/// Where a path may leave from.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// This transaction.
    From(Transaction),
    /// Any transaction of this thread.
    Through(Thread),
}

struct Path {
    pair: Pair,
    assignment: AccessAssignment,
    visited: Vec<Thread>,
}
