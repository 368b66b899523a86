//! The reference: which locations race, read off the full computation graph.
//!
//! Every task operation and every access of a run is a node of its own. Edges:
//!
//! 1. program order inside a task;
//! 2. `Spawn` to the child's `Begin`;
//! 3. `End` of every task spawned into a finish to that finish's `FinishEnd`;
//! 4. `End` of a task to each `Join` that names it;
//! 5. each `Signal` to every later `Wait` for its token;
//! 6. only in the second graph, *hand-offs*: where a read under a lock sees what an earlier
//!    section of that lock wrote, the `Release` that ended the section to the read.
//!
//! Two accesses race if they are unordered in the graph of edges 1-5, touch one location within
//! one life of it (an `Alloc` starts a new life), one of them writes and no lock is held at both
//! (unless both share it).
//! The race is certain if they are unordered with the hand-offs counted too. All pairs are tried.
//!
//! What a live run knows beside these is in `live.rs`.

mod live;

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{
    Access, AccessKind, Certainty, Event, Extent, Finding, FinishId, Listener, Location, LockId,
    LockMode, Outcome, SiteId, TaskId, TokenId,
};

use crate::atoms::{Atoms, Scope, Subject, Torn};
use crate::graph::{Closure, Graph, Node};
pub use live::Bounds;

/// The strongest verdict on each racy location.
pub type Verdicts = BTreeMap<Location, Certainty>;

/// A listener that remembers the whole run and answers for all pairs of accesses.
#[derive(Debug, Default)]
pub struct Oracle {
    order: Graph,
    handoffs: Vec<(Node, Node)>,
    running: RunningTask,
    latest: BTreeMap<TaskId, Node>,
    spawns: BTreeMap<TaskId, Node>,
    ends: BTreeMap<TaskId, Node>,
    members: BTreeMap<FinishId, Vec<TaskId>>,
    signals: BTreeMap<TokenId, Vec<Node>>,
    held: BTreeMap<TaskId, Sections>,
    releases: BTreeMap<Section, Node>,
    touches: BTreeMap<Location, Vec<Touch>>,
    lives: BTreeMap<Location, u32>,
    last_writes: BTreeMap<Location, Sections>,
    atoms: Atoms,
    /// Reads in sections since each location was last written: where, and in which sections.
    looks: BTreeMap<Location, Vec<Look>>,
    overtaken: Vec<Overtaken>,
    /// Sections in the sequence of their ends: lock, mode, acquire and release.
    over: Vec<(LockId, LockMode, [Node; 2])>,
    /// The stretch between two operations that each task is in, by the node of the operation that began it.
    stretches: BTreeMap<TaskId, Node>,
    /// What each task did after each of its nodes.
    next: BTreeMap<Node, Node>,
    /// Tasks that extra edges or hand-offs can leave.
    departing: BTreeSet<TaskId>,
    /// The hand-offs that are not through a declared unit.
    foreign: Vec<(Location, (Node, Node))>,
}

/// The task that acts; after an `End` nobody's turn is known until the next event says so.
#[derive(Clone, Copy, Debug)]
struct RunningTask(Option<TaskId>);

impl Default for RunningTask {
    fn default() -> Self {
        Self(Some(TaskId::MAIN))
    }
}

/// One acquisition of a lock, named by its `Acquire`.
pub(crate) type Section = Node;

/// The locks held at some point, each with its mode and the section it is held in.
pub(crate) type Sections = BTreeMap<LockId, (LockMode, Section)>;

/// One access to one location.
#[derive(Clone, Debug)]
struct Touch {
    node: Node,
    life: u32,
    kind: AccessKind,
    task: TaskId,
    site: SiteId,
    locks: BTreeMap<LockId, LockMode>,
    /// The stretch of its task that it is in, if hand-offs can leave the task.
    stretch: Option<Node>,
}

/// A read in sections.
#[derive(Clone, Debug)]
struct Look {
    task: TaskId,
    sections: Sections,
    node: Node,
}

