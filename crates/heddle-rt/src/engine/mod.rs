//! The engine: order, histories and races of a run on many threads.
//!
//! A [`Cursor`] is where a task stands; it travels with the task, from thread to thread if need be.
//! The engine itself is shared and never locked as a whole: nodes and states are append-only tables,
//! a location changes by compare-and-swap, and only extra edges sit behind a mutex.
//!
//! # Guarantee
//! A location has a race iff one is collected for it, whatever the interleaving, and certainty is
//! exact. Each access is one step of its location's state, made by compare-and-swap, so concurrent
//! accesses to a location are checked as if they came one after the other.
//!
//! # Form
//! This file has the types and what is said once, before a run. [`tasks`], [`finishes`], [`edges`] and
//! [`locks`] take what a task does; [`order`] answers who precedes whom. Accesses are in
//! `history.rs`, what must not be torn in `atomicity/`.

mod edges;
mod finishes;
mod locks;
mod numbers;
mod order;
mod tasks;

pub(crate) use edges::Through;
pub(crate) use tasks::TaskRow;

use crate::atomicity::Atomicity;
use crate::cache::ThreadCache;
use crate::exclusion::{Exclusion, Hold};
use crate::forest::Forest;
use crate::frames::Frames;
use crate::overtaken::{Looks, Overtakings};
use crate::races::Races;
use crate::racy_reads::RacyReads;
use crate::record::Recorder;
use crate::sections::Sections;
use crate::shadow::Shadow;
use crate::states::{ROWS, States};
use crate::store::Store;
use crate::sync::{AtomicBool, AtomicU32, Mutex, Ordering, PoisonError};
use edges::Edges;
use heddle_core::deadlock::LockOrder;
use heddle_core::order::tree::{Departures, NodeIndex, Nodes, ROOT};
use heddle_core::{AccessKind, FinishId, FinishInfo, TaskId};
use numbers::Numbers;
use rustc_hash::FxHashSet;
use tasks::Origin;

/// Granules that a front end numbers itself.
const NUMBERED: u64 = 1 << 38;

/// Words of eight bytes in the 47 bits of address space that a process has.
const ADDRESSED: u64 = 1 << 44;

/// No strand yet.
pub(crate) const NO_STRAND: u32 = 0;

/// Where a task stands.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(crate) task: TaskId,
    /// The node whose children its next nodes are.
    pub(crate) scope: NodeIndex,
    /// The finish that tasks it spawns belong to.
    pub(crate) finish: FinishId,
    /// What joins it: the finish it was spawned into, or its creator's wait.
    pub(crate) joined_by: FinishId,
    /// The finish that joins it if nothing else does.
    pub(crate) outlived_by: FinishId,
    /// The wait that its children belong to; 0 before it has any.
    pub(crate) wait: NodeIndex,
    /// Waits that pieces of its team's work left behind, with children that were not waited for.
    pub(crate) left_waits: Vec<NodeIndex>,
    /// The children it has not waited for, as they were made.
    pub(crate) children: Vec<NodeIndex>,
    /// Where the piece it executes began; waits above are none of its business.
    pub(crate) floor: NodeIndex,
    /// Its share of a team's work.
    pub(crate) frame: u32,
    /// How many barriers it has passed, if it is the member of a team.
    pub(crate) phase: u32,
    /// The running strand, or none if it has touched nothing since its last operation.
    pub(crate) strand: u32,
    /// Which edges beside those of the tree can leave it.
    pub(crate) departures: Departures,
    /// Whether some of its descendants were not joined when it waited for its children.
    pub(crate) leaks: bool,
    pub(crate) hold: Hold,
    /// The locks it holds, as far as it is known where they were taken.
    pub(crate) taken: Vec<heddle_core::deadlock::Held>,
    /// The region it is in, if it has touched something watched in it.
    pub(crate) region: u32,
    /// How many atomic blocks it is in.
    pub(crate) blocks: u32,
    /// The origin of the task it created last, or its own.
    pub(crate) origin: u32,
    /// Reads in the sections it is in that a later section may overtake.
    pub(crate) looks: Looks,
    /// How often something was handed over to it.
    pub(crate) received: u32,
    /// The last of its strands whose end others may have followed at once.
    pub(crate) departed: u32,
    /// The last node it made, or its own.
    pub(crate) newest: NodeIndex,
    /// Numbers of nodes that its thread has taken, while it runs.
    pub(crate) numbers: Numbers,
}

