//! A stream of events that keeps the rules of [`heddle_core::Event`], whatever it is told.
//!
//! On many threads tasks run at the same time; in a stream one runs at a time. So each event is preceded
//! by the switch to its task, and what the rules ask for is seen to here: a finish ends after all its
//! tasks, a task after its finishes, a lock has one holder or readers. Where the program's threads really had a
//! lock at once that they exclude each other from, it is taken from the task that is not running, and back when
//! that one goes on.

use super::out::{Out, Part};
use heddle_core::{
    Event, FinishId, FinishKind, Listener, LockId, LockMode, SiteId, TaskId, TaskKind, TokenId,
};

/// See the module's documentation.
pub(super) struct Stream {
    out: Out,
    running: Option<TaskId>,
    tasks: Vec<Task>,
    finishes: Vec<Finish>,
    /// Who has each lock, and how.
    holders: Vec<Vec<(TaskId, LockMode)>>,
}

/// A task of the stream.
struct Task {
    parent: TaskId,
    /// The finish it was spawned into.
    joined_by: FinishId,
    /// The innermost finish it has open, else the one it was spawned into.
    scope: FinishId,
    site: SiteId,
    stage: Stage,
    /// The locks that protect what it does, as often as it took them.
    held: Vec<(LockId, LockMode)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Spawned,
    Begun,
    Ended,
}

struct Finish {
    owner: TaskId,
    outer: FinishId,
    /// Tasks spawned into it; those at the end that have ended may be gone.
    tasks: Vec<TaskId>,
    /// It is over, but one its owner has begun since is not.
    is_over: bool,
}

impl Stream {
    pub(super) fn new(out: Box<dyn Listener + Send>, start: SiteId) -> Self {
        let main = Task {
            parent: TaskId::MAIN,
            joined_by: FinishId::MAIN,
            scope: FinishId::MAIN,
            site: start,
            stage: Stage::Begun,
            held: Vec::new(),
        };
        let finish = Finish {
            owner: TaskId::MAIN,
            outer: FinishId::MAIN,
            tasks: Vec::new(),
            is_over: false,
        };
        Self {
            out: Out::new(out),
            running: Some(TaskId::MAIN),
            tasks: vec![main],
            finishes: vec![finish],
            holders: vec![Vec::new()],
        }
    }

    /// Where the task was created; stands for operations that say nothing of their own.
    pub(super) fn site_of(&self, task: TaskId) -> SiteId {
        self.tasks[task.index()].site
    }

    /// The task that created it and the finish that joins it.
    pub(super) fn origin(&self, task: TaskId) -> (TaskId, FinishId) {
        let task = &self.tasks[task.index()];
        (task.parent, task.joined_by)
    }

    /// Makes `task` the running one; not if it is over.
    pub(super) fn run(&mut self, task: TaskId) -> bool {
        if self.running != Some(task) {
            if self.tasks[task.index()].stage == Stage::Ended {
                return false;
            }
            self.free_locks_for(task);
            self.switch(task);
            self.take_locks();
        }
        true
    }

    fn switch(&mut self, task: TaskId) {
        if self.running == Some(task) {
            return;
        }
        self.out.on(match self.tasks[task.index()].stage {
            Stage::Spawned => Event::Begin { task },
            _ => Event::Resume { task },
        });
        self.tasks[task.index()].stage = Stage::Begun;
        self.running = Some(task);
    }

    /// `parent` creates a task; into `finish` if that is around it, else into its own innermost one. Says
    /// which.
    pub(super) fn spawn(
        &mut self,
        parent: TaskId,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
    ) -> (TaskId, FinishId) {
        let parent = self.living(parent);
        self.run(parent);
        let into = match self.encloses(finish, parent) {
            true => finish,
            false => self.tasks[parent.index()].scope,
        };
        let task = TaskId::new(self.tasks.len() as u32);
        self.out.on(Event::Spawn {
            task,
            finish: into,
            kind,
            site,
            name: None,
        });
        self.tasks.push(Task {
            parent,
            joined_by: into,
            scope: into,
            site,
            stage: Stage::Spawned,
            held: Vec::new(),
        });
        self.finishes[into.index()].tasks.push(task);
        (task, into)
    }

