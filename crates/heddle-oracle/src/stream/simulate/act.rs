//! What the steps of a script do when their task's turn comes.

use heddle_core::{
    Event, Extent, FinishId, FinishKind, LockId, LockMode, SiteId, TaskId, TaskKind, TokenId,
};

use super::{Finish, Frame, Phase, Simulator, Task, Then, lock_id, token_id};
use crate::oracle::both_share;
use crate::stream::script::{Block, Schedule, Span, Step};

const TASK_KINDS: [TaskKind; 5] = [
    TaskKind::Async,
    TaskKind::Spawn,
    TaskKind::Future,
    TaskKind::Dependent,
    TaskKind::Post,
];

impl<'a> Simulator<'a> {
    pub(super) fn step(&mut self, task: TaskId, step: &'a Step) {
        match step {
            Step::Read(span) => self.access(*span, 0, |extent, site| Event::Read { extent, site }),
            Step::Write(span) => {
                self.access(*span, 1, |extent, site| Event::Write { extent, site })
            }
            Step::Free(span) => self.access(*span, 1, |extent, site| Event::Free { extent, site }),
            Step::Alloc(span) => {
                self.access(*span, 0, |extent, site| Event::Alloc {
                    extent,
                    name: None,
                    site,
                });
            }
            Step::Acquire(lock) => {
                self.acquire(task, lock_id(*lock), LockMode::Exclusive);
            }
            Step::Share(lock) => {
                self.acquire(task, lock_id(*lock), LockMode::Shared);
            }
            Step::Release(lock) => self.release(task, lock_id(*lock)),
            Step::Join(_) | Step::Signal(_) | Step::Wait(_) if self.is_isolated(task) => {}
            Step::Join(choice) => self.join(task, *choice),
            Step::Signal(token) => self.signal(token_id(*token)),
            Step::Wait(token) => self.wait(token_id(*token)),
            Step::Block(block, steps) => self.block(task, *block, steps),
        }
    }

    fn block(&mut self, task: TaskId, block: Block, steps: &'a [Step]) {
        let isolated = self.is_isolated(task);
        match block {
            Block::Isolated => self.with(task, LockId::ISOLATED, LockMode::Exclusive, steps),
            Block::With(lock) => self.with(task, lock_id(lock), LockMode::Exclusive, steps),
            Block::Sharing(lock) => self.with(task, lock_id(lock), LockMode::Shared, steps),
            Block::Async if !isolated => self.spawn(task, 0, None, steps),
            Block::Escaping(outwards) if !isolated => self.spawn(task, outwards, None, steps),
            Block::After(token) if !isolated => self.spawn(task, 0, Some(token_id(token)), steps),
            Block::Finish if !isolated => self.finish(task, steps),
            Block::Atomic => {
                let site = self.site();
                self.events.push(Event::AtomicBegin { site });
                self.enter(task, steps, Then::EndAtomic);
            }
            _ => self.enter(task, steps, Then::Nothing),
        }
    }

    pub(super) fn enter(&mut self, task: TaskId, steps: &'a [Step], then: Then) {
        self.tasks[task.index()].frames.push(Frame { steps, then });
    }

    fn with(&mut self, task: TaskId, lock: LockId, mode: LockMode, steps: &'a [Step]) {
        let taken = self.acquire(task, lock, mode);
        self.enter(
            task,
            steps,
            if taken {
                Then::Release(lock)
            } else {
                Then::Nothing
            },
        );
    }

    fn finish(&mut self, task: TaskId, steps: &'a [Step]) {
        let finish = FinishId::new(self.finishes.len() as u32);
        let outer = Some(self.innermost(task));
        self.finishes.push(Finish {
            outer,
            members: Vec::new(),
        });
        self.tasks[task.index()].open.push(finish);
        let kind = [FinishKind::Finish, FinishKind::SyncBlock][finish.index() % 2];
        let site = self.site();
        self.events.push(Event::FinishBegin { finish, kind, site });
        self.enter(task, steps, Then::EndFinish(finish));
    }

    fn spawn(&mut self, task: TaskId, outwards: u8, after: Option<TokenId>, steps: &'a [Step]) {
        let mut finish = self.innermost(task);
        for _ in 0..outwards {
            finish = self.finishes[finish.index()].outer.unwrap_or(finish);
        }
        let child = TaskId::new(self.tasks.len() as u32);
        let state = Task::new(finish, Phase::Spawned, steps);
        self.tasks.push(Task { after, ..state });
        self.finishes[finish.index()].members.push(child);
        let kind = TASK_KINDS[child.index() % TASK_KINDS.len()];
        let site = self.site();
        self.events.push(Event::Spawn {
            task: child,
            finish,
            kind,
            site,
            name: None,
        });
        self.recent.push(child);
        if self.script.schedule == Schedule::Serial && self.can_begin(child) {
            self.switch_to(child);
        }
    }

