//! Histories of granules that must not be torn, as numbers.
//!
//! The state of a watched granule is a *twin*: its race history, which is also what could tear a pair, and
//! beside it what open regions did first and which pairs of accesses there are. Like other states a twin
//! never changes, and whoever makes the same one again finds the same number: an annotated array that a
//! task sweeps moves from one twin to another.

use super::value::Pairs;
use crate::exclusion::{Hold, LockSet};
use crate::states::{ListId, Mark, Mask, StateId, TWINS};
use crate::store::{Block, Store};
use heddle_core::AccessKind;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// The state of a watched granule, or of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Twin {
    /// What touched it.
    pub(crate) race: StateId,
    /// As what it is watched: a row of the watches.
    pub(crate) watch: u32,
    /// What open regions did to it: a list; 0 is empty.
    pub(super) locals: u32,
    /// Its pairs, by what they keep: a list; 0 is empty.
    pub(super) pairs: u32,
}

/// As what the bytes of a granule are watched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Watch {
    /// Bytes that are each a unit.
    pub(crate) alone: Mask,
    /// Bytes that the program declares.
    pub(crate) declared: Mask,
    /// Bytes that belong to groups: a list; 0 is empty.
    pub(crate) grouped: u32,
    /// Which two accesses are a pair.
    pub(crate) pairs: Pairs,
}

/// Bytes of a granule that belong to a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Grouped {
    pub(crate) group: u32,
    pub(crate) mask: Mask,
    rest: u32,
}

/// What an open region did first to a unit: reads and writes, each byte once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pub(crate) region: u32,
    pub(crate) reads: ListId,
    pub(crate) writes: ListId,
}

/// Two accesses of one region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pair {
    pub(crate) first: Mark,
    pub(crate) last: Mark,
    /// What each of them does.
    pub(crate) kinds: [AccessKind; 2],
    /// The bytes of both.
    pub(crate) mask: Mask,
}

/// What tears a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum TornBy {
    /// Writes alone.
    Writes,
    /// Reads as well.
    All,
}

/// The pairs that keep the same locks and are torn by the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PairGroup {
    pub(crate) kept: LockSet,
    pub(crate) torn_by: TornBy,
    pub(crate) list: PairList,
}

/// A list of pairs; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PairList(u32);

impl PairList {
    pub(crate) const EMPTY: Self = Self(0);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Link<T> {
    head: T,
    rest: u32,
    len: u32,
}

/// All twins of a run.
#[derive(Debug)]
pub(crate) struct Twins {
    twins: Interned<Twin>,
    watches: Interned<Watch>,
    grouped: Interned<Grouped>,
    locals: Interned<Link<Local>>,
    groups: Interned<Link<PairGroup>>,
    pairs: Interned<Link<Pair>>,
}

/// Rows one thread made last, and where it makes the next.
#[derive(Debug, Default)]
pub(crate) struct Recents {
    twins: Recent,
    locals: Recent,
    groups: Recent,
    pairs: Recent,
}

/// A twin taken apart.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) locals: Vec<Local>,
    pub(crate) pairs: Vec<PairGroup>,
}

impl Pair {
    pub(crate) fn torn_by(&self) -> TornBy {
        match self.kinds {
            [AccessKind::Write, AccessKind::Write] => TornBy::All,
            _ => TornBy::Writes,
        }
    }
}

