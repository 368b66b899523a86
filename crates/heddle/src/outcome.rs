//! From a session that has run to what it found, in the terms of `heddle-core`.

use crate::checker::Unjudged;
use crate::locations::{self, Labelled};
use crate::session::Session;
use crate::settings::Analysis;
use heddle_core::roster::Roster;
use heddle_core::{
    AccessKind, Counts, Features, Finding, Guarantee, Legend, LockId, NameId, OrderChoice, Outcome,
    Place,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// What a checked run yields.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    pub(crate) legend: Legend,
    pub(crate) features: Features,
}

/// What the session found: by its engine or, if a choice was made, by that order.
pub(crate) fn judge(session: &Session, choice: Option<OrderChoice>) -> Result<Judged, Unjudged> {
    let features = session.used.features();
    let mut names = Names::of_races(session);
    let mut outcome = match (choice, &session.recorder) {
        (Some(order), Some(recorder)) => {
            let recorded = recorder.recorded(features).map_err(Unjudged::Unsupported);
            heddle_core::check(&mut recorded?, order).map_err(Unjudged::Order)?
        }
        _ => by_engine(session, features),
    };
    for finding in &mut outcome.findings {
        if let Finding::Race { place, .. } = finding {
            names.give(place);
        }
    }
    names.give_locks(session, &mut outcome);
    let mut legend = session.sites.legend();
    legend.names = names.texts;
    Ok(Judged {
        outcome,
        legend,
        features,
    })
}

impl Judged {
    /// Without what nobody asked for.
    pub(crate) fn only(mut self, analyses: &[Analysis]) -> Self {
        if !analyses.contains(&Analysis::Races) {
            let findings = &mut self.outcome.findings;
            findings.retain(|finding| !matches!(finding, Finding::Race { .. }));
        }
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
    let findings = session.engine.races(&roster.ancestry());
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
            ..Counts::default()
        },
        tasks,
        finishes,
        locks: Vec::new(),
        orders: vec![OrderChoice::Graph],
        tokens: Vec::new(),
    }
}

fn guarantee(session: &Session, features: Features) -> Guarantee {
    match session.engine.gave_up() {
        true => Guarantee::UpToHere,
        false if features.excludes() || features.choices => Guarantee::KeepingAccesses,
        false => Guarantee::AllSchedules,
    }
}

/// Names of the places that races are on.
#[derive(Debug, Default)]
struct Names {
    labels: FxHashMap<u64, Labelled>,
    ids: FxHashMap<String, NameId>,
    texts: Vec<String>,
}

impl Names {
    fn of_races(session: &Session) -> Self {
        let locations = session.engine.race_locations(0);
        let labels = session.race_labels().into_iter();
        let labelled = locations.into_iter().zip(labels);
        Self {
            labels: labelled
                .filter_map(|(at, label)| Some((at, label?)))
                .collect(),
            ..Self::default()
        }
    }

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

/// All mentions of locks that are not the one of isolated sections.
fn locks_of(findings: &mut [Finding]) -> impl Iterator<Item = &mut LockId> {
    let accesses = findings.iter_mut().filter_map(|finding| match finding {
        Finding::Race { accesses, .. } => Some(accesses),
        _ => None,
    });
    let locks = accesses.flatten().flat_map(|access| &mut access.locks);
    locks.filter(|lock| **lock != LockId::ISOLATED)
}
