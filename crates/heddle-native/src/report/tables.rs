//! The tables a report is made from: legend and details, filled as addresses are looked up.
//!
//! Addresses differ from run to run and numbers with timing, so none of them gets in here: what the
//! tables hold follows from the program's source alone.

use crate::report::modules::{Modules, Role};
use crate::report::source;
use crate::report::symbols::{At, Spot, Symbols};
use heddle_core::{FileId, Legend, NameId, Site, SiteId, SourceFile};
use heddle_report::{Details, FrameInfo};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// A site nothing is known of.
pub const UNKNOWN: SiteId = SiteId::new(u32::MAX);

/// See the module's documentation.
pub struct Tables<'a> {
    /// Looks up addresses.
    pub symbols: Symbols<'a>,
    modules: &'a Modules,
    /// Files, positions and names.
    pub legend: Legend,
    /// Functions, calls and memory.
    pub details: Details,
    rows: HashMap<(Spot, Option<SiteId>), SiteId>,
    calls: HashMap<usize, Vec<Spot>>,
    files: HashMap<String, FileId>,
    names: HashMap<String, NameId>,
    /// Whether a module with code of the program has no debug information.
    pub lacks_debug_information: bool,
}

impl<'a> Tables<'a> {
    /// Empty tables for a process with these modules.
    pub fn new(modules: &'a Modules) -> Self {
        Self {
            symbols: Symbols::new(modules),
            modules,
            legend: Legend::default(),
            details: Details::default(),
            rows: HashMap::new(),
            calls: HashMap::new(),
            files: HashMap::new(),
            names: HashMap::new(),
            lacks_debug_information: false,
        }
    }

    /// The row of a site of the runtime's.
    pub fn site(&mut self, raw: SiteId) -> SiteId {
        self.called(raw, &[])
    }

    /// The same, reached through these calls, innermost first.
    pub fn called(&mut self, raw: SiteId, callers: &[usize]) -> SiteId {
        let Some(pc) = self.modules.pc(raw) else {
            return UNKNOWN;
        };
        let is_own = self.modules.role(pc) == Role::Program;
        self.lacks_debug_information |= is_own && !self.symbols.has_debug_information(pc);
        let callers = callers.iter().copied();
        let task = callers.take_while(|&pc| self.modules.role(pc) != Role::Starter);
        let callers: Vec<_> = task
            .filter(|&pc| self.modules.role(pc) == Role::Program)
            .collect();
        let callers: Vec<_> = callers.into_iter().flat_map(|pc| self.spots(pc)).collect();
        let callers = callers.into_iter().filter(|spot| !spot.is_of_system());
        let stack: Vec<Spot> = match is_own {
            true => self.spots(pc).into_iter().chain(callers).collect(),
            false => callers.collect(),
        };
        match stack.is_empty() {
            true => self.bare(pc),
            false => self.stack(&stack),
        }
    }

    /// The position and function of a site, if they are known.
    pub fn spot(&mut self, raw: SiteId) -> Option<Spot> {
        let pc = self.modules.pc(raw)?;
        self.spots(pc).into_iter().next()
    }

    /// The name of the function that begins at `address`.
    pub fn function(&mut self, address: usize) -> Option<String> {
        let spots = self.symbols.call(address + 1);
        let name = spots.into_iter().next_back()?.function;
        (!name.is_empty()).then_some(name)
    }

    /// Whether the site lies in the program's own code.
    pub fn is_of_program(&self, raw: SiteId) -> bool {
        let pc = self.modules.pc(raw);
        pc.is_some_and(|pc| self.modules.role(pc) == Role::Program)
    }

    /// A name's number.
    pub fn name(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = NameId::new(self.legend.names.len() as u32);
        self.legend.names.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }

    /// The row of a place without function or callers.
    pub fn position(&mut self, at: At) -> SiteId {
        let function = String::new();
        let spot = Spot {
            function,
            at: Some(at),
        };
        self.row(spot, None)
    }

