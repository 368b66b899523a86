//! The words of a cut that can be seen: the two transactions, the schedule, why no uncut strand can do
//! that, what to do about it.

use std::collections::HashMap;
use std::sync::Arc;

use heddle_core::{
    Access as CoreAccess, AccessKind, CutBy, Decision, Place, Separation, Step, TaskId,
};

use crate::model::Note;
use crate::resolve::Resolver;

/// Steps of a cycle that text spells out.
const STEPS_TOLD: usize = 24;

/// A finding about transactions, and the words for its ids.
pub struct Told<'a> {
    /// The words for ids.
    pub resolver: &'a Resolver<'a>,
    /// What is told.
    pub separation: &'a Separation,
}

impl Told<'_> {
    /// `x1,x2`: the locations that close the cycle on the separated strand.
    pub fn location(&self) -> String {
        let places = self.separation.places.iter();
        let mut names: Vec<_> = places.map(|place| self.resolver.place(place)).collect();
        names.dedup();
        names.join(",")
    }

    /// `task A is not atomic from the read of head at 5:13 to the write of head at 9:3: task B can come between`.
    pub fn message(&self) -> String {
        let [first, last] = &self.separation.parted;
        let [at_first, at_last] = self.closing();
        let torn = self.resolver.task_phrase(first.task);
        let others = self.others();
        let others = match others.as_slice() {
            [] => "others".to_owned(),
            [one] if *one == torn => "another such task".to_owned(),
            [one] => one.clone(),
            [start @ .., last] if start.len() < 4 => format!("{} and {last}", start.join(", ")),
            many => format!("{} and {} more", many[..3].join(", "), many.len() - 3),
        };
        let next = if self.comes_round() { "next " } else { "" };
        format!(
            "{torn} is not atomic from the {} to the {next}{}: {others} can come between",
            self.describe(first, &at_first),
            self.describe(last, &at_last),
        )
    }

    /// Whether the cuts lie elsewhere than between the two positions, as at the end of a loop's body: the
    /// second access then belongs to a later iteration or call.
    fn comes_round(&self) -> bool {
        let at = |site| {
            let position = self.resolver.position(site)?;
            let place = (position.line, position.column);
            Some((position.file.path().to_owned(), place))
        };
        let [first, last] = self.separation.parted.each_ref().map(|one| at(one.site));
        let mut cuts = self.separation.cuts.iter().map(|cut| at(cut.site));
        cuts.len() > 0 && !cuts.any(|cut| first <= cut && cut <= last)
    }

    /// What the first and the last access of the cycle touch.
    fn closing(&self) -> [Place; 2] {
        let conflicts = || {
            self.separation.cycle.iter().filter_map(|step| match step {
                Step::Conflict { place, .. } => Some(*place),
                Step::Serial { .. } => None,
            })
        };
        let some = self.separation.places.first().copied();
        let nowhere = Place {
            name: None,
            index: None,
            location: 0,
        };
        let or_some = |place: Option<Place>| place.or(some).unwrap_or(nowhere);
        [
            or_some(conflicts().next()),
            or_some(conflicts().next_back()),
        ]
    }

    /// The other tasks on the cycle, each once.
    fn others(&self) -> Vec<String> {
        let others = self.tasks().into_iter().skip(1);
        others.map(|task| self.resolver.task_phrase(task)).collect()
    }

    /// The tasks as the schedule and the cycle call them: those that were created at one place are told apart by a number.
    fn names(&self) -> HashMap<TaskId, String> {
        let mut alike: HashMap<String, Vec<TaskId>> = HashMap::new();
        for task in self.tasks() {
            let phrase = self.resolver.task_phrase(task);
            alike.entry(phrase).or_default().push(task);
        }
        let mut names = HashMap::new();
        for (phrase, tasks) in alike {
            let is_alone = tasks.len() == 1;
            let name = |at: usize| match is_alone {
                true => phrase.clone(),
                false => format!("{phrase} ({})", at + 1),
            };
            let numbered = tasks.into_iter().enumerate();
            names.extend(numbered.map(|(at, task)| (task, name(at))));
        }
        names
    }

    /// The task whose transactions are separated, and the others on the cycle, each once.
    fn tasks(&self) -> Vec<TaskId> {
        let mut tasks: Vec<TaskId> = vec![self.separation.parted[0].task];
        let mut add = |task: TaskId| {
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        };
        for step in &self.separation.cycle {
            match step {
                Step::Conflict { from, to, .. } => {
                    add(from.task);
                    add(to.task);
                }
                Step::Serial { to, .. } => add(*to),
            }
        }
        tasks
    }

    /// The schedule, access by access.
    pub fn schedule(&self) -> Vec<Note> {
        let names = self.names();
        let moments = self.separation.schedule.iter().enumerate();
        moments
            .map(|(row, moment)| {
                let access = &moment.access;
                let text = format!(
                    "{}. {} {} {} {}",
                    row + 1,
                    self.name(&names, access.task),
                    verb(access.kind),
                    self.resolver.place(&moment.place),
                    self.resolver.at(access.site)
                );
                Note {
                    text,
                    position: self.resolver.position(access.site),
                }
            })
            .collect()
    }

    /// The cycle: who must come before whom if strands are uncut, and why.
    pub fn cycle(&self) -> Vec<Note> {
        let names = self.names();
        let steps = self.separation.cycle.iter();
        let mut notes: Vec<Note> = steps.map(|step| self.step(&names, step)).collect();
        if notes.len() > STEPS_TOLD {
            let more = notes.len() - STEPS_TOLD;
            notes.truncate(STEPS_TOLD);
            notes.push(Note {
                text: format!("and {more} more steps"),
                position: None,
            });
        }
        notes
    }

    fn name(&self, names: &HashMap<TaskId, String>, task: TaskId) -> String {
        let name = names.get(&task).cloned();
        name.unwrap_or_else(|| self.resolver.task_phrase(task))
    }

    fn step(&self, names: &HashMap<TaskId, String>, step: &Step) -> Note {
        match step {
            Step::Conflict { place, from, to } => Note {
                text: format!(
                    "{} before {}: the {} comes before the {}",
                    self.name(names, from.task),
                    self.name(names, to.task),
                    self.describe(from, place),
                    self.describe(to, place),
                ),
                position: self.resolver.position(from.site),
            },
            Step::Serial { from, to } => Note {
                text: format!(
                    "{} before {}: by the order of tasks",
                    self.name(names, *from),
                    self.name(names, *to)
                ),
                position: None,
            },
        }
    }

    /// How it was decided.
    pub fn why(&self) -> Arc<[Note]> {
        let text = match self.separation.decision {
            Decision::Replayed => {
                "run under this schedule, the program does what no uncut run does"
            }
            Decision::Confirmed => "in this schedule the same accesses do what no uncut run does",
            Decision::Diverged => {
                "run under this schedule, the program makes other accesses, and those do no harm"
            }
            Decision::Undecided => {
                "whether a schedule shows this could not be decided within the bound; \
                 heddle check --exact has none, for programs and recorded runs"
            }
        };
        [Note {
            text: text.into(),
            position: None,
        }]
        .into()
    }

    /// `confirmed`, `replayed`, `diverged` or `undecided`.
    pub fn decision(&self) -> &'static str {
        match self.separation.decision {
            Decision::Confirmed => "confirmed",
            Decision::Replayed => "replayed",
            Decision::Diverged => "diverged",
            Decision::Undecided => "undecided",
        }
    }

    /// What to do next.
    pub fn help(&self) -> String {
        let harmless = self.accept("harmless");
        let harmless = harmless.map(|command| format!("; if not: {command}"));
        format!(
            "if what comes between does harm, {}{}",
            self.join(),
            harmless.unwrap_or_default()
        )
    }

    /// How the two transactions become one. What a rule cut, no edit of the source takes away: there it needs an
    /// answer.
    fn join(&self) -> String {
        let mut cuts: Vec<String> = Vec::new();
        for cut in &self.separation.cuts {
            let at = self.resolver.at(cut.site);
            if !cuts.contains(&at) {
                cuts.push(at);
            }
        }
        match self.separation.cuts.iter().any(|cut| cut.by == CutBy::Rule) {
            true => self.join_by_answer(&cuts),
            false => take_away(&cuts),
        }
    }

    fn join_by_answer(&self, cuts: &[String]) -> String {
        let places = match cuts {
            [first, second] => format!("{first} and {second}"),
            [first, more @ ..] if !more.is_empty() => {
                format!("{first} and at {} more places", more.len())
            }
            _ => cuts.concat(),
        };
        let merge = self.accept("merge").map(|command| format!(": {command}"));
        let merge = merge.unwrap_or_default();
        format!("join the two transactions, which a rule cuts apart {places}{merge}")
    }

    /// The command that keeps an answer. There is none for standard input.
    fn accept(&self, answer: &str) -> Option<String> {
        let [first, last] = &self.separation.parted;
        let first = self.resolver.position(first.site)?;
        let last = self.resolver.position(last.site)?;
        let (path, other) = (first.file.path(), last.file.path());
        let last = match path == other {
            true => last.to_string(),
            false => format!("{other}:{last}"),
        };
        let is_kept = !path.starts_with('<') && !other.starts_with('<');
        is_kept.then(|| format!("heddle accept --{answer} {path} {first} {last}"))
    }

    /// `read of head at 5:13`.
    fn describe(&self, access: &CoreAccess, place: &Place) -> String {
        let noun = self.resolver.operation(access).noun();
        let place = self.resolver.place(place);
        format!("{noun} of {place} {}", self.resolver.at(access.site))
    }
}

fn take_away(cuts: &[String]) -> String {
    match cuts {
        [] => "join the two transactions".to_owned(),
        [cut] => format!("take away the cut {cut}"),
        [start @ .., last] if start.len() < 3 => {
            format!("take away the cuts {} and {last}", start.join(", "))
        }
        many => format!(
            "take away the {} cuts from the one {} on",
            many.len(),
            many[0]
        ),
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
    }
}
