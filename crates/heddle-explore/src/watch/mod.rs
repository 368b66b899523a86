//! Follows one explored run: who precedes whom, which accesses race, what a transition touched.
//!
//! Problem: the computation graph of every explored schedule is to be checked for races
//! (Algorithm 1 of Nakade, Mercer, McCarthy: *Model-checking Task Parallel Programs for
//! Data-races using Computation Graphs*, 2017), and schedules share prefixes. So this is an order
//! and a history that can be copied at every choice point, for the price of a few bit rows.
//! What is reported is checked once more, and explained, by the engine in `heddle-core`, on the
//! schedule that shows it.
//!
//! # Order
//!
//! The edges of Figs. 4 and 8: spawns, joins, and from section to section. A section that lets
//! nothing happen in its middle (no task operation, no other lock) is *closed*: it could as well
//! be one step. Deviations from Fig. 8:
//!
//! 1. Two closed sections of one lock get an edge only if they conflict: one writes what the other
//!    reads or writes. Otherwise they can run the other way round, and a race beside them is
//!    a race (`x = 1; isolated { y = 1; }` and `isolated { z = 1; } x = 2;`).
//! 2. A section that is not closed is ordered with every other section of its lock: what it does
//!    before its inner operation can reach others, who then wait for the lock.
//! 3. There is an edge per lock; `isolated` is the one the paper has.
//!
//! # Guarantee
//!
//! A pair of accesses that is unordered here, conflicts and holds no common lock is a race: some
//! schedule executes the two side by side. Proof: contract each closed section to one step. Edges
//! arrive before that step and leave after it, and all sections that are not closed keep
//! the order in which they took their lock; so any sequence that respects the edges is a schedule.

mod history;
mod key;
mod section;
mod sections;

use heddle_core::{AccessKind, Event, Extent, Listener, Location, LockMode, SiteId, TaskId};
use smallvec::SmallVec;

use crate::fingerprint::Names;
pub use key::Mixed;
pub use sections::Sections;

use crate::past::Past;
use crate::verdict::{Race, Verdict};

use history::{Histories, Mark};
use section::{Lock, Section};

/// "Nothing accessed since the last task operation."
const NO_STRAND: u32 = u32::MAX;

/// One access, as it waits for its section to end or is handed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Access {
    location: Location,
    kind: AccessKind,
    site: SiteId,
}

#[derive(Clone, Debug, Default)]
struct Task {
    /// All that precedes what it does next, and what it did.
    past: Past,
    strand: u32,
    /// The finish it was spawned into.
    finish: u32,
    has_ended: bool,
    /// The sections it is in, outermost first.
    sections: SmallVec<[Section; 1]>,
}

#[derive(Clone, Debug, Default)]
struct Finish {
    /// The number of the task it belongs to.
    owner: u32,
    is_open: bool,
    /// What its ended tasks did.
    past: Past,
}

/// See the module's documentation. A [`Listener`].
#[derive(Clone, Debug)]
pub struct Watch {
    names: Names,
    tasks: Vec<Task>,
    finishes: Vec<Finish>,
    tokens: Vec<Past>,
    locks: Vec<Lock>,
    histories: Histories,
    /// What precedes a choice that was taken: races with these are found elsewhere, too.
    settled: Past,
    /// The task whose choice is being executed, until its operation is done.
    choosing: Option<TaskId>,
    running: TaskId,
    strands: u32,
    verdicts: Vec<Verdict>,
    waits: Vec<(TaskId, SiteId)>,
    /// The steps since the last look at them, if they are wanted.
    steps: Option<Vec<Step>>,
}

/// A step of a transition that matters for what depends on what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A task event.
    Event(Event),
    /// A task touches a location.
    Access(TaskId, Location, AccessKind),
}

impl Watch {
    /// At the start of the main task.
    pub fn new() -> Self {
        let main = Task {
            strand: NO_STRAND,
            ..Task::default()
        };
        Self {
            names: Names::new(),
            tasks: vec![main],
            finishes: vec![Finish {
                is_open: true,
                ..Finish::default()
            }],
            tokens: Vec::new(),
            locks: Vec::new(),
            histories: Histories::default(),
            settled: Past::default(),
            choosing: None,
            running: TaskId::MAIN,
            strands: 0,
            verdicts: Vec::new(),
            waits: Vec::new(),
            steps: None,
        }
    }

    /// Names of tasks and objects.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Tells that `task` was chosen and will now execute its operation.
    pub fn choose(&mut self, task: TaskId) {
        self.choosing = Some(task);
        let Self { tasks, settled, .. } = self;
        settled.join(&tasks[task.index()].past);
    }

    /// Takes what was found since the last call.
    pub fn take_verdicts(&mut self) -> Vec<Verdict> {
        if !self.waits.is_empty() {
            let mut waits = std::mem::take(&mut self.waits);
            waits.sort_unstable_by_key(|&(task, site)| (site, task));
            let sites = waits.iter().map(|&(_, site)| site).collect();
            self.verdicts.push(Verdict::Deadlock { sites });
        }
        std::mem::take(&mut self.verdicts)
    }

    /// Has the steps of transitions noted from now on.
    pub fn want_steps(&mut self) {
        self.steps = Some(Vec::new());
    }

