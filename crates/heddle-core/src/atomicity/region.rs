//! Regions: the pieces of tasks whose accesses belong together.
//!
//! A region is what a task does between two of its task operations. Taking or giving back a lock,
//! receiving a hand-off or being suspended does not end one: this is not the order's strand, which is
//! split there too. Where the program marks an atomic block, the block is the region, whatever it
//! contains; what lies before and behind it are regions of their own.

use crate::event::Event;
use crate::id::TaskId;

/// A region, in the sequence in which regions made their first access. Never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(u32);

/// Follows which region each task is in.
#[derive(Debug)]
pub struct Regions {
    tasks: Vec<State>,
    running: TaskId,
    made: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// None if the task has touched nothing since its last region ended.
    current: Option<RegionId>,
    /// How many atomic blocks the task is in.
    blocks: u32,
}

impl Regions {
    /// The main task at its start.
    pub fn new() -> Self {
        Self {
            tasks: vec![State::default()],
            running: TaskId::MAIN,
            made: 0,
        }
    }

    /// The running task.
    pub fn running(&self) -> TaskId {
        self.running
    }

    /// The region the running task is in, made now if it has touched nothing yet.
    #[inline]
    pub fn current(&mut self) -> RegionId {
        match self.state().current {
            Some(region) => region,
            None => self.make(),
        }
    }

    /// Whether the running task has touched something in the region it is in.
    pub fn is_current(&self) -> bool {
        let state = self.tasks.get(self.running.index());
        state.is_some_and(|state| state.current.is_some())
    }

    /// Whether `task` is still in `region`.
    pub fn is_open(&self, task: TaskId, region: RegionId) -> bool {
        self.tasks
            .get(task.index())
            .is_some_and(|state| state.current == Some(region))
    }

    /// How many regions made an access.
    pub fn count(&self) -> u64 {
        u64::from(self.made)
    }

    /// Takes an event of the run.
    #[inline]
    pub fn follow(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::End { .. } => *self.state() = State::default(),
            Event::Spawn { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. } => self.task_operation(),
            Event::AtomicBegin { .. } => self.enter_block(),
            Event::AtomicEnd { .. } => self.leave_block(),
            _ => {}
        }
    }

    fn task_operation(&mut self) {
        if self.state().blocks == 0 {
            self.state().current = None;
        }
    }

    fn enter_block(&mut self) {
        self.task_operation();
        self.state().blocks += 1;
    }

    fn leave_block(&mut self) {
        let state = self.state();
        state.blocks = state.blocks.saturating_sub(1);
        self.task_operation();
    }

    #[cold]
    fn make(&mut self) -> RegionId {
        self.made += 1;
        let region = RegionId(self.made);
        self.state().current = Some(region);
        region
    }

    #[inline]
    fn state(&mut self) -> &mut State {
        let row = self.running.index();
        if self.tasks.len() <= row {
            self.tasks.resize_with(row + 1, State::default);
        }
        &mut self.tasks[row]
    }
}

impl Default for Regions {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::LockMode;
    use crate::id::{FinishId, LockId, SiteId};

    const SITE: SiteId = SiteId::new(0);
    const ONE: TaskId = TaskId::new(1);

    fn after(regions: &mut Regions, events: &[Event]) -> RegionId {
        events.iter().for_each(|&event| regions.follow(event));
        regions.current()
    }

    #[test]
    fn locks_and_suspension_do_not_end_a_region_but_task_operations_do() {
        let mut regions = Regions::new();
        let lock = LockId::new(1);
        let first = regions.current();
        let locked = [
            Event::Acquire {
                lock,
                mode: LockMode::Exclusive,
                site: SITE,
            },
            Event::Release { lock, site: SITE },
            Event::Begin { task: ONE },
            Event::Resume { task: TaskId::MAIN },
        ];
        assert_eq!(after(&mut regions, &locked), first);
        let finish = Event::FinishEnd {
            finish: FinishId::new(1),
        };
        assert_ne!(after(&mut regions, &[finish]), first);
        assert!(!regions.is_open(TaskId::MAIN, first));
    }

    #[test]
    fn an_atomic_block_is_one_region_across_task_operations() {
        let mut regions = Regions::new();
        let before = regions.current();
        let begin = Event::AtomicBegin { site: SITE };
        let end = Event::AtomicEnd { site: SITE };
        let block = after(&mut regions, &[begin]);
        assert_ne!(block, before);
        let join = Event::Join {
            task: ONE,
            site: SITE,
        };
        assert_eq!(after(&mut regions, &[begin, join, end]), block);
        assert_ne!(after(&mut regions, &[end]), block);
    }
}
