//! Cutting the tree of schedules into subtrees that can be explored independently.
//!
//! Choice points are taken apart, the one with the shortest way to it first, until there are enough
//! of them. That depends on the program and on the number alone: everyone who cuts gets the same
//! units, in the same sequence.

use std::collections::VecDeque;
use std::sync::Mutex;

use rustc_hash::FxHashSet;

use crate::cursor::Cursor;
use crate::fingerprint::State;
use crate::program::{Program, Run};
use crate::watch::{Mixed, Watch};

use super::dpor::{Asleep, still_asleep};
use super::trace::{Executed, Trace};
use super::{Observer, Reduction, Search};

/// A subtree.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The way to its root.
    pub numbers: Vec<u32>,
    /// What need not be explored there, since another unit does.
    pub asleep: Vec<Asleep>,
}

impl Unit {
    /// The whole tree.
    pub fn whole() -> Self {
        Self {
            numbers: Vec::new(),
            asleep: Vec::new(),
        }
    }
}

struct Place<'p, P: Program + 'p> {
    cursor: Cursor<'p, P>,
    trace: Trace,
    executed: Vec<Executed>,
    unit: Unit,
}

/// Units of the whole tree: at least `wanted`, unless there are not so many. Counts what it
/// executes as the search's.
pub(super) fn split<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    wanted: usize,
) -> Vec<Unit> {
    // Whether two roots are the same must not depend on what one search learns of locks.
    let mixed = Mutex::new(Mixed::everything());
    let mut seen = FxHashSet::default();
    let mut watch = Watch::new();
    if search.settings().uses_sources() {
        watch.want_steps();
    }
    let mut cursor = search.start(watch);
    let mut trace = Trace::new();
    trace.start(&cursor.watch.take_steps());
    let unit = Unit::whole();
    let mut waiting = VecDeque::from([Place {
        cursor,
        trace,
        executed: Vec::new(),
        unit,
    }]);
    let mut units = Vec::new();
    while units.len() + waiting.len() < wanted
        && let Some(mut place) = waiting.pop_front()
    {
        let choices = place.cursor.choices();
        if choices.is_empty() {
            units.push(place.unit);
            continue;
        }
        inner(search, &mut place.cursor);
        for (number, &choice) in choices.iter().enumerate() {
            let sources = search.settings().uses_sources();
            if sources && place.unit.asleep.iter().any(|(other, _)| *other == choice) {
                continue;
            }
            let mut cursor = place.cursor.fork();
            let mut trace = place.trace.clone();
            let mut numbers = place.unit.numbers.clone();
            numbers.push(number as u32);
            search.take(&mut cursor, choice, &numbers);
            let mut asleep = Vec::new();
            let mut executed = place.executed.clone();
            if sources {
                let (footprint, _) =
                    trace.follow(choice, &cursor.watch.take_steps(), &mut executed);
                asleep = still_asleep(&place.unit.asleep, choice, &footprint);
                place.unit.asleep.push((choice, footprint));
            }
            if search.settings().reduction == Reduction::States
                && search.settings().preemptions.is_none()
            {
                let mut state = State::new();
                let names = cursor.watch.names().clone();
                let is_known = cursor.run().fingerprint(&names, &mut state);
                if is_known && !seen.insert(cursor.watch.key(state, &mixed)) {
                    continue;
                }
            }
            let unit = Unit { numbers, asleep };
            waiting.push_back(Place {
                cursor,
                trace,
                executed,
                unit,
            });
        }
    }
    units.extend(waiting.into_iter().map(|place| place.unit));
    units
}

/// Counts a choice point that is above all units.
fn inner<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    cursor: &mut Cursor<'p, P>,
) {
    search.summary.states += 1;
    if search.settings().reduction == Reduction::States
        && search.settings().preemptions.is_none()
        && let Some(key) = search.key(cursor, 0)
    {
        search.shared.is_new(key);
    }
}
