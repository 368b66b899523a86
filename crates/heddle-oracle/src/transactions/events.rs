//! From the events of a run to the explicit model.
//!
//! A thread (strand) is what one task does between two of its task operations: spawn, begin and end of a
//! finish, join, signal, wait. A `Cut` ends a transaction. Thread constraints are those of
//! Definition 1, with finishes in the place of syncs, and the extra edges of joins and waits.

use std::collections::BTreeMap;

use heddle_core::{AccessKind, Event, Extent, FinishId, Location, SiteId, TaskId, TokenId};

use super::model::{Access, Atomization, Cell, Thread};

/// Why a run is outside of what the model can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotCovered {
    /// A lock or `isolated` was used: not every ordering of the transactions is a schedule then.
    Locks,
}

/// The cut program that ran, and which location each cell is. Transactions and threads that access nothing are
/// left out.
pub fn of_events(events: &[Event]) -> Result<(Atomization, Vec<Location>), NotCovered> {
    let mut reader = Reader::default();
    reader.begin(TaskId::MAIN, &[]);
    for &event in events {
        reader.on(event)?;
    }
    let mut program = Atomization::default();
    for strand in reader.strands {
        program.add(strand.transactions, &strand.after);
    }
    Ok((program.without_empty(), reader.locations))
}

#[derive(Default)]
struct Strand {
    transactions: Vec<Vec<Access>>,
    after: Vec<Thread>,
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
            Event::Cut { .. } => self.strand().transactions.push(Vec::new()),
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
        let thread = self.add(after.to_vec());
        self.current.insert(task, thread);
    }

    /// Ends the running task's strand and starts the next, which also comes after `others`. Gives the
    /// one that ended.
    fn next_strand(&mut self, others: &[Thread]) -> Thread {
        let task = self.running.expect("a task is running");
        let ended = self.current[&task];
        let after = [&[ended], others].concat();
        let next = self.add(after);
        self.current.insert(task, next);
        ended
    }

    fn add(&mut self, after: Vec<Thread>) -> Thread {
        let transactions = vec![Vec::new()];
        self.strands.push(Strand {
            transactions,
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
            let transaction = self.strand().transactions.last_mut();
            let transaction = transaction.expect("a strand has a transaction");
            transaction.push(Access { cell, kind, site });
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
