//! Part C: the search for thread cycles.
//!
//! For every strand e0 and every transaction t0 of it, Huang searches the threads that can be reached
//! from t0 over access interactions and thread edges, all of them parallel with e0, for one that leads
//! back to a later transaction t0' of e0 (Theorem 14). He proves that every data race shows such a cycle
//! (Theorem 15): a cycle through a serial ancestor or descendant of e0 (cases 2 and 3) has a shorter one
//! in it, which is the root cause and is found in its own place.
//!
//! # Deviations
//! 1. All cycles are looked for, not the first: for each pair (t0, t0') each location that both access, or
//!    else the shortest cycle. A pair that two others span (t0, t1), (t1, t0') at one location is left out.
//! 2. Where t0 and t0' interact at the same location, one parallel strand suffices, and its cycle is always
//!    real: t0, the other, t0' is a schedule. No search is made for these.
//! 3. A cycle stays within a strongly connected component of the strands (interactions lead both ways,
//!    thread edges one way), and its first and last step lie in one block of the undirected graph, since
//!    without e0 there is still a way between them. Without two entries of e0 in the same block and in
//!    different transactions there is no search. (Further on a cycle may leave the block.)
//!
//! # Cost
//! Linear to find the blocks. Then at worst one search of a component per location of a strand that may be
//! separated: the thesis's O(n·μ), on programs where strands meet at few locations far less.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cycle::{End, Route, Via};
use crate::graph::{Adjacency, blocks, components};
use crate::interactions::{Entry, Incidence, Interactions};
use crate::log::{Log, NONE, Strand, Transaction};
use crate::order::Order;

/// Where a thread cycle can be, and who wants to know of it.
#[derive(Debug)]
pub struct Search<'a> {
    log: &'a Log,
    interactions: &'a Interactions,
    /// The thread edges.
    successors: Adjacency,
    /// Of strands, then of locations.
    component: Vec<u32>,
    /// Of entries.
    block: Vec<u32>,
    /// What the running search has seen.
    marks: Marks,
    /// The same for [`Search::around`], which is called in the middle of a search.
    other_marks: Marks,
}

/// What a search has seen.
#[derive(Debug)]
struct Marks {
    /// The search that saw each strand last.
    seen: Vec<u32>,
    /// What led to it then.
    came: Vec<(Via, Strand)>,
    number: u32,
}

/// Decides what is found on the way.
pub trait Decide {
    /// Both transactions interact with `stop` at one location.
    fn single(&mut self, start: End, stop: Strand, end: End);
    /// A cycle over different locations. Whether it stands: if so, no other one is looked for between
    /// these two transactions.
    fn cross(&mut self, route: Route, search: &mut Search<'_>, order: &mut Order) -> bool;
    /// Whether nothing new can be learnt of a cycle between these.
    fn is_known(&self, start: &End, end: &End) -> bool;
}

/// Pairs of transactions of one strand that are found separated.
#[derive(Default, Debug)]
struct Found {
    pairs: FxHashSet<(Transaction, Transaction)>,
    /// The nearest later transaction that each is separated from.
    nearest: FxHashMap<Transaction, Transaction>,
}

impl Found {
    fn insert(&mut self, first: Transaction, second: Transaction) {
        self.pairs.insert((first, second));
        let nearest = self.nearest.entry(first).or_insert(second);
        *nearest = second.min(*nearest);
    }

    /// The later transactions that need no finding of their own with this one: mending those found
    /// mends them.
    fn spanned(&self, first: Transaction) -> FxHashSet<Transaction> {
        let chain = std::iter::successors(Some(first), |at| self.nearest.get(at).copied());
        chain.collect()
    }

    fn has(&self, first: Transaction, second: Transaction) -> bool {
        self.pairs.contains(&(first, second))
    }
}

/// What is looked for from one start, by location.
#[derive(Debug)]
struct Goals {
    ends: FxHashMap<u32, Vec<End>>,
}

impl<'a> Search<'a> {
    /// Prepares the search.
    pub fn new(log: &'a Log, interactions: &'a Interactions) -> Self {
        let strands = log.strands.len();
        let successors = Adjacency::new(strands, &log.edges);
        let component = component(log, interactions);
        let block = block(log, interactions, &component);
        Self {
            log,
            interactions,
            successors,
            component,
            block,
            marks: Marks::new(strands),
            other_marks: Marks::new(strands),
        }
    }

    /// Looks at every strand.
    pub fn run(&mut self, order: &mut Order, decide: &mut impl Decide) {
        for strand in 0..self.log.strands.len() as Strand {
            let rows = self.interactions.of(strand);
            if rows.is_empty() {
                continue;
            }
            let mut found = self.singles(rows, decide);
            self.crosses(rows, &mut found, order, decide);
        }
    }

    fn entry(&self, row: u32) -> &'a Entry {
        &self.interactions.entries[row as usize]
    }

