//! The posted tasks a task has yet to await, by region.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use heddle_core::TaskId;

use crate::ir::RegionId;

use super::tasks::Tasks;

/// A task in a region; `posted` gives the sequence in which they came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Member {
    posted: u64,
    task: TaskId,
}

/// The tasks one task has in one region.
///
/// `ewait` takes them as they ended, `await` as they were posted. So that neither has to search,
/// those seen to have ended lie in a heap by end; `await` puts them back.
#[derive(Clone, Default, Debug)]
pub(super) struct Region {
    posted: VecDeque<Member>,
    ended: BinaryHeap<Reverse<(u32, Member)>>,
    next: u64,
}

impl Region {
    fn is_empty(&self) -> bool {
        self.posted.is_empty() && self.ended.is_empty()
    }

    fn members(&self) -> impl Iterator<Item = TaskId> {
        let ended = self.ended.iter().map(|Reverse((_, member))| member.task);
        self.posted.iter().map(|member| member.task).chain(ended)
    }

    fn push(&mut self, task: TaskId) {
        let posted = self.next;
        self.next += 1;
        self.posted.push_back(Member { posted, task });
    }

    /// Adds the other's tasks after its own.
    fn absorb(&mut self, mut other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        other.restore();
        for member in other.posted {
            self.push(member.task);
        }
    }

    /// Puts those seen to have ended back where they were posted.
    fn restore(&mut self) {
        if self.ended.is_empty() {
            return;
        }
        self.posted
            .extend(self.ended.drain().map(|Reverse((_, member))| member));
        self.posted.make_contiguous().sort_unstable();
    }

    /// Moves those that have ended by now to the heap.
    fn sort_out(&mut self, tasks: &Tasks) {
        let ended = &mut self.ended;
        self.posted.retain(|&member| match tasks.end(member.task) {
            Some(end) => {
                ended.push(Reverse((end, member)));
                false
            }
            None => true,
        });
    }
}

/// What is next in a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// There is nothing in it.
    Empty,
    /// This task has ended, and is in the region no more.
    Ended(TaskId),
    /// One of these must end first.
    Unended(Vec<TaskId>),
}

/// The regions of one task. There are few, so they are searched.
#[derive(Clone, Default, Debug)]
pub(super) struct Regions(Vec<(RegionId, Region)>);

impl Regions {
    /// Whether there is a task in any region.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, region)| region.is_empty())
    }

    /// Adds a posted task.
    pub fn post(&mut self, region: RegionId, task: TaskId) {
        self.region(region).push(task);
    }

    /// Takes a whole region away.
    pub fn take(&mut self, region: RegionId) -> Region {
        std::mem::take(self.region(region))
    }

    /// Adds the tasks of a region that was taken elsewhere.
    pub fn absorb(&mut self, region: RegionId, tasks: Region) {
        if !tasks.is_empty() {
            self.region(region).absorb(tasks);
        }
    }

    /// Adds all tasks of an ended task's regions.
    pub fn absorb_all(&mut self, others: Self) {
        for (region, tasks) in others.0 {
            self.absorb(region, tasks);
        }
    }

    /// The first in post order.
    pub fn next_posted(&mut self, region: RegionId, tasks: &Tasks) -> Next {
        let region = self.region(region);
        region.restore();
        match region.posted.front() {
            None => Next::Empty,
            Some(member) if tasks.end(member.task).is_none() => Next::Unended(vec![member.task]),
            Some(&member) => {
                region.posted.pop_front();
                Next::Ended(member.task)
            }
        }
    }

    /// The first that ended.
    pub fn next_ended(&mut self, region: RegionId, tasks: &Tasks) -> Next {
        let region = self.region(region);
        region.sort_out(tasks);
        match region.ended.pop() {
            Some(Reverse((_, member))) => Next::Ended(member.task),
            None if region.posted.is_empty() => Next::Empty,
            None => Next::Unended(region.posted.iter().map(|member| member.task).collect()),
        }
    }

    /// The tasks in the region, in no particular sequence.
    pub fn members(&self, wanted: RegionId) -> impl Iterator<Item = TaskId> {
        let rows = self.0.iter().filter(move |(region, _)| *region == wanted);
        rows.flat_map(|(_, region)| region.members())
    }

    /// All regions and the tasks in them.
    pub fn all(&self) -> impl Iterator<Item = (RegionId, TaskId)> {
        let rows = self.0.iter();
        rows.flat_map(|(region, tasks)| tasks.members().map(|task| (*region, task)))
    }

    /// Takes this task out of the region.
    pub fn remove(&mut self, region: RegionId, task: TaskId) {
        let region = self.region(region);
        region.restore();
        region.posted.retain(|member| member.task != task);
    }

    fn region(&mut self, wanted: RegionId) -> &mut Region {
        let row = match self.0.iter().position(|(region, _)| *region == wanted) {
            Some(row) => row,
            None => {
                self.0.push((wanted, Region::default()));
                self.0.len() - 1
            }
        };
        &mut self.0[row].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: RegionId = RegionId(0);

    fn ended(sequence: &[u32]) -> Tasks {
        let mut tasks = Tasks::new();
        for _ in 0..5 {
            tasks.create().unwrap();
        }
        for &task in sequence {
            tasks.note_end(TaskId::new(task));
        }
        tasks
    }

    fn posted(tasks: &[u32]) -> Regions {
        let mut regions = Regions::default();
        for &task in tasks {
            regions.post(REGION, TaskId::new(task));
        }
        regions
    }

    #[test]
    fn ewait_takes_the_first_that_ended_and_await_the_rest_as_posted() {
        let tasks = ended(&[3, 4, 2, 1]);
        let mut regions = posted(&[1, 2, 3, 4, 5]);
        let third = Next::Ended(TaskId::new(3));
        assert_eq!(regions.next_ended(REGION, &tasks), third);
        for task in [1, 2, 4] {
            let next = Next::Ended(TaskId::new(task));
            assert_eq!(regions.next_posted(REGION, &tasks), next);
        }
        let last = Next::Unended(vec![TaskId::new(5)]);
        assert_eq!(regions.next_posted(REGION, &tasks), last);
        assert_eq!(regions.next_ended(REGION, &tasks), last);
    }

    #[test]
    fn absorbed_tasks_come_after_ones_own() {
        let tasks = ended(&[1, 2, 3, 4]);
        let mut regions = posted(&[3]);
        let mut others = posted(&[4, 2, 1]);
        assert_eq!(
            others.next_ended(REGION, &tasks),
            Next::Ended(TaskId::new(1))
        );
        regions.absorb_all(others);
        for task in [3, 4, 2] {
            let next = Next::Ended(TaskId::new(task));
            assert_eq!(regions.next_posted(REGION, &tasks), next);
        }
        assert_eq!(regions.next_posted(REGION, &tasks), Next::Empty);
    }
}
