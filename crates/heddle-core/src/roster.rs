//! Who took part in a run: tasks, finishes, locks and tokens, as reports need them.

use crate::event::{FinishKind, TaskKind};
use crate::finding::{FinishInfo, TaskInfo, Why};
use crate::id::{FinishId, NameId, SiteId, TaskId};
use crate::order::tree::{NodeKind, Nodes, Tree};

/// The participants of one run.
#[derive(Debug)]
pub struct Roster {
    /// Spawned tasks; row `n` is task `n + 1`.
    pub tasks: Vec<TaskInfo>,
    /// Begun finishes; row `n` is finish `n + 1`.
    pub finishes: Vec<FinishInfo>,
    /// Names of locks; row `n` is lock `n + 1`.
    pub locks: Vec<NameId>,
    /// Names of tokens.
    pub tokens: Vec<NameId>,
    /// The running task.
    pub running: TaskId,
}

impl Roster {
    /// The main task alone.
    pub fn new() -> Self {
        Self {
            tasks: Vec::new(),
            finishes: Vec::new(),
            locks: Vec::new(),
            tokens: Vec::new(),
            running: TaskId::MAIN,
        }
    }

    /// The running task creates one.
    #[inline]
    pub fn spawn(&mut self, finish: FinishId, kind: TaskKind, site: SiteId, name: Option<NameId>) {
        self.tasks.push(TaskInfo {
            parent: self.running,
            site,
            finish,
            kind,
            name,
        });
    }

    /// The running task opens a finish.
    pub fn finish_begin(&mut self, kind: FinishKind, site: SiteId) {
        self.finishes.push(FinishInfo {
            owner: self.running,
            site,
            kind,
        });
    }

    /// Prepares for questions about ancestors.
    pub fn ancestry(&self) -> Ancestry<'_> {
        Ancestry::new(&self.tasks)
    }
}

impl Default for Roster {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds common ancestors of tasks in logarithmic time.
#[derive(Debug)]
pub struct Ancestry<'a> {
    tasks: &'a [TaskInfo],
    /// Each task below its parent; a task's node has its number.
    tree: Tree,
}

impl<'a> Ancestry<'a> {
    fn new(tasks: &'a [TaskInfo]) -> Self {
        let mut tree = Tree::new();
        for (task, info) in (1..).zip(tasks) {
            tree.push(info.parent.raw(), NodeKind::Task, TaskId::new(task));
        }
        Self { tasks, tree }
    }

    fn depth(&self, task: TaskId) -> u32 {
        self.tree.node(task.raw()).depth()
    }

    fn raise(&self, task: TaskId, depth: u32) -> TaskId {
        TaskId::new(self.tree.raise(task.raw(), depth))
    }

    fn common(&self, a: TaskId, b: TaskId) -> TaskId {
        let depth = self.depth(a).min(self.depth(b));
        let (a, b) = (self.raise(a, depth), self.raise(b, depth));
        match a == b {
            true => a,
            false => TaskId::new(self.tree.parent(self.tree.fork(a.raw(), b.raw()).0)),
        }
    }

    /// Why two different tasks are parallel: the first spawned of the two branches that lead from
    /// their common ancestor to them.
    pub fn why(&self, a: TaskId, b: TaskId) -> Why {
        let ancestor = self.common(a, b);
        let below =
            |task: TaskId| (task != ancestor).then(|| self.raise(task, self.depth(ancestor) + 1));
        let (spawned, side) = match (below(a), below(b)) {
            (Some(a), Some(b)) if b < a => (b, 1),
            (Some(a), _) => (a, 0),
            (None, Some(b)) => (b, 1),
            (None, None) => (ancestor, 0),
        };
        let row = spawned
            .index()
            .checked_sub(1)
            .and_then(|row| self.tasks.get(row));
        Why {
            ancestor,
            spawned,
            finish: row.map_or(FinishId::MAIN, |task| task.finish),
            side,
        }
    }
}
