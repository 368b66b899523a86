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
/// How many waits are tried in all to close cycles of three sorts or more.
pub const MOST_TRIES: u32 = 1 << 20;

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

impl Sort {
    /// The locks that it is about; one may come twice.
    fn locks(&self) -> impl Iterator<Item = LockId> + '_ {
        let wanted = match self.wanted {
            Wish::Lock(lock, _) => Some(lock),
            Wish::Tasks => None,
        };
        self.held.iter().map(|&(lock, _)| lock).chain(wanted)
    }
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
    /// How many waits were tried for long cycles.
    tries: u32,
    /// The sorts that each lock is in.
    of_lock: FxHashMap<LockId, Vec<SortId>>,
    /// Rows of sorts and of cycles that are not used any more.
    free_sorts: Vec<SortId>,
    free_cycles: Vec<usize>,
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

    /// A lock is no more; another may come to have its number. All that can wait for it or with it has done so.
    pub fn forget(&mut self, lock: LockId) {
        for id in self.of_lock.remove(&lock).unwrap_or_default() {
            self.forget_sort(id, lock);
        }
    }

    fn forget_sort(&mut self, id: SortId, lock: LockId) {
        let nothing = Sort {
            held: Vec::new(),
            wanted: Wish::Tasks,
            site: SiteId::new(0),
        };
        let sort = std::mem::replace(&mut self.sorts[id.index()], nothing);
        for other in sort.locks().filter(|&other| other != lock) {
            let sorts = self.of_lock.entry(other).or_default();
            sorts.retain(|&sort| sort != id);
        }
        self.ids.remove(&sort);
        self.waits[id.index()].clear();
        self.seen[id.index()] = 0;
        for number in std::mem::take(&mut self.of_sort[id.index()]) {
            let cycle = std::mem::take(&mut self.open[number].0);
            self.settle(number, &cycle, id);
            self.free_cycles.push(number);
        }
        self.free_sorts.push(id);
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
        let id = self.row_for(&sort);
        for lock in sort.locks() {
            let sorts = self.of_lock.entry(lock).or_default();
            if sorts.last() != Some(&id) {
                sorts.push(id);
            }
        }
        self.ids.insert(sort, id);
        for cycle in cycles_through(id, &self.sorts) {
            self.add_cycle(cycle);
        }
        id
    }

    fn row_for(&mut self, sort: &Sort) -> SortId {
        if let Some(id) = self.free_sorts.pop() {
            self.sorts[id.index()] = sort.clone();
            return id;
        }
        self.sorts.push(sort.clone());
        self.waits.push(Vec::new());
        self.seen.push(0);
        self.of_sort.push(Vec::new());
        SortId::new(self.sorts.len() - 1)
    }

    fn add_cycle(&mut self, cycle: Cycle) {
        let number = self.free_cycles.pop().unwrap_or(self.open.len());
        for &sort in &cycle.0 {
            self.of_sort[sort.index()].push(number);
        }
        match self.open.get_mut(number) {
            Some(row) => *row = cycle,
            None => self.open.push(cycle),
        }
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
            let mut left = match rest.len() {
                1 => u32::MAX,
                _ => MOST_TRIES - self.tries,
            };
            let all = left;
            let is_closed = close(&self.waits, &rest, &mut chain, &mut left, &mut ordered);
            if rest.len() > 1 {
                self.tries += all - left;
            }
            if is_closed {
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

/// Extends the chain of waits by one of each sort of `rest` until it is closed, if that can be and there are tries left.
fn close<'a>(
    waits: &'a [Vec<Wait>],
    rest: &[SortId],
    chain: &mut Vec<&'a Wait>,
    left: &mut u32,
    ordered: &mut impl FnMut(StrandId, StrandId) -> bool,
) -> bool {
    let Some((next, rest)) = rest.split_first() else {
        return chain.len() > 1 && blocks(chain[chain.len() - 1], chain[0], ordered);
    };
    // The latest first: what was joined long ago is parallel to nothing that comes now.
    for wait in waits[next.index()].iter().rev() {
        match left.checked_sub(1) {
            Some(less) => *left = less,
            None => return false,
        }
        let fits = blocks(chain[chain.len() - 1], wait, ordered)
            && chain.iter().all(|other| is_together(other, wait, ordered));
        if fits {
            chain.push(wait);
            if close(waits, rest, chain, left, ordered) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One wait of each ring: task `number` holds the lock `sort` and wants the next.
    fn wait(sort: u32, number: u32, sorts: u32) -> Wait {
        let mode = LockMode::Exclusive;
        let site = SiteId::new(sort);
        let lock = LockId::new(sort);
        Wait {
            task: TaskId::new(sort * 1000 + number),
            site,
            held: vec![Held { lock, mode, site }],
            wanted: Wanted::Lock(LockId::new((sort + 1) % sorts), mode),
            before: StrandId::new(sort * 1000 + number),
            after: None,
        }
    }

    #[test]
    fn a_long_cycle_that_cannot_close_is_tried_a_bounded_number_of_times() {
        let sorts = 6;
        let mut asked: u64 = 0;
        let mut order = LockOrder::default();
        // Waits of the last sort are over before those of the first begin, and nothing else is ordered.
        let mut ordered = |a: StrandId, b: StrandId| {
            asked += 1;
            a.raw() / 1000 == sorts - 1 && b.raw() / 1000 == 0
        };
        for sort in 0..sorts {
            for number in 0..(FIRST + LAST) as u32 {
                order.note(wait(sort, number, sorts), &mut ordered);
            }
        }
        for number in 100..200 {
            order.note(wait(1, number, sorts), &mut ordered);
        }
        assert!(order.has_cycles() && order.found().is_empty());
        assert!(asked < u64::from(MOST_TRIES) * u64::from(2 * sorts));
    }

    #[test]
    fn a_lock_that_took_the_place_of_another_has_not_been_waited_for() {
        let two = |forgets: bool| {
            let mut order = LockOrder::default();
            order.note(wait(0, 1, 2), |_, _| false);
            if forgets {
                order.forget(LockId::new(1));
            }
            order.note(wait(1, 1, 2), |_, _| false);
            order
        };
        assert_eq!(two(false).found().len(), 1);
        let mut order = two(true);
        assert!(order.found().is_empty());
        order.note(wait(0, 2, 2), |_, _| false);
        assert_eq!(order.found().len(), 1, "what came after counts");
    }

    #[test]
    fn locks_that_come_and_go_leave_nothing_behind() {
        let mut order = LockOrder::default();
        for number in 0..100 {
            order.note(wait(0, number, 2), |_, _| true);
            order.note(wait(1, number, 2), |_, _| true);
            order.forget(LockId::new(0));
        }
        assert!(order.sorts.len() <= 2 && order.open.len() <= 1);
    }
}
