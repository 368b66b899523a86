//! Running the search: how far, on how many threads, from where.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_explore::{
    Checkpoint, Counters, Limit, Program, Reduction, Settings, Summary, Work, explore_units,
};
use heddle_report::Problem;

use super::checkpoint;
use super::options::{ExploreOptions, Reduce};
use super::progress::Watching;

/// Choices that each reduction gets in the first round of `auto`.
const FIRST_ROUND: u64 = 4_000;
/// Choices of one run beyond which `auto` leaves it to the matching of states.
const LONGEST: usize = 400;
/// How much more it gets in the next.
const GROWTH: u64 = 8;

/// Set by Ctrl-C and by a request to terminate; the second time the process ends at once.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without a handler, the signal ends the process: nothing worse.
        let _ = signal_hook::flag::register_conditional_shutdown(
            signal,
            128 + signal,
            Arc::clone(&stop),
        );
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    stop
}

/// Explores as the options say; gives the name of the reduction that did it.
pub fn explore<P: Program>(
    name: &str,
    path: &Path,
    program: &P,
    options: &ExploreOptions,
    stop: &AtomicBool,
) -> Result<(&'static str, Summary), Problem> {
    let counters = Arc::new(Counters::default());
    let _watching = Watching::start(name, &counters);
    let search = Searcher {
        program,
        options,
        stop,
        counters: &counters,
        begin: Instant::now(),
    };
    let resumes = options.shard.is_some() || options.checkpoint.is_some();
    match options.reduction {
        Reduce::None => search.one("none", Reduction::None, path),
        Reduce::Dpor => search.one("dpor", Reduction::Dpor, path),
        Reduce::Auto if !resumes && options.preemptions.is_none() => Ok(search.both()),
        Reduce::States | Reduce::Auto => search.one("states", Reduction::States, path),
    }
}

struct Searcher<'a, P> {
    program: &'a P,
    options: &'a ExploreOptions,
    stop: &'a AtomicBool,
    counters: &'a Counters,
    begin: Instant,
}

impl<P: Program> Searcher<'_, P> {
    fn settings(&self, reduction: Reduction) -> Settings {
        let left = self
            .options
            .max_time
            .map(|most| most.0.saturating_sub(self.begin.elapsed()));
        Settings {
            reduction,
            max_schedules: self.options.max_schedules,
            max_time: left,
            preemptions: self.options.preemptions,
            ..Settings::default()
        }
    }

    fn work(&self) -> Work<'static> {
        Work {
            jobs: match self.options.jobs {
                0 => std::thread::available_parallelism().map_or(1, Into::into),
                jobs => jobs,
            },
            shard: self
                .options
                .shard
                .map(|shard| (shard.index - 1, shard.count)),
            resume: None,
            saves: false,
        }
    }

    fn one(
        &self,
        name: &'static str,
        reduction: Reduction,
        path: &Path,
    ) -> Result<(&'static str, Summary), Problem> {
        let settings = self.settings(reduction);
        let Some(file) = self.options.checkpoint.as_deref() else {
            let summary = self.search(&settings, self.work(), &|_| {});
            return Ok((name, summary));
        };
        let identity = checkpoint::identity(path, self.options)?;
        let before = checkpoint::load(file, &identity, self.program)?;
        let work = Work {
            resume: before.as_ref(),
            saves: true,
            ..self.work()
        };
        let failure = std::sync::Mutex::new(None);
        let summary = self.search(&settings, work, &|done| {
            if let Err(problem) = checkpoint::save(file, &identity, done)
                && let Ok(mut failure) = failure.lock()
            {
                *failure = Some(problem);
            }
        });
        match failure.into_inner() {
            Ok(Some(problem)) => Err(problem),
            _ => Ok((name, summary)),
        }
    }

    fn search(
        &self,
        settings: &Settings,
        work: Work<'_>,
        save: &(dyn Fn(&Checkpoint) + Sync),
    ) -> Summary {
        explore_units(self.program, settings, work, self.stop, self.counters, save)
    }

    /// One reduction is good where sections seldom conflict, the other where states meet again.
    /// Both get a share, then a larger one, until one is done.
    fn both(&self) -> (&'static str, Summary) {
        let mut found = Vec::new();
        let mut share = FIRST_ROUND;
        loop {
            for (name, reduction) in [("dpor", Reduction::Dpor), ("states", Reduction::States)] {
                let settings = Settings {
                    max_transitions: Some(share),
                    // A loop that waits for another task is long here, and short in states.
                    max_choices: match reduction {
                        Reduction::Dpor => LONGEST,
                        _ => Settings::default().max_choices,
                    },
                    ..self.settings(reduction)
                };
                let mut summary = self.search(&settings, self.work(), &|_| {});
                let ran_out = match reduction {
                    Reduction::Dpor => summary.limits.contains(&Limit::Length),
                    _ => false,
                } || summary.limits == [Limit::Schedules]
                    && self
                        .options
                        .max_schedules
                        .is_none_or(|most| summary.schedules < most);
                summary.add(Summary {
                    found,
                    ..Summary::default()
                });
                if !ran_out {
                    return (name, summary);
                }
                found = summary.found;
            }
            share *= GROWTH;
        }
    }
}
