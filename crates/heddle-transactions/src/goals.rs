//! Which pairs of transactions of one strand are still to be looked at.
//!
//! A pair that other pairs span needs no finding of its own: whoever mends (t0, t1) and (t1, t2) has mended
//! (t0, t2). In a loop nearly all pairs are spanned by neighbours, so they must not be looked at one by one.
//!
//! # Invariants
//! 1. Transactions are gone through from the last to the first. All that is found of a later one is final.
//! 2. `gaps[r]` is the first transaction of the group after `r` that the chain of nearest pairs from `r` does not
//!    contain. Whatever is linked with `r` is linked with all between `r` and that gap.
//!
//! # Cost
//! A pair that is spanned costs nothing; one that is not costs the logarithm of the chain each time it is asked
//! for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cycle::End;
use crate::log::{NONE, Transaction};
use crate::search::Verdict;

/// Pairs of transactions of one strand that are found separated.
#[derive(Default, Debug)]
pub struct Found {
    pairs: FxHashSet<(Transaction, Transaction)>,
    /// The nearest later transaction that each is separated from: the chain of nearest pairs.
    links: FxHashMap<Transaction, Link>,
    /// Pairs whose separation does no harm.
    harmless: FxHashSet<(Transaction, Transaction)>,
}

/// A step of the chain of nearest pairs.
#[derive(Clone, Copy, Debug)]
struct Link {
    next: Transaction,
    /// One that is further along the chain, or `next`. They are laid so that few jumps lead anywhere (Myers,
    /// *An applicative random-access stack*, 1983).
    jump: Transaction,
    /// How many steps the chain had from here when the jump was laid.
    depth: u32,
}

impl Found {
    /// These two are separated, if they are.
    pub fn insert(&mut self, first: Transaction, second: Transaction, verdict: Verdict) {
        if verdict == Verdict::Harmless {
            self.harmless.insert((first, second));
        }
        if verdict != Verdict::Stands {
            return;
        }
        self.pairs.insert((first, second));
        let link = Link {
            next: second,
            jump: second,
            depth: 1,
        };
        let known = self.links.entry(first).or_insert(link);
        if second < known.next {
            *known = link;
        }
    }

    /// All pairs that start here are known, and so are those that start later.
    fn close(&mut self, transaction: Transaction) {
        let depth = |at: Transaction| self.links.get(&at).map_or(0, |link| link.depth);
        let jump = |at: Transaction| self.links.get(&at).map_or(at, |link| link.jump);
        let Some(&Link { next, .. }) = self.links.get(&transaction) else {
            return;
        };
        let [near, far] = [jump(next), jump(jump(next))];
        let steps = |from, to| depth(from).saturating_sub(depth(to));
        let is_even = steps(next, near) == steps(near, far);
        let link = Link {
            next,
            jump: if is_even { far } else { next },
            depth: depth(next) + 1,
        };
        self.links.insert(transaction, link);
    }

    /// The same for all that is found so far.
    pub fn close_all(&mut self) {
        let mut transactions: Vec<Transaction> = self.links.keys().copied().collect();
        transactions.sort_unstable();
        for transaction in transactions.into_iter().rev() {
            self.close(transaction);
        }
    }

    /// Whether the chain of nearest pairs leads from one to the other.
    fn leads(&self, first: Transaction, second: Transaction) -> bool {
        let mut link = self.links.get(&first);
        while let Some(&Link { next, jump, .. }) = link {
            match if jump <= second { jump } else { next } {
                at if at >= second => return at == second,
                at => link = self.links.get(&at),
            }
        }
        false
    }
}

/// A row of the transactions of a group.
pub type Rank = usize;

/// The accesses of one strand in one block, by transaction.
#[derive(Debug)]
pub struct Group {
    /// By transaction, then by location.
    ends: Vec<End>,
    /// Of each access: the next transaction that does the same at its location. What lies behind is spanned.
    limits: Vec<Transaction>,
    /// The first access of each transaction, and the end.
    firsts: Vec<usize>,
    gaps: Vec<Rank>,
}