impl Cursor {
    /// The task.
    pub fn task(&self) -> TaskId {
        self.task
    }

    /// The strand of its last access; 0 if it has touched nothing since its last operation. What was
    /// checked for this strand holds until the number changes.
    #[inline(always)]
    pub fn strand(&self) -> u32 {
        self.strand
    }

    /// How often something was handed over to the task; the number wraps around.
    pub fn received(&self) -> u32 {
        self.received
    }

    /// Whether the task holds no lock.
    pub fn holds_nothing(&self) -> bool {
        self.hold == Hold::NOTHING
    }

    /// The finish that tasks it spawns belong to, unless another is named.
    pub fn finish(&self) -> FinishId {
        self.finish
    }
}

/// A finish: open, or the implicit one of the main task.
#[derive(Clone, Copy, Debug)]
pub struct FinishScope {
    id: FinishId,
    pub(crate) node: NodeIndex,
    /// Where the owner stood before.
    outer_scope: NodeIndex,
    outer_finish: FinishId,
    outer_wait: NodeIndex,
}

/// The end of a task, to be joined.
#[derive(Clone, Copy, Debug)]
pub struct EndPoint {
    task: TaskId,
    scope: NodeIndex,
    strand: u32,
    departures: Departures,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Engine {
    pub(crate) forest: Forest,
    pub(crate) states: States,
    pub(crate) exclusion: Exclusion,
    pub(crate) sections: Sections,
    pub(crate) overtakings: Overtakings,
    pub(crate) racy_reads: RacyReads,
    pub(crate) shadow: Shadow,
    pub(crate) frames: Frames,
    pub(crate) races: Mutex<Races>,
    /// Changes when the races found so far are forgotten.
    pub(crate) generation: AtomicU32,
    pub(crate) atomicity: Atomicity,
    pub(crate) reports_races: bool,
    edges: Mutex<Edges>,
    has_edges: AtomicBool,
    has_hand_offs: AtomicBool,
    pub(crate) tasks: Store<TaskRow>,
    pub(crate) origins: Store<Origin>,
    pub(crate) finishes: Store<FinishInfo>,
    /// Whether every parallel access of a location is kept: the tree alone does not say who can stand for whom.
    keeps_all: AtomicBool,
    /// Whether an access was dropped for others that were then ordered by more than the tree.
    lost: AtomicBool,
    pub(crate) has_pieces: AtomicBool,
    /// Whether strands or tasks are known by name: something may wait for them.
    pub(crate) has_names: AtomicBool,
    /// Pieces of teams' work that are suspended.
    pub(crate) put_aside: Mutex<FxHashSet<TaskId>>,
    has_put_aside: AtomicBool,
    #[cfg(not(feature = "shuttle"))]
    pub(crate) reclaimed: Mutex<crate::reclaim::Reclaimed>,
    /// Nodes there were when unused ones were last looked for.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) counted: AtomicU32,
    excluded: AtomicBool,
    pub(crate) owned: fn(u64) -> bool,
    pub(crate) is_below: fn(u32, u32) -> bool,
    pub(crate) witness: fn(u64, [u32; 2]),
    gave_up: AtomicBool,
    pub(crate) lock_order: Mutex<LockOrder>,
    pub(crate) recorder: Option<Box<Recorder>>,
}

impl FinishScope {
    /// The main task's implicit finish. It never ends.
    pub const MAIN: Self = Self {
        id: FinishId::MAIN,
        node: ROOT,
        outer_scope: ROOT,
        outer_finish: FinishId::MAIN,
        outer_wait: ROOT,
    };

    /// The finish.
    pub fn id(&self) -> FinishId {
        self.id
    }
}

impl EndPoint {
    /// The task that ended.
    pub fn task(&self) -> TaskId {
        self.task
    }

    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn nodes(&self) -> [NodeIndex; 2] {
        [self.scope, self.strand]
    }
}

impl Engine {
    /// An engine for granules that are numbered from 0, as many as there are; none if the address space
    /// for its tables cannot be had.
    pub fn new() -> Option<Self> {
        Self::with_room(NUMBERED)
    }

    /// An engine whose granules are the words of the address space.
    pub fn for_addresses() -> Option<Self> {
        Self::with_room(ADDRESSED)
    }

