//! What the iterations of a loop do in sequence: `ordered` regions, and doacross dependences.
//!
//! Both are edges between members of a team that do not depend on the schedule: ordered regions come in
//! the sequence of the iterations, and a sink waits for the iteration it names. Members may be in
//! different loops (`nowait`), so each member counts the loops it comes to, and the count names the loop.

use super::ompt::{Dependence, dependence};
use super::region::Region;
use super::task::{self, Role};
use crate::runtime::Runtime;
use crate::thread::Thread;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The strands that others of the team wait for.
#[derive(Debug, Default)]
pub(super) struct Sequence(Mutex<Ends>);

#[derive(Debug, Default)]
struct Ends {
    /// The end of the latest ordered region, by loop.
    ordered: FxHashMap<u32, u32>,
    /// Where an iteration was said to be done, by loop and iteration.
    posts: FxHashMap<(u32, Vec<u64>), u32>,
}

impl Sequence {
    fn with<R>(&self, f: impl FnOnce(&mut Ends) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A barrier is passed: nobody waits for anything in loops up to this.
    pub(super) fn pass(&self, loops: u32) {
        self.with(|ends| {
            ends.ordered.retain(|&number, _| number > loops);
            ends.posts.retain(|&(number, _), _| number > loops);
        });
    }
}

/// The team of the running task and the loop it is in, if it shares the loop with others.
fn shared_loop(runtime: &Runtime, thread: &mut Thread) -> Option<(Arc<Region>, u32)> {
    let task = task::running(runtime, thread);
    match &task.role {
        Role::Member { region, .. } if !region.is_alone() => Some((Arc::clone(region), task.loops)),
        _ => None,
    }
}

/// An ordered region begins.
pub(super) fn ordered_begin(runtime: &Runtime, thread: &mut Thread) {
    let Some((region, number)) = shared_loop(runtime, thread) else {
        return;
    };
    if let Some(end) = region
        .sequence
        .with(|ends| ends.ordered.get(&number).copied())
    {
        runtime.engine.wait(&mut thread.cursor, &[end]);
    }
}

/// It is over. To be said before the next begins.
pub(super) fn ordered_end(runtime: &Runtime, thread: &mut Thread) {
    let Some((region, number)) = shared_loop(runtime, thread) else {
        return;
    };
    let end = runtime.engine.signal(&mut thread.cursor);
    region
        .sequence
        .with(|ends| ends.ordered.insert(number, end));
}

/// Whether these are iterations of a loop rather than variables.
pub(super) fn is_doacross(items: &[Dependence]) -> bool {
    let kinds = [dependence::SOURCE, dependence::SINK];
    items.first().is_some_and(|item| kinds.contains(&item.kind))
}

/// The running member says that an iteration is done, or has waited until another was.
pub(super) fn doacross(runtime: &Runtime, thread: &mut Thread, items: &[Dependence]) {
    let Some((region, number)) = shared_loop(runtime, thread) else {
        return;
    };
    let key = (number, items.iter().map(|item| item.variable).collect());
    if items
        .first()
        .is_some_and(|item| item.kind == dependence::SOURCE)
    {
        let strand = runtime.engine.signal(&mut thread.cursor);
        region.sequence.with(|ends| ends.posts.insert(key, strand));
    } else if let Some(strand) = region.sequence.with(|ends| ends.posts.get(&key).copied()) {
        runtime.engine.wait(&mut thread.cursor, &[strand]);
    }
}