    pub(super) fn leave(&mut self, task: TaskId, then: Then) {
        self.tasks[task.index()].frames.pop();
        match then {
            Then::Nothing => {}
            Then::Release(lock) => self.release(task, lock),
            Then::EndAtomic => {
                let site = self.site();
                self.events.push(Event::AtomicEnd { site });
            }
            Then::EndFinish(finish) => {
                self.tasks[task.index()].open.pop();
                self.events.push(Event::FinishEnd { finish });
            }
        }
    }

    pub(super) fn end(&mut self, task: TaskId) {
        for lock in self.locks_of(task) {
            self.release(task, lock);
        }
        self.events.push(Event::End { task });
        self.tasks[task.index()].phase = Phase::Ended;
        self.running = None;
    }

    pub(super) fn extent(&self, span: Span) -> Extent {
        Extent::new(self.script.layout.location(span.start), u64::from(span.len))
    }

    /// `offset` keeps the source positions of reads and writes apart.
    fn access(&mut self, span: Span, offset: u32, event: impl FnOnce(Extent, SiteId) -> Event) {
        let extent = self.extent(span);
        let site = SiteId::new(2 * self.site().raw() + offset);
        self.events.push(event(extent, site));
    }

    fn join(&mut self, task: TaskId, choice: u8) {
        if let Some(task) = self.joinable(task, choice) {
            let site = self.site();
            self.events.push(Event::Join { task, site });
        }
    }

    fn signal(&mut self, token: TokenId) {
        self.signalled.insert(token);
        let site = self.site();
        self.events.push(Event::Signal { token, site });
    }

    pub(super) fn wait(&mut self, token: TokenId) {
        let site = self.site();
        self.events.push(Event::Wait { token, site });
    }

    /// Says whether the task took the lock, or had it already.
    fn acquire(&mut self, task: TaskId, lock: LockId, mode: LockMode) -> bool {
        if self.holds(task, lock) {
            return false;
        }
        let site = self.site();
        self.holders.entry(lock).or_default().insert(task, mode);
        self.events.push(Event::Acquire { lock, mode, site });
        true
    }

    fn release(&mut self, task: TaskId, lock: LockId) {
        let holders = self.holders.entry(lock).or_default();
        if holders.remove(&task).is_some() {
            let site = self.site();
            self.events.push(Event::Release { lock, site });
        }
    }

    /// The task a join means: any other one spawned so far.
    pub(super) fn joinable(&self, task: TaskId, choice: u8) -> Option<TaskId> {
        let spawned = self.tasks.len() as u32 - 1;
        let target = TaskId::new(1 + u32::from(choice).checked_rem(spawned)?);
        (target != task && !self.is_isolated(task)).then_some(target)
    }

    fn innermost(&self, task: TaskId) -> FinishId {
        let state = &self.tasks[task.index()];
        state.open.last().copied().unwrap_or(state.finish)
    }

    pub(super) fn is_isolated(&self, task: TaskId) -> bool {
        self.holds(task, LockId::ISOLATED)
    }

    fn holds(&self, task: TaskId, lock: LockId) -> bool {
        let holders = self.holders.get(&lock);
        holders.is_some_and(|holders| holders.contains_key(&task))
    }

    /// Whether the task could take the lock now, or has it.
    pub(super) fn is_free_for(&self, task: TaskId, lock: LockId, mode: LockMode) -> bool {
        let mut holders = self.holders.get(&lock).into_iter().flatten();
        self.holds(task, lock) || holders.all(|(_, &how)| both_share(mode, how))
    }

    fn locks_of(&self, task: TaskId) -> Vec<LockId> {
        let locks = self.holders.keys().copied();
        locks.filter(|&lock| self.holds(task, lock)).collect()
    }

    pub(super) fn ended(&self, task: TaskId) -> bool {
        self.tasks[task.index()].phase == Phase::Ended
    }

    pub(super) fn all_ended(&self, finish: FinishId) -> bool {
        self.finishes[finish.index()]
            .members
            .iter()
            .all(|&task| self.ended(task))
    }

    pub(super) fn others_ended(&self) -> bool {
        self.tasks
            .iter()
            .skip(1)
            .all(|task| task.phase == Phase::Ended)
    }

    fn site(&mut self) -> SiteId {
        self.sites += 1;
        SiteId::new(self.sites % self.script.sites)
    }
}
