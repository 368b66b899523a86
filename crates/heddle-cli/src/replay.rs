//! `heddle replay`: the races of a `.task` program, executed in both orders.
//!
//! A race is between two strands of which neither comes before the other, so the program can be run with either first. Both
//! runs are made, and what the strands that touch the variable read and write is shown side by side.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use heddle_core::{OrderChoice, Outcome, TaskId};
use heddle_lang::Program;
use heddle_lang::eliminate::{Eliminations, eliminate};
use heddle_lang::machine::{Code, Plan};
use heddle_report::{
    Access, Certainty, Finding, Kind, Problem, Replay, Report, Settings, Subject, Unchecked,
    task_phrase,
};

use crate::arguments::Color;
use crate::check::problems;
use crate::console::Console;
use crate::input::{self, Input};
use crate::order;
use crate::program::Silent;
use crate::status::Status;
use crate::trail::{Path, Touch, Trail};

/// Strands of a schedule that are listed.
const STRANDS: usize = 12;
/// Accesses of a strand that are listed.
const ACCESSES: usize = 6;
/// Values that differ that are listed.
const DIFFERENCES: usize = 6;

/// The flags of `heddle replay`.
#[derive(Args, Debug)]
pub struct ReplayOptions {
    /// A .task program; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Only races with accesses at these positions, as reports print them: 4:16 5:25.
    #[arg(value_name = "POSITION")]
    at: Vec<String>,

    /// When to use colour in error messages.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

/// The whole command.
pub fn run(options: &ReplayOptions) -> Status {
    let mut console = Console::new(options.color);
    let told = replayed(options);
    match told {
        Ok((text, status)) => {
            console.print(&text);
            status
        }
        Err(problems) => {
            console.problems(&problems);
            Status::Error
        }
    }
}

/// Says in each race of a program's report how to see both of its orders.
pub fn offer(report: &mut Report, file: &str) {
    for finding in &mut report.findings {
        if let Some([first, second]) = positions(finding) {
            let file = crate::explore::quoted(file);
            finding.replay = Some(Replay {
                schedule: None,
                command: format!("heddle replay {file} {first} {second}"),
            });
        }
    }
}

fn positions(finding: &Finding) -> Option<[String; 2]> {
    let is_race = finding.kind == Kind::Race && finding.certainty == Certainty::Certain;
    let [first, second] = &finding.accesses[..] else {
        return None;
    };
    let at = |access: &Access| access.position.as_ref().map(ToString::to_string);
    is_race.then_some([at(first)?, at(second)?])
}

fn replayed(options: &ReplayOptions) -> Result<(String, Status), Vec<Problem>> {
    let name = input::shown(&options.file);
    let text = match input::read(&options.file).map_err(|problem| vec![problem])? {
        Input::Program(text) => text,
        Input::Recorded(..) => {
            let message = format!("{name} is a recorded run: only a program can be run again");
            return Err(vec![Problem::plain(message)]);
        }
    };
    let program = heddle_lang::compile(&name, &text)
        .map_err(|diagnostics| problems(&name, &text, &diagnostics))?;
    // As heddle check finds them; the runs in both orders show every access.
    let mut checked = program.clone();
    eliminate(&mut checked, Eliminations::all());
    let outcome = heddle_check::check(&mut Silent::new(&checked), OrderChoice::Auto)
        .map_err(|error| vec![order::problem(&name, error)])?;
    let subject = Subject {
        program: &name,
        outcome: &outcome,
        legend: &program.legend,
        features: program.features,
        unchecked: Unchecked::Nothing,
    };
    let report = Report::new(subject, Settings::default());
    let asked = |finding: &&Finding| {
        let Some(found) = positions(finding) else {
            return false;
        };
        match &options.at[..] {
            [one, other] => found == [&**one, other] || found == [&**other, one],
            at => at.iter().all(|at| found.contains(at)),
        }
    };
    let races: Vec<&Finding> = report.findings.iter().filter(asked).collect();
    if races.is_empty() && !options.at.is_empty() {
        let at = options.at.join(" and ");
        return Err(vec![Problem::plain(format!("{name} has no race at {at}"))]);
    }
    let replayer = Replayer::new(&program, &outcome);
    let mut text = String::new();
    for race in &races {
        replayer.race(race, &mut text);
    }
    Ok(match races.is_empty() {
        true => (format!("{name}: no race to replay\n"), Status::Clean),
        false => (text, Status::Findings),
    })
}

/// Runs one program again and again.
struct Replayer<'a> {
    program: &'a Program,
    code: Code,
    /// The run that the races were found in.
    trail: Trail,
    /// What tasks are called, by how they came to be.
    names: HashMap<Path, String>,
}

/// One run in a given order.
struct Played {
    trail: Trail,
    values: Vec<i64>,
    declared: Vec<i64>,
    is_complete: bool,
}

impl<'a> Replayer<'a> {
    fn new(program: &'a Program, outcome: &Outcome) -> Self {
        let code = Code::new(program);
        let mut trail = Trail::default();
        code.run(&mut trail, &mut |_| {});
        let named = trail.paths().map(|(task, path)| {
            let phrase = task_phrase(outcome, &program.legend, task);
            (path, phrase)
        });
        let names = named.collect();
        Self {
            program,
            code,
            trail,
            names,
        }
    }

