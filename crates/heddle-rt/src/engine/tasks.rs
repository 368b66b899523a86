//! Tasks: how they come to be, and their rows in the tables.

use super::numbers::Numbers;
use super::{Cursor, EndPoint, Engine, FinishScope, NO_STRAND};
use crate::atomicity::NO_REGION;
use crate::exclusion::Hold;
use crate::frames::OUTSIDE;
use crate::overtaken::Looks;
use crate::states::ROWS;
use crate::store::Store;
use crate::sync::{MutexGuard, Ordering, PoisonError};
use heddle_core::order::tree::{Departures, NodeIndex, NodeKind, ROOT};
use heddle_core::roster::Participants;
use heddle_core::{FinishId, FinishInfo, NameId, SiteId, TaskId, TaskInfo, TaskKind};
use rustc_hash::FxHashSet;

/// A task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskRow {
    pub(crate) parent: TaskId,
    site: SiteId,
    /// Row of its [`Origin`].
    origin: u32,
}

/// What many tasks have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) finish: FinishId,
    kind: TaskKind,
    name: Option<NameId>,
    /// Their share of a team's work.
    pub(crate) frame: u32,
}

/// Which edges can leave a task of this kind from its start on.
fn departures_of(kind: TaskKind) -> Departures {
    match kind {
        TaskKind::Future | TaskKind::Dependent | TaskKind::Post | TaskKind::Thread => {
            Departures::Edges
        }
        _ => Departures::None,
    }
}

impl Engine {
    pub(super) fn origins() -> Option<Store<Origin>> {
        let origins = Store::new(ROWS)?;
        // Row 0 is the main task's.
        origins.push(Origin {
            finish: FinishId::MAIN,
            kind: TaskKind::Async,
            name: None,
            frame: OUTSIDE,
        })?;
        Some(origins)
    }

    /// One more than the number of the latest task.
    pub fn task_count(&self) -> u32 {
        self.tasks.len() + 1
    }

    /// Something may wait for a strand or a task by a name that no list has ([`crate::Kept`]).
    pub fn expect_names(&self) {
        if !self.has_names.load(Ordering::Relaxed) {
            self.has_names.store(true, Ordering::Release);
        }
    }

    /// The main task at its start.
    pub fn main_task(&self) -> Cursor {
        Cursor {
            task: TaskId::MAIN,
            scope: ROOT,
            finish: FinishId::MAIN,
            joined_by: FinishId::MAIN,
            outlived_by: FinishId::MAIN,
            wait: ROOT,
            left_waits: Vec::new(),
            children: Vec::new(),
            floor: ROOT,
            frame: OUTSIDE,
            phase: 0,
            strand: NO_STRAND,
            departures: Departures::None,
            leaks: false,
            hold: Hold::NOTHING,
            taken: Vec::new(),
            region: NO_REGION,
            blocks: 0,
            origin: 0,
            looks: Looks::default(),
            received: 0,
            departed: 0,
            newest: ROOT,
            numbers: Numbers::default(),
        }
    }

    /// `parent` creates a task, into the finish `into` or, without one, its own innermost finish.
    pub fn spawn(
        &self,
        parent: &mut Cursor,
        into: Option<&FinishScope>,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    ) -> Cursor {
        let finish = into.map_or(parent.finish, |scope| scope.id);
        let task = self.new_task(parent, finish, kind, site, name);
        self.each_layer(|layer| layer.spawn(parent.task, task));
        let node = match into {
            Some(scope) if scope.id != parent.finish || parent.is_waited_for() => {
                self.spawn_scoped(parent, scope, task)
            }
            _ => self.push_node(parent, parent.scope, NodeKind::Task, task, Departures::None),
        };
        self.operate(parent);
        self.record(|book| {
            book.spawn(parent.task, task, finish, kind, site);
        });
        self.start(parent.frame, task, node, finish, finish)
    }

    pub(crate) fn new_task(
        &self,
        parent: &mut Cursor,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    ) -> TaskId {
        let info = TaskInfo {
            parent: parent.task,
            site,
            finish,
            kind,
            name,
        };
        let frame = parent.frame;
        self.add_task(info, frame, &mut parent.origin)
    }

    /// `likely` is the row of an origin that may be the new task's; it is when this returns.
    pub(crate) fn add_task(&self, info: TaskInfo, frame: u32, likely: &mut u32) -> TaskId {
        let TaskInfo { parent, site, .. } = info;
        // The ends of threads are listed ([`crate::Kept`]).
        if info.kind != TaskKind::Thread && departures_of(info.kind) == Departures::Edges {
            self.expect_names();
        }
        let origin = Origin {
            finish: info.finish,
            kind: info.kind,
            name: info.name,
            frame,
        };
        if self.origins.get(*likely) != origin {
            *likely = self.or_give_up(self.origins.push(origin)).unwrap_or(0);
        }
        let row = self.or_give_up(self.tasks.push(TaskRow {
            parent,
            site,
            origin: *likely,
        }));
        TaskId::new(row.map_or(0, |row| row + 1))
    }

