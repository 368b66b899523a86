//! What touched each location: every access that no later one stands for.
//!
//! The rule is that of the engine (`heddle-rt`, `history.rs`): an earlier access is forgotten when a later
//! one comes after it, holds no lock that the earlier one did not hold, and writes if it wrote.
//! Pages are shared between copies until one of them changes.

use std::rc::Rc;

use heddle_core::{AccessKind, Extent, Location, LockMode, SiteId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::excludes;
use crate::past::Past;

/// One access as it is remembered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub strand: u32,
    pub site: SiteId,
    pub kind: AccessKind,
    pub locks: SmallVec<[(u32, LockMode); 2]>,
    /// It was made in a closed section.
    pub is_closed: bool,
}

impl Mark {
    /// Whether no lock keeps the two apart.
    fn is_unprotected_from(&self, other: &Self) -> bool {
        let mut pairs = self.locks.iter();
        !pairs.any(|&a| other.locks.iter().any(|&b| excludes(a, b)))
    }

    /// Whether what races with `earlier`, which precedes it, races with this one.
    fn stands_for(&self, earlier: &Self) -> bool {
        let writes = self.kind == AccessKind::Write || earlier.kind == AccessKind::Read;
        let fewer = self.locks.iter().all(|lock| earlier.locks.contains(lock));
        // Which of the two is remembered must not depend on the way here.
        writes && fewer && (self.is_closed == earlier.is_closed)
    }
}

/// Accesses to one location.
pub(super) type Marks = SmallVec<[Mark; 2]>;

/// The locations with accesses. Locations of one page are copied together.
#[derive(Clone, Debug, Default)]
pub(super) struct Histories {
    pages: FxHashMap<u64, Rc<Page>>,
}

const PAGE: u64 = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Page([Marks; PAGE as usize]);

impl Histories {
    /// Compares an access with the earlier ones, passes on the sites of races, and remembers it.
    pub fn access(
        &mut self,
        location: Location,
        now: Mark,
        past: &Past,
        mut found: impl FnMut([SiteId; 2]),
    ) {
        let page = self.pages.entry(location.0 / PAGE).or_default();
        let row = (location.0 % PAGE) as usize;
        if page.0[row].contains(&now) {
            return;
        }
        let marks = &mut Rc::make_mut(page).0[row];
        for earlier in marks.iter() {
            let conflicts = now.kind == AccessKind::Write || earlier.kind == AccessKind::Write;
            if conflicts && !past.has(earlier.strand) && now.is_unprotected_from(earlier) {
                let sites = [earlier.site, now.site];
                found([sites[0].min(sites[1]), sites[0].max(sites[1])]);
            }
        }
        marks.retain(|earlier| !(past.has(earlier.strand) && now.stands_for(earlier)));
        marks.push(now);
    }

    /// Forgets what touched these locations.
    pub fn forget(&mut self, extent: Extent) {
        for location in extent.locations() {
            if let Some(page) = self.pages.get_mut(&(location.0 / PAGE)) {
                Rc::make_mut(page).0[(location.0 % PAGE) as usize].clear();
            }
        }
    }

    /// All accesses that are remembered.
    pub fn marks(&self) -> impl Iterator<Item = (Location, &Mark)> {
        let rows = self.pages.iter().flat_map(|(&page, marks)| {
            let rows = (0..).zip(&marks.0);
            rows.map(move |(row, marks)| (Location(page * PAGE + row), marks))
        });
        rows.flat_map(|(location, marks)| marks.iter().map(move |mark| (location, mark)))
    }
}
