//! Bags: the order of a serial depth-first run, by union-find.
//!
//! Raman, Zhao, Sarkar, Vechev, Yahav: *Efficient Data Race Detection for Async-Finish
//! Parallelism* (ESP-bags), after Feng and Leiserson's SP-bags.
//!
//! Every task that has begun is in exactly one bag. While a strand runs, the tasks that precede it
//! in every schedule are in an S-bag (of the running task or of a suspended one); those parallel
//! with it are in a P-bag.
//!
//! # Guarantee
//! For a serial depth-first run of a program without extra edges, `precedes` is exact. Scope
//! handles are allowed: a task goes to the P-bag of the finish it was spawned *into*.
//!
//! # Deviations from the paper
//! 1. P-bags hang on finishes only. As printed, an ended task first goes to its parent's P-bag and
//!    moves on when the parent ends; both bags answer "parallel" all the while and end in the same
//!    S-bag, so the stop-over is left out. This is also what makes scope handles right.
//! 2. Histories hold strands, not tasks, so that a repeated access by one strand is recognised by
//!    one comparison. A strand's bag is its task's bag.
//!
//! # Cost
//! Two unions per task, one per finish; queries are near constant (union by rank, path halving).
//! Four bytes per task for the set, four for its finish, four per strand.

use super::NO_STRAND;
use crate::event::Event;
use crate::id::{FinishId, StrandId, TaskId};

/// See the module's documentation.
#[derive(Debug)]
pub struct Bags {
    sets: Sets,
    /// The finish each task was spawned into.
    finish_of: Vec<FinishId>,
    /// Some member of each finish's P-bag.
    bag_of: Vec<Option<TaskId>>,
    /// The running task is last; below it those suspended by it.
    stack: Vec<TaskId>,
    /// The task that must begin next, if one was just spawned.
    spawned: Option<TaskId>,
    /// The task of each strand; row 0 is no strand.
    strands: Vec<TaskId>,
    /// The running strand, or none if it has touched nothing yet.
    current: StrandId,
    followed: bool,
}

impl Bags {
    /// The order at the start of the main task.
    pub fn new() -> Self {
        Self {
            sets: Sets::default().with(TaskId::MAIN),
            finish_of: vec![FinishId::MAIN],
            bag_of: vec![None],
            stack: vec![TaskId::MAIN],
            spawned: None,
            strands: vec![TaskId::MAIN],
            current: NO_STRAND,
            followed: true,
        }
    }

    fn running(&self) -> TaskId {
        self.stack.last().copied().unwrap_or(TaskId::MAIN)
    }

    /// The running task goes on. In a depth-first run it does not before a task it spawned has run.
    fn go_on(&mut self) {
        self.followed &= self.spawned.is_none();
        self.current = NO_STRAND;
    }

    #[cold]
    fn make_strand(&mut self) -> StrandId {
        self.go_on();
        self.current = StrandId::new(self.strands.len() as u32);
        self.strands.push(self.running());
        self.current
    }
}

impl Default for Bags {
    fn default() -> Self {
        Self::new()
    }
}

impl Bags {
    /// Takes a task event. Other events say nothing about the order.
    pub fn follow(&mut self, event: Event) {
        match event {
            Event::Spawn { task, finish, .. } => self.spawn(task, finish),
            Event::Begin { task } => self.begin(task),
            Event::End { task } => self.end(task),
            Event::Resume { task } => self.resume(task),
            Event::FinishBegin { .. } => self.finish_begin(),
            Event::FinishEnd { finish } => self.finish_end(finish),
            // Bags know no extra edges, and no locks.
            Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
            | Event::Acquire { .. } => self.followed = false,
            _ => {}
        }
    }

    fn spawn(&mut self, task: TaskId, finish: FinishId) {
        self.go_on();
        self.finish_of.push(finish);
        self.sets.push();
        self.spawned = Some(task);
    }

    fn begin(&mut self, task: TaskId) {
        self.followed &= self.spawned.take() == Some(task);
        self.stack.push(task);
        self.current = NO_STRAND;
    }

