//! Who took part in a run: tasks, finishes, locks and tokens, as reports need them.

use crate::event::{FinishKind, TaskKind};
use crate::finding::{FinishInfo, TaskInfo, Why};
use crate::id::{FinishId, NameId, SiteId, TaskId};
use crate::order::tree::{NodeIndex, NodeKind, Nodes, ROOT, Tree};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt::Debug;

/// Whoever knows the tasks and finishes of a run by their numbers.
pub trait Participants: Debug {
    /// What is known of a task; nothing of the main task.
    fn task(&self, task: TaskId) -> Option<TaskInfo>;

    /// What is known of a finish; nothing of the main task's.
    fn finish(&self, finish: FinishId) -> Option<FinishInfo>;
}

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
        Ancestry::new(self)
    }
}

impl Default for Roster {
    fn default() -> Self {
        Self::new()
    }
}

impl Participants for Roster {
    fn task(&self, task: TaskId) -> Option<TaskInfo> {
        self.tasks.get(task.index().checked_sub(1)?).copied()
    }

    fn finish(&self, finish: FinishId) -> Option<FinishInfo> {
        self.finishes.get(finish.index().checked_sub(1)?).copied()
    }
}

/// Finds common ancestors of tasks, the first time it meets a task in time linear in the ancestors it
/// has not met before, later in logarithmic time. A run of many million tasks costs what the tasks of
/// its findings do.
#[derive(Debug)]
pub struct Ancestry<'a> {
    participants: &'a dyn Participants,
    known: RefCell<Known>,
}

/// The tasks that were asked about, and their ancestors.
#[derive(Debug, Default)]
struct Known {
    nodes: FxHashMap<TaskId, NodeIndex>,
    /// Each task below its parent.
    tree: Tree,
}

impl Known {
    fn node(&mut self, task: TaskId, participants: &dyn Participants) -> NodeIndex {
        let mut chain = Vec::new();
        let mut at = task;
        let mut node = loop {
            if at == TaskId::MAIN {
                break ROOT;
            }
            if let Some(&node) = self.nodes.get(&at) {
                break node;
            }
            chain.push(at);
            at = participants
                .task(at)
                .map_or(TaskId::MAIN, |info| info.parent);
        };
        for task in chain.into_iter().rev() {
            node = self.tree.push(node, NodeKind::Task, task);
            self.nodes.insert(task, node);
        }
        node
    }

    /// The lowest common ancestor, and the tasks directly below it that lead to `a` and `b`.
    fn fork(&self, a: NodeIndex, b: NodeIndex) -> (NodeIndex, [Option<NodeIndex>; 2]) {
        let depth = |node: NodeIndex| self.tree.node(node).depth();
        let level = depth(a).min(depth(b));
        let (left, right) = (self.tree.raise(a, level), self.tree.raise(b, level));
        let ancestor = match left == right {
            true => left,
            false => self.tree.parent(self.tree.fork(left, right).0),
        };
        let below = |node| (node != ancestor).then(|| self.tree.raise(node, depth(ancestor) + 1));
        (ancestor, [below(a), below(b)])
    }
}

impl<'a> Ancestry<'a> {
    /// Prepares for questions about ancestors.
    pub fn new(participants: &'a dyn Participants) -> Self {
        Self {
            participants,
            known: RefCell::default(),
        }
    }

    /// Why two different tasks are parallel: the first spawned of the two branches that lead from
    /// their common ancestor to them.
    pub fn why(&self, a: TaskId, b: TaskId) -> Why {
        let mut known = self.known.borrow_mut();
        let [a, b] = [a, b].map(|task| known.node(task, self.participants));
        let (ancestor, below) = known.fork(a, b);
        let task = |node| known.tree.task(node);
        let ancestor = task(ancestor);
        let (spawned, side) = match below.map(|node| node.map(task)) {
            [Some(a), Some(b)] if b < a => (b, 1),
            [Some(a), _] => (a, 0),
            [None, Some(b)] => (b, 1),
            [None, None] => (ancestor, 0),
        };
        let info = self.participants.task(spawned);
        Why {
            ancestor,
            spawned,
            finish: info.map_or(FinishId::MAIN, |info| info.finish),
            side,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn info(parent: u32) -> TaskInfo {
        TaskInfo {
            parent: TaskId::new(parent),
            site: SiteId::new(1),
            finish: FinishId::new(parent + 1),
            kind: TaskKind::Async,
            name: None,
        }
    }

    /// From a task up to the main task.
    fn chain(roster: &Roster, task: u32) -> Vec<u32> {
        let parent = |&task: &u32| Some(roster.task(TaskId::new(task))?.parent.raw());
        std::iter::successors(Some(task), parent).collect()
    }

    /// [`Ancestry::why`] by comparing the two whole chains.
    fn why_by_chains(roster: &Roster, a: u32, b: u32) -> Why {
        let (above_a, above_b) = (chain(roster, a), chain(roster, b));
        let common = |task: &&u32| above_b.contains(task);
        let ancestor = *above_a.iter().find(common).unwrap();
        let below = |chain: &[u32]| {
            let at = chain.iter().position(|&task| task == ancestor).unwrap();
            at.checked_sub(1).map(|at| chain[at])
        };
        let branches = [(below(&above_a), 0), (below(&above_b), 1)];
        let branches = branches
            .iter()
            .filter_map(|&(task, side)| Some((task?, side)));
        let (spawned, side) = branches.min().unwrap_or((ancestor, 0));
        let finish = roster.task(TaskId::new(spawned));
        Why {
            ancestor: TaskId::new(ancestor),
            spawned: TaskId::new(spawned),
            finish: finish.map_or(FinishId::MAIN, |info| info.finish),
            side,
        }
    }

    #[test]
    fn common_ancestors_are_those_of_the_whole_chains() {
        let mut roster = Roster::new();
        let mut random = 1_u32;
        for task in 1..200 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Few and many siblings, long and short chains.
            let parent = match random >> 30 {
                0 => (random >> 8) % task,
                _ => task - 1 - (random >> 8) % task.min(3),
            };
            roster.tasks.push(info(parent));
        }
        let ancestry = roster.ancestry();
        for a in (0..200).step_by(7) {
            for b in 0..200 {
                let why = ancestry.why(TaskId::new(a), TaskId::new(b));
                assert_eq!(why, why_by_chains(&roster, a, b), "{a} and {b}");
            }
        }
    }

    /// A run of a hundred million tasks, each with a thousand siblings.
    #[derive(Debug, Default)]
    struct Endless {
        asked: Cell<u32>,
    }

    impl Participants for Endless {
        fn task(&self, task: TaskId) -> Option<TaskInfo> {
            self.asked.set(self.asked.get() + 1);
            (task != TaskId::MAIN).then(|| info(task.raw() / 1000))
        }

        fn finish(&self, _: FinishId) -> Option<FinishInfo> {
            None
        }
    }

    #[test]
    fn only_the_ancestors_of_the_tasks_in_question_are_asked_for() {
        let run = Endless::default();
        let ancestry = Ancestry::new(&run);
        let why = ancestry.why(TaskId::new(99_999_999), TaskId::new(99_123_456));
        assert_eq!(why.ancestor, TaskId::new(99));
        assert_eq!(why.spawned, TaskId::new(99_123));
        // Three ancestors of one, two of the other, and the branch that is named.
        assert!(run.asked.get() <= 8, "{}", run.asked.get());
        let before = run.asked.get();
        ancestry.why(TaskId::new(99_999_999), TaskId::new(99_123_456));
        assert_eq!(run.asked.get() - before, 1);
    }
}
