//! Who has released what others may acquire: atomics, conditions, semaphores, once-only code.
//!
//! For each address there is a list of strands: an acquire that sees the state they left comes after
//! them. The list is looked up and changed under one lock with the operation itself, so that what is
//! seen and what is noted agree.
//!
//! Whether the edge is a hand-off (in another schedule the acquire might have seen something else) or
//! holds in every schedule is said by whoever releases.

use crate::access::GRANULE;
use crate::runtime::Runtime;
use crate::thread::Thread;
use heddle_core::TaskId;
use heddle_rt::Kept;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lists longer than this are drawn together when the next strand is added.
const LONG: usize = 32;
/// And if that leaves so many, they are handed over to one task.
const MANY: usize = 1 << 10;
const SHARDS: usize = 64;

/// In which schedules an edge holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Reach {
    /// In this one, and all where the acquire sees the same.
    #[default]
    Seen,
    /// In every one.
    Always,
}

/// A strand that is over, and its task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Released {
    task: TaskId,
    strand: u32,
}

/// What was released at one address.
#[derive(Debug, Default)]
pub(crate) struct Releases {
    address: usize,
    strands: Vec<Released>,
    /// Where the strand of each task stands, once there are many.
    of_task: FxHashMap<TaskId, usize>,
    reach: Reach,
    /// Tasks that have acquired all of them.
    seen_by: FxHashSet<TaskId>,
}

impl Released {
    /// What the thread's task did so far.
    pub(crate) fn now(runtime: &Runtime, thread: &mut Thread) -> Self {
        Self {
            task: thread.cursor.task(),
            strand: runtime.engine.offer(&mut thread.cursor),
        }
    }

    /// Tells the strand.
    pub(crate) fn list(self, kept: &mut Kept) {
        kept.strand(self.strand);
    }

    /// A strand that is over.
    pub(crate) fn strand(task: TaskId, strand: u32) -> Self {
        Self { task, strand }
    }

    /// Whether both are the same task's.
    pub(crate) fn same_task(self, other: Self) -> bool {
        self.task == other.task
    }

    /// The one of two strands of a task that came later, and so stands for both. Strands are numbered as their task comes
    /// to them.
    pub(crate) fn later(self, other: Self) -> Self {
        match self.strand < other.strand {
            true => other,
            false => self,
        }
    }

    /// What the task does next comes after it.
    pub(crate) fn acquire(self, runtime: &Runtime, thread: &mut Thread, reach: Reach) {
        if self.task == thread.cursor.task() {
            return;
        }
        match reach {
            Reach::Seen => runtime.engine.hand_over(&mut thread.cursor, self.strand),
            Reach::Always => runtime.engine.wait(&mut thread.cursor, &[self.strand]),
        }
    }

    /// The same, for one who saw the value at `address`.
    fn acquire_at(self, runtime: &Runtime, thread: &mut Thread, reach: Reach, address: usize) {
        if reach == Reach::Always || self.task == thread.cursor.task() {
            return self.acquire(runtime, thread, reach);
        }
        let granule = (address / GRANULE) as u64;
        runtime
            .engine
            .hand_over_through(&mut thread.cursor, self.strand, granule);
    }
}

impl Releases {
    /// Nothing is released yet at this address.
    pub(crate) fn at(address: usize) -> Self {
        Self {
            address,
            ..Self::default()
        }
    }

    /// What the thread's task does next comes after all that was released here.
    pub(crate) fn acquire(&mut self, runtime: &Runtime, thread: &mut Thread) {
        if !self.strands.is_empty() && self.seen_by.insert(thread.cursor.task()) {
            for &released in &self.strands {
                released.acquire_at(runtime, thread, self.reach, self.address);
            }
        }
    }

    /// The strands, for an acquire that may come later.
    pub(crate) fn strands(&self) -> &[Released] {
        &self.strands
    }

    /// Only `released` counts from now on.
    pub(crate) fn replace(&mut self, released: Released, reach: Reach) {
        self.clear();
        self.reach = reach;
        self.strands.push(released);
    }

