//! From a detector's finding to the report's: ids resolved, sentences worded.

use std::collections::BTreeSet;
use std::sync::Arc;

use heddle_core::{
    Access as CoreAccess, Awaited, Certainty as CoreCertainty, Finding as CoreFinding, Moment,
    NameId, Place, SiteId, TaskId, Wait as CoreWait, Why,
};

use crate::circle;
use crate::explain::{self, Explanation};
use crate::many;
use crate::model::{Access, Certainty, Finding, Kind, Note, Operation, Stop, Wait};
use crate::resolve::Resolver;
use crate::separation::Told;
use crate::torn::{self, Tear};

/// Words findings one after the other.
pub struct Wording<'a> {
    resolver: &'a Resolver<'a>,
    /// What was last said of a race: neighbours mostly differ in their location only.
    last: Option<Said<'a>>,
}

/// Everything about a race except its location.
#[derive(Clone)]
struct Said<'a> {
    about: About<'a>,
    accesses: Arc<[Access]>,
    why: Arc<[Note]>,
    witness: Arc<[Vec<Stop>]>,
    common_steps: usize,
    help: Option<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct About<'a> {
    certainty: CoreCertainty,
    accesses: &'a [CoreAccess; 2],
    why: Why,
}

impl<'a> Wording<'a> {
    /// Words for findings of this outcome.
    pub fn new(resolver: &'a Resolver<'a>) -> Self {
        Self {
            resolver,
            last: None,
        }
    }