    fn end(&mut self, task: TaskId) {
        self.go_on();
        self.followed &= self.stack.pop() == Some(task);
        let bag = &mut self.bag_of[self.finish_of[task.index()].index()];
        *bag = Some(self.sets.unite(*bag, task, Bag::Parallel));
    }

    fn resume(&mut self, task: TaskId) {
        self.followed &= self.running() == task;
        self.go_on();
    }

    fn finish_begin(&mut self) {
        self.go_on();
        self.bag_of.push(None);
    }

    fn finish_end(&mut self, finish: FinishId) {
        self.go_on();
        let bag = self.bag_of[finish.index()].take();
        self.sets.unite(bag, self.running(), Bag::Serial);
    }

    /// Closes the running strand: whatever the task does next is a new one.
    pub(super) fn close(&mut self) {
        self.current = NO_STRAND;
    }

    /// The running strand, made now if the task has not touched anything since its last operation.
    #[inline(always)]
    pub fn strand(&mut self) -> StrandId {
        if self.current == NO_STRAND {
            self.make_strand()
        } else {
            self.current
        }
    }

    /// Whether `earlier`, a strand that has already run, precedes the running strand in every schedule, or is it.
    #[inline]
    pub fn precedes(&mut self, earlier: StrandId) -> bool {
        self.sets.bag(self.strands[earlier.index()]) == Bag::Serial
    }

    /// Whether the run was serial and depth first.
    pub fn followed(&self) -> bool {
        self.followed
    }

    /// How many strands were made.
    pub fn strands(&self) -> u64 {
        self.strands.len() as u64 - 1
    }
}

/// Which sort of bag a set of tasks is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bag {
    Serial,
    Parallel,
}

/// Disjoint sets of tasks, each a bag.
///
/// One word per task: a root holds its bag and rank, any other task the index of one nearer to
/// the root.
#[derive(Default, Debug)]
struct Sets {
    words: Vec<u32>,
}

impl Sets {
    const ROOT: u32 = 1 << 31;
    const PARALLEL: u32 = 1 << 30;
    const RANK: u32 = Self::PARALLEL - 1;

    fn with(mut self, task: TaskId) -> Self {
        debug_assert_eq!(task.index(), self.words.len());
        self.push();
        self
    }

    /// Adds the next task, alone in an S-bag.
    fn push(&mut self) {
        self.words.push(Self::ROOT);
    }

    fn bag(&mut self, task: TaskId) -> Bag {
        let root = self.find(task.raw());
        match self.words[root as usize] & Self::PARALLEL {
            0 => Bag::Serial,
            _ => Bag::Parallel,
        }
    }

    #[inline]
    fn find(&mut self, mut at: u32) -> u32 {
        loop {
            let next = self.words[at as usize];
            if next & Self::ROOT != 0 {
                return at;
            }
            let after = self.words[next as usize];
            if after & Self::ROOT != 0 {
                return next;
            }
            self.words[at as usize] = after;
            at = after;
        }
    }

    /// Unites the bags of `one` (none: empty) and `other`; the result is a `bag`.
    fn unite(&mut self, one: Option<TaskId>, other: TaskId, bag: Bag) -> TaskId {
        let other = self.find(other.raw());
        let one = one.map_or(other, |task| self.find(task.raw()));
        let (low, high) = match self.rank(one) <= self.rank(other) {
            true => (one, other),
            false => (other, one),
        };
        let grown = u32::from(low != high && self.rank(low) == self.rank(high));
        let rank = self.rank(high) + grown;
        self.words[low as usize] = high;
        self.words[high as usize] = Self::ROOT | rank | Self::flag(bag);
        TaskId::new(high)
    }

    fn rank(&self, root: u32) -> u32 {
        self.words[root as usize] & Self::RANK
    }

