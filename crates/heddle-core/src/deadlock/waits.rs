//! The waits of a run, by sorts, and the cycles they close.

use crate::event::{Awaited, LockMode};
use crate::finding::{Finding, Link};
use crate::id::{LockId, SiteId, StrandId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::{Cycle, SortId, cycles_through};

/// How many of the first waits of one sort are remembered.
pub const FIRST: usize = 16;
/// How many of the last ones.
pub const LAST: usize = 16;

/// A lock that is held during a wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Held {
    /// The lock.
    pub lock: LockId,
    /// How it is held.
    pub mode: LockMode,
    /// Where it was taken.
    pub site: SiteId,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wanted {
    /// A lock.
    Lock(LockId, LockMode),
    /// Something that other tasks do.
    Tasks(Awaited),
}

/// A point at which a task may have to stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Who.
    pub task: TaskId,
    /// Where.
    pub site: SiteId,
    /// With which locks, in the sequence in which they were taken.
    pub held: Vec<Held>,
    /// For what.
    pub wanted: Wanted,
    /// The strand up to here.
    pub before: StrandId,
    /// The strand after it, where the wait itself orders tasks.
    pub after: Option<StrandId>,
}

/// What waits have in common that can take each other's place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Sort {
    pub(super) held: Vec<(LockId, LockMode)>,
    pub(super) wanted: Wish,
    site: SiteId,
}

/// What is wanted, as far as it tells sorts apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Wish {
    Lock(LockId, LockMode),
    Tasks,
}

/// The order in which locks are taken, and the deadlocks it allows.
#[derive(Debug, Default)]
pub struct LockOrder {
    ids: FxHashMap<Sort, SortId>,
    sorts: Vec<Sort>,
    /// The waits of each sort.
    waits: Vec<Vec<Wait>>,
    /// How many there were of each.
    seen: Vec<u64>,
    /// Cycles of sorts that were not found to be deadlocks so far.
    open: Vec<Cycle>,
    /// Those of `open` that each sort is in.
    of_sort: Vec<Vec<usize>>,
    found: Vec<Finding>,
    reported: FxHashSet<Vec<SiteId>>,
}

impl LockOrder {
    /// Whether some waits might be a deadlock, if they can be pending at once.
    pub fn has_cycles(&self) -> bool {
        !self.open.is_empty() || !self.found.is_empty()
    }

    /// A task has come to a wait. `ordered` says whether a strand precedes another in every schedule.
    pub fn note(&mut self, wait: Wait, ordered: impl FnMut(StrandId, StrandId) -> bool) {
        let sort = self.sort_of(&wait);
        let waits = &mut self.waits[sort.index()];
        if waits.last().is_some_and(|last| last.before == wait.before) {
            return;
        }
        let number = self.seen[sort.index()] as usize;
        self.seen[sort.index()] += 1;
        match number < FIRST + LAST {
            true => waits.push(wait.clone()),
            false => waits[FIRST + (number - FIRST) % LAST] = wait.clone(),
        }
        if !self.of_sort[sort.index()].is_empty() {
            self.close_cycles(sort, &wait, ordered);
        }
    }

    /// The deadlocks found.
    pub fn findings(self) -> Vec<Finding> {
        self.found
    }

    /// The same, while waits may still come.
    pub fn found(&self) -> &[Finding] {
        &self.found
    }

    /// The strands of the waits that are remembered.
    pub fn strands(&self) -> impl Iterator<Item = StrandId> + '_ {
        let waits = self.waits.iter().flatten();
        waits.flat_map(|wait| [Some(wait.before), wait.after].into_iter().flatten())
    }

    fn sort_of(&mut self, wait: &Wait) -> SortId {
        let mut held: Vec<_> = wait.held.iter().map(|one| (one.lock, one.mode)).collect();
        held.sort_unstable();
        let wanted = match wait.wanted {
            Wanted::Lock(lock, mode) => Wish::Lock(lock, mode),
            Wanted::Tasks(_) => Wish::Tasks,
        };
        let sort = Sort {
            held,
            wanted,
            site: wait.site,
        };
        match self.ids.get(&sort) {
            Some(&id) => id,
            None => self.add_sort(sort),
        }
    }

    #[cold]
    fn add_sort(&mut self, sort: Sort) -> SortId {
        let id = SortId::new(self.sorts.len());
        self.ids.insert(sort.clone(), id);
        self.sorts.push(sort);
        self.waits.push(Vec::new());
        self.seen.push(0);
        self.of_sort.push(Vec::new());
        for cycle in cycles_through(id, &self.sorts) {
            let number = self.open.len();
            for &sort in &cycle.0 {
                self.of_sort[sort.index()].push(number);
            }
            self.open.push(cycle);
        }
        id
    }

    /// Tries the cycles of sorts that a new wait may close.
    #[cold]
    fn close_cycles(
        &mut self,
        sort: SortId,
        wait: &Wait,
        mut ordered: impl FnMut(StrandId, StrandId) -> bool,
    ) {
        for number in std::mem::take(&mut self.of_sort[sort.index()]) {
            let cycle = self.open[number].0.clone();
            let at = cycle.iter().position(|&one| one == sort).unwrap_or(0);
            let rest = cycle[at + 1..].iter().chain(&cycle[..at]);
            let rest: Vec<SortId> = rest.copied().collect();
            let mut chain = vec![wait];
            if close(&self.waits, &rest, &mut chain, &mut ordered) {
                let chain: Vec<Wait> = chain.into_iter().cloned().collect();
                self.report(&chain);
                self.settle(number, &cycle, sort);
            } else {
                self.of_sort[sort.index()].push(number);
            }
        }
    }

    /// A cycle of sorts needs no further trying; `sort`'s own list is being rebuilt.
    fn settle(&mut self, number: usize, cycle: &[SortId], sort: SortId) {
        for &other in cycle.iter().filter(|&&other| other != sort) {
            self.of_sort[other.index()].retain(|&open| open != number);
        }
    }

    fn report(&mut self, chain: &[Wait]) {
        let chain = from_smallest(chain);
        let sites = chain.iter().map(|wait| wait.site).collect();
        if self.reported.insert(sites) {
            self.found.push(Finding::PossibleDeadlock {
                chain: links(&chain),
            });
        }
    }
}

