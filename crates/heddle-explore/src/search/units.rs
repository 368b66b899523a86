//! Units of a search: explored by several threads, shared out among machines, saved and resumed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::fingerprint::Fingerprint;
use crate::program::Program;

use super::shared::{Counters, Shared, locked};
use super::split::{Unit, split};
use super::{Limit, Reduction, Search, Settings, Summary};

/// Units per thread, so that none is left with a large one at the end.
const UNITS_PER_JOB: usize = 16;
/// The least number of units that are saved one by one.
const UNITS_TO_SAVE: usize = 256;
/// How often progress is saved.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// How the work is divided.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// How many threads explore.
    pub jobs: usize,
    /// Which part of how many.
    pub shard: Option<(u32, u32)>,
    /// What was done before.
    pub resume: Option<&'a Checkpoint>,
    /// Whether progress is to be saved.
    pub saves: bool,
}

/// What of a search is done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checkpoint {
    /// How many units there are.
    pub units: usize,
    /// Which of them are done.
    pub done: Vec<usize>,
    /// What that yielded.
    pub summary: Summary,
    /// States whose subtrees are done, with [`Reduction::States`].
    pub states: Vec<Fingerprint>,
}

/// Explores the program, or one part of it, perhaps on several threads. `save` is given what is
/// done now and then, and at the end.
pub fn explore_units<P: Program>(
    program: &P,
    settings: &Settings,
    work: Work<'_>,
    stop: &AtomicBool,
    counters: &Counters,
    save: &(dyn Fn(&Checkpoint) + Sync),
) -> Summary {
    let mut shared = Shared::new(settings, stop).watched_by(counters);
    let mut resume = work.resume;
    let mut found = Vec::new();
    loop {
        let team = Team::new(program, &shared, work, resume, save);
        let mut summary = team.explore();
        summary.add(Summary {
            found,
            ..Summary::default()
        });
        if shared.is_over() || !shared.begin_again() {
            return summary;
        }
        found = summary.found;
        resume = None;
    }
}

/// What the threads have done together.
struct Progress {
    /// Units that are done.
    done: Checkpoint,
    /// Units that a bound cut short; they are to be explored again.
    cut: Summary,
    saved: Instant,
}

/// The threads that explore the units of one search.
struct Team<'s, P> {
    program: &'s P,
    shared: &'s Shared<'s>,
    jobs: usize,
    units: Vec<Unit>,
    /// The units to explore.
    rows: Vec<usize>,
    next: AtomicUsize,
    saves: bool,
    save: &'s (dyn Fn(&Checkpoint) + Sync),
    progress: Mutex<Progress>,
}

impl<'s, P: Program> Team<'s, P> {
    fn new(
        program: &'s P,
        shared: &'s Shared<'s>,
        work: Work<'_>,
        resume: Option<&Checkpoint>,
        save: &'s (dyn Fn(&Checkpoint) + Sync),
    ) -> Self {
        let (index, count) = work.shard.unwrap_or((0, 1));
        let parts = count as usize;
        let wanted = match (work.jobs, parts, work.saves) {
            (1, 1, false) => 1,
            (1, 1, true) => UNITS_TO_SAVE,
            // Must not depend on the number of threads: every machine cuts alike.
            (_, 2.., _) => (parts * UNITS_PER_JOB * 4).max(UNITS_TO_SAVE),
            (jobs, ..) => (jobs * UNITS_PER_JOB).max(UNITS_TO_SAVE),
        };
        let mut observer = ();
        let mut search = Search::new(program, shared, &mut observer);
        let units = split(&mut search, wanted);
        // What lies above the units is counted once.
        let mut summary = search.summary;
        if index > 0 {
            (summary.states, summary.transitions) = (0, 0);
        }
        let mut progress = Checkpoint {
            units: units.len(),
            summary,
            ..Checkpoint::default()
        };
        if let Some(before) = resume.filter(|before| before.units == units.len()) {
            progress = before.clone();
            progress.summary.limits.clear();
            shared.visit(before.states.iter().copied());
        }
        let is_mine = |row: &usize| row % parts == index as usize;
        let is_left = |row: &usize| !progress.done.contains(row);
        let rows = (0..units.len()).filter(is_mine).filter(is_left).collect();
        Self {
            program,
            shared,
            jobs: work.jobs.max(1),
            units,
            rows,
            next: AtomicUsize::new(0),
            saves: work.saves,
            save,
            progress: Mutex::new(Progress {
                done: progress,
                cut: Summary::default(),
                saved: Instant::now(),
            }),
        }
    }

    fn explore(self) -> Summary {
        let counters = self.shared.counters();
        counters
            .all_units
            .store(self.rows.len() as u64, Ordering::Relaxed);
        counters.units.store(0, Ordering::Relaxed);
        if self.jobs == 1 {
            self.worker();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..self.jobs {
                    scope.spawn(|| self.worker());
                }
            });
        }
        let Progress { mut done, cut, .. } = self
            .progress
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut summary = done.summary.clone();
        summary.add(cut);
        if self.saves {
            done.summary.found.clone_from(&summary.found);
            if self.shared.settings.reduction == Reduction::States {
                done.states = self.shared.closed();
                done.summary.states = done.states.len() as u64;
            }
            (self.save)(&done);
        }
        summary
    }

    fn worker(&self) {
        let counters = self.shared.counters();
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&row) = self.rows.get(next) else {
                return;
            };
            if self.shared.is_over() {
                return self.left_over();
            }
            let mut observer = ();
            let mut search = Search::new(self.program, self.shared, &mut observer);
            search.unit(&self.units[row]);
            let summary = search.summary;
            counters
                .schedules
                .fetch_add(summary.schedules, Ordering::Relaxed);
            counters.states.fetch_add(summary.states, Ordering::Relaxed);
            counters.units.fetch_add(1, Ordering::Relaxed);
            self.done(row, summary);
        }
    }

    fn done(&self, row: usize, summary: Summary) {
        let mut progress = locked(&self.progress);
        if self.shared.is_over() {
            return progress.cut.add(summary);
        }
        progress.done.done.push(row);
        progress.done.summary.add(summary);
        let is_due = self.saves && progress.saved.elapsed() >= SAVE_EVERY;
        if is_due && self.shared.settings.reduction != Reduction::States {
            (self.save)(&progress.done);
            progress.saved = Instant::now();
        }
    }

    /// Some units are not explored: whatever ended the search says why, unless nobody could.
    fn left_over(&self) {
        let mut progress = locked(&self.progress);
        if progress.cut.limits.is_empty() {
            progress.cut.limit(Limit::Schedules);
        }
    }
}
