//! Transactions that belong together: the cuts between them are left out of the run.
//!
//! Where a strand makes an access at the first position of a pair and later one at the second, the cuts between
//! the two are left out, there and wherever else they are come by, as if the programmer had deleted
//! them. In a loop body that leaves the cut at its end, which lies between the second position and the next round's first.
//!
//! Which cuts those are is found in a run of its own; a program without `merge` is spared it.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{Event, Features, Listener, Run, SiteId, TaskId};

/// Two positions whose transactions are one.
#[derive(Debug)]
pub struct Pair<'a> {
    first: &'a [SiteId],
    second: &'a [SiteId],
    is_used: &'a mut bool,
}

impl<'a> Pair<'a> {
    /// The pair of these sites; `is_used` is set where a cut lies between them.
    pub fn new(sites: &'a [Vec<SiteId>; 2], is_used: &'a mut bool) -> Self {
        Self {
            first: &sites[0],
            second: &sites[1],
            is_used,
        }
    }
}

/// The cuts that lie between the positions of a pair in some strand of the run.
pub fn cuts_between<R: Run>(run: &mut R, pairs: Vec<Pair<'_>>) -> BTreeSet<SiteId> {
    let mut finder = Finder {
        pairs,
        running: TaskId::MAIN,
        open: BTreeMap::new(),
        found: BTreeSet::new(),
    };
    if !finder.pairs.is_empty() {
        run.run(&mut finder);
    }
    finder.found
}

/// A run without the cuts at some sites.
pub struct WithoutCuts<'a, R> {
    run: &'a mut R,
    cuts: BTreeSet<SiteId>,
}

impl<'a, R: Run> WithoutCuts<'a, R> {
    /// The run without these cuts.
    pub fn new(run: &'a mut R, cuts: BTreeSet<SiteId>) -> Self {
        Self { run, cuts }
    }
}

impl<R: Run> Run for WithoutCuts<'_, R> {
    fn features(&self) -> Features {
        self.run.features()
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        match self.cuts.is_empty() {
            true => self.run.run(listener),
            false => self.run.run(&mut Filter {
                listener,
                cuts: &self.cuts,
            }),
        }
    }
}

struct Filter<'a, L> {
    listener: &'a mut L,
    cuts: &'a BTreeSet<SiteId>,
}

impl<L: Listener> Listener for Filter<'_, L> {
    fn on(&mut self, event: Event) {
        match event {
            Event::Cut { site, .. } if self.cuts.contains(&site) => {}
            event => self.listener.on(event),
        }
    }
}

struct Finder<'a> {
    pairs: Vec<Pair<'a>>,
    running: TaskId,
    /// Per task and pair whose first position its strand has passed: the cuts since.
    open: BTreeMap<(TaskId, usize), BTreeSet<SiteId>>,
    found: BTreeSet<SiteId>,
}

impl Listener for Finder<'_> {
    fn on(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Cut { site, .. } => self.cut(site),
            Event::Read { site, .. } | Event::Write { site, .. } | Event::Free { site, .. } => {
                self.access(site);
            }
            Event::Spawn { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
            | Event::End { .. } => self.end_strand(),
            _ => {}
        }
    }
}

impl Finder<'_> {
    fn cut(&mut self, site: SiteId) {
        for pair in 0..self.pairs.len() {
            if let Some(cuts) = self.open.get_mut(&(self.running, pair)) {
                cuts.insert(site);
            }
        }
    }

    fn access(&mut self, site: SiteId) {
        for (n, pair) in self.pairs.iter_mut().enumerate() {
            let key = (self.running, n);
            if pair.second.contains(&site)
                && let Some(cuts) = self.open.remove(&key)
            {
                *pair.is_used |= !cuts.is_empty();
                self.found.extend(cuts);
            }
            if pair.first.contains(&site) {
                self.open.entry(key).or_default();
            }
        }
    }

    fn end_strand(&mut self) {
        for pair in 0..self.pairs.len() {
            self.open.remove(&(self.running, pair));
        }
    }
}
