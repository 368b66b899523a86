//! Gives back what no location and no task refers to any more, so that memory follows the live program.
//!
//! *Histories.* Rows of plain histories ([`crate::plain`]) are found by looking through the states of all locations;
//! blocks of rows that no location is in are used again.
//!
//! *The tree.* A node is alive if something may still stand in it, or if a history names a strand below it; of a
//! program whose order is the tree alone, pages of dead nodes and of their tasks are given back to the system. Numbers
//! are never used again, because they also tell time.
//!
//! # When it is safe
//! No thread may be inside the engine, and all caches are emptied. A thread may still be in the common path, which
//! takes steps between states without entering: one that it has looked up before its cache was emptied may put a
//! location into a state that was unused. So only what was unused twice is given back, and only if every thread
//! has entered the engine in between.
//!
//! # Cost
//! Linear in the shadow memory and in the nodes that are there; it pays when as much again was made since.

use crate::cache::ThreadCache;
use crate::engine::{Engine, TaskRow};
use crate::forest::Released;
use crate::plain::{IdleRows, UsedRows};
use crate::states::StateId;
use crate::store::Pages;
use crate::sync::{Ordering, PoisonError};
use heddle_core::TaskId;
use heddle_core::order::tree::{NodeIndex, Nodes, ROOT};

/// What is known from the last time.
#[derive(Debug, Default)]
pub(crate) struct Reclaimed {
    rows: IdleRows,
    nodes: Released,
    tasks: Pages,
    /// Nodes there were then.
    counted: u32,
}

/// Less than this is not looked for, in bytes and in nodes.
const ENOUGH: usize = 16 << 20;
const ENOUGH_NODES: u32 = 1 << 19;

/// Nodes and tasks that stay.
struct Alive<'a> {
    engine: &'a Engine,
    nodes: Vec<u64>,
    tasks: Vec<u64>,
}

impl Alive<'_> {
    /// A strand is of interest: so are all nodes above it, and their tasks.
    fn keep(&mut self, strand: NodeIndex) {
        let mut at = strand;
        while set(&mut self.nodes, at as usize) {
            let node = self.engine.forest.node(at);
            self.keep_task(node.task);
            at = node.parent;
        }
    }

    fn keep_task(&mut self, task: TaskId) {
        let mut at = task;
        while set(&mut self.tasks, at.raw() as usize) {
            match self.engine.parent_of(at) {
                Some(parent) => at = parent,
                None => return,
            }
        }
    }
}

/// Sets a bit; whether it was not set.
fn set(bits: &mut [u64], index: usize) -> bool {
    let Some(word) = bits.get_mut(index / 64) else {
        return false;
    };
    let bit = 1 << (index % 64);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

fn has(bits: &[u64], index: usize) -> bool {
    bits.get(index / 64)
        .is_some_and(|word| word >> (index % 64) & 1 != 0)
}

fn bits(len: usize) -> Vec<u64> {
    vec![0; len / 64 + 1]
}

impl Engine {
    /// Whether so much was made since the last time that it pays to look for what is unused.
    #[inline]
    pub fn wants_reclaim(&self) -> bool {
        let rows = self.states.plains.taken_bytes();
        let nodes = self
            .forest
            .count()
            .wrapping_sub(self.counted.load(Ordering::Relaxed));
        (rows > ENOUGH && rows > self.shadow.present_bytes() / 4)
            || nodes > ENOUGH_NODES && self.is_tree_alone()
    }

    /// Whether the order of the run is the tree alone, so that no strand is known by name but those in histories.
    fn is_tree_alone(&self) -> bool {
        !self.used_exclusion()
            && !self.has_names.load(Ordering::Acquire)
            && !self.has_layers()
            && !self.atomicity.is_all
            && !self.atomicity.has_units.load(Ordering::Acquire)
    }

    /// Gives back what is unused. `is_certain` says whether each thread has entered the engine since the last time.
    ///
    /// # Safety
    /// No thread is inside the engine, and these are the caches of all threads.
    pub unsafe fn reclaim<'a>(
        &self,
        caches: impl Iterator<Item = &'a mut ThreadCache>,
        is_certain: bool,
    ) {
        if self.recorder.is_some() || self.velodrome.is_some() {
            return;
        }
        caches.for_each(ThreadCache::forget_all);
        let mut reclaimed = self
            .reclaimed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut used = UsedRows::new(&self.states.plains);
        let is_tree_alone = self.is_tree_alone();
        let (nodes, tasks) = match is_tree_alone {
            true => (self.forest.count() as usize, self.task_count() as usize),
            false => (0, 0),
        };
        let mut alive = Alive {
            engine: self,
            nodes: bits(nodes),
            tasks: bits(tasks),
        };
        self.look_through(&mut used, is_tree_alone.then_some(&mut alive));
        self.states
            .plains
            .reuse(&mut reclaimed.rows, &used, is_certain);
        if is_tree_alone {
            self.release_nodes(&mut reclaimed, alive, is_certain);
        }
        reclaimed.counted = self.forest.count();
        self.counted.store(reclaimed.counted, Ordering::Relaxed);
    }

    /// Notes the states that locations are in, and the strands these name.
    fn look_through(&self, used: &mut UsedRows, mut alive: Option<&mut Alive<'_>>) {
        let mut note = |state: StateId| {
            used.note(state);
            if let Some(alive) = alive.as_deref_mut() {
                self.states.strands(state, |strand| alive.keep(strand));
            }
        };
        for states in self.shadow.present() {
            let mut last = StateId::FRESH;
            for state in states {
                let state = StateId(state.load(Ordering::Acquire));
                if state != last {
                    note(state);
                    last = state;
                }
            }
        }
        self.atomicity.twins.races().for_each(note);
    }

    fn release_nodes(&self, reclaimed: &mut Reclaimed, mut alive: Alive<'_>, is_certain: bool) {
        alive.keep(ROOT);
        alive.keep_task(TaskId::MAIN);
        for node in self.forest.in_use(&reclaimed.nodes) {
            alive.keep(node);
        }
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        for race in races.iter() {
            race.accesses
                .iter()
                .for_each(|access| alive.keep(access.strand));
        }
        drop(races);
        let Alive { nodes, tasks, .. } = alive;
        let is_dead = |node: usize| !has(&nodes, node);
        self.forest
            .release(&mut reclaimed.nodes, is_certain, is_dead);
        // The first row is that of task 1.
        let is_dead = |row: usize| !has(&tasks, row + 1);
        self.tasks
            .release(&mut reclaimed.tasks, is_certain, is_dead);
    }

    fn parent_of(&self, task: TaskId) -> Option<TaskId> {
        let row: TaskRow = self.tasks.get(task.raw().checked_sub(1)?);
        Some(row.parent)
    }
}