    /// The share of a team's work that `task` belongs to.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn frame_of(&self, task: TaskId) -> u32 {
        self.origins.get(self.origin_of(task)).frame
    }

    pub(crate) fn origin_of(&self, task: TaskId) -> u32 {
        let row = task.raw().checked_sub(1);
        row.map_or(0, |row| self.tasks.get(row).origin)
    }

    pub(super) fn info(&self, row: TaskRow) -> TaskInfo {
        let Origin {
            finish, kind, name, ..
        } = self.origins.get(row.origin);
        TaskInfo {
            parent: row.parent,
            site: row.site,
            finish,
            kind,
            name,
        }
    }

    /// A task at its start.
    pub(crate) fn start(
        &self,
        frame: u32,
        task: TaskId,
        node: Option<NodeIndex>,
        finish: FinishId,
        joined_by: FinishId,
    ) -> Cursor {
        let origin = self.origin_of(task);
        let node = self.or_give_up(node).unwrap_or(ROOT);
        Cursor {
            task,
            scope: node,
            finish,
            joined_by,
            outlived_by: finish,
            wait: ROOT,
            left_waits: Vec::new(),
            children: Vec::new(),
            floor: ROOT,
            frame,
            phase: 0,
            strand: NO_STRAND,
            departures: departures_of(self.origins.get(origin).kind),
            leaks: false,
            hold: Hold::NOTHING,
            taken: Vec::new(),
            region: NO_REGION,
            blocks: 0,
            origin,
            looks: Looks::default(),
            received: 0,
            departed: 0,
            newest: node,
            numbers: Numbers::default(),
        }
    }

    #[cold]
    pub(super) fn spawn_scoped(
        &self,
        parent: &mut Cursor,
        into: &FinishScope,
        task: TaskId,
    ) -> Option<NodeIndex> {
        // Where a scoped task stands in the tree does not say what its spawner did before.
        self.keep_all();
        let spawner = self.close(parent);
        let node = self.forest.push_scoped(into.node, parent.scope, task)?;
        parent.newest = node;
        self.arrive(task, &[spawner]);
        Some(node)
    }

    /// The task stops running for a while. What it does next is a new strand: others may have run in
    /// between.
    pub fn suspend(&self, cursor: &mut Cursor) {
        cursor.end_strand();
        if cursor.floor != ROOT {
            self.has_put_aside.store(true, Ordering::Relaxed);
            self.aside().insert(cursor.task);
        }
    }

    /// The task waits. What it does next is a new strand.
    pub fn rest(&self, cursor: &mut Cursor) {
        cursor.end_strand();
    }

    /// A piece of a team's work is over.
    pub(crate) fn done_with(&self, piece: TaskId) {
        if self.has_put_aside.load(Ordering::Relaxed) {
            self.aside().remove(&piece);
        }
    }

    pub(super) fn aside(&self) -> MutexGuard<'_, FxHashSet<TaskId>> {
        self.put_aside
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The task is over.
    pub fn end(&self, mut cursor: Cursor) -> EndPoint {
        cursor.blocks = 0;
        self.end_region(&mut cursor);
        let Cursor {
            task,
            scope,
            joined_by,
            outlived_by,
            strand,
            departures,
            ..
        } = cursor;
        self.leak(&cursor);
        self.forest.leave_task(scope);
        for &wait in &cursor.left_waits {
            self.forest.leave(wait);
        }
        self.each_layer(|layer| layer.end(task, joined_by));
        if outlived_by != joined_by {
            self.each_layer(|layer| layer.end(task, outlived_by));
        }
        self.record(|book| book.end(task));
        EndPoint {
            task,
            scope,
            strand,
            departures,
        }
    }

    /// All spawned tasks and begun finishes. To be called when nothing runs any more.
    pub fn participants(&self) -> (Vec<TaskInfo>, Vec<FinishInfo>) {
        (self.spawned().collect(), self.finishes.rows().collect())
    }

    /// All spawned tasks, without a copy of them. To be called when nothing runs any more.
    pub fn spawned(&self) -> impl Iterator<Item = TaskInfo> + '_ {
        self.tasks.rows().map(|row| self.info(row))
    }

    /// How many finishes were begun.
    pub fn finish_count(&self) -> u32 {
        self.finishes.len()
    }
}

impl Participants for Engine {
    fn task(&self, task: TaskId) -> Option<TaskInfo> {
        let row = task.raw().checked_sub(1)?;
        (row < self.tasks.len()).then(|| self.info(self.tasks.get(row)))
    }

    fn finish(&self, finish: FinishId) -> Option<FinishInfo> {
        let row = finish.raw().checked_sub(1)?;
        (row < self.finishes.len()).then(|| self.finishes.get(row))
    }
}
