//! Whether one schedule is serializable: equivalent to one in which every strand runs in one piece.
//!
//! Huang, Lemma 6: a schedule is equivalent to one of the atomic-threads atomization iff its schedule graph
//! has no thread cycle. The run that a [`Log`] recorded is a schedule if its transactions ran one after the
//! other, which they do in the interpreter.

use heddle_core::AccessKind;
use rustc_hash::FxHashMap;

use crate::graph::{Adjacency, components};
use crate::log::{Log, Strand};
use crate::memory::Locations;

#[derive(Default)]
struct Last {
    writer: Option<Strand>,
    readers: Vec<Strand>,
}

/// Whether the recorded run is equivalent to some schedule of uncut strands.
pub fn is_serializable(log: &Log) -> bool {
    let locations = Locations::new(log.touches.iter().map(|touch| touch.piece));
    let mut touches: Vec<_> = log.touches.iter().collect();
    // Stable: within a transaction, accesses stay in their sequence.
    touches.sort_by_key(|touch| touch.transaction);
    let mut last: FxHashMap<u32, Last> = FxHashMap::default();
    let mut edges = log.edges.clone();
    for touch in touches {
        let strand = log.transactions[touch.transaction as usize].strand;
        for location in locations.of(touch.piece) {
            let last = last.entry(location).or_default();
            edges.extend(last.writer.map(|writer| (writer, strand)));
            match touch.kind {
                AccessKind::Read => last.readers.push(strand),
                AccessKind::Write => {
                    edges.extend(last.readers.drain(..).map(|reader| (reader, strand)));
                    last.writer = Some(strand);
                }
            }
        }
    }
    edges.retain(|(from, to)| from != to);
    let component = components(&Adjacency::new(log.strands.len(), &edges));
    edges
        .iter()
        .all(|&(from, to)| component[from as usize] != component[to as usize])
}
