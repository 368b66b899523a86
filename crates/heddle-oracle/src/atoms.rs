//! The reference for atomicity: all triples of accesses of a run, tried one by one.
//!
//! Regions and units are followed here once more, from the words of the definition, and share no code
//! with the engine. A region is named by its task and how many task operations (or ends of atomic blocks) that task
//! did before it. An access belongs to a unit within one life of it: an `Alloc` or a new declaration of any of its
//! members starts the next.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{
    AccessKind, Certainty, Event, Extent, Finding, GroupId, Location, Outcome, SiteId, TaskId,
};

use crate::graph::{Closure, Node};
use crate::oracle::{Sections, both_share};

pub(crate) use heddle_core::atomicity::Scope;

/// What is accessed as one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// A location by itself.
    Location(Location),
    /// The members of a group.
    Group(GroupId),
}

/// A triple that tears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Torn {
    /// What is torn.
    pub subject: Subject,
    /// Whether it is torn with the hand-offs counted as order.
    pub certainty: Certainty,
    /// The three accesses: kind, position, task.
    pub triple: [(AccessKind, SiteId, TaskId); 3],
}

/// The strongest verdict on each torn unit.
pub type TornVerdicts = BTreeMap<Subject, Certainty>;

/// Who accessed what, in which region.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    declared: BTreeMap<Location, Option<GroupId>>,
    lives: BTreeMap<Subject, u32>,
    regions: BTreeMap<TaskId, Region>,
    touches: Vec<Touch>,
    /// The region of each node: of one that others wait for, the one that ends there.
    pub(crate) nodes: BTreeMap<Node, RegionId>,
}

