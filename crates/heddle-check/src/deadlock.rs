//! Possible deadlocks of a run that can be repeated.
//!
//! A first pass, without any order, collects the sorts of waits. Only if they form a cycle is the run
//! followed a second time, with its order.

use heddle_core::atomicity::Scope;
use heddle_core::deadlock::{Held, LockOrder, Wait, Wanted};
use heddle_core::{
    Awaited, Event, Finding, Listener, LockId, OrderError, Run, SiteId, StrandId, TaskId,
};
use heddle_rt::{Follower, Keeping};
use rustc_hash::FxHashMap;

/// The deadlocks that other schedules of this run can have.
pub fn possible_deadlocks<R: Run>(run: &mut R) -> Result<Vec<Finding>, OrderError> {
    let mut scout = Waits::new(Unordered(0), Recorded::Nested);
    crate::follow(run, &mut scout);
    if !scout.lock_order.has_cycles() && scout.recorded == Recorded::Nested {
        return Ok(Vec::new());
    }
    let order = Follower::new(run.features(), Scope::Declared, Keeping::Two);
    let order = order.ok_or(OrderError::NoAddressSpace)?;
    let mut judge = Waits::new(order, scout.recorded);
    crate::follow(run, &mut judge);
    Ok(judge.lock_order.findings())
}

/// What a pass knows of the order.
trait Strands {
    fn follow(&mut self, event: Event);
    fn strand(&mut self) -> StrandId;
    fn ordered(&mut self, earlier: StrandId, later: StrandId) -> bool;
}

/// Every wait is a strand of its own and nothing is known to be parallel.
struct Unordered(u32);

impl Strands for Unordered {
    fn follow(&mut self, _: Event) {}

    fn strand(&mut self) -> StrandId {
        self.0 += 1;
        StrandId::new(self.0)
    }

    fn ordered(&mut self, _: StrandId, _: StrandId) -> bool {
        true
    }
}

impl Strands for Follower {
    fn follow(&mut self, event: Event) {
        self.on(event);
    }

    fn strand(&mut self) -> StrandId {
        StrandId::new(self.strand().unwrap_or(0))
    }

    fn ordered(&mut self, earlier: StrandId, later: StrandId) -> bool {
        self.is_ordered(earlier.raw(), later.raw())
    }
}

/// Follows a run and tells a [`LockOrder`] of its waits.
struct Waits<S> {
    strands: S,
    running: TaskId,
    /// What each task holds; tasks that hold nothing are absent.
    held: FxHashMap<TaskId, Vec<Held>>,
    lock_order: LockOrder,
    recorded: Recorded,
}

/// Which acquisitions matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recorded {
    /// Those made while another lock is held.
    Nested,
    /// All: some task holds a lock while it waits for others, which may take any.
    All,
}

impl<S: Strands> Waits<S> {
    fn new(strands: S, recorded: Recorded) -> Self {
        Self {
            strands,
            running: TaskId::MAIN,
            held: FxHashMap::default(),
            lock_order: LockOrder::default(),
            recorded,
        }
    }

    fn acquire(&mut self, held: Held) {
        let before = self.held.entry(self.running).or_default();
        if !before.is_empty() || self.recorded == Recorded::All {
            let wait = Wait {
                task: self.running,
                site: held.site,
                held: before.clone(),
                wanted: Wanted::Lock(held.lock, held.mode),
                before: self.strands.strand(),
                after: None,
            };
            let strands = &mut self.strands;
            self.lock_order.note(wait, |a, b| strands.ordered(a, b));
        }
        before.push(held);
    }

    fn release(&mut self, lock: LockId) {
        if let Some(held) = self.held.get_mut(&self.running) {
            held.retain(|one| one.lock != lock);
            if held.is_empty() {
                self.held.remove(&self.running);
            }
        }
    }

    /// The running task has waited for others.
    fn wait(&mut self, event: Event, awaited: Awaited, site: SiteId) {
        let Some(held) = self.held.get(&self.running).cloned() else {
            return self.strands.follow(event);
        };
        self.recorded = Recorded::All;
        let before = self.strands.strand();
        self.strands.follow(event);
        let wait = Wait {
            task: self.running,
            site,
            held,
            wanted: Wanted::Tasks(awaited),
            before,
            after: Some(self.strands.strand()),
        };
        let strands = &mut self.strands;
        self.lock_order.note(wait, |a, b| strands.ordered(a, b));
    }
}

impl<S: Strands> Listener for Waits<S> {
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { .. } | Event::Write { .. } | Event::Free { .. } => {}
            Event::Alloc { .. } | Event::Atomic { .. } => {}
            Event::Acquire { lock, mode, site } => self.acquire(Held { lock, mode, site }),
            Event::Release { lock, .. } => self.release(lock),
            Event::Begin { task } | Event::Resume { task } => {
                self.running = task;
                self.strands.follow(event);
            }
            Event::FinishEnd { finish } => {
                let site = self.last_taken();
                self.wait(event, Awaited::Finish(finish), site);
            }
            Event::Join { task, site } => self.wait(event, Awaited::Task(task), site),
            Event::Wait { token, site } => self.wait(event, Awaited::Token(token), site),
            _ => self.strands.follow(event),
        }
    }
}

impl<S> Waits<S> {
    /// Ends of finishes have no position: where the last lock was taken stands for it.
    fn last_taken(&self) -> SiteId {
        let held = self.held.get(&self.running);
        held.and_then(|held| held.last())
            .map_or(SiteId::new(0), |last| last.site)
    }
}
