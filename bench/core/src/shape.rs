//! Programs of known shape and any size, as event streams made on the fly.
//!
//! A shape is a walk over a tree of tasks in serial depth-first sequence. Nothing is stored beyond
//! the tasks that are open at the moment, and nothing recurses, so that a million nested tasks need
//! no stack.

use heddle_core::{Event, FinishId, FinishKind, Listener, SiteId, TaskId, TaskKind};

/// How the tasks hang together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One finish, all tasks spawned by the main task.
    Wide,
    /// Each task spawns the next; one finish around all of them.
    Deep,
    /// Each task spawns the next inside a finish of its own.
    DeepFinish,
    /// A binary tree; each task joins its two children.
    Tree,
    /// As wide, but each task first joins the one before it: order by extra edges alone.
    Chain,
    /// The same chain, and tasks look at what one halfway back did.
    ChainFar,
}

impl Shape {
    /// Every shape, with its name in tables.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Wide, "wide"),
        (Self::Deep, "deep"),
        (Self::DeepFinish, "deep-finish"),
        (Self::Tree, "tree"),
        (Self::Chain, "chain"),
        (Self::ChainFar, "chain-far"),
    ];

    /// Whether tasks are ordered by more than spawns and finishes.
    pub fn has_extra_edges(self) -> bool {
        matches!(self, Self::Chain | Self::ChainFar)
    }

    /// The largest size measured: nobody nests or chains ten million tasks.
    pub fn largest(self) -> u32 {
        match self {
            Self::Wide | Self::Tree => 10_000_000,
            Self::Deep | Self::DeepFinish | Self::Chain | Self::ChainFar => 1_000_000,
        }
    }

    /// Into how many subtrees the tasks below one task are divided.
    fn fan_out(self, depth: usize, below: u32) -> u32 {
        match self {
            Self::Wide | Self::Chain | Self::ChainFar if depth == 0 => below,
            Self::Wide | Self::Chain | Self::ChainFar => 0,
            Self::Deep | Self::DeepFinish => below.min(1),
            Self::Tree => below.min(2),
        }
    }

    /// A task whose accesses so far precede those of `task`.
    fn predecessor(self, task: TaskId, parent: TaskId) -> TaskId {
        match self {
            Self::Chain => TaskId::new(task.raw() - 1),
            Self::ChainFar => TaskId::new(task.raw() / 2),
            Self::Wide | Self::Deep | Self::DeepFinish | Self::Tree => parent,
        }
    }

    fn opens_finish(self, depth: usize) -> bool {
        depth == 0 || matches!(self, Self::DeepFinish | Self::Tree)
    }
}

/// What happens at the joints of the tree.
pub trait Visitor {
    /// `task` has begun; what `predecessor` did so far precedes it.
    fn enter<L: Listener>(&mut self, listener: &mut L, task: TaskId, predecessor: TaskId);
    /// `parent` runs again after its `child`, which is not joined yet.
    fn resume<L: Listener>(&mut self, listener: &mut L, parent: TaskId, child: TaskId);
    /// The finish in which `parent` spawned `child` is over.
    fn joined<L: Listener>(&mut self, listener: &mut L, parent: TaskId, child: TaskId);
}

/// A task that has begun and not ended.
struct Open {
    task: TaskId,
    /// The finish its children go into.
    finish: FinishId,
    last_child: TaskId,
    /// Tasks still to be spawned below it.
    below: u32,
    /// Subtrees still to be spawned.
    children: u32,
}

struct Walk<'a, L, V> {
    shape: Shape,
    listener: &'a mut L,
    visitor: &'a mut V,
    open: Vec<Open>,
    next_task: u32,
    next_finish: u32,
}

/// Delivers the events of a program with `tasks` spawned tasks.
pub fn walk<L: Listener, V: Visitor>(shape: Shape, tasks: u32, listener: &mut L, visitor: &mut V) {
    let mut walk = Walk {
        shape,
        listener,
        visitor,
        open: Vec::new(),
        next_task: 1,
        next_finish: 1,
    };
    walk.enter(TaskId::MAIN, FinishId::MAIN, tasks);
    while let Some(top) = walk.open.last_mut() {
        if top.children > 0 {
            walk.spawn();
        } else {
            walk.leave();
        }
    }
}

