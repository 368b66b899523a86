//! Thread cycles: how one leads from a transaction back to a later one of the same strand, and whether
//! a schedule can follow it.
//!
//! A *route* names strands and what leads from each to the next; a [`Cycle`] also names the
//! transactions. Its access constraints are a race assignment (Huang, Definition 16) iff together with
//! the serial order they contain no cycle of transactions.

use crate::interactions::{Incidence, Interactions};
use crate::log::{Log, Strand, Transaction};
use crate::order::Order;

/// What leads from one strand to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Via {
    /// Conflicting accesses to this location.
    Access(u32),
    /// The order of tasks.
    Serial,
}

/// Where a cycle starts or ends on the separated strand: a transaction at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The strand.
    pub strand: Strand,
    /// The location.
    pub location: u32,
    /// What the transaction does there.
    pub incidence: Incidence,
}

/// The strands of a thread cycle, without the one that is separated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// Where it starts.
    pub start: End,
    /// The strands in between, each with what leads to it.
    pub stops: Vec<(Via, Strand)>,
    /// Where it ends; what leads there is its location.
    pub end: End,
}

/// One step of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leg {
    /// An access constraint: the first transaction comes before the second.
    Access {
        /// What both access.
        location: u32,
        /// The earlier transaction.
        from: Incidence,
        /// The later transaction.
        to: Incidence,
    },
    /// Task order between strands.
    Serial(Strand, Strand),
}

/// A thread cycle with its transactions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// From the first transaction of the separated strand to the second.
    pub legs: Vec<Leg>,
}

/// How transactions of the strands in between are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Enter early and leave late, so that the story runs forward.
    Forward,
    /// Enter late and leave early: where the strand in between can be separated as well, it is, and
    /// fewer transactions follow from each other.
    Apart,
}

impl Route {
    /// The cycle that follows this route.
    pub fn cycle(&self, choice: Choice, interactions: &Interactions) -> Option<Cycle> {
        let mut legs = Vec::new();
        let mut at = self.start.strand;
        for &(via, strand) in &self.stops {
            legs.push(match via {
                Via::Serial => Leg::Serial(at, strand),
                Via::Access(location) => {
                    let from = self.options(at, location, interactions);
                    let to = self.options(strand, location, interactions);
                    leg(location, &from, &to, choice)?
                }
            });
            at = strand;
        }
        let from = self.options(at, self.end.location, interactions);
        legs.push(leg(
            self.end.location,
            &from,
            &[self.end.incidence],
            choice,
        )?);
        Some(Cycle { legs })
    }

    /// What a strand does at a location; the separated strand only what the cycle starts with.
    fn options(&self, strand: Strand, location: u32, all: &Interactions) -> Vec<Incidence> {
        if strand == self.start.strand {
            return vec![self.start.incidence];
        }
        let entry = all.entry_at(location, strand);
        entry.map_or(Vec::new(), |entry| all.incidences(entry).to_vec())
    }
}

/// The conflicting pair that fits the choice best.
fn leg(location: u32, from: &[Incidence], to: &[Incidence], choice: Choice) -> Option<Leg> {
    let pair = match choice {
        Choice::Forward => conflicting(from.iter().rev(), to.iter()),
        Choice::Apart => conflicting(from.iter(), to.iter().rev()),
    };
    let (from, to) = pair?;
    Some(Leg::Access { location, from, to })
}

fn conflicting<'a>(
    from: impl Iterator<Item = &'a Incidence>,
    to: impl Iterator<Item = &'a Incidence> + Clone,
) -> Option<(Incidence, Incidence)> {
    let mut pairs = from.flat_map(|from| to.clone().map(move |to| (*from, *to)));
    pairs.find(|(from, to)| from.conflicts(to))
}

