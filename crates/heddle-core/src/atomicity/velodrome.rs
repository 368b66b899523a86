//! Conflict-serializability of the one order that was observed: the baseline to compare with.
//!
//! Flanagan, Freund, Yi: *Velodrome: A Sound and Complete Dynamic Atomicity Checker for Multithreaded
//! Programs* (2008). Regions are the transactions. There is an edge from one to the next of its task; from what a
//! task operation makes wait to what it waits for; from who gives a lock back to who takes it next (readers
//! of a lock they share do not wait for each other); and
//! between conflicting accesses to a unit, in the order in which they came. The run is
//! serializable iff these edges form no cycle; a region whose edge closes one is torn.
//!
//! What it does not say: anything about another schedule. A serial run is always serializable. What it sees and
//! triples of one unit do not: cycles over several units that no group ties together.
//!
//! # Deviation
//! The paper forgets transactions that no cycle can reach any more. Here all are kept, and a search is made for each
//! new edge into a region that is still open: simple, and slow only where tasks interleave much.

use super::region::{RegionId, Regions};
use super::unit::{Scope, UnitId, Units};
use crate::check::Run;
use crate::event::{AccessKind, Event, Listener, LockMode};
use crate::finding::Place;
use crate::id::{Extent, FinishId, LockId, SiteId, TaskId, TokenId};
use crate::place::Places;
use rustc_hash::{FxHashMap, FxHashSet};

/// From how many regions on a single one stands for them.
const MANY: usize = 4;

/// What the observed order shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Velodrome {
    /// The units on which an edge closed a cycle, each as its location or the members of its group, and
    /// where the access that closed it stands.
    pub torn: Vec<(Vec<Place>, SiteId)>,
    /// Regions that accessed a unit.
    pub regions: u64,
    /// Edges between regions.
    pub edges: u64,
}

/// Runs the program once and says whether its regions were serializable as they ran.
pub fn velodrome<R: Run>(run: &mut R, scope: Scope) -> Velodrome {
    let mut checker = Checker::new(scope);
    super::run_into(run, &mut checker);
    checker.found.regions = checker.regions.count();
    checker.found.edges = checker.before.values().map(|from| from.len() as u64).sum();
    checker.found
}

/// The transactions that touched a unit last.
#[derive(Default, Debug)]
struct Last {
    writer: Option<RegionId>,
    readers: Vec<RegionId>,
}

/// The transactions that gave a lock back.
#[derive(Default, Debug)]
struct Released {
    /// Who held it alone, last.
    alone: FxHashSet<RegionId>,
    /// Who shared it since.
    shared: FxHashSet<RegionId>,
}

#[derive(Debug)]
struct Checker {
    regions: Regions,
    units: Units,
    last: FxHashMap<UnitId, Last>,
    /// What is before a region, by region.
    before: FxHashMap<RegionId, FxHashSet<RegionId>>,
    /// What every task did last, and must be before what it does next.
    pending: FxHashMap<TaskId, FxHashSet<RegionId>>,
    released: FxHashMap<LockId, Released>,
    /// The locks that tasks share with others.
    sharing: FxHashSet<(TaskId, LockId)>,
    signalled: FxHashMap<TokenId, FxHashSet<RegionId>>,
    ended: FxHashMap<TaskId, FxHashSet<RegionId>>,
    members: FxHashMap<FinishId, Vec<TaskId>>,
    places: Places,
    cyclic: FxHashSet<UnitId>,
    found: Velodrome,
}

impl Checker {
    fn new(scope: Scope) -> Self {
        Self {
            regions: Regions::new(),
            units: Units::new(scope),
            last: FxHashMap::default(),
            before: FxHashMap::default(),
            pending: FxHashMap::default(),
            released: FxHashMap::default(),
            sharing: FxHashSet::default(),
            signalled: FxHashMap::default(),
            ended: FxHashMap::default(),
            members: FxHashMap::default(),
            places: Places::default(),
            cyclic: FxHashSet::default(),
            found: Velodrome::default(),
        }
    }

