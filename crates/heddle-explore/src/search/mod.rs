//! The search: which schedules are run, and when to stop.
//!
//! | reduction | runs | by |
//! |---|---|---|
//! | [`Reduction::None`] | every sequence of choices | Algorithm 2 of Nakade, Mercer, McCarthy |
//! | [`Reduction::Dpor`] | one sequence of each set that differs only in the order of transitions that do not conflict | source sets and sleep sets (Abdulla et al. 2014) |
//! | [`Reduction::States`] | no state twice | fingerprints; `watch/key.rs` for races |
//!
//! All three find the same. Deviation from Algorithm 2: it also branches on tasks that do not
//! stand before a section; they are run on first here (Lemma 4.1), so that no schedule is counted
//! twice.
//!
//! The tree can be cut into *units*, the subtrees below its first choice points ([`split`]), which
//! are explored independently: by several threads, by several machines, or one after the other
//! with the state saved in between.

mod dpor;
mod footprint;
mod shared;
mod split;
mod trace;
mod tree;
mod units;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::cursor::Cursor;
use crate::fingerprint::{Fingerprint, State};
use crate::program::{Choice, Program, Run};
use crate::schedule::Schedule;
use crate::verdict::Verdict;
use crate::watch::Watch;

pub use shared::Counters;
use shared::Shared;
use split::Unit;
pub use units::{Checkpoint, Work, explore_units};

/// How schedules that cannot differ are left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Not at all.
    None,
    /// Only orders of conflicting transitions.
    Dpor,
    /// No state is entered twice.
    States,
}

/// What to search, and how far.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How schedules are left out.
    pub reduction: Reduction,
    /// Stop after so many schedules.
    pub max_schedules: Option<u64>,
    /// Stop after so many executed choices.
    pub max_transitions: Option<u64>,
    /// Stop after so long.
    pub max_time: Option<Duration>,
    /// Leave out schedules that switch away from a task that could go on more often than this.
    pub preemptions: Option<u32>,
    /// Runs with more choices than this are cut.
    pub max_choices: usize,
    /// Stop as soon as this is found.
    pub until: Option<Verdict>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reduction: Reduction::States,
            max_schedules: None,
            max_transitions: None,
            max_time: None,
            preemptions: None,
            max_choices: 100_000,
            until: None,
        }
    }
}

impl Settings {
    /// A bound on preemptions takes the reasons of source sets away.
    fn uses_sources(&self) -> bool {
        self.reduction == Reduction::Dpor && self.preemptions.is_none()
    }
}

/// Something that was found, and the schedule that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What.
    pub verdict: Verdict,
    /// In which schedule.
    pub schedule: Schedule,
}

/// Why a search left schedules out that may differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// The number of schedules or of executed choices.
    Schedules,
    /// The time.
    Time,
    /// The number of preemptions.
    Preemptions,
    /// A run had more choices than allowed, or took too long between two of them.
    Length,
    /// It was told to stop.
    Interrupted,
    /// What was sought was found.
    Found,
}

/// What a search did and found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// What was found, in the sequence in which it was.
    pub found: Vec<Found>,
    /// Runs that came to their end.
    pub schedules: u64,
    /// Choice points that were entered, ends included; with [`Reduction::States`], different ones.
    pub states: u64,
    /// Choices that were executed.
    pub transitions: u64,
    /// Choice points of the longest run.
    pub longest: usize,
    /// What kept the search from being complete. Empty: all schedules are covered.
    pub limits: Vec<Limit>,
}

impl Summary {
    /// Whether every schedule that can differ was run.
    pub fn is_complete(&self) -> bool {
        self.limits.is_empty()
    }

    /// Notes what kept the search from being complete.
    pub fn limit(&mut self, limit: Limit) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
            self.limits.sort_unstable();
        }
    }

    /// Adds what another part of the search did and found.
    pub fn add(&mut self, other: Self) {
        let known: FxHashSet<Verdict> = self
            .found
            .iter()
            .map(|found| found.verdict.clone())
            .collect();
        let is_new = |found: &Found| !known.contains(&found.verdict);
        self.found.extend(other.found.into_iter().filter(is_new));
        self.schedules += other.schedules;
        self.states += other.states;
        self.transitions += other.transitions;
        self.longest = self.longest.max(other.longest);
        for limit in other.limits {
            self.limit(limit);
        }
    }
}

/// Is told of the runs that came to their end.
pub trait Observer<R> {
    /// A run came to its end.
    fn end(&mut self, run: &R) {
        let _ = run;
    }
}

impl<R> Observer<R> for () {}

