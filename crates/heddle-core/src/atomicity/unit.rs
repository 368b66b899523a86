//! Units: what is checked for atomicity. A unit is one location, or a group of locations that are to be
//! accessed together; it has one history.

use crate::event::AccessKind;
use crate::finding::Place;
use crate::id::{Extent, GroupId, Location};
use crate::place::Places;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A unit, in the sequence in which units were first accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnitId(u32);

impl UnitId {
    /// The unit's row in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which locations are checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// Those the program declares atomic.
    #[default]
    Declared,
    /// All of them; groups the program declares stay groups.
    All,
}

/// What is checked, and as what.
#[derive(Debug)]
pub struct Units {
    scope: Scope,
    /// Declared extents, by their start.
    declared: BTreeMap<u64, Declared>,
    declarations: u32,
    locations: FxHashMap<Location, UnitId>,
    groups: FxHashMap<GroupId, UnitId>,
    /// What each unit is.
    subjects: Vec<Subject>,
}

#[derive(Clone, Copy, Debug)]
struct Declared {
    len: u64,
    /// How many declarations came before: members are named in that sequence.
    rank: u32,
    group: Option<GroupId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    Location(Location),
    Group(GroupId),
}

/// One access to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// What is accessed.
    pub unit: UnitId,
    /// The first location of the access that belongs to it.
    pub at: Location,
    /// Read or write.
    pub kind: AccessKind,
}