    /// Findings that are one defect in words: the first stands for all.
    pub fn of_run(&mut self, run: &[&'a CoreFinding]) -> Finding {
        let mut finding = self.of(run[0]);
        let counts = run[1..].iter().map(|found| count(found));
        finding.count = counts.fold(finding.count, u64::saturating_add);
        finding.locations = self.locations(run);
        // Native programs count each location once: how often depends on timing.
        finding.count = finding.count.max(finding.locations);
        if finding.locations > 1 {
            let places = run.iter().filter_map(|found| self.location(found));
            let mut samples: Vec<String> = Vec::new();
            // Objects of one name are told apart by nothing a reader knows.
            for name in places {
                if samples.len() > many::SAMPLES {
                    break;
                }
                if !samples.contains(&name) {
                    samples.push(name);
                }
            }
            finding.message = many::message(&finding, &samples);
            samples.truncate(many::SAMPLES);
            finding.samples = samples;
        }
        finding
    }

    /// How many locations there are. A location may be there twice, read and written at one position.
    fn locations(&self, run: &[&CoreFinding]) -> u64 {
        let mut places: Vec<_> = run.iter().filter_map(|found| first_place(found)).collect();
        places.dedup();
        let known = match run[0] {
            CoreFinding::Race { accesses, .. } => {
                let sites = [accesses[0].site, accesses[1].site];
                self.resolver.racy_locations(sites)
            }
            _ => None,
        };
        known.unwrap_or(0).max(places.len() as u64)
    }

    /// What a finding is on, by name.
    fn location(&self, found: &CoreFinding) -> Option<String> {
        match found {
            CoreFinding::Race { place, .. } => Some(self.resolver.place(place)),
            CoreFinding::Atomicity { places, .. } => Some(self.joined(places)),
            CoreFinding::Transaction(separation) => {
                let resolver = self.resolver;
                Some(
                    Told {
                        resolver,
                        separation,
                    }
                    .location(),
                )
            }
            _ => None,
        }
    }

    fn joined(&self, places: &[Place]) -> String {
        let names = places.iter().map(|place| self.resolver.place(place));
        names.collect::<Vec<_>>().join(",")
    }

    /// The finding in words.
    pub fn of(&mut self, found: &'a CoreFinding) -> Finding {
        match found {
            CoreFinding::Race {
                certainty,
                place,
                accesses,
                why,
                count,
            } => {
                let about = About {
                    certainty: *certainty,
                    accesses,
                    why: *why,
                };
                Finding {
                    certainty: self::certainty(found),
                    count: *count,
                    ..self.race(place, about)
                }
            }
            CoreFinding::Atomicity {
                certainty,
                places,
                accesses,
                touched,
                why,
                count,
                rank,
                ..
            } => {
                let location = self.joined(places);
                let tear = Tear {
                    resolver: self.resolver,
                    certainty: *certainty,
                    location: &location,
                    accesses,
                    touched,
                    why: *why,
                };
                Finding {
                    certainty: self::certainty(found),
                    count: *count,
                    rank: *rank,
                    object: places.first().and_then(|place| self.resolver.object(place)),
                    ..torn(&tear)
                }
            }
            CoreFinding::Transaction(separation) => Finding {
                certainty: self::certainty(found),
                count: separation.count,
                ..separated(&Told {
                    resolver: self.resolver,
                    separation,
                })
            },
            CoreFinding::Assertion { site, task, count } => {
                assertion(self.resolver, *site, *task, *count)
            }
            CoreFinding::Deadlock { waits } => deadlock(self.resolver, waits),
            CoreFinding::PossibleDeadlock { chain } => circle::finding(self.resolver, chain),
            CoreFinding::Misuse {
                what,
                help,
                site,
                task,
                related,
                count,
            } => Finding {
                count: *count,
                message: self.resolver.name(*what).into(),
                position: self.resolver.position(*site),
                task: Some(self.resolver.task(*task)),
                why: related
                    .iter()
                    .map(|one| related_note(self.resolver, *one))
                    .collect(),
                help: Some(self.resolver.name(*help).into()),
                ..blank(Kind::Misuse)
            },
        }
    }

    fn race(&mut self, place: &Place, about: About<'a>) -> Finding {
        let resolver = self.resolver;
        let said = match self.last.take() {
            Some(said) if said.about == about => said,
            _ => say(resolver, about),
        };
        let location = resolver.place(place);
        let finding = Finding {
            object: resolver.object(place),
            position: said
                .accesses
                .first()
                .and_then(|access| access.position.clone()),
            message: explain::message(&location, &said.accesses),
            accesses: Arc::clone(&said.accesses),
            why: Arc::clone(&said.why),
            witness: Arc::clone(&said.witness),
            common_steps: said.common_steps,
            help: said.help.clone(),
            location: Some(location),
            ..blank(Kind::Race)
        };
        self.last = Some(said);
        finding
    }
}

fn torn(tear: &Tear) -> Finding {
    let accesses = tear.accesses.iter();
    let accesses: Arc<[Access]> = accesses.map(|one| access(tear.resolver, one)).collect();
    Finding {
        position: accesses.first().and_then(|access| access.position.clone()),
        message: torn::message(tear.location, &accesses),
        accesses,
        schedule: tear.schedule(),
        why: tear.notes(),
        help: Some(tear.help().into()),
        location: Some(tear.location.to_owned()),
        ..blank(Kind::Atomicity)
    }
}

fn separated(told: &Told) -> Finding {
    let (resolver, separation) = (told.resolver, told.separation);
    let [first, last] = &separation.parted;
    let mut between: Vec<&CoreAccess> = Vec::new();
    for Moment { access, .. } in &separation.schedule {
        if access != first && access != last && !between.contains(&access) {
            between.push(access);
        }
    }
    let accesses = std::iter::once(first).chain(between).chain([last]);
    let accesses: Arc<[Access]> = accesses.map(|one| access(resolver, one)).collect();
    let cuts = separation.cuts.iter();
    let mut cuts: Vec<_> = cuts.filter_map(|cut| resolver.position(cut.site)).collect();
    cuts.sort();
    cuts.dedup();
    Finding {
        position: accesses.first().and_then(|access| access.position.clone()),
        message: told.message(),
        accesses,
        schedule: told.schedule(),
        cycle: told.cycle(),
        decision: Some(told.decision()),
        cuts,
        why: told.why(),
        help: Some(told.help().into()),
        location: Some(told.location()),
        object: separation
            .places
            .first()
            .and_then(|place| resolver.object(place)),
        ..blank(Kind::Transaction)
    }
}

fn say<'a>(resolver: &Resolver, about: About<'a>) -> Said<'a> {
    let explanation = Explanation::new(resolver, about.certainty, about.accesses, about.why);
    let accesses = explanation.accesses();
    Said {
        about,
        accesses: accesses.iter().map(|one| access(resolver, one)).collect(),
        why: explanation.notes().into(),
        witness: explanation.witness(),
        common_steps: resolver.ancestry(about.why.ancestor).count(),
        help: explanation.help().map(Into::into),
    }
}

/// How often it was seen.
fn count(found: &CoreFinding) -> u64 {
    match found {
        CoreFinding::Race { count, .. }
        | CoreFinding::Atomicity { count, .. }
        | CoreFinding::Assertion { count, .. }
        | CoreFinding::Misuse { count, .. } => *count,
        CoreFinding::Transaction(separation) => separation.count,
        CoreFinding::Deadlock { .. } | CoreFinding::PossibleDeadlock { .. } => 1,
    }
}