/// What a reader did until its release, and the write that would have changed what it read.
#[derive(Clone, Copy, Debug)]
struct Overtaken {
    task: TaskId,
    read: Node,
    release: Node,
    write: Node,
}

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// What they touch.
    pub location: Location,
    /// Whether the hand-offs leave the race standing.
    pub certainty: Certainty,
    /// The two accesses, in the sequence of the run.
    pub accesses: [Access; 2],
}

impl Listener for Oracle {
    fn on(&mut self, event: Event) {
        match event {
            Event::Begin { task } => self.begin(task),
            Event::Resume { task } => self.running = RunningTask(Some(task)),
            Event::Atomic { extent, group } => self.atoms.declare(extent, group),
            Event::Stuck { .. } | Event::Fault { .. } => {}
            _ => {
                if let RunningTask(Some(task)) = self.running {
                    self.act(task, event);
                }
            }
        }
    }
}

impl Oracle {
    /// The oracle after a whole stream.
    pub fn of(events: &[Event]) -> Self {
        let mut oracle = Self::default();
        for &event in events {
            oracle.on(event);
        }
        oracle
    }

    /// The verdict on every racy location.
    pub fn verdicts(&self) -> Verdicts {
        let mut verdicts = Verdicts::new();
        self.for_each_race(|location, certainty, _| raise(&mut verdicts, location, certainty));
        verdicts
    }

    /// Every pair of accesses that races.
    pub fn races(&self) -> Vec<Race> {
        let mut races = Vec::new();
        self.for_each_race(|location, certainty, touches| {
            let accesses = touches.map(Touch::access);
            races.push(Race {
                location,
                certainty,
                accesses,
            });
        });
        races
    }

    fn for_each_race(&self, mut visit: impl FnMut(Location, Certainty, [&Touch; 2])) {
        let order = self.order.closure();
        let with_handoffs = self.with_handoffs().closure();
        for (&location, touches) in &self.touches {
            for (n, second) in touches.iter().enumerate() {
                for first in touches.iter().take(n) {
                    if first.races_with(second, &order) {
                        let certainty = certainty(first, second, &with_handoffs);
                        visit(location, certainty, [first, second]);
                    }
                }
            }
        }
    }

    /// How many hand-off edges there are, those between ordered sections included.
    pub fn handoffs(&self) -> usize {
        self.handoffs.len()
    }

    /// Every triple of accesses that tears a unit.
    pub fn torn(&self, scope: Scope) -> Vec<Torn> {
        let order = self.order.closure();
        let torn = self.atoms.torn(scope, &order, &order);
        let is_torn = |at: Location| torn.iter().any(|t| t.subject == Subject::Location(at));
        let foreign = self.foreign.iter().filter(|&&(at, _)| !is_torn(at));
        let handoffs: Vec<_> = foreign.map(|&(_, edge)| edge).collect();
        self.atoms
            .torn(scope, &order, &self.with(&handoffs).closure())
    }

    /// The units that the printed history of Yoga and Nagarakatte finds to be torn.
    pub fn torn_as_printed(&self, scope: Scope) -> BTreeSet<Subject> {
        self.atoms.printed(scope, &self.order.closure())
    }

    /// The units that Velodrome sees torn in the order that ran.
    pub fn torn_as_observed(&self, scope: Scope) -> BTreeSet<Subject> {
        let open = self.held.values().flatten();
        let open = open.map(|(&lock, &(mode, taken))| (lock, mode, taken));
        let over = self.over.iter();
        let taken = over.map(|&(lock, mode, [taken, _])| (lock, mode, taken));
        let taken: Vec<_> = taken.chain(open).collect();
        let locks = self.over.iter().flat_map(|&(lock, mode, [_, release])| {
            let next = taken.iter().filter(move |&&(other, how, taken)| {
                lock == other && release < taken && !both_share(mode, how)
            });
            next.map(move |&(.., taken)| (release, taken))
        });
        let edges = self.order.edges().chain(locks);
        self.atoms.velodrome(scope, edges)
    }

