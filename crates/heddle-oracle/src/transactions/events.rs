//! From the events of a run to the explicit model.
//!
//! A thread (strand) is what one task does between two of its task operations: spawn, begin and end of a
//! finish, join, signal, wait. A `Cut` ends a transaction. Thread constraints are those of
//! Definition 1, with finishes in the place of syncs, and the extra edges of joins and waits.

use std::collections::BTreeMap;

use heddle_core::{AccessKind, Event, Extent, FinishId, Location, SiteId, TaskId, TokenId};

use super::model::{Access, Atomization, Cell, Thread, Transaction};
use super::schedule::Schedule;

/// Why a run is outside of what the model can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotCovered {
    /// A lock or `isolated` was used: not every ordering of the transactions is a schedule then.
    Locks,
}

/// The cut program that ran, and which location each cell is. Transactions and threads that access nothing are
/// left out.
pub fn of_events(events: &[Event]) -> Result<(Atomization, Vec<Location>), NotCovered> {
    followed(events).map(|followed| (followed.program, followed.locations))
}

/// A run whose transactions came one after the other.
#[derive(Debug)]
pub struct Followed {
    /// The cut program.
    pub program: Atomization,
    /// Which location each cell is.
    pub locations: Vec<Location>,
    /// The schedule that ran.
    pub schedule: Schedule,
    /// The task of each transaction, and how many task operations and cuts that made before.
    pub names: BTreeMap<Transaction, (TaskId, u32)>,
    /// Tasks by who created them: creator, how many it had created before.
    pub tasks: BTreeMap<(TaskId, u32), TaskId>,
}

/// What [`of_events`] reads off a run, and in which sequence it ran.
pub fn followed(events: &[Event]) -> Result<Followed, NotCovered> {
    let mut reader = Reader::default();
    reader.begin(TaskId::MAIN, &[]);
    for &event in events {
        reader.on(event)?;
    }
    let (mut names, mut started) = (BTreeMap::new(), BTreeMap::new());
    let mut threads = 0;
    let mut program = Atomization::default();
    for strand in reader.strands {
        let own = strand.transactions.iter().zip(&strand.pieces);
        let own = own.filter(|(accesses, _)| !accesses.is_empty());
        for (index, (_, piece)) in own.enumerate() {
            let thread = Thread(threads);
            let transaction = Transaction { thread, index };
            names.insert(transaction, (piece.task, piece.segment));
            started.insert(piece.started, transaction);
        }
        threads += usize::from(strand.transactions.iter().any(|one| !one.is_empty()));
        program.add(strand.transactions, &strand.after);
    }
    Ok(Followed {
        program: program.without_empty(),
        locations: reader.locations,
        schedule: started.into_values().collect(),
        names,
        tasks: reader.tasks,
    })
}

#[derive(Default)]
struct Strand {
    transactions: Vec<Vec<Access>>,
    /// Of each transaction.
    pieces: Vec<Piece>,
    after: Vec<Thread>,
}

/// Where a transaction belongs, and when it began.
struct Piece {
    task: TaskId,
    segment: u32,
    started: usize,
}

#[derive(Default)]
struct Reader {
    strands: Vec<Strand>,
    running: Option<TaskId>,
    /// The strand each task is in, or was in when it ended.
    current: BTreeMap<TaskId, Thread>,
    spawned: BTreeMap<TaskId, Thread>,
    members: BTreeMap<FinishId, Vec<TaskId>>,
    signals: BTreeMap<TokenId, Vec<Thread>>,
    /// The cell that stands for the present life of a location.
    cells: BTreeMap<Location, Cell>,
    locations: Vec<Location>,
    /// How many task operations and cuts each task has made, and how many tasks it has created.
    segments: BTreeMap<TaskId, u32>,
    children: BTreeMap<TaskId, u32>,
    tasks: BTreeMap<(TaskId, u32), TaskId>,
    accesses: usize,
}