/// The goals of one start.
#[derive(Debug)]
pub struct Goals {
    /// Where the cycles start.
    pub start: End,
    limit: Transaction,
    /// The first that is open.
    low: Rank,
    /// Those that were refuted or do no harm.
    closed: FxHashSet<(Transaction, u32)>,
}

impl Group {
    /// The group of these accesses; nothing if they are all in one transaction.
    pub fn new(mut ends: Vec<End>, found: &Found) -> Option<Self> {
        ends.sort_by_key(|end| (end.incidence.transaction, end.location));
        let mut firsts = Vec::new();
        for (row, end) in ends.iter().enumerate() {
            let before = row
                .checked_sub(1)
                .map(|row| ends[row].incidence.transaction);
            if before != Some(end.incidence.transaction) {
                firsts.push(row);
            }
        }
        let ranks = firsts.len();
        if ranks < 2 {
            return None;
        }
        firsts.push(ends.len());
        let mut group = Self {
            limits: vec![NONE; ends.len()],
            gaps: vec![ranks; ranks + 1],
            ends,
            firsts,
        };
        group.link(found);
        Some(group)
    }

    /// Neighbours at one location are always separated, and found so before; the first of them that does as much as
    /// this one there spans what comes behind it. Harmless ones span nothing.
    fn link(&mut self, found: &Found) {
        // By location: the later transactions, and those that write, the next one last.
        let mut later: FxHashMap<u32, [Vec<Rank>; 2]> = FxHashMap::default();
        for rank in (0..self.ranks()).rev() {
            let transaction = self.transaction(rank);
            for row in self.rows(rank) {
                let end = self.ends[row];
                let writes = end.incidence.write.is_some();
                let [all, writers] = later.entry(end.location).or_default();
                let first = |ranks: &[Rank]| {
                    let spans = |&&other: &&Rank| {
                        let pair = (transaction, self.transaction(other));
                        found.harmless.is_empty() || !found.harmless.contains(&pair)
                    };
                    ranks.iter().rev().find(spans).copied()
                };
                let like = first(if writes { writers } else { all });
                self.limits[row] = like.map_or(NONE, |like| self.transaction(like));
                all.push(rank);
                if writes {
                    writers.push(rank);
                }
            }
        }
    }

    /// How many transactions there are.
    pub fn ranks(&self) -> usize {
        self.firsts.len() - 1
    }

    /// The rows of a transaction's accesses.
    pub fn rows(&self, rank: Rank) -> std::ops::Range<usize> {
        self.firsts[rank]..self.firsts[rank + 1]
    }

    /// An access.
    pub fn end(&self, row: usize) -> End {
        self.ends[row]
    }

    fn transaction(&self, rank: Rank) -> Transaction {
        self.ends[self.firsts[rank]].incidence.transaction
    }

    fn rank_of(&self, transaction: Transaction) -> Option<Rank> {
        let rows = &self.firsts[..self.ranks()];
        let key = |&row: &usize| self.ends[row].incidence.transaction;
        rows.binary_search_by_key(&transaction, key).ok()
    }

    /// All that starts at this transaction has been looked at.
    pub fn close(&mut self, rank: Rank, found: &mut Found) {
        let transaction = self.transaction(rank);
        found.close(transaction);
        let next = rank + 1;
        let leads = next < self.ranks() && found.leads(transaction, self.transaction(next));
        self.gaps[rank] = if leads { self.gaps[next] } else { next };
    }

    /// What may be separated from this access.
    pub fn goals(&self, rank: Rank, row: usize) -> Goals {
        Goals {
            start: self.ends[row],
            limit: self.limits[row],
            low: rank + 1,
            closed: FxHashSet::default(),
        }
    }
}

