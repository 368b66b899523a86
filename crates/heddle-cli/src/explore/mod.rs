//! `heddle explore`: every schedule of a program that can differ.

mod checkpoint;
pub mod merge;
mod narrative;
pub mod options;
mod progress;
mod search;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_core::{Finding, OrderChoice, Outcome};
use heddle_explore::{Found, Limit, Replay, Schedule, Summary, Verdict, minimise, replay};
use heddle_lang::{Program, TaskProgram};
use heddle_report::json::{self, Layout};
use heddle_report::{Confirmed, Exploration, Problem, Report, Step, text};

use crate::arguments::Format;
use crate::check::{compare_with, problems};
use crate::console::Console;
use crate::input::{self, Input};
use crate::progress::Progress;
use crate::status::{Status, guarded};
use narrative::Places;
use options::ExploreOptions;

/// Findings shown in text unless told otherwise.
const TEXT_LIMIT: usize = 100;
/// Steps of a schedule that a finding lists; a replay lists all.
const STEPS_LISTED: usize = 12;
/// Choices that a replayed run may take.
const MOST_CHOICES: usize = 100_000;
/// Choices of the first schedule beyond which it is not looked at by itself.
const FIRST_CHOICES: usize = 5_000;
/// How long one schedule is made shorter.
const MINIMISE: std::time::Duration = std::time::Duration::from_millis(1500);
/// Schedules that are made shorter; the others are shown as they were found.
const MINIMISED: usize = 20;

/// The whole command.
pub fn run(options: &ExploreOptions) -> Status {
    let mut explorer = Explorer {
        options,
        console: Console::new(options.color),
        stop: search::stop_flag(),
        agreed: 0,
        differed: 0,
    };
    match explorer.usage_problem() {
        Some(problem) => explorer.fail(&[problem]),
        None => explorer.all(),
    }
}

struct Explorer<'a> {
    options: &'a ExploreOptions,
    console: Console,
    stop: Arc<AtomicBool>,
    agreed: usize,
    differed: usize,
}

