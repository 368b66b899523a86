//! Recording: what the engine is told, as a stream of events that other front ends' detectors can check.
//!
//! The engine's operations are spelled out in the one vocabulary: a wait for children is one join for
//! each, what a team does between two barriers is a finish, a member beyond a barrier is a new task, a
//! piece of work that any member could have got is a task that the team's creator spawns. Memory that
//! the engine takes for another object than before is allocated anew.
//!
//! # Deviations
//! 1. An atomic access is one under a lock of its own, and a lock that hands nothing over is an ordinary
//!    lock: races that are certain here may be merely possible there.
//! 2. Where a piece of work finds what its own thread left, the whole history of the granule is void.
//!
//! What is handed over is a write and a read of a location of its own, under a lock of its own.
//!
//! # Invariant
//! An access and what the engine makes of it happen under the recorder's lock, so that the stream has them
//! in the sequence in which the engine saw them.

mod out;
mod stream;
mod tasks;

use crate::engine::Engine;
use crate::exclusion::LockMode;
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, PoisonError};
use heddle_core::{
    AccessKind, CutBy, Event, Extent, Features, FinishId, GroupId, Listener, Location, LockId,
    Shape, SiteId, TaskId, TokenId,
};
use out::{LONGEST, Part};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::time::Duration;
use stream::Stream;

const GRANULE: u64 = 8;
/// Milliseconds to wait for a recording that is to be closed.
const PATIENCE: u32 = 1000;

/// What a location of the stream is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A byte: eight to a granule.
    Byte,
    /// A granule.
    Granule,
}

/// What a name of a recording stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// A lock of the front end's.
    Lock(LockId),
    /// What atomic accesses are made under.
    Atomic,
    /// What hand-overs are made under.
    HandOver,
    /// A signal.
    Signal,
    /// Memory that a finding may be about.
    Memory {
        /// Its first location.
        start: Location,
        /// Where it was accessed.
        site: u32,
    },
}

/// What a legend must have for a recording.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// What the stream has.
    pub features: Features,
    /// Row `n` is the front end's number for site `n`. The first is 0.
    pub sites: Vec<u32>,
    /// Row `n` is what name `n` stands for.
    pub names: Vec<Label>,
}

/// How to record.
pub struct Recording {
    /// Gets the events.
    pub to: Box<dyn Listener + Send>,
    /// What a location is.
    pub unit: Unit,
}

/// The recorder of a run.
pub(crate) struct Recorder {
    is_on: AtomicBool,
    /// Whether the access being made races.
    is_racy: AtomicBool,
    book: Mutex<Book>,
}

impl Engine {
    /// Records the run from its start. To be called before it; every reader is kept.
    pub fn record_to(&mut self, recording: Recording) {
        self.recorder = Some(Box::new(Recorder::new(recording)));
        self.keep_all();
    }

    /// Closes the recording, and ends what is not over. Gives what its legend needs; none if there is no
    /// recording.
    pub fn finish_recording(&self) -> Option<Recorded> {
        self.recorder.as_ref()?.finish()
    }

    /// Leaves the recording as it is: it is another process's. Takes no lock.
    pub fn abandon_recording(&self) {
        self.recorder.iter().for_each(|recorder| recorder.stop());
    }

    #[inline]
    pub(crate) fn record(&self, tell: impl FnOnce(&mut Book)) {
        if let Some(mut book) = self.open_book() {
            tell(&mut book);
        }
    }

    /// What is to be told of a step that must not be parted from its record.
    #[inline]
    pub(crate) fn open_book(&self) -> Option<MutexGuard<'_, Book>> {
        self.recorder.as_ref()?.open()
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// From the engine's numbers to the stream's.
pub(crate) struct Book {
    stream: Stream,
    unit: Unit,
    /// Tasks of the stream; a member is another one beyond each barrier.
    tasks: Vec<TaskId>,
    finishes: FxHashMap<FinishId, FinishId>,
    /// The children that a task of the stream can wait for.
    children: FxHashMap<TaskId, Vec<TaskId>>,
    /// Tasks in a finish that is not around them in the stream.
    strangers: FxHashMap<FinishId, Vec<TaskId>>,
    locks: FxHashMap<Label, LockId>,
    tokens: FxHashMap<u32, TokenId>,
    hand_overs: FxHashSet<u32>,
    /// Threads' own storage, by granule: the task that was the last to access it.
    private: FxHashMap<u64, TaskId>,
    /// Memory accessed in critical sections, by granule: the task that was the first to.
    guarded: FxHashMap<u64, TaskId>,
    sites: FxHashMap<u32, SiteId>,
    /// Named memory: start and length.
    declared: BTreeSet<(u64, u64)>,
    recorded: Recorded,
}

/// An access of one granule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) task: TaskId,
    pub(crate) kind: AccessKind,
    pub(crate) granule: u64,
    pub(crate) mask: u8,
    pub(crate) site: u32,
    /// Granules of one access have one number.
    pub(crate) access: u64,
    /// What was there before was something else.
    pub(crate) is_fresh: bool,
    pub(crate) is_atomic: bool,
    /// The storage is the thread's own.
    pub(crate) is_private: bool,
    pub(crate) is_racy: bool,
    /// It is made in a critical section, or atomically.
    pub(crate) is_guarded: bool,
}

