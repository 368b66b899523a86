//! From a session that has run to what it found, in the terms of `heddle-core`.

use crate::checker::Unjudged;
use crate::locations::{self, Labelled};
use crate::session::Session;
use crate::settings::Analysis;
use crate::sites;
use heddle_answers::Answers;
use heddle_check::Analyses;
use heddle_core::atomicity::Scope;
use heddle_core::roster::Roster;
use heddle_core::{
    AccessKind, Awaited, Counts, Features, Finding, Guarantee, Legend, Link, LockId, NameId,
    OrderChoice, Outcome, Place, Step,
};
use heddle_report::Problem;
use heddle_transactions::{EndedBy, Rejected};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// What a checked run yields.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    pub(crate) legend: Legend,
    pub(crate) features: Features,
    pub(crate) answered: Answered,
}

/// What became of the programmer's answers.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// How many findings were left out as harmless.
    pub(crate) harmless: u64,
    /// What is to be said of answers that made no difference.
    pub(crate) unused: Vec<Problem>,
}

/// What the session found: by its engine or, if a choice was made, by that order.
pub(crate) fn judge(
    session: &Session,
    choice: Option<OrderChoice>,
    scope: Scope,
) -> Result<Judged, Unjudged> {
    let features = session.used.features();
    let names = Names {
        labels: session.labels(),
        ..Names::default()
    };
    let outcome = match (choice, &session.recorder) {
        (Some(order), Some(recorder)) => {
            // Cuts concern transactions alone.
            let uncut = Features {
                cuts: false,
                ..features
            };
            let recorded = recorder.recorded(uncut).map_err(Unjudged::Unsupported);
            let atomicity = scope;
            let analyses = Analyses { order, atomicity };
            heddle_check::check_with(&mut recorded?, analyses).map_err(Unjudged::Order)?
        }
        _ => by_engine(session, features),
    };
    Ok(named(session, names, outcome, features))
}

/// Which cuts of the recorded run can be seen.
pub(crate) fn transactions(session: &Session) -> Result<Judged, Unjudged> {
    let mut features = session.used.features();
    features.cuts = true;
    let names = Names {
        labels: session.labels(),
        ..Names::default()
    };
    let recorder = session.recorder.as_ref();
    let recorder = recorder.ok_or(Unjudged::Unsupported("runs that are not recorded"))?;
    let mut recorded = recorder.recorded(features).map_err(Unjudged::Unsupported)?;
    let legend = session.sites.legend();
    let mut answers = answers_to(&legend).map_err(Unjudged::Answers)?;
    let options = heddle_transactions::Options::default();
    let checked = heddle_answers::check_recorded(options, &mut recorded, &mut answers);
    let checked = checked.map_err(|rejected| Unjudged::Rejected(end_of(&legend, rejected)))?;
    Ok(Judged {
        answered: Answered {
            harmless: answers.harmless(),
            unused: answers.unused(),
        },
        ..named(session, names, checked.outcome, features)
    })
}

/// The programmer's answers beside the source files that the run came by.
fn answers_to(legend: &Legend) -> Result<Answers, Problem> {
    let files = legend.files.iter();
    let found: Vec<PathBuf> = files.filter_map(|file| sites::find(&file.path)).collect();
    let found: Vec<&Path> = found.iter().map(PathBuf::as_path).collect();
    let read = |path: &Path| {
        let why = |error| Problem::plain(format!("cannot read {}: {error}", path.display()));
        std::fs::read_to_string(path).map_err(why)
    };
    let mut answers = Answers::beside(&found, legend, read)?;
    answers.leave_alone_what_did_not_run();
    Ok(answers)
}

/// What would end a transaction where none can end, and where.
fn end_of(legend: &Legend, rejected: Rejected) -> String {
    let at = legend.site(rejected.end);
    let file = at.and_then(|at| legend.file(at.file));
    let path = file.map_or("?", |file| &file.path);
    let what = match rejected.by {
        EndedBy::Cut => "a cut",
        EndedBy::TaskOperation => "a task operation",
    };
    format!("{what} at {path}:{}", at.map_or(0, |at| at.line))
}

fn named(session: &Session, mut names: Names, mut outcome: Outcome, features: Features) -> Judged {
    for finding in &mut outcome.findings {
        places_of(finding)
            .into_iter()
            .for_each(|place| names.give(place));
        name_members(finding);
    }
    names.give_locks(session, &mut outcome);
    let mut legend = session.sites.legend();
    legend.names = names.texts;
    Judged {
        outcome,
        legend,
        features,
        answered: Answered::default(),
    }
}

impl Judged {
    /// Without what nobody asked for.
    pub(crate) fn only(mut self, analyses: &[Analysis]) -> Self {
        let is_wanted = |finding: &Finding| match finding {
            Finding::Race { .. } => analyses.contains(&Analysis::Races),
            Finding::Atomicity { .. } => analyses.contains(&Analysis::Atomicity),
            _ => true,
        };
        self.outcome.findings.retain(is_wanted);
        self
    }
}

