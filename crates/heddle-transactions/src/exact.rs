//! Decides exactly whether two transactions can be separated, with a SAT solver.
//!
//! Deciding whether an atomized program has a race assignment is NP-complete (Huang, Theorem 8). The
//! question here is that of one start and one end: is there a path of strands from t0 to t0' whose access
//! constraints, together with the serial order, contain no cycle of transactions?
//!
//! # Encoding
//! One variable per possible step from strand to strand. Exactly one step leaves the start; a strand
//! that is entered is left; a strand is entered at most once. From the start, steps then form a path that
//! can only stop at the end.
//!
//! The path visits every strand once, so a cycle of transactions contains a *turn*: task order between
//! different strands that leads back to a transaction further up the path. That no cycle passes a turn is
//! said by one variable per transaction, "it follows from this turn", which steps and task order pass on,
//! and which must not hold of what precedes the turn. These clauses are added for a turn when a path with a
//! cycle through it turns up; after as many rounds as there are turns, nothing is left to add.
//!
//! Before that, the question is asked of strands alone (`allowed.rs`), which settles what gates decide.
//!
//! Of the pairs of transactions that two strands can step over, only those count that leave earliest and
//! enter latest: whatever follows from such a step follows from the others too. Task order goes from
//! strand to strand over thread edges, so that there are as many steps as edges.
//!
//! # Guarantee
//! `Some(cycle)` is a race assignment; `None` is a proof that there is none between this start and this
//! end. Within a bound; beyond it the answer is [`Answer::Unknown`].

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

use crate::allowed::{self, Allowed, Step};
use crate::cycle::{Cycle, End, Leg, sequence};
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
    /// Clauses about turns.
    pub clauses: usize,
}

impl Bound {
    /// Takes well under a second.
    pub const QUICK: Self = Self {
        strands: 2_000,
        steps: 40_000,
        decisions: 200_000,
        clauses: 2_000_000,
    };
    /// As much as it takes, within reason for memory.
    pub const THOROUGH: Self = Self {
        strands: 20_000,
        steps: 2_000_000,
        decisions: u64::MAX,
        clauses: usize::MAX,
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

#[derive(Clone, Copy, Debug)]
struct Hop {
    /// Row of the strand it leaves; the start has none.
    from: Option<usize>,
    /// Row of the strand it enters; the end has none.
    to: Option<usize>,
    leg: Leg,
    var: Var,
}

/// The strands that can be on a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Around {
    /// Ascending. All that thread edges lead over, also those without interactions.
    pub strands: Vec<Strand>,
    /// The thread edges between them: of each row, the rows of those that follow.
    pub after: Vec<Vec<usize>>,
}

/// Decides between one start and one end, over these strands.
pub fn decide(
    ends: [End; 2],
    around: &Around,
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
        after: &around.after,
        strands: &around.strands,
        log,
        interactions,
        order,
    };
    problem.add_hops(ends, bound.steps);
    if problem.hops.len() > bound.steps {
        return Answer::Unknown;
    }
    problem.drop_dead_ends();
    if let Some(answer) = problem.by_strands() {
        return answer;
    }
    problem.add_path();
    problem.solve(bound.clauses)
}

