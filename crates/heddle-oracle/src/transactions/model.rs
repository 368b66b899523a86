//! The explicit model: threads of transactions of accesses, and which thread precedes which.

use heddle_core::{AccessKind, SiteId};

/// A memory location within one life of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u32);

/// One access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    /// What is accessed.
    pub cell: Cell,
    /// Read or write.
    pub kind: AccessKind,
    /// Where in the source, for programs that were run.
    pub site: SiteId,
}

/// A thread: its place in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread(pub usize);

/// A transaction: the n-th of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transaction {
    /// The thread it belongs to.
    pub thread: Thread,
    /// Its place in that thread.
    pub index: usize,
}

/// An access by its place in the program, the same in every atomization of it: the n-th of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instruction {
    /// The thread.
    pub thread: Thread,
    /// Its place among the accesses of that thread.
    pub index: usize,
}

/// An atomized program *Q*: a program divided into transactions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Atomization {
    /// Each thread's transactions, and the accesses of each.
    threads: Vec<Vec<Vec<Access>>>,
    /// Row `n`: the threads that have a thread constraint to thread `n`. All are earlier rows.
    before: Vec<Vec<Thread>>,
    /// Row `n`: whether thread `m` precedes thread `n`.
    precedes: Vec<Vec<bool>>,
}

impl Access {
    /// A read.
    pub fn read(cell: u32) -> Self {
        Self::new(cell, AccessKind::Read)
    }

    /// A write.
    pub fn write(cell: u32) -> Self {
        Self::new(cell, AccessKind::Write)
    }

    fn new(cell: u32, kind: AccessKind) -> Self {
        Self {
            cell: Cell(cell),
            kind,
            site: SiteId::new(0),
        }
    }

    /// Whether both access one location and one of them writes it.
    pub fn conflicts_with(self, other: Self) -> bool {
        let writes = |access: Self| access.kind == AccessKind::Write;
        self.cell == other.cell && (writes(self) || writes(other))
    }
}

impl Atomization {
    /// Adds a thread with these transactions, after the threads it has a thread constraint from.
    pub fn add(&mut self, transactions: Vec<Vec<Access>>, after: &[Thread]) -> Thread {
        let thread = Thread(self.threads.len());
        let mut row = vec![false; thread.0];
        for &earlier in after {
            row[earlier.0] = true;
            for (m, reaches) in self.precedes[earlier.0].iter().enumerate() {
                row[m] |= reaches;
            }
        }
        self.threads.push(transactions);
        self.before.push(after.to_vec());
        self.precedes.push(row);
        thread
    }

    /// The threads.
    pub fn threads(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.threads.len()).map(Thread)
    }

    /// The threads with a thread constraint to this one.
    pub fn before(&self, thread: Thread) -> &[Thread] {
        &self.before[thread.0]
    }

    /// The transactions, thread by thread.
    pub fn transactions(&self) -> impl Iterator<Item = Transaction> + '_ {
        self.threads().flat_map(|thread| self.of(thread))
    }

    /// The transactions of a thread.
    pub fn of(&self, thread: Thread) -> impl Iterator<Item = Transaction> + use<> {
        let indices = 0..self.threads[thread.0].len();
        indices.map(move |index| Transaction { thread, index })
    }

    /// What a transaction accesses.
    pub fn accesses(&self, transaction: Transaction) -> &[Access] {
        &self.threads[transaction.thread.0][transaction.index]
    }

    /// The accesses of a transaction by their place in the program.
    pub fn instructions(
        &self,
        transaction: Transaction,
    ) -> impl Iterator<Item = (Instruction, Access)> + '_ {
        let thread = transaction.thread;
        let earlier = self.threads[thread.0][..transaction.index].iter();
        let start: usize = earlier.map(Vec::len).sum();
        let accesses = self.accesses(transaction).iter();
        accesses.enumerate().map(move |(n, &access)| {
            let index = start + n;
            (Instruction { thread, index }, access)
        })
    }

    /// Whether a path of thread constraints leads from one thread to the other.
    pub fn precedes(&self, one: Thread, other: Thread) -> bool {
        let row = &self.precedes[other.0];
        row.get(one.0).copied().unwrap_or_default()
    }

    /// Whether two threads are in parallel in the control flow.
    pub fn parallel(&self, one: Thread, other: Thread) -> bool {
        one != other && !self.precedes(one, other) && !self.precedes(other, one)
    }

    /// The atomic-threads atomization *Q\**: each thread is one transaction.
    pub fn atomic_threads(&self) -> Self {
        let threads = self.threads.iter();
        Self {
            threads: threads.map(|thread| vec![thread.concat()]).collect(),
            ..self.clone()
        }
    }

    /// The same program without transactions and threads that access nothing: their only part in
    /// any definition is to order others, and that order stays. Thread constraints become all pairs of
    /// threads that are ordered, which adds no cycle where there was none.
    pub fn without_empty(&self) -> Self {
        let mut kept: Vec<(Thread, Thread)> = Vec::new();
        let mut program = Self::default();
        for thread in self.threads() {
            let mut transactions = self.threads[thread.0].clone();
            transactions.retain(|accesses| !accesses.is_empty());
            if transactions.is_empty() {
                continue;
            }
            let before = kept.iter().filter(|(old, _)| self.precedes(*old, thread));
            let before: Vec<Thread> = before.map(|&(_, new)| new).collect();
            kept.push((thread, program.add(transactions, &before)));
        }
        program
    }

    /// The same program with the transactions from `first` to `last` of one thread merged into one.
    pub fn merged(&self, first: Transaction, last: Transaction) -> Self {
        let mut program = self.clone();
        let thread = &mut program.threads[first.thread.0];
        let one = thread[first.index..=last.index].concat();
        thread.splice(first.index..=last.index, [one]);
        program
    }

    /// The same program with each access changed.
    pub fn renamed(mut self, change: impl Fn(&mut Access)) -> Self {
        let transactions = self.threads.iter_mut().flatten();
        transactions.flatten().for_each(change);
        self
    }
}