impl Explorer<'_> {
    /// What the table of flags cannot say.
    fn usage_problem(&self) -> Option<Problem> {
        let options = self.options;
        if !options.command.is_empty() {
            let help = "explore a .task model of it, or use heddle::explore in Rust";
            return Some(
                Problem::plain("native programs cannot be explored yet").help(Some(help.into())),
            );
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
        if self.options.expect && self.options.format == Format::Text {
            let tally = crate::check::tally(self.options.files.len(), self.agreed, self.differed);
            self.console.print(&tally);
        }
        match self.console.failure() {
            Some(problem) => self.fail(&[problem]),
            None => worst,
        }
    }

    fn fail(&self, problems: &[Problem]) -> Status {
        self.console.problems(problems);
        Status::Error
    }

    fn file(&mut self, path: &Path) -> Status {
        let name = input::shown(path);
        let text = match input::read(path) {
            Err(problem) => return self.fail(&[problem]),
            Ok(Input::Recorded(..)) => {
                let problem = format!("{name}: a recorded run is one schedule");
                let help = "explore the program it was recorded from".to_owned();
                return self.fail(&[Problem::plain(problem).help(Some(help))]);
            }
            Ok(Input::Program(text)) => text,
        };
        let program = match heddle_lang::compile(&name, &text) {
            Ok(program) => program,
            Err(diagnostics) => return self.fail(&problems(&name, &text, &diagnostics)),
        };
        if program.features.cuts {
            let problem = format!("{name}: transactions (cut) are not explored");
            return self.fail(&[Problem::plain(problem)]);
        }
        let outcome = match &self.options.replay {
            Some(schedule) => self.replay(&name, &program, schedule),
            None => self.program(&name, path, &program),
        };
        match outcome {
            Ok(report) => self.show(&name, &text, report),
            Err(problem) => self.fail(&[problem]),
        }
    }

    fn show(&mut self, name: &str, source: &str, mut report: Report) -> Status {
        let fault = report.error.clone();
        if self.options.format == Format::Text {
            report.error = None;
        }
        let status = match self.options.expect {
            true => self.compare(name, source, &report),
            false => self.print(&report),
        };
        match fault {
            Some(problem) => self.fail(&[problem]),
            None => status,
        }
    }

    fn print(&mut self, report: &Report) -> Status {
        match self.options.format {
            Format::Text => {
                let colour = self.console.results();
                self.console.paragraph(&text::render(report, colour));
            }
            Format::Json => {
                let layout = self.layout();
                self.console
                    .print_with(|out| json::write(report, layout, out));
            }
        }
        report.verdict.into()
    }

    fn layout(&self) -> Layout {
        match self.options.files.len() {
            1 => Layout::Pretty,
            _ => Layout::Line,
        }
    }

    fn compare(&mut self, name: &str, source: &str, report: &Report) -> Status {
        let expected = match heddle_lang::expectations(source) {
            Ok(expected) => expected.explore,
            Err(diagnostics) => return self.fail(&problems(name, source, &diagnostics)),
        };
        let Some(expected) = expected else {
            let problem = Problem::plain(format!("{name}: there is nothing to compare with"));
            let help = "say in a leading comment what must be found: // explore: clean";
            return self.fail(&[problem.help(Some(help.into()))]);
        };
        let layout = self.layout();
        let as_expected = compare_with(
            &mut self.console,
            self.options.format,
            layout,
            (name, &expected, report),
        );
        match as_expected {
            true => {
                self.agreed += 1;
                Status::Clean
            }
            false => {
                self.differed += 1;
                Status::Findings
            }
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
        let (reduction, summary) = search::explore(name, path, &runs, self.options, &self.stop)?;
        let mut found = self.confirmed(name, program, &runs, &summary);
        let has_race = |found: &Found| matches!(found.verdict, Verdict::Race(_));
        let first = self.first(program, &runs);
        if let Some(first) = &first
            && summary.found.iter().any(has_race)
        {
            add_certain(&mut found, first, name);
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
                true => first.map_or(Vec::new(), |first| refuted(program, &first, &found)),
                false => Vec::new(),
            },
            shard: self.options.shard.map(|shard| shard.to_string()),
            elapsed: begin.elapsed(),
        };
        let legend = &program.legend;
        let mut report =
            Report::explored(name, legend, features, &found, exploration, self.limit());
        if features.atomics {
            let gap = "atomicity of the variables declared atomic (heddle check)";
            report.not_covered.push(gap.into());
        }
        Ok(report)
    }

    fn limit(&self) -> Option<usize> {
        match (self.options.max_findings, self.options.format) {
            _ if self.options.expect => None,
            (Some(0), _) | (None, Format::Json) => None,
            (None, Format::Text) => Some(TEXT_LIMIT),
            (Some(limit), _) => Some(limit),
        }
    }

    /// What one run of a program without choices tells.
    fn checked(&self, name: &str, program: &Program) -> Outcome {
        let _progress = Progress::start(format!("checking {name}"));
        let mut run = Once {
            code: heddle_lang::machine::Code::new(program),
            features: program.features,
        };
        graph(&mut run)
    }

    /// What the first schedule tells by itself, if it comes to its end.
    fn first(&self, program: &Program, runs: &TaskProgram) -> Option<Outcome> {
        let first = Schedule::default();
        let run = replay(runs, &first, program.features, FIRST_CHOICES, |_| {}).ok()?;
        run.is_over().then(|| graph(&mut run.plain()))
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
        let settings = heddle_report::Settings {
            limit: self.limit(),
            ..heddle_report::Settings::default()
        };
        let mut report = Report::new(subject, settings);
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

    /// Every finding with the run that shows it, judged by the engine.
    fn confirmed(
        &self,
        name: &str,
        program: &Program,
        runs: &TaskProgram,
        summary: &Summary,
    ) -> Vec<Confirmed> {
        let mut confirmed = Vec::new();
        for (row, found) in summary.found.iter().enumerate() {
            let found = match row < MINIMISED {
                true => self.shortest(program, runs, found),
                false => found.clone(),
            };
            let (replay, mut steps) = play(program, runs, &found.schedule);
            let Ok(mut replay) = replay else {
                continue;
            };
            if let Some(outcome) = outcome_of(&mut replay, &found.verdict) {
                steps.truncate(last_step(&found, steps.len()));
                confirmed.push(Confirmed {
                    outcome,
                    replay: command(name, &found.schedule),
                    steps: listed(steps),
                });
            }
        }
        confirmed
    }

    fn shortest(&self, program: &Program, runs: &TaskProgram, found: &Found) -> Found {
        let (Ok(first), _) = play(program, runs, &found.schedule) else {
            return found.clone();
        };
        minimise(runs, found, first.preemptions, MINIMISE, &self.stop)
    }

    /// Runs one schedule and tells it step by step.
    fn replay(
        &mut self,
        name: &str,
        program: &Program,
        schedule: &Schedule,
    ) -> Result<Report, Problem> {
        let runs = TaskProgram::new(program).stopped_by(Arc::clone(&self.stop));
        let (replay, steps) = play(program, &runs, schedule);
        let mut replay = replay.map_err(|diverged| {
            Problem::plain(format!("{name}: {diverged}")).help(Some(
                "was the program changed since the schedule was found?".into(),
            ))
        })?;
        let outcome = judged(&mut replay);
        if self.options.format == Format::Text && !self.options.expect {
            let resolver = |task| heddle_report::task_phrase(&outcome, &program.legend, task);
            let mut text = format!("schedule {schedule}\n");
            for (number, step) in (1..).zip(&steps) {
                text += &format!("{number:>4}  {} {}\n", resolver(step.task), step.text);
            }
            self.console.paragraph(&(text + "\n"));
        }
        let one = |finding: &Finding| Confirmed {
            outcome: Outcome {
                findings: vec![finding.clone()],
                fault: None,
                ..outcome.clone()
            },
            replay: command(name, schedule),
            steps: match self.options.format {
                Format::Text => Vec::new(),
                Format::Json => steps.clone(),
            },
        };
        let mut found: Vec<Confirmed> = outcome.findings.iter().map(one).collect();
        if outcome.fault.is_some() {
            found.push(Confirmed {
                outcome: Outcome {
                    findings: Vec::new(),
                    ..outcome.clone()
                },
                replay: command(name, schedule),
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
            self.limit(),
        );
        report.exploration = None;
        Ok(report)
    }
}

/// Runs the schedule, and puts its steps into words.
fn play(
    program: &Program,
    runs: &TaskProgram,
    schedule: &Schedule,
) -> (Result<Replay, heddle_explore::Diverged>, Vec<Step>) {
    let mut places = Places::default();
    let mut steps = Vec::new();
    let legend = &program.legend;
    let replay = replay(runs, schedule, program.features, MOST_CHOICES, |played| {
        for &event in played.events {
            places.on(event);
        }
        if let Some(choice) = played.choice {
            let values = played.run.values();
            let value = |at: heddle_core::Location| values.get(at.0 as usize).copied();
            steps.push(narrative::step(
                choice,
                played.events,
                &places,
                value,
                legend,
            ));
        }
    });
    (replay, steps)
}

/// How many steps there are up to the one that shows the finding.
fn last_step(found: &Found, steps: usize) -> usize {
    match found.verdict {
        Verdict::Deadlock { .. } => steps,
        _ => steps.min(found.schedule.len().max(1) + 2),
    }
}

fn listed(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > STEPS_LISTED {
        let more = steps.len() - STEPS_LISTED;
        steps.truncate(STEPS_LISTED);
        if let Some(last) = steps.last_mut() {
            last.text += &format!("; {more} more steps with --replay");
        }
    }
    steps
}

fn judged(replay: &mut Replay) -> Outcome {
    graph(replay)
}

/// What the engine says of a run.
fn graph<R: heddle_core::Run>(run: &mut R) -> Outcome {
    let outcome = heddle_core::check(run, OrderChoice::Graph);
    outcome.unwrap_or_else(|_| unreachable!("the graph orders every program"))
}

/// The outcome of the run with nothing in it but the verdict; nothing if the engine does not see it.
fn outcome_of(replay: &mut Replay, verdict: &Verdict) -> Option<Outcome> {
    let mut outcome = judged(replay);
    let findings = std::mem::take(&mut outcome.findings);
    let fault = outcome.fault.take();
    match verdict {
        Verdict::Fault { site, message } => {
            outcome.fault = fault.or(Some((*site, *message)));
            return Some(outcome);
        }
        Verdict::Race(race) => {
            let is_there = |finding: &&Finding| match finding {
                Finding::Race { place, .. } => {
                    replay.location(heddle_core::Location(place.location)) == race.location
                }
                _ => false,
            };
            let same_sites = |finding: &&Finding| match finding {
                Finding::Race { accesses, .. } => {
                    let sites = [accesses[0].site, accesses[1].site];
                    sites.contains(&race.sites[0]) && sites.contains(&race.sites[1])
                }
                _ => false,
            };
            let there: Vec<&Finding> = findings.iter().filter(is_there).collect();
            let best = there.iter().copied().find(|finding| same_sites(finding));
            outcome
                .findings
                .extend(best.or(there.first().copied()).cloned());
        }
        Verdict::Assertion { site } => {
            let is_it = |finding: &&Finding| matches!(finding, Finding::Assertion { site: at, .. } if at == site);
            outcome
                .findings
                .extend(findings.iter().find(is_it).cloned());
        }
        Verdict::Deadlock { .. } => {
            let is_it = |finding: &&Finding| matches!(finding, Finding::Deadlock { .. });
            outcome
                .findings
                .extend(findings.iter().find(is_it).cloned());
        }
    }
    (!outcome.findings.is_empty()).then_some(outcome)
}

fn command(name: &str, schedule: &Schedule) -> heddle_report::Replay {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let file = match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', "'\\''")),
    };
    heddle_report::Replay {
        schedule: schedule.to_string(),
        command: format!("heddle explore {file} --replay {schedule}"),
    }
}

/// In a program with races, values that races decide are not all tried; what one run called
/// certain is certain all the same.
fn add_certain(found: &mut Vec<Confirmed>, checked: &Outcome, name: &str) {
    for finding in &checked.findings {
        let Finding::Race {
            certainty: heddle_core::Certainty::Certain,
            place,
            ..
        } = finding
        else {
            continue;
        };
        let same = |other: &Finding| match other {
            Finding::Race { place: at, .. } => (at.name, at.index) == (place.name, place.index),
            _ => false,
        };
        let mut known = found
            .iter()
            .flat_map(|confirmed| &confirmed.outcome.findings);
        if known.any(same) {
            continue;
        }
        found.push(Confirmed {
            outcome: Outcome {
                findings: vec![finding.clone()],
                fault: None,
                ..checked.clone()
            },
            replay: heddle_report::Replay {
                schedule: "-".into(),
                command: format!("heddle explore {name} --replay -"),
            },
            steps: Vec::new(),
        });
    }
}

/// The possible findings of one run that no schedule shows.
fn refuted(program: &Program, checked: &Outcome, found: &[Confirmed]) -> Vec<String> {
    let mut refuted = Vec::new();
    for finding in &checked.findings {
        let Finding::Race {
            certainty: heddle_core::Certainty::Possible,
            place,
            ..
        } = finding
        else {
            continue;
        };
        let same = |other: &Finding| match other {
            Finding::Race { place: at, .. } => (at.name, at.index) == (place.name, place.index),
            _ => false,
        };
        let mut known = found
            .iter()
            .flat_map(|confirmed| &confirmed.outcome.findings);
        if !known.any(same) {
            let name = place
                .name
                .and_then(|name| program.legend.name(name))
                .unwrap_or("?");
            let name = match place.index {
                Some(index) => format!("{name}[{index}]"),
                None => name.to_owned(),
            };
            let text = format!("the race on {name} that heddle check calls possible");
            if !refuted.contains(&text) {
                refuted.push(text);
            }
        }
    }
    refuted
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

/// A program run by itself, in silence.
struct Once {
    code: heddle_lang::machine::Code,
    features: heddle_core::Features,
}

impl heddle_core::Run for Once {
    fn features(&self) -> heddle_core::Features {
        self.features
    }

    fn run<L: heddle_core::Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}