struct Problem<'a> {
    solver: Solver<Budget>,
    hops: Vec<Hop>,
    /// Task order between the strands.
    after: &'a [Vec<usize>],
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
        let after = self.after;
        for &to in &after[row] {
            let leg = Leg::Serial(strand, self.strands[to]);
            self.hop(Some(row), Some(to), leg);
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

    /// What the strands alone decide, whatever the way through them.
    fn by_strands(&mut self) -> Option<Answer> {
        let steps = self.hops.iter().map(|hop| Step {
            from: hop.from,
            to: hop.to,
            constraint: hop.constraint(),
        });
        let steps: Vec<Step> = steps.collect();
        match allowed::path(self.strands, &steps, self.order) {
            Allowed::None => Some(Answer::None),
            Allowed::Unknown => None,
            Allowed::Path(path) => {
                let legs = path.iter().map(|&hop| self.hops[hop].leg);
                let cycle = Cycle::new(legs);
                let is_schedule = cycle.sequence(self.log, self.order).is_ok();
                is_schedule.then_some(Answer::Cycle(cycle))
            }
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

    fn solve(&mut self, most: usize) -> Answer {
        let graph = self.graph();
        let mut added: FxHashSet<Transaction> = FxHashSet::default();
        let mut clauses = 0;
        loop {
            let result = self.solver.solve_limited(&[]);
            if result == lbool::FALSE {
                return Answer::None;
            }
            if result != lbool::TRUE || clauses > most {
                return Answer::Unknown;
            }
            let path = self.path();
            let constraints: Vec<_> = path.iter().filter_map(|hop| hop.constraint()).collect();
            match sequence(&constraints, self.log, self.order) {
                Ok(_) => {
                    let legs = path.iter().map(|hop| hop.leg);
                    return Answer::Cycle(Cycle::new(legs));
                }
                Err(cycle) => {
                    let turns = turns(&cycle, &constraints, self.log);
                    for turn in turns.into_iter().filter(|&turn| added.insert(turn)) {
                        clauses += self.add_turn(turn, &graph);
                    }
                }
            }
        }
    }

    /// The transactions that steps touch, and their order by tasks.
    fn graph(&self) -> Graph {
        let strand = |node: Transaction| self.log.transactions[node as usize].strand;
        let constraints = self.hops.iter().filter_map(|hop| hop.constraint());
        let mut nodes: Vec<Transaction> = constraints.flat_map(|(from, to)| [from, to]).collect();
        nodes.sort_unstable_by_key(|&node| (strand(node), node));
        nodes.dedup();
        let first = self.strands.len();
        let mut later = Vec::new();
        for (row, &of) in self.strands.iter().enumerate() {
            let start = nodes.partition_point(|&node| strand(node) < of);
            let end = nodes.partition_point(|&node| strand(node) <= of);
            let mut at = row;
            for node in first + start..first + end {
                later.push((at, node));
                at = node;
            }
            later.extend(self.after[row].iter().map(|&next| (at, next)));
        }
        let numbers = (first..).zip(&nodes).map(|(number, &node)| (node, number));
        Graph {
            count: first + nodes.len(),
            numbers: numbers.collect(),
            later,
        }
    }

    /// No cycle passes this transaction. How many clauses that takes.
    fn add_turn(&mut self, turn: Transaction, graph: &Graph) -> usize {
        let turn = graph.numbers[&turn];
        // Nothing follows unless it must.
        let variables = (0..graph.count).map(|_| self.solver.new_var(lbool::FALSE, true));
        let follows: Vec<Lit> = variables.map(|variable| Lit::new(variable, true)).collect();
        let serial = graph.later.iter().map(|&pair| (pair, None));
        let steps = self.hops.iter().filter_map(|hop| {
            let (from, to) = hop.constraint()?;
            Some(((graph.numbers[&from], graph.numbers[&to]), Some(!lit(*hop))))
        });
        let edges: Vec<_> = serial.chain(steps).collect();
        for &((from, to), unless) in &edges {
            // What leaves the turn follows from it; what leads to it must not.
            let from = (from != turn).then(|| !follows[from]);
            let to = (to != turn).then(|| follows[to]);
            let clause: Vec<Lit> = from.into_iter().chain(to).chain(unless).collect();
            self.clause(&clause);
        }
        edges.len()
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

impl Hop {
    /// The access constraint of this step.
    fn constraint(&self) -> Option<(Transaction, Transaction)> {
        match self.leg {
            Leg::Access { from, to, .. } => Some((from.transaction, to.transaction)),
            Leg::Serial(..) => None,
        }
    }
}

/// The strands' beginnings, numbered by row, and behind them the transactions that steps touch.
struct Graph {
    count: usize,
    numbers: FxHashMap<Transaction, usize>,
    /// Which follows directly on which by task order.
    later: Vec<(usize, usize)>,
}

/// Where the constraints on a cycle are joined by task order between different strands.
fn turns(
    cycle: &[usize],
    constraints: &[(Transaction, Transaction)],
    log: &Log,
) -> Vec<Transaction> {
    let strand = |node: Transaction| log.transactions[node as usize].strand;
    let next = cycle.iter().cycle().skip(1);
    let joints = cycle.iter().zip(next);
    let joints = joints.map(|(&one, &two)| (constraints[one].1, constraints[two].0));
    let turns = joints.filter(|&(from, to)| strand(from) != strand(to));
    turns.map(|(_, to)| to).collect()
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
