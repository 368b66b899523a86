//! Part B: access interactions.
//!
//! Two parallel transactions interact if both access a location and one of them writes it. The thesis
//! fills tables of transactions by threads; here an interaction is never stored as a pair. What is kept
//! is who accesses each location ([`Entry`]), and only for accesses that have a parallel counterpart at
//! all. Whether there is one is found by sorting: of the strands left of this one in English order, the
//! one furthest right in Hebrew order is parallel if any is, and the other way round.
//!
//! # Cost
//! O(a log a) for a accesses, memory linear in a. With extra edges a location may have to be searched
//! pair by pair.

use heddle_core::{AccessKind, Place, SiteId};
use rustc_hash::FxHashMap;
use std::ops::Range;

use crate::log::{Log, NONE, Strand, Transaction};
use crate::memory::{Locations, Memory};
use crate::order::{Labels, Order};

/// What one transaction does with one location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incidence {
    /// The transaction.
    pub transaction: Transaction,
    /// Its first read.
    pub read: Option<SiteId>,
    /// Its first write.
    pub write: Option<SiteId>,
}

impl Incidence {
    /// Whether it conflicts with what another transaction does with the same location.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.write.is_some() || other.write.is_some()
    }
}

/// What one strand does with one location.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The location.
    pub location: u32,
    /// The strand.
    pub strand: Strand,
    /// Rows of [`Interactions::incidences`], ascending by transaction.
    first: u32,
    last: u32,
    /// Whether it writes.
    pub writes: bool,
    /// A parallel strand that accesses the location.
    pub partner: Strand,
    /// A parallel strand that writes it.
    pub writer: Strand,
}

/// All interactions of a run.
#[derive(Debug)]
pub struct Interactions {
    /// By location, then by strand.
    pub entries: Vec<Entry>,
    incidences: Vec<Incidence>,
    locations: Locations,
    /// Which of them each location with entries is.
    rows: Vec<u32>,
    /// First entry of each location that has one, and the end.
    starts: Vec<u32>,
    /// Entries by strand: rows of `by_strand`, from `strand_starts[s]` on.
    by_strand: Vec<u32>,
    strand_starts: Vec<u32>,
    /// Of each location.
    classes: Vec<u32>,
    /// Of `by_strand`, the first entry of each class.
    ways: Vec<u32>,
    way_starts: Vec<u32>,
}

struct Hit {
    location: u32,
    strand: Strand,
    transaction: Transaction,
    kind: AccessKind,
    site: SiteId,
}

impl Interactions {
    /// The interactions of the recorded transactions.
    pub fn new(log: &Log, order: &mut Order) -> Self {
        let locations = Locations::new(log.touches.iter().map(|touch| touch.piece));
        let mut found = Self {
            entries: Vec::new(),
            incidences: Vec::new(),
            locations,
            rows: Vec::new(),
            starts: vec![0],
            by_strand: Vec::new(),
            strand_starts: Vec::new(),
            classes: Vec::new(),
            ways: Vec::new(),
            way_starts: Vec::new(),
        };
        let hits = found.hits(log);
        for of_location in hits.chunk_by(|a, b| a.location == b.location) {
            found.location(of_location, order);
        }
        found.index(log.strands.len());
        found.classify(log.strands.len());
        found
    }

    fn hits(&self, log: &Log) -> Vec<Hit> {
        let mut hits = Vec::new();
        for touch in &log.touches {
            let strand = log.transactions[touch.transaction as usize].strand;
            for location in self.locations.of(touch.piece) {
                hits.push(Hit {
                    location,
                    strand,
                    transaction: touch.transaction,
                    kind: touch.kind,
                    site: touch.site,
                });
            }
        }
        // Stable: of equal ones the first access stays first.
        hits.sort_by_key(|hit| (hit.location, hit.strand, hit.transaction, hit.kind));
        hits
    }