impl Twins {
    /// The race histories of all twins.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn races(&self) -> impl Iterator<Item = StateId> {
        self.twins.0.rows().map(|twin| twin.race)
    }

    pub(crate) fn new() -> Option<Self> {
        let mark = Mark {
            strand: 0,
            site: 0,
            hold: Hold::NOTHING,
            mask: 0,
        };
        let pair = Pair {
            first: mark,
            last: mark,
            kinds: [AccessKind::Read; 2],
            mask: 0,
        };
        let local = Local {
            region: 0,
            reads: ListId::EMPTY,
            writes: ListId::EMPTY,
        };
        let group = PairGroup {
            kept: LockSet::EMPTY,
            torn_by: TornBy::Writes,
            list: PairList::EMPTY,
        };
        Some(Self {
            twins: Interned::new(Twin::fresh(StateId::FRESH, 0))?,
            watches: Interned::new(Watch::NOTHING)?,
            grouped: Interned::new(Grouped {
                group: 0,
                mask: 0,
                rest: 0,
            })?,
            locals: Interned::new(Link::last(local))?,
            groups: Interned::new(Link::last(group))?,
            pairs: Interned::new(Link::last(pair))?,
        })
    }

    /// The twin of a state; none if it is no twin.
    #[inline]
    pub(crate) fn get(&self, state: StateId) -> Option<Twin> {
        state.twin().map(|row| self.twins.get(row))
    }

    /// The number of a twin; none when a table is full.
    pub(crate) fn number(&self, recents: &mut Recents, twin: Twin) -> Option<StateId> {
        let row = self.twins.intern(&mut recents.twins, twin)?;
        Some(StateId::of_twin(row))
    }

    /// As what a twin is watched.
    pub(crate) fn watch(&self, row: u32) -> Watch {
        self.watches.get(row)
    }

    /// The number of a twin that no thread has made before.
    pub(crate) fn add(&self, twin: Twin) -> Option<StateId> {
        self.twins.0.push(twin).map(StateId::of_twin)
    }

    /// The row of a watch.
    pub(crate) fn add_watch(&self, watch: Watch) -> Option<u32> {
        self.watches.0.push(watch)
    }

    /// The list of grouped bytes with one more.
    pub(crate) fn add_grouped(&self, rest: u32, group: u32, mask: Mask) -> Option<u32> {
        self.grouped.0.push(Grouped { group, mask, rest })
    }

    /// The grouped bytes of a watch.
    pub(crate) fn grouped(&self, watch: Watch) -> impl Iterator<Item = Grouped> + '_ {
        let mut at = watch.grouped;
        std::iter::from_fn(move || {
            let row = (at != 0).then(|| self.grouped.get(at))?;
            at = row.rest;
            Some(row)
        })
    }

    /// Takes a twin apart.
    pub(crate) fn open(&self, twin: Twin, parts: &mut Parts) {
        parts.locals.clear();
        parts.locals.extend(self.locals.list(twin.locals));
        parts.pairs.clear();
        parts.pairs.extend(self.groups.list(twin.pairs));
    }

    /// The twin with other locals.
    pub(crate) fn with_locals(
        &self,
        recents: &mut Recents,
        twin: Twin,
        locals: &[Local],
    ) -> Option<Twin> {
        let locals = self.locals.from(&mut recents.locals, locals)?;
        Some(Twin { locals, ..twin })
    }

    /// The twin with other pairs.
    pub(crate) fn with_pairs(
        &self,
        recents: &mut Recents,
        twin: Twin,
        pairs: &[PairGroup],
    ) -> Option<Twin> {
        let pairs = self.groups.from(&mut recents.groups, pairs)?;
        Some(Twin { pairs, ..twin })
    }

    /// The list with one more pair.
    pub(crate) fn push(
        &self,
        recents: &mut Recents,
        list: PairList,
        pair: Pair,
    ) -> Option<PairList> {
        let row = self.pairs.push(&mut recents.pairs, list.0, pair)?;
        Some(PairList(row))
    }

    pub(crate) fn len(&self, list: PairList) -> u32 {
        self.pairs.get(list.0).len
    }

    /// The list's pairs, newest first.
    pub(crate) fn iter(&self, list: PairList) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.list(list.0)
    }
}

impl Twin {
    /// A granule that is watched from now on.
    pub(crate) const fn fresh(race: StateId, watch: u32) -> Self {
        Self {
            race,
            watch,
            locals: 0,
            pairs: 0,
        }
    }
}

impl Watch {
    pub(crate) const NOTHING: Self = Self {
        alone: 0,
        declared: 0,
        grouped: 0,
        pairs: Pairs::All,
    };
}

impl<T> Link<T> {
    const fn last(head: T) -> Self {
        Self {
            head,
            rest: 0,
            len: 0,
        }
    }
}

/// A table in which a thread finds again what it made lately. Row 0 stands for nothing.
#[derive(Debug)]
struct Interned<T>(Store<T>);

/// See [`Recents`].
#[derive(Debug, Default)]
pub(crate) struct Recent {
    rows: Vec<u32>,
    block: Block,
}

const RECENT: usize = 1 << 10;

impl<T: Copy + Eq + Hash> Interned<T> {
    fn new(nothing: T) -> Option<Self> {
        let store = Store::new(TWINS)?;
        store.push(nothing)?;
        Some(Self(store))
    }

    #[inline]
    fn get(&self, row: u32) -> T {
        self.0.get(row)
    }

    fn intern(&self, recent: &mut Recent, row: T) -> Option<u32> {
        if recent.rows.is_empty() {
            recent.rows.resize(RECENT, 0);
        }
        let slot = (FxBuildHasher.hash_one(row) >> 32) as usize % RECENT;
        let known = recent.rows[slot];
        if known != 0 && self.get(known) == row {
            return Some(known);
        }
        let made = self.0.push_in(&mut recent.block, row)?;
        recent.rows[slot] = made;
        Some(made)
    }
}

impl<T: Copy + Eq + Hash> Interned<Link<T>> {
    fn push(&self, recent: &mut Recent, rest: u32, head: T) -> Option<u32> {
        let len = self.get(rest).len + 1;
        self.intern(recent, Link { head, rest, len })
    }

    fn from(&self, recent: &mut Recent, list: &[T]) -> Option<u32> {
        list.iter()
            .rev()
            .try_fold(0, |rest, &head| self.push(recent, rest, head))
    }

    fn list(&self, at: u32) -> impl Iterator<Item = T> + '_ {
        let mut at = at;
        std::iter::from_fn(move || {
            let link = (at != 0).then(|| self.get(at))?;
            at = link.rest;
            Some(link.head)
        })
    }
}