    /// Neighbouring transactions at one location.
    fn singles(&self, rows: &[u32], decide: &mut impl Decide) -> Found {
        let mut found = Found::default();
        for entry in rows.iter().map(|&row| self.entry(row)) {
            let stop = match entry.writer {
                NONE => entry.partner,
                writer => writer,
            };
            for pair in self.interactions.incidences(entry).windows(2) {
                let [start, end] = [pair[0], pair[1]].map(|incidence| end_of(entry, incidence));
                found.insert(pair[0].transaction, pair[1].transaction);
                decide.single(start, stop, end);
            }
        }
        found
    }

    /// Cycles that leave at one location and come back at another.
    fn crosses(
        &mut self,
        rows: &[u32],
        found: &mut Found,
        order: &mut Order,
        decide: &mut impl Decide,
    ) {
        let mut by_block: Vec<(u32, u32)> = rows
            .iter()
            .map(|&row| (self.block[row as usize], row))
            .collect();
        by_block.sort_unstable();
        for rows in by_block.chunk_by(|a, b| a.0 == b.0) {
            if rows.len() < 2 {
                continue;
            }
            let mut starts: Vec<(Incidence, u32)> = Vec::new();
            for &(_, row) in rows {
                let all = self.interactions.incidences(self.entry(row));
                starts.extend(all.iter().map(|&incidence| (incidence, row)));
            }
            starts.sort_by_key(|&(incidence, row)| (incidence.transaction, row));
            if starts[0].0.transaction == starts[starts.len() - 1].0.transaction {
                continue;
            }
            // From the last to the first, so that it is known which pairs are spanned by others.
            for at in (0..starts.len()).rev() {
                self.cross_from(&starts, at, found, order, decide);
            }
        }
    }

    fn cross_from(
        &mut self,
        starts: &[(Incidence, u32)],
        at: usize,
        found: &mut Found,
        order: &mut Order,
        decide: &mut impl Decide,
    ) {
        let (incidence, row) = starts[at];
        let start = end_of(self.entry(row), incidence);
        let first = incidence.transaction;
        let mut goals = self.goals(starts, at, &start, found, decide);
        goals.drop_found(first, found);
        if goals.ends.is_empty() {
            return;
        }
        let mut marks = std::mem::take(&mut self.marks);
        let mut queue = self.first(start, &mut marks, order);
        let mut next = 0;
        while next < queue.len() && !goals.ends.is_empty() {
            let strand = queue[next];
            next += 1;
            for end in self.reached(strand, &goals) {
                let second = end.incidence.transaction;
                if found.has(first, second) || found.spanned(first).contains(&second) {
                    continue;
                }
                if decide.cross(marks.route(start, strand, end), self, order) {
                    found.insert(first, second);
                }
                goals.drop_found(first, found);
                goals.drop_end(&end);
            }
            self.expand(strand, start.strand, &mut marks, &mut queue, order);
        }
        self.marks = marks;
    }

    /// Later transactions up to the next one at the location of the start, which spans the rest.
    fn goals(
        &self,
        starts: &[(Incidence, u32)],
        at: usize,
        start: &End,
        found: &mut Found,
        decide: &impl Decide,
    ) -> Goals {
        let (_, row) = starts[at];
        let mut ends: FxHashMap<u32, Vec<End>> = FxHashMap::default();
        for &(incidence, other) in &starts[at + 1..] {
            if incidence.transaction == start.incidence.transaction {
                continue;
            }
            if other == row {
                break;
            }
            let end = end_of(self.entry(other), incidence);
            match decide.is_known(start, &end) {
                true => found.insert(start.incidence.transaction, incidence.transaction),
                false => ends.entry(end.location).or_default().push(end),
            }
        }
        Goals { ends }
    }

    /// Starts a new search with the strands that interact with the start.
    fn first(&self, start: End, marks: &mut Marks, order: &mut Order) -> Vec<Strand> {
        marks.number += 1;
        marks.seen[start.strand as usize] = marks.number;
        let mut queue = Vec::new();
        for row in self.interactions.at(start.location) {
            let entry = &self.interactions.entries[row];
            let meets = entry.writes || start.incidence.write.is_some();
            if meets && marks.is_new(entry.strand) && order.parallel(entry.strand, start.strand) {
                marks.visit(entry.strand, Via::Access(start.location), start.strand);
                queue.push(entry.strand);
            }
        }
        queue
    }

    /// The goals that a strand interacts with, the earliest transaction first.
    fn reached(&self, strand: Strand, goals: &Goals) -> Vec<End> {
        let mut reached = Vec::new();
        for entry in self
            .interactions
            .of(strand)
            .iter()
            .map(|&row| self.entry(row))
        {
            let ends = goals.ends.get(&entry.location).into_iter().flatten();
            let met = ends.filter(|end| entry.writes || end.incidence.write.is_some());
            reached.extend(met.copied());
        }
        reached.sort_by_key(|end| (end.incidence.transaction, end.location));
        reached
    }