impl<L: Listener, V: Visitor> Walk<'_, L, V> {
    fn enter(&mut self, task: TaskId, spawned_into: FinishId, below: u32) {
        let depth = self.open.len();
        let children = self.shape.fan_out(depth, below);
        let mut finish = spawned_into;
        if children > 0 && self.shape.opens_finish(depth) {
            finish = FinishId::new(self.next_finish);
            self.next_finish += 1;
            self.listener.on(Event::FinishBegin {
                finish,
                kind: FinishKind::Finish,
                site: FINISH,
            });
        }
        self.open.push(Open {
            task,
            finish,
            last_child: task,
            below,
            children,
        });
    }

    fn spawn(&mut self) {
        let task = TaskId::new(self.next_task);
        self.next_task += 1;
        let top = self.open.last_mut().expect("a running task is open");
        let share = top.below.div_ceil(top.children);
        top.below -= share;
        top.children -= 1;
        top.last_child = task;
        let (parent, finish) = (top.task, top.finish);
        self.listener.on(Event::Spawn {
            task,
            finish,
            kind: TaskKind::Async,
            site: SPAWN,
            name: None,
        });
        self.listener.on(Event::Begin { task });
        self.join_previous(task);
        let predecessor = self.shape.predecessor(task, parent);
        self.visitor.enter(self.listener, task, predecessor);
        self.enter(task, finish, share - 1);
    }

    fn join_previous(&mut self, task: TaskId) {
        if self.shape.has_extra_edges() && task.raw() > 1 {
            self.listener.on(Event::Join {
                task: TaskId::new(task.raw() - 1),
                site: JOIN,
            });
        }
    }

    fn leave(&mut self) {
        let top = self.open.pop().expect("a running task is open");
        if top.last_child != top.task && self.shape.opens_finish(self.open.len()) {
            self.listener.on(Event::FinishEnd { finish: top.finish });
            self.visitor.joined(self.listener, top.task, top.last_child);
        }
        self.listener.on(Event::End { task: top.task });
        if let Some(parent) = self.open.last() {
            self.listener.on(Event::Resume { task: parent.task });
            self.visitor.resume(self.listener, parent.task, top.task);
        }
    }
}

const FINISH: SiteId = SiteId::new(0);
const SPAWN: SiteId = SiteId::new(1);
const JOIN: SiteId = SiteId::new(2);
/// The first site that visitors may use.
pub const FIRST_FREE_SITE: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent;

    impl Visitor for Silent {
        fn enter<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
        fn resume<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
        fn joined<L: Listener>(&mut self, _: &mut L, _: TaskId, _: TaskId) {}
    }

    fn events(shape: Shape, tasks: u32) -> Vec<Event> {
        let mut events = Vec::new();
        walk(shape, tasks, &mut events, &mut Silent);
        events
    }

    fn count(events: &[Event], wanted: impl Fn(&Event) -> bool) -> usize {
        events.iter().filter(|&e| wanted(e)).count()
    }

    #[test]
    fn every_shape_spawns_begins_and_ends_each_task_once() {
        for (shape, name) in Shape::ALL {
            for tasks in [1, 2, 3, 10, 1000] {
                let events = events(shape, tasks);
                let spawns = count(&events, |e| matches!(e, Event::Spawn { .. }));
                let begins = count(&events, |e| matches!(e, Event::Begin { .. }));
                let ends = count(&events, |e| matches!(e, Event::End { .. }));
                assert_eq!(
                    (spawns, begins, ends),
                    (tasks as usize, tasks as usize, tasks as usize + 1),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn task_and_finish_ids_are_dense_and_ascend() {
        for (shape, name) in Shape::ALL {
            let (mut tasks, mut finishes) = (1, 1);
            for event in events(shape, 100) {
                match event {
                    Event::Spawn { task, .. } => {
                        assert_eq!(task.raw(), tasks, "{name}");
                        tasks += 1;
                    }
                    Event::FinishBegin { finish, .. } => {
                        assert_eq!(finish.raw(), finishes, "{name}");
                        finishes += 1;
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn finishes_nest_and_all_end() {
        for (shape, name) in Shape::ALL {
            let mut open = Vec::new();
            for event in events(shape, 100) {
                match event {
                    Event::FinishBegin { finish, .. } => open.push(finish),
                    Event::FinishEnd { finish } => assert_eq!(open.pop(), Some(finish), "{name}"),
                    _ => {}
                }
            }
            assert!(open.is_empty(), "{name}");
        }
    }

    #[test]
    fn the_stream_closes_with_the_end_of_the_main_task() {
        for (shape, name) in Shape::ALL {
            let last = events(shape, 5).pop();
            assert_eq!(last, Some(Event::End { task: TaskId::MAIN }), "{name}");
        }
    }
}
