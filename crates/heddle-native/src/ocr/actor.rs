//! Who acts: a task, where it stands, and what of its past others come after.
//!
//! A call such as `ocrAddDependence` is a point in its task's execution: what the task did up to there precedes
//! the destination. Most such points never become edges, because the task itself makes the destination runnable
//! in the end. So a point only ends the running strand, which costs nothing; whoever needs the edge names that
//! strand later.

use super::guid::Guid;
use super::world::{Finish, World};
use crate::runtime::Runtime;
use heddle_core::{SiteId, TaskId};
use heddle_rt::Cursor;

/// The end of a strand that something comes after.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Source {
    pub(super) task: TaskId,
    pub(super) strand: u32,
}

/// The last strand of a task that is over, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// 0 if none is known.
    last: u32,
    /// The engine's clock when it was: strands made since may be this task's.
    clock: u32,
}

/// See the module's documentation.
pub(super) struct Actor<'a> {
    pub(super) runtime: &'static Runtime,
    pub(super) cursor: &'a mut Cursor,
    pub(super) point: &'a mut Point,
    /// The finish that tasks it creates belong to.
    pub(super) home: u32,
    /// Where it calls from.
    pub(super) site: SiteId,
}

impl Actor<'_> {
    /// Where it stands: whatever it does next is not part of it.
    pub(super) fn here(&mut self) -> Source {
        let engine = &self.runtime.engine;
        self.before_operation();
        // A recording names signals, not strands.
        if self.point.last == 0 || self.runtime.options.record.is_some() {
            self.point.last = engine.signal(self.cursor);
        } else {
            engine.suspend(self.cursor);
        }
        self.after_operation();
        Source {
            task: self.cursor.task(),
            strand: self.point.last,
        }
    }

    /// To be called before the engine is told of something that ends the running strand.
    fn before_operation(&mut self) {
        match self.cursor.strand() {
            // Strands may have begun and ended by what others told the engine (locks).
            0 if self.point.clock != self.runtime.engine.clock() => self.point.last = 0,
            0 => {}
            strand => self.point.last = strand,
        }
    }

    fn after_operation(&mut self) {
        self.point.clock = self.runtime.engine.clock();
    }

    /// The task becomes runnable by what the actor has just done: it enters the engine.
    pub(super) fn start(&mut self, world: &mut World, newborn: Newborn) -> Started {
        let engine = &self.runtime.engine;
        let scope = world.finish(newborn.home).scope_id();
        let is_at_home = self.cursor.finish() == scope;
        self.before_operation();
        let into = (!is_at_home).then_some(heddle_rt::FinishScope::MAIN);
        let mut cursor = engine.spawn(
            self.cursor,
            into.as_ref(),
            heddle_core::TaskKind::EventDriven,
            newborn.site,
            None,
        );
        self.after_operation();
        let own = self.cursor.task();
        let is_news =
            |source: &Source| source.task != own && !engine.starts_after(&cursor, source.strand);
        let strands = world.latest(newborn.sources, is_news);
        if !strands.is_empty() {
            engine.wait(&mut cursor, &strands);
        }
        world.enter(cursor.task(), newborn.function);
        Started {
            cursor,
            is_foreign: !is_at_home && newborn.home != Finish::ROOT,
        }
    }
}

/// What the engine is to know of a task that becomes runnable.
pub(super) struct Newborn {
    pub(super) home: u32,
    pub(super) site: SiteId,
    pub(super) function: u32,
    pub(super) sources: Vec<Source>,
}

/// A task that can run.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) cursor: Cursor,
    /// Whether its finish must be told of its end: it does not stand in it in the tree.
    pub(super) is_foreign: bool,
}

/// A satisfaction on its way: what arrives where, and what precedes it.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) to: Guid,
    pub(super) slot: u32,
    pub(super) data: Guid,
    /// None leaves the slot's as it is.
    pub(super) mode: Option<u32>,
    pub(super) sources: Vec<Source>,
}