/// What it is on, for kinds that are on something.
pub(crate) fn first_place(found: &CoreFinding) -> Option<&Place> {
    match found {
        CoreFinding::Race { place, .. } => Some(place),
        CoreFinding::Atomicity { places, .. } => places.first(),
        CoreFinding::Transaction(separation) => separation.places.first(),
        _ => None,
    }
}

/// Whether the finding is certain.
pub fn certainty(found: &CoreFinding) -> Certainty {
    match found {
        CoreFinding::Transaction(separation) if separation.certainty == CoreCertainty::Possible => {
            Certainty::Possible
        }
        CoreFinding::Race {
            certainty: CoreCertainty::Possible,
            ..
        }
        | CoreFinding::Atomicity {
            certainty: CoreCertainty::Possible,
            ..
        }
        | CoreFinding::PossibleDeadlock { .. } => Certainty::Possible,
        _ => Certainty::Certain,
    }
}

fn access(resolver: &Resolver, access: &CoreAccess) -> Access {
    let operation = resolver.operation(access);
    Access {
        operation,
        frees: operation == Operation::Free,
        position: resolver.position(access.site),
        function: resolver.function(access.site).map(str::to_owned),
        task: resolver.task(access.task),
        locks: access
            .locks
            .iter()
            .map(|&lock| resolver.lock(lock))
            .collect(),
        stack: resolver.stack(access.site),
    }
}

fn assertion(resolver: &Resolver, site: SiteId, task: TaskId, count: u64) -> Finding {
    let who = resolver.task_phrase(task);
    let message = match count {
        1 => format!("the assertion does not hold in {who}"),
        _ => format!("the assertion does not hold {count} times, first in {who}"),
    };
    Finding {
        count,
        message,
        position: resolver.position(site),
        task: Some(resolver.task(task)),
        ..blank(Kind::Assertion)
    }
}

fn related_note(resolver: &Resolver, (text, site): (NameId, SiteId)) -> Note {
    Note {
        text: resolver.name(text).into(),
        position: resolver.position(site),
    }
}

fn deadlock(resolver: &Resolver, waits: &[CoreWait]) -> Finding {
    let tasks: BTreeSet<_> = waits.iter().map(|wait| wait.task).collect();
    let message = match tasks.len() {
        1 => "1 task waits forever".into(),
        many => format!("{many} tasks wait forever"),
    };
    Finding {
        message,
        position: waits.first().and_then(|wait| resolver.position(wait.site)),
        waits: waits.iter().map(|one| wait(resolver, one)).collect(),
        help: Some(deadlock_help(resolver, waits).into()),
        ..blank(Kind::Deadlock)
    }
}

fn wait(resolver: &Resolver, wait: &CoreWait) -> Wait {
    Wait {
        task: resolver.task(wait.task),
        position: resolver.position(wait.site),
        awaited: resolver.awaited(wait.awaited),
        holds: None,
    }
}

/// Names the wait that is most likely the cause; the rest usually wait for the one that is stuck.
fn deadlock_help(resolver: &Resolver, waits: &[CoreWait]) -> String {
    let cause = waits.iter().find_map(|wait| match wait.awaited {
        Awaited::Token(token) => Some(format!(
            "let a task that can run satisfy event {}",
            resolver.token(token)
        )),
        Awaited::Region(name) => Some(format!(
            "post a task into region {} before the ewait",
            resolver.name(name)
        )),
        Awaited::Lock(_) => Some(
            "take locks in the same sequence everywhere, and wait for no task while holding one"
                .into(),
        ),
        Awaited::Task(_) | Awaited::Finish(_) => None,
    });
    cause.unwrap_or_else(|| "let no task wait, directly or not, for its own end".into())
}

pub(crate) fn blank(kind: Kind) -> Finding {
    Finding {
        kind,
        certainty: Certainty::Certain,
        location: None,
        object: None,
        message: String::new(),
        count: 1,
        locations: 0,
        samples: Vec::new(),
        same_cause: Vec::new(),
        fingerprint: String::new(),
        position: None,
        accesses: Arc::default(),
        task: None,
        waits: Vec::new(),
        schedule: Vec::new(),
        witness: Arc::default(),
        common_steps: 0,
        cuts: Vec::new(),
        cycle: Vec::new(),
        decision: None,
        why: Arc::default(),
        replay: None,
        help: None,
        rank: 0,
    }
}
