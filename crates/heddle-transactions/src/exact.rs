//! Decides exactly whether two transactions can be separated, with a SAT solver.
//!
//! Deciding whether an atomized program has a race assignment is NP-complete (Huang, Theorem 8). The
//! question here is that of one start and one end: is there a path of strands from t0 to t0' whose access
//! constraints, together with the serial order, contain no cycle of transactions?
//!
//! # Encoding
//! One variable per possible step from strand to strand. Exactly one step leaves the start; a strand
//! that is entered is left; a strand is entered at most once. From the start, steps then form a path that
//! can only stop at the end. That they contain no cycle is said by an order of the transactions
//! concerned: one variable per pair, two clauses per triple, a step implies that its transactions are so
//! ordered. Where the triples would be too many, cycles are forbidden one by one as they turn up.
//!
//! Of the pairs of transactions that two strands can step over, only those count that leave earliest and
//! enter latest: whatever follows from such a step follows from the others too.
//!
//! # Guarantee
//! `Some(cycle)` is a race assignment; `None` is a proof that there is none between this start and this
//! end. Within a bound; beyond it the answer is [`Answer::Unknown`].

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::cell::Cell;

use crate::cycle::{Cycle, End, Leg, sequence, serial};
use crate::interactions::{Incidence, Interactions};
use crate::log::{Log, Strand, Transaction};
use crate::order::Order;

/// How much work one decision may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Strands that may be on the path.
    pub strands: usize,
    /// Steps between them.
    pub steps: usize,
    /// Decisions of the solver.
    pub decisions: u64,
    /// Cycles forbidden one by one.
    pub rounds: usize,
}

impl Bound {
    /// Takes well under a second.
    pub const QUICK: Self = Self {
        strands: 400,
        steps: 20_000,
        decisions: 200_000,
        rounds: 200,
    };
    /// As much as it takes, within reason for memory.
    pub const THOROUGH: Self = Self {
        strands: 20_000,
        steps: 2_000_000,
        decisions: u64::MAX,
        rounds: usize::MAX,
    };
}

/// What was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is such a cycle.
    Cycle(Cycle),
    /// There is none.
    None,
    /// The bound was reached.
    Unknown,
}

/// Up to here the order of transactions is written out.
const MOST_ORDERED: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Hop {
    /// Row of the strand it leaves; the start has none.
    from: Option<usize>,
    /// Row of the strand it enters; the end has none.
    to: Option<usize>,
    leg: Leg,
    var: Var,
}

/// Decides between one start and one end, over these strands.
pub fn decide(
    ends: [End; 2],
    strands: &[Strand],
    bound: Bound,
    log: &Log,
    interactions: &Interactions,
    order: &mut Order,
) -> Answer {
    let budget = Budget {
        left: Cell::new(bound.decisions),
    };
    let mut problem = Problem {
        solver: Solver::new(SolverOpts::default(), budget),
        hops: Vec::new(),
        strands,
        log,
        interactions,
        order,
    };
    problem.add_hops(ends, bound.steps);
    if problem.hops.len() > bound.steps {
        return Answer::Unknown;
    }
    problem.drop_dead_ends();
    problem.add_path();
    problem.add_order();
    problem.solve(bound.rounds)
}

struct Problem<'a> {
    solver: Solver<Budget>,
    hops: Vec<Hop>,
    strands: &'a [Strand],
    log: &'a Log,
    interactions: &'a Interactions,
    order: &'a mut Order,
}

