//! What the tasks of a run touched, in terms that hold for every run of the program.
//!
//! Numbers of tasks depend on the schedule; how a task came to be does not: it is the n-th task of its creator. A
//! *segment* counts the task operations of a task; task and segment name a strand.

use std::collections::HashMap;

use heddle_core::{Event, Listener, Location, SiteId, TaskId};

use crate::explore::narrative::Places;

/// How a task came to be: for each of its ancestors and itself, how many tasks the creator had created before.
pub type Path = Vec<u32>;

/// One access.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// By whom.
    pub task: TaskId,
    /// After how many task operations of that task.
    pub segment: u32,
    /// Where in the source.
    pub site: SiteId,
    /// To what.
    pub location: Location,
    /// Whether it writes.
    pub is_write: bool,
}

/// See the module's documentation.
pub struct Trail {
    /// The accesses, in the sequence of the run.
    pub touches: Vec<Touch>,
    /// What locations are called.
    pub places: Places,
    tasks: Vec<Progress>,
    running: TaskId,
}

#[derive(Clone, Copy)]
struct Progress {
    parent: TaskId,
    ordinal: u32,
    children: u32,
    segment: u32,
}

impl Default for Trail {
    fn default() -> Self {
        Self {
            touches: Vec::new(),
            places: Places::default(),
            tasks: vec![Progress {
                parent: TaskId::MAIN,
                ordinal: 0,
                children: 0,
                segment: 0,
            }],
            running: TaskId::MAIN,
        }
    }
}

impl Trail {
    /// How the task came to be.
    pub fn path(&self, task: TaskId) -> Path {
        let mut path = Path::new();
        let mut task = task;
        while task != TaskId::MAIN {
            let Progress {
                parent, ordinal, ..
            } = self.tasks[task.index()];
            path.push(ordinal);
            task = parent;
        }
        path.reverse();
        path
    }

    /// All tasks with how they came to be.
    pub fn paths(&self) -> impl Iterator<Item = (TaskId, Path)> {
        let tasks = (0..self.tasks.len() as u32).map(TaskId::new);
        tasks.map(|task| (task, self.path(task)))
    }

    /// These tasks and their ancestors, by creator and how many it had created before.
    pub fn creations(&self, tasks: impl Iterator<Item = TaskId>) -> HashMap<(TaskId, u32), TaskId> {
        let mut creations = HashMap::new();
        for mut task in tasks {
            while task != TaskId::MAIN {
                let Progress {
                    parent, ordinal, ..
                } = self.tasks[task.index()];
                creations.insert((parent, ordinal), task);
                task = parent;
            }
        }
        creations
    }

    fn spawn(&mut self) {
        let creator = &mut self.tasks[self.running.index()];
        let ordinal = creator.children;
        creator.children += 1;
        creator.segment += 1;
        self.tasks.push(Progress {
            parent: self.running,
            ordinal,
            children: 0,
            segment: 0,
        });
    }

    fn touch(&mut self, location: Location, site: SiteId, is_write: bool) {
        self.touches.push(Touch {
            task: self.running,
            segment: self.tasks[self.running.index()].segment,
            site,
            location,
            is_write,
        });
    }
}

impl Listener for Trail {
    fn on(&mut self, event: Event) {
        self.places.on(event);
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Spawn { .. } => self.spawn(),
            Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
            | Event::Cut { .. }
            | Event::End { .. } => self.tasks[self.running.index()].segment += 1,
            Event::Read { extent, site } => self.touch(extent.start, site, false),
            Event::Write { extent, site } => self.touch(extent.start, site, true),
            _ => {}
        }
    }
}