impl Recorder {
    pub(crate) fn new(recording: Recording) -> Self {
        let start = SiteId::new(0);
        let book = Book {
            stream: Stream::new(recording.to, start),
            unit: recording.unit,
            tasks: vec![TaskId::MAIN],
            finishes: FxHashMap::from_iter([(FinishId::MAIN, FinishId::MAIN)]),
            children: FxHashMap::default(),
            strangers: FxHashMap::default(),
            locks: FxHashMap::default(),
            tokens: FxHashMap::default(),
            hand_overs: FxHashSet::default(),
            private: FxHashMap::default(),
            guarded: FxHashMap::default(),
            sites: FxHashMap::from_iter([(0, start)]),
            declared: BTreeSet::new(),
            recorded: Recorded {
                sites: vec![0],
                ..Recorded::default()
            },
        };
        Self {
            is_on: AtomicBool::new(true),
            is_racy: AtomicBool::new(false),
            book: Mutex::new(book),
        }
    }

    /// What is to be told; none if recording has stopped.
    pub(crate) fn open(&self) -> Option<MutexGuard<'_, Book>> {
        let is_on = || self.is_on.load(Ordering::Acquire);
        if !is_on() {
            return None;
        }
        let book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        is_on().then_some(book)
    }

    /// As [`open`](Self::open), but not for ever: a thread that a signal has ended may have it open.
    fn open_soon(&self) -> Option<MutexGuard<'_, Book>> {
        let is_on = self.is_on.load(Ordering::Acquire);
        let mut tries = (0..PATIENCE).filter(|_| is_on).map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            self.book.try_lock().ok()
        });
        let at_once = self.book.try_lock().ok().filter(|_| is_on);
        at_once.or_else(|| tries.find_map(|book| book))
    }

    /// The access being made races.
    pub(crate) fn meets_race(&self) {
        self.is_racy.store(true, Ordering::Relaxed);
    }

    /// Whether the access just made did.
    pub(crate) fn met_race(&self) -> bool {
        self.is_racy.swap(false, Ordering::Relaxed)
    }

    /// Says no more.
    pub(crate) fn stop(&self) {
        self.is_on.store(false, Ordering::Release);
    }

    /// Closes the stream.
    pub(crate) fn finish(&self) -> Option<Recorded> {
        let mut book = self.open_soon()?;
        self.stop();
        book.stream.end(TaskId::MAIN);
        Some(std::mem::take(&mut book.recorded))
    }
}

/// Atomicity.
impl Book {
    pub(crate) fn watch(&mut self, granule: u64, len: u64, mask: u8, group: Option<GroupId>) {
        self.recorded.features.atomics = true;
        let whole = |start, len| vec![Extent::new(Location(start), len)];
        let extents = match (self.unit, len) {
            (Unit::Granule, _) => whole(granule, len),
            (Unit::Byte, 1) => extents(Unit::Byte, granule, mask),
            (Unit::Byte, _) => whole(granule * GRANULE, len * GRANULE),
        };
        for extent in extents {
            self.stream.say(Event::Atomic { extent, group });
        }
    }

    pub(crate) fn block_begin(&mut self, task: TaskId) {
        self.recorded.features.atomics = true;
        let task = self.task(task);
        let site = self.stream.site_of(task);
        self.stream.say_of(task, Event::AtomicBegin { site });
    }

    pub(crate) fn block_end(&mut self, task: TaskId) {
        let task = self.task(task);
        let site = self.stream.site_of(task);
        self.stream.say_of(task, Event::AtomicEnd { site });
    }
}

/// Transactions.
impl Book {
    pub(crate) fn cut(&mut self, task: TaskId, by: CutBy, site: u32) {
        self.recorded.features.cuts = true;
        let (task, site) = (self.task(task), self.site(site));
        self.stream.say_of(task, Event::Cut { by, site });
    }
}

/// Signals, hand-overs and locks.
impl Book {
    pub(crate) fn signal(&mut self, task: TaskId, strand: u32) {
        if self.tokens.contains_key(&strand) {
            return;
        }
        let token = TokenId::new(self.tokens.len() as u32);
        self.tokens.insert(strand, token);
        self.recorded.features.extra_edges = true;
        let name = self.name(Label::Signal);
        self.stream.say(Event::DeclareToken { token, name });
        self.stream.signal(self.task(task), token);
    }

    pub(crate) fn wait(&mut self, task: TaskId, strands: &[u32]) {
        for strand in strands {
            if let Some(&token) = self.tokens.get(strand) {
                self.stream.wait(self.task(task), token);
            }
        }
    }

    /// What the task did so far may be handed over.
    pub(crate) fn offer(&mut self, task: TaskId, strand: u32) {
        self.hand_overs.insert(strand);
        self.hand(task, strand, AccessKind::Write);
    }

