//! How many tasks, events and edges a run had, by the rule of the thesis' Table 5.1: a finish EDT has a latch, which
//! counts as an event; edges are spawns, satisfactions, event-to-sink edges, and those of the ends of tasks to the
//! latch around them. Data blocks and continuations do not count, nor does the end of the task that shuts down.

use super::world::world;
use heddle_report::EventDriven;
use std::sync::atomic::{AtomicBool, Ordering};

static ANY: AtomicBool = AtomicBool::new(false);

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Counted {
    edts: u64,
    finish_edts: u64,
    events: u64,
    satisfactions: u64,
    told: u64,
    ended: u64,
}

impl Counted {
    pub(super) fn creates_edt(&mut self, is_finish: bool) {
        ANY.store(true, Ordering::Relaxed);
        self.edts += 1;
        self.finish_edts += u64::from(is_finish);
    }

    pub(super) fn creates_event(&mut self) {
        self.events += 1;
    }

    /// The program satisfies an event, or a task its output event.
    pub(super) fn satisfies(&mut self) {
        self.satisfactions += 1;
    }

    /// An event tells its sinks.
    pub(super) fn tells(&mut self, sinks: usize) {
        self.told += sinks as u64;
    }

    /// A task in a finish EDT is over, or the body of one.
    pub(super) fn ends_in_finish(&mut self) {
        self.ended += 1;
    }
}

/// Whether the program has event-driven tasks.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// The counts, if it has.
pub(crate) fn counts() -> Option<EventDriven> {
    if !any() {
        return None;
    }
    let world = world();
    let counted = &world.counted;
    let spawns = counted.edts.saturating_sub(1);
    Some(EventDriven {
        edts: counted.edts,
        // Each finish EDT has a latch.
        events: counted.events + counted.finish_edts,
        edges: spawns + counted.satisfactions + counted.told + counted.ended,
    })
}
