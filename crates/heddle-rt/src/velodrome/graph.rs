//! Transactions, and the edges between those that a cycle can still reach.
//!
//! A transaction that is over gets no further edges *to* it. So one that is over and has none is on no cycle,
//! now or later, and is forgotten with the edges from it; that may leave others without any (section 4.1 of the
//! paper). An edge that closes a cycle is reported instead of drawn, so that there are no cycles to be
//! kept for ever. One that is not to be reported (it comes from a lock, say) is drawn as a *loose* edge, which goes
//! when the transaction it comes from is over: until then that one may still make the access to be reported.
//!
//! # Protocol
//! Every transaction has a word of flags. Only its own thread draws edges to it. Whoever draws an edge from it
//! marks it as linked first, under the graph's lock; its own thread ends it without the lock if it can take
//! the word from "alive" to "gone", and otherwise finds it linked and takes the lock. So no edge is drawn
//! from a transaction that is gone, and a transaction without edges costs two atomic operations.

use crate::cells::Cells;
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, PoisonError};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many transactions there can be; their highest bit is free.
const TRANSACTIONS: u32 = 1 << 31;

/// The number of nobody: a transaction that is gone.
pub(super) const NOBODY: u32 = 1;

const ALIVE: u32 = 1;
const LINKED: u32 = 2;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Graph {
    flags: Cells,
    next: AtomicU32,
    nodes: Mutex<Nodes>,
}

/// Transactions with edges.
#[derive(Debug, Default)]
struct Nodes {
    by_number: FxHashMap<u32, Node>,
    edges: u64,
    /// How many loose edges there are, and were.
    loose: usize,
    made_loose: u64,
}

#[derive(Debug, Default)]
struct Node {
    /// How many edges lead to it.
    before: u32,
    after: Vec<u32>,
    loosely_after: Vec<u32>,
    is_over: bool,
}

/// What an edge comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Conflicting accesses.
    Access,
    /// A task operation or a lock.
    Wait,
}

/// What came of drawing edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Drawn {
    /// There is still an order.
    Acyclic,
    /// One of them would have closed a cycle.
    Cycle,
}

impl Graph {
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            flags: Cells::new(TRANSACTIONS as usize)?,
            next: AtomicU32::new(NOBODY + 1),
            nodes: Mutex::default(),
        })
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flags(&self, transaction: u32) -> Option<&AtomicU32> {
        self.flags.get(u64::from(transaction))
    }

    /// A new transaction; nobody if there were too many.
    pub(super) fn begin(&self) -> u32 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        match self.flags(number).filter(|_| number < TRANSACTIONS) {
            Some(flags) => {
                flags.store(ALIVE, Ordering::Release);
                number
            }
            None => {
                self.next.store(TRANSACTIONS, Ordering::Relaxed);
                NOBODY
            }
        }
    }

    /// Whether the transaction can still be on a cycle.
    #[inline]
    pub(super) fn is_alive(&self, transaction: u32) -> bool {
        transaction > NOBODY
            && self
                .flags(transaction)
                .is_some_and(|flags| flags.load(Ordering::Acquire) != 0)
    }

    /// The transaction is over. To be said by its own thread.
    pub(super) fn end(&self, transaction: u32) {
        let Some(flags) = self.flags(transaction) else {
            return;
        };
        let unlinked = flags.compare_exchange(ALIVE, 0, Ordering::AcqRel, Ordering::Acquire);
        if unlinked.is_err() {
            self.end_linked(transaction);
        }
    }

    #[cold]
    fn end_linked(&self, transaction: u32) {
        let mut nodes = self.nodes();
        let node = nodes.by_number.entry(transaction).or_default();
        node.is_over = true;
        let loose = std::mem::take(&mut node.loosely_after);
        let before = node.before;
        nodes.loose -= loose.len();
        for next in loose {
            self.lose_edge(&mut nodes, next);
        }
        if before == 0 {
            self.forget(&mut nodes, transaction);
        }
    }

    fn lose_edge(&self, nodes: &mut Nodes, to: u32) {
        if let Some(node) = nodes.by_number.get_mut(&to) {
            node.before -= 1;
            if node.before == 0 && node.is_over {
                self.forget(nodes, to);
            }
        }
    }

    /// Forgets a transaction that no cycle can reach, and those that then are none either.
    fn forget(&self, nodes: &mut Nodes, transaction: u32) {
        let mut work = vec![transaction];
        while let Some(gone) = work.pop() {
            if let Some(flags) = self.flags(gone) {
                flags.store(0, Ordering::Release);
            }
            for next in nodes.by_number.remove(&gone).unwrap_or_default().after {
                if let Some(node) = nodes.by_number.get_mut(&next) {
                    node.before -= 1;
                    if node.before == 0 && node.is_over {
                        work.push(next);
                    }
                }
            }
        }
    }

    /// Draws edges to a transaction of the calling thread, from those that are still alive.
    #[cold]
    pub(super) fn draw(&self, from: &[u32], to: u32, cause: Cause) -> Drawn {
        let mut nodes = self.nodes();
        let mut drawn = Drawn::Acyclic;
        for &from in from {
            let is_drawn = nodes.has_edge(from, to);
            if from == to || is_drawn && nodes.loose == 0 || !self.link(from) || !self.link(to) {
                continue;
            }
            match (nodes.reaches(to, from), cause) {
                (true, Cause::Access) => drawn = Drawn::Cycle,
                (true, Cause::Wait) => nodes.add_loose_edge(from, to),
                (false, _) if !is_drawn => nodes.add_edge(from, to),
                (false, _) => {}
            }
        }
        drawn
    }

    /// Makes sure that the transaction does not go without the lock. Not if it is gone.
    fn link(&self, transaction: u32) -> bool {
        let link = |flags: u32| (flags != 0).then_some(flags | LINKED);
        let flags = self.flags(transaction).filter(|_| transaction > NOBODY);
        flags.is_some_and(|flags| {
            flags
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, link)
                .is_ok()
        })
    }

    /// How many transactions there were, how many edges, and how many of these closed a cycle but were not
    /// reported.
    pub(super) fn totals(&self) -> [u64; 3] {
        let transactions = self.next.load(Ordering::Relaxed) - (NOBODY + 1);
        let nodes = self.nodes();
        [u64::from(transactions), nodes.edges, nodes.made_loose]
    }
}