    /// Whether the finish is the innermost one of the task.
    pub(super) fn is_innermost(&self, finish: FinishId, task: TaskId) -> bool {
        self.tasks[task.index()].scope == finish
    }

    /// The task, or its nearest creator that is not over.
    fn living(&self, mut task: TaskId) -> TaskId {
        while self.tasks[task.index()].stage == Stage::Ended && task != TaskId::MAIN {
            task = self.tasks[task.index()].parent;
        }
        task
    }

    fn encloses(&self, finish: FinishId, task: TaskId) -> bool {
        let mut at = self.tasks[task.index()].scope;
        while at != finish && at != FinishId::MAIN {
            at = self.finishes[at.index()].outer;
        }
        at == finish
    }

    pub(super) fn finish_begin(
        &mut self,
        owner: TaskId,
        kind: FinishKind,
        site: SiteId,
    ) -> FinishId {
        let owner = self.living(owner);
        self.run(owner);
        let finish = FinishId::new(self.finishes.len() as u32);
        self.out.on(Event::FinishBegin { finish, kind, site });
        self.finishes.push(Finish {
            owner,
            outer: self.tasks[owner.index()].scope,
            tasks: Vec::new(),
            is_over: false,
        });
        self.tasks[owner.index()].scope = finish;
        finish
    }

    /// The finish is over, and so are all its tasks.
    pub(super) fn finish_end(&mut self, finish: FinishId) {
        let owner = self.finishes[finish.index()].owner;
        self.finishes[finish.index()].is_over = true;
        loop {
            let scope = self.tasks[owner.index()].scope;
            let innermost = &self.finishes[scope.index()];
            let is_own = innermost.owner == owner && scope != FinishId::MAIN;
            if !is_own || !innermost.is_over {
                return;
            }
            while let Some(task) = self.unfinished(scope) {
                self.end(task);
            }
            self.close_finish(owner, scope);
        }
    }

    fn close_finish(&mut self, owner: TaskId, finish: FinishId) {
        self.run(owner);
        self.out.on(Event::FinishEnd { finish });
        self.tasks[owner.index()].scope = self.finishes[finish.index()].outer;
    }

    /// A task in the finish that is not over.
    fn unfinished(&mut self, finish: FinishId) -> Option<TaskId> {
        let spawned = &mut self.finishes[finish.index()].tasks;
        while let Some(&task) = spawned.last() {
            if self.tasks[task.index()].stage != Stage::Ended {
                return Some(task);
            }
            spawned.pop();
        }
        None
    }

    /// The task is over, and before it all its finishes with all their tasks.
    pub(super) fn end(&mut self, task: TaskId) {
        let mut path = vec![task];
        while let Some(&task) = path.last() {
            if self.tasks[task.index()].stage == Stage::Ended {
                path.pop();
                continue;
            }
            let scope = self.tasks[task.index()].scope;
            let is_own = self.finishes[scope.index()].owner == task;
            match self.unfinished(scope).filter(|_| is_own) {
                Some(inner) => path.push(inner),
                None if is_own && scope != FinishId::MAIN => self.close_finish(task, scope),
                None => self.close_task(task),
            }
        }
    }

    fn close_task(&mut self, task: TaskId) {
        self.run(task);
        for (lock, _) in self.tasks[task.index()].held.clone() {
            self.drop_lock(task, lock);
        }
        self.out.on(Event::End { task });
        self.tasks[task.index()].stage = Stage::Ended;
        self.running = None;
    }

    pub(super) fn join(&mut self, task: TaskId, other: TaskId, site: SiteId) {
        if task != other && self.tasks[task.index()].stage != Stage::Ended {
            self.end(other);
            self.run(task);
            self.out.on(Event::Join { task: other, site });
        }
    }

