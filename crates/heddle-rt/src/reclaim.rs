//! Gives back what no location and no task refers to any more, so that memory follows the live program.
//!
//! *Histories.* Rows of histories ([`crate::states`]) are found by looking through the states of all locations;
//! blocks of rows that no location is in are used again.
//!
//! *Sections.* A section of a lock is alive if it is not over, or if a history names it.
//!
//! *The tree.* A node is alive if something may still stand in it, or if a strand of interest is below it: one that a
//! history, a section or the front end ([`Kept`]) names. Pages of dead nodes and of their tasks are given back to the system. Numbers
//! are never used again, because they also tell time.
//!
//! *Edges beside those of the tree* are kept as far as they matter to strands of interest ([`Layer::prune`]).
//!
//! # When it is safe
//! No thread may be inside the engine, and all caches are emptied. A thread may still be in the common path, which
//! takes steps between states without entering: one that it has looked up before its cache was emptied may yet put a
//! location into another state. So the states that a thread's cache had steps between are kept until the thread has
//! been inside ([`ThreadCache::put_down`]), and only what was unused twice is given back.
//!
//! # What is not given back
//! Histories with locks and sections where something must not be torn. Nodes there, and where strands are known by names
//! that no list of the front end's has, or tasks were spawned through scope handles.
//!
//! # Cost
//! Linear in the shadow memory, in the nodes that are there and in the edges made since; it pays when as much again was made since.
//!
//! [`Layer::prune`]: heddle_core::order::layer::Layer::prune

use crate::cache::ThreadCache;
use crate::engine::{Cursor, EndPoint, Engine, TaskRow};
use crate::exclusion::{GoneSections, Hold, UsedSections};
use crate::forest::Released;
use crate::states::{IdleStates, StateId, UsedStates};
use crate::store::{Bits, Pages};
use crate::sync::{Ordering, PoisonError};
use heddle_core::TaskId;
use heddle_core::order::layer::Wanted;
use heddle_core::order::tree::{Node, NodeIndex, Nodes, ROOT};

/// What is known from the last time.
#[derive(Debug, Default)]
pub(crate) struct Reclaimed {
    states: IdleStates,
    sections: GoneSections,
    nodes: Released,
    tasks: Pages,
    origins: Pages,
    finishes: Pages,
    frames: Pages,
}

/// Less than this is not looked for, in bytes.
const ENOUGH: usize = 16 << 20;
const ENOUGH_NODES: usize = 8 << 20;

/// States noted last, which need not be noted again.
const RECENT: usize = 1 << 14;

/// What a front end refers to: the tasks that run, and strands that it may still name.
#[derive(Debug, Default)]
pub struct Kept {
    nodes: Vec<NodeIndex>,
    tasks: Vec<TaskId>,
    frames: Vec<u32>,
    holds: Vec<Hold>,
}

impl Kept {
    /// A task that runs. One that does not has been [suspended](Engine::suspend) and need not be told.
    pub fn cursor(&mut self, cursor: &Cursor) {
        self.nodes.extend([cursor.strand, cursor.scope]);
        self.tasks.push(cursor.task);
        self.frames.push(cursor.frame);
        self.holds.push(cursor.hold);
    }

    /// A task that is over and may still be joined.
    pub fn end(&mut self, end: &EndPoint) {
        self.nodes.extend(end.nodes());
        self.tasks.push(end.task());
    }

    /// A strand that may still be waited for, or hand something over.
    pub fn strand(&mut self, strand: u32) {
        self.nodes.push(strand);
    }
}

/// Nodes, tasks and sections that stay.
struct Alive<'a> {
    engine: &'a Engine,
    nodes: Bits,
    tasks: Bits,
    sections: UsedSections,
    /// The frames of these tasks, if there are pieces.
    frames: Option<Bits>,
    named: Vec<u32>,
}

impl<'a> Alive<'a> {
    fn new(engine: &'a Engine, has_nodes: bool) -> Self {
        let (nodes, tasks) = match has_nodes {
            true => (engine.forest.count(), engine.task_count()),
            false => (0, 0),
        };
        Self {
            engine,
            nodes: Bits::new(nodes),
            tasks: Bits::new(tasks),
            sections: engine.exclusion.unused(),
            frames: None,
            named: Vec::new(),
        }
    }

    /// A strand is of interest: so are all nodes above it, and their tasks.
    fn keep(&mut self, strand: NodeIndex) {
        let mut at = strand;
        while self.nodes.set(at) {
            let node = self.engine.forest.node(at);
            self.keep_task(node.task);
            at = node.parent;
        }
    }

    fn keep_task(&mut self, task: TaskId) {
        let mut at = task;
        while self.tasks.set(at.raw()) {
            match self.engine.parent_of(at) {
                Some(parent) => at = parent,
                None => return,
            }
        }
    }