/// Extends the chain of waits by one of each sort of `rest` until it is closed, if that can be.
fn close<'a>(
    waits: &'a [Vec<Wait>],
    rest: &[SortId],
    chain: &mut Vec<&'a Wait>,
    ordered: &mut impl FnMut(StrandId, StrandId) -> bool,
) -> bool {
    let Some((next, rest)) = rest.split_first() else {
        return chain.len() > 1 && blocks(chain[chain.len() - 1], chain[0], ordered);
    };
    // The latest first: what was joined long ago is parallel to nothing that comes now.
    for wait in waits[next.index()].iter().rev() {
        let fits = blocks(chain[chain.len() - 1], wait, ordered)
            && chain.iter().all(|other| is_together(other, wait, ordered));
        if fits {
            chain.push(wait);
            if close(waits, rest, chain, ordered) {
                return true;
            }
            chain.pop();
        }
    }
    false
}

/// Whether `wait` cannot be over before `other` is.
fn blocks(wait: &Wait, other: &Wait, ordered: &mut impl FnMut(StrandId, StrandId) -> bool) -> bool {
    match (wait.wanted, wait.after) {
        (Wanted::Lock(lock, mode), _) => other
            .held
            .iter()
            .any(|held| held.lock == lock && held.mode.excludes(mode)),
        (Wanted::Tasks(_), Some(after)) => ordered(other.before, after),
        (Wanted::Tasks(_), None) => false,
    }
}

/// Whether both can be pending at the same time.
fn is_together(a: &Wait, b: &Wait, ordered: &mut impl FnMut(StrandId, StrandId) -> bool) -> bool {
    a.task != b.task
        && !excludes(&a.held, &b.held)
        && !is_over_before(a, b, ordered)
        && !is_over_before(b, a, ordered)
}

fn excludes(a: &[Held], b: &[Held]) -> bool {
    let excludes = |one: &Held| {
        b.iter()
            .any(|other| other.lock == one.lock && other.mode.excludes(one.mode))
    };
    a.iter().any(excludes)
}

fn is_over_before(
    a: &Wait,
    b: &Wait,
    ordered: &mut impl FnMut(StrandId, StrandId) -> bool,
) -> bool {
    let over = a.after.unwrap_or(a.before);
    over == b.before || ordered(over, b.before)
}

/// The chain, turned so that it begins with its smallest site: the same cycle is always the same chain.
fn from_smallest(chain: &[Wait]) -> Vec<Wait> {
    let smallest = (0..chain.len()).min_by_key(|&at| (chain[at].site, chain[at].task));
    let (tail, head) = chain.split_at(smallest.unwrap_or(0));
    head.iter().chain(tail).cloned().collect()
}

fn links(chain: &[Wait]) -> Vec<Link> {
    let before = chain.iter().cycle().skip(chain.len() - 1);
    let link = |(wait, before): (&Wait, &Wait)| {
        let wanted = match before.wanted {
            Wanted::Lock(lock, _) => wait.held.iter().find(|held| held.lock == lock),
            Wanted::Tasks(_) => None,
        };
        Link {
            task: wait.task,
            holds: wanted.map(|held| (held.lock, held.site)),
            awaited: match wait.wanted {
                Wanted::Lock(lock, _) => Awaited::Lock(lock),
                Wanted::Tasks(awaited) => awaited,
            },
            site: wait.site,
        }
    };
    chain.iter().zip(before).map(link).collect()
}