    /// Adds the entries of one location that have a parallel counterpart.
    fn location(&mut self, hits: &[Hit], order: &mut Order) {
        let entries = self.entries.len();
        let of_strand: Vec<&[Hit]> = hits.chunk_by(|a, b| a.strand == b.strand).collect();
        if of_strand.len() < 2 || !hits.iter().any(|hit| hit.kind == AccessKind::Write) {
            return;
        }
        let members: Vec<Member> = of_strand
            .iter()
            .map(|hits| Member {
                strand: hits[0].strand,
                labels: order.labels(hits[0].strand),
                writes: hits.iter().any(|hit| hit.kind == AccessKind::Write),
            })
            .collect();
        let partners = partners(&members, order);
        for (hits, [partner, writer]) in of_strand.iter().zip(partners) {
            self.entry(hits, partner, writer);
        }
        if self.entries.len() > entries {
            self.starts.push(self.entries.len() as u32);
        }
    }

    fn entry(&mut self, hits: &[Hit], partner: Strand, writer: Strand) {
        let first = self.incidences.len() as u32;
        for of_transaction in hits.chunk_by(|a, b| a.transaction == b.transaction) {
            let site = |kind| {
                let hit = of_transaction.iter().find(|hit| hit.kind == kind);
                hit.map(|hit| hit.site)
            };
            let (read, write) = (site(AccessKind::Read), site(AccessKind::Write));
            if (write.is_some() && partner != NONE) || (read.is_some() && writer != NONE) {
                self.incidences.push(Incidence {
                    transaction: of_transaction[0].transaction,
                    read,
                    write,
                });
            }
        }
        let last = self.incidences.len() as u32;
        if last > first {
            let of_entry = &self.incidences[first as usize..last as usize];
            self.entries.push(Entry {
                location: hits[0].location,
                strand: hits[0].strand,
                first,
                last,
                writes: of_entry.iter().any(|one| one.write.is_some()),
                partner,
                writer,
            });
        }
    }

    fn index(&mut self, strands: usize) {
        let mut rows: Vec<u32> = (0..self.entries.len() as u32).collect();
        rows.sort_by_key(|&row| self.entries[row as usize].strand);
        self.strand_starts = vec![0; strands + 1];
        for entry in &self.entries {
            self.strand_starts[entry.strand as usize + 1] += 1;
        }
        for row in 0..strands {
            self.strand_starts[row + 1] += self.strand_starts[row];
        }
        self.by_strand = rows;
        // Locations are numbered anew: only those with entries count.
        for number in 0..self.starts.len() - 1 {
            let range = self.starts[number] as usize..self.starts[number + 1] as usize;
            self.rows.push(self.entries[range.start].location);
            for entry in &mut self.entries[range] {
                entry.location = number as u32;
            }
        }
    }

    /// Puts locations into classes.
    fn classify(&mut self, strands: usize) {
        let mut numbers: FxHashMap<Vec<(Strand, bool)>, u32> = FxHashMap::default();
        for location in 0..self.locations() {
            let entries = self.entries[self.at(location)].iter();
            let who = entries.map(|entry| (entry.strand, entry.writes)).collect();
            let next = numbers.len() as u32;
            self.classes.push(*numbers.entry(who).or_insert(next));
        }
        let mut last = vec![NONE; numbers.len()];
        let mut ways = Vec::new();
        self.way_starts.push(0);
        for strand in 0..strands as Strand {
            ways.extend(self.of(strand).iter().filter(|&&row| {
                let class = self.class(self.entries[row as usize].location);
                std::mem::replace(&mut last[class as usize], strand) != strand
            }));
            self.way_starts.push(ways.len() as u32);
        }
        self.ways = ways;
    }