    /// The running region, with edges from all that its task waits for.
    fn region(&mut self) -> RegionId {
        let region = self.regions.current();
        let pending = self.pending.entry(self.regions.running()).or_default();
        let mut from = std::mem::replace(pending, FxHashSet::from_iter([region]));
        from.remove(&region);
        if !from.is_empty() {
            self.before.entry(region).or_default().extend(from);
        }
        region
    }

    /// What the running task did so far.
    fn so_far(&self) -> FxHashSet<RegionId> {
        let running = self.regions.running();
        self.pending.get(&running).cloned().unwrap_or_default()
    }

    fn wait_for(&mut self, from: FxHashSet<RegionId>) {
        let running = self.regions.running();
        self.pending.entry(running).or_default().extend(from);
    }

    fn access(&mut self, extent: Extent, site: SiteId, kind: AccessKind) {
        for hit in self.units.hits(extent, kind) {
            let region = self.region();
            let last = self.last.entry(hit.unit).or_default();
            let mut from: Vec<RegionId> = last.writer.into_iter().collect();
            match kind {
                AccessKind::Read => last.readers.push(region),
                AccessKind::Write => {
                    from.append(&mut last.readers);
                    last.writer = Some(region);
                }
            }
            last.readers.dedup();
            from.retain(|&other| other != region);
            if from.iter().any(|&other| self.reaches(region, other)) {
                self.close(hit.unit, site);
            }
            if !from.is_empty() {
                self.before.entry(region).or_default().extend(from);
            }
        }
    }

    /// Notes a cycle, once for each unit.
    #[cold]
    fn close(&mut self, unit: UnitId, site: SiteId) {
        if self.cyclic.insert(unit) {
            let places = self.units.places(unit, &self.places);
            self.found.torn.push((places, site));
        }
    }

    /// Whether `from` is before `to`.
    fn reaches(&self, from: RegionId, to: RegionId) -> bool {
        let (mut work, mut seen) = (vec![to], FxHashSet::default());
        while let Some(region) = work.pop() {
            if region == from {
                return true;
            }
            if seen.insert(region) {
                work.extend(self.before.get(&region).into_iter().flatten());
            }
        }
        false
    }

    fn task_event(&mut self, event: Event) {
        let so_far = self.so_far();
        match event {
            Event::Spawn { task, finish, .. } => {
                self.pending.insert(task, so_far);
                self.members.entry(finish).or_default().push(task);
            }
            Event::End { task } => {
                self.ended.insert(task, so_far);
            }
            Event::FinishEnd { finish } => {
                for task in self.members.remove(&finish).unwrap_or_default() {
                    self.wait_for(self.ended.get(&task).cloned().unwrap_or_default());
                }
            }
            Event::Join { task, .. } => {
                self.wait_for(self.ended.get(&task).cloned().unwrap_or_default());
            }
            Event::Signal { token, .. } => self.signalled.entry(token).or_default().extend(so_far),
            Event::Wait { token, .. } => {
                self.wait_for(self.signalled.get(&token).cloned().unwrap_or_default());
            }
            _ => {}
        }
        self.regions.follow(event);
        self.tie();
    }

    /// Lets one region stand for the many that the running task waited for.
    fn tie(&mut self) {
        let pending = self.pending.get(&self.regions.running());
        if pending.is_some_and(|pending| pending.len() > MANY) {
            self.region();
        }
    }

    /// Taking a lock is an access to it: what the region already did counts as well.
    fn acquire(&mut self, lock: LockId, mode: LockMode) {
        let released = self.released.entry(lock).or_default();
        let mut from = released.alone.clone();
        match mode {
            LockMode::Exclusive => from.extend(&released.shared),
            LockMode::Shared => {
                self.sharing.insert((self.regions.running(), lock));
            }
        }
        self.wait_for(from);
        if self.regions.is_current() {
            self.region();
        }
    }

