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

use crate::cycle::{End, Route, Via};
use crate::exact::Around;
use crate::goals::{Found, Goals, Group, Rank};
use crate::graph::{Adjacency, blocks, components};
use crate::interactions::{Entry, Incidence, Interactions};
use crate::log::{Log, NONE, Strand};
use crate::marks::Marks;
use crate::order::Order;
use heddle_core::SiteId;
use rustc_hash::FxHashSet;

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

/// Decides what is found on the way.
pub trait Decide {
    /// Both transactions interact with `stop` at one location.
    fn single(&mut self, start: End, stop: Strand, end: End) -> Verdict;
    /// A cycle over different locations. If it stands, no other one is looked for between these two
    /// transactions.
    fn cross(&mut self, route: Route, search: &mut Search<'_>, order: &mut Order) -> Verdict;
    /// What comes of a cycle between these, where nothing new can be learnt of it.
    fn known(&self, start: &End, end: &End) -> Option<Verdict>;
}

/// What comes of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is a finding, and what it spans together with others is mended with them.
    Stands,
    /// It is a finding that does no harm; what it spans may.
    Harmless,
    /// It is none.
    Refuted,
}

/// Goals that are looked at one by one before those are looked at that a strand meets.
const FEW: usize = 64;

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
            found.close_all();
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
            let incidences = self.interactions.incidences(entry);
            // Positions from where all that follows does no harm: what follows later is part of that.
            let mut harmless: FxHashSet<[Option<SiteId>; 2]> = FxHashSet::default();
            for (row, &start) in incidences.iter().enumerate() {
                let position = [start.read, start.write];
                let most = if harmless.contains(&position) {
                    1
                } else {
                    usize::MAX
                };
                let mut later = incidences[row + 1..].iter().take(most);
                // A harmless neighbour does not span what follows it.
                let stands = later.any(|&end| {
                    let [from, to] = [start, end].map(|incidence| end_of(entry, incidence));
                    let verdict = decide.single(from, stop, to);
                    found.insert(start.transaction, end.transaction, verdict);
                    verdict != Verdict::Harmless
                });
                if !stands {
                    harmless.insert(position);
                }
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
            let entries = rows.iter().map(|&(_, row)| self.entry(row));
            let ends = entries.flat_map(|entry| {
                let all = self.interactions.incidences(entry).iter();
                all.map(move |&incidence| end_of(entry, incidence))
            });
            let Some(mut group) = Group::new(ends.collect(), found) else {
                continue;
            };
            // From the last to the first, so that it is known which pairs are spanned by others.
            for rank in (0..group.ranks()).rev() {
                for row in group.rows(rank).rev() {
                    let goals = group.goals(rank, row);
                    self.cross_from(goals, &group, found, order, decide);
                }
                group.close(rank, found);
            }
        }
    }

    fn cross_from(
        &mut self,
        mut goals: Goals,
        group: &Group,
        found: &mut Found,
        order: &mut Order,
        decide: &mut impl Decide,
    ) {
        if skip_known(&mut goals, group, found, decide) {
            return;
        }
        let start = goals.start;
        let mut marks = std::mem::take(&mut self.marks);
        let mut queue = self.first(start, &mut marks, order);
        let mut next = 0;
        while next < queue.len() {
            let strand = queue[next];
            next += 1;
            let mut meeting = Meeting {
                strand,
                marks: &marks,
                goals: &mut goals,
                group,
                found,
            };
            self.meet(&mut meeting, order, decide);
            if goals.are_closed(group, found) {
                break;
            }
            self.expand(strand, start.strand, &mut marks, &mut queue, order);
        }
        self.marks = marks;
    }

    /// Decides the goals that a strand interacts with, the earliest transaction first.
    fn meet(&mut self, met: &mut Meeting<'_>, order: &mut Order, decide: &mut impl Decide) {
        let few = FEW.max(self.interactions.of(met.strand).len());
        let mut looked = 0;
        let mut from = 0;
        while let Some(rank) = met.goals.next(from, met.group, met.found) {
            if looked > few {
                return self.meet_rest(rank, met, order, decide);
            }
            let ends: Vec<End> = met.goals.open(rank, met.group).collect();
            looked += ends.len();
            for end in ends {
                let entry = self.interactions.entry_at(end.location, met.strand);
                if entry.is_some_and(|entry| entry.writes || end.incidence.write.is_some()) {
                    self.decide(end, met, order, decide);
                }
            }
            from = rank + 1;
        }
    }

    /// The same from the side of the strand, where the goals are many and its locations few.
    fn meet_rest(
        &mut self,
        from: Rank,
        met: &mut Meeting<'_>,
        order: &mut Order,
        decide: &mut impl Decide,
    ) {
        let torn = met.goals.start.strand;
        let first = met.group.end(met.group.rows(from).start);
        let first = first.incidence.transaction;
        let mut reached = Vec::new();
        for entry in self.interactions.of(met.strand) {
            let entry = self.entry(*entry);
            let Some(own) = self.interactions.entry_at(entry.location, torn) else {
                continue;
            };
            let all = self.interactions.incidences(own);
            let later = all.partition_point(|incidence| incidence.transaction < first);
            let ends = all[later..].iter().map(|&incidence| end_of(own, incidence));
            let ends = ends.take_while(|end| !met.goals.are_before(end.incidence.transaction));
            reached.extend(ends.filter(|end| entry.writes || end.incidence.write.is_some()));
        }
        reached.sort_by_key(|end| (end.incidence.transaction, end.location));
        let mut at = 0;
        while let Some(&end) = reached.get(at) {
            at += 1;
            match met.goals.is_open(&end, met.group, met.found) {
                Ok(()) => self.decide(end, met, order, decide),
                Err(next) => {
                    let rest = &reached[at..];
                    at += rest.partition_point(|end| end.incidence.transaction < next);
                }
            }
        }
    }

    fn decide(
        &mut self,
        end: End,
        met: &mut Meeting<'_>,
        order: &mut Order,
        decide: &mut impl Decide,
    ) {
        let start = met.goals.start;
        let verdict = decide.known(&start, &end);
        let verdict = verdict.unwrap_or_else(|| {
            let route = met.marks.route(start, met.strand, end);
            decide.cross(route, self, order)
        });
        met.goals.take(verdict, &end, met.found);
    }

    /// Starts a new search with the strands that interact with the start.
    fn first(&self, start: End, marks: &mut Marks, order: &mut Order) -> Vec<Strand> {
        marks.begin(start.strand);
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
        for &row in self.interactions.ways(strand) {
            let here = self.entry(row);
            let others = marks.conflicting(here, torn, self.interactions, order);
            for &other in &others {
                marks.visit(other, Via::Access(here.location), strand);
            }
            queue.extend(others);
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

    /// All strands that can be on a cycle with this start; nothing if there are more than so many.
    pub fn around(&mut self, start: End, order: &mut Order, most: usize) -> Option<Around> {
        let mut marks = std::mem::take(&mut self.other_marks);
        let mut strands = self.first(start, &mut marks, order);
        let mut next = 0;
        while next < strands.len() && strands.len() <= most {
            let strand = strands[next];
            next += 1;
            self.expand(strand, start.strand, &mut marks, &mut strands, order);
        }
        self.other_marks = marks;
        if strands.len() > most {
            return None;
        }
        strands.sort_unstable();
        let successors = |strand: Strand| self.successors.of(strand).iter().map(|&(next, _)| next);
        let rows = |strand| successors(strand).filter_map(|next| strands.binary_search(&next).ok());
        let after = strands.iter().map(|&strand| rows(strand).collect());
        Some(Around {
            after: after.collect(),
            strands,
        })
    }
}

fn end_of(entry: &Entry, incidence: Incidence) -> End {
    End {
        strand: entry.strand,
        location: entry.location,
        incidence,
    }
}

/// A strand that the search has come to, and what is left to find there.
struct Meeting<'a> {
    strand: Strand,
    marks: &'a Marks,
    goals: &'a mut Goals,
    group: &'a Group,
    found: &'a mut Found,
}

/// Takes as found what is known of the same source positions, up to the first goal that is not. Whether
/// nothing is left.
fn skip_known(goals: &mut Goals, group: &Group, found: &mut Found, decide: &impl Decide) -> bool {
    while !goals.are_closed(group, found) {
        let Some(rank) = goals.next(0, group, found) else {
            return true;
        };
        let mut open = goals.open(rank, group);
        let known = open.find_map(|end| Some((end, decide.known(&goals.start, &end)?)));
        drop(open);
        match known {
            Some((end, verdict)) => goals.take(verdict, &end, found),
            None => return false,
        }
    }
    true
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