    /// Whether nothing interacts.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many locations have interactions.
    pub fn locations(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// Rows of the entries of a location.
    pub fn at(&self, location: u32) -> Range<usize> {
        let row = location as usize;
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Rows of the entries of a strand.
    pub fn of(&self, strand: Strand) -> &[u32] {
        let row = strand as usize;
        let range = self.strand_starts[row] as usize..self.strand_starts[row + 1] as usize;
        &self.by_strand[range]
    }

    /// Of the rows of a strand's entries, the first of each class of locations.
    pub fn ways(&self, strand: Strand) -> &[u32] {
        let row = strand as usize;
        &self.ways[self.way_starts[row] as usize..self.way_starts[row + 1] as usize]
    }

    /// The class of a location: the same strands access all locations of a class, and the same ones write
    /// them. Whoever follows interactions from strand to strand need look at one of them only.
    pub fn class(&self, location: u32) -> u32 {
        self.classes[location as usize]
    }

    /// What the transactions of an entry do with its location.
    pub fn incidences(&self, entry: &Entry) -> &[Incidence] {
        &self.incidences[entry.first as usize..entry.last as usize]
    }

    /// The entry of a strand at a location.
    pub fn entry_at(&self, location: u32, strand: Strand) -> Option<&Entry> {
        let entries = &self.entries[self.at(location)];
        let row = entries.binary_search_by_key(&strand, |entry| entry.strand);
        row.ok().map(|row| &entries[row])
    }

    /// What a location is called.
    pub fn place(&self, location: u32, memory: &Memory) -> Place {
        memory.place(self.locations.piece(self.rows[location as usize]))
    }

    /// How many pairs of transactions interact, counted per location, up to a bound.
    pub fn count(&self, order: &mut Order, most: u64) -> u64 {
        let mut count = 0;
        let mut steps = 0;
        for location in 0..self.locations() {
            let entries = &self.entries[self.at(location)];
            for (row, one) in entries.iter().enumerate() {
                for two in &entries[row + 1..] {
                    steps += 1;
                    if steps > most || count > most {
                        return count.min(most);
                    }
                    if (one.writes || two.writes) && order.parallel(one.strand, two.strand) {
                        count += self.pairs(one, two);
                    }
                }
            }
        }
        count.min(most)
    }

    fn pairs(&self, one: &Entry, two: &Entry) -> u64 {
        let split = |entry: &Entry| {
            let all = self.incidences(entry);
            let readers = all.iter().filter(|incidence| incidence.write.is_none());
            (all.len() as u64, readers.count() as u64)
        };
        let ((all_one, read_one), (all_two, read_two)) = (split(one), split(two));
        all_one * all_two - read_one * read_two
    }
}

#[derive(Clone, Copy)]
struct Member {
    strand: Strand,
    labels: Labels,
    writes: bool,
}

/// For each strand at a location: a parallel one that accesses it, and a parallel one that writes it.
fn partners(members: &[Member], order: &mut Order) -> Vec<[Strand; 2]> {
    let mut found = vec![[NONE; 2]; members.len()];
    let mut rows: Vec<usize> = (0..members.len()).collect();
    rows.sort_by_key(|&row| members[row].labels.english);
    sweep(members, rows.iter(), &mut found, |candidate, now| {
        candidate > now
    });
    sweep(members, rows.iter().rev(), &mut found, |candidate, now| {
        candidate < now
    });
    if !order.is_structured() {
        for (row, partners) in found.iter_mut().enumerate() {
            settle(members, row, partners, order);
        }
    }
    found
}

/// Remembers, of those passed, the one most likely parallel with those to come.
fn sweep<'a>(
    members: &[Member],
    rows: impl Iterator<Item = &'a usize>,
    found: &mut [[Strand; 2]],
    is_beyond: impl Fn(u32, u32) -> bool,
) {
    let mut best: [Option<Member>; 2] = [None; 2];
    for &row in rows {
        let now = members[row];
        let beyond = |a: Member, b: Member| is_beyond(a.labels.hebrew, b.labels.hebrew);
        for (partner, best) in found[row].iter_mut().zip(best) {
            if let Some(best) = best.filter(|&best| *partner == NONE && beyond(best, now)) {
                *partner = best.strand;
            }
        }
        for (best, counts) in best.iter_mut().zip([true, now.writes]) {
            if counts && best.is_none_or(|best| beyond(now, best)) {
                *best = Some(now);
            }
        }
    }
}

/// With extra edges, labels call too many strands parallel: looks for one that is.
fn settle(members: &[Member], row: usize, partners: &mut [Strand; 2], order: &mut Order) {
    let now = members[row].strand;
    for (partner, only_writers) in partners.iter_mut().zip([false, true]) {
        if *partner == NONE || order.parallel(now, *partner) {
            continue;
        }
        let mut others = members.iter().filter(|other| other.writes || !only_writers);
        let other = others.find(|other| order.parallel(now, other.strand));
        *partner = other.map_or(NONE, |other| other.strand);
    }
}
