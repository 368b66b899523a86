//! `heddle explore`: every schedule of a program that can differ.

mod checkpoint;
mod confirm;
pub mod merge;
pub mod narrative;
#[cfg(unix)]
mod native;
pub mod options;
mod progress;
mod search;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_core::{Finding, OrderError, Outcome};
use heddle_explore::{Found, Limit, Schedule, Until, Verdict};
use heddle_lang::{Program, TaskProgram};
use heddle_report::{Confirmed, Exploration, Problem, Report};

use crate::arguments::Format;
use crate::check::problems;
use crate::console::Console;
use crate::input::{self, Input};
use crate::program::Silent;
use crate::progress::Progress;
use crate::results::{Results, Wanted};
use crate::status::{Status, guarded};
use confirm::{Judge, graph};
use options::ExploreOptions;

/// The whole command.
pub fn run(options: &ExploreOptions) -> Status {
    let wanted = Wanted {
        show: options.show.clone(),
        max_findings: options.max_findings,
        expect: options.expect,
        files: options.files.len(),
    };
    let results = match Results::new(options.color, wanted) {
        Ok(results) => results,
        Err(problem) => {
            Console::new(options.color).problems(&[problem]);
            return Status::Error;
        }
    };
    let mut explorer = Explorer {
        options,
        results,
        stop: search::stop_flag(),
    };
    match explorer.usage_problem() {
        Some(problem) => explorer.results.fail(&[problem]),
        #[cfg(unix)]
        None if !options.command.is_empty() => {
            native::explore(options, &explorer.stop, &mut explorer.results.console)
        }
        None => explorer.all(),
    }
}

struct Explorer<'a> {
    options: &'a ExploreOptions,
    results: Results,
    stop: Arc<AtomicBool>,
}