fn by_engine(session: &Session, features: Features) -> Outcome {
    let (tasks, finishes) = session.engine.participants();
    let roster = Roster {
        tasks,
        finishes,
        ..Roster::new()
    };
    let mut findings = session.engine.races(&roster.ancestry());
    findings.extend(session.engine.tears(&roster.ancestry()));
    findings.extend(session.engine.possible_deadlocks());
    let Roster {
        tasks, finishes, ..
    } = roster;
    Outcome {
        findings,
        guarantee: guarantee(session, features),
        fault: None,
        counts: Counts {
            tasks: tasks.len() as u64 + 1,
            finishes: finishes.len() as u64 + 1,
            extra_edges: session.used.extra_edges.load(Ordering::Relaxed),
            reads: session.tallies.total(AccessKind::Read),
            writes: session.tallies.total(AccessKind::Write),
            crowded: session.engine.crowded_locations(),
            ..Counts::default()
        },
        tasks,
        finishes,
        locks: Vec::new(),
        orders: vec![OrderChoice::Graph],
        tokens: Vec::new(),
        transactions: None,
    }
}

fn guarantee(session: &Session, features: Features) -> Guarantee {
    match session.engine.gave_up() {
        true => Guarantee::UpToHere,
        false if features.excludes() || features.choices => Guarantee::KeepingAccesses,
        false => Guarantee::AllSchedules,
    }
}

/// Names of the places that findings are about.
#[derive(Debug, Default)]
struct Names {
    labels: FxHashMap<u64, Labelled>,
    ids: FxHashMap<String, NameId>,
    texts: Vec<String>,
}

impl Names {
    fn give(&mut self, place: &mut Place) {
        let known = self.labels.get(&place.location).copied();
        let labelled = known.or_else(|| locations::labels(&[place.location]).pop().flatten());
        if let Some(Labelled { label, index }) = labelled {
            place.name = Some(self.id(label.to_string()));
            place.index = index;
        }
    }

    /// Numbers the locks of the findings from 1 on, and names them.
    fn give_locks(&mut self, session: &Session, outcome: &mut Outcome) {
        let lock_of = |lock: LockId| match &session.recorder {
            Some(recorder) => recorder.lock_of(lock),
            None => lock,
        };
        for lock in locks_of(&mut outcome.findings) {
            *lock = lock_of(*lock);
        }
        let used: BTreeSet<LockId> = locks_of(&mut outcome.findings).map(|lock| *lock).collect();
        let used: Vec<LockId> = used.into_iter().collect();
        for lock in locks_of(&mut outcome.findings) {
            let row = used.binary_search(lock).unwrap_or(used.len());
            *lock = LockId::new(row as u32 + 1);
        }
        let names = session.locks.names(&used);
        outcome.locks = names.into_iter().map(|name| self.id(name)).collect();
    }

    fn id(&mut self, text: String) -> NameId {
        let next = NameId::new(self.texts.len() as u32);
        *self.ids.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

/// The locations a finding is about.
fn places_of(finding: &mut Finding) -> Vec<&mut Place> {
    match finding {
        Finding::Race { place, .. } => vec![place],
        Finding::Atomicity {
            places, touched, ..
        } => places.iter_mut().chain(touched).collect(),
        Finding::Transaction(separation) => {
            let cycle = separation.cycle.iter_mut().filter_map(|step| match step {
                Step::Conflict { place, .. } => Some(place),
                Step::Serial { .. } => None,
            });
            let schedule = separation.schedule.iter_mut();
            let schedule = schedule.map(|moment| &mut moment.place);
            let places = separation.places.iter_mut();
            places.chain(cycle).chain(schedule).collect()
        }
        _ => Vec::new(),
    }
}

/// A member of a group that begins with the first element of its value is all of it.
fn name_members(finding: &mut Finding) {
    if let Finding::Atomicity {
        group: Some(_),
        places,
        ..
    } = finding
    {
        for place in places {
            place.index = place.index.filter(|&index| index > 0);
        }
    }
}

/// All mentions of locks that are not the one of isolated sections.
fn locks_of(findings: &mut [Finding]) -> impl Iterator<Item = &mut LockId> {
    let locks = findings.iter_mut().flat_map(mentioned);
    locks.filter(|lock| **lock != LockId::ISOLATED)
}

fn mentioned(finding: &mut Finding) -> Vec<&mut LockId> {
    let accesses = match finding {
        Finding::Race { accesses, .. } => accesses.as_mut_slice(),
        Finding::Atomicity { accesses, .. } => accesses.as_mut_slice(),
        Finding::PossibleDeadlock { chain } => {
            let links = chain.iter_mut();
            return links.flat_map(mentioned_by_link).collect();
        }
        _ => return Vec::new(),
    };
    let locks = accesses.iter_mut().flat_map(|access| &mut access.locks);
    locks.collect()
}

fn mentioned_by_link(link: &mut Link) -> impl Iterator<Item = &mut LockId> {
    let held = link.holds.as_mut().map(|(lock, _)| lock);
    let awaited = match &mut link.awaited {
        Awaited::Lock(lock) => Some(lock),
        _ => None,
    };
    held.into_iter().chain(awaited)
}