    /// The thread's task releases too. A later strand of a task stands for its earlier ones.
    pub(crate) fn add(&mut self, runtime: &Runtime, thread: &mut Thread) {
        if self.strands.len() >= LONG {
            // Its own strand then stands for all: more order than there is, but hand-offs only turn
            // certain races into possible ones.
            self.acquire(runtime, thread);
            self.strands.clear();
            self.of_task.clear();
        }
        let released = Released::now(runtime, thread);
        self.push(runtime, thread, released);
    }

    /// Adds a strand of the thread's task: the one it has just ended, or that before its last release fence.
    pub(crate) fn push(&mut self, runtime: &Runtime, thread: &mut Thread, released: Released) {
        self.seen_by.clear();
        if let Some(at) = self.position(released.task) {
            self.strands[at] = self.strands[at].later(released);
            return;
        }
        if self.strands.len() >= LONG && self.strands.len().is_power_of_two() {
            // Whoever comes after the new one comes after what precedes it.
            let cursor = &mut thread.cursor;
            self.strands
                .retain(|earlier| !runtime.engine.follows(cursor, earlier.strand));
            let number = |(at, released): (usize, &Released)| (released.task, at);
            self.of_task = self.strands.iter().enumerate().map(number).collect();
        }
        if self.strands.len() >= LONG {
            self.of_task.insert(released.task, self.strands.len());
        }
        self.strands.push(released);
    }

    /// Draws long lists together: all of them are handed over to the thread's task, whose next strand then stands for all.
    /// That is more order than there is, for one task in [`MANY`].
    pub(crate) fn draw_together(&mut self, runtime: &Runtime, thread: &mut Thread) {
        if self.strands.len() < MANY {
            return;
        }
        let own = thread.cursor.task();
        let others = self.strands.iter().filter(|released| released.task != own);
        let others: Vec<u32> = others.map(|released| released.strand).collect();
        runtime.engine.hand_over_all(&mut thread.cursor, &others);
        self.clear();
    }

    fn position(&self, task: TaskId) -> Option<usize> {
        match self.strands.len() <= LONG {
            true => self
                .strands
                .iter()
                .position(|released| released.task == task),
            false => self.of_task.get(&task).copied(),
        }
    }

    /// Tells the strands.
    pub(crate) fn list(&self, kept: &mut Kept) {
        self.strands.iter().for_each(|released| released.list(kept));
    }

    /// Nothing is released here any more.
    pub(crate) fn clear(&mut self) {
        self.strands.clear();
        self.of_task.clear();
        self.seen_by.clear();
    }
}

type Shard = FxHashMap<usize, Releases>;

static TABLE: [Mutex<Option<Box<Shard>>>; SHARDS] = [const { Mutex::new(None) }; SHARDS];
static USED: AtomicBool = AtomicBool::new(false);

/// Whether anything was ever released. If not, nothing can be acquired.
#[inline]
pub(crate) fn any() -> bool {
    USED.load(Ordering::Acquire)
}

/// Something is about to be released.
pub(crate) fn will_be_used() {
    USED.store(true, Ordering::Release);
}

/// Tells all strands that something may still acquire.
pub(crate) fn list(kept: &mut Kept) {
    for shard in &TABLE {
        let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let releases = shard.iter().flat_map(|shard| shard.values());
        releases.for_each(|releases| releases.list(kept));
    }
}

/// The part of the table that `address` is in, locked. Only to be called by a thread that has entered
/// the runtime: a signal handler that came in between could not get the lock.
pub(crate) fn lock(address: usize) -> Locked {
    let mix = (address >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let shard = TABLE[mix % SHARDS]
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Locked { shard, address }
}

/// The locked entry of an address.
pub(crate) struct Locked {
    shard: MutexGuard<'static, Option<Box<Shard>>>,
    address: usize,
}

impl Locked {
    /// What was released there, if anything.
    pub(crate) fn get(&mut self) -> Option<&mut Releases> {
        self.shard.as_mut()?.get_mut(&self.address)
    }

    /// What was released there, to be changed.
    pub(crate) fn entry(&mut self) -> &mut Releases {
        will_be_used();
        let shard = self.shard.get_or_insert_with(Box::default);
        let releases = shard.entry(self.address).or_default();
        releases.address = self.address;
        releases
    }
}
