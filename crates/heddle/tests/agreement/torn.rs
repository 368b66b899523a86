//! What can be torn in a drawn program: what it declares, by the oracle, and the values behind locks.
//!
//! The oracle knows only triples. For a value behind a lock, each change with the last look of its region before it is
//! made a location of its own, which the look reads, the change writes, and every other change of that value
//! writes as well: it is torn if the value is.

use crate::play;
use crate::program::{ALONE, CELLS, LOCKS, Use};
use heddle::Finding;
use heddle_core::atomicity::Scope;
use heddle_core::{Certainty, Event, Extent, Location, LockId, SiteId, TaskId};
use heddle_oracle::{Oracle, Subject};
use std::collections::BTreeMap;

/// What can be torn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unit {
    Location(usize),
    Group,
    Cell(usize),
}

impl Unit {
    /// The unit that a finding is about.
    pub fn of(finding: &Finding) -> Self {
        let name = finding.location.as_deref().expect("it has a name");
        let named = |&location: &usize| play::name(location) == name;
        let cell = play::CELL_NAMES.iter().position(|cell| *cell == name);
        match (cell, (0..=ALONE).find(named)) {
            (Some(cell), _) => Self::Cell(cell),
            // A group is called by its first member.
            (_, Some(ALONE)) => Self::Group,
            (_, location) => Self::Location(location.expect("one of the locations")),
        }
    }
}

/// The lock of a cell.
pub fn lock_of(cell: usize) -> LockId {
    LockId::new((LOCKS + cell) as u32 + 1)
}

/// Where hand-offs through a cell go, and where the locations for its changes begin.
const HANDED: u64 = 1000;
const CHANGES: u64 = 2000;
const SITE: SiteId = SiteId::new(0);
/// Of the look, of what comes in between, and of the change.
const UPDATE: [SiteId; 3] = [SiteId::new(1), SiteId::new(2), SiteId::new(3)];

/// What sections did with cells.
#[derive(Default)]
pub struct Cells {
    made: Vec<Made>,
    running: Option<TaskId>,
    /// How many task operations each task has made.
    operations: BTreeMap<Option<TaskId>, u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Made {
    cell: usize,
    what: What,
    /// The kind of section, which tells its positions from others.
    of: Use,
    /// Before which event.
    at: usize,
    region: (Option<TaskId>, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Look,
    Change,
}

impl Cells {
    pub fn follow(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } if task == TaskId::MAIN => {
                self.running = None;
            }
            Event::Begin { task } | Event::Resume { task } => self.running = Some(task),
            Event::Spawn { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. } => *self.operations.entry(self.running).or_default() += 1,
            _ => {}
        }
    }

    /// A section of a cell's lock does this, at the end of these events.
    pub fn section(&mut self, events: &mut Vec<Event>, cell: usize, what: Use) {
        let extent = Extent::one(Location(HANDED + cell as u64));
        events.push(Event::Read { extent, site: SITE });
        if matches!(what, Use::Look | Use::LookThenChange) {
            self.make(events.len(), cell, What::Look, what);
        }
        if what != Use::Look {
            self.make(events.len(), cell, What::Change, what);
            events.push(Event::Write { extent, site: SITE });
        }
    }

    fn make(&mut self, at: usize, cell: usize, what: What, of: Use) {
        let operations = self.operations.get(&self.running).copied();
        let region = (self.running, operations.unwrap_or(0));
        self.made.push(Made {
            cell,
            what,
            of,
            at,
            region,
        });
    }

    /// Every change with the last look before it, and before no other change, unless there was one at its position
    /// already.
    fn updates(&self) -> Vec<(Made, Made)> {
        let mut looks: BTreeMap<_, Made> = BTreeMap::new();
        let (mut changed, mut updates) = (Vec::new(), Vec::new());
        for &made in &self.made {
            let key = (made.cell, made.region);
            if made.what == What::Look {
                looks.insert(key, made);
                continue;
            }
            let look = looks.remove(&key);
            if !changed.contains(&(key, made.of)) {
                changed.push((key, made.of));
                updates.extend(look.map(|look| (look, made)));
            }
        }
        updates
    }
}

/// What can be torn in the run of these events.
pub fn units(events: &[Event], cells: &Cells) -> BTreeMap<Unit, Certainty> {
    let updates = cells.updates();
    let oracle = Oracle::of(&spelt_out(events, cells, &updates));
    let mut units = BTreeMap::new();
    for torn in oracle.torn(Scope::Declared) {
        let unit = match torn.subject {
            Subject::Group(_) => Unit::Group,
            Subject::Location(Location(at)) if at >= CHANGES => {
                if torn.triple.map(|(_, site, _)| site) != UPDATE {
                    continue;
                }
                Unit::Cell(updates[(at - CHANGES) as usize].0.cell)
            }
            Subject::Location(Location(at)) if at >= HANDED => continue,
            Subject::Location(Location(at)) => Unit::Location(at as usize),
        };
        let known = units.entry(unit).or_insert(torn.certainty);
        *known = torn.certainty.max(*known);
    }
    units
}

/// The events, with the locations that stand for updates.
fn spelt_out(events: &[Event], cells: &Cells, updates: &[(Made, Made)]) -> Vec<Event> {
    let declared = [(HANDED, CELLS), (CHANGES, updates.len())];
    let declared = declared.map(|(start, len)| Event::Atomic {
        extent: Extent::new(Location(start), len as u64),
        group: None,
    });
    let mut all = declared.to_vec();
    for (at, &event) in events.iter().enumerate() {
        let here = cells.made.iter().filter(|made| made.at == at);
        here.for_each(|made| all.extend(accesses(*made, updates)));
        all.push(event);
    }
    all
}

fn accesses(made: Made, updates: &[(Made, Made)]) -> Vec<Event> {
    let [looks, comes_between, changes] = UPDATE;
    let all = updates.iter().enumerate();
    let all = all.filter_map(|(n, (look, change))| {
        let extent = Extent::one(Location(CHANGES + n as u64));
        let write = |site| Some(Event::Write { extent, site });
        let is_change = made.what == What::Change && made.cell == change.cell;
        match made {
            _ if made == *look => Some(Event::Read {
                extent,
                site: looks,
            }),
            _ if made == *change => write(changes),
            _ if is_change => write(comes_between),
            _ => None,
        }
    });
    all.collect()
}