impl Explorer<'_> {
    /// What the table of flags cannot say.
    fn usage_problem(&self) -> Option<Problem> {
        let options = self.options;
        if cfg!(not(unix)) && !options.command.is_empty() {
            return Some(Problem::plain("native programs cannot be explored here"));
        }
        let alone = [
            (options.replay.is_some(), "--replay"),
            (options.checkpoint.is_some(), "--checkpoint"),
            (options.shard.is_some(), "--shard"),
        ];
        let mut given = alone.into_iter().filter(|(given, _)| *given);
        let first = given.next();
        if let Some((_, flag)) = first
            && options.files.len() > 1
        {
            return Some(Problem::plain(format!("{flag} needs a single program")));
        }
        None
    }

    fn all(&mut self) -> Status {
        let mut worst = Status::Clean;
        for path in &self.options.files {
            worst = worst.max(guarded(|| self.file(path)));
        }
        self.results.end(worst)
    }

    fn file(&mut self, path: &Path) -> Status {
        let name = input::shown(path);
        let text = match input::read(path) {
            Err(problem) => return self.results.fail(&[problem]),
            Ok(Input::Recorded(..)) => {
                let problem = format!("{name}: a recorded run is one schedule");
                let help = "explore the program it was recorded from".to_owned();
                return self
                    .results
                    .fail(&[Problem::plain(problem).help(Some(help))]);
            }
            Ok(Input::Program(text)) => text,
        };
        let program = match heddle_lang::compile(&name, &text) {
            Ok(program) => program,
            Err(diagnostics) => return self.results.fail(&problems(&name, &text, &diagnostics)),
        };
        if program.features.cuts {
            let problem = format!("{name}: a program with cuts is not explored");
            let problem = Problem::plain(problem)
                .note("exploring tries the orders of critical sections, not those of transactions");
            let help = format!(
                "heddle check {name} says which cuts can be seen, for all schedules that keep these accesses; \
                 without its cuts the program can be explored"
            );
            return self.results.fail(&[problem.help(Some(help))]);
        }
        let outcome = match &self.options.replay {
            // What is found is confirmed by the engine.
            _ if !heddle_check::has_room() => {
                Err(crate::order::problem(&name, OrderError::NoAddressSpace))
            }
            Some(schedule) => self.replay(&name, &program, schedule),
            None => self.program(&name, path, &program),
        };
        match outcome {
            Ok(report) => self.show(&name, &text, report),
            Err(problem) => self.results.fail(&[problem]),
        }
    }

    fn show(&mut self, name: &str, source: &str, report: Report) -> Status {
        let sources = &mut self.results.collected.sources;
        sources.insert(name.to_owned(), source.to_owned());
        self.results.collected.graphs.push(None);
        let fault = report.error.clone();
        let status = match self.options.expect {
            true => {
                self.results
                    .compare((name, source), ("explore", |lines| lines.explore), &report)
            }
            false => self.results.print(&report),
        };
        match fault {
            Some(problem) => self.results.fail(&[problem]),
            None => status,
        }
    }

    /// Explores one program.
    fn program(&self, name: &str, path: &Path, program: &Program) -> Result<Report, Problem> {
        let begin = Instant::now();
        let features = program.features;
        if !features.excludes() && !features.choices {
            let checked = self.checked(name, program);
            return Ok(self.deterministic(name, program, &checked, begin));
        }
        let runs = TaskProgram::new(program).stopped_by(Arc::clone(&self.stop));
        let (reduction, mut summary) =
            search::explore(name, path, &runs, self.options, &self.stop)?;
        // Every way leads back to a state that was there before: the program never ends.
        if summary.schedules == 0 && summary.is_complete() && self.options.shard.is_none() {
            summary.limit(Limit::Length);
        }
        let command = |schedule: &Schedule| command(name, schedule);
        let stop = Arc::clone(&self.stop);
        let judge = Self::judge(&stop, program, &runs, &command);
        let mut found = judge.confirmed(&summary);
        let has_race = |found: &Found| matches!(found.verdict, Verdict::Race(_));
        let first = judge.first();
        if let Some(first) = &first
            && summary.found.iter().any(has_race)
        {
            judge.add_certain(&mut found, first);
        }
        let is_deterministic = summary.transitions == 0 && summary.is_complete();
        let exploration = Exploration {
            reduction: match is_deterministic {
                true => "deterministic".into(),
                false => reduction.into(),
            },
            schedules: summary.schedules,
            states: summary.states,
            transitions: summary.transitions,
            complete: summary.is_complete(),
            limits: summary
                .limits
                .iter()
                .map(|limit| phrase(*limit).into())
                .collect(),
            refuted: match summary.is_complete() && self.options.shard.is_none() {
                true => first.map_or(Vec::new(), |first| judge.refuted(&first, &found)),
                false => Vec::new(),
            },
            shard: self.options.shard.map(|shard| shard.to_string()),
            elapsed: begin.elapsed(),
        };
        let legend = &program.legend;
        let mut report =
            Report::explored(name, legend, features, &found, exploration, self.settings());
        if features.atomics {
            let gap = "atomicity of the variables declared atomic (heddle check)";
            report.not_covered.push(gap.into());
        }
        Ok(report)
    }

    fn settings(&self) -> heddle_report::Settings<'_> {
        self.results
            .settings(heddle_report::Strictness::CertainOnly)
    }

    /// What one run of a program without choices tells.
    fn checked(&self, name: &str, program: &Program) -> Outcome {
        let _progress = Progress::start(format!("checking {name}"));
        graph(&mut Silent::new(program))
    }

    /// A program in which no schedule differs: one run is a proof.
    fn deterministic(
        &self,
        name: &str,
        program: &Program,
        checked: &Outcome,
        begin: Instant,
    ) -> Report {
        let subject = heddle_report::Subject {
            program: name,
            outcome: checked,
            legend: &program.legend,
            features: program.features,
            unchecked: match program.features.atomics {
                true => heddle_report::Unchecked::Atomicity,
                false => heddle_report::Unchecked::Nothing,
            },
        };
        let mut report = Report::new(subject, self.settings());
        report.exploration = Some(Exploration {
            reduction: "deterministic".into(),
            schedules: 1,
            states: 1,
            transitions: 0,
            complete: true,
            limits: Vec::new(),
            refuted: Vec::new(),
            shard: self.options.shard.map(|shard| shard.to_string()),
            elapsed: begin.elapsed(),
        });
        report
    }

    fn judge<'j>(
        stop: &'j AtomicBool,
        program: &'j Program,
        runs: &'j TaskProgram,
        command: &'j dyn Fn(&Schedule) -> String,
    ) -> Judge<'j, TaskProgram> {
        Judge {
            runs,
            features: program.features,
            legend: &program.legend,
            value: |run, at| run.values().get(at.0 as usize).copied(),
            command,
            stop,
        }
    }

    /// Runs one schedule and tells it step by step.
    fn replay(
        &mut self,
        name: &str,
        program: &Program,
        schedule: &Schedule,
    ) -> Result<Report, Problem> {
        let runs = TaskProgram::new(program).stopped_by(Arc::clone(&self.stop));
        let command = |schedule: &Schedule| command(name, schedule);
        let stop = Arc::clone(&self.stop);
        let judge = Self::judge(&stop, program, &runs, &command);
        let (replay, steps) = judge.play(schedule, Until::end());
        let mut replay = replay.map_err(|diverged| {
            Problem::plain(format!("{name}: {diverged}")).help(Some(
                "was the program changed since the schedule was found?".into(),
            ))
        })?;
        let outcome = graph(&mut replay);
        if self.options.show.format == Format::Text && !self.options.expect {
            let resolver = |task| heddle_report::task_phrase(&outcome, &program.legend, task);
            let mut text = format!("schedule {schedule}\n");
            for (number, step) in (1..).zip(&steps) {
                text += &format!("{number:>4}  {} {}\n", resolver(step.task), step.text);
            }
            self.results.console.paragraph(&(text + "\n"));
        }
        let one = |finding: &Finding| Confirmed {
            outcome: Outcome {
                findings: vec![finding.clone()],
                fault: None,
                ..outcome.clone()
            },
            replay: judge.command(schedule),
            steps: match self.options.show.format {
                Format::Text => Vec::new(),
                _ => steps.clone(),
            },
        };
        let mut found: Vec<Confirmed> = outcome.findings.iter().map(one).collect();
        if outcome.fault.is_some() {
            found.push(Confirmed {
                outcome: Outcome {
                    findings: Vec::new(),
                    ..outcome.clone()
                },
                replay: judge.command(schedule),
                steps: Vec::new(),
            });
        }
        let exploration = Exploration {
            reduction: "replay".into(),
            schedules: 1,
            states: steps.len() as u64 + 1,
            transitions: steps.len() as u64,
            complete: false,
            limits: Vec::new(),
            refuted: Vec::new(),
            shard: None,
            elapsed: std::time::Duration::ZERO,
        };
        let mut report = Report::explored(
            name,
            &program.legend,
            program.features,
            &found,
            exploration,
            self.settings(),
        );
        report.exploration = None;
        Ok(report)
    }
}

/// The command that replays a schedule of this file.
fn command(name: &str, schedule: &Schedule) -> String {
    format!("heddle explore {} --replay {schedule}", quoted(name))
}

/// A word as a shell takes it.
/// The word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What stopped a search, for "stopped by ...".
fn phrase(limit: Limit) -> &'static str {
    match limit {
        Limit::Schedules => "--max-schedules",
        Limit::Time => "--max-time",
        Limit::Preemptions => "--preemptions",
        Limit::Length => "a run that goes on for too long",
        Limit::Interrupted => "an interrupt",
        Limit::Found => "a finding",
    }
}