    fn race(&self, race: &Finding, text: &mut String) {
        let Some(sides) = self.sides(race) else {
            return;
        };
        let location = race.location.as_deref().unwrap_or_default();
        let _ = writeln!(text, "race: {}", race.message);
        let runs = [[sides[0], sides[1]], [sides[1], sides[0]]].map(|turns| self.play(&turns));
        for (number, (run, first)) in (1..).zip(runs.iter().zip(sides)) {
            let first = self.name(&self.trail.path(first.0));
            let _ = writeln!(text, "  schedule {number}, {first} first:");
            self.strands(run, location, text);
        }
        self.differences(&runs, text);
        text.push('\n');
    }

    /// The strands of the two accesses: task and segment.
    fn sides(&self, race: &Finding) -> Option<[(TaskId, u32); 2]> {
        let [first, second] = &race.accesses[..] else {
            return None;
        };
        let location = race.location.as_deref()?;
        let find = |access: &Access| {
            let mut touches = self.trail.touches.iter();
            let found = touches.find(|touch| {
                let at = self.at(touch);
                let is_there = access.position.as_ref().map(ToString::to_string) == Some(at);
                let is_it = touch.task.raw() == access.task.id && is_there;
                is_it && self.trail.places.name(touch.location, &self.program.legend) == location
            });
            found.map(|touch| (touch.task, touch.segment))
        };
        Some([find(first)?, find(second)?])
    }

    fn play(&self, turns: &[(TaskId, u32)]) -> Played {
        let plan = Plan {
            tasks: self.trail.creations(turns.iter().map(|turn| turn.0)),
            turns: turns.to_vec(),
        };
        let mut trail = Trail::default();
        let planned = self.code.run_with_values(&plan, &mut trail);
        Played {
            trail,
            values: planned.values,
            declared: planned.declared,
            is_complete: planned.is_complete,
        }
    }

    /// The strands that touch the location, with what they read and write.
    fn strands(&self, run: &Played, location: &str, text: &mut String) {
        let mut strands: Vec<((TaskId, u32), Vec<String>)> = Vec::new();
        for (touch, value) in run.touches() {
            if run.trail.places.name(touch.location, &self.program.legend) != location {
                continue;
            }
            let strand = (touch.task, touch.segment);
            let verb = if touch.is_write { "sets" } else { "reads" };
            let told = format!("{verb} {location} = {value} at {}", self.at(touch));
            match strands.last_mut().filter(|(last, _)| *last == strand) {
                Some((_, accesses)) => accesses.push(told),
                None => strands.push((strand, vec![told])),
            }
        }
        for (number, ((task, _), accesses)) in (1..).zip(strands.iter().take(STRANDS)) {
            let who = self.name(&run.trail.path(*task));
            let mut told = accesses.iter().take(ACCESSES).cloned().collect::<Vec<_>>();
            if accesses.len() > ACCESSES {
                told.push(format!("and {} more", accesses.len() - ACCESSES));
            }
            let _ = writeln!(text, "    {number}. {who} {}", told.join(", "));
        }
        if strands.len() > STRANDS {
            let _ = writeln!(text, "    and {} more strands", strands.len() - STRANDS);
        }
        if !run.is_complete {
            let _ = writeln!(text, "    the run does not come to its end in this order");
        }
    }

    fn differences(&self, [one, other]: &[Played; 2], text: &mut String) {
        let mut told = Vec::new();
        let (reads, others) = (self.reads(one), self.reads(other));
        let mut both: Vec<_> = reads
            .iter()
            .filter_map(|(key, value)| Some((key, *value, *others.get(key)?)))
            .filter(|(_, one, other)| one != other)
            .collect();
        both.sort();
        for ((path, at, _), one, other) in both {
            let who = self.name(path);
            told.push(format!("the read at {at} by {who} sees {one} or {other}"));
        }
        let ends = one.declared.iter().zip(&other.declared).enumerate();
        for (location, (one, other)) in ends.filter(|(_, (one, other))| one != other) {
            let location = heddle_core::Location(location as u64);
            let name = self.trail.places.name(location, &self.program.legend);
            told.push(format!("in the end {name} is {one} or {other}"));
        }
        if told.len() > DIFFERENCES {
            let more = told.len() - DIFFERENCES;
            told.truncate(DIFFERENCES);
            told.push(format!("and {more} more"));
        }
        if told.is_empty() {
            told.push("no value in these two runs".into());
        }
        let _ = writeln!(text, "  differs: {}", told.join("\n           "));
    }

    /// What reads saw: by task, place, and how often it had read there before.
    fn reads(&self, run: &Played) -> HashMap<(Path, String, u32), i64> {
        let mut seen: HashMap<(Path, String), u32> = HashMap::new();
        let mut reads = HashMap::new();
        for (touch, value) in run.touches().filter(|(touch, _)| !touch.is_write) {
            let key = (run.trail.path(touch.task), self.at(touch));
            let count = seen.entry(key.clone()).or_default();
            reads.insert((key.0, key.1, *count), value);
            *count += 1;
        }
        reads
    }

    fn at(&self, touch: &Touch) -> String {
        let site = self.program.legend.site(touch.site);
        site.map_or("?".into(), |site| format!("{}:{}", site.line, site.column))
    }

    fn name(&self, path: &Path) -> String {
        let name = self.names.get(path).cloned();
        name.unwrap_or_else(|| "another task".into())
    }
}

impl Played {
    fn touches(&self) -> impl Iterator<Item = (&Touch, i64)> {
        self.trail.touches.iter().zip(self.values.iter().copied())
    }
}
