//! Source positions: every caller's [`Location`] gets a number once.

use crate::written::is_word;
use heddle_core::{FileId, Legend, Site, SiteId, SourceFile};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A position in the checked program.
pub(crate) type Caller = &'static Location<'static>;

/// The positions seen in one session.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By the caller's address: the compiler makes one or more per position.
    ids: FxHashMap<usize, SiteId>,
    by_position: FxHashMap<(&'static str, u32, u32), SiteId>,
    callers: Vec<Caller>,
}

impl Sites {
    /// The number of this position.
    pub(crate) fn id(&self, caller: Caller) -> SiteId {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let address = std::ptr::from_ref(caller).addr();
        if let Some(&id) = table.ids.get(&address) {
            return id;
        }
        let next = SiteId::new(table.callers.len() as u32);
        let position = (caller.file(), caller.line(), caller.column());
        let id = *table.by_position.entry(position).or_insert(next);
        if id == next {
            table.callers.push(caller);
        }
        table.ids.insert(address, id);
        id
    }

    /// The positions as a legend; source text is read where it can be found.
    pub(crate) fn legend(&self) -> Legend {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let mut legend = Legend::default();
        let mut files: FxHashMap<&'static str, FileId> = FxHashMap::default();
        for caller in &table.callers {
            let file = *files.entry(caller.file()).or_insert_with(|| {
                let path = caller.file().to_string();
                let text = read_source(&path);
                legend.files.push(SourceFile { path, text });
                FileId::new(legend.files.len() as u32 - 1)
            });
            let (line, column) = (caller.line(), caller.column());
            let text = legend.files[file.index()].text.as_deref();
            let site = Site {
                file,
                line,
                column,
                end_line: line,
                end_column: column + word_len(text.unwrap_or_default(), line, column),
            };
            legend.sites.push(site);
        }
        legend
    }
}

/// How many characters the name at this position has; 1 for anything else.
fn word_len(text: &str, line: u32, column: u32) -> u32 {
    let line = text.lines().nth(line.saturating_sub(1) as usize);
    let rest = line
        .unwrap_or_default()
        .chars()
        .skip(column.saturating_sub(1) as usize);
    (rest.take_while(|&c| is_word(c)).count() as u32).max(1)
}

/// The positions a thread met last, so that it seldom needs the table all threads share.
#[derive(Debug)]
pub(crate) struct RecentSites([Cell<(usize, SiteId)>; RECENT]);

const RECENT: usize = 64;

impl RecentSites {
    /// The number of this position.
    #[inline]
    pub(crate) fn id(&self, sites: &Sites, caller: Caller) -> SiteId {
        let address = std::ptr::from_ref(caller).addr();
        let slot = &self.0[address / align_of_val(caller) % RECENT];
        let (known, id) = slot.get();
        if known == address {
            return id;
        }
        let id = sites.id(caller);
        slot.set((address, id));
        id
    }
}

impl Default for RecentSites {
    fn default() -> Self {
        Self([const { Cell::new((0, SiteId::new(0))) }; RECENT])
    }
}

/// The text of a source file.
pub(crate) fn read_source(path: &str) -> Option<String> {
    std::fs::read_to_string(find(path)?).ok()
}

/// Where a source file is. The compiler names files as seen from where it was started, which may be a directory
/// further up: that of the workspace.
pub(crate) fn find(path: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut candidates = here.ancestors().map(|directory| directory.join(path));
    candidates.find(|candidate| candidate.is_file())
}