    pub(crate) fn hand_over(&mut self, task: TaskId, strand: u32) {
        if self.hand_overs.contains(&strand) {
            self.hand(task, strand, AccessKind::Read);
        }
    }

    fn hand(&mut self, task: TaskId, strand: u32, kind: AccessKind) {
        let (task, lock) = (self.task(task), self.lock(Label::HandOver));
        let site = self.stream.site_of(task);
        let extent = Extent::one(Location::of_hand_over(strand));
        self.stream.acquire(task, lock, LockMode::Exclusive);
        let part = Part {
            access: 0,
            kind,
            extent,
            site,
        };
        self.stream.access(task, part);
        self.stream.release(task, lock);
    }

    fn lock(&mut self, label: Label) -> LockId {
        if label == Label::Lock(LockId::ISOLATED) {
            self.recorded.features.isolated = true;
            return LockId::ISOLATED;
        }
        self.recorded.features.locks = true;
        if let Some(&lock) = self.locks.get(&label) {
            return lock;
        }
        let (lock, name) = (self.stream.new_lock(), self.name(label));
        self.stream.say(Event::DeclareLock { lock, name });
        self.locks.insert(label, lock);
        lock
    }

    pub(crate) fn acquire(&mut self, task: TaskId, lock: LockId, mode: LockMode) {
        let task = self.task(task);
        let lock = self.lock(Label::Lock(lock));
        self.stream.acquire(task, lock, mode);
    }

    pub(crate) fn release(&mut self, task: TaskId, lock: LockId) {
        let task = self.task(task);
        let isolated = (lock == LockId::ISOLATED).then_some(lock);
        let lock = isolated.or_else(|| self.locks.get(&Label::Lock(lock)).copied());
        lock.into_iter()
            .for_each(|lock| self.stream.release(task, lock));
    }
}

/// Memory.
impl Book {
    /// Records the access; whether its memory got a name because tasks share it in critical sections.
    pub(crate) fn access(&mut self, made: Made) -> bool {
        let task = self.task(made.task);
        let site = self.site(made.site);
        // Tasks that meet in a thread's own storage need not meet: each has a variable of its own there.
        let is_of_another =
            made.is_private && self.private.insert(made.granule, task) != Some(task);
        if made.is_fresh || is_of_another {
            self.forget(made.granule, 1);
        }
        let is_shared = made.is_guarded
            && !made.is_private
            && *self.guarded.entry(made.granule).or_insert(task) != task;
        let mut is_named = false;
        let atomic = made.is_atomic.then(|| self.lock(Label::Atomic));
        atomic
            .into_iter()
            .for_each(|lock| self.stream.acquire(task, lock, LockMode::Exclusive));
        for extent in extents(self.unit, made.granule, made.mask) {
            if made.is_racy || is_shared {
                is_named |= self.declare(extent, made.site);
            }
            let part = Part {
                access: made.access,
                kind: made.kind,
                extent,
                site,
            };
            self.stream.access(task, part);
        }
        atomic
            .into_iter()
            .for_each(|lock| self.stream.release(task, lock));
        is_named && !made.is_racy
    }

    /// Names memory, before the access that a finding may be about; whether it had no name yet.
    fn declare(&mut self, extent: Extent, site: u32) -> bool {
        let is_new = self.declared.insert((extent.start.0, extent.len));
        if is_new {
            let label = Label::Memory {
                start: extent.start,
                site,
            };
            let (name, shape) = (self.name(label), Shape::Scalar);
            self.stream.name(Event::Declare {
                extent,
                name,
                shape,
            });
        }
        is_new
    }

    pub(crate) fn forget(&mut self, granule: u64, len: u64) {
        let (start, len) = match self.unit {
            Unit::Byte => (granule * GRANULE, len * GRANULE),
            Unit::Granule => (granule, len),
        };
        let ends = (start..start + len).step_by(LONGEST as usize);
        for part in ends {
            self.allocate(part, LONGEST.min(start + len - part));
        }
    }

    fn allocate(&mut self, start: u64, len: u64) {
        let extent = Extent::new(Location(start), len);
        let void: Vec<_> = self
            .declared
            .range((start, 0)..(start + len, 0))
            .copied()
            .collect();
        for known in void {
            self.declared.remove(&known);
        }
        let site = SiteId::new(0);
        self.stream.say(Event::Alloc {
            extent,
            name: None,
            site,
        });
    }
}

/// The locations of these bytes of a granule.
fn extents(unit: Unit, granule: u64, mask: u8) -> Vec<Extent> {
    if unit == Unit::Granule {
        return vec![Extent::one(Location(granule))];
    }
    let mut extents = Vec::new();
    let (mut left, mut at) = (mask, granule * GRANULE);
    while left != 0 {
        let skipped = left.trailing_zeros();
        left >>= skipped;
        at += u64::from(skipped);
        let len = left.trailing_ones();
        extents.push(Extent::new(Location(at), u64::from(len)));
        left = left.checked_shr(len).unwrap_or(0);
        at += u64::from(len);
    }
    extents
}
