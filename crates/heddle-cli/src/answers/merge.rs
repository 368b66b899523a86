//! Transactions that belong together: the cuts between them are left out of the run.
//!
//! Where a strand makes an access at the first position of a pair and then one at the second, all cuts from the
//! first of those accesses to the second are dropped. So a cut in a loop body goes, and the cut at
//! the end of the body stays, as if the programmer had deleted the one between the two positions.
//!
//! Which cuts those are is known only when the second access comes, so the run is made twice: once to number them,
//! once without them. A program without `merge` pays nothing.

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
    /// The pair of these sites; `is_used` is set where it drops a cut.
    pub fn new(sites: &'a [Vec<SiteId>; 2], is_used: &'a mut bool) -> Self {
        Self {
            first: &sites[0],
            second: &sites[1],
            is_used,
        }
    }
}

/// A run without the cuts inside of pairs.
pub struct Merged<'a, R> {
    run: &'a mut R,
    pairs: Vec<Pair<'a>>,
    /// The cuts to drop, by their number in the run; known after the first time.
    dropped: Option<BTreeSet<u64>>,
}

impl<'a, R: Run> Merged<'a, R> {
    /// The run, with the transactions of these pairs merged.
    pub fn new(run: &'a mut R, pairs: Vec<Pair<'a>>) -> Self {
        Self {
            run,
            pairs,
            dropped: None,
        }
    }

    fn find_cuts(&mut self) -> BTreeSet<u64> {
        let mut finder = Finder {
            pairs: &mut self.pairs,
            cuts: 0,
            running: TaskId::MAIN,
            open: BTreeMap::new(),
            dropped: BTreeSet::new(),
        };
        self.run.run(&mut finder);
        finder.dropped
    }
}

impl<R: Run> Run for Merged<'_, R> {
    fn features(&self) -> Features {
        self.run.features()
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        if self.pairs.is_empty() {
            return self.run.run(listener);
        }
        let dropped = match self.dropped.take() {
            Some(dropped) => dropped,
            None => self.find_cuts(),
        };
        self.run.run(&mut Without {
            listener,
            dropped: &dropped,
            cuts: 0,
        });
        self.dropped = Some(dropped);
    }
}

/// Passes on everything but the cuts to drop.
struct Without<'a, L> {
    listener: &'a mut L,
    dropped: &'a BTreeSet<u64>,
    cuts: u64,
}

impl<L: Listener> Listener for Without<'_, L> {
    #[inline]
    fn on(&mut self, event: Event) {
        if let Event::Cut { .. } = event {
            self.cuts += 1;
            if self.dropped.contains(&(self.cuts - 1)) {
                return;
            }
        }
        self.listener.on(event);
    }
}

/// Finds the cuts to drop.
struct Finder<'a, 'b> {
    pairs: &'a mut [Pair<'b>],
    cuts: u64,
    running: TaskId,
    /// Per task and pair whose first position its strand has passed: the cuts since.
    open: BTreeMap<(TaskId, usize), Vec<u64>>,
    dropped: BTreeSet<u64>,
}

impl Listener for Finder<'_, '_> {
    fn on(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Cut { .. } => self.cut(),
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

impl Finder<'_, '_> {
    fn cut(&mut self) {
        for pair in 0..self.pairs.len() {
            if let Some(cuts) = self.open.get_mut(&(self.running, pair)) {
                cuts.push(self.cuts);
            }
        }
        self.cuts += 1;
    }

    fn access(&mut self, site: SiteId) {
        for (n, pair) in self.pairs.iter_mut().enumerate() {
            let key = (self.running, n);
            if pair.second.contains(&site)
                && let Some(cuts) = self.open.remove(&key)
            {
                *pair.is_used |= !cuts.is_empty();
                self.dropped.extend(cuts);
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
