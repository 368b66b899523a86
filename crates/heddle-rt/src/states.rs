//! Interned histories: what touched a location, as one number.
//!
//! The history of a location is, for each set of locks, a list of writes and a list of reads, and
//! what the last write held. Equal histories get the same number, so a location needs four bytes
//! however long its history is, and a step from one history to the next, once worked out for one
//! location, serves for all others in the same state: an array swept by a task moves from one state
//! to another.
//!
//! # Invariants
//! 1. A state never changes. Changing a location's history is one compare-and-swap of its number.
//! 2. Lists are linked, newest first, and share their tails: adding a reader costs one link however
//!    many there are.

use crate::exclusion::{Hold, LockSet};
use crate::store::Store;
use crate::sync::{Mutex, MutexGuard, PoisonError};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StateId(pub(crate) u32);

impl StateId {
    /// Nothing accessed yet.
    pub(crate) const FRESH: Self = Self(0);
}

/// A list of accesses; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ListId(u32);

impl ListId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// A list of groups; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct GroupsId(u32);

impl GroupsId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// One remembered access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mark {
    pub(crate) strand: u32,
    pub(crate) site: u32,
    pub(crate) hold: Hold,
}

/// The accesses under one set of locks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    pub(crate) locks: LockSet,
    pub(crate) writes: ListId,
    pub(crate) reads: ListId,
}

/// What a state stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(crate) groups: GroupsId,
    /// What the last write held.
    pub(crate) last_write: Hold,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Link {
    mark: Mark,
    rest: ListId,
    /// Length of the list that begins here.
    len: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct GroupLink {
    group: Group,
    rest: GroupsId,
}

/// All states of a run.
#[derive(Debug)]
pub(crate) struct States {
    links: Interner<Link>,
    groups: Interner<GroupLink>,
    states: Interner<State>,
}

impl States {
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let mark = Mark {
            strand: 0,
            site: 0,
            hold: Hold::NOTHING,
        };
        let group = Group {
            locks: LockSet::EMPTY,
            writes: ListId::EMPTY,
            reads: ListId::EMPTY,
        };
        let fresh = State {
            groups: GroupsId::EMPTY,
            last_write: Hold::NOTHING,
        };
        Some(Self {
            links: Interner::new(
                capacity,
                Link {
                    mark,
                    rest: ListId::EMPTY,
                    len: 0,
                },
            )?,
            groups: Interner::new(
                capacity,
                GroupLink {
                    group,
                    rest: GroupsId::EMPTY,
                },
            )?,
            states: Interner::new(capacity, fresh)?,
        })
    }

    pub(crate) fn get(&self, id: StateId) -> State {
        self.states.rows.get(id.0)
    }

    pub(crate) fn intern(&self, groups: &[Group], last_write: Hold) -> Option<StateId> {
        let groups = groups
            .iter()
            .rev()
            .try_fold(GroupsId::EMPTY, |rest, &group| {
                self.groups.intern(GroupLink { group, rest }).map(GroupsId)
            })?;
        self.states
            .intern(State { groups, last_write })
            .map(StateId)
    }

    /// The groups of a state, sorted by lock set.
    pub(crate) fn groups(&self, state: State) -> impl Iterator<Item = Group> + '_ {
        let mut at = state.groups;
        std::iter::from_fn(move || {
            let link = (at != GroupsId::EMPTY).then(|| self.groups.rows.get(at.0))?;
            at = link.rest;
            Some(link.group)
        })
    }

    /// The list with `mark` in front.
    pub(crate) fn push(&self, rest: ListId, mark: Mark) -> Option<ListId> {
        let len = self.len(rest) + 1;
        self.links.intern(Link { mark, rest, len }).map(ListId)
    }

    pub(crate) fn len(&self, list: ListId) -> u32 {
        self.links.rows.get(list.0).len
    }

    /// The list's accesses, newest first.
    pub(crate) fn iter(&self, list: ListId) -> impl Iterator<Item = Mark> + '_ {
        let mut at = list;
        std::iter::from_fn(move || {
            let link = (at != ListId::EMPTY).then(|| self.links.rows.get(at.0))?;
            at = link.rest;
            Some(link.mark)
        })
    }

    /// The list without the accesses that `drop` says yes to.
    pub(crate) fn without(
        &self,
        list: ListId,
        mut drop: impl FnMut(Mark) -> bool,
    ) -> Option<ListId> {
        let all: Vec<Mark> = self.iter(list).collect();
        let kept: Vec<Mark> = all.iter().copied().filter(|&mark| !drop(mark)).collect();
        if kept.len() == all.len() {
            return Some(list);
        }
        kept.into_iter()
            .rev()
            .try_fold(ListId::EMPTY, |rest, mark| self.push(rest, mark))
    }
}

const SHARDS: usize = 16;

/// Gives equal values the same number. A value is kept once, in its row; the tables have numbers only.
#[derive(Debug)]
struct Interner<T> {
    rows: Store<T>,
    ids: [Mutex<HashTable<u32>>; SHARDS],
}

impl<T: Copy + Eq + Hash> Interner<T> {
    /// An interner in which `zero` has number 0.
    fn new(capacity: u32, zero: T) -> Option<Self> {
        let interner = Self {
            rows: Store::new(capacity)?,
            ids: Default::default(),
        };
        interner.intern(zero)?;
        Some(interner)
    }

    fn intern(&self, value: T) -> Option<u32> {
        let hash = FxBuildHasher.hash_one(value);
        let mut ids = self.shard(hash);
        let same = |&id: &u32| self.rows.get(id) == value;
        let hash_of = |&id: &u32| FxBuildHasher.hash_one(self.rows.get(id));
        match ids.entry(hash, same, hash_of) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                let id = self.rows.push(value)?;
                place.insert(id);
                Some(id)
            }
        }
    }

    /// The part of the table for this hash: by bits in the middle, since the table itself goes by the
    /// highest and the lowest.
    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<u32>> {
        let shard = (hash >> 40) as usize % SHARDS;
        self.ids[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
