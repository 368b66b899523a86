//! The same loads through the product's engine, as its runtime of event-driven tasks tells them: a task is the child
//! of whoever made it runnable, and further sources are extra edges.

use crate::load::{Edt, Load};
use heddle_core::{FinishKind, SiteId, TaskKind};
use heddle_rt::{Cursor, Engine, FinishScope, ThreadCache};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What came of it.
#[derive(Debug)]
pub struct Checked {
    pub time: Duration,
    pub racy: BTreeSet<u64>,
}

/// A finish that is open: its owner, and tasks that are left.
struct Open {
    owner: Cursor,
    scope: FinishScope,
}

/// Judges a load.
pub fn run(load: &Load) -> Result<Checked, String> {
    let start = Instant::now();
    let engine = Engine::new().ok_or("no address space")?;
    let mut cache = ThreadCache::new();
    let mut state = State {
        engine: &engine,
        cursors: Vec::with_capacity(load.edts.len()),
        ends: Vec::with_capacity(load.edts.len()),
        finishes: FxHashMap::default(),
        departs: departing(load),
    };
    for (number, edt) in load.edts.iter().enumerate() {
        state.step(&mut cache, number, edt);
    }
    let racy = engine.race_locations(0);
    Ok(Checked {
        time: start.elapsed(),
        racy: racy.into_iter().collect(),
    })
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

struct State<'a> {
    engine: &'a Engine,
    cursors: Vec<Option<Cursor>>,
    ends: Vec<u32>,
    finishes: FxHashMap<u32, Open>,
    departs: Vec<bool>,
}

impl State<'_> {
    fn step(&mut self, cache: &mut ThreadCache, number: usize, edt: &Edt) {
        let engine = self.engine;
        let mut cursor = match number {
            0 => engine.main_task(),
            _ => self.spawn(edt),
        };
        if self.departs[number] {
            engine.expect_departures(&mut cursor);
        }
        for access in &edt.accesses {
            let site = || number as u32;
            match access.is_write {
                true => engine.write(cache, &mut cursor, access.start, access.len, site),
                false => engine.read(cache, &mut cursor, access.start, access.len, site),
            }
        }
        let end = if self.departs[number] {
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
        self.cursors.push(Some(cursor));
    }

    fn spawn(&mut self, edt: &Edt) -> Cursor {
        let engine = self.engine;
        let kind = TaskKind::EventDriven;
        if let Some(open) = edt.after.and_then(|finish| self.finishes.remove(&finish)) {
            let Open { mut owner, scope } = open;
            engine.finish_end(&mut owner, scope);
            return engine.spawn(&mut owner, None, kind, SiteId::new(0), None);
        }
        let Some(parent) = self.cursors[edt.enabler as usize].as_mut() else {
            return engine.main_task();
        };
        let mut cursor = engine.spawn(parent, None, kind, SiteId::new(0), None);
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
