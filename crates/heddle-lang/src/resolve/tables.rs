//! The legend under construction: equal sites and names get equal ids.

use crate::diagnostic::FILE;
use heddle_core::{Legend, NameId, Site, SiteId, SourceFile};
use std::collections::HashMap;

/// A legend with its indices.
pub(super) struct Tables<'s> {
    pub(super) legend: Legend,
    sites: HashMap<Site, SiteId>,
    names: HashMap<&'s str, NameId>,
}

impl<'s> Tables<'s> {
    /// The tables of a program in one file.
    pub(super) fn new(path: &str, source: &str) -> Self {
        let file = SourceFile {
            path: path.to_owned(),
            text: Some(source.to_owned()),
        };
        debug_assert_eq!(FILE.index(), 0);
        Self {
            legend: Legend {
                files: vec![file],
                ..Legend::default()
            },
            sites: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// The id of this place.
    pub(super) fn site(&mut self, site: Site) -> SiteId {
        let rows = &mut self.legend.sites;
        *self.sites.entry(site).or_insert_with(|| {
            rows.push(site);
            SiteId::new(row(rows.len()))
        })
    }

    /// The id of this name.
    pub(super) fn name(&mut self, name: &'s str) -> NameId {
        let rows = &mut self.legend.names;
        *self.names.entry(name).or_insert_with(|| {
            rows.push(name.to_owned());
            NameId::new(row(rows.len()))
        })
    }
}

/// The number of the last of `len` rows.
pub(super) fn row(len: usize) -> u32 {
    u32::try_from(len - 1).expect("a source text of fewer than 2^32 tokens")
}
