//! Race detection: one loop over the events, for every order and history.
//!
//! A race is a pair of parallel accesses to one location, at least one a write, with no lock held
//! at both. Each racy pair of source positions is counted once per place; detection never stops.

mod tally;

use crate::event::{Event, Listener};
use crate::finding::{Counts, Finding, Guarantee, Outcome, Wait};
use crate::history::{History, Running};
use crate::hold::Holds;
use crate::id::{Extent, SiteId};
use crate::order::Order;
use crate::place::Places;
use crate::roster::Roster;
use tally::Tally;

/// Follows one run with an order and a history. A [`Listener`].
#[derive(Debug)]
pub struct RaceDetector<O, H> {
    order: O,
    history: H,
    holds: Holds,
    roster: Roster,
    tally: Tally,
    /// What the program itself did wrong.
    defects: Defects,
    counts: Counts,
}

/// Findings that need no detection: the run itself shows them.
#[derive(Debug, Default)]
struct Defects {
    assertions: Vec<Finding>,
    waits: Vec<Wait>,
    fault: Option<(SiteId, crate::event::FaultKind)>,
}

impl<O: Order, H: History<O>> RaceDetector<O, H> {
    /// A detector at the start of the main task.
    pub fn new(order: O, history: H) -> Self {
        Self {
            order,
            history,
            holds: Holds::new(),
            roster: Roster::new(),
            tally: Tally::default(),
            defects: Defects::default(),
            counts: Counts {
                tasks: 1,
                finishes: 1,
                ..Counts::default()
            },
        }
    }

    /// Whether the order could follow the run; if not, the findings mean nothing.
    pub fn followed(&self) -> bool {
        self.order.followed()
    }

    /// Whether any race was found.
    pub fn has_races(&self) -> bool {
        !self.tally.is_empty()
    }

    /// What was found. `clean` is what the absence of findings means for a run that came to its end.
    pub fn outcome(self, clean: Guarantee) -> Outcome {
        let Self {
            order,
            history,
            holds,
            roster,
            tally,
            defects,
            mut counts,
        } = self;
        counts.strands = order.strands();
        counts.hand_offs = history.hand_offs();
        let stopped = defects.fault.is_some() || !defects.waits.is_empty();
        let mut findings = tally.findings(&order, &holds, &roster);
        findings.extend(defects.assertions);
        if !defects.waits.is_empty() {
            findings.push(Finding::Deadlock {
                waits: defects.waits,
            });
        }
        Outcome {
            findings,
            guarantee: if stopped { Guarantee::UpToHere } else { clean },
            fault: defects.fault,
            tasks: roster.tasks,
            finishes: roster.finishes,
            locks: roster.locks,
            tokens: roster.tokens,
            counts,
            orders: Vec::new(),
            transactions: None,
        }
    }

    #[inline(always)]
    fn read(&mut self, extent: Extent, site: SiteId) {
        self.counts.reads += extent.len;
        let run = Running {
            order: &mut self.order,
            holds: &self.holds,
        };
        self.history.read(extent, site, run, &mut self.tally);
    }

    #[inline(always)]
    fn write(&mut self, extent: Extent, site: SiteId) {
        self.counts.writes += extent.len;
        let run = Running {
            order: &mut self.order,
            holds: &self.holds,
        };
        self.history.write(extent, site, run, &mut self.tally);
    }

    fn assertion_failed(&mut self, at: SiteId) {
        for finding in &mut self.defects.assertions {
            if let Finding::Assertion { site, count, .. } = finding
                && *site == at
            {
                *count += 1;
                return;
            }
        }
        let task = self.roster.running;
        self.defects.assertions.push(Finding::Assertion {
            site: at,
            task,
            count: 1,
        });
    }

    fn places(&mut self) -> &mut Places {
        &mut self.tally.places
    }

    fn other(&mut self, event: Event) {
        match event {
            Event::Declare {
                extent,
                name,
                shape,
            } => self.places().declare(extent, name, shape),
            Event::DeclareLock { name, .. } => self.roster.locks.push(name),
            Event::DeclareToken { name, .. } => self.roster.tokens.push(name),
            Event::Alloc { extent, name, .. } => {
                self.history.forget(extent);
                self.places().allocate(extent, name);
            }
            Event::Bind { start, name } => self.places().bind(start, name),
            Event::Free { extent, site } => self.write(extent, site),
            Event::AssertionFailed { site } => self.assertion_failed(site),
            Event::Stuck {
                task,
                awaited,
                site,
            } => {
                self.defects.waits.push(Wait {
                    task,
                    awaited,
                    site,
                });
            }
            Event::Fault { site, message } => self.defects.fault = Some((site, message)),
            _ => self.task_event(event),
        }
    }

    fn task_event(&mut self, event: Event) {
        match event {
            Event::FinishBegin { finish, kind, site } => {
                self.counts.finishes += 1;
                self.roster.finish_begin(kind, site);
                self.order.finish_begin(finish);
            }
            Event::FinishEnd { finish } => self.order.finish_end(finish),
            Event::Join { task, .. } => {
                self.counts.extra_edges += 1;
                self.order.join(task);
            }
            Event::Signal { token, .. } => self.order.signal(token),
            Event::Wait { token, .. } => {
                self.counts.extra_edges += 1;
                self.order.wait(token);
            }
            Event::Acquire { lock, mode, .. } => self.holds.acquire(lock, mode),
            Event::Release { lock, .. } => {
                let strand = self.order.close();
                self.holds.release(lock, strand);
            }
            _ => {}
        }
    }

    fn switch(&mut self, task: crate::id::TaskId) {
        self.roster.running = task;
        self.holds.switch(task);
    }
}

impl<O: Order, H: History<O>> Listener for RaceDetector<O, H> {
    #[inline(always)]
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => self.read(extent, site),
            Event::Write { extent, site } => self.write(extent, site),
            Event::Spawn {
                task,
                finish,
                kind,
                site,
                name,
            } => {
                self.counts.tasks += 1;
                self.roster.spawn(finish, kind, site, name);
                self.order.spawn(task, finish);
            }
            Event::Begin { task } => {
                self.switch(task);
                self.order.begin(task);
            }
            Event::End { task } => self.order.end(task),
            Event::Resume { task } => {
                self.switch(task);
                self.order.resume(task);
            }
            _ => self.other(event),
        }
    }
}