    fn with_room(granules: u64) -> Option<Self> {
        Some(Self {
            forest: Forest::new(ROWS)?,
            states: States::new()?,
            exclusion: Exclusion::new(ROWS)?,
            sections: Sections::default(),
            overtakings: Overtakings::default(),
            racy_reads: RacyReads::default(),
            shadow: Shadow::new(granules)?,
            frames: Frames::new(ROWS)?,
            races: Mutex::default(),
            generation: AtomicU32::new(0),
            atomicity: Atomicity::new()?,
            reports_races: true,
            edges: Mutex::default(),
            has_edges: AtomicBool::new(false),
            has_hand_offs: AtomicBool::new(false),
            tasks: Store::new(ROWS)?,
            origins: Self::origins()?,
            finishes: Store::new(ROWS)?,
            keeps_all: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            has_pieces: AtomicBool::new(false),
            has_names: AtomicBool::new(false),
            put_aside: Mutex::default(),
            has_put_aside: AtomicBool::new(false),
            #[cfg(not(feature = "shuttle"))]
            reclaimed: Mutex::default(),
            #[cfg(not(feature = "shuttle"))]
            counted: AtomicU32::new(0),
            excluded: AtomicBool::new(false),
            owned: |_| false,
            is_below: |later, earlier| later >= earlier,
            witness: |_, _| (),
            gave_up: AtomicBool::new(false),
            lock_order: Mutex::default(),
            recorder: None,
        })
    }

    /// Keeps every parallel access of a location from now on.
    pub(crate) fn keep_all(&self) {
        if !self.keeps_all.load(Ordering::Relaxed) {
            self.keeps_all.store(true, Ordering::Relaxed);
        }
    }

    /// Whether every parallel access of a location is kept.
    #[inline]
    pub(crate) fn keeps_all(&self) -> bool {
        self.keeps_all.load(Ordering::Relaxed)
    }

    /// How to tell whether a granule belongs to the calling thread alone, whatever thread a piece of
    /// its team's work runs on: its own stack and the like.
    pub fn owned_by(&mut self, owned: fn(u64) -> bool) {
        self.owned = owned;
    }

    /// How to tell whether what a strand did at the first of two sites came after what it did at the second, if their
    /// numbers do not say so.
    pub fn sequenced_by(&mut self, is_below: fn(u32, u32) -> bool) {
        self.is_below = is_below;
    }

    /// What to call when a pair of sites, the earlier access's first, races on a location for the first
    /// time. It runs on the thread and below the frames of the later access.
    pub fn witnessed_by(&mut self, witness: fn(u64, [u32; 2])) {
        self.witness = witness;
    }

    /// Tells at most so many locations of a pair of sites apart; of all it is known which bytes they are.
    pub fn bound_race_locations(&mut self, bound: usize) {
        self.races = Mutex::new(Races::bounded(Some(bound)));
    }

    /// Whether an access was dropped because others stood for it, and those were then ordered before a
    /// conflicting access by more than the tree: a race with the dropped one may have been missed.
    pub fn lost_an_access(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    #[cold]
    pub(crate) fn loses_an_access(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Whether a table was full, so that not everything was checked.
    pub fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// Shadow memory, for [`ThreadCache::has_made`].
    #[cfg(not(feature = "shuttle"))]
    pub fn view(&self) -> crate::View {
        self.shadow.view()
    }

    /// Strands made so far have lower numbers. Those made from now on may have, too, where threads take numbers in
    /// [blocks](Self::number_in_blocks).
    pub fn clock(&self) -> u32 {
        self.forest.count()
    }

    /// The races found so far are another process's.
    pub fn forget_races(&self) {
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        *races = Races::bounded(races.bound());
        drop(races);
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The task reads `len` locations from `start`; `site` is asked for only where it matters.
    #[inline(always)]
    pub fn read(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: impl Fn() -> u32,
    ) {
        self.sweep(AccessKind::Read, cache, cursor, start, len, site);
    }

    /// The task writes `len` locations from `start`.
    #[inline(always)]
    pub fn write(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: impl Fn() -> u32,
    ) {
        self.sweep(AccessKind::Write, cache, cursor, start, len, site);
    }

    /// These locations are fresh: what was known of them is void.
    pub fn forget(&self, start: u64, len: u64) {
        let book = self.open_book();
        self.shadow.clear(start, len);
        self.forget_members(start, len);
        if let Some(mut book) = book {
            book.forget(start, len);
        }
    }

    pub(crate) fn or_give_up<T>(&self, row: Option<T>) -> Option<T> {
        if row.is_none() {
            self.gave_up.store(true, Ordering::Relaxed);
        }
        row
    }
}