    pub(super) fn signal(&mut self, task: TaskId, token: TokenId) {
        // What a task that is over did precedes what its living creator does.
        let task = self.living(task);
        self.run(task);
        let site = self.site_of(task);
        self.out.on(Event::Signal { token, site });
    }

    pub(super) fn wait(&mut self, task: TaskId, token: TokenId) {
        if self.run(task) {
            let site = self.site_of(task);
            self.out.on(Event::Wait { token, site });
        }
    }

    pub(super) fn access(&mut self, task: TaskId, part: Part) {
        if self.run(task) {
            self.out.access(part);
        }
    }

    /// An event of a task; none if it is over.
    pub(super) fn say_of(&mut self, task: TaskId, event: Event) {
        if self.run(task) {
            self.out.on(event);
        }
    }

    /// A name of something.
    pub(super) fn name(&mut self, event: Event) {
        if self.running.is_none() {
            self.run(TaskId::MAIN);
        }
        self.out.name(event);
    }

    /// An event of whatever task runs.
    pub(super) fn say(&mut self, event: Event) {
        if self.running.is_none() {
            self.run(TaskId::MAIN);
        }
        self.out.on(event);
    }
}

/// Locks.
impl Stream {
    /// A new lock, to be declared by the caller.
    pub(super) fn new_lock(&mut self) -> LockId {
        self.holders.push(Vec::new());
        LockId::new(self.holders.len() as u32 - 1)
    }

    pub(super) fn acquire(&mut self, task: TaskId, lock: LockId, mode: LockMode) {
        let is_new = !self.holds(task, lock);
        self.tasks[task.index()].held.push((lock, mode));
        if is_new {
            if self.running == Some(task) {
                self.free_locks_for(task);
                self.switch(task);
                self.take_locks();
            } else {
                self.run(task);
            }
        }
    }

    pub(super) fn release(&mut self, task: TaskId, lock: LockId) {
        if self.holds(task, lock) && self.run(task) {
            let held = &mut self.tasks[task.index()].held;
            let last = held.iter().rposition(|&(taken, _)| taken == lock);
            last.map(|at| held.remove(at));
            if !self.holds(task, lock) {
                self.drop_lock(task, lock);
            }
        }
    }

    fn holds(&self, task: TaskId, lock: LockId) -> bool {
        let mut held = self.tasks[task.index()].held.iter();
        held.any(|&(taken, _)| taken == lock)
    }

    /// The locks that protect what the task does.
    pub(super) fn held(&self, task: TaskId) -> Vec<(LockId, LockMode)> {
        self.tasks[task.index()].held.clone()
    }

    /// Takes the locks of a task from those who have them but are not running.
    fn free_locks_for(&mut self, task: TaskId) {
        for (lock, mode) in self.tasks[task.index()].held.clone() {
            let holders = self.holders[lock.index()].clone();
            let excluded =
                |&(holder, how): &(TaskId, LockMode)| holder != task && mode.excludes(how);
            for (other, _) in holders.into_iter().filter(excluded) {
                self.switch(other);
                self.drop_lock(other, lock);
            }
        }
    }

    fn take_locks(&mut self) {
        let Some(task) = self.running else { return };
        let site = self.site_of(task);
        for (lock, mode) in self.tasks[task.index()].held.clone() {
            let holders = &mut self.holders[lock.index()];
            if holders.iter().all(|&(holder, _)| holder != task) {
                holders.push((task, mode));
                self.out.on(Event::Acquire { lock, mode, site });
            }
        }
    }

    fn drop_lock(&mut self, task: TaskId, lock: LockId) {
        let holders = &mut self.holders[lock.index()];
        if let Some(at) = holders.iter().position(|&(holder, _)| holder == task) {
            holders.swap_remove(at);
            let site = self.site_of(task);
            self.out.on(Event::Release { lock, site });
        }
    }
}
