//! Which strands a path may pass: the part of the exact question that does not depend on the way it takes.
//!
//! A path from the start to the end visits every strand at most once. If all ways lead over one strand (a
//! *gate*), what can be reached without it comes before it and the rest behind it. So of two strands with
//! gates between them it is known which comes first; and if that one follows the other in the order of tasks,
//! not both can be on the path, for the steps between them lead from the one to the other.
//!
//! One variable per strand says whether it is allowed. A solver chooses the allowed strands; if no way through
//! them leads to the end, one of those that bound what was reached must be allowed: the next clause.
//! The formulas of Huang's chapter 4 become themselves: a gate stands between variables and clauses, a literal
//! excludes the positions that hold it, and each clause is such a bound.
//!
//! # Guarantee
//! [`Allowed::None`] is a proof. A path that is found is one, but its steps may contradict each other where no
//! gate decides; then nothing is known.

use batsat::{BasicSolver, Lit, SolverInterface, lbool};

use crate::log::{Strand, Transaction};
use crate::order::Order;

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Row of the strand it leaves; the start has none.
    pub from: Option<usize>,
    /// Row of the strand it enters; the end has none.
    pub to: Option<usize>,
    /// The transactions that it orders, if it is no step of task order.
    pub constraint: Option<(Transaction, Transaction)>,
}

/// What comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Allowed {
    /// These steps lead to the end.
    Path(Vec<usize>),
    /// None do.
    None,
    /// It would take too long.
    Unknown,
}

/// Steps looked at to find the gates.
const MOST_WORK: usize = 50_000_000;
/// Bounds that are tried.
const MOST_ROUNDS: usize = 20_000;

/// Looks for a path through strands that do not exclude each other.
pub fn path(strands: &[Strand], steps: &[Step], order: &mut Order) -> Allowed {
    let count = strands.len();
    if count * steps.len().max(count) > MOST_WORK {
        return Allowed::Unknown;
    }
    let graph = Graph::new(count, steps);
    let mut solver = BasicSolver::default();
    let may: Vec<Lit> = (0..count)
        .map(|_| Lit::new(solver.new_var(lbool::TRUE, true), true))
        .collect();
    for [one, other] in graph.exclusions(strands, &can_break(count, steps), order) {
        solver.add_clause_reuse(&mut vec![!may[one], !may[other]]);
    }
    for _ in 0..MOST_ROUNDS {
        if solver.solve_limited(&[]) != lbool::TRUE {
            return Allowed::None;
        }
        let is_allowed = |row: usize| solver.value_lit(may[row]) == lbool::TRUE;
        match graph.search(is_allowed) {
            Reached::End(path) => return Allowed::Path(path),
            Reached::Bound(rows) => {
                let mut clause: Vec<Lit> = rows.into_iter().map(|row| may[row]).collect();
                solver.add_clause_reuse(&mut clause);
            }
        }
    }
    Allowed::Unknown
}

/// The steps between strands.
struct Graph {
    /// Those that leave each strand, and behind the strands those that leave the start.
    leaving: Vec<Vec<(usize, Option<usize>)>>,
    /// The strands from which each can be entered, and behind the strands those that lead to the end.
    before: Vec<Vec<usize>>,
}

enum Reached {
    /// By these steps.
    End(Vec<usize>),
    /// Strands that may not be passed, next to what was reached. Every way has one of them where it leaves
    /// that for the last time.
    Bound(Vec<usize>),
}

impl Graph {
    fn new(start: usize, steps: &[Step]) -> Self {
        let mut leaving = vec![Vec::new(); start + 1];
        let mut before = vec![Vec::new(); start + 1];
        for (step, &Step { from, to, .. }) in steps.iter().enumerate() {
            leaving[from.unwrap_or(start)].push((step, to));
            before[to.unwrap_or(start)].extend(from);
        }
        Self { leaving, before }
    }

    fn count(&self) -> usize {
        self.leaving.len() - 1
    }

    /// The shortest way from the start to the end.
    fn search(&self, is_allowed: impl Fn(usize) -> bool) -> Reached {
        let start = self.count();
        let mut came: Vec<Option<(usize, usize)>> = vec![None; start];
        let mut bound = vec![false; start];
        let mut queue = vec![start];
        let mut next = 0;
        while next < queue.len() {
            let row = queue[next];
            next += 1;
            for &(step, to) in &self.leaving[row] {
                match to {
                    None => return Reached::End(back(step, row, &came)),
                    Some(to) if !is_allowed(to) => bound[to] = true,
                    Some(to) if came[to].is_none() => {
                        came[to] = Some((step, row));
                        queue.push(to);
                    }
                    Some(_) => {}
                }
            }
        }
        let leads = self.leading(|row| came[row].is_none());
        let rows = (0..start).filter(|&row| bound[row] && leads[row]);
        Reached::Bound(rows.collect())
    }