    /// Goes on from a strand: to what conflicts with it, and to what follows it. Only to strands that
    /// are parallel with the separated one.
    fn expand(
        &self,
        strand: Strand,
        torn: Strand,
        marks: &mut Marks,
        queue: &mut Vec<Strand>,
        order: &mut Order,
    ) {
        for &row in self.interactions.of(strand) {
            let here = self.entry(row);
            for other in &self.interactions.entries[self.interactions.at(here.location)] {
                if marks.is_new(other.strand)
                    && (here.writes || other.writes)
                    && order.parallel(other.strand, torn)
                    && order.parallel(other.strand, strand)
                {
                    marks.visit(other.strand, Via::Access(here.location), strand);
                    queue.push(other.strand);
                }
            }
        }
        let component = self.component[strand as usize];
        for &(next, _) in self.successors.of(strand) {
            let is_inside = self.component[next as usize] == component;
            let is_nobody = self.log.strands[next as usize].task.is_none();
            if is_inside && marks.is_new(next) && (is_nobody || order.parallel(next, torn)) {
                marks.visit(next, Via::Serial, strand);
                queue.push(next);
            }
        }
    }

    /// All strands with interactions that can be on a cycle with this start; nothing if there are more
    /// than so many.
    pub fn around(&mut self, start: End, order: &mut Order, most: usize) -> Option<Vec<Strand>> {
        let mut marks = std::mem::take(&mut self.other_marks);
        let mut queue = self.first(start, &mut marks, order);
        let mut next = 0;
        while next < queue.len() && queue.len() <= most {
            let strand = queue[next];
            next += 1;
            self.expand(strand, start.strand, &mut marks, &mut queue, order);
        }
        self.other_marks = marks;
        let is_all = queue.len() <= most;
        queue.retain(|&strand| !self.interactions.of(strand).is_empty());
        queue.sort_unstable();
        is_all.then_some(queue)
    }
}

fn end_of(entry: &Entry, incidence: Incidence) -> End {
    End {
        strand: entry.strand,
        location: entry.location,
        incidence,
    }
}

impl Goals {
    /// Leaves out what is found, or spanned by what is found.
    fn drop_found(&mut self, first: Transaction, found: &Found) {
        let spanned = found.spanned(first);
        self.ends.retain(|_, ends| {
            ends.retain(|end| {
                let second = end.incidence.transaction;
                !spanned.contains(&second) && !found.has(first, second)
            });
            !ends.is_empty()
        });
    }

    fn drop_end(&mut self, end: &End) {
        if let Some(ends) = self.ends.get_mut(&end.location) {
            ends.retain(|other| other != end);
            if ends.is_empty() {
                self.ends.remove(&end.location);
            }
        }
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Marks {
    fn new(strands: usize) -> Self {
        Self {
            seen: vec![0; strands],
            came: vec![(Via::Serial, NONE); strands],
            number: 0,
        }
    }

    fn is_new(&self, strand: Strand) -> bool {
        self.seen[strand as usize] != self.number
    }

    fn visit(&mut self, strand: Strand, via: Via, from: Strand) {
        self.seen[strand as usize] = self.number;
        self.came[strand as usize] = (via, from);
    }

    /// The way from the start to this strand, and on to the end.
    fn route(&self, start: End, last: Strand, end: End) -> Route {
        let mut stops = Vec::new();
        let mut at = last;
        while at != start.strand {
            let (via, from) = self.came[at as usize];
            stops.push((via, at));
            at = from;
        }
        stops.reverse();
        // Several steps of task order in a row are one.
        let mut short: Vec<(Via, Strand)> = Vec::new();
        for stop in stops {
            match short.last_mut() {
                Some(before) if before.0 == Via::Serial && stop.0 == Via::Serial => {
                    before.1 = stop.1;
                }
                _ => short.push(stop),
            }
        }
        Route {
            start,
            stops: short,
            end,
        }
    }
}

fn component(log: &Log, interactions: &Interactions) -> Vec<u32> {
    let strands = log.strands.len() as u32;
    let mut edges = log.edges.clone();
    for entry in &interactions.entries {
        let location = strands + entry.location;
        edges.extend([(entry.strand, location), (location, entry.strand)]);
    }
    let nodes = strands + interactions.locations();
    components(&Adjacency::new(nodes as usize, &edges))
}

/// The block of each entry.
fn block(log: &Log, interactions: &Interactions, component: &[u32]) -> Vec<u32> {
    let strands = log.strands.len() as u32;
    let entries = interactions.entries.iter();
    let mut edges: Vec<(u32, u32)> = entries
        .map(|entry| (entry.strand, strands + entry.location))
        .collect();
    let inside = log
        .edges
        .iter()
        .filter(|&&(from, to)| component[from as usize] == component[to as usize]);
    edges.extend(inside);
    let nodes = strands + interactions.locations();
    let mut block = blocks(nodes as usize, &edges);
    block.truncate(interactions.entries.len());
    block
}