impl Cycle {
    /// The cycle of these steps; several of task order in a row are one.
    pub fn new(steps: impl Iterator<Item = Leg>) -> Self {
        let mut legs: Vec<Leg> = Vec::new();
        for leg in steps {
            match (legs.last_mut(), leg) {
                (Some(Leg::Serial(_, last)), Leg::Serial(_, next)) => *last = next,
                _ => legs.push(leg),
            }
        }
        Self { legs }
    }

    /// The access constraints.
    pub fn constraints(&self) -> impl Iterator<Item = (Transaction, Transaction)> + '_ {
        self.legs.iter().filter_map(|leg| match leg {
            Leg::Access { from, to, .. } => Some((from.transaction, to.transaction)),
            Leg::Serial(..) => None,
        })
    }

    /// The transactions of the access constraints in a sequence that satisfies them and the serial
    /// order; else those of the constraints that are on a cycle of transactions.
    pub fn sequence(&self, log: &Log, order: &mut Order) -> Result<Vec<Transaction>, Vec<usize>> {
        let constraints: Vec<_> = self.constraints().collect();
        sequence(&constraints, log, order)
    }
}

/// See [`Cycle::sequence`].
pub fn sequence(
    constraints: &[(Transaction, Transaction)],
    log: &Log,
    order: &mut Order,
) -> Result<Vec<Transaction>, Vec<usize>> {
    let mut nodes: Vec<Transaction> = Vec::new();
    for &(from, to) in constraints {
        for node in [from, to] {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }
    let row = |node| nodes.iter().position(|&one| one == node).unwrap_or(0);
    let mut later = vec![Vec::new(); nodes.len()];
    for (number, &(from, to)) in constraints.iter().enumerate() {
        later[row(from)].push((row(to), Some(number)));
    }
    for (a, &one) in nodes.iter().enumerate() {
        for (b, &two) in nodes.iter().enumerate() {
            if serial(one, two, log, order) {
                later[a].push((b, None));
            }
        }
    }
    match sorted(&later) {
        Some(rows) => Ok(rows.into_iter().map(|row| nodes[row]).collect()),
        None => Err(on_a_cycle(&later)),
    }
}

/// Whether one transaction precedes another by the order of tasks or within its strand.
pub fn serial(one: Transaction, two: Transaction, log: &Log, order: &mut Order) -> bool {
    let [first, second] = [one, two].map(|row| log.transactions[row as usize].strand);
    match first == second {
        true => one < two,
        false => order.precedes(first, second),
    }
}

type Later = Vec<Vec<(usize, Option<usize>)>>;

/// A topological order; of those that can come next, the first row does.
fn sorted(later: &Later) -> Option<Vec<usize>> {
    let mut missing = vec![0; later.len()];
    for &(to, _) in later.iter().flatten() {
        missing[to] += 1;
    }
    let mut done = vec![false; later.len()];
    let mut rows = Vec::new();
    while let Some(next) = (0..later.len()).find(|&row| !done[row] && missing[row] == 0) {
        done[next] = true;
        rows.push(next);
        for &(to, _) in &later[next] {
            missing[to] -= 1;
        }
    }
    (rows.len() == later.len()).then_some(rows)
}

/// The constraints on the first cycle that a search finds.
fn on_a_cycle(later: &Later) -> Vec<usize> {
    let mut state = vec![0u8; later.len()];
    for root in 0..later.len() {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        // Row, next edge, the constraint that led here.
        let mut path: Vec<(usize, usize, Option<usize>)> = vec![(root, 0, None)];
        while let Some((row, at, _)) = path.last_mut() {
            let Some(&(to, by)) = later[*row].get(*at) else {
                state[*row] = 2;
                path.pop();
                continue;
            };
            *at += 1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    path.push((to, 0, by));
                }
                1 => {
                    let from = path.iter().position(|&(row, ..)| row == to).unwrap_or(0);
                    let behind = path[from + 1..].iter().filter_map(|&(.., by)| by);
                    return behind.chain(by).collect();
                }
                _ => {}
            }
        }
    }
    Vec::new()
}
