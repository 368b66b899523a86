//! Conflict-serializability of the order that is observed, while the program runs: the baseline to compare with.
//!
//! Flanagan, Freund, Yi: *Velodrome: A Sound and Complete Dynamic Atomicity Checker for Multithreaded
//! Programs* (2008). As in [`heddle_core::atomicity`], regions are the transactions, there is an edge for everything that
//! makes a task wait and for conflicting accesses to a unit as they came, and a region whose access closes a
//! cycle is torn. It says nothing of any other schedule.
//!
//! # Form
//! 1. A unit's history is one word ([`words`]): the transaction that wrote it last, and those that read it since. An
//!    access is one compare-and-swap, which also decides what came first.
//! 2. An access that its transaction has already made, nobody else having been there since, changes nothing: one load
//!    and a comparison.
//! 3. Most transactions meet nobody who is still alive. They never get into the graph ([`graph`]).
//! 4. Bytes of a granule that are accessed by themselves, and groups, have words of their own.
//!
//! # Deviations
//! 1. A cycle that a task operation or a lock closes is counted, and reported if the next access that is not a
//!    repetition closes it too.
//! 2. An edge that closes a cycle is not drawn, so that what follows is judged without it.

mod course;
mod graph;
mod words;

pub(crate) use course::Course;

use crate::Touch;
use crate::engine::{Cursor, Engine};
use crate::states::ROWS;
use crate::store::Store;
use crate::sync::{AtomicBool, Mutex, MutexGuard, PoisonError};
use course::Mark;
use graph::{Cause, Drawn, Graph, NOBODY};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::GroupId;
use heddle_core::atomicity::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use words::{View, Words};

/// All bytes of a granule.
const WHOLE: u8 = 0xff;
/// Marks a number that is that of a list of readers.
const LIST: u32 = 1 << 31;
/// Instead of a writer: each byte of the granule has a word of its own.
const BYTES: u32 = u32::MAX;
/// Instead of a writer: what is accessed is a group.
const GROUP: u32 = u32::MAX - 1;

/// What the observed order shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cycles {
    /// The units on which an access closed a cycle, each once.
    pub torn: Vec<Cycle>,
    /// Regions that accessed a unit.
    pub regions: u64,
    /// Edges between regions that were alive.
    pub edges: u64,
    /// Cycles that were closed by a task operation or a lock, not by an access to a unit.
    pub by_waits: u64,
}

/// An access that closed a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cycle {
    /// What was accessed: the granule, and its first byte that closed a cycle.
    pub granule: u64,
    /// See there.
    pub byte: u8,
    /// What it is a member of.
    pub group: Option<GroupId>,
    /// Where.
    pub site: u32,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Velodrome {
    graph: Graph,
    words: Words,
    readers: Store<Reader>,
    scope: Scope,
    /// The words of groups, and the groups of words.
    groups: Mutex<(FxHashMap<GroupId, u32>, FxHashMap<u32, GroupId>)>,
    /// What tasks, finishes, locks and signals left behind that is still alive.
    left: Mutex<FxHashMap<Mark, Vec<u32>>>,
    any_left: AtomicBool,
    found: Mutex<(FxHashSet<Unit>, Vec<Cycle>)>,
}

/// A reader, and those before it.
#[derive(Clone, Copy, Debug)]
struct Reader {
    transaction: u32,
    rest: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Unit {
    /// A granule, from this byte on.
    Bytes(u64, u8),
    Group(u32),
}

/// The history of a unit: its writer, and its readers since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word(u64);

impl Word {
    /// Not watched.
    const NONE: Self = Self(0);
    /// Watched, and not accessed yet.
    const WATCHED: Self = Self(NOBODY as u64);

    const fn new(writer: u32, readers: u32) -> Self {
        Self(writer as u64 | (readers as u64) << 32)
    }

    const fn writer(self) -> u32 {
        self.0 as u32
    }

    /// Readers, or the number of spare words.
    const fn readers(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether the access of this transaction, which is one, changes nothing.
    #[inline(always)]
    fn has(self, transaction: u32, kind: AccessKind) -> bool {
        match kind {
            Read => self.writer() == transaction || self.readers() == transaction,
            Write => {
                self.writer() == transaction
                    && (self.readers() == 0 || self.readers() == transaction)
            }
        }
    }
}

impl Engine {
    /// Observes the order of accesses from now on. To be said before the run.
    pub fn observe_order(&mut self, scope: Scope) {
        self.velodrome = Velodrome::new(scope).map(Box::new);
    }

    /// Whether the order of accesses is observed.
    pub fn observes_order(&self) -> bool {
        self.velodrome.is_some()
    }

