//! What the tasks do: accesses with a known verdict.
//!
//! Location 0 is shared by all readers; location `1 + t` is task `t`'s own element. Each task makes
//! sixteen accesses: eight to its own element, four to the shared one and four to that of a task which
//! precedes it: its parent, or an earlier one in a chain. Of these three are first accesses of a strand, thirteen repeat one.
//! After a finish its owner reads the element of the last task joined. All of that is ordered.
//!
//! The racy variant adds a write by the parent to the elements of [`RACES`] of its children that are
//! not joined yet: exactly that many racy places.

use crate::shape::{FIRST_FREE_SITE, Shape, Visitor, walk};
use heddle_core::{Event, Extent, Features, Listener, Location, Run, SiteId, TaskId};

/// Accesses made by each task.
pub const ACCESSES_PER_TASK: u64 = 16;
/// Racy places of the racy variant.
pub const RACES: u32 = 8;

/// What the tasks of a program do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Nothing: the cost of tasks alone.
    Nothing,
    /// Sixteen ordered accesses each.
    Ordered,
    /// The same and [`RACES`] racy writes.
    Racy,
}

impl Work {
    /// Racy places that must be found.
    pub fn races(self) -> usize {
        match self {
            Self::Nothing | Self::Ordered => 0,
            Self::Racy => RACES as usize,
        }
    }
}

/// A program of one shape, size and work.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// How its tasks hang together.
    pub shape: Shape,
    /// How many tasks are spawned.
    pub tasks: u32,
    /// What they do.
    pub work: Work,
}

impl Run for Program {
    fn features(&self) -> Features {
        Features {
            extra_edges: self.shape.has_extra_edges(),
            ..Features::default()
        }
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        match self.work {
            Work::Nothing => walk(self.shape, self.tasks, listener, &mut Idle),
            Work::Ordered => self.run_accesses(listener, u32::MAX),
            Work::Racy => self.run_accesses(listener, self.tasks / RACES),
        }
    }
}

impl Program {
    fn run_accesses<L: Listener>(&self, listener: &mut L, racy_every: u32) {
        write(listener, SHARED, 0);
        write(listener, own(TaskId::MAIN), 1);
        walk(self.shape, self.tasks, listener, &mut Busy { racy_every });
    }
}

struct Idle;

impl Visitor for Idle {
    fn enter<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
    fn resume<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
    fn joined<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
}

struct Busy {
    /// Every so many tasks the parent writes the child's element; beyond all tasks: never.
    racy_every: u32,
}

impl Visitor for Busy {
    #[inline]
    fn enter<L: Listener>(&mut self, listener: &mut L, task: TaskId, predecessor: TaskId) {
        write(listener, own(task), 2);
        for _ in 0..3 {
            read(listener, own(predecessor), 3);
            read(listener, SHARED, 4);
            read(listener, own(task), 5);
            write(listener, own(task), 6);
        }
        read(listener, own(predecessor), 3);
        read(listener, SHARED, 4);
        read(listener, own(task), 7);
    }

    #[inline]
    fn resume<L: Listener>(&mut self, listener: &mut L, _: TaskId, child: TaskId) {
        if child.raw().is_multiple_of(self.racy_every) {
            write(listener, own(child), 8);
        }
    }

    #[inline]
    fn joined<L: Listener>(&mut self, listener: &mut L, _: TaskId, child: TaskId) {
        read(listener, own(child), 9);
    }
}

const SHARED: Location = Location(0);

fn own(task: TaskId) -> Location {
    Location(1 + u64::from(task.raw()))
}

#[inline(always)]
fn read<L: Listener>(listener: &mut L, location: Location, site: u32) {
    listener.on(Event::Read {
        extent: Extent::one(location),
        site: SiteId::new(FIRST_FREE_SITE + site),
    });
}

#[inline(always)]
fn write<L: Listener>(listener: &mut L, location: Location, site: u32) {
    listener.on(Event::Write {
        extent: Extent::one(location),
        site: SiteId::new(FIRST_FREE_SITE + site),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accesses(work: Work, tasks: u32) -> u64 {
        let mut events = Vec::new();
        let shape = Shape::Wide;
        Program { shape, tasks, work }.run(&mut events);
        let is_access = |e: &&Event| matches!(e, Event::Read { .. } | Event::Write { .. });
        events.iter().filter(is_access).count() as u64
    }

    #[test]
    fn each_task_makes_sixteen_accesses() {
        assert_eq!(
            accesses(Work::Ordered, 100) - accesses(Work::Ordered, 50),
            50 * ACCESSES_PER_TASK
        );
        assert_eq!(accesses(Work::Nothing, 100), 0);
    }

    #[test]
    fn the_racy_variant_adds_one_write_per_racy_place() {
        let added = accesses(Work::Racy, 1000) - accesses(Work::Ordered, 1000);
        assert_eq!(added, u64::from(RACES));
    }
}
