//! The thesis' detector (Algorithms 3.3 to 3.5): a graph of epochs and events, searched breadth first at every question,
//! and its three optimisations (chapter 5). A baseline, not part of the product.
//!
//! A task has an epoch for its beginning and one more from each task on that it creates; its last one ends with it, and
//! leads to the latch of the finish around it. All accesses of our loads are made in the first.

use crate::load::{Edt, Load};
use crate::question::Questions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Paths longer than this are compressed.
const THRESHOLD: usize = 4;

/// Which optimisations are on; each has those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// None.
    Bfs,
    /// Answers are remembered.
    Cache,
    /// The search goes backwards, once for all sources of a question.
    Reversed,
    /// Long paths are shortened.
    Compress,
}

/// All of them.
pub const LEVELS: [Level; 4] = [Level::Bfs, Level::Cache, Level::Reversed, Level::Compress];

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Cache => "+cache",
            Self::Reversed => "+reversed",
            Self::Compress => "+compress",
        }
    }
}

/// See the module's documentation.
#[derive(Debug)]
struct Detector {
    level: Level,
    /// Successors of each node, or predecessors where the search goes backwards. First come the first epochs of all tasks,
    /// then events, then further epochs.
    edges: Vec<Vec<u32>>,
    in_degree: Vec<u32>,
    /// The last epoch of each task.
    epochs: Vec<u32>,
    /// The epoch in which each task creates its next one.
    creating: Vec<u32>,
    /// How many tasks each creates.
    creations: Vec<u32>,
    known: FxHashMap<(u32, u32), bool>,
    racy: BTreeSet<u64>,
    until: Instant,
}

/// What came of it.
#[derive(Debug)]
pub struct Searched {
    pub time: Duration,
    /// Racy locations; none if it took too long.
    pub racy: Option<BTreeSet<u64>>,
}

/// Answers the questions of a load, for no longer than `patience`.
pub fn answer(load: &Load, questions: &Questions, level: Level, patience: Duration) -> Searched {
    let (start, cpu) = (Instant::now(), crate::cpu_time());
    let mut detector = Detector {
        level,
        edges: Vec::new(),
        in_degree: Vec::new(),
        epochs: (0..load.edts.len() as u32).collect(),
        creating: (0..load.edts.len() as u32).collect(),
        creations: creations(load),
        known: FxHashMap::default(),
        racy: BTreeSet::new(),
        until: start + patience,
    };
    let is_done = detector.judge(load, questions);
    Searched {
        time: crate::cpu_time().saturating_sub(cpu),
        racy: is_done.then_some(detector.racy),
    }
}

/// How many tasks each creates.
fn creations(load: &Load) -> Vec<u32> {
    let mut creations = vec![0; load.edts.len()];
    for edt in load.edts.iter().skip(1) {
        creations[edt.creator as usize] += 1;
    }
    creations
}

impl Detector {
    /// False if it took too long.
    fn judge(&mut self, load: &Load, questions: &Questions) -> bool {
        // A finish EDT has a latch and an output event.
        let events = load.edts.len() as u32;
        self.edges = vec![Vec::new(); load.edts.len() + 2 * (load.finishes as usize + 1)];
        self.in_degree = vec![0; self.edges.len()];
        for (number, edt) in (0u32..).zip(&load.edts) {
            self.link(number, edt, events);
            for (locations, earlier) in questions.of(number) {
                self.ask(earlier, number, locations);
            }
            if Instant::now() > self.until {
                return false;
            }
        }
        true
    }

    fn link(&mut self, number: u32, edt: &Edt, events: u32) {
        if number > 0 {
            self.spawn(edt.creator, number);
        }
        // By the time that others run it is over.
        for _ in 0..self.creations[number as usize] {
            self.continue_in_next_epoch(number);
        }
        if number > 0 && edt.enabler != edt.creator && edt.after.is_none() {
            self.edge(self.epochs[edt.enabler as usize], number);
        }
        for &source in &edt.sources {
            self.edge(self.epochs[source as usize], number);
        }
        let latch = |finish: u32| events + 2 * finish;
        if let Some(finish) = edt.after {
            self.edge(latch(finish) + 1, number);
        }
        let mut last = self.epochs[number as usize];
        if let Some(finish) = edt.opens {
            self.edge(last, latch(finish));
            self.edge(latch(finish), latch(finish) + 1);
            last = latch(finish);
        }
        if edt.home != 0 {
            self.edge(last, latch(edt.home));
        }
    }