impl Goals {
    /// The accesses of the first open transaction from this one on; none if there is no open one.
    pub fn next(&self, from: Rank, group: &Group, found: &Found) -> Option<Rank> {
        let first = self.start.incidence.transaction;
        let mut at = from.max(self.low);
        while at < group.ranks() {
            let transaction = group.transaction(at);
            if transaction >= self.limit {
                return None;
            }
            if found.leads(first, transaction) {
                at = group.gaps[at];
            } else if self.open(at, group).next().is_none()
                || found.pairs.contains(&(first, transaction))
            {
                at += 1;
            } else {
                return Some(at);
            }
        }
        None
    }

    /// The goals of a transaction, closed ones left out. Those at the location of the start are spanned
    /// by neighbours.
    pub fn open<'a>(&'a self, rank: Rank, group: &'a Group) -> impl Iterator<Item = End> + 'a {
        let ends = group.ends[group.rows(rank)].iter().copied();
        ends.filter(|end| {
            let key = (end.incidence.transaction, end.location);
            end.location != self.start.location && !self.closed.contains(&key)
        })
    }

    /// Whether this access is a goal that is still open, and else where to go on.
    pub fn is_open(&self, end: &End, group: &Group, found: &Found) -> Result<(), Transaction> {
        let Some(rank) = group.rank_of(end.incidence.transaction) else {
            return Err(end.incidence.transaction + 1);
        };
        match self.next(rank, group, found) {
            Some(next) if next == rank => match self.open(rank, group).any(|open| open == *end) {
                true => Ok(()),
                false => Err(end.incidence.transaction),
            },
            Some(next) => Err(group.transaction(next)),
            None => Err(NONE),
        }
    }

    /// What has come of a cycle from the start to here. One that does not stand is not looked at again.
    pub fn take(&mut self, verdict: Verdict, end: &End, found: &mut Found) {
        let second = end.incidence.transaction;
        found.insert(self.start.incidence.transaction, second, verdict);
        if verdict != Verdict::Stands {
            self.closed.insert((second, end.location));
        }
    }

    /// Whether nothing is open. What is closed stays so: the next question begins where this one ended.
    pub fn are_closed(&mut self, group: &Group, found: &Found) -> bool {
        match self.next(self.low, group, found) {
            Some(rank) => self.low = rank,
            None => self.low = group.ranks(),
        }
        self.low == group.ranks()
    }

    /// Whether this transaction comes too late.
    pub fn are_before(&self, transaction: Transaction) -> bool {
        transaction >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRANSACTIONS: Transaction = 60;

    fn pairs() -> impl Strategy<Value = Vec<(Transaction, Transaction)>> {
        let near = (0..TRANSACTIONS - 1).prop_flat_map(|one| (Just(one), one + 1..TRANSACTIONS));
        let pair =
            prop_oneof![4 => (0..TRANSACTIONS - 1).prop_map(|one| (one, one + 1)), 1 => near];
        proptest::collection::vec(pair, 0..120)
    }

    proptest! {
        #[test]
        fn jumps_lead_where_the_chain_of_nearest_pairs_leads(mut pairs in pairs()) {
            let mut found = Found::default();
            pairs.sort_unstable_by_key(|&(first, _)| std::cmp::Reverse(first));
            for of_one in pairs.chunk_by(|a, b| a.0 == b.0) {
                for &(first, second) in of_one {
                    found.insert(first, second, Verdict::Stands);
                }
                found.close(of_one[0].0);
            }
            let nearest = |at| pairs.iter().filter(|pair| pair.0 == at).map(|pair| pair.1).min();
            for first in 0..TRANSACTIONS {
                let chain: Vec<_> = std::iter::successors(nearest(first), |&at| nearest(at)).collect();
                for second in first + 1..TRANSACTIONS {
                    let leads = chain.contains(&second);
                    prop_assert_eq!(found.leads(first, second), leads, "{} {}", first, second);
                }
            }
        }
    }
}
