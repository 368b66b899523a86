//! Part A: the serialization structure of a run, and what each transaction accesses.
//!
//! Huang's part A records threads, transactions and accesses. Here they come from the event stream:
//! a *strand* (the thesis: thread) ends at every task operation, a transaction at every task operation
//! and at every cut. Every strand is a row, also one that touches nothing, since a thread cycle may
//! pass through it; a transaction is a row from its first access on.
//!
//! # Invariants
//! 1. Rows of strands and transactions are made in the sequence of the run, so that a thread edge leads
//!    from a smaller row to a larger one, and a strand's transactions ascend.
//! 2. A *segment* counts the task operations and cuts its task has made. Task and segment name a
//!    transaction in any run of the same program.
//!
//! # Cost
//! Constant per event, a logarithm of the number of objects per access.

use heddle_core::{
    AccessKind, Cut, CutBy, Event, Extent, FinishId, Listener, LockId, SiteId, TaskId, TokenId,
};

use rustc_hash::FxHashMap;

use crate::memory::{Memory, Piece};
use crate::order::Tree;

/// A row of [`Log::strands`].
pub type Strand = u32;

/// A row of [`Log::transactions`].
pub type Transaction = u32;

/// No row.
pub const NONE: u32 = u32::MAX;

/// What is known of a strand.
#[derive(Clone, Copy, Debug)]
pub struct StrandInfo {
    /// Its task; nobody's if it only stands for the signals of a token so far.
    pub task: Option<TaskId>,
    /// Its leaf in the tree.
    pub leaf: u32,
    /// Its position in the order with extra edges, once it has made an access.
    pub position: Option<u32>,
}

/// What is known of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionInfo {
    /// The strand it is a piece of.
    pub strand: Strand,
    /// How many task operations and cuts its task made before.
    pub segment: u32,
}

/// One access of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Touch {
    /// What is accessed.
    pub piece: Piece,
    /// By which transaction.
    pub transaction: Transaction,
    /// Read or write.
    pub kind: AccessKind,
    /// Where.
    pub site: SiteId,
}

/// What is known of a task.
#[derive(Clone, Debug)]
pub struct TaskInfo {
    /// Who created it.
    pub parent: TaskId,
    /// How many tasks its creator had created before.
    pub ordinal: u32,
    /// The strand it is in, or was in last.
    pub strand: Strand,
    children: u32,
    segment: u32,
    /// The transaction it is in, once that has made an access.
    transaction: Transaction,
    /// The node its next nodes are children of.
    scope: u32,
    finish: FinishId,
    joined_by: FinishId,
    held: Vec<(LockId, SiteId)>,
}

/// A transaction that would end where none can: while a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// What ends it.
    pub by: EndedBy,
    /// Where.
    pub end: SiteId,
    /// The lock.
    pub lock: LockId,
    /// Where the lock was taken.
    pub acquired: SiteId,
}

/// What ends a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndedBy {
    /// A cut.
    Cut,
    /// A task operation, which ends the strand as well.
    TaskOperation,
}

#[derive(Clone, Debug)]
struct Finish {
    site: SiteId,
    node: u32,
    outer: FinishId,
    /// The last strands of the tasks that have ended in it.
    ended: Vec<Strand>,
}

/// The record of one run. A [`Listener`].
#[derive(Debug)]
pub struct Log {
    /// All strands.
    pub strands: Vec<StrandInfo>,
    /// The thread edges.
    pub edges: Vec<(Strand, Strand)>,
    /// Transactions that made an access.
    pub transactions: Vec<TransactionInfo>,
    /// Their accesses.
    pub touches: Vec<Touch>,
    /// The cuts: task, the segment that begins there, where and whose. In the sequence of the run.
    pub cuts: Vec<(TaskId, u32, Cut)>,
    /// The tasks.
    pub tasks: Vec<TaskInfo>,
    /// The program's objects.
    pub memory: Memory,
    /// The structure of the run.
    pub tree: Tree,
    /// The first end of a transaction that a lock forbids.
    pub forbidden: Option<Rejected>,
    finishes: Vec<Finish>,
    /// The strand that stands for all signals of a token so far.
    signals: Vec<Strand>,
    /// Signals given while a lock is held. They end nothing unless someone waits for them: a recording
    /// signals where a critical section of several strands ends, in case that orders a later one.
    under_lock: FxHashMap<TokenId, Rejected>,
    running: TaskId,
    recent: Vec<Option<Touch>>,
    is_kept: fn(&Self, SiteId) -> bool,
    /// Cuts that count; all if there is none.
    chosen: Option<Vec<bool>>,
}

const RECENT: usize = 1 << 12;