    /// What was done under these locks is of interest.
    fn keep_hold(&mut self, hold: Hold) {
        let Self {
            engine,
            sections,
            named,
            ..
        } = self;
        engine
            .exclusion
            .note(sections, hold, |strand| named.push(strand));
        self.keep_named();
    }

    fn keep_open_sections(&mut self, gone: &GoneSections) {
        let Self {
            engine,
            sections,
            named,
            ..
        } = self;
        let exclusion = &engine.exclusion;
        exclusion.note_open(sections, gone, |strand| named.push(strand));
        self.keep_named();
    }

    fn keep_named(&mut self) {
        while let Some(strand) = self.named.pop() {
            self.keep(strand);
        }
    }
}

impl Wanted for Alive<'_> {
    fn node(&self, node: NodeIndex) -> bool {
        self.nodes.has(node)
    }

    fn task(&self, task: TaskId) -> bool {
        self.tasks.has(task.raw())
    }

    fn piece(&self, strand: NodeIndex, above: NodeIndex) -> u32 {
        let Some(wanted) = &self.frames else {
            return 0;
        };
        let forest = &self.engine.forest;
        let frame = self.engine.frame_of(forest.node(strand).task);
        let depth = forest.node(above).depth();
        self.engine.frames.told_apart(frame, depth, wanted)
    }
}

impl Engine {
    /// Whether so much was made since the last time that it pays to look for what is unused.
    #[inline]
    pub fn wants_reclaim(&self) -> bool {
        let rows = self.states.taken_bytes();
        let counted = self.counted.load(Ordering::Relaxed);
        let nodes = self.forest.count().wrapping_sub(counted) as usize * size_of::<Node>();
        let pays = |bytes: usize| bytes > self.shadow.present_bytes();
        rows > ENOUGH && pays(rows) || nodes > ENOUGH_NODES && pays(nodes) && self.lists_names()
    }

    /// Whether all strands that are known by name are in histories or in lists of the front end's.
    fn lists_names(&self) -> bool {
        !self.has_names.load(Ordering::Acquire) && self.tears_nothing()
    }

    fn tears_nothing(&self) -> bool {
        !self.atomicity.is_all && !self.atomicity.has_units.load(Ordering::Acquire)
    }

    /// Gives back what is unused.
    ///
    /// # Safety
    /// No thread is inside the engine, these are the caches of all threads, each with whether its thread has been inside
    /// since the last time, and the front end refers to no more than `kept`.
    pub unsafe fn reclaim<'a>(
        &self,
        caches: impl Iterator<Item = (&'a mut ThreadCache, bool)>,
        kept: &Kept,
    ) {
        if self.recorder.is_some() {
            return;
        }
        let mut under_way = Vec::new();
        for (cache, was_inside) in caches {
            under_way.extend_from_slice(cache.put_down(was_inside));
        }
        let mut reclaimed = self
            .reclaimed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let has_sections = self.tears_nothing();
        let has_nodes = self.lists_names() && !self.forest.has_scoped();
        let mut used = self.states.unused();
        let mut alive = Alive::new(self, has_nodes);
        self.look_through(under_way, &mut used, &mut alive);
        self.states
            .reuse(&mut reclaimed.states, &used, !has_sections);
        drop(used);
        kept.holds.iter().for_each(|&hold| alive.keep_hold(hold));
        self.keep_races(&mut alive);
        if has_sections {
            alive.keep_open_sections(&reclaimed.sections);
            let (gone, used) = (&mut reclaimed.sections, &alive.sections);
            self.exclusion.release_unused(gone, used);
        }
        if has_nodes {
            self.keep_nodes(&reclaimed, &mut alive, kept);
            self.prune_edges(&mut alive);
            self.release_nodes(&mut reclaimed, &alive, kept);
        }
        self.counted.store(self.forest.count(), Ordering::Relaxed);
    }

    /// Notes the states that locations are in or may yet get into, and what these name.
    fn look_through(&self, under_way: Vec<StateId>, used: &mut UsedStates, alive: &mut Alive<'_>) {
        let mut note = |state: StateId| {
            self.states.note(used, state, |strand, hold| {
                alive.keep(strand);
                alive.keep_hold(hold);
            });
        };
        // Elements that a task touched stand beside others', time and again.
        let mut recent = vec![StateId::FRESH; RECENT];
        for states in self.shadow.present() {
            for state in states {
                let state = StateId(state.load(Ordering::Acquire));
                let known = &mut recent[state.0.wrapping_mul(0x9E37_79B1) as usize >> 18];
                if *known != state {
                    note(state);
                    *known = state;
                }
            }
        }
        let races = self.atomicity.twins.races();
        under_way.into_iter().chain(races).for_each(note);
    }

