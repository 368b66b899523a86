//! How to explore, and what came of it.

use super::findings::{self, FEATURES, Judge};
use super::narrative;
use super::program::RustProgram;
use super::progress;
use crate::context;
use crate::sites::Caller;
use heddle_explore::{
    Counters, Found, Limit, Reduction, Schedule, Settings, Summary, Work, minimise, replay,
};
use heddle_report::Finding;
use std::fmt;
use std::panic::Location;
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
/// With `HEDDLE_REPLAY` set to a schedule, as reports print it, only that one is run, and told step by step on the
/// error stream.
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
}

/// What an exploration found.
///
/// Its [`Display`](fmt::Display) is the full report.
#[derive(Clone, Debug)]
pub struct Exploration {
    found: Vec<Explored>,
    summary: Summary,
    elapsed: Duration,
    at: Caller,
}

/// A finding and the schedule that shows it.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What was found.
    pub finding: Finding,
    /// As `HEDDLE_REPLAY` takes it.
    pub schedule: String,
    pub(super) text: String,
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

    /// Promises that what tasks and isolated sections without a result see is not kept in anything but shared values: not
    /// in a variable that they borrow, a `Cell`, an atomic of the standard library. Then [`Reduction::States`] forgets
    /// what they saw, and has fewer states to tell apart. If the promise is broken, schedules that differ may be left out.
    ///
    /// ```
    /// use heddle::{Explorer, Reduction, Shared, finish, isolated};
    /// let explorer = Explorer::new().reduction(Reduction::States).nothing_is_kept();
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
    pub fn nothing_is_kept(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// Explores.
    ///
    /// # Panics
    /// Inside of a check or another exploration, if `HEDDLE_REPLAY` is no schedule, and if the body uses what cannot be
    /// explored: threads, channels, barriers, condition variables.
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
        let begin = Instant::now();
        let mut program = RustProgram::new(&body, self.forgets, false);
        let mut exploration = match replayed() {
            Some(schedule) => tell(&program, &schedule, at),
            None => {
                let mut summary = self.search(&program);
                if program.common.tried.load(Ordering::Relaxed) {
                    program = RustProgram::new(&body, self.forgets, true);
                    summary = self.search(&program);
                }
                refused(&program);
                let found = self.found(&program, &summary, at);
                Exploration {
                    found,
                    summary,
                    elapsed: Duration::ZERO,
                    at,
                }
            }
        };
        exploration.elapsed = begin.elapsed();
        exploration
    }

    fn search<F: Fn() + Sync>(&self, program: &RustProgram<F>) -> Summary {
        let stop = &program.common.stop;
        let counters = Counters::default();
        let work = Work {
            jobs: self.jobs,
            shard: None,
            resume: None,
            saves: false,
        };
        progress::shown(&counters, || {
            heddle_explore::explore_units(program, &self.settings, work, stop, &counters, &|_| ())
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
                let again = replay(program, &found.schedule, FEATURES, usize::MAX, |_| ());
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
    let shown = replay(program, &found.schedule, FEATURES, usize::MAX, |_| ());
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
    let played = replay(program, schedule, FEATURES, usize::MAX, |played| {
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
        elapsed: Duration::ZERO,
        at,
    }
}

impl Exploration {
    /// Whether nothing was found.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).is_clean());
    /// ```
    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// # Panics
    /// If something was found, with the full report.
    ///
    /// ```should_panic
    /// heddle::explore(|| panic!("always")).assert_clean();
    /// ```
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean(), "\n{self}");
    }

    /// What was found.
    ///
    /// ```
    /// let found = heddle::explore(|| panic!("always"));
    /// assert_eq!(found.findings().len(), 1);
    /// ```
    pub fn findings(&self) -> &[Explored] {
        &self.found
    }

    /// How many schedules were run to their end.
    ///
    /// ```
    /// assert_eq!(heddle::explore(|| ()).schedules(), 1);
    /// ```
    pub fn schedules(&self) -> u64 {
        self.summary.schedules
    }

    /// How many choice points were entered, ends included.
    ///
    /// ```
    /// assert_eq!(heddle::explore(|| ()).states(), 1);
    /// ```
    pub fn states(&self) -> u64 {
        self.summary.states
    }

    /// Whether every schedule that can differ was run.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).is_complete());
    /// ```
    pub fn is_complete(&self) -> bool {
        self.summary.is_complete()
    }

    /// How long it took.
    ///
    /// ```
    /// assert!(heddle::explore(|| ()).elapsed() > std::time::Duration::ZERO);
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.found {
            f.write_str(&found.text)?;
            writeln!(f, "replay: HEDDLE_REPLAY={} <this test>\n", found.schedule)?;
        }
        let result = match self.found.len() {
            0 => "clean".to_owned(),
            1 => "1 finding".to_owned(),
            many => format!("{many} findings"),
        };
        writeln!(f, "{}: {result}", self.at.file())?;
        let schedules = findings::plural(self.summary.schedules, "schedule");
        match self.is_complete() {
            true => writeln!(f, "guarantee: all schedules, explored ({schedules})"),
            false => writeln!(f, "guarantee: {schedules}, not all"),
        }
    }
}
