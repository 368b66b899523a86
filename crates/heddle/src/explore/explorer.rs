//! How to explore.

use super::exploration::{Exploration, Explored};
use super::findings::{FEATURES, Judge};
use super::parts::{self, File, Shard};
use super::program::RustProgram;
use super::{interrupt, narrative, progress};
use crate::context;
use crate::sites::Caller;
use heddle_explore::{
    Counters, Found, Limit, Reduction, Schedule, Settings, Summary, Until, Work, minimise, replay,
};
use std::panic::Location;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a schedule with fewer switches is looked for.
const SIMPLER: Duration = Duration::from_secs(1);

/// Runs `body` once for each schedule that can differ, and reports what goes wrong in any of them: races,
/// panics (failed assertions), deadlocks.
///
/// The same as [`Explorer::new().explore(body)`](Explorer::explore).
///
/// ```
/// use heddle::{Shared, explore, finish, isolated};
///
/// let exploration = explore(|| {
///     let count = Shared::new(0);
///     finish(|s| {
///         for _ in 0..2 {
///             s.spawn(|_| {
///                 let seen = isolated(|| count.get());
///                 isolated(|| count.set(seen + 1)); // the other may have come in between
///             });
///         }
///     });
///     assert_eq!(count.get(), 2);
/// });
/// assert!(!exploration.is_clean());
/// ```
#[track_caller]
pub fn explore<F: Fn() + Sync>(body: F) -> Exploration {
    Explorer::new().explore(body)
}

/// How to explore. What tasks share is to be made inside of the body, which is run many times.
///
/// Variables of the environment:
///
/// - `HEDDLE_REPLAY` set to a schedule, as reports print it: only that one is run, and told step by step on the
///   error stream;
/// - `HEDDLE_SHARD` set to `I/N`: as [`shard`](Self::shard), where the program does not say otherwise;
/// - `HEDDLE_RESULTS` set to a folder: every exploration leaves its result there, for `heddle merge`.
///
/// The first Ctrl-C ends an exploration: it says what was covered, and the process ends. The second one ends the process at
/// once.
///
/// ```
/// use heddle::{Explorer, Mutex, join};
///
/// let exploration = Explorer::new().max_schedules(1000).explore(|| {
///     let (a, b) = (Mutex::named("a", 0), Mutex::named("b", 0));
///     join(
///         || *a.lock().unwrap() += *b.lock().unwrap(),
///         || *b.lock().unwrap() += *a.lock().unwrap(),
///     );
/// });
/// assert!(exploration.to_string().contains("deadlock"));
/// ```
#[derive(Clone, Debug)]
#[must_use = "an explorer does nothing until `explore` is called"]
pub struct Explorer {
    settings: Settings,
    jobs: usize,
    forgets: bool,
    shard: Option<Shard>,
    checkpoint: Option<PathBuf>,
}

impl Explorer {
    /// All schedules, without any bound.
    ///
    /// ```
    /// assert!(heddle::Explorer::new().explore(|| ()).is_complete());
    /// ```
    pub fn new() -> Self {
        Self {
            settings: Settings {
                reduction: Reduction::Dpor,
                ..Settings::default()
            },
            jobs: 1,
            forgets: false,
            shard: None,
            checkpoint: None,
        }
    }