impl Nodes {
    fn has_edge(&self, from: u32, to: u32) -> bool {
        let node = self.by_number.get(&from);
        node.is_some_and(|node| node.after.contains(&to))
    }

    fn add_edge(&mut self, from: u32, to: u32) {
        self.by_number.entry(from).or_default().after.push(to);
        self.by_number.entry(to).or_default().before += 1;
        self.edges += 1;
    }

    fn add_loose_edge(&mut self, from: u32, to: u32) {
        let node = self.by_number.entry(from).or_default();
        if !node.is_over && !node.loosely_after.contains(&to) {
            node.loosely_after.push(to);
            self.by_number.entry(to).or_default().before += 1;
            self.loose += 1;
            self.made_loose += 1;
        }
    }

    /// Whether `from` is before `to`.
    fn reaches(&self, from: u32, to: u32) -> bool {
        let (mut work, mut seen) = (vec![from], FxHashSet::default());
        while let Some(at) = work.pop() {
            if at == to {
                return true;
            }
            let next = self.by_number.get(&at).into_iter();
            work.extend(
                next.flat_map(|node| node.after.iter().chain(&node.loosely_after))
                    .filter(|&&next| seen.insert(next)),
            );
        }
        false
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::Cause::{Access, Wait};
    use super::*;

    #[test]
    fn a_cycle_that_locks_close_shows_at_the_next_access_and_does_not_stay() {
        let graph = Graph::new().expect("address space");
        let [a, b] = [graph.begin(), graph.begin()];
        assert_eq!(graph.draw(&[a], b, Access), Drawn::Acyclic);
        assert_eq!(graph.draw(&[b], a, Wait), Drawn::Acyclic);
        graph.end(a);
        assert_eq!(graph.draw(&[a], b, Access), Drawn::Cycle);
        graph.end(b);
        assert!(graph.nodes().by_number.is_empty());
    }

    #[test]
    fn an_edge_back_is_a_cycle_and_is_not_kept() {
        let graph = Graph::new().expect("address space");
        let [a, b, c] = [graph.begin(), graph.begin(), graph.begin()];
        assert_eq!(graph.draw(&[a], b, Access), Drawn::Acyclic);
        assert_eq!(graph.draw(&[b], c, Access), Drawn::Acyclic);
        assert_eq!(graph.draw(&[c], a, Access), Drawn::Cycle);
        assert_eq!(graph.draw(&[b], a, Access), Drawn::Cycle);
        assert_eq!(graph.totals(), [3, 2, 0]);
    }

    #[test]
    fn what_is_over_and_has_nothing_before_it_is_gone() {
        let graph = Graph::new().expect("address space");
        let [a, b, c] = [graph.begin(), graph.begin(), graph.begin()];
        graph.draw(&[a], b, Access);
        graph.end(b);
        assert!(graph.is_alive(b), "a can still come after it");
        assert_eq!(graph.draw(&[b], c, Access), Drawn::Acyclic);
        graph.end(a);
        assert!(!graph.is_alive(a) && !graph.is_alive(b) && graph.is_alive(c));
        graph.end(c);
        assert!(graph.nodes().by_number.is_empty());
    }

    #[test]
    fn nothing_is_drawn_from_what_is_gone() {
        let graph = Graph::new().expect("address space");
        let [a, b] = [graph.begin(), graph.begin()];
        graph.end(a);
        assert_eq!(graph.draw(&[a, NOBODY], b, Access), Drawn::Acyclic);
        assert_eq!(graph.totals(), [2, 0, 0]);
    }
}
