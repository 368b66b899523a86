//! Where a task stands among the transactions: the one it is in, and what must come before its next.
//!
//! Task operations end the transaction, and tell those who follow it: the task itself, what it spawns, who
//! waits for it. Only transactions that are still alive matter, and most are gone when they end; so most
//! task operations find nothing to tell.

use super::graph::Cause;
use super::{Velodrome, Word, locked};
use crate::engine::{Cursor, Engine};
use crate::exclusion::LockMode;
use crate::sync::Ordering;
use heddle_core::{AccessKind, FinishId, LockId, TaskId};

/// From how many transactions on a single one stands for them.
const MANY: usize = 4;

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    /// The transaction it is in; 0 if there is none yet.
    pub(super) current: u32,
    /// What comes before its next one, as far as it is alive.
    before: Vec<u32>,
    /// Readers it has joined, and the list that came of it.
    pub(super) joined: (u32, u32),
    /// A list of readers that it is one of.
    pub(super) within: u32,
}

impl Course {
    /// Whether the access of the transaction changes nothing in the history of a unit.
    #[inline(always)]
    pub(super) fn has(&self, word: Word, kind: AccessKind) -> bool {
        let is_reader = kind == AccessKind::Read && word.readers() == self.within;
        self.current != 0 && (word.has(self.current, kind) || is_reader && self.within != 0)
    }
}

/// Where transactions are left for those who come later.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mark {
    /// At the start of a team.
    Team(FinishId),
    /// For the end of a finish or wait.
    Finish(FinishId),
    /// For those who join the task.
    Task(TaskId),
    /// For those who wait for the signal.
    Signal(u32),
    /// By who held the lock alone.
    Alone(LockId),
    /// By those who shared it since.
    Shared(LockId),
}

impl Velodrome {
    /// The transaction that the task is in.
    pub(super) fn transaction(&self, course: &mut Course) -> u32 {
        if course.current == 0 {
            course.current = self.graph.begin();
            (course.joined, course.within) = ((0, 0), 0);
            let before = std::mem::take(&mut course.before);
            self.follow(course, before);
        }
        course.current
    }

    fn leave(&self, course: &mut Course) {
        let ended = std::mem::take(&mut course.current);
        if ended != 0 {
            self.graph.end(ended);
            course.before.push(ended);
        }
        course.before.retain(|&one| self.graph.is_alive(one));
        course.before.dedup();
        if course.before.len() > MANY {
            self.tie(course);
        }
    }

    /// Lets one transaction, which does nothing else, stand for the many that the task waited for.
    #[cold]
    fn tie(&self, course: &mut Course) {
        let knot = self.transaction(course);
        self.graph.end(knot);
        course.current = 0;
        course.before.push(knot);
    }

    /// These come before what the task does next.
    fn follow(&self, course: &mut Course, before: Vec<u32>) {
        match course.current {
            0 => course.before.extend(before),
            _ if before.is_empty() => {}
            now => {
                self.graph.draw(&before, now, Cause::Wait);
            }
        }
    }

    /// What the task did so far, as far as it is alive.
    fn so_far(&self, course: &Course) -> Vec<u32> {
        let all = course.before.iter().copied().chain([course.current]);
        all.filter(|&one| self.graph.is_alive(one)).collect()
    }

    fn leave_at(&self, mark: Mark, transactions: &[u32]) {
        if !transactions.is_empty() {
            self.any_left.store(true, Ordering::Release);
            locked(&self.left)
                .entry(mark)
                .or_default()
                .extend(transactions);
        }
    }

    fn clear(&self, mark: Mark) {
        if self.any_left.load(Ordering::Acquire) {
            locked(&self.left).remove(&mark);
        }
    }

    fn left_at(&self, mark: Mark) -> Vec<u32> {
        if !self.any_left.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut left = locked(&self.left);
        let Some(transactions) = left.get_mut(&mark) else {
            return Vec::new();
        };
        transactions.retain(|&one| self.graph.is_alive(one));
        transactions.clone()
    }