    /// The order of accesses to these bytes of each granule matters: by themselves, or as a part of a group.
    pub(crate) fn observe_units(&self, start: u64, len: u64, mask: u8, group: Option<GroupId>) {
        if let Some(velodrome) = &self.velodrome {
            let granules = start..start.saturating_add(len);
            granules.for_each(|granule| velodrome.watch(granule, mask, group));
        }
    }

    /// What was known of these granules is void.
    pub(crate) fn forget_order(&self, start: u64, len: u64) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.forget(start, len);
        }
    }

    /// The observed order, for a common path; none if it is not observed.
    pub fn order_view(&self) -> Option<OrderView> {
        let velodrome = self.velodrome.as_ref()?;
        Some(OrderView {
            words: velodrome.words.view(),
            scope: velodrome.scope,
        })
    }

    /// The task makes an access, if that needs neither a lock nor memory; says whether it did.
    #[inline]
    pub fn observe_at_once(&self, cursor: &Cursor, touch: Touch) -> bool {
        let velodrome = self.velodrome.as_ref();
        velodrome.is_none_or(|velodrome| velodrome.pass(&cursor.course, touch))
    }

    /// The task makes an access.
    #[inline]
    pub fn observe(&self, cursor: &mut Cursor, touch: Touch, site: impl FnOnce() -> u32) {
        let Some(velodrome) = &self.velodrome else {
            return;
        };
        if velodrome.pass(&cursor.course, touch) {
            return;
        }
        if let Some(unit) = velodrome.meet(&mut cursor.course, touch) {
            let site = site();
            if velodrome.report(unit, touch.granule, site) {
                (self.witness)(touch.granule, [site; 2]);
            }
        }
    }

    /// What the order showed so far.
    pub fn cycles(&self) -> Option<Cycles> {
        self.velodrome.as_ref().map(|velodrome| velodrome.cycles())
    }
}

impl Velodrome {
    fn new(scope: Scope) -> Option<Self> {
        Some(Self {
            graph: Graph::new()?,
            words: Words::new()?,
            readers: Store::new(ROWS)?,
            scope,
            groups: Mutex::default(),
            left: Mutex::default(),
            any_left: AtomicBool::new(false),
            found: Mutex::default(),
        })
    }

    fn cycles(&self) -> Cycles {
        let [regions, edges, by_waits] = self.graph.totals();
        Cycles {
            torn: locked(&self.found).1.clone(),
            regions,
            edges,
            by_waits,
        }
    }

    fn forget(&self, start: u64, len: u64) {
        if !locked(&self.groups).0.is_empty() {
            let granules = start..start.saturating_add(len);
            let words = granules.filter_map(|granule| self.words.find(granule));
            words.for_each(|word| self.leave_group(Word(word.load(Ordering::Acquire))));
        }
        self.words.clear(start, len);
    }

    /// A group that loses a member starts anew.
    fn leave_group(&self, word: Word) {
        match word.writer() {
            GROUP => {
                let group = self.words.spare(word.readers(), 0);
                group.store(Word::WATCHED.0, Ordering::Release);
            }
            BYTES => {
                let bytes = (0..8).map(|byte| self.words.spare(word.readers(), byte));
                bytes.for_each(|byte| self.leave_group(Word(byte.load(Ordering::Acquire))));
            }
            _ => {}
        }
    }

    fn watch(&self, granule: u64, mask: u8, group: Option<GroupId>) {
        let Some(word) = self.words.word(granule) else {
            return;
        };
        let fresh = match group.and_then(|group| self.group(group)) {
            Some(number) => Word::new(GROUP, number),
            None => Word::WATCHED,
        };
        self.leave_group(Word(word.load(Ordering::Acquire)));
        if mask == WHOLE {
            return word.store(fresh.0, Ordering::Release);
        }
        if let Some(number) = self.split(word) {
            for byte in bytes(mask) {
                self.words
                    .spare(number, byte)
                    .store(fresh.0, Ordering::Release);
            }
        }
    }

    fn group(&self, group: GroupId) -> Option<u32> {
        let mut groups = locked(&self.groups);
        if let Some(&number) = groups.0.get(&group) {
            return Some(number);
        }
        let number = self.words.take_spares(Word::WATCHED.0)?;
        groups.0.insert(group, number);
        groups.1.insert(number, group);
        Some(number)
    }