impl Problem<'_> {
    fn add_hops(&mut self, [start, end]: [End; 2], most: usize) {
        for row in 0..self.strands.len() {
            let strand = self.strands[row];
            if let Some(leg) = self.best(start.location, &[start.incidence], strand, Side::From) {
                self.hop(None, Some(row), leg);
            }
            if let Some(leg) = self.best(end.location, &[end.incidence], strand, Side::To) {
                self.hop(Some(row), None, leg);
            }
            self.add_hops_from(row);
            if self.hops.len() > most {
                return;
            }
        }
    }

    /// The step between the separated strand and this one.
    fn best(&self, location: u32, own: &[Incidence], other: Strand, side: Side) -> Option<Leg> {
        let entry = self.interactions.entry_at(location, other)?;
        let other = self.interactions.incidences(entry);
        match side {
            Side::From => legs(location, own, other)
                .into_iter()
                .min_by_key(|&leg| times(leg).1),
            Side::To => legs(location, other, own)
                .into_iter()
                .min_by_key(|&leg| times(leg).0),
        }
    }

    fn add_hops_from(&mut self, row: usize) {
        let strand = self.strands[row];
        let interactions = self.interactions;
        let mut options: Vec<(usize, Leg)> = Vec::new();
        for &here in interactions.of(strand) {
            let here = &interactions.entries[here as usize];
            for other in &interactions.entries[interactions.at(here.location)] {
                let Ok(to) = self.strands.binary_search(&other.strand) else {
                    continue;
                };
                if to != row && (here.writes || other.writes) {
                    let from_here = interactions.incidences(here);
                    let to_there = interactions.incidences(other);
                    let legs = legs(here.location, from_here, to_there);
                    options.extend(legs.into_iter().map(|leg| (to, leg)));
                }
            }
        }
        options.sort_by_key(|&(to, leg)| (to, times(leg)));
        for options in options.chunk_by(|a, b| a.0 == b.0) {
            let to = options[0].0;
            if self.order.parallel(strand, self.strands[to]) {
                let mut latest = None;
                // Sorted by when they leave: only one that enters later than all before is new.
                for &(_, leg) in options {
                    let entered = times(leg).1.0;
                    if latest.is_none_or(|latest| entered > latest) {
                        latest = Some(entered);
                        self.hop(Some(row), Some(to), leg);
                    }
                }
            }
        }
        for to in 0..self.strands.len() {
            if self.order.precedes(strand, self.strands[to]) {
                let leg = Leg::Serial(strand, self.strands[to]);
                self.hop(Some(row), Some(to), leg);
            }
        }
    }

    fn hop(&mut self, from: Option<usize>, to: Option<usize>, leg: Leg) {
        // Steps are not taken unless they must be.
        let var = self.solver.new_var(lbool::FALSE, true);
        self.hops.push(Hop { from, to, leg, var });
    }

    /// Steps to strands from which the end cannot be reached are no steps.
    fn drop_dead_ends(&mut self) {
        let mut leads: Vec<bool> = vec![false; self.strands.len()];
        loop {
            let mut changed = false;
            for hop in &self.hops {
                let good = hop.to.is_none_or(|to| leads[to]);
                if let Some(from) = hop.from
                    && good
                    && !leads[from]
                {
                    leads[from] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let (kept, dropped): (Vec<Hop>, Vec<Hop>) = std::mem::take(&mut self.hops)
            .into_iter()
            .partition(|hop| hop.to.is_none_or(|to| leads[to]));
        self.hops = kept;
        for hop in dropped {
            self.clause(&[!lit(hop)]);
        }
    }

    fn add_path(&mut self) {
        let starts: Vec<Lit> = self
            .hops
            .iter()
            .filter(|hop| hop.from.is_none())
            .map(|&hop| lit(hop))
            .collect();
        self.clause(&starts);
        self.at_most_one(&starts);
        let mut entering = vec![Vec::new(); self.strands.len()];
        let mut leaving = vec![Vec::new(); self.strands.len()];
        for &hop in &self.hops {
            if let Some(to) = hop.to {
                entering[to].push(lit(hop));
            }
            if let Some(from) = hop.from {
                leaving[from].push(lit(hop));
            }
        }
        for (entering, leaving) in entering.iter().zip(&leaving) {
            self.at_most_one(entering);
            for &enters in entering {
                let mut clause = leaving.clone();
                clause.push(!enters);
                self.clause(&clause);
            }
        }
    }

    /// Sequential counter: linear in the number of literals.
    fn at_most_one(&mut self, literals: &[Lit]) {
        let mut before: Option<Lit> = None;
        for &literal in literals {
            let so_far = Lit::new(self.solver.new_var_default(), true);
            self.clause(&[!literal, so_far]);
            if let Some(before) = before {
                self.clause(&[!before, so_far]);
                self.clause(&[!before, !literal]);
            }
            before = Some(so_far);
        }
    }

    /// The order of the transactions that steps touch, if they are few enough.
    fn add_order(&mut self) {
        let mut nodes: Vec<Transaction> = Vec::new();
        for hop in &self.hops {
            if let Leg::Access { from, to, .. } = hop.leg {
                nodes.extend([from.transaction, to.transaction]);
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() > MOST_ORDERED {
            return;
        }
        let count = nodes.len();
        let mut before = vec![Lit::UNDEF; count * count];
        for a in 0..count {
            for b in a + 1..count {
                let literal = Lit::new(self.solver.new_var_default(), true);
                before[a * count + b] = literal;
                before[b * count + a] = !literal;
                if serial(nodes[a], nodes[b], self.log, self.order) {
                    self.clause(&[literal]);
                } else if serial(nodes[b], nodes[a], self.log, self.order) {
                    self.clause(&[!literal]);
                }
            }
        }
        for a in 0..count {
            for b in a + 1..count {
                for c in b + 1..count {
                    let at = |from: usize, to: usize| before[from * count + to];
                    self.clause(&[!at(a, b), !at(b, c), !at(c, a)]);
                    self.clause(&[!at(a, c), !at(c, b), !at(b, a)]);
                }
            }
        }
        let row = |node: Transaction| nodes.binary_search(&node).unwrap_or(0);
        for hop in self.hops.clone() {
            if let Leg::Access { from, to, .. } = hop.leg {
                let (from, to) = (row(from.transaction), row(to.transaction));
                self.clause(&[!lit(hop), before[from * count + to]]);
            }
        }
    }

    fn solve(&mut self, rounds: usize) -> Answer {
        let mut round = 0;
        loop {
            let result = self.solver.solve_limited(&[]);
            if result == lbool::FALSE {
                return Answer::None;
            }
            if result != lbool::TRUE || round >= rounds {
                return Answer::Unknown;
            }
            round += 1;
            let path = self.path();
            let steps = path.iter().filter_map(|hop| match hop.leg {
                Leg::Access { from, to, .. } => Some((*hop, (from.transaction, to.transaction))),
                Leg::Serial(..) => None,
            });
            let (hops, constraints): (Vec<Hop>, Vec<_>) = steps.unzip();
            match sequence(&constraints, self.log, self.order) {
                Ok(_) => {
                    let legs = path.iter().map(|hop| hop.leg).collect();
                    return Answer::Cycle(Cycle { legs });
                }
                Err(cycle) => {
                    let clause: Vec<Lit> = cycle.iter().map(|&row| !lit(hops[row])).collect();
                    self.clause(&clause);
                }
            }
        }
    }

    /// The steps from the start to the end.
    fn path(&self) -> Vec<Hop> {
        let taken: Vec<Hop> = self
            .hops
            .iter()
            .copied()
            .filter(|&hop| self.solver.value_lit(lit(hop)) == lbool::TRUE)
            .collect();
        let mut path: Vec<Hop> = Vec::new();
        let mut at = None;
        while let Some(&hop) = taken.iter().find(|hop| hop.from == at) {
            path.push(hop);
            at = hop.to;
            if at.is_none() || path.len() > taken.len() {
                break;
            }
        }
        path
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }
}

#[derive(Clone, Copy)]
enum Side {
    From,
    To,
}

fn lit(hop: Hop) -> Lit {
    Lit::new(hop.var, true)
}

/// When a step leaves its strand, and when it enters the next, the latest first.
fn times(leg: Leg) -> (Transaction, std::cmp::Reverse<Transaction>) {
    match leg {
        Leg::Access { from, to, .. } => (from.transaction, std::cmp::Reverse(to.transaction)),
        Leg::Serial(..) => (0, std::cmp::Reverse(0)),
    }
}

/// The steps over one location that leave earliest or enter latest.
fn legs(location: u32, from: &[Incidence], to: &[Incidence]) -> Vec<Leg> {
    let writes = |incidence: &&Incidence| incidence.write.is_some();
    let pairs = [
        (from.first(), to.iter().rev().find(writes)),
        (from.iter().find(writes), to.last()),
    ];
    let mut legs = Vec::new();
    for pair in pairs {
        if let (Some(&from), Some(&to)) = pair {
            legs.push(Leg::Access { location, from, to });
        }
    }
    legs
}

/// Stops the solver after so many decisions.
struct Budget {
    left: Cell<u64>,
}

impl Callbacks for Budget {
    fn stop(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0
    }
}