    fn take(&self, course: &mut Course, mark: Mark) {
        let before = self.left_at(mark);
        self.follow(course, before);
    }
}

/// What the engine tells of tasks and locks.
impl Engine {
    /// The task's region ends.
    #[inline]
    pub(crate) fn leave_transaction(&self, cursor: &mut Cursor) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.leave(&mut cursor.course);
        }
    }

    /// The task has created another.
    #[inline]
    pub(crate) fn branch(&self, parent: &Cursor, child: &mut Cursor) {
        if let Some(velodrome) = &self.velodrome {
            child.course.before = velodrome.so_far(&parent.course);
        }
    }

    /// The task starts a team.
    #[inline]
    pub(crate) fn gather(&self, cursor: &Cursor, team: FinishId) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.leave_at(Mark::Team(team), &velodrome.so_far(&cursor.course));
        }
    }

    /// The task is a new member of a team.
    #[inline]
    pub(crate) fn enrol(&self, member: &mut Cursor, team: FinishId) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.take(&mut member.course, Mark::Team(team));
        }
    }

    /// What the task did so far comes before the end of a finish or wait.
    #[inline]
    pub(crate) fn close_into(&self, cursor: &Cursor, finish: FinishId) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.leave_at(Mark::Finish(finish), &velodrome.so_far(&cursor.course));
        }
    }

    /// The task has passed the end of a finish or wait.
    #[inline]
    pub(crate) fn gone_past(&self, cursor: &mut Cursor, finish: FinishId) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.take(&mut cursor.course, Mark::Finish(finish));
        }
    }

    /// The task is over.
    #[inline]
    pub(crate) fn conclude(&self, cursor: &Cursor) {
        if let Some(velodrome) = &self.velodrome {
            let so_far = velodrome.so_far(&cursor.course);
            let marks = [cursor.joined_by, cursor.outlived_by].map(Mark::Finish);
            for mark in marks.into_iter().chain([Mark::Task(cursor.task)]) {
                velodrome.leave_at(mark, &so_far);
            }
        }
    }

    /// The task has joined another.
    #[inline]
    pub(crate) fn joined(&self, cursor: &mut Cursor, task: TaskId) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.take(&mut cursor.course, Mark::Task(task));
        }
    }

    /// The task gives a signal.
    #[inline]
    pub(crate) fn signalled(&self, cursor: &Cursor, strand: u32) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.leave_at(Mark::Signal(strand), &velodrome.so_far(&cursor.course));
        }
    }

    /// The task has seen signals.
    #[inline]
    pub(crate) fn saw(&self, cursor: &mut Cursor, signals: &[u32]) {
        if let Some(velodrome) = &self.velodrome {
            for &signal in signals {
                velodrome.take(&mut cursor.course, Mark::Signal(signal));
            }
        }
    }

    /// The task has taken a lock.
    #[inline]
    pub(crate) fn took(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode) {
        if let Some(velodrome) = &self.velodrome {
            velodrome.take(&mut cursor.course, Mark::Alone(lock));
            if mode == LockMode::Exclusive {
                velodrome.take(&mut cursor.course, Mark::Shared(lock));
            }
        }
    }

    /// The task gives a lock back.
    #[inline]
    pub(crate) fn gave_back(&self, cursor: &Cursor, lock: LockId) {
        let Some(velodrome) = &self.velodrome else {
            return;
        };
        let held = self.exclusion.entered(cursor.hold, lock);
        let mode = held.map_or(LockMode::Exclusive, |(_, mode)| mode);
        if mode == LockMode::Exclusive {
            velodrome.clear(Mark::Alone(lock));
            velodrome.clear(Mark::Shared(lock));
        }
        let mark = match mode {
            LockMode::Exclusive => Mark::Alone(lock),
            LockMode::Shared => Mark::Shared(lock),
        };
        velodrome.leave_at(mark, &velodrome.so_far(&cursor.course));
    }
}
