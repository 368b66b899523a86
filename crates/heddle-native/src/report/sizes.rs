//! How many elements raced at a pair of positions, where there are more than are told apart.

use crate::report::tables::Tables;
use heddle_core::SiteId;
use heddle_rt::{RacyBytes, Spread};
use std::collections::BTreeMap;

/// How large the elements are that pairs of positions raced on, as far as they are told apart.
#[derive(Default)]
pub(super) struct Sizes {
    /// By the engine's numbers of the positions: those of the tables, bytes, and elements.
    pairs: BTreeMap<[u32; 2], ([SiteId; 2], u64, u64)>,
}

/// What is known of the races at two source positions.
struct Merged {
    rows: [SiteId; 2],
    bytes: u64,
    elements: u64,
    racy: Spread,
    /// Whether there are more than were told apart.
    is_more: bool,
}

impl Sizes {
    /// Notes a race on this many bytes.
    pub(super) fn add(
        &mut self,
        mut raw: [u32; 2],
        sites: [SiteId; 2],
        bytes: u32,
        elements: usize,
    ) {
        raw.sort_unstable();
        let pair = self.pairs.entry(raw).or_insert((sites, 0, 0));
        pair.1 += u64::from(bytes);
        pair.2 += elements as u64;
    }

    /// How many elements there are in all for each pair of positions of which not all are told apart. Several pairs of the engine's, a read and a
    /// write or two copies of a loop, may have the same positions.
    pub(super) fn totals(&self, racy: &[RacyBytes], tables: &Tables) -> Vec<([SiteId; 2], u64)> {
        let mut merged = BTreeMap::new();
        for RacyBytes { sites, bytes: racy } in racy {
            let Some((rows, bytes, elements)) = self.pairs.get(sites) else {
                continue;
            };
            let mut places = rows.map(|site| tables.legend.site(site));
            places.sort();
            let one = merged.entry(places).or_insert(Merged {
                rows: *rows,
                bytes: 0,
                elements: 0,
                racy: Spread::default(),
                is_more: false,
            });
            one.is_more |= racy.len() > *bytes;
            one.bytes += bytes;
            one.elements += elements;
            one.racy.join(racy);
        }
        let total = |one: Merged| {
            let size = (one.bytes / one.elements.max(1)).max(1);
            (one.rows, one.racy.len() / size)
        };
        let merged = merged.into_values().filter(|one| one.is_more);
        merged.map(total).collect()
    }
}
