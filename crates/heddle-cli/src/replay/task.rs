//! Races of `.task` programs, executed in both orders.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path as File;

use heddle_core::{OrderChoice, Outcome, TaskId};
use heddle_lang::Program;
use heddle_lang::eliminate::{Eliminations, eliminate};
use heddle_lang::machine::{Code, Plan};
use heddle_report::replayed::{self, Replayed, Touched};
use heddle_report::{Access, Finding, Problem, Report, Settings, Subject, Unchecked, task_phrase};

use super::positions;
use crate::check::problems;
use crate::input::{self, Input};
use crate::order;
use crate::program::Silent;
use crate::status::Status;
use crate::trail::{Path, Touch, Trail};

/// All races of the program, or those at these positions.
pub fn replayed(file: &File, at: &[String]) -> Result<(String, Status), Vec<Problem>> {
    let name = input::shown(file);
    let text = match input::read(file).map_err(|problem| vec![problem])? {
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
        match at {
            [one, other] => found == [&**one, other] || found == [&**other, one],
            at => at.iter().all(|at| found.contains(at)),
        }
    };
    let races: Vec<&Finding> = report.findings.iter().filter(asked).collect();
    if races.is_empty() && !at.is_empty() {
        let at = at.join(" and ");
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
        let firsts = sides.map(|(task, _)| self.name(&self.trail.path(task)));
        let [one, other] = &runs;
        let [first, second] = &firsts;
        text.push_str(&replayed::both([one, other], [first, second], location));
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

    fn play(&self, turns: &[(TaskId, u32)]) -> Replayed {
        let plan = Plan {
            tasks: self.trail.creations(turns.iter().map(|turn| turn.0)),
            turns: turns.to_vec(),
        };
        let mut trail = Trail::default();
        let planned = self.code.run_with_values(&plan, &mut trail);
        let touches = trail.touches.iter().zip(&planned.values);
        let ends = (0..).zip(&planned.declared).map(|(location, value)| {
            let location = heddle_core::Location(location);
            let name = self.trail.places.name(location, &self.program.legend);
            (name, value.to_string())
        });
        Replayed {
            touches: touches
                .map(|(touch, value)| self.touched(&trail, touch, *value))
                .collect(),
            ends: ends.collect(),
            shown: Vec::new(),
            stopped: (!planned.is_complete)
                .then(|| "the run does not come to its end in this order".to_owned()),
        }
    }

    fn touched(&self, trail: &Trail, touch: &Touch, value: i64) -> Touched {
        let path = trail.path(touch.task);
        let steps = path.iter().map(|step| format!("{step:08}"));
        Touched {
            strand: (steps.collect::<Vec<_>>().join("."), touch.segment),
            who: self.name(&path),
            at: self.at(touch),
            is_write: touch.is_write,
            location: trail.places.name(touch.location, &self.program.legend),
            value: value.to_string(),
        }
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
