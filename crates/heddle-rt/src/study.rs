//! The engine under study: its questions counted, and laid out in other ways for comparison. Only with the feature
//! `study`, which no one but the benchmark of atomicity asks for.
//!
//! `HEDDLE_STUDY` names what is wanted, separated by commas: `count`; `uncached`, every question climbs the tree;
//! `linked`, the tree's nodes lie where the allocator puts them and know their parents by pointer, without
//! the skip pointers that make the climb logarithmic (so the paper's baseline has it).

use crate::engine::Engine;
use crate::forest::Forest;
use crate::store::Reserved;
use heddle_core::order::tree::{NodeIndex, Nodes, ROOT};
use rustc_hash::FxHashSet;
use std::ptr::null;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 64;

/// What was counted: the columns of Table 1 of Yoga and Nagarakatte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Watched granules that were accessed.
    pub locations: u64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Questions whether one strand precedes another of another task.
    pub queries: u64,
    /// How many of them were different.
    pub unique: u64,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Study {
    counts: bool,
    pub(crate) is_cached: bool,
    queries: AtomicU64,
    locations: AtomicU64,
    unique: [Mutex<FxHashSet<u64>>; SHARDS],
}

/// Whether the environment asks for this.
pub(crate) fn wants(what: &str) -> bool {
    let wanted = std::env::var("HEDDLE_STUDY").unwrap_or_default();
    wanted.split(',').any(|word| word == what)
}

impl Study {
    pub(crate) fn new() -> Self {
        Self {
            counts: wants("count"),
            is_cached: !wants("uncached"),
            queries: AtomicU64::new(0),
            locations: AtomicU64::new(0),
            unique: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// Somebody asks for the order of two strands.
    pub(crate) fn asked(&self, a: u32, b: u32) {
        if self.counts {
            self.queries.fetch_add(1, Ordering::Relaxed);
            let shard = &self.unique[(a ^ b) as usize % SHARDS];
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.insert(u64::from(a) << 32 | u64::from(b));
        }
    }
}

impl Engine {
    /// These granules are about to be forgotten.
    pub(crate) fn study_end_of(&self, start: u64, len: u64) {
        if self.study.counts {
            let count = self.accessed(start..start.saturating_add(len));
            self.study.locations.fetch_add(count, Ordering::Relaxed);
        }
    }

    fn accessed(&self, granules: impl Iterator<Item = u64>) -> u64 {
        let states = granules.filter_map(|granule| self.shadow.cell(granule));
        let states = states.map(|state| state.load(Ordering::Acquire));
        states.filter(|&state| self.was_accessed(state)).count() as u64
    }

    /// What was counted so far; none if nothing was.
    pub fn counted(&self) -> Option<Counted> {
        let unique = self.study.unique.iter().map(|shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.len() as u64
        });
        self.study.counts.then(|| Counted {
            locations: self.study.locations.load(Ordering::Relaxed)
                + self.accessed(self.shadow.settled()),
            nodes: u64::from(self.forest.count()),
            queries: self.study.queries.load(Ordering::Relaxed),
            unique: unique.sum(),
        })
    }
}

/// The tree with nodes all over memory.
#[derive(Debug)]
pub(crate) struct Linked {
    by_index: Reserved<AtomicPtr<LinkedNode>>,
}

#[derive(Debug)]
struct LinkedNode {
    parent: *const LinkedNode,
    depth: u32,
    index: NodeIndex,
}

impl LinkedNode {
    fn above(&self) -> &Self {
        // SAFETY: nodes are never freed. Only the root has no parent, and no climb gets there: the nodes differ,
        // and those of equal depth have a common ancestor.
        unsafe { &*self.parent }
    }
}

impl Linked {
    /// The other layout, if it is asked for.
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let by_index = Reserved::new(capacity as usize).filter(|_| wants("linked"))?;
        let linked = Self { by_index };
        linked.set(ROOT, null(), 0);
        Some(linked)
    }

    fn at(&self, index: NodeIndex) -> &AtomicPtr<LinkedNode> {
        // SAFETY: indices are those of the tree's nodes, for which the table has rows; they are zeroed, and a null
        // pointer is a valid value.
        unsafe { &*self.by_index.base().add(index as usize) }
    }

    fn node(&self, index: NodeIndex) -> &LinkedNode {
        // SAFETY: `push` sets the row before anybody learns of the node, which is never freed.
        unsafe { &*self.at(index).load(Ordering::Acquire) }
    }

    pub(crate) fn push(&self, index: NodeIndex, parent: NodeIndex) {
        let parent = self.node(parent);
        self.set(index, parent, parent.depth + 1);
    }

    fn set(&self, index: NodeIndex, parent: *const LinkedNode, depth: u32) {
        let node = Box::new(LinkedNode {
            parent,
            depth,
            index,
        });
        self.at(index).store(Box::leak(node), Ordering::Release);
    }

    /// The two children of the lowest common ancestor above two different leaves.
    pub(crate) fn fork(&self, a: NodeIndex, b: NodeIndex) -> (NodeIndex, NodeIndex) {
        let (mut a, mut b) = (self.node(a), self.node(b));
        while a.depth > b.depth {
            a = a.above();
        }
        while b.depth > a.depth {
            b = b.above();
        }
        while a.parent != b.parent {
            (a, b) = (a.above(), b.above());
        }
        (a.index, b.index)
    }
}

impl Forest {
    /// A node is made in the other layout, too.
    pub(crate) fn study_push(&self, index: Option<NodeIndex>, parent: NodeIndex) {
        if let (Some(linked), Some(index)) = (&self.linked, index) {
            linked.push(index, parent);
        }
    }
}