    /// The variable that the source names at a site.
    pub fn variable(&self, site: SiteId) -> Option<String> {
        let site = self.legend.site(site)?;
        let text = self.legend.file(site.file)?.text.as_deref()?;
        source::variable(line(text, site.line)?, site.column)
    }

    /// Puts the files into the sequence of their paths, so that it does not depend on the run.
    pub fn sort_files(&mut self) {
        let mut order: Vec<usize> = (0..self.legend.files.len()).collect();
        order.sort_by(|&a, &b| self.legend.files[a].path.cmp(&self.legend.files[b].path));
        let mut new = vec![FileId::new(0); order.len()];
        for (to, &from) in order.iter().enumerate() {
            new[from] = FileId::new(to as u32);
        }
        let mut files = std::mem::take(&mut self.legend.files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        self.legend.files = files;
        for site in &mut self.legend.sites {
            site.file = new[site.file.index()];
        }
        for id in self.files.values_mut() {
            *id = new[id.index()];
        }
    }

    /// A place in a library that nothing of the program led to.
    fn bare(&mut self, pc: usize) -> SiteId {
        let spots = self.spots(pc);
        self.stack(&spots)
    }

    fn spots(&mut self, pc: usize) -> Vec<Spot> {
        if let Some(known) = self.calls.get(&pc) {
            return known.clone();
        }
        let mut spots = self.symbols.call(pc);
        // What calls `main` is of no interest.
        spots.retain(|spot| spot.function != "_start");
        // Inlined parts of the standard library are taken for the code that uses them.
        if spots.iter().any(|spot| !spot.is_of_system()) {
            spots.retain(|spot| !spot.is_of_system());
        }
        self.calls.insert(pc, spots.clone());
        spots
    }

    /// The row of the innermost of these calls.
    fn stack(&mut self, stack: &[Spot]) -> SiteId {
        let mut caller = None;
        for spot in stack.iter().rev() {
            caller = Some(self.row(spot.clone(), caller));
        }
        caller.unwrap_or(UNKNOWN)
    }

    fn row(&mut self, spot: Spot, caller: Option<SiteId>) -> SiteId {
        let key = (spot, caller);
        if let Some(&row) = self.rows.get(&key) {
            return row;
        }
        let row = match &key.0.at {
            Some(at) => self.add_site(at),
            None => UNKNOWN,
        };
        let function = key.0.function.clone();
        if !function.is_empty() {
            self.details
                .frames
                .insert(row, FrameInfo { function, caller });
        }
        self.rows.insert(key, row);
        row
    }

    fn add_site(&mut self, at: &At) -> SiteId {
        let file = self.file(&at.file);
        let text = self.legend.file(file).and_then(|file| file.text.as_deref());
        let line = text.and_then(|text| line(text, at.line));
        let end = source::token_end(line.unwrap_or_default(), at.column);
        self.legend.sites.push(Site {
            file,
            line: at.line,
            column: at.column,
            end_line: at.line,
            end_column: end,
        });
        SiteId::new(self.legend.sites.len() as u32 - 1)
    }

    fn file(&mut self, path: &str) -> FileId {
        if let Some(&id) = self.files.get(path) {
            return id;
        }
        let id = FileId::new(self.legend.files.len() as u32);
        self.legend.files.push(SourceFile {
            path: shown(path),
            text: std::fs::read(path)
                .ok()
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        });
        self.files.insert(path.to_owned(), id);
        id
    }
}

fn line(text: &str, number: u32) -> Option<&str> {
    text.lines().nth((number as usize).checked_sub(1)?)
}

/// The path as seen from where the program was started.
pub fn shown(path: &str) -> String {
    let path = plain(Path::new(path));
    let home = std::env::var_os("PWD").unwrap_or_default();
    let seen = path.strip_prefix(home).unwrap_or(&path);
    seen.to_string_lossy().into_owned()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