    fn release(&mut self, lock: LockId) {
        let so_far = self.so_far();
        let released = self.released.entry(lock).or_default();
        if self.sharing.remove(&(self.regions.running(), lock)) {
            released.shared.extend(so_far);
        } else {
            released.alone = so_far;
            released.shared.clear();
        }
    }
}

impl Listener for Checker {
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => self.access(extent, site, AccessKind::Read),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(extent, site, AccessKind::Write);
            }
            Event::Atomic { extent, group } => self.units.declare(extent, group),
            Event::Alloc { extent, name, .. } => {
                self.units.forget(extent);
                self.places.allocate(extent, name);
            }
            Event::Declare {
                extent,
                name,
                shape,
            } => self.places.declare(extent, name, shape),
            Event::Bind { start, name } => self.places.bind(start, name),
            Event::Acquire { lock, mode, .. } => self.acquire(lock, mode),
            Event::Release { lock, .. } => self.release(lock),
            _ => self.task_event(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Features;
    use crate::event::TaskKind;
    use crate::id::Location;

    const SITE: SiteId = SiteId::new(0);
    const T: [TaskId; 2] = [TaskId::new(1), TaskId::new(2)];

    struct Recorded(Vec<Event>);

    impl Run for Recorded {
        fn features(&self) -> Features {
            Features::default()
        }

        fn run<L: Listener>(&mut self, listener: &mut L) {
            self.0.iter().for_each(|&event| listener.on(event));
        }
    }

    fn read(location: u64) -> Event {
        let extent = Extent::one(Location(location));
        Event::Read { extent, site: SITE }
    }

    fn write(location: u64) -> Event {
        let extent = Extent::one(Location(location));
        Event::Write { extent, site: SITE }
    }

    /// How many units are torn when two parallel tasks do this, in this sequence.
    fn torn(steps: &[(usize, Event)]) -> usize {
        let extent = Extent::new(Location(0), 2);
        let mut events = vec![Event::Atomic {
            extent,
            group: None,
        }];
        events.extend(T.map(|task| Event::Spawn {
            task,
            finish: FinishId::MAIN,
            kind: TaskKind::Async,
            site: SITE,
            name: None,
        }));
        events.extend(T.map(|task| Event::Begin { task }));
        for &(task, event) in steps {
            events.extend([Event::Resume { task: T[task] }, event]);
        }
        velodrome(&mut Recorded(events), Scope::Declared).torn.len()
    }

    #[test]
    fn an_update_that_is_torn_as_it_runs_is_a_cycle() {
        assert_eq!(torn(&[(0, read(0)), (1, write(0)), (0, write(0))]), 1);
        assert_eq!(torn(&[(0, read(0)), (1, read(0)), (0, write(0))]), 0);
    }

    #[test]
    fn the_same_accesses_in_a_serial_sequence_are_none() {
        assert_eq!(torn(&[(0, read(0)), (0, write(0)), (1, write(0))]), 0);
    }

    #[test]
    fn a_cycle_over_two_units_is_seen_though_neither_is_torn_by_itself() {
        let steps = [(0, write(0)), (1, read(0)), (1, write(1)), (0, read(1))];
        assert_eq!(torn(&steps), 1);
    }

    /// The second task takes a lock from the first, which then reads what the second wrote.
    fn torn_across_a_lock(mode: LockMode) -> usize {
        let (lock, site) = (LockId::new(1), SITE);
        let acquire = Event::Acquire { lock, mode, site };
        let release = Event::Release { lock, site };
        let first = [(0, acquire), (0, read(0)), (0, release)];
        let second = [(1, acquire), (1, write(1)), (1, release)];
        torn(&[&first[..], &second, &[(0, read(1))]].concat())
    }

    #[test]
    fn giving_a_lock_back_and_taking_it_is_an_edge() {
        assert_eq!(torn_across_a_lock(LockMode::Exclusive), 1);
    }

    #[test]
    fn readers_that_share_a_lock_do_not_wait_for_each_other() {
        assert_eq!(torn_across_a_lock(LockMode::Shared), 0);
    }
}
