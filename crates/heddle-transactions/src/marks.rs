//! What a search for thread cycles has seen, and how it came there.
//!
//! Each class of locations is gone through once by a search, however many strands meet there: what a strand has
//! been led to is taken off the class's list. What is left there is ordered with all that came by.

use rustc_hash::FxHashMap;

use crate::cycle::{End, Route, Via};
use crate::interactions::{Entry, Interactions};
use crate::log::{NONE, Strand};
use crate::order::Order;

/// What a search has seen.
#[derive(Debug, Default)]
pub struct Marks {
    /// The search that saw each strand last.
    seen: Vec<u32>,
    /// What led to it then.
    came: Vec<(Via, Strand)>,
    number: u32,
    /// Of the classes of locations that this search has come to, the strands it was not led to.
    rest: FxHashMap<u32, Rest>,
}

#[derive(Debug, Default)]
struct Rest {
    writers: Vec<Strand>,
    readers: Vec<Strand>,
}

impl Rest {
    fn new(entries: &[Entry], marks: &Marks) -> Self {
        let new = entries.iter().filter(|entry| marks.is_new(entry.strand));
        let (writers, readers): (Vec<&Entry>, Vec<&Entry>) = new.partition(|entry| entry.writes);
        let strands = |entries: Vec<&Entry>| entries.iter().map(|entry| entry.strand).collect();
        Self {
            writers: strands(writers),
            readers: strands(readers),
        }
    }
}

impl Marks {
    /// Marks for so many strands.
    pub fn new(strands: usize) -> Self {
        Self {
            seen: vec![0; strands],
            came: vec![(Via::Serial, NONE); strands],
            number: 0,
            rest: FxHashMap::default(),
        }
    }

    /// A new search begins at this strand.
    pub fn begin(&mut self, start: Strand) {
        self.number += 1;
        self.seen[start as usize] = self.number;
        self.rest.clear();
    }

    /// Whether the search has not seen it.
    pub fn is_new(&self, strand: Strand) -> bool {
        self.seen[strand as usize] != self.number
    }

    /// The search has come to a strand.
    pub fn visit(&mut self, strand: Strand, via: Via, from: Strand) {
        self.seen[strand as usize] = self.number;
        self.came[strand as usize] = (via, from);
    }

    /// The new strands that conflict with this entry and are parallel with its strand and with the separated
    /// one.
    pub fn conflicting(
        &mut self,
        here: &Entry,
        torn: Strand,
        interactions: &Interactions,
        order: &mut Order,
    ) -> Vec<Strand> {
        let class = interactions.class(here.location);
        let rest = self.rest.remove(&class);
        let at = interactions.at(here.location);
        let mut rest = rest.unwrap_or_else(|| Rest::new(&interactions.entries[at], self));
        let mut led = Vec::new();
        let mut take = |others: &mut Vec<Strand>| {
            others.retain(|&other| {
                if !self.is_new(other) || !order.parallel(other, torn) {
                    return false;
                }
                let is_led = order.parallel(other, here.strand);
                if is_led {
                    led.push(other);
                }
                !is_led
            });
        };
        take(&mut rest.writers);
        if here.writes {
            take(&mut rest.readers);
        }
        self.rest.insert(class, rest);
        led.sort_unstable();
        led
    }

    /// The way from the start to this strand, and on to the end.
    pub fn route(&self, start: End, last: Strand, end: End) -> Route {
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
