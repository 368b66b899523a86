//! The tables a report is made from: legend and details, filled as addresses are looked up.
//!
//! Addresses differ from run to run and numbers with timing, so none of them gets in here: what the
//! tables hold follows from the program's source alone.

use crate::report::callers::Start;
use crate::report::declarations::{Container, Meaning};
use crate::report::modules::{Modules, Role};
use crate::report::paths::shown;
use crate::report::source::{self, Lvalue};
use crate::report::symbols::{At, Kept, Known, Spot, Symbols, is_of_system};
use heddle_core::{AccessKind, FileId, Legend, NameId, Site, SiteId, SourceFile};
use heddle_report::{Details, FrameInfo};
use std::collections::HashMap;
use std::rc::Rc;

/// A site nothing is known of.
pub const UNKNOWN: SiteId = SiteId::new(u32::MAX);

/// A facet notes for all threads how it has narrowed a character; all of them note the same. Regular expressions do it.
const VOUCHED_FOR: &[&str] = &["std::ctype<char>::narrow"];

/// Where something was accessed, as a row of the tables, and how.
pub type Accessed = (SiteId, AccessKind);

/// What the line of an access says, what that means, and the module that knows it.
pub type Understood = (Lvalue, Meaning, Rc<Known>);

/// Where something is declared: file, line and column, which is 1 if it is not known.
pub type Declared = (String, u32, u32);

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
    /// Sites of which all is known that can be.
    settled: HashMap<SiteId, bool>,
    calls: HashMap<usize, Vec<Spot>>,
    files: HashMap<String, FileId>,
    names: HashMap<String, NameId>,
    meanings: HashMap<Accessed, Option<Understood>>,
    vouched_for: HashMap<SiteId, bool>,
    /// Objects of which members were raced on: where each starts, and what it is.
    pub(super) objects: Vec<(u64, Container, Rc<Known>)>,
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
            settled: HashMap::new(),
            calls: HashMap::new(),
            files: HashMap::new(),
            names: HashMap::new(),
            meanings: HashMap::new(),
            vouched_for: HashMap::new(),
            objects: Vec::new(),
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
        let stack = self.calls(pc, callers);
        self.stack(&stack)
    }

    /// The row of the construct that called the runtime at a site, reached through these calls.
    pub fn created(&mut self, raw: SiteId, callers: &[usize]) -> SiteId {
        let Some(pc) = self.modules.pc(raw) else {
            return UNKNOWN;
        };
        let mut stack = self.calls(pc, callers);
        if let (Some(spot), Some(at)) = (stack.first_mut(), self.symbols.outlined(pc)) {
            spot.at = Some(self.pragma(at));
        }
        self.stack(&stack)
    }

    /// Where the pragma begins whose body starts at a position, or near it: gcc's optimiser leaves the first statement.
    fn pragma(&mut self, at: At) -> At {
        let file = self.file(&at.file);
        let text = self.legend.file(file).and_then(|file| file.text.as_deref());
        let found = text.and_then(|text| source::construct(text, at.line));
        let (line, column) = found.unwrap_or((at.line, at.column));
        At { line, column, ..at }
    }

    /// Whether nothing can be found of the position of a site that is not known already.
    pub fn is_settled(&mut self, raw: SiteId) -> bool {
        if let Some(&is_settled) = self.settled.get(&raw) {
            return is_settled;
        }
        let pc = self.modules.pc(raw);
        let is_settled = pc.is_none_or(|pc| self.symbols.kept(pc) == Kept::All);
        self.settled.insert(raw, is_settled);
        is_settled
    }

    /// Finds where an access stands whose position the compiler dropped: the nearest code of its function that is of a line
    /// with the accessed variable or member in it. Nothing is found for one whose position is known.
    pub fn settle(&mut self, raw: SiteId, name: &str) {
        let Some(pc) = self.modules.pc(raw) else {
            return;
        };
        let word = &*last_word(name);
        let kept = self.symbols.kept(pc);
        if kept == Kept::All || word.is_empty() {
            return;
        }
        let mut stack = self.spots(pc);
        let found = match (kept, stack.first().and_then(|spot| spot.at.clone())) {
            (Kept::Line, Some(at)) => self.with_word(&at, word).map(|at| (pc, at)),
            _ => {
                let around = self.symbols.around(pc);
                around.into_iter().find_map(|(near, at)| {
                    let is_own = !is_of_system(&at.file);
                    Some((near + 1, is_own.then(|| self.with_word(&at, word))??))
                })
            }
        };
        let Some((near, at)) = found else {
            if let Some(stack) = self.in_the_text(pc, word) {
                self.calls.insert(pc, stack);
                self.settled.insert(raw, true);
            }
            return;
        };
        if near != pc {
            stack = self.spots(near);
        }
        if let Some(spot) = stack.first_mut() {
            spot.at = Some(at);
            self.calls.insert(pc, stack);
            self.settled.insert(raw, true);
        }
    }

    /// The same where the optimiser left no code of such a line: in the text of the function, or of one that it calls.
    fn in_the_text(&mut self, pc: usize, word: &str) -> Option<Vec<Spot>> {
        let outer = self.spots(pc).pop()?;
        let around = self.symbols.around(pc).into_iter();
        let mut files = around.map(|(_, at)| at.file);
        let path = files.find(|path| !is_of_system(path))?;
        let file = self.file(&path);
        let text = self.legend.file(file)?.text.as_deref()?;
        let at = |line, column| {
            let file = path.clone();
            Some(At { file, line, column })
        };
        let found = |row| Some((row, source::word(line(text, row)?, word)?));
        let body = source::body(text, last_name(plain_name(&outer.function)))?;
        if let Some((line, column)) = body.clone().find_map(found) {
            let at = at(line, column);
            return Some(vec![Spot { at, ..outer }]);
        }
        let (inner, call) = body.into_iter().find_map(|row| {
            let mut calls = source::calls(line(text, row)?).into_iter();
            calls.find_map(|(name, column)| {
                let (line, within) = source::body(text, &name)?.find_map(found)?;
                let spot = Spot {
                    function: name,
                    at: at(line, within),
                    is_outlined: false,
                };
                Some((spot, at(row, column)))
            })
        })?;
        Some(vec![inner, Spot { at: call, ..outer }])
    }

    /// The position of a word in the line of this one.
    fn with_word(&mut self, at: &At, word: &str) -> Option<At> {
        let file = self.file(&at.file);
        let text = self.legend.file(file)?.text.as_deref()?;
        let column = source::word(line(text, at.line)?, word)?;
        let file = at.file.clone();
        Some(At {
            file,
            column,
            ..*at
        })
    }

    /// What a reader sees of the stack of a call that returns to `pc`, reached through these calls.
    fn calls(&mut self, pc: usize, callers: &[usize]) -> Vec<Spot> {
        let role = |pc: &usize| self.modules.role(*pc);
        let task = callers.iter().take_while(|pc| role(pc) != Role::Starter);
        let callers: Vec<usize> = task
            .filter(|pc| role(pc) == Role::Program)
            .copied()
            .collect();
        let callers = self.shown(&callers);
        self.under(pc, callers)
    }

    /// The same, reached through calls of which this is what a reader sees.
    fn under(&mut self, pc: usize, callers: Vec<Spot>) -> Vec<Spot> {
        let is_own = self.modules.role(pc) == Role::Program;
        self.lacks_debug_information |= is_own && !self.symbols.has_debug_information(pc);
        let mut stack: Vec<Spot> = match is_own {
            true => self.spots(pc).into_iter().chain(callers).collect(),
            false => callers,
        };
        stack.dedup_by(|outer, inner| outer.wraps(inner));
        match stack.is_empty() {
            // A place in a library that nothing of the program led to.
            true => self.spots(pc),
            false => stack,
        }
    }

    /// The same, reached through the calls that the code has, as far as there is only one way.
    pub fn called_by_the_code(&mut self, raw: SiteId, start: Start) -> SiteId {
        let Some(pc) = self.modules.pc(raw) else {
            return UNKNOWN;
        };
        let callers = self.callers(pc, start, &[]);
        let stack = self.under(pc, callers);
        self.stack(&stack)
    }

    /// The same, reached through calls that were seen. Where a function's last call was made by a jump, the stack did not
    /// show that function: the code does.
    pub fn called_as_seen(&mut self, raw: SiteId, callers: &[usize], start: Start) -> SiteId {
        let Some(pc) = self.modules.pc(raw) else {
            return UNKNOWN;
        };
        let role = |pc: &usize| self.modules.role(*pc);
        let task = callers.iter().take_while(|pc| role(pc) != Role::Starter);
        let seen: Vec<usize> = task
            .filter(|pc| role(pc) == Role::Program)
            .copied()
            .collect();
        let all = self.callers(pc, start, &seen);
        let seen = self.shown(&seen);
        let longer = if all.len() > seen.len() { all } else { seen };
        let stack = self.under(pc, longer);
        self.stack(&stack)
    }

    /// What a reader sees of the calls on the stack of an access at `pc`, innermost first, as far as all ways look alike
    /// that lead there with the calls that were `seen`.
    fn callers(&mut self, pc: usize, start: Start, seen: &[usize]) -> Vec<Spot> {
        let ways = self.symbols.ways(pc, start, seen);
        let mut ways = ways.into_iter().map(|way| self.shown(&way));
        let Some(first) = ways.next() else {
            return Vec::new();
        };
        let shared = |first: Vec<Spot>, other: Vec<Spot>| {
            let same = first.into_iter().zip(other);
            let same = same.take_while(|(one, other)| one == other);
            same.map(|(one, _)| one).collect()
        };
        ways.fold(first, shared)
    }

    /// What of these calls a reader sees.
    fn shown(&mut self, calls: &[usize]) -> Vec<Spot> {
        let spots = calls.iter().flat_map(|&pc| self.spots(pc));
        spots.filter(|spot| !spot.is_of_system()).collect()
    }

    /// The same, from outside of the standard library.
    pub fn called_by_the_program(&mut self, raw: SiteId, start: Start) -> SiteId {
        let row = self.called_by_the_code(raw, start);
        self.of_the_program(row)
    }

    /// Of a row in the headers of the standard library, the program's call that led there, if that is known: a reader
    /// knows `lines.push_back(x)`, not what it is made of.
    pub fn of_the_program(&self, row: SiteId) -> SiteId {
        let caller = |row: &SiteId| self.details.frames.get(row)?.caller;
        let mut rows = std::iter::successors(Some(row), caller);
        rows.find(|&row| !self.is_of_system(row)).unwrap_or(row)
    }

    /// Whether a row lies in the standard library.
    pub fn is_of_system(&self, row: SiteId) -> bool {
        let file = self
            .legend
            .site(row)
            .and_then(|site| self.legend.file(site.file));
        file.is_some_and(|file| is_of_system(&file.path))
    }

    /// Whether a site of the runtime's lies in code of the standard library's headers that shares data without a lock, and may:
    /// the standard promises that two threads can call it.
    pub fn is_vouched_for(&mut self, raw: SiteId) -> bool {
        if let Some(&known) = self.vouched_for.get(&raw) {
            return known;
        }
        let pc = self.modules.pc(raw);
        let spots = pc.map_or_else(Vec::new, |pc| self.symbols.call(pc));
        let innermost = spots.first().map(|spot| spot.function.as_str());
        let is = innermost.is_some_and(|function| VOUCHED_FOR.contains(&function));
        self.vouched_for.insert(raw, is);
        is
    }

    /// Whether a call stands in the standard library, inlined or not.
    pub fn is_made_in_system(&mut self, raw: SiteId) -> bool {
        let spots = self.modules.pc(raw).map(|pc| self.symbols.call(pc));
        let innermost = spots.as_ref().and_then(|spots| spots.first());
        innermost.is_some_and(Spot::is_of_system)
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

    /// Whether the site lies in a library that starts tasks.
    pub fn is_of_starter(&self, raw: SiteId) -> bool {
        let pc = self.modules.pc(raw);
        pc.is_some_and(|pc| self.modules.role(pc) == Role::Starter)
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

    /// Notes that a write gives memory back, if its line says so.
    pub fn note_free(&mut self, site: SiteId) {
        let frees = |(line, column)| source::frees(line, column);
        if self.line_of(site).is_some_and(frees) {
            self.details.frees.insert(site);
        }
    }

    /// The row of a place without function or callers.
    pub fn position(&mut self, at: At) -> SiteId {
        let function = String::new();
        let spot = Spot {
            function,
            at: Some(at),
            is_outlined: false,
        };
        self.row(spot, None)
    }

    /// The row of a declaration of this name. Clang does not tell the column, but the line does.
    pub fn declared(&mut self, (path, line_number, column): Declared, name: &str) -> SiteId {
        let file = self.file(&path);
        let text = self.legend.file(file).and_then(|file| file.text.as_deref());
        let found = text
            .filter(|_| column == 1)
            .and_then(|text| source::word(line(text, line_number)?, last_name(name)));
        self.position(At {
            file: path,
            line: line_number,
            column: found.unwrap_or(column),
        })
    }

    /// What an access is to, as its line writes it.
    pub fn lvalue(&self, (site, kind): Accessed) -> Option<Lvalue> {
        let (line, column) = self.line_of(site)?;
        let stored = || {
            let is_write = kind == AccessKind::Write;
            is_write.then(|| source::assigned(line, column))?
        };
        source::lvalue(line, column).or_else(stored)
    }

    /// What the memory that a call at a site allocates is kept in, as its line writes it.
    pub fn keeper(&self, site: SiteId) -> Option<Lvalue> {
        let (line, column) = self.line_of(site)?;
        source::keeper(line, column)
    }

    /// The text of a row's line, and its column.
    pub fn line_of(&self, site: SiteId) -> Option<(&str, u32)> {
        let site = self.legend.site(site)?;
        let text = self.legend.file(site.file)?.text.as_deref()?;
        Some((line(text, site.line)?, site.column))
    }

    /// What debug information says of what an access is to. It is asked for every byte of every place that an access
    /// raced on.
    pub fn meaning(&mut self, access: Accessed) -> Option<Understood> {
        if let Some(known) = self.meanings.get(&access) {
            return known.clone();
        }
        let meaning = self.understood(access);
        self.meanings.insert(access, meaning.clone());
        meaning
    }

    fn understood(&mut self, access: Accessed) -> Option<Understood> {
        let lvalue = self.lvalue(access)?;
        let row = self.legend.site(access.0)?;
        let mut files = self.files.iter();
        let (path, _) = files.find(|(_, id)| **id == row.file)?;
        for known in self.symbols.program() {
            if let Some(meaning) = known.inventory.meaning(&lvalue, path, row.line) {
                return Some((lvalue, meaning, known));
            }
        }
        None
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

/// `count` of `stats::count`.
fn last_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// `stats::count` of `stats::count(int)`.
fn plain_name(function: &str) -> &str {
    function.split('(').next().unwrap_or(function)
}

/// `scale` of `current.scale`, and `y` of `s[1].y[2]`.
fn last_word(name: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        depth += i32::from(*c == '[');
        let is_outside = depth == 0;
        depth -= i32::from(*c == ']');
        is_outside
    };
    let name: String = name.chars().filter(outside).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    name.rsplit(|c| !is_word(c))
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn line(text: &str, number: u32) -> Option<&str> {
    text.lines().nth((number as usize).checked_sub(1)?)
}