impl Log {
    /// The log at the start of the main task.
    pub fn new(has_extra_edges: bool) -> Self {
        let mut tree = Tree::new(has_extra_edges);
        let leaf = tree.leaf(Tree::ROOT);
        Self {
            strands: vec![StrandInfo {
                task: Some(TaskId::MAIN),
                leaf,
                position: None,
            }],
            edges: Vec::new(),
            transactions: Vec::new(),
            touches: Vec::new(),
            cuts: Vec::new(),
            tasks: vec![TaskInfo {
                parent: TaskId::MAIN,
                ordinal: 0,
                strand: 0,
                children: 0,
                segment: 0,
                transaction: NONE,
                scope: Tree::ROOT,
                finish: FinishId::MAIN,
                joined_by: FinishId::MAIN,
                held: Vec::new(),
            }],
            memory: Memory::default(),
            tree,
            forbidden: None,
            finishes: vec![Finish {
                site: SiteId::new(0),
                node: Tree::ROOT,
                outer: FinishId::MAIN,
                ended: Vec::new(),
            }],
            signals: Vec::new(),
            under_lock: FxHashMap::default(),
            running: TaskId::MAIN,
            recent: vec![None; RECENT],
            is_kept: |_, _| true,
            chosen: None,
        }
    }

    /// The log of a run in which only cuts at the chosen sites count.
    pub fn choosing(has_extra_edges: bool, chosen: Vec<bool>) -> Self {
        Self {
            chosen: Some(chosen),
            is_kept: |log, site| {
                let chosen = log.chosen.as_deref().unwrap_or_default();
                chosen.get(site.index()).copied().unwrap_or(false)
            },
            ..Self::new(has_extra_edges)
        }
    }

    /// The cuts between two transactions of one strand. Cuts must be sorted by task and segment.
    pub fn cuts_between(&self, first: Transaction, second: Transaction) -> Vec<Cut> {
        let [first, second] = [first, second].map(|row| self.transactions[row as usize]);
        let Some(task) = self.strands[first.strand as usize].task else {
            return Vec::new();
        };
        let up_to = |segment: u32| {
            self.cuts
                .partition_point(|&(of, at, _)| (of, at) <= (task, segment))
        };
        let cuts = &self.cuts[up_to(first.segment)..up_to(second.segment)];
        cuts.iter().map(|&(_, _, cut)| cut).collect()
    }

    /// The task of a transaction.
    pub fn task_of(&self, transaction: Transaction) -> TaskId {
        let strand = self.transactions[transaction as usize].strand;
        self.strands[strand as usize].task.unwrap_or(TaskId::MAIN)
    }

    fn me(&mut self) -> &mut TaskInfo {
        &mut self.tasks[self.running.index()]
    }

    fn new_strand(&mut self, task: Option<TaskId>, scope: u32) -> Strand {
        let leaf = match task {
            Some(_) => self.tree.leaf(scope),
            None => NONE,
        };
        self.strands.push(StrandInfo {
            task,
            leaf,
            position: None,
        });
        (self.strands.len() - 1) as Strand
    }

    /// The running task's strand ends here; these precede the next one as well.
    fn next_strand(&mut self, site: SiteId, also: &[Strand]) {
        self.forbid(EndedBy::TaskOperation, site);
        let (running, scope) = (self.running, self.me().scope);
        let next = self.new_strand(Some(running), scope);
        let me = self.me();
        let last = std::mem::replace(&mut me.strand, next);
        me.segment += 1;
        me.transaction = NONE;
        self.edges.push((last, next));
        self.edges.extend(also.iter().map(|&from| (from, next)));
    }

    fn spawn(&mut self, task: TaskId, finish: FinishId, site: SiteId) {
        let parent = self.running;
        let (strand, scope, innermost) = {
            let me = self.me();
            (me.strand, me.scope, me.finish)
        };
        let node = match finish == innermost {
            true => self.tree.task(scope),
            false => self
                .tree
                .scoped_task(self.finishes[finish.index()].node, scope),
        };
        let first = self.new_strand(Some(task), node);
        self.edges.push((strand, first));
        let me = self.me();
        let ordinal = me.children;
        me.children += 1;
        self.tasks.push(TaskInfo {
            parent,
            ordinal,
            strand: first,
            children: 0,
            segment: 0,
            transaction: NONE,
            scope: node,
            finish,
            joined_by: finish,
            held: Vec::new(),
        });
        self.next_strand(site, &[]);
    }

    fn end(&mut self, task: TaskId) {
        let TaskInfo {
            strand, joined_by, ..
        } = self.tasks[task.index()];
        self.finishes[joined_by.index()].ended.push(strand);
    }

    fn finish_begin(&mut self, site: SiteId) {
        let id = FinishId::new(self.finishes.len() as u32);
        let scope = self.me().scope;
        let node = self.tree.finish(scope);
        let me = self.me();
        let outer = std::mem::replace(&mut me.finish, id);
        me.scope = node;
        self.finishes.push(Finish {
            site,
            node,
            outer,
            ended: Vec::new(),
        });
        self.next_strand(site, &[]);
    }