    fn with_handoffs(&self) -> Graph {
        self.with(&self.handoffs)
    }

    fn with(&self, handoffs: &[(Node, Node)]) -> Graph {
        let mut graph = self.order.clone();
        for &(from, to) in handoffs {
            graph.add_edge(from, to);
        }
        graph
    }

    /// A new node of `task`, after everything that task did so far.
    fn step(&mut self, task: TaskId) -> Node {
        let node = self.order.add_node();
        if let Some(before) = self.latest.insert(task, node) {
            self.order.add_edge(before, node);
            self.next.insert(before, node);
        }
        node
    }

    fn begin(&mut self, task: TaskId) {
        self.running = RunningTask(Some(task));
        let node = self.step(task);
        self.atoms.begin(task, node);
        self.stretches.insert(task, node);
        if let Some(&spawn) = self.spawns.get(&task) {
            self.order.add_edge(spawn, node);
        }
    }

    fn act(&mut self, task: TaskId, event: Event) {
        let node = self.step(task);
        self.atoms.note(task, node, event, &self.sections(task));
        self.note_stretch(task, node, event);
        match event {
            Event::Spawn {
                task: child,
                finish,
                ..
            } => {
                self.spawns.insert(child, node);
                self.members.entry(finish).or_default().push(child);
            }
            Event::End { task } => {
                self.ends.insert(task, node);
                self.running = RunningTask(None);
            }
            Event::FinishEnd { finish } => self.end_finish(finish, node),
            Event::Join { task, .. } => self.after_end_of(task, node),
            Event::Signal { token, .. } => self.signals.entry(token).or_default().push(node),
            Event::Wait { token, .. } => self.after_signals_of(token, node),
            Event::Acquire { lock, mode, .. } => {
                let held = self.held.entry(task).or_default();
                held.insert(lock, (mode, node));
            }
            Event::Release { lock, .. } => self.release(task, lock, node),
            Event::Read { extent, site } => self.read(task, node, extent, site),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.write(task, node, extent, site);
            }
            Event::Alloc { extent, .. } => self.alloc(extent),
            _ => {}
        }
    }

    fn end_finish(&mut self, finish: FinishId, node: Node) {
        for member in self.members.remove(&finish).unwrap_or_default() {
            self.after_end_of(member, node);
        }
    }

    fn after_end_of(&mut self, task: TaskId, node: Node) {
        if let Some(&end) = self.ends.get(&task) {
            self.order.add_edge(end, node);
        }
    }

    fn after_signals_of(&mut self, token: TokenId, node: Node) {
        for &signal in self.signals.get(&token).into_iter().flatten() {
            self.order.add_edge(signal, node);
        }
    }

    fn release(&mut self, task: TaskId, lock: LockId, node: Node) {
        if let Some((mode, section)) = self.held.entry(task).or_default().remove(&lock) {
            self.releases.insert(section, node);
            self.over.push((lock, mode, [section, node]));
        }
    }

    fn sections(&self, task: TaskId) -> Sections {
        self.held.get(&task).cloned().unwrap_or_default()
    }

    fn read(&mut self, task: TaskId, node: Node, extent: Extent, site: SiteId) {
        for location in extent.locations() {
            self.hand_off(task, node, location);
            self.look(task, node, location);
            self.touch(task, node, location, AccessKind::Read, site);
        }
    }

    fn write(&mut self, task: TaskId, node: Node, extent: Extent, site: SiteId) {
        let sections = self.sections(task);
        for location in extent.locations() {
            self.overtake(task, node, location);
            self.last_writes.insert(location, sections.clone());
            self.touch(task, node, location, AccessKind::Write, site);
        }
    }

    fn alloc(&mut self, extent: Extent) {
        for location in extent.locations() {
            self.last_writes.remove(&location);
            self.looks.remove(&location);
            *self.lives.entry(location).or_default() += 1;
        }
    }

    /// The read at `node` comes after each earlier section, of a lock held now, in which the
    /// value it sees was written, unless both only share the lock.
    fn hand_off(&mut self, task: TaskId, node: Node, location: Location) {
        let Some(written_in) = self.last_writes.get(&location) else {
            return;
        };
        for (lock, (mode, section)) in self.sections(task) {
            let Some(&(how, earlier)) = written_in.get(&lock) else {
                continue;
            };
            if earlier == section || both_share(mode, how) {
                continue;
            }
            if let Some(&release) = self.releases.get(&earlier) {
                self.handoffs.push((release, node));
                if !self.atoms.is_declared(location) {
                    self.foreign.push((location, (release, node)));
                }
            }
        }
    }

    fn look(&mut self, task: TaskId, node: Node, location: Location) {
        let mut sections = self.sections(task);
        let written_in = self.last_writes.get(&location);
        // Whoever has written it in the same section reads that in any order of the sections.
        sections.retain(|lock, (_, section)| {
            let written_in = written_in.and_then(|sections| sections.get(lock));
            written_in.is_none_or(|(_, earlier)| earlier != section)
        });
        self.looks.entry(location).or_default().push(Look {
            task,
            sections,
            node,
        });
    }

    /// The write at `node` overtakes those that have read its location in sections of a lock held now.
    fn overtake(&mut self, task: TaskId, node: Node, location: Location) {
        let now = self.sections(task);
        for look in self.looks.remove(&location).into_iter().flatten() {
            for (lock, (how, section)) in look.sections {
                let excluded = now.get(&lock).is_some_and(|&(mode, later)| {
                    later != section && !both_share(mode, how) && look.task != task
                });
                if let Some(&release) = self.releases.get(&section).filter(|_| excluded) {
                    self.overtaken.push(Overtaken {
                        task: look.task,
                        read: look.node,
                        release,
                        write: node,
                    });
                }
            }
        }
    }

    fn touch(
        &mut self,
        task: TaskId,
        node: Node,
        location: Location,
        kind: AccessKind,
        site: SiteId,
    ) {
        let sections = self.sections(task).into_iter();
        let locks = sections.map(|(lock, (mode, _))| (lock, mode)).collect();
        let life = self.lives.get(&location).copied().unwrap_or_default();
        let stretch = self.stretches.get(&task).copied();
        let touch = Touch {
            node,
            life,
            kind,
            task,
            site,
            locks,
            stretch: stretch.filter(|_| self.departing.contains(&task)),
        };
        self.touches.entry(location).or_default().push(touch);
    }
}

