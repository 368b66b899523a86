//! What a program does against the rules of the runtime: each kind once per place, with a count.

use super::actor::Actor;
use super::edt::{Edt, SlotState};
use super::event::Kind;
use super::guid::{Guid, Object};
use super::world::{World, world};
use heddle_core::{SiteId, TaskId};
use rustc_hash::FxHashMap;

/// A rule that was broken.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rule {
    /// An event that can be satisfied once was satisfied again.
    Again { kind: Kind },
    /// An event is used that is gone.
    EventGone { what: &'static str },
    /// A block is used that is gone.
    BlockGone { what: &'static str },
    /// A slot of a task that has run, or runs.
    EdtGone { slot: u32 },
    /// A slot that the task does not have.
    NoSlot { slot: u32, slots: usize },
    /// A slot that was filled before.
    SlotAgain { slot: u32 },
    /// A slot that a collective event does not have.
    NoContributor { slot: u32, slots: usize },
    /// A collective event is satisfied by the call for others.
    NoValues,
    /// Nothing of that name can be satisfied.
    NoObject { what: &'static str },
    /// Nothing of that name can be waited for.
    NoSource,
    /// There is no such template.
    NoTemplate,
    /// A template is made of no function.
    NoFunction,
    /// A task is created with another number of something than its template says.
    Count {
        what: &'static str,
        asked: u32,
        template: u32,
    },
    /// Neither the task nor its template says how many of something there are.
    NoCount { what: &'static str },
    /// Parameters are announced and not passed.
    NoParameters { count: u32 },
    /// A block is accessed after the task has released it.
    AfterRelease,
    /// A block is accessed that the task has not acquired.
    NotAcquired,
    /// Memory behind a block is accessed.
    Outside { size: usize },
    /// A block is released that the task has not acquired, or has released.
    NotHeld,
    /// A task waits for an event that nobody satisfies.
    NeverSatisfied { kind: Kind },
    /// A task never runs.
    Stuck { missing: String },
}

impl Rule {
    fn message(&self) -> String {
        match self {
            Self::Again { kind } => format!("the {} is satisfied a second time", kind.name()),
            Self::EventGone { what } => {
                format!("an event is {what} that was destroyed or has destroyed itself")
            }
            Self::BlockGone { what } => {
                format!("a data block is {what} that was destroyed")
            }
            Self::EdtGone { slot } => {
                format!("slot {slot} of a task is satisfied that has run already")
            }
            Self::NoSlot { slot, slots } => {
                format!("slot {slot} is satisfied, and the task has {slots}")
            }
            Self::NoContributor { slot, slots } => {
                format!("slot {slot} of a collective event is used, and it has {slots}")
            }
            Self::NoValues => "a collective event is satisfied without values".into(),
            Self::SlotAgain { slot } => format!("slot {slot} is satisfied a second time"),
            Self::NoObject { what } => {
                format!("no event or task is {what}: the GUID names neither")
            }
            Self::NoSource => {
                "a dependence is added on what is neither an event nor a data block".into()
            }
            Self::NoTemplate => "a task is created from a GUID that names no template".into(),
            Self::NoFunction => "a template is created without a function".into(),
            Self::Count {
                what,
                asked,
                template,
            } => {
                format!("a task is created with {asked} {what}, and its template has {template}")
            }
            Self::NoCount { what } => {
                format!("neither the task nor its template says how many {what} it has")
            }
            Self::NoParameters { count } => {
                format!("a task is created with {count} parameters and no array of them")
            }
            Self::AfterRelease => {
                "a data block is accessed after the task has released or destroyed it".into()
            }
            Self::NotAcquired => {
                "a data block is accessed that the task neither depends on nor created".into()
            }
            Self::Outside { size } => {
                format!("memory outside of all data blocks is accessed, behind one of {size} bytes")
            }
            Self::NotHeld => "a data block is released that the task does not have".into(),
            Self::NeverSatisfied { kind } => {
                format!(
                    "the task waits for ever: nobody satisfies the {}",
                    kind.name()
                )
            }
            Self::Stuck { missing } => format!("the task never runs: {missing}"),
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Again { .. } => {
                "satisfy it once, or use an idempotent event if the first one counts"
            }
            Self::EventGone { .. } => {
                "a once event goes when it is satisfied: add dependences before, or use a sticky event"
            }
            Self::BlockGone { .. } => "destroy the block where nobody comes later",
            Self::EdtGone { .. } | Self::SlotAgain { .. } => "satisfy each slot once",
            Self::NoSlot { .. } => "create the template with as many dependences as are added",
            Self::NoContributor { .. } => "create the event for as many contributors as there are",
            Self::NoValues => "pass the values with ocrEventCollectiveSatisfySlot",
            Self::NoObject { .. } | Self::NoSource | Self::NoTemplate => {
                "check that the GUID was initialised, and by a call that succeeded"
            }
            Self::NoFunction => "pass the function that the tasks are to execute",
            Self::Count { .. } => "pass as many as the template says, or EDT_PARAM_DEF",
            Self::NoCount { .. } => "pass the number to ocrEdtCreate or to ocrEdtTemplateCreate",
            Self::NoParameters { .. } => "pass an array, or 0 as their number",
            Self::AfterRelease => "release the block after its last use",
            Self::NotAcquired => "add a dependence on the block (ocrAddDependence)",
            Self::Outside { .. } => "check the size of the block and the index",
            Self::NotHeld => "release a block once, in a task that depends on it or created it",
            Self::NeverSatisfied { .. } => "satisfy the event in a task that can run before",
            Self::Stuck { .. } => "satisfy the slot in every run, or create the task without it",
        }
    }
}

/// A broken rule, in words.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) message: String,
    pub(crate) help: &'static str,
    pub(crate) site: SiteId,
    pub(crate) task: TaskId,
    pub(crate) related: Option<(&'static str, SiteId)>,
    pub(crate) count: u64,
}

#[derive(Debug)]
struct Entry {
    task: TaskId,
    related: Option<(&'static str, SiteId)>,
    count: u64,
}

/// What was broken so far.
#[derive(Debug, Default)]
pub(super) struct Book {
    entries: FxHashMap<(Rule, SiteId), Entry>,
    several_satisfy: bool,
}

impl Book {
    pub(super) fn add(
        &mut self,
        rule: Rule,
        site: SiteId,
        task: TaskId,
        related: Option<(&'static str, SiteId)>,
    ) {
        let entry = self.entries.entry((rule, site)).or_insert(Entry {
            task,
            related,
            count: 0,
        });
        entry.count += 1;
    }

    /// Another schedule may have an idempotent event satisfied by somebody else.
    pub(super) fn several_satisfy(&mut self) {
        self.several_satisfy = true;
    }
}

impl World {
    /// The actor has broken a rule.
    pub(super) fn misused(
        &mut self,
        actor: &Actor,
        rule: Rule,
        related: Option<(&'static str, SiteId)>,
    ) {
        let (site, task) = (actor.site, actor.cursor.task());
        self.book.add(rule, site, task, related);
    }

    /// The actor waits for an event, and nothing can run any more.
    pub(super) fn waits_for_ever(&mut self, actor: &Actor, event: Guid) {
        if let Some(event) = self.objects.event(event) {
            let (kind, site) = (event.kind, event.site);
            let related = ("the event is created here", site);
            self.misused(actor, Rule::NeverSatisfied { kind }, Some(related));
        }
    }

    /// Nothing can run any more: the tasks that were waiting never will.
    pub(super) fn note_stuck(&mut self) {
        let mut stuck = Vec::new();
        for (_, object) in self.objects.iter() {
            if let Object::Edt(edt) = object
                && !edt.is_runnable()
            {
                stuck.push((self.missing(edt), edt.site));
            }
        }
        for ((missing, related), site) in stuck {
            let rule = Rule::Stuck { missing };
            self.book.add(rule, site, TaskId::MAIN, related);
        }
    }

    /// What a task waits for, and where that was created.
    fn missing(&self, edt: &Edt) -> (String, Option<(&'static str, SiteId)>) {
        let is_missing = |state| !matches!(state, SlotState::Filled(_));
        let mut missing = edt.slots.iter().enumerate();
        let first = missing.find(|(_, slot)| is_missing(slot.state));
        let Some((number, slot)) = first else {
            return (String::new(), None);
        };
        let more = missing.filter(|(_, slot)| is_missing(slot.state)).count();
        let more = match more {
            0 => String::new(),
            1 => ", and one more slot is missing".into(),
            more => format!(", and {more} more slots are missing"),
        };
        match slot.state {
            SlotState::Waits(event) => {
                let event = match self.objects.get(event) {
                    Some(Object::Event(event)) => Some(&**event),
                    _ => None,
                };
                let name = event.map_or("event", |event| event.kind.name());
                let related = event.map(|event| ("the event is created here", event.site));
                let text =
                    format!("slot {number} waits for its {name}, which nobody satisfies{more}");
                (text, related)
            }
            _ => (
                format!("nobody adds a dependence for slot {number}{more}"),
                None,
            ),
        }
    }
}

/// What was broken, in the sequence of places.
pub(crate) fn findings() -> Vec<Told> {
    if !super::any() {
        return Vec::new();
    }
    let world = world();
    let told = world.book.entries.iter().map(|((rule, site), entry)| Told {
        message: rule.message(),
        help: rule.help(),
        site: *site,
        task: entry.task,
        related: entry.related,
        count: entry.count,
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by(|a, b| (a.site, &a.message).cmp(&(b.site, &b.message)));
    told
}

/// Whether a rule was broken.
pub(crate) fn has_findings() -> bool {
    super::any() && !world().book.entries.is_empty()
}

/// What another schedule may do otherwise and was not covered.
pub(crate) fn gaps() -> Vec<String> {
    let mut gaps = Vec::new();
    if super::any() && world().book.several_satisfy {
        let gap = match crate::api::turns::are_given() {
            true => "schedules in which a task comes between two satisfactions of another",
            false => "schedules in which another task satisfies an idempotent event first",
        };
        gaps.push(gap.into());
    }
    if super::schedule::left_some_out() {
        gaps.push("tasks that could still run when the program shut down".into());
    }
    gaps
}