    fn finish_end(&mut self, finish: FinishId) {
        let row = &mut self.finishes[finish.index()];
        let Finish {
            site, node, outer, ..
        } = *row;
        let ended = std::mem::take(&mut row.ended);
        let scope = self.tree.parent(node);
        let me = self.me();
        (me.scope, me.finish) = (scope, outer);
        self.next_strand(site, &ended);
    }

    /// All signals so far are one row, so that many waits for many signals cost no product.
    fn signal(&mut self, token: TokenId, site: SiteId) {
        if let Some(rejected) = self.rejected(EndedBy::TaskOperation, site) {
            self.me().segment += 1;
            self.under_lock.insert(token, rejected);
            return;
        }
        let strand = self.me().strand;
        if self.signals.len() <= token.index() {
            self.signals.resize(token.index() + 1, NONE);
        }
        let before = self.signals[token.index()];
        let now = self.new_strand(None, 0);
        let known = (before != NONE).then_some((before, now));
        self.edges.extend(known);
        self.edges.push((strand, now));
        self.signals[token.index()] = now;
        self.next_strand(site, &[]);
    }

    fn wait(&mut self, token: TokenId, site: SiteId) {
        let under_lock = self.under_lock.get(&token).copied();
        self.forbidden = self.forbidden.or(under_lock);
        let signals = self.signals.get(token.index()).copied();
        let signals = signals.filter(|&row| row != NONE);
        self.next_strand(site, signals.as_slice());
    }

    fn cut(&mut self, by: CutBy, site: SiteId) {
        if !(self.is_kept)(self, site) {
            return;
        }
        let running = self.running;
        self.forbid(EndedBy::Cut, site);
        let me = self.me();
        me.segment += 1;
        me.transaction = NONE;
        let segment = me.segment;
        self.cuts.push((running, segment, Cut { site, by }));
    }

    /// Remembers it if a transaction ends while a lock is held.
    fn forbid(&mut self, by: EndedBy, end: SiteId) {
        self.forbidden = self.forbidden.or(self.rejected(by, end));
    }

    /// What is wrong with the end of a transaction here: the lock that is held.
    fn rejected(&self, by: EndedBy, end: SiteId) -> Option<Rejected> {
        let &(lock, acquired) = self.tasks[self.running.index()].held.last()?;
        Some(Rejected {
            by,
            end,
            lock,
            acquired,
        })
    }

    fn transaction(&mut self) -> Transaction {
        let next = self.transactions.len() as Transaction;
        let me = &mut self.tasks[self.running.index()];
        if me.transaction == NONE {
            me.transaction = next;
            self.transactions.push(TransactionInfo {
                strand: me.strand,
                segment: me.segment,
            });
            let strand = &mut self.strands[me.strand as usize];
            if strand.position.is_none() {
                strand.position = self.tree.position();
            }
        }
        me.transaction
    }

    fn access(&mut self, extent: Extent, site: SiteId, kind: AccessKind) {
        // What critical sections hand over is no access of the program's: transactions need no lock.
        if extent.start.is_hand_over() {
            return;
        }
        let transaction = self.transaction();
        for piece in self.memory.pieces(extent) {
            let touch = Touch {
                piece,
                transaction,
                kind,
                site,
            };
            let mixed = piece.start ^ u64::from(transaction) << 7 ^ kind as u64;
            let slot = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
            let known = &mut self.recent[slot as usize % RECENT];
            let is_known = known.is_some_and(|known| {
                (known.piece, known.transaction, known.kind) == (piece, transaction, kind)
            });
            if !is_known {
                *known = Some(touch);
                self.touches.push(touch);
            }
        }
    }

    fn task_event(&mut self, event: Event) {
        match event {
            Event::Spawn {
                task, finish, site, ..
            } => self.spawn(task, finish, site),
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::End { task } => self.end(task),
            Event::FinishBegin { site, .. } => self.finish_begin(site),
            Event::FinishEnd { finish } => self.finish_end(finish),
            Event::Join { task, site } => {
                let last = self.tasks[task.index()].strand;
                self.next_strand(site, &[last]);
            }
            Event::Signal { token, site } => self.signal(token, site),
            Event::Wait { token, site } => self.wait(token, site),
            Event::Acquire { lock, site, .. } => self.me().held.push((lock, site)),
            Event::Release { lock, .. } => {
                self.me().held.retain(|&(held, _)| held != lock);
            }
            _ => {}
        }
    }
}

impl Listener for Log {
    fn on(&mut self, event: Event) {
        self.tree.follow(event);
        match event {
            Event::Read { extent, site } => self.access(extent, site, AccessKind::Read),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(extent, site, AccessKind::Write);
            }
            Event::Cut { by, site } => self.cut(by, site),
            Event::Declare {
                extent,
                name,
                shape,
            } => self.memory.declare(extent, name, shape),
            Event::Alloc { extent, name, .. } => self.memory.allocate(extent, name),
            Event::Bind { start, name } => self.memory.bind(start, name),
            _ => self.task_event(event),
        }
    }
}
