//! The same loads through the product's engine, as its runtime of event-driven tasks tells them: a task is the child
//! of whoever made it runnable, and further sources are extra edges.

use crate::load::{Edt, Load};
use crate::question::Questions;
use heddle_core::{FinishKind, SiteId, TaskKind};
use heddle_rt::{Cursor, Engine, FinishScope, ThreadCache};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// What came of it.
#[derive(Debug)]
pub struct Checked {
    pub time: Duration,
    /// Bytes of memory more than before.
    pub memory: u64,
    pub racy: BTreeSet<u64>,
}

/// A finish that is open: its owner, and tasks that are left.
struct Open {
    owner: Cursor,
    scope: FinishScope,
}

/// Checks a load, with histories of all locations.
pub fn check(load: &Load) -> Result<Checked, String> {
    measured(load, |state, cache, number, cursor| {
        for access in &load.edts[number].accesses {
            // Programs have few places.
            let site = || number as u32 % 16;
            let engine = state.engine;
            match access.is_write {
                true => engine.write(cache, cursor, access.start, access.len, site),
                false => engine.read(cache, cursor, access.start, access.len, site),
            }
        }
    })
}

/// Answers the questions of a load, and nothing else.
pub fn answer(load: &Load, questions: &Questions) -> Result<Checked, String> {
    measured(load, |state, cache, number, cursor| {
        for (locations, earlier) in questions.of(number as u32) {
            let precedes = |&task: &u32| {
                let strand = state.strands[task as usize];
                state.engine.precedes(cache, cursor, strand)
            };
            if !earlier.iter().all(precedes) {
                state.racy.extend(locations);
            }
        }
        let strand = match cursor.strand() {
            0 => state.engine.signal(cursor),
            strand => strand,
        };
        state.strands.push(strand);
    })
}

fn measured(
    load: &Load,
    mut body: impl FnMut(&mut State<'_>, &mut ThreadCache, usize, &mut Cursor),
) -> Result<Checked, String> {
    let (departs, children) = (departing(load), children(load));
    let (start, before) = (crate::cpu_time(), resident());
    let engine = Engine::new().ok_or("no address space")?;
    let mut cache = ThreadCache::new();
    let mut state = State {
        engine: &engine,
        children,
        cursors: FxHashMap::default(),
        ends: Vec::with_capacity(load.edts.len()),
        strands: Vec::with_capacity(load.edts.len()),
        finishes: FxHashMap::default(),
        racy: BTreeSet::new(),
    };
    for (number, edt) in load.edts.iter().enumerate() {
        state.step(&mut cache, number, edt, departs[number], &mut body);
    }
    let mut racy = state.racy;
    racy.extend(engine.race_locations(0));
    Ok(Checked {
        time: crate::cpu_time().saturating_sub(start),
        memory: resident().saturating_sub(before),
        racy,
    })
}

/// Bytes of memory that this process has now.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1);
    pages
        .and_then(|pages| pages.parse::<u64>().ok())
        .unwrap_or(0)
        * 4096
}

/// Which tasks others come after by more than the tree.
fn departing(load: &Load) -> Vec<bool> {
    let mut departs = vec![false; load.edts.len()];
    for edt in &load.edts {
        for &source in &edt.sources {
            departs[source as usize] |= source != edt.enabler;
        }
    }
    departs
}

/// How many tasks each makes runnable.
fn children(load: &Load) -> Vec<u32> {
    let mut children = vec![0; load.edts.len()];
    for edt in load.edts.iter().filter(|edt| edt.after.is_none()).skip(1) {
        children[edt.enabler as usize] += 1;
    }
    children
}

struct State<'a> {
    engine: &'a Engine,
    children: Vec<u32>,
    /// Tasks that will still make others runnable.
    cursors: FxHashMap<u32, Cursor>,
    ends: Vec<u32>,
    /// The strand in which each task asks or has asked.
    strands: Vec<u32>,
    finishes: FxHashMap<u32, Open>,
    racy: BTreeSet<u64>,
}

impl State<'_> {
    fn step(
        &mut self,
        cache: &mut ThreadCache,
        number: usize,
        edt: &Edt,
        departs: bool,
        body: &mut impl FnMut(&mut Self, &mut ThreadCache, usize, &mut Cursor),
    ) {
        let engine = self.engine;
        let mut cursor = match number {
            0 => engine.main_task(),
            _ => self.spawn(edt),
        };
        if departs {
            engine.expect_departures(&mut cursor);
        }
        body(self, cache, number, &mut cursor);
        let end = if departs {
            engine.signal(&mut cursor)
        } else {
            0
        };
        self.ends.push(end);
        if let Some(finish) = edt.opens {
            let scope = engine.finish_begin(&mut cursor, FinishKind::Finish, SiteId::new(0));
            let owner = cursor.clone();
            self.finishes.insert(finish, Open { owner, scope });
        }
        match self.children[number] {
            0 if edt.opens.is_none() => {
                engine.end(cursor);
            }
            0 => {}
            _ => {
                self.cursors.insert(number as u32, cursor);
            }
        }
    }

    fn spawn(&mut self, edt: &Edt) -> Cursor {
        let engine = self.engine;
        let kind = TaskKind::EventDriven;
        if let Some(open) = edt.after.and_then(|finish| self.finishes.remove(&finish)) {
            let Open { mut owner, scope } = open;
            engine.finish_end(&mut owner, scope);
            let cursor = engine.spawn(&mut owner, None, kind, SiteId::new(0), None);
            engine.end(owner);
            return cursor;
        }
        let Some(parent) = self.cursors.get_mut(&edt.enabler) else {
            return engine.main_task();
        };
        let mut cursor = engine.spawn(parent, None, kind, SiteId::new(0), None);
        let left = &mut self.children[edt.enabler as usize];
        *left -= 1;
        if *left == 0 {
            self.cursors.remove(&edt.enabler);
        }
        let news = |&source: &u32| {
            let end = self.ends[source as usize];
            (source != edt.enabler && end != 0 && !engine.starts_after(&cursor, end)).then_some(end)
        };
        let strands: Vec<u32> = edt.sources.iter().filter_map(news).collect();
        if !strands.is_empty() {
            engine.wait(&mut cursor, &strands);
        }
        cursor
    }
}