    /// How schedules that cannot differ are left out; by default only orders of sections that conflict
    /// are told apart. What is found is the same.
    ///
    /// ```
    /// use heddle::{Explorer, Reduction, isolated, join};
    /// let explorer = Explorer::new().reduction(Reduction::None);
    /// let all = explorer.explore(|| { join(|| isolated(|| ()), || isolated(|| ())); });
    /// assert_eq!(all.schedules(), 2);
    /// ```
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.settings.reduction = reduction;
        self
    }

    /// Stops after so many schedules.
    ///
    /// ```
    /// use heddle::{Explorer, Shared, isolated, join};
    /// let some = Explorer::new().max_schedules(1).explore(|| {
    ///     let x = Shared::new(0);
    ///     join(|| isolated(|| x.set(1)), || isolated(|| x.set(2)));
    /// });
    /// assert!(!some.is_complete());
    /// ```
    pub fn max_schedules(mut self, most: u64) -> Self {
        self.settings.max_schedules = Some(most);
        self
    }

    /// Stops after so long.
    ///
    /// ```
    /// use std::time::Duration;
    /// heddle::Explorer::new().max_time(Duration::from_secs(5)).explore(|| ()).assert_clean();
    /// ```
    pub fn max_time(mut self, most: Duration) -> Self {
        self.settings.max_time = Some(most);
        self
    }

    /// Leaves out schedules that switch away more often than this from a task that could go on.
    ///
    /// ```
    /// heddle::Explorer::new().preemptions(2).explore(|| ()).assert_clean();
    /// ```
    pub fn preemptions(mut self, most: u32) -> Self {
        self.settings.preemptions = Some(most);
        self
    }

    /// Explores on so many threads; what is found is the same.
    ///
    /// ```
    /// use heddle::{Explorer, Mutex, par_for};
    /// let body = || {
    ///     let sum = Mutex::new(0);
    ///     par_for(0..4, |i| *sum.lock().unwrap() += i);
    /// };
    /// let (one, two) = (Explorer::new().explore(body), Explorer::new().jobs(2).explore(body));
    /// assert_eq!(one.is_clean(), two.is_clean());
    /// ```
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Explores part `index` of `count`, from 1 on. The parts are the same in every process and need not know of each other:
    /// run them anywhere, and put their results ([`Exploration::to_json`], or `HEDDLE_RESULTS`) together by `heddle merge`.
    ///
    /// ```
    /// use heddle::{Explorer, Reduction, Shared, finish, isolated};
    /// let explorer = Explorer::new().reduction(Reduction::None);
    /// let part = |index| explorer.clone().shard(index, 2).explore(|| {
    ///     let count = Shared::new(0);
    ///     finish(|s| (0..4).for_each(|_| s.spawn(|_| isolated(|| count.add(1)))));
    /// });
    /// assert_eq!(part(1).schedules() + part(2).schedules(), 24);
    /// ```
    ///
    /// # Panics
    /// If there is no such part.
    pub fn shard(mut self, index: u32, count: u32) -> Self {
        let shard = Shard::new(index, count);
        let shard = shard.unwrap_or_else(|| panic!("there is no part {index} of {count}"));
        self.shard = Some(shard);
        self
    }

    /// Keeps what is done in this file now and then, and goes on from there if it exists: after a bound, after Ctrl-C, after
    /// the process was killed.
    ///
    /// ```
    /// use heddle::{Explorer, Reduction, Shared, finish, isolated};
    /// let file = std::env::temp_dir().join(format!("heddle-checkpoint-{}", std::process::id()));
    /// let explorer = Explorer::new().reduction(Reduction::None).checkpoint(&file);
    /// let body = || {
    ///     let count = Shared::new(0);
    ///     finish(|s| (0..5).for_each(|_| s.spawn(|_| isolated(|| count.add(1)))));
    /// };
    /// // A checkpoint is of one call of `explore`.
    /// let explored = |explorer: Explorer| explorer.explore(body);
    /// assert!(!explored(explorer.clone().max_schedules(50)).is_complete());
    /// assert!(explored(explorer).is_complete());
    /// std::fs::remove_file(file).unwrap();
    /// ```
    pub fn checkpoint(mut self, file: impl Into<PathBuf>) -> Self {
        self.checkpoint = Some(file.into());
        self
    }

    /// Promises that tasks and isolated sections without a result keep what they see in shared values alone: not
    /// in a variable that they borrow, a `Cell`, an atomic of the standard library. Then [`Reduction::States`] forgets
    /// what they saw, and has fewer states to tell apart. If the promise is broken, schedules that differ may be left out.
    ///
    /// ```
    /// use heddle::{Explorer, Reduction, Shared, finish, isolated};
    /// let explorer = Explorer::new().reduction(Reduction::States).assume_no_hidden_state();
    /// let exploration = explorer.explore(|| {
    ///     let count = Shared::new(0);
    ///     finish(|s| {
    ///         for _ in 0..8 {
    ///             s.spawn(|_| isolated(|| count.set(count.get() + 1)));
    ///         }
    ///     });
    ///     assert_eq!(count.get(), 8);
    /// });
    /// exploration.assert_clean();
    /// assert!(exploration.states() <= 256);
    /// ```
    pub fn assume_no_hidden_state(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// Explores.
    ///
    /// # Panics
    /// Inside of a check or another exploration, if `HEDDLE_REPLAY` is no schedule or `HEDDLE_SHARD` no part, if a checkpoint is
    /// of something else, and if the body uses what cannot be explored: threads, channels, barriers, condition variables.
    ///
    /// ```
    /// use heddle::{Explorer, Mutex, join};
    /// Explorer::new()
    ///     .explore(|| {
    ///         let sum = Mutex::new(0);
    ///         join(|| *sum.lock().unwrap() += 1, || *sum.lock().unwrap() += 2);
    ///         assert_eq!(sum.into_inner().unwrap(), 3);
    ///     })
    ///     .assert_clean();
    /// ```
    #[track_caller]
    pub fn explore<F: Fn() + Sync>(&self, body: F) -> Exploration {
        let at = Location::caller();
        assert!(
            !context::is_checked(),
            "explore at {at} inside of a checked task: neither can be nested"
        );
        assert!(
            heddle_check::has_room(),
            "address space for the checker's tables"
        );
        let begin = Instant::now();
        let shard = self.shard.or_else(parts::shard_of_environment);
        let file = self.checkpoint.as_deref().map(|path| {
            let Settings {
                reduction,
                preemptions,
                ..
            } = self.settings;
            let how = format!(
                "{at} {reduction:?} {preemptions:?} {shard:?} {}",
                self.forgets
            );
            File::new(path, &how)
        });
        let mut program = RustProgram::new(&body, self.forgets, false);
        let mut exploration = match replayed() {
            Some(schedule) => tell(&program, &schedule, at),
            None => {
                let tries = file.as_ref().is_some_and(File::has_tried);
                let mut summary = Summary::default();
                if !tries {
                    summary = self.search(&program, shard, file.as_ref());
                }
                if tries || program.common.tried.load(Ordering::Relaxed) {
                    program = RustProgram::new(&body, self.forgets, true);
                    summary = self.search(&program, shard, file.as_ref());
                }
                refused(&program);
                let found = self.found(&program, &summary, at);
                Exploration {
                    found,
                    summary,
                    reduction: self.settings.reduction,
                    shard,
                    elapsed: Duration::ZERO,
                    at,
                }
            }
        };
        exploration.elapsed = begin.elapsed();
        parts::leave(&exploration);
        if exploration.summary.limits.contains(&Limit::Interrupted) {
            interrupt::end(&exploration);
        }
        exploration
    }

    fn search<F: Fn() + Sync>(
        &self,
        program: &RustProgram<F>,
        shard: Option<Shard>,
        file: Option<&File>,
    ) -> Summary {
        let stop = &program.common.stop;
        let counters = Counters::default();
        let tries = program.common.tries;
        let before = file.and_then(|file| file.load(tries, program));
        let work = Work {
            jobs: self.jobs,
            shard: shard.map(Shard::counted_from_zero),
            resume: before.as_ref(),
            saves: file.is_some(),
        };
        let save = |done: &heddle_explore::Checkpoint| {
            // What is done for nothing, because tasks turn out to try locks, is not kept.
            if let Some(file) = file
                && program.common.tried.load(Ordering::Relaxed) == tries
            {
                file.save(tries, done);
            }
        };
        progress::shown(&counters, stop, || {
            heddle_explore::explore_units(program, &self.settings, work, stop, &counters, &save)
        })
    }

    /// What was found, each once and by a schedule with few switches.
    fn found<F: Fn() + Sync>(
        &self,
        program: &RustProgram<F>,
        summary: &Summary,
        at: Caller,
    ) -> Vec<Explored> {
        let mut judge = Judge::new(&program.common.numbers, at);
        for found in &summary.found {
            if judge.is_new(&found.verdict) {
                let found = simpler(program, found);
                let until = Until::shows(&found.verdict);
                let again = replay(program, &found.schedule, FEATURES, until, |_| ());
                // The body is repeatable, so the schedule is one of its own; else nothing can be said.
                if let Ok(again) = again {
                    judge.add(&found.verdict, &found.schedule, again);
                }
            }
        }
        judge.found()
    }
}

