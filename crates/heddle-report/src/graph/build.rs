//! From the events of a run to its graph.

use std::collections::HashMap;

use heddle_core::{AccessKind, Event, FinishId, Legend, Listener, NameId, SiteId, TaskId, TokenId};

use super::{Edge, EdgeKind, Graph, Lane, Strand};

/// Listens to a run.
#[derive(Debug)]
pub struct Builder<'a> {
    legend: &'a Legend,
    graph: Graph,
    limit: usize,
    running: TaskId,
    lanes: HashMap<TaskId, usize>,
    /// The strand each task is in, or was in last.
    last: HashMap<TaskId, usize>,
    /// The tasks that end with a finish.
    members: HashMap<FinishId, Vec<TaskId>>,
    /// The strands that signalled a token.
    signals: HashMap<TokenId, Vec<usize>>,
}

impl<'a> Builder<'a> {
    /// A graph of at most `limit` strands.
    pub fn new(legend: &'a Legend, limit: usize) -> Self {
        let mut builder = Self {
            legend,
            graph: Graph::default(),
            limit: limit.max(1),
            running: TaskId::MAIN,
            lanes: HashMap::new(),
            last: HashMap::new(),
            members: HashMap::new(),
            signals: HashMap::new(),
        };
        builder.lane(TaskId::MAIN, None, None);
        builder.strand(TaskId::MAIN);
        builder
    }

    /// What was heard.
    pub fn graph(self) -> Graph {
        self.graph
    }

    fn lane(&mut self, task: TaskId, name: Option<NameId>, parent: Option<TaskId>) {
        let name = match (task, name.and_then(|name| self.legend.name(name))) {
            (TaskId::MAIN, _) => "main".into(),
            (_, Some(name)) => name.to_owned(),
            (_, None) => format!("#{}", task.index()),
        };
        let parent = parent.and_then(|parent| self.lanes.get(&parent).copied());
        self.lanes.insert(task, self.graph.lanes.len());
        self.graph.lanes.push(Lane { name, parent, task });
    }

    /// The next strand of a task; beyond the limit, the last one goes on.
    fn strand(&mut self, task: TaskId) -> Option<usize> {
        let lane = *self.lanes.get(&task)?;
        if self.graph.strands.len() >= self.limit {
            self.graph.left_out += 1;
            return None;
        }
        let number = self.graph.strands.len();
        self.graph.strands.push(Strand {
            lane,
            accesses: Vec::new(),
            labels: Vec::new(),
            is_found: false,
            is_shown: false,
        });
        if let Some(before) = self.last.insert(task, number) {
            self.edge(before, number, EdgeKind::Next);
        }
        Some(number)
    }

    fn edge(&mut self, from: usize, to: usize, kind: EdgeKind) {
        let edge = Edge { from, to, kind };
        if from != to
            && !self
                .graph
                .edges
                .iter()
                .rev()
                .take(64)
                .any(|one| *one == edge)
        {
            self.graph.edges.push(edge);
        }
    }

    /// A new strand of the running task, with edges from these.
    fn arrive(&mut self, sources: Vec<usize>, kind: EdgeKind) {
        let Some(strand) = self.strand(self.running) else {
            return;
        };
        for source in sources {
            self.edge(source, strand, kind);
        }
    }

    fn access(&mut self, kind: AccessKind, site: SiteId) {
        let strand = self.last.get(&self.running).copied();
        if let Some(strand) = strand.and_then(|strand| self.graph.strands.get_mut(strand))
            && !strand.accesses.contains(&(kind, site))
        {
            strand.accesses.push((kind, site));
        }
    }
}

impl Listener for Builder<'_> {
    fn on(&mut self, event: Event) {
        match event {
            Event::Spawn {
                task, finish, name, ..
            } => {
                self.lane(task, name, Some(self.running));
                self.members.entry(finish).or_default().push(task);
                let from = self.last.get(&self.running).copied();
                if let (Some(first), Some(from)) = (self.strand(task), from) {
                    self.edge(from, first, EdgeKind::Spawn);
                }
                self.strand(self.running);
            }
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::End { task } if task == self.running => {
                let lane = self.lanes.get(&task);
                let parent = lane.and_then(|&lane| self.graph.lanes[lane].parent);
                if let Some(parent) = parent {
                    self.running = self.graph.lanes[parent].task;
                }
            }
            Event::FinishEnd { finish } => {
                let members = self.members.remove(&finish).unwrap_or_default();
                let ends = members
                    .iter()
                    .filter_map(|task| self.last.get(task).copied());
                let ends: Vec<usize> = ends.collect();
                if !ends.is_empty() {
                    self.arrive(ends, EdgeKind::Join);
                }
            }
            Event::Join { task, .. } => {
                let end = self.last.get(&task).copied();
                self.arrive(end.into_iter().collect(), EdgeKind::Extra);
            }
            Event::Signal { token, .. } => {
                let strand = self.last.get(&self.running).copied();
                self.signals.entry(token).or_default().extend(strand);
                self.strand(self.running);
            }
            Event::Wait { token, .. } => {
                let signals = self.signals.get(&token).cloned().unwrap_or_default();
                if !signals.is_empty() {
                    self.arrive(signals, EdgeKind::Extra);
                }
            }
            Event::Read { site, .. } => self.access(AccessKind::Read, site),
            Event::Write { site, .. } | Event::Free { site, .. } => {
                self.access(AccessKind::Write, site);
            }
            _ => {}
        }
    }
}