    /// From which of these strands the end is reached through these alone.
    fn leading(&self, is_one: impl Fn(usize) -> bool) -> Vec<bool> {
        let end = self.count();
        let mut leads = vec![false; end];
        let mut work = vec![end];
        while let Some(row) = work.pop() {
            for &from in &self.before[row] {
                if is_one(from) && !leads[from] {
                    leads[from] = true;
                    work.push(from);
                }
            }
        }
        leads
    }

    /// What is reached without a strand, and whether the end is.
    fn without(&self, gate: usize) -> (Vec<bool>, bool) {
        let start = self.count();
        let mut is_reached = vec![false; start];
        let mut work = vec![start];
        let mut is_end = false;
        while let Some(row) = work.pop() {
            for &(_, to) in &self.leaving[row] {
                match to {
                    None => is_end = true,
                    Some(to) if to != gate && !is_reached[to] => {
                        is_reached[to] = true;
                        work.push(to);
                    }
                    Some(_) => {}
                }
            }
        }
        (is_reached, is_end)
    }

    /// When each strand is passed, as far as gates tell: how many gates stand before it, and a gate is itself
    /// behind what it is the next gate for.
    fn times(&self) -> Vec<u32> {
        let mut times = vec![0; self.count()];
        for gate in 0..self.count() {
            let (is_reached, is_end) = self.without(gate);
            if !is_end {
                times[gate] += 1;
                for row in (0..self.count()).filter(|&row| !is_reached[row] && row != gate) {
                    times[row] += 2;
                }
            }
        }
        times
    }

    /// Pairs of strands that cannot both be on the path.
    fn exclusions(
        &self,
        strands: &[Strand],
        can_break: &[bool],
        order: &mut Order,
    ) -> Vec<[usize; 2]> {
        let times = self.times();
        let mut rows: Vec<usize> = (0..self.count()).collect();
        rows.sort_by_key(|&row| times[row]);
        let breaks: Vec<(u32, usize)> = rows
            .iter()
            .filter(|&&row| can_break[row])
            .map(|&row| (times[row], row))
            .collect();
        // Whether the steps from one to the other hold together.
        let is_whole = |one: usize, other: usize| {
            let from = breaks.partition_point(|&(time, _)| time < times[one]);
            let between = breaks[from..].iter();
            let mut between = between.take_while(|&&(time, _)| time <= times[other]);
            !between.any(|&(_, row)| row != one && row != other)
        };
        let mut exclusions = Vec::new();
        for &one in &rows {
            for &other in rows.iter().rev() {
                if times[other] <= times[one] {
                    break;
                }
                let [first, second] = [one, other].map(|row| strands[row]);
                if order.precedes(second, first) && is_whole(one, other) {
                    exclusions.push([one, other]);
                }
            }
        }
        exclusions
    }
}

/// Which strands may be left by an earlier transaction than they are entered by.
fn can_break(count: usize, steps: &[Step]) -> Vec<bool> {
    let mut entered: Vec<Option<Transaction>> = vec![None; count];
    let mut left: Vec<Option<Transaction>> = vec![None; count];
    for step in steps {
        let Some((from, to)) = step.constraint else {
            continue;
        };
        if let Some(row) = step.to {
            entered[row] = entered[row].max(Some(to));
        }
        if let Some(row) = step.from {
            left[row] = Some(left[row].map_or(from, |left| left.min(from)));
        }
    }
    let pairs = entered.into_iter().zip(left);
    let is_broken = |(entered, left): (Option<_>, Option<_>)| left.is_some() && left < entered;
    pairs.map(is_broken).collect()
}

/// The steps from the start up to this one.
fn back(step: usize, mut row: usize, came: &[Option<(usize, usize)>]) -> Vec<usize> {
    let mut path = vec![step];
    while let Some((step, from)) = came.get(row).copied().flatten() {
        path.push(step);
        row = from;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gate_separates_is_passed_in_that_sequence() {
        // The start leads to 0 and 1, both to the gate 2, that to 3, and 3 to the end; steps lead back as well.
        let steps = [
            (None, Some(0)),
            (None, Some(1)),
            (Some(0), Some(1)),
            (Some(1), Some(0)),
            (Some(0), Some(2)),
            (Some(1), Some(2)),
            (Some(2), Some(0)),
            (Some(2), Some(3)),
            (Some(3), Some(2)),
            (Some(3), None),
        ];
        let steps = steps.map(|(from, to)| Step {
            from,
            to,
            constraint: None,
        });
        let graph = Graph::new(4, &steps);
        assert_eq!(graph.times(), [0, 0, 1, 3]);
        let Reached::End(path) = graph.search(|row| row != 0) else {
            panic!("1 is a way");
        };
        assert_eq!(path, [1, 5, 7, 9]);
        let Reached::Bound(rows) = graph.search(|row| row != 2) else {
            panic!("2 is a gate");
        };
        assert_eq!(rows, [2]);
    }
}
