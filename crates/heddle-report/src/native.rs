//! The words of native programs: OpenMP constructs and threads.
//!
//! Numbers of tasks depend on timing there, so tasks are called by what created them and where.

use heddle_core::{FinishInfo, FinishKind, TaskInfo, TaskKind};

/// Whether tasks of this kind only exist in native programs.
pub fn is_native(kind: TaskKind) -> bool {
    !matches!(
        kind,
        TaskKind::Async | TaskKind::Spawn | TaskKind::Future | TaskKind::Dependent | TaskKind::Post
    )
}

/// The task in a sentence; `at` is where it was created, `name` the function it executes if that is known.
pub fn phrase(kind: TaskKind, name: Option<&str>, at: &str) -> String {
    match kind {
        TaskKind::EventDriven => match name {
            Some(name) => format!("the EDT {name} created {at}"),
            None => format!("the EDT created {at}"),
        },
        TaskKind::Member => format!("a thread of the parallel region {at}"),
        TaskKind::Chunk => format!("an iteration of the loop {at}"),
        TaskKind::Section => format!("the section {at}"),
        TaskKind::Single => format!("the single {at}"),
        TaskKind::Thread => format!("the thread created {at}"),
        TaskKind::Future => format!("the future created {at}"),
        _ => format!("the task created {at}"),
    }
}

/// Two tasks of the same origin in a sentence.
pub fn two(kind: TaskKind, at: &str) -> String {
    match kind {
        TaskKind::Member => format!("two threads of the parallel region {at}"),
        TaskKind::Chunk => format!("two iterations of the loop {at}"),
        TaskKind::Section => format!("two sections {at}"),
        TaskKind::Single => format!("two executions of the single {at}"),
        TaskKind::Thread => format!("two threads created {at}"),
        TaskKind::Future => format!("two futures created {at}"),
        TaskKind::EventDriven => format!("two EDTs created {at}"),
        _ => format!("two tasks created {at}"),
    }
}

/// The task's name in lists.
pub fn name(kind: TaskKind, place: &str) -> String {
    let noun = match kind {
        TaskKind::Member => "parallel",
        TaskKind::Chunk => "loop",
        TaskKind::Section => "section",
        TaskKind::Single => "single",
        TaskKind::Thread => "thread",
        TaskKind::Future => "future",
        TaskKind::EventDriven => "EDT",
        _ => "task",
    };
    format!("{noun}@{place}")
}

/// When this finish joins its tasks, for "nothing waits for it until ..."; none if it is no native one.
pub fn join(finish: &FinishInfo, at: &str) -> Option<String> {
    match finish.kind {
        FinishKind::Finish | FinishKind::SyncBlock => None,
        FinishKind::Parallel => Some(format!("the end of the parallel region {at}")),
        FinishKind::Phase => Some(format!("the next barrier of the parallel region {at}")),
        FinishKind::Group => Some(format!("the end of the taskgroup {at}")),
    }
}

/// What two accesses have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Pieces of one loop, handed out at run time.
    Iterations,
    /// Sections of one construct.
    Sections,
    /// A single, and what its team does besides.
    Single,
    /// Other work of one team between the same two barriers.
    Team,
    /// An explicit task, and what runs before it is waited for.
    Task,
    /// A thread, and what runs before it is joined.
    Thread,
    /// An event-driven task, and what no dependence orders with it.
    EventDriven,
}

impl Relation {
    /// The relation of a task spawned by the common ancestor to the other side; `None` if the words of OpenMP do
    /// not apply. `tasks` are those that make the accesses. Which thread of a team got a piece of work is
    /// chance, so it makes no difference here.
    pub fn new(spawned: &TaskInfo, tasks: [Option<&TaskInfo>; 2]) -> Option<Self> {
        let kinds = tasks.map(|task| task.map(|info| info.kind));
        let is_one_construct = tasks[0].map(|info| info.site) == tasks[1].map(|info| info.site);
        match (spawned.kind, kinds) {
            (TaskKind::Task, _) => Some(Self::Task),
            (TaskKind::Thread, _) => Some(Self::Thread),
            (TaskKind::EventDriven, _) => Some(Self::EventDriven),
            (kind, _) if !is_native(kind) => None,
            (_, [Some(TaskKind::Chunk), Some(TaskKind::Chunk)]) if is_one_construct => {
                Some(Self::Iterations)
            }
            (_, [Some(TaskKind::Section), Some(TaskKind::Section)]) if is_one_construct => {
                Some(Self::Sections)
            }
            (_, [Some(TaskKind::Single), _] | [_, Some(TaskKind::Single)]) => Some(Self::Single),
            _ => Some(Self::Team),
        }
    }

    /// Whether the accesses are made by one team.
    pub fn is_of_team(self) -> bool {
        !matches!(self, Self::Task | Self::Thread | Self::EventDriven)
    }
}