    /// Gives each byte of a granule its own word, and says where.
    fn split(&self, cell: &AtomicU64) -> Option<u32> {
        loop {
            let word = Word(cell.load(Ordering::Acquire));
            if word.writer() == BYTES {
                return Some(word.readers());
            }
            let number = self.words.take_spares(word.0)?;
            let split = Word::new(BYTES, number);
            if exchange(cell, word, split).is_some() {
                return Some(number);
            }
        }
    }

    #[inline(always)]
    fn is_settled(&self, course: &Course, word: Word, kind: AccessKind) -> bool {
        is_settled(self.scope, course, word, kind)
    }

    /// Makes the access if it needs no edge and no list; says whether it did.
    #[inline]
    fn pass(&self, course: &Course, touch: Touch) -> bool {
        let Some(cell) = self.words.find(touch.granule) else {
            return self.scope == Scope::Declared;
        };
        let word = Word(cell.load(Ordering::Acquire));
        match word.writer() {
            GROUP => false,
            BYTES => bytes(touch.mask).all(|byte| {
                let byte = self.words.spare(word.readers(), byte);
                self.pass_cell(course, byte, touch.kind)
            }),
            _ if touch.mask == WHOLE => self.pass_cell(course, cell, touch.kind),
            _ => word == Word::NONE && self.scope == Scope::Declared,
        }
    }

    #[inline]
    fn pass_cell(&self, course: &Course, cell: &AtomicU64, kind: AccessKind) -> bool {
        let word = Word(cell.load(Ordering::Acquire));
        let (now, readers) = (course.current, word.readers());
        if self.is_settled(course, word, kind) {
            return true;
        }
        let is_gone = |other: u32| other == now || !self.graph.is_alive(other);
        if now == 0 || word.writer() >= GROUP || !is_gone(word.writer()) {
            return false;
        }
        let next = match kind {
            Read if readers == course.joined.0 && course.joined.1 != 0 => course.joined.1,
            _ if readers != 0 && (readers & LIST != 0 || !is_gone(readers)) => return false,
            Read => now,
            Write => 0,
        };
        let writer = match kind {
            Read => word.writer(),
            Write => now,
        };
        exchange(cell, word, Word::new(writer, next)).is_some()
    }

    /// Makes the access, and names the unit if it closes a cycle.
    #[inline(never)]
    fn meet(&self, course: &mut Course, touch: Touch) -> Option<Unit> {
        let cell = self.words.word(touch.granule)?;
        let word = Word(cell.load(Ordering::Acquire));
        let unit = Unit::Bytes(touch.granule, 0);
        match word.writer() {
            BYTES => self.settle_bytes(course, word.readers(), touch, unit),
            GROUP => self.settle(course, cell, touch.kind, unit),
            _ if touch.mask == WHOLE => self.settle(course, cell, touch.kind, unit),
            _ => {
                let number = self.split(cell)?;
                self.settle_bytes(course, number, touch, unit)
            }
        }
    }

    fn settle_bytes(
        &self,
        course: &mut Course,
        number: u32,
        touch: Touch,
        unit: Unit,
    ) -> Option<Unit> {
        let mut cycle = None;
        for byte in bytes(touch.mask) {
            let cell = self.words.spare(number, byte);
            let word = Word(cell.load(Ordering::Acquire));
            if !self.is_settled(course, word, touch.kind) {
                let unit = match unit {
                    Unit::Bytes(granule, _) => Unit::Bytes(granule, byte as u8),
                    Unit::Group(_) => unit,
                };
                cycle = cycle.or(self.settle(course, cell, touch.kind, unit));
            }
        }
        cycle
    }

    /// Makes the access, and names the unit if it closes a cycle.
    fn settle(
        &self,
        course: &mut Course,
        cell: &AtomicU64,
        kind: AccessKind,
        unit: Unit,
    ) -> Option<Unit> {
        let now = self.transaction(course);
        loop {
            let word = Word(cell.load(Ordering::Acquire));
            match word.writer() {
                GROUP => {
                    let group = Unit::Group(word.readers());
                    return self.settle(course, self.words.spare(word.readers(), 0), kind, group);
                }
                BYTES => {
                    let touch = Touch {
                        kind,
                        granule: 0,
                        mask: WHOLE,
                        since: 0,
                    };
                    return self.settle_bytes(course, word.readers(), touch, unit);
                }
                _ => {}
            }
            if word.has(now, kind) {
                return None;
            }
            if kind == Read && self.readers(word).any(|reader| reader == now) {
                course.within = word.readers();
                return None;
            }
            let next = self.next(course, word, kind, now);
            if exchange(cell, word, next).is_some() {
                return (self.meets(word, kind, now) == Drawn::Cycle).then_some(unit);
            }
        }
    }