    /// A task creates another in the epoch that comes next.
    fn spawn(&mut self, by: u32, number: u32) {
        let epoch = self.creating[by as usize];
        self.edge(epoch, number);
        // The further epochs of a task have consecutive numbers.
        self.creating[by as usize] = match epoch == by {
            true => self.epochs[by as usize] + 1 - self.creations[by as usize],
            false => epoch + 1,
        };
    }

    fn continue_in_next_epoch(&mut self, task: u32) {
        let (epoch, next) = (self.epochs[task as usize], self.edges.len() as u32);
        self.edges.push(Vec::new());
        self.in_degree.push(0);
        self.edge(epoch, next);
        self.epochs[task as usize] = next;
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.in_degree[to as usize] += 1;
        let (at, other) = match self.level >= Level::Reversed {
            true => (to, from),
            false => (from, to),
        };
        self.edges[at as usize].push(other);
    }

    /// Whether all of these precede `task`; else the location is racy.
    fn ask(&mut self, sources: &[u32], task: u32, locations: Range<u64>) {
        let mut left = Vec::new();
        for &source in sources {
            match self.known.get(&(source, task)) {
                Some(true) => {}
                Some(false) => {
                    self.racy.extend(locations.clone());
                }
                None => left.push(source),
            }
        }
        if left.is_empty() {
            return;
        }
        let unreached = match self.level >= Level::Reversed {
            true => self.search_back(&left, task),
            false => left
                .iter()
                .copied()
                .filter(|&source| !self.search(source, task))
                .collect(),
        };
        if self.level >= Level::Cache {
            for &source in &left {
                self.known
                    .insert((source, task), !unreached.contains(&source));
            }
        }
        if !unreached.is_empty() {
            self.racy.extend(locations);
        }
    }

    /// Breadth first from the source on. A node from which the answer is known ends it.
    fn search(&self, source: u32, task: u32) -> bool {
        if Instant::now() > self.until {
            return true;
        }
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            if node == task || self.known.get(&(node, task)) == Some(&true) {
                return true;
            }
            if seen.insert(node) {
                queue.extend(&self.edges[node as usize]);
            }
        }
        false
    }

    /// Breadth first backwards until all sources are reached; those that are not.
    fn search_back(&mut self, sources: &[u32], task: u32) -> FxHashSet<u32> {
        let mut wanted: FxHashSet<u32> = sources.iter().copied().collect();
        let mut came_from: FxHashMap<u32, u32> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from([task]);
        let mut found = Vec::new();
        while let Some(node) = queue.pop_front() {
            if !seen.insert(node) {
                continue;
            }
            if wanted.len() > 1000 && Instant::now() > self.until {
                break;
            }
            if wanted.remove(&node) {
                found.push(node);
            }
            let reached = |source: &u32| self.known.get(&(*source, node)) == Some(&true);
            let also: Vec<u32> = wanted.iter().copied().filter(reached).collect();
            for source in also {
                wanted.remove(&source);
                came_from.entry(source).or_insert(node);
                found.push(source);
            }
            if wanted.is_empty() {
                break;
            }
            for &before in &self.edges[node as usize] {
                came_from.entry(before).or_insert(node);
                queue.push_back(before);
            }
        }
        if self.level == Level::Compress {
            for source in found {
                self.compress(source, task, &came_from);
            }
        }
        wanted
    }

    /// Algorithm 5.3: a long path gets edges to and from its node with most predecessors.
    fn compress(&mut self, source: u32, task: u32, came_from: &FxHashMap<u32, u32>) {
        let (mut path, mut at) = (vec![source], source);
        while at != task {
            let Some(&next) = came_from.get(&at) else {
                return;
            };
            at = next;
            path.push(at);
        }
        if path.len() <= THRESHOLD {
            return;
        }
        let inner = path[1..path.len() - 1].iter();
        let Some(&key) = inner.max_by_key(|&&node| self.in_degree[node as usize]) else {
            return;
        };
        self.edge(source, key);
        self.edge(key, task);
    }
}
