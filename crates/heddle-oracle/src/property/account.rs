//! The rest of an outcome repeats the stream: tables, counts, names, and the findings that need
//! no analysis.

use std::collections::BTreeMap;

use heddle_core::{
    Event, Features, Finding, FinishInfo, Guarantee, Location, NameId, Outcome, Place, Shape,
    SiteId, TaskId, TaskInfo, Wait,
};

use super::Holds;

/// Tables, counts, assertions, deadlock, fault and guarantee are what the events say.
pub fn outcome_repeats_the_stream(
    outcome: &Outcome,
    events: &[Event],
    features: Features,
) -> Holds {
    let account = Account::of(events);
    same("tasks", &outcome.tasks, &account.tasks)?;
    same("finishes", &outcome.finishes, &account.finishes)?;
    same("lock names", &outcome.locks, &account.locks)?;
    same("token names", &outcome.tokens, &account.tokens)?;
    same("fault", &outcome.fault, &account.fault)?;
    same(
        "guarantee",
        &outcome.guarantee,
        &account.guarantee(features),
    )?;
    same("deadlock", &waits(outcome), &account.waits)?;
    same("assertions", &assertions(outcome), &account.assertions)?;
    account.counts_match(outcome)
}

/// Racy locations are called what the events call them. Only asked of runs whose objects do not
/// overlap: what is left of an object that another was laid over has no agreed name.
pub fn places_repeat_the_stream(outcome: &Outcome, events: &[Event]) -> Holds {
    Account::of(events).places_match(outcome)
}

#[derive(Default)]
struct Account {
    tasks: Vec<TaskInfo>,
    finishes: Vec<FinishInfo>,
    locks: Vec<NameId>,
    tokens: Vec<NameId>,
    fault: Option<(SiteId, heddle_core::FaultKind)>,
    waits: Vec<Wait>,
    assertions: BTreeMap<SiteId, (TaskId, u64)>,
    extra_edges: u64,
    reads: u64,
    writes: u64,
    frees: u64,
    /// What every location was called, one entry for each object it was part of; the first one
    /// without a name if it was accessed before.
    places: BTreeMap<Location, Vec<Place>>,
}

impl Account {
    fn of(events: &[Event]) -> Self {
        let mut account = Self::default();
        let mut running = TaskId::MAIN;
        for &event in events {
            if let Event::Begin { task } | Event::Resume { task } = event {
                running = task;
            }
            account.note_structure(running, event);
            account.note_accesses(event);
            account.note_nameless(event);
            account.note_names(event);
        }
        account
    }

    fn note_structure(&mut self, running: TaskId, event: Event) {
        match event {
            Event::Spawn {
                finish,
                kind,
                site,
                name,
                ..
            } => {
                let parent = running;
                self.tasks.push(TaskInfo {
                    parent,
                    site,
                    finish,
                    kind,
                    name,
                });
            }
            Event::FinishBegin { kind, site, .. } => {
                let owner = running;
                self.finishes.push(FinishInfo { owner, site, kind });
            }
            Event::AssertionFailed { site } => {
                self.assertions.entry(site).or_insert((running, 0)).1 += 1;
            }
            Event::Stuck {
                task,
                awaited,
                site,
            } => self.waits.push(Wait {
                task,
                awaited,
                site,
            }),
            Event::Fault { site, message } => self.fault = Some((site, message)),
            _ => {}
        }
    }

    fn note_accesses(&mut self, event: Event) {
        match event {
            Event::Join { .. } | Event::Wait { .. } => self.extra_edges += 1,
            Event::Read { extent, .. } => self.reads += extent.len,
            Event::Write { extent, .. } => self.writes += extent.len,
            Event::Free { extent, .. } => self.frees += extent.len,
            _ => {}
        }
    }

    fn note_names(&mut self, event: Event) {
        match event {
            Event::DeclareLock { name, .. } => self.locks.push(name),
            Event::DeclareToken { name, .. } => self.tokens.push(name),
            Event::Declare {
                extent,
                name,
                shape,
            } => {
                self.name(extent, Some(name), shape == Shape::Array);
            }
            Event::Alloc { extent, name, .. } => self.name(extent, name, true),
            Event::Bind { start, name } => self.bind(start, name),
            _ => {}
        }
    }

    fn note_nameless(&mut self, event: Event) {
        if let Event::Read { extent, .. }
        | Event::Write { extent, .. }
        | Event::Free { extent, .. } = event
        {
            for location in extent.locations() {
                let nameless = Place {
                    name: None,
                    index: None,
                    location: location.0,
                };
                self.places
                    .entry(location)
                    .or_insert_with(|| vec![nameless]);
            }
        }
    }

    fn name(&mut self, extent: heddle_core::Extent, name: Option<NameId>, indexed: bool) {
        for (n, location) in (0..).zip(extent.locations()) {
            let index = indexed.then_some(n);
            let place = Place {
                name,
                index,
                location: location.0,
            };
            self.places.entry(location).or_default().push(place);
        }
    }

    /// Names the latest object that starts here, element by element.
    fn bind(&mut self, start: Location, name: NameId) {
        for (n, (_, places)) in (0..).zip(self.places.range_mut(start..)) {
            match places.last_mut() {
                Some(place) if place.index == Some(n) => place.name = Some(name),
                _ => return,
            }
        }
    }

    fn guarantee(&self, features: Features) -> Guarantee {
        if self.fault.is_some() || !self.waits.is_empty() {
            Guarantee::UpToHere
        } else if features.excludes() || features.choices {
            Guarantee::KeepingAccesses
        } else {
            Guarantee::AllSchedules
        }
    }

    /// Whether a free counts as a write is left to the engine.
    fn counts_match(&self, outcome: &Outcome) -> Holds {
        let counts = outcome.counts;
        same(
            "count of tasks",
            &counts.tasks,
            &(self.tasks.len() as u64 + 1),
        )?;
        same(
            "count of finishes",
            &counts.finishes,
            &(self.finishes.len() as u64 + 1),
        )?;
        same(
            "count of extra edges",
            &counts.extra_edges,
            &self.extra_edges,
        )?;
        same("count of reads", &counts.reads, &self.reads)?;
        match counts.writes == self.writes + self.frees {
            true => Ok(()),
            false => same("count of writes", &counts.writes, &self.writes),
        }
    }

    fn places_match(&self, outcome: &Outcome) -> Holds {
        for finding in &outcome.findings {
            if let Finding::Race { place, .. } = finding {
                let known = self.places.get(&Location(place.location));
                let fits = known.is_some_and(|known| known.contains(place));
                if !fits {
                    return Err(format!("{place:?} is called {known:?}"));
                }
            }
        }
        Ok(())
    }
}

fn waits(outcome: &Outcome) -> Vec<Wait> {
    let deadlocks = outcome.findings.iter().filter_map(|finding| match finding {
        Finding::Deadlock { waits } => Some(waits.clone()),
        _ => None,
    });
    deadlocks.flatten().collect()
}

fn assertions(outcome: &Outcome) -> BTreeMap<SiteId, (TaskId, u64)> {
    let assertions = outcome
        .findings
        .iter()
        .filter_map(|finding| match *finding {
            Finding::Assertion { site, task, count } => Some((site, (task, count))),
            _ => None,
        });
    assertions.collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Holds {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?} instead of {expected:?}")),
    }
}