    /// Takes the steps noted since the last call.
    pub fn take_steps(&mut self) -> Vec<Step> {
        self.steps.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Notes that the running task stops where it is. Stops in the middle of a section open it.
    pub fn pause(&mut self) {
        if !self.task().sections.is_empty() {
            self.open_sections();
        }
    }

    fn task(&mut self) -> &mut Task {
        &mut self.tasks[self.running.index()]
    }

    /// The strand of the running task, begun now if need be.
    #[inline]
    fn strand(&mut self) -> u32 {
        let next = self.strands;
        let task = &mut self.tasks[self.running.index()];
        if task.strand == NO_STRAND {
            task.strand = next;
            task.past.insert(next);
            self.strands += 1;
        }
        task.strand
    }

    /// What the running task does next is not known to those who know what it did.
    fn close_strand(&mut self) {
        self.task().strand = NO_STRAND;
    }

    #[inline]
    fn access(&mut self, extent: Extent, kind: AccessKind, site: SiteId) {
        for location in extent.locations() {
            let access = Access {
                location,
                kind,
                site,
            };
            if let Some(steps) = &mut self.steps {
                steps.push(Step::Access(self.running, location, kind));
            }
            let running = &mut self.tasks[self.running.index()];
            match running.sections.last_mut() {
                Some(section) if section.is_closed => section.note(access),
                _ => self.check(access),
            }
        }
    }

    /// Compares an access with those before it, and remembers it.
    fn check(&mut self, access: Access) {
        let strand = self.strand();
        let task = &self.tasks[self.running.index()];
        let locks = task.sections.iter().map(|held| (held.lock, held.mode));
        let now = Mark {
            strand,
            site: access.site,
            kind: access.kind,
            locks: locks.collect(),
            is_closed: task.sections.last().is_some_and(|held| held.is_closed),
        };
        let verdicts = &mut self.verdicts;
        let names = &self.names;
        self.histories
            .access(access.location, now, &task.past, |sites| {
                verdicts.push(Verdict::Race(Race {
                    location: names.location(access.location),
                    sites,
                }));
            });
    }

    fn spawn(&mut self, finish: u32) {
        self.strand();
        let past = self.task().past.clone();
        self.close_strand();
        self.tasks.push(Task {
            past,
            strand: NO_STRAND,
            finish,
            ..Task::default()
        });
    }

    fn end(&mut self, task: TaskId) {
        let row = &mut self.tasks[task.index()];
        row.has_ended = true;
        row.strand = NO_STRAND;
        self.finishes[row.finish as usize].past.join(&row.past);
    }

    fn finish_begin(&mut self) {
        self.finishes.push(Finish {
            owner: self.running.raw(),
            is_open: true,
            past: Past::default(),
        });
    }

    fn finish_end(&mut self, finish: usize) {
        self.finishes[finish].is_open = false;
        let past = std::mem::take(&mut self.finishes[finish].past);
        self.arrive(&past);
    }

    fn join(&mut self, task: TaskId) {
        let past = self.tasks[task.index()].past.clone();
        self.arrive(&past);
        if self.choosing == Some(self.running) {
            self.settle();
        }
    }

    /// What precedes the running task now precedes the choice it was given, which is executed.
    fn settle(&mut self) {
        self.choosing = None;
        let Self {
            tasks,
            settled,
            running,
            ..
        } = self;
        settled.join(&tasks[running.index()].past);
    }

    /// All of `past` precedes what the running task does next.
    fn arrive(&mut self, past: &Past) {
        let task = self.task();
        task.past.join(past);
        task.strand = NO_STRAND;
    }

    fn signal(&mut self, token: usize) {
        self.strand();
        if self.tokens.len() <= token {
            self.tokens.resize(token + 1, Past::default());
        }
        let Self {
            tokens,
            tasks,
            running,
            ..
        } = self;
        tokens[token].join(&tasks[running.index()].past);
        self.close_strand();
    }

    fn wait(&mut self, token: usize) {
        if let Some(past) = self.tokens.get(token).cloned() {
            self.arrive(&past);
        }
    }

    fn task_event(&mut self, event: Event) {
        match event {
            Event::FinishBegin { .. } => self.finish_begin(),
            Event::FinishEnd { finish } => self.finish_end(finish.index()),
            Event::Join { task, .. } => self.join(task),
            Event::Signal { token, .. } => self.signal(token.index()),
            Event::Wait { token, .. } => self.wait(token.index()),
            Event::Spawn { finish, .. } => self.spawn(finish.raw()),
            Event::End { task } => self.end(task),
            _ => {}
        }
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self::new()
    }
}

impl Listener for Watch {
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => return self.access(extent, AccessKind::Read, site),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                return self.access(extent, AccessKind::Write, site);
            }
            _ => {}
        }
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Event(event));
        }
        self.names.on(event);
        match event {
            Event::Begin { task } | Event::Resume { task } => {
                self.pause();
                self.running = task;
            }
            Event::Acquire { lock, mode, .. } => self.acquire(lock, mode),
            Event::Release { lock, .. } => self.release(lock),
            Event::Alloc { extent, .. } => self.histories.forget(extent),
            Event::AssertionFailed { site } => self.verdicts.push(Verdict::Assertion { site }),
            Event::Fault { site, message } => {
                self.open_sections();
                self.verdicts.push(Verdict::Fault { site, message });
            }
            Event::Stuck { task, site, .. } => self.waits.push((task, site)),
            _ => {
                if is_task_operation(event) {
                    self.open_sections();
                }
                self.task_event(event);
            }
        }
    }
}

/// Whether something leaves or reaches the running task here.
fn is_task_operation(event: Event) -> bool {
    matches!(
        event,
        Event::Spawn { .. }
            | Event::End { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Signal { .. }
            | Event::Wait { .. }
    )
}

/// How two modes of one lock exclude each other.
fn excludes(a: (u32, LockMode), b: (u32, LockMode)) -> bool {
    a.0 == b.0 && a.1.excludes(b.1)
}