    fn flag(bag: Bag) -> u32 {
        match bag {
            Bag::Serial => 0,
            Bag::Parallel => Self::PARALLEL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: [TaskId; 4] = [TaskId::MAIN, TaskId::new(1), TaskId::new(2), TaskId::new(3)];
    const F1: FinishId = FinishId::new(1);
    const F2: FinishId = FinishId::new(2);

    /// The paper's name of the bag a begun task is in: `S` of a task on the stack or `P` of a finish.
    fn bag_name(bags: &mut Bags, task: TaskId) -> String {
        let root = bags.sets.find(task.raw());
        for owner in bags.stack.clone() {
            if bags.sets.find(owner.raw()) == root {
                assert_eq!(bags.sets.bag(task), Bag::Serial);
                return format!("S{}", owner.index() + 1);
            }
        }
        assert_eq!(bags.sets.bag(task), Bag::Parallel);
        let finish = (0..bags.bag_of.len())
            .find(|&f| bags.bag_of[f].is_some_and(|t| bags.sets.find(t.raw()) == root))
            .expect("a task that is in no S-bag is in the P-bag of an open finish");
        format!("P{finish}")
    }

    fn row(bags: &mut Bags, begun: usize) -> String {
        (0..begun)
            .map(|t| format!("T{} in {}", t + 1, bag_name(bags, T[t])))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Table 1 of the paper, row by row. In the row of line 19 the paper has T4 in the P-bag of T3,
    /// from where it follows T3 into that of F2; here it is in that of F2 at once (deviation 1).
    #[test]
    fn table_1_of_the_paper_row_by_row() {
        let mut bags = Bags::new();
        assert_eq!(row(&mut bags, 1), "T1 in S1"); // 1
        bags.finish_begin();
        assert_eq!(row(&mut bags, 1), "T1 in S1"); // 4
        bags.spawn(T[1], F1);
        bags.begin(T[1]);
        assert_eq!(row(&mut bags, 2), "T1 in S1, T2 in S2"); // 7
        let writer = bags.strand();
        assert_eq!(bags.strands[writer.index()], T[1]); // 8: writer of B[0] is T2
        bags.end(T[1]);
        bags.resume(T[0]);
        assert_eq!(row(&mut bags, 2), "T1 in S1, T2 in P1"); // 14
        bags.finish_begin();
        assert_eq!(row(&mut bags, 2), "T1 in S1, T2 in P1"); // 15
        bags.spawn(T[2], F2);
        bags.begin(T[2]);
        assert_eq!(row(&mut bags, 3), "T1 in S1, T2 in P1, T3 in S3"); // 16
        bags.spawn(T[3], F2);
        bags.begin(T[3]);
        assert_eq!(row(&mut bags, 4), "T1 in S1, T2 in P1, T3 in S3, T4 in S4"); // 17
        assert!(!bags.precedes(writer), "line 18: T2 wrote B[0] in parallel"); // *18
        bags.end(T[3]);
        bags.resume(T[2]);
        assert_eq!(row(&mut bags, 4), "T1 in S1, T2 in P1, T3 in S3, T4 in P2"); // 19
        bags.end(T[2]);
        bags.resume(T[0]);
        assert_eq!(row(&mut bags, 4), "T1 in S1, T2 in P1, T3 in P2, T4 in P2"); // 21
        bags.finish_end(F2);
        assert_eq!(row(&mut bags, 4), "T1 in S1, T2 in P1, T3 in S1, T4 in S1"); // 22
        assert!(bags.followed());
    }

    #[test]
    fn a_task_spawned_through_a_scope_handle_outlives_the_inner_finish() {
        let mut bags = Bags::new();
        bags.finish_begin();
        bags.finish_begin();
        bags.spawn(T[1], F1);
        bags.begin(T[1]);
        let inside = bags.strand();
        bags.end(T[1]);
        bags.resume(T[0]);
        bags.finish_end(F2);
        assert!(!bags.precedes(inside));
        bags.finish_end(F1);
        assert!(bags.precedes(inside));
    }

    #[test]
    fn a_run_that_is_not_depth_first_is_noticed() {
        let mut bags = Bags::new();
        bags.spawn(T[1], FinishId::MAIN);
        bags.begin(T[1]);
        assert!(bags.followed());
        bags.resume(T[0]);
        assert!(!bags.followed());
    }

    #[test]
    fn a_spawner_that_goes_on_before_its_task_has_run_is_noticed() {
        let mut bags = Bags::new();
        bags.spawn(T[1], FinishId::MAIN);
        bags.strand();
        bags.begin(T[1]);
        assert!(!bags.followed());
    }
}