    fn keep_races(&self, alive: &mut Alive<'_>) {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        for access in races.iter().flat_map(|race| &race.accesses) {
            alive.keep(access.strand);
            alive.keep_hold(access.hold);
        }
    }

    /// Notes the nodes that stay for other reasons than histories and sections.
    fn keep_nodes(&self, reclaimed: &Reclaimed, alive: &mut Alive<'_>, kept: &Kept) {
        let overtakings = &self.overtakings;
        let mut named = Vec::new();
        let is_named = |strands| alive.nodes.has_any(strands);
        overtakings.prune(is_named, |strand| named.push(strand));
        self.sections.strands(|strand| named.push(strand));
        self.racy_reads.strands(|strand| named.push(strand));
        named.extend(&kept.nodes);
        named.push(ROOT);
        named.extend(self.forest.in_use(&reclaimed.nodes));
        let order = self.lock_order.lock();
        let order = order.unwrap_or_else(PoisonError::into_inner);
        named.extend(order.strands().map(|strand| strand.raw()));
        drop(order);
        named.into_iter().for_each(|node| alive.keep(node));
        let aside = self.put_aside.lock();
        let aside = aside.unwrap_or_else(PoisonError::into_inner);
        let tasks = aside.iter().chain(&kept.tasks);
        tasks.for_each(|&task| alive.keep_task(task));
    }

    fn prune_edges(&self, alive: &mut Alive<'_>) {
        if self.has_pieces.load(Ordering::Acquire) {
            let mut frames = self.frames.unused();
            for task in alive.tasks.rows() {
                let frame = self.frame_of(TaskId::new(task));
                self.frames.note(&mut frames, frame);
            }
            alive.frames = Some(frames);
        }
        let mut sources = Vec::new();
        let keep = |strand| sources.push(strand);
        self.prune_layers(alive, keep);
        sources.into_iter().for_each(|strand| alive.keep(strand));
    }

    fn release_nodes(&self, reclaimed: &mut Reclaimed, alive: &Alive<'_>, kept: &Kept) {
        let Alive { nodes, tasks, .. } = alive;
        let is_dead = |node: usize| !nodes.has(node as u32);
        self.forest.release(&mut reclaimed.nodes, is_dead);
        // The first row is that of task 1.
        let is_dead = |row: usize| !tasks.has(row as u32 + 1);
        self.tasks.release(&mut reclaimed.tasks, is_dead);
        self.release_origins(reclaimed, tasks, kept);
    }

    fn parent_of(&self, task: TaskId) -> Option<TaskId> {
        let row: TaskRow = self.tasks.get(task.raw().checked_sub(1)?);
        Some(row.parent)
    }

    /// Gives back what only dead tasks have in common.
    fn release_origins(&self, reclaimed: &mut Reclaimed, tasks: &Bits, kept: &Kept) {
        let mut origins = Bits::new(self.origins.len());
        let mut finishes = Bits::new(self.finishes.len());
        let mut frames = self.frames.unused();
        for task in tasks.rows() {
            let row = self.origin_of(TaskId::new(task));
            if origins.set(row) {
                let origin = self.origins.get(row);
                finishes.set(origin.finish.raw());
                self.frames.note(&mut frames, origin.frame);
            }
        }
        for &frame in &kept.frames {
            self.frames.note(&mut frames, frame);
        }
        let is_dead = |row: usize| row != 0 && !origins.has(row as u32);
        self.origins.release(&mut reclaimed.origins, is_dead);
        // The first row is that of finish 1.
        let is_dead = |row: usize| !finishes.has(row as u32 + 1);
        self.finishes.release(&mut reclaimed.finishes, is_dead);
        self.frames.release(&mut reclaimed.frames, &frames);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Taken;
    use heddle_core::{AccessKind, FinishKind, LockId, LockMode, SiteId, TaskKind};

    /// Two tasks count under one lock in turn, as often as asked, while another thread has made an access and sleeps;
    /// says how many rows of each sort there are then.
    fn rows_after(sections: u32) -> [usize; 5] {
        let engine = Engine::new().expect("address space");
        let (mut cache, mut sleeper) = (ThreadCache::new(), ThreadCache::new());
        let mut main = engine.main_task();
        let mut spawn = || engine.spawn(&mut main, None, TaskKind::Thread, SiteId::new(0), None);
        let mut tasks = [spawn(), spawn()];
        let mut third = spawn();
        engine.write(&mut sleeper, &mut third, 8, 2, || 7);
        let lock = LockId::new(7);
        for number in 0..sections {
            let cursor = &mut tasks[number as usize % 2];
            engine.acquire(cursor, lock, LockMode::Exclusive);
            engine.read(&mut cache, cursor, 1, 2, || 5);
            engine.write(&mut cache, cursor, 1, 2, || 6);
            engine.release(cursor, lock);
            let mut kept = Kept::default();
            kept.cursor(&main);
            let cursors = tasks.iter().chain([&third]);
            cursors.for_each(|cursor| kept.cursor(cursor));
            let caches = [(&mut cache, true), (&mut sleeper, false)];
            // SAFETY: this thread is the only one, and has these caches.
            unsafe { engine.reclaim(caches.into_iter(), &kept) };
        }
        let reclaimed = engine.reclaimed.lock().expect("no panic");
        let nodes = engine.forest.count() as usize;
        [
            reclaimed.nodes.there(nodes),
            engine.exclusion.there(&reclaimed.sections),
            engine.states.rows(),
            engine.knots(),
            engine
                .races(&heddle_core::roster::Roster::new().ancestry())
                .len(),
        ]
    }

    #[test]
    fn a_step_that_may_be_under_way_keeps_its_states_until_its_thread_was_inside() {
        let mut cache = ThreadCache::new();
        let taken = Taken {
            from: StateId(5),
            to: StateId(9),
        };
        cache.took(taken, AccessKind::Write, 0xff, 1);
        for was_inside in [true, false, false] {
            assert_eq!(cache.put_down(was_inside), [StateId(5), StateId(9)]);
        }
        assert_eq!(cache.put_down(true), []);
    }

    /// A team of two makes as many regions as asked, one after the other; says how many nodes there were and are.
    fn nodes_after(regions: u32) -> (usize, usize) {
        let engine = Engine::new().expect("address space");
        let mut cache = ThreadCache::new();
        let mut main = engine.main_task();
        engine.number_in_blocks(&mut main);
        for _ in 0..regions {
            let team = engine.team_begin(&mut main, SiteId::new(1));
            for location in 1..3 {
                let mut member = engine.member(&team, SiteId::new(1));
                engine.pass_numbers(&mut main, &mut member);
                engine.write(&mut cache, &mut member, location, 2, || 7);
                engine.reach(&mut member);
                engine.member_end(&member);
                engine.pass_numbers(&mut member, &mut main);
            }
            engine.team_end(&mut main, team);
            let mut kept = Kept::default();
            kept.cursor(&main);
            // SAFETY: this thread is the only one, and has this cache.
            unsafe { engine.reclaim([(&mut cache, true)].into_iter(), &kept) };
        }
        let reclaimed = engine.reclaimed.lock().expect("no panic");
        let made = engine.forest.count() as usize;
        (made, reclaimed.nodes.there(made))
    }

    #[test]
    fn regions_that_are_over_leave_nothing_behind() {
        let ((few, _), (many, there)) = (nodes_after(20), nodes_after(400));
        assert!(there < few, "{there} of {many} nodes are there");
        // A region, a phase, two members and a strand of each: what is left of a block is not worth much more.
        assert!(many <= 400 * 12, "{many} nodes were made");
    }

    /// A task opens as many finishes as asked, one after the other, each with a child that only the finish waits for;
    /// says how many nodes there were and are.
    fn nodes_after_finishes(finishes: u32) -> (usize, usize) {
        let engine = Engine::new().expect("address space");
        let mut cache = ThreadCache::new();
        let mut main = engine.main_task();
        let site = SiteId::new(1);
        for _ in 0..finishes {
            let finish = engine.finish_begin(&mut main, FinishKind::Group, site);
            let mut child = engine.spawn_child(&mut main, TaskKind::Async, site);
            engine.write(&mut cache, &mut child, 1, 2, || 7);
            engine.end(child);
            engine.finish_end(&mut main, finish);
            let mut kept = Kept::default();
            kept.cursor(&main);
            // SAFETY: this thread is the only one, and has this cache.
            unsafe { engine.reclaim([(&mut cache, true)].into_iter(), &kept) };
        }
        let reclaimed = engine.reclaimed.lock().expect("no panic");
        let made = engine.forest.count() as usize;
        (made, reclaimed.nodes.there(made))
    }

    #[test]
    fn finishes_that_are_over_leave_nothing_behind() {
        let ((few, _), (many, there)) = (nodes_after_finishes(200), nodes_after_finishes(4000));
        assert!(there < few, "{there} of {many} nodes are there");
    }

    #[test]
    fn sections_that_are_over_leave_nothing_behind() {
        let (few, many) = (rows_after(40), rows_after(400));
        for (few, many) in few.into_iter().zip(many) {
            assert!(many <= few + few / 4 + 8, "{few} became {many}");
        }
    }
}