impl Touch {
    fn races_with(&self, other: &Touch, order: &Closure) -> bool {
        self.life == other.life
            && (self.kind == AccessKind::Write || other.kind == AccessKind::Write)
            && !self.is_kept_from(other)
            && order.parallel(self.node, other.node)
    }

    /// Whether a lock is held at both that not both share.
    fn is_kept_from(&self, other: &Touch) -> bool {
        self.locks.iter().any(|(lock, &mode)| {
            let how = other.locks.get(lock);
            how.is_some_and(|&how| !both_share(mode, how))
        })
    }

    fn access(&self) -> Access {
        Access {
            kind: self.kind,
            site: self.site,
            task: self.task,
            locks: self.locks.keys().copied().collect(),
        }
    }
}

/// What an engine said, reduced to what can be compared.
pub fn verdicts(outcome: &Outcome) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for finding in &outcome.findings {
        if let Finding::Race {
            certainty, place, ..
        } = finding
        {
            raise(&mut verdicts, Location(place.location), *certainty);
        }
    }
    verdicts
}

pub(crate) fn both_share(mode: LockMode, how: LockMode) -> bool {
    mode == LockMode::Shared && how == LockMode::Shared
}

fn certainty(first: &Touch, second: &Touch, with_handoffs: &Closure) -> Certainty {
    if with_handoffs.parallel(first.node, second.node) {
        Certainty::Certain
    } else {
        Certainty::Possible
    }
}

fn raise(verdicts: &mut Verdicts, location: Location, certainty: Certainty) {
    let verdict = verdicts.entry(location).or_insert(certainty);
    *verdict = certainty.max(*verdict);
}