impl Default for Explorer {
    fn default() -> Self {
        Self::new()
    }
}

/// The same, shown with as few switches as a short search finds.
fn simpler<F: Fn() + Sync>(program: &RustProgram<F>, found: &Found) -> Found {
    let until = Until::shows(&found.verdict);
    let shown = replay(program, &found.schedule, FEATURES, until, |_| ());
    let switches = shown.map_or(0, |shown| shown.preemptions);
    let stop = AtomicBool::new(false);
    minimise(program, found, switches, SIMPLER, &stop)
}

fn replayed() -> Option<Schedule> {
    let text = std::env::var("HEDDLE_REPLAY").ok()?;
    let text = Some(text).filter(|text| !text.is_empty())?;
    let parsed = text.parse::<Schedule>();
    Some(parsed.unwrap_or_else(|problem| panic!("HEDDLE_REPLAY: {problem}")))
}

/// # Panics
/// If the body does something that cannot be explored.
fn refused<F>(program: &RustProgram<F>) {
    let refused = &program.common.refused;
    let why = refused
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(why) = why {
        panic!("{why}");
    }
}

/// Runs one schedule and tells it on the error stream.
fn tell<F: Fn() + Sync>(program: &RustProgram<F>, schedule: &Schedule, at: Caller) -> Exploration {
    let mut steps = Vec::new();
    let played = replay(program, schedule, FEATURES, Until::end(), |played| {
        steps.push((played.choice, played.events.to_vec()));
    });
    refused(program);
    let played = played.unwrap_or_else(|problem| panic!("HEDDLE_REPLAY: {problem}"));
    let numbers = &program.common.numbers;
    eprint!("{}", narrative::told(numbers, played.events(), &steps));
    let mut judge = Judge::new(numbers, at);
    judge.add_all(schedule, played);
    Exploration {
        found: judge.found(),
        summary: Summary {
            schedules: 1,
            limits: vec![Limit::Schedules],
            ..Summary::default()
        },
        reduction: Reduction::None,
        shard: None,
        elapsed: Duration::ZERO,
        at,
    }
}