impl Reader {
    fn on(&mut self, event: Event) -> Result<(), NotCovered> {
        match event {
            Event::Begin { task } => {
                let spawn = self.spawned[&task];
                self.begin(task, &[spawn]);
            }
            Event::Resume { task } => self.running = Some(task),
            Event::Spawn { task, finish, .. } => {
                let creator = self.running.expect("a task is running");
                let children = self.children.entry(creator).or_default();
                self.tasks.insert((creator, *children), task);
                *children += 1;
                let before = self.next_strand(&[]);
                self.spawned.insert(task, before);
                self.members.entry(finish).or_default().push(task);
            }
            Event::FinishBegin { .. } => {
                self.next_strand(&[]);
            }
            Event::FinishEnd { finish } => {
                let members = self.members.remove(&finish).unwrap_or_default();
                let ends: Vec<Thread> = members.iter().map(|task| self.current[task]).collect();
                self.next_strand(&ends);
            }
            Event::Join { task, .. } => {
                let end = self.current[&task];
                self.next_strand(&[end]);
            }
            Event::Signal { token, .. } => {
                let before = self.next_strand(&[]);
                self.signals.entry(token).or_default().push(before);
            }
            Event::Wait { token, .. } => {
                let signals = self.signals.get(&token).cloned().unwrap_or_default();
                self.next_strand(&signals);
            }
            Event::Cut { .. } => self.cut(),
            Event::Read { extent, site } => self.access(extent, AccessKind::Read, site),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(extent, AccessKind::Write, site);
            }
            Event::Alloc { extent, .. } => {
                for location in extent.locations() {
                    self.cells.remove(&location);
                }
            }
            Event::Acquire { .. } => return Err(NotCovered::Locks),
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, task: TaskId, after: &[Thread]) {
        self.running = Some(task);
        let thread = self.add(task, after.to_vec());
        self.current.insert(task, thread);
    }

    fn cut(&mut self) {
        let task = self.running.expect("a task is running");
        let piece = self.piece(task);
        let strand = self.strand();
        strand.transactions.push(Vec::new());
        strand.pieces.push(piece);
    }

    /// The next transaction of a task.
    fn piece(&mut self, task: TaskId) -> Piece {
        let next = self.segments.entry(task).or_default();
        let segment = *next;
        *next += 1;
        Piece {
            task,
            segment,
            started: usize::MAX,
        }
    }

    /// Ends the running task's strand and starts the next, which also comes after `others`. Gives the
    /// one that ended.
    fn next_strand(&mut self, others: &[Thread]) -> Thread {
        let task = self.running.expect("a task is running");
        let ended = self.current[&task];
        let after = [&[ended], others].concat();
        let next = self.add(task, after);
        self.current.insert(task, next);
        ended
    }

    fn add(&mut self, task: TaskId, after: Vec<Thread>) -> Thread {
        let (transactions, pieces) = (vec![Vec::new()], vec![self.piece(task)]);
        self.strands.push(Strand {
            transactions,
            pieces,
            after,
        });
        Thread(self.strands.len() - 1)
    }

    fn strand(&mut self) -> &mut Strand {
        let task = self.running.expect("a task is running");
        &mut self.strands[self.current[&task].0]
    }

    fn access(&mut self, extent: Extent, kind: AccessKind, site: SiteId) {
        for location in extent.locations() {
            let cell = self.cell(location);
            self.accesses += 1;
            let now = self.accesses;
            let strand = self.strand();
            let transaction = strand.transactions.last_mut();
            let transaction = transaction.expect("a strand has a transaction");
            transaction.push(Access { cell, kind, site });
            let piece = strand.pieces.last_mut();
            let piece = piece.expect("each transaction has a piece");
            piece.started = piece.started.min(now);
        }
    }

    fn cell(&mut self, location: Location) -> Cell {
        if let Some(&cell) = self.cells.get(&location) {
            return cell;
        }
        let cell = Cell(self.locations.len() as u32);
        self.locations.push(location);
        self.cells.insert(location, cell);
        cell
    }
}