    /// The word after an access.
    fn next(&self, course: &mut Course, word: Word, kind: AccessKind, now: u32) -> Word {
        match kind {
            Write => Word::new(now, 0),
            Read => {
                let (old, new) = course.joined;
                let readers = match word.readers() {
                    readers if readers == old && new != 0 => new,
                    readers => self.with_reader(word, readers, now),
                };
                course.joined = (word.readers(), readers);
                course.within = readers;
                Word::new(word.writer(), readers)
            }
        }
    }

    /// Those readers that are still alive, and `now`.
    fn with_reader(&self, word: Word, readers: u32, now: u32) -> u32 {
        if readers == 0 {
            return now;
        }
        let alive = self.readers(word).filter(|&r| self.graph.is_alive(r));
        let alive: SmallVec<[u32; 8]> = alive.collect();
        let row = |rest, &transaction| {
            let row = self.readers.push(Reader { transaction, rest })?;
            Some(row | LIST)
        };
        let Some((first, others)) = alive.split_first() else {
            return now;
        };
        let list = others.iter().chain([&now]).try_fold(*first, row);
        // Without room for a list the last reader stands for all.
        list.unwrap_or(now)
    }

    fn readers(&self, word: Word) -> impl Iterator<Item = u32> + '_ {
        let mut at = word.readers();
        std::iter::from_fn(move || match at {
            0 => None,
            one if one & LIST == 0 => {
                at = 0;
                Some(one)
            }
            list => {
                let reader = self.readers.get(list & !LIST);
                at = reader.rest;
                Some(reader.transaction)
            }
        })
    }

    /// Draws the edges from those that the access conflicts with.
    fn meets(&self, before: Word, kind: AccessKind, now: u32) -> Drawn {
        let readers = self.readers(before).filter(|_| kind == Write);
        let conflicts = readers
            .chain([before.writer()])
            .filter(|&other| other != now && self.graph.is_alive(other));
        let conflicts: SmallVec<[u32; 8]> = conflicts.collect();
        match conflicts.is_empty() {
            true => Drawn::Acyclic,
            false => self.graph.draw(&conflicts, now, Cause::Access),
        }
    }

    /// Notes a cycle, once for each unit; says whether it is new.
    #[cold]
    fn report(&self, unit: Unit, granule: u64, site: u32) -> bool {
        let (byte, group) = match unit {
            Unit::Bytes(_, byte) => (byte, None),
            Unit::Group(number) => (0, locked(&self.groups).1.get(&number).copied()),
        };
        let mut found = locked(&self.found);
        let is_new = found.0.insert(unit);
        if is_new {
            found.1.push(Cycle {
                granule,
                byte,
                group,
                site,
            });
        }
        is_new
    }
}

/// What the common access needs: words to look at. Outlives whoever looks.
#[derive(Clone, Copy, Debug)]
pub struct OrderView {
    words: View,
    scope: Scope,
}

impl OrderView {
    /// Whether the access changes nothing in the observed order: the task's region has made it before, and nobody
    /// else was there since; or the order does not matter there.
    ///
    /// # Safety
    /// The engine this view was made from is still there.
    #[inline(always)]
    pub unsafe fn has_observed(self, cursor: &Cursor, touch: Touch) -> bool {
        self.words.has(self.scope, &cursor.course, touch)
    }
}

impl View {
    #[inline(always)]
    fn has(self, scope: Scope, course: &Course, touch: Touch) -> bool {
        let Some(cell) = self.find(touch.granule) else {
            return scope == Scope::Declared;
        };
        let word = Word(cell.load(Ordering::Acquire));
        if touch.mask == WHOLE && course.has(word, touch.kind) {
            return true;
        }
        match word.writer() {
            BYTES => bytes(touch.mask).all(|byte| {
                let byte = self.spare(word.readers(), byte);
                is_settled(
                    scope,
                    course,
                    Word(byte.load(Ordering::Acquire)),
                    touch.kind,
                )
            }),
            _ => word == Word::NONE && scope == Scope::Declared,
        }
    }
}

#[inline(always)]
fn is_settled(scope: Scope, course: &Course, word: Word, kind: AccessKind) -> bool {
    match word {
        Word::NONE => scope == Scope::Declared,
        _ => course.has(word, kind),
    }
}

fn exchange(cell: &AtomicU64, from: Word, to: Word) -> Option<()> {
    let exchanged = cell.compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Acquire);
    exchanged.ok().map(drop)
}

fn bytes(mask: u8) -> impl Iterator<Item = u32> {
    (0..8).filter(move |byte| mask & (1 << byte) != 0)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