/// Explores the program on this thread. `stop` ends the search early.
pub fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(
    program: &'p P,
    settings: &Settings,
    stop: &AtomicBool,
    observer: &mut O,
) -> Summary {
    let mut shared = Shared::new(settings, stop);
    let mut found = Vec::new();
    loop {
        let mut search = Search::new(program, &shared, observer);
        search.unit(&Unit::whole());
        let mut summary = search.summary;
        summary.add(Summary {
            found,
            ..Summary::default()
        });
        // States were matched as if these locations had one lock: once more, now that it is known.
        if shared.is_over() || !shared.begin_again() {
            return summary;
        }
        found = summary.found;
    }
}

/// One thread's part of a search.
struct Search<'s, 'p, P: Program + 'p, O> {
    program: &'p P,
    shared: &'s Shared<'s>,
    observer: &'s mut O,
    summary: Summary,
    known: FxHashSet<Verdict>,
    ticks: u64,
    /// Schedules and states that those who watch know of.
    noted: (u64, u64),
}

impl<'s, 'p, P: Program, O: Observer<P::Run<'p>>> Search<'s, 'p, P, O> {
    fn new(program: &'p P, shared: &'s Shared<'s>, observer: &'s mut O) -> Self {
        Self {
            program,
            shared,
            observer,
            summary: Summary::default(),
            known: FxHashSet::default(),
            ticks: 0,
            noted: (0, 0),
        }
    }

    fn settings(&self) -> &'s Settings {
        self.shared.settings
    }

    /// Explores one unit.
    fn unit(&mut self, unit: &Unit) {
        match self.settings().uses_sources() {
            true => dpor::explore(self, unit),
            false => tree::explore(self, unit),
        }
        self.note();
    }

    /// Tells those who watch what was done since it last did.
    fn note(&mut self) {
        let counters = self.shared.counters();
        let done = (self.summary.schedules, self.summary.states);
        let (schedules, states) = std::mem::replace(&mut self.noted, done);
        counters
            .schedules
            .fetch_add(done.0 - schedules, Ordering::Relaxed);
        counters
            .states
            .fetch_add(done.1 - states, Ordering::Relaxed);
    }

    fn start(&mut self, watch: Watch) -> Cursor<'p, P> {
        let mut cursor = Cursor::start(self.program, watch);
        self.collect(&mut cursor, &[]);
        cursor
    }

    /// Executes a choice; what it shows is recorded under `numbers`, the schedule up to it.
    fn take(&mut self, cursor: &mut Cursor<'p, P>, choice: Choice, numbers: &[u32]) {
        cursor.take(choice);
        self.summary.transitions += 1;
        self.summary.longest = self.summary.longest.max(numbers.len());
        self.collect(cursor, numbers);
    }

    fn collect(&mut self, cursor: &mut Cursor<'p, P>, numbers: &[u32]) {
        for verdict in cursor.watch.take_verdicts() {
            if self.settings().until.as_ref() == Some(&verdict) {
                self.summary.limit(Limit::Found);
                self.shared.end();
            }
            if self.known.insert(verdict.clone()) {
                let schedule = Schedule::new(numbers.to_vec());
                self.summary.found.push(Found { verdict, schedule });
            }
        }
        if cursor.run().is_cut() {
            self.summary.limit(match self.shared.is_stopped() {
                true => Limit::Interrupted,
                false => Limit::Length,
            });
        }
    }

    /// Notes that a run came to its end.
    fn end(&mut self, cursor: &mut Cursor<'p, P>) {
        self.summary.schedules += 1;
        self.observer.end(cursor.run());
        if let Some(limit) = self.shared.count_schedule() {
            self.summary.limit(limit);
        }
    }

    /// The key of the state the cursor stands at; nothing if the program's states cannot be told.
    fn key(&mut self, cursor: &mut Cursor<'p, P>, extra: u64) -> Option<Fingerprint> {
        let mut state = State::new();
        state.add(extra);
        let Cursor { watch, .. } = cursor;
        let names = watch.names().clone();
        let is_known = cursor.run().fingerprint(&names, &mut state);
        is_known.then(|| cursor.watch.key(state, &self.shared.mixed))
    }

    /// Looks at the clock now and then. `part` is the part of the unit that is done.
    fn tick(&mut self, part: impl FnOnce() -> f64) {
        self.ticks += 1;
        if self.ticks.is_multiple_of(shared::TICKS) {
            self.shared.counters().part.store(part());
            self.note();
        }
        if self.ticks.is_multiple_of(shared::LOOK)
            && let Some(limit) = self.shared.look(shared::LOOK)
        {
            self.summary.limit(limit);
        }
    }

    /// Whether the search is to stop.
    fn is_over(&self) -> bool {
        self.shared.is_over()
    }
}

/// A number that is read while it changes: a share, between 0 and 1.
#[derive(Debug, Default)]
pub struct Part(std::sync::atomic::AtomicU64);

impl Part {
    /// What it is now.
    pub fn load(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn store(&self, part: f64) {
        self.0.store(part.to_bits(), Ordering::Relaxed);
    }
}