/// A task, and how many of its regions came before.
pub(crate) type RegionId = (TaskId, u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Region {
    operations: u32,
    blocks: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    /// As a location by itself, and as what it is declared.
    alone: (Subject, u32),
    declared: Option<(Subject, u32)>,
    pub(crate) node: Node,
    pub(crate) region: RegionId,
    pub(crate) kind: AccessKind,
    site: SiteId,
    pub(crate) sections: Sections,
}

impl Atoms {
    pub(crate) fn declare(&mut self, extent: Extent, group: Option<GroupId>) {
        self.void(extent);
        for location in extent.locations() {
            self.declared.insert(location, group);
        }
    }

    pub(crate) fn is_declared(&self, location: Location) -> bool {
        self.declared.contains_key(&location)
    }

    fn void(&mut self, extent: Extent) {
        for location in extent.locations() {
            *self.lives.entry(Subject::Location(location)).or_default() += 1;
            if let Some(Some(group)) = self.declared.remove(&location) {
                *self.lives.entry(Subject::Group(group)).or_default() += 1;
            }
        }
    }

    /// Takes an event of `task`, which holds `sections`.
    pub(crate) fn note(&mut self, task: TaskId, node: Node, event: Event, sections: &Sections) {
        let region = self.regions.entry(task).or_default();
        let before = region.operations;
        match event {
            Event::Spawn { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
                if region.blocks == 0 =>
            {
                region.operations += 1;
            }
            Event::AtomicBegin { .. } => {
                region.operations += u32::from(region.blocks == 0);
                region.blocks += 1;
            }
            Event::AtomicEnd { .. } => {
                region.blocks -= 1;
                region.operations += u32::from(region.blocks == 0);
            }
            Event::Alloc { extent, .. } => self.void(extent),
            Event::Read { extent, site } => {
                self.access(task, node, extent, AccessKind::Read, site, sections);
            }
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(task, node, extent, AccessKind::Write, site, sections);
            }
            _ => {}
        }
        let after = self.regions.entry(task).or_default().operations;
        let waits = matches!(
            event,
            Event::FinishEnd { .. } | Event::Join { .. } | Event::Wait { .. }
        );
        let region = (task, if waits { after } else { before });
        self.nodes.insert(node, region);
    }

    /// The first node of a task.
    pub(crate) fn begin(&mut self, task: TaskId, node: Node) {
        self.nodes.insert(node, (task, 0));
    }

    fn access(
        &mut self,
        task: TaskId,
        node: Node,
        extent: Extent,
        kind: AccessKind,
        site: SiteId,
        sections: &Sections,
    ) {
        let region = (task, self.regions.entry(task).or_default().operations);
        for location in extent.locations() {
            let alone = Subject::Location(location);
            let declared = self.declared.get(&location).map(|group| match group {
                Some(group) => Subject::Group(*group),
                None => alone,
            });
            let declared = declared.map(|subject| self.living(subject));
            // One event is one access to a group, however many members it covers.
            if let Some((Subject::Group(_), _)) = declared
                && self
                    .touches
                    .iter()
                    .rev()
                    .take_while(|touch| touch.node == node)
                    .any(|touch| touch.declared == declared)
            {
                continue;
            }
            self.touches.push(Touch {
                alone: self.living(alone),
                declared,
                node,
                region,
                kind,
                site,
                sections: sections.clone(),
            });
        }
    }

    fn living(&self, subject: Subject) -> (Subject, u32) {
        let life = self.lives.get(&subject).copied().unwrap_or_default();
        (subject, life)
    }

    /// All triples, by brute force.
    pub(crate) fn torn(&self, scope: Scope, order: &Closure, with_handoffs: &Closure) -> Vec<Torn> {
        let mut torn = Vec::new();
        for (unit, touches) in self.by_unit(scope) {
            for (first, last) in pairs(&touches) {
                for middle in &touches {
                    if is_torn(first, middle, last, order) {
                        torn.push(Torn {
                            subject: unit.0,
                            certainty: match with_handoffs.parallel(middle.node, last.node) {
                                true => Certainty::Certain,
                                false => Certainty::Possible,
                            },
                            triple: [first, middle, last]
                                .map(|touch| (touch.kind, touch.site, touch.region.0)),
                        });
                    }
                }
            }
        }
        torn
    }

    pub(crate) fn by_unit(&self, scope: Scope) -> BTreeMap<(Subject, u32), Vec<&Touch>> {
        let mut units: BTreeMap<_, Vec<&Touch>> = BTreeMap::new();
        for touch in &self.touches {
            let unit = match (touch.declared, scope) {
                (Some(unit), _) => unit,
                (None, Scope::All) => touch.alone,
                (None, Scope::Declared) => continue,
            };
            units.entry(unit).or_default().push(touch);
        }
        units
    }
}

/// Two accesses of one region, by different events.
fn pairs<'a>(touches: &'a [&'a Touch]) -> impl Iterator<Item = (&'a Touch, &'a Touch)> {
    let all = touches.iter().enumerate();
    all.flat_map(|(n, first)| touches[n + 1..].iter().map(move |last| (*first, *last)))
        .filter(|(first, last)| first.region == last.region && first.node != last.node)
}

pub(crate) fn is_torn(first: &Touch, middle: &Touch, last: &Touch, order: &Closure) -> bool {
    use AccessKind::{Read, Write};
    let unserializable = matches!(
        (first.kind, middle.kind, last.kind),
        (Read, Write, Read)
            | (Read, Write, Write)
            | (Write, Read, Write)
            | (Write, Write, Read)
            | (Write, Write, Write)
    );
    let kept: BTreeSet<_> = first.sections.iter().collect();
    let mut kept = last
        .sections
        .iter()
        .filter(|section| kept.contains(section));
    unserializable
        && order.parallel(middle.node, last.node)
        && !kept.any(|(lock, &(mode, _))| {
            let held = middle.sections.get(lock);
            held.is_some_and(|&(how, _)| !both_share(mode, how))
        })
}

/// What an engine said, reduced to what can be compared.
pub fn torn_verdicts(outcome: &Outcome) -> TornVerdicts {
    let mut verdicts = TornVerdicts::new();
    for finding in &outcome.findings {
        if let Finding::Atomicity {
            certainty,
            group,
            touched,
            ..
        } = finding
        {
            let subject = match group {
                Some(group) => Subject::Group(*group),
                None => Subject::Location(Location(touched[0].location)),
            };
            raise(&mut verdicts, subject, *certainty);
        }
    }
    verdicts
}

/// The verdicts of these triples.
pub(crate) fn verdicts_of(torn: &[Torn]) -> TornVerdicts {
    let mut verdicts = TornVerdicts::new();
    for torn in torn {
        raise(&mut verdicts, torn.subject, torn.certainty);
    }
    verdicts
}

fn raise(verdicts: &mut TornVerdicts, subject: Subject, certainty: Certainty) {
    let verdict = verdicts.entry(subject).or_insert(certainty);
    *verdict = certainty.max(*verdict);
}
