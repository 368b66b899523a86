//! The search: which schedules are run, and when to stop.
//!
//! | reduction | runs | exact |
//! |---|---|---|
//! | [`Reduction::None`] | every sequence of choices | Algorithm 2 of Nakade, Mercer, McCarthy |
//! | [`Reduction::Dpor`] | one sequence of each set that differs only in the order of transitions that do not conflict | source sets and sleep sets (Abdulla et al. 2014) |
//! | [`Reduction::States`] | no state twice | see `watch/key.rs` for races |
//!
//! All three find the same. Deviation from Algorithm 2: it also branches on tasks that do not
//! stand before a section; they are run on first here (Lemma 4.1), so that no schedule is counted
//! twice.

mod dpor;
mod trace;
mod tree;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::cursor::Cursor;
use crate::fingerprint::{Fingerprint, State};
use crate::program::{Choice, Program, Run};
use crate::schedule::Schedule;
use crate::verdict::Verdict;
use crate::watch::{Mixed, Watch};

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
    /// Stop after so long.
    pub max_time: Option<Duration>,
    /// Leave out schedules that switch away from a task that could go on more often than this.
    pub preemptions: Option<u32>,
    /// Runs with more choices than this are cut.
    pub max_choices: usize,
    /// Stop as soon as this is found.
    pub until: Option<Verdict>,
    /// Only this part of the tree.
    pub shard: Option<Shard>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reduction: Reduction::States,
            max_schedules: None,
            max_time: None,
            preemptions: None,
            max_choices: 100_000,
            until: None,
            shard: None,
        }
    }
}

/// One part of a tree that is divided without anyone coordinating it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shard {
    /// Which part, from 0 on.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
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
    /// The number of schedules.
    Schedules,
    /// The time.
    Time,
    /// The number of preemptions.
    Preemptions,
    /// A run had more choices than allowed, or took too long between two of them.
    Length,
    /// It was told to stop.
    Interrupted,
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

    fn limit(&mut self, limit: Limit) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
            self.limits.sort_unstable();
        }
    }
}

/// Is told how the search goes on.
pub trait Observer<R> {
    /// A run came to its end.
    fn end(&mut self, run: &R) {
        let _ = run;
    }

    /// Called now and then: what was done so far, and which part of the tree that is, if known.
    fn progress(&mut self, summary: &Summary, part: f64) {
        let _ = (summary, part);
    }
}

impl<R> Observer<R> for () {}

/// Explores the program.
pub fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(
    program: &'p P,
    settings: &Settings,
    stop: &AtomicBool,
    observer: &mut O,
) -> Summary {
    let mut search = Search::new(program, settings, stop, observer);
    loop {
        search.restart();
        match settings.reduction {
            Reduction::Dpor if settings.preemptions.is_none() => dpor::explore(&mut search),
            _ => tree::explore(&mut search),
        }
        // States were matched as if these locations had one lock: once more, now that it is known.
        if !search.mixed.borrow_mut().begin_again() || search.is_over() {
            return search.summary;
        }
    }
}

/// What all searches share.
struct Search<'s, 'p, P: Program + 'p, O> {
    program: &'p P,
    settings: &'s Settings,
    stop: &'s AtomicBool,
    observer: &'s mut O,
    summary: Summary,
    known: FxHashSet<Verdict>,
    mixed: RefCell<Mixed>,
    visited: FxHashSet<Fingerprint>,
    begin: Instant,
    ticks: u64,
    over: bool,
}

/// How many choices are executed between two looks at the clock.
const TICKS: u64 = 256;

impl<'s, 'p, P: Program, O: Observer<P::Run<'p>>> Search<'s, 'p, P, O> {
    fn new(
        program: &'p P,
        settings: &'s Settings,
        stop: &'s AtomicBool,
        observer: &'s mut O,
    ) -> Self {
        Self {
            program,
            settings,
            stop,
            observer,
            summary: Summary::default(),
            known: FxHashSet::default(),
            mixed: RefCell::default(),
            visited: FxHashSet::default(),
            begin: Instant::now(),
            ticks: 0,
            over: false,
        }
    }

    fn restart(&mut self) {
        let found = std::mem::take(&mut self.summary.found);
        self.summary = Summary {
            found,
            ..Summary::default()
        };
        self.visited.clear();
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
            if self.settings.until.as_ref() == Some(&verdict) {
                self.over = true;
            }
            if self.known.insert(verdict.clone()) {
                let schedule = Schedule::new(numbers.to_vec());
                self.summary.found.push(Found { verdict, schedule });
            }
        }
        if cursor.run().is_cut() {
            let stopped = self.stop.load(Ordering::Relaxed);
            self.summary.limit(match stopped {
                true => Limit::Interrupted,
                false => Limit::Length,
            });
        }
    }

    /// Notes that a run came to its end.
    fn end(&mut self, cursor: &mut Cursor<'p, P>) {
        self.summary.schedules += 1;
        self.observer.end(cursor.run());
        if Some(self.summary.schedules) == self.settings.max_schedules {
            self.over = true;
            self.summary.limit(Limit::Schedules);
        }
    }

    /// Whether the state was not there before.
    fn is_new(&mut self, cursor: &mut Cursor<'p, P>, extra: u64) -> bool {
        let mut state = State::new();
        state.add(extra);
        let names = cursor.watch.names().clone();
        if !cursor.run().fingerprint(&names, &mut state) {
            return true;
        }
        let key = cursor.watch.key(state, &self.mixed);
        self.visited.insert(key)
    }

    /// Looks at the clock now and then; whether the search may go on. `part` is the part of the
    /// tree that is done.
    fn tick(&mut self, part: impl FnOnce() -> f64) {
        self.ticks += 1;
        if self.ticks.is_multiple_of(TICKS) {
            self.look(part());
        }
    }

    #[cold]
    fn look(&mut self, part: f64) {
        self.observer.progress(&self.summary, part);
        let late = self
            .settings
            .max_time
            .is_some_and(|most| self.begin.elapsed() >= most);
        let stopped = self.stop.load(Ordering::Relaxed);
        if late || stopped {
            self.over = true;
            self.summary.limit(match stopped {
                true => Limit::Interrupted,
                false => Limit::Time,
            });
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
