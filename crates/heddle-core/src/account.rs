//! What a run itself tells: who took part, how much was done, what went wrong on the way.

use crate::event::{Event, FaultKind, Listener};
use crate::finding::{Counts, Finding, Guarantee, Outcome, Wait};
use crate::id::SiteId;
use crate::roster::Roster;

/// Takes down one run. A [`Listener`]; no detection.
#[derive(Debug)]
pub struct Account {
    roster: Roster,
    assertions: Vec<Finding>,
    waits: Vec<Wait>,
    fault: Option<(SiteId, FaultKind)>,
    counts: Counts,
}

impl Account {
    /// At the start of the main task.
    pub fn new() -> Self {
        Self {
            roster: Roster::new(),
            assertions: Vec::new(),
            waits: Vec::new(),
            fault: None,
            counts: Counts {
                tasks: 1,
                finishes: 1,
                ..Counts::default()
            },
        }
    }

    /// Who took part so far.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The outcome of the run with what was found in it. `clean` is what the absence of findings means for a run
    /// that came to its end.
    pub fn outcome(self, mut findings: Vec<Finding>, clean: Guarantee) -> Outcome {
        let stopped = self.fault.is_some() || !self.waits.is_empty();
        findings.extend(self.assertions);
        if !self.waits.is_empty() {
            findings.push(Finding::Deadlock { waits: self.waits });
        }
        Outcome {
            findings,
            guarantee: if stopped { Guarantee::UpToHere } else { clean },
            fault: self.fault,
            tasks: self.roster.tasks,
            finishes: self.roster.finishes,
            locks: self.roster.locks,
            tokens: self.roster.tokens,
            counts: self.counts,
            orders: Vec::new(),
            transactions: None,
        }
    }

    fn assertion_failed(&mut self, at: SiteId) {
        for finding in &mut self.assertions {
            if let Finding::Assertion { site, count, .. } = finding
                && *site == at
            {
                *count += 1;
                return;
            }
        }
        self.assertions.push(Finding::Assertion {
            site: at,
            task: self.roster.running,
            count: 1,
        });
    }

    fn other(&mut self, event: Event) {
        match event {
            Event::FinishBegin { kind, site, .. } => {
                self.counts.finishes += 1;
                self.roster.finish_begin(kind, site);
            }
            Event::Join { .. } | Event::Wait { .. } => self.counts.extra_edges += 1,
            Event::DeclareLock { name, .. } => self.roster.locks.push(name),
            Event::DeclareToken { name, .. } => self.roster.tokens.push(name),
            Event::AssertionFailed { site } => self.assertion_failed(site),
            Event::Stuck {
                task,
                awaited,
                site,
            } => self.waits.push(Wait {
                task,
                awaited,
                site,
            }),
            Event::Fault { site, message } => self.fault = Some((site, message)),
            _ => {}
        }
    }
}

impl Default for Account {
    fn default() -> Self {
        Self::new()
    }
}

impl Listener for Account {
    #[inline(always)]
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, .. } => self.counts.reads += extent.len,
            Event::Write { extent, .. } | Event::Free { extent, .. } => {
                self.counts.writes += extent.len;
            }
            Event::Spawn {
                finish,
                kind,
                site,
                name,
                ..
            } => {
                self.counts.tasks += 1;
                self.roster.spawn(finish, kind, site, name);
            }
            Event::Begin { task } | Event::Resume { task } => self.roster.running = task,
            _ => self.other(event),
        }
    }
}
