//! Who took part in a run: tasks, finishes, locks and tokens, as reports need them.

use crate::event::{FinishKind, TaskKind};
use crate::finding::{FinishInfo, TaskInfo, Why};
use crate::id::{FinishId, NameId, SiteId, TaskId};

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
    depths: Vec<u32>,
    /// An ancestor further up; which one depends on the depth alone.
    skips: Vec<TaskId>,
}

impl<'a> Ancestry<'a> {
    fn new(tasks: &'a [TaskInfo]) -> Self {
        let mut ancestry = Self {
            tasks,
            depths: vec![0],
            skips: vec![TaskId::MAIN],
        };
        for task in tasks {
            ancestry.push(task.parent);
        }
        ancestry
    }

    fn push(&mut self, parent: TaskId) {
        let depth = |task: TaskId| self.depths[task.index()];
        let skip = self.skips[parent.index()];
        let far = self.skips[skip.index()];
        let even = depth(parent) - depth(skip) == depth(skip) - depth(far);
        let next = depth(parent) + 1;
        self.skips.push(if even { far } else { parent });
        self.depths.push(next);
    }

    fn parent(&self, task: TaskId) -> TaskId {
        task.index()
            .checked_sub(1)
            .map_or(TaskId::MAIN, |row| self.tasks[row].parent)
    }

    fn depth(&self, task: TaskId) -> u32 {
        self.depths[task.index()]
    }

    fn raise(&self, mut task: TaskId, depth: u32) -> TaskId {
        while self.depth(task) > depth {
            let skip = self.skips[task.index()];
            task = if self.depth(skip) >= depth {
                skip
            } else {
                self.parent(task)
            };
        }
        task
    }

    fn common(&self, a: TaskId, b: TaskId) -> TaskId {
        let depth = self.depth(a).min(self.depth(b));
        let (mut a, mut b) = (self.raise(a, depth), self.raise(b, depth));
        while a != b {
            let (skip_a, skip_b) = (self.skips[a.index()], self.skips[b.index()]);
            let skip = skip_a != skip_b;
            a = if skip { skip_a } else { self.parent(a) };
            b = if skip { skip_b } else { self.parent(b) };
        }
        a
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
