//! What a stream may refer to, and how much memory it may make a detector touch.

use heddle_core::{Extent, Legend, NameId, SiteId};

use crate::violation::Violation;

/// Locations that an access may touch without being counted: as many as the bytes of the widest access
/// that native programs make at once.
pub const FREE: u64 = 16;

/// Bounds on the numbers in events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many sites the legend has.
    pub sites: u64,
    /// How many names the legend has.
    pub names: u64,
    /// The most locations one extent may have.
    pub extent: u64,
    /// The most locations that reads, writes, frees and declarations as atomic may cover beyond the first 16 of
    /// each, in the whole run. A detector with a cell for each touched location thus needs no more than
    /// this many cells plus so many for each event.
    pub spread: u64,
}

impl Limits {
    /// The limits for a run with this legend.
    pub fn of(legend: &Legend) -> Self {
        Self::default().covered_by(legend)
    }

    /// The same, and no more sites and names than the legend has.
    pub fn covered_by(self, legend: &Legend) -> Self {
        Self {
            sites: self.sites.min(legend.sites.len() as u64),
            names: self.names.min(legend.names.len() as u64),
            ..self
        }
    }

    pub(crate) fn extent(&self, Extent { start, len }: Extent) -> Result<(), Violation> {
        if start.0.checked_add(len).is_some() && len <= self.extent {
            return Ok(());
        }
        Err(Violation::BadExtent {
            start: start.0,
            len,
        })
    }

    pub(crate) fn site(&self, site: SiteId) -> Result<(), Violation> {
        if u64::from(site.raw()) < self.sites {
            Ok(())
        } else {
            Err(Violation::UnknownSite(site))
        }
    }

    pub(crate) fn name(&self, name: NameId) -> Result<(), Violation> {
        if u64::from(name.raw()) < self.names {
            Ok(())
        } else {
            Err(Violation::UnknownName(name))
        }
    }
}

impl Default for Limits {
    /// Any site and name, extents up to 2^32, spread up to 2^26.
    fn default() -> Self {
        Self {
            sites: u64::MAX,
            names: u64::MAX,
            extent: 1 << 32,
            spread: 1 << 26,
        }
    }
}