impl Units {
    /// Nothing declared yet.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            declared: BTreeMap::new(),
            declarations: 0,
            locations: FxHashMap::default(),
            groups: FxHashMap::default(),
            subjects: Vec::new(),
        }
    }

    /// These locations are atomic from now on. What was known of them is void.
    pub fn declare(&mut self, extent: Extent, group: Option<GroupId>) {
        self.forget(extent);
        if extent.len > 0 {
            let row = Declared {
                len: extent.len,
                rank: self.declarations,
                group,
            };
            self.declared.insert(extent.start.0, row);
            self.declarations += 1;
        }
    }

    /// These locations are new ones: not declared, never accessed. A group that loses one of its
    /// members is accessed as if for the first time.
    pub fn forget(&mut self, extent: Extent) {
        if extent.len == 0 {
            return;
        }
        self.undeclare(extent);
        if extent.len as usize > self.locations.len() {
            let (start, len) = (extent.start.0, extent.len);
            self.locations
                .retain(|location, _| location.0.wrapping_sub(start) >= len);
        } else {
            for location in extent.locations() {
                self.locations.remove(&location);
            }
        }
    }

    fn undeclare(&mut self, extent: Extent) {
        let end = extent.start.0.saturating_add(extent.len);
        let before = self.declared.range(..extent.start.0).next_back();
        let first = before.map_or(extent.start.0, |(&start, _)| start);
        let rows = self.declared.range(first..end);
        let rows: Vec<(u64, Declared)> = rows.map(|(&start, &row)| (start, row)).collect();
        for (start, row) in rows {
            let row_end = start.saturating_add(row.len);
            if row_end <= extent.start.0 {
                continue;
            }
            self.declared.remove(&start);
            if let Some(group) = row.group {
                self.groups.remove(&group);
            }
            let rests = [
                (start, extent.start.0.saturating_sub(start)),
                (end, row_end.saturating_sub(end)),
            ];
            for (start, len) in rests.into_iter().filter(|&(_, len)| len > 0) {
                self.declared.insert(start, Declared { len, ..row });
            }
        }
    }

    /// Whether this location is declared atomic.
    pub fn is_declared(&self, location: Location) -> bool {
        self.row(location).is_some()
    }

    fn row(&self, location: Location) -> Option<Declared> {
        let (start, row) = self.declared.range(..=location.0).next_back()?;
        (location.0 - start < row.len).then_some(*row)
    }

    /// The unit this location belongs to, if it is checked.
    #[inline]
    pub fn unit(&mut self, location: Location) -> Option<UnitId> {
        if let Some(&unit) = self.locations.get(&location) {
            return Some(unit);
        }
        self.find(location)
    }

    #[cold]
    fn find(&mut self, location: Location) -> Option<UnitId> {
        let group = match (self.row(location), self.scope) {
            (Some(row), _) => row.group,
            (None, Scope::All) => None,
            (None, Scope::Declared) => return None,
        };
        let next = UnitId(self.subjects.len() as u32);
        let (unit, subject) = match group {
            Some(group) => (
                *self.groups.entry(group).or_insert(next),
                Subject::Group(group),
            ),
            None => (
                *self.locations.entry(location).or_insert(next),
                Subject::Location(location),
            ),
        };
        if unit == next {
            self.subjects.push(subject);
        }
        Some(unit)
    }

    /// The units an access to `extent` touches, each once.
    pub fn hits(&mut self, extent: Extent, kind: AccessKind) -> SmallVec<[Hit; 1]> {
        let mut hits: SmallVec<[Hit; 1]> = SmallVec::new();
        for at in extent.locations() {
            if let Some(unit) = self.unit(at)
                && !(self.is_group(unit) && hits.iter().any(|hit| hit.unit == unit))
            {
                hits.push(Hit { unit, at, kind });
            }
        }
        hits
    }

    fn is_group(&self, unit: UnitId) -> bool {
        matches!(self.subjects[unit.index()], Subject::Group(_))
    }

    /// Whether there is nothing to check in a run that declares no more.
    pub fn is_empty(&self) -> bool {
        self.scope == Scope::Declared && self.declared.is_empty()
    }

    /// The group this unit is, if it is one.
    pub fn group(&self, unit: UnitId) -> Option<GroupId> {
        match self.subjects[unit.index()] {
            Subject::Group(group) => Some(group),
            Subject::Location(_) => None,
        }
    }

    /// What the unit is called: its location, or the members of its group.
    pub fn places(&self, unit: UnitId, names: &Places) -> Vec<Place> {
        match self.subjects[unit.index()] {
            Subject::Location(location) => vec![names.place(location)],
            Subject::Group(group) => self.members(group, names),
        }
    }

    fn members(&self, group: GroupId, names: &Places) -> Vec<Place> {
        let rows = self.declared.iter();
        let rows = rows.filter(|(_, row)| row.group == Some(group));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(_, row)| row.rank);
        rows.into_iter()
            .map(|(&start, row)| names.whole(Extent::new(Location(start), row.len)))
            .collect()
    }

    /// How many units were accessed.
    pub fn count(&self) -> u64 {
        self.subjects.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(start: u64, len: u64) -> Extent {
        Extent::new(Location(start), len)
    }

    #[test]
    fn members_of_a_group_are_one_unit_and_other_locations_one_each() {
        let mut units = Units::new(Scope::Declared);
        units.declare(extent(0, 2), Some(GroupId::new(0)));
        units.declare(extent(5, 2), None);
        assert_eq!(units.unit(Location(0)), units.unit(Location(1)));
        assert_ne!(units.unit(Location(5)), units.unit(Location(6)));
        assert_eq!(units.unit(Location(4)), None);
        assert_eq!(units.hits(extent(0, 8), AccessKind::Read).len(), 3);
    }

    #[test]
    fn forgetting_a_part_leaves_the_rest_declared() {
        let mut units = Units::new(Scope::Declared);
        units.declare(extent(10, 10), None);
        units.forget(extent(13, 2));
        let declared = (8..22).filter(|&at| units.is_declared(Location(at)));
        let declared: Vec<u64> = declared.collect();
        assert_eq!(declared, [10, 11, 12, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn a_forgotten_member_makes_its_group_a_new_unit() {
        let mut units = Units::new(Scope::Declared);
        units.declare(extent(0, 2), Some(GroupId::new(0)));
        let before = units.unit(Location(0));
        units.forget(extent(1, 1));
        assert_eq!(units.unit(Location(1)), None);
        assert_ne!(units.unit(Location(0)), before);
    }

    #[test]
    fn in_the_scope_of_all_every_location_is_a_unit() {
        let mut units = Units::new(Scope::All);
        assert!(units.unit(Location(7)).is_some());
        assert!(!units.is_declared(Location(7)));
    }
}
