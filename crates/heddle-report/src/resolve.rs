//! From ids to words: positions, task names and spawn chains, locks and locations.
//!
//! Total on any input: an id the legend or the outcome does not know becomes a placeholder, since
//! a damaged recording may name anything.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use heddle_core::{
    Access, AccessKind, Awaited, Finding, FinishId, FinishKind, Legend, LockId, NameId, Outcome,
    Place, SiteId, TaskId, TaskKind, TokenId,
};

use crate::details::Details;
use crate::model::{Frame, MAIN, Object, Operation, Spawned, Task};
use crate::native;
use crate::position::{Position, Source};

/// Steps of a spawn chain that are listed; recursion can make chains of a million.
const CHAIN_LIMIT: usize = 16;

/// Calls of a stack that are listed.
const STACK_LIMIT: usize = 64;

/// Resolves the ids of one outcome.
pub struct Resolver<'a> {
    outcome: &'a Outcome,
    legend: &'a Legend,
    details: Option<&'a Details>,
    /// Whether tasks are called by where they were created.
    is_native: bool,
    sources: Vec<Arc<Source>>,
    /// Whether sentences name the file of a position: those of this outcome are in several.
    names_files: bool,
    /// Per name: how many tasks have it, as far as it matters (0, 1, more).
    bearers: Vec<u8>,
    tasks: RefCell<HashMap<TaskId, Arc<Task>>>,
    objects: RefCell<HashMap<NameId, Arc<Object>>>,
    /// Where tasks were joined, if it is known.
    joins: Option<&'a HashMap<TaskId, SiteId>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for this outcome.
    pub fn new(outcome: &'a Outcome, legend: &'a Legend, details: Option<&'a Details>) -> Self {
        let mut kinds = outcome.tasks.iter().map(|task| task.kind);
        Self {
            outcome,
            legend,
            details,
            is_native: details.is_some() || kinds.any(native::is_native),
            sources: Source::all(legend),
            names_files: are_in_several_files(outcome, legend, details),
            bearers: bearers(outcome, legend.names.len()),
            tasks: RefCell::default(),
            objects: RefCell::default(),
            joins: details.map(|details| &details.joins),
        }
    }

    /// The same, with where tasks were joined.
    pub fn joined(self, joins: &'a HashMap<TaskId, SiteId>) -> Self {
        let joins = Some(joins);
        Self { joins, ..self }
    }

    /// The outcome that is resolved.
    pub fn outcome(&self) -> &'a Outcome {
        self.outcome
    }

    /// What its ids stand for.
    pub fn legend(&self) -> &'a Legend {
        self.legend
    }

    /// The site's position, if the legend has it.
    pub fn position(&self, site: SiteId) -> Option<Position> {
        let site = self.legend.site(site)?;
        let source = self.sources.get(site.file.index())?;
        Some(Position::new(Arc::clone(source), site))
    }

    /// The site in a sentence: `at 3:4`, with the file where there are several.
    pub fn at(&self, site: SiteId) -> String {
        match self.position(site) {
            None => "at an unknown place".into(),
            Some(at) if self.names_files => format!("at {}:{at}", at.file.path()),
            Some(at) => format!("at {at}"),
        }
    }

    /// The function around the site, if it is known.
    pub fn function(&self, site: SiteId) -> Option<&'a str> {
        let frame = self.details?.frames.get(&site)?;
        Some(&frame.function)
    }

    /// What the access does.
    pub fn operation(&self, access: &Access) -> Operation {
        let frees = |details: &Details| details.frees.contains(&access.site);
        match access.kind {
            AccessKind::Read => Operation::Read,
            AccessKind::Write if self.details.is_some_and(frees) => Operation::Free,
            AccessKind::Write => Operation::Write,
        }
    }

    /// The calls that led to the site, innermost first.
    pub fn stack(&self, site: SiteId) -> Vec<Frame> {
        let frame = |site: &SiteId| self.details?.frames.get(site);
        let sites = std::iter::successors(Some(site), |site| frame(site)?.caller);
        let known = sites.take(STACK_LIMIT).map_while(|site| {
            Some(Frame {
                function: frame(&site)?.function.clone(),
                position: self.position(site),
            })
        });
        known.collect()
    }

    /// What memory the place is, if it is known; made once per name.
    pub fn object(&self, place: &Place) -> Option<Arc<Object>> {
        let name = place.name?;
        let info = self.details?.objects.get(&name)?;
        let mut made = self.objects.borrow_mut();
        let object = made.entry(name).or_insert_with(|| {
            Arc::new(Object {
                kind: info.kind,
                name: info.name.clone(),
                size: info.size,
                unit: info.unit,
                position: info.site.and_then(|site| self.position(site)),
                stack: info.site.map_or(Vec::new(), |site| self.stack(site)),
                allocated_by: info.allocated_by.map(|task| self.task_phrase(task)),
            })
        });
        Some(Arc::clone(object))
    }

    /// Where a call of its own joined the task, if one is known.
    pub fn joined_at(&self, task: TaskId) -> Option<SiteId> {
        self.joins?.get(&task).copied()
    }

    /// How many locations raced at these positions, if it is known to be more than there are findings.
    pub fn racy_locations(&self, sites: [SiteId; 2]) -> Option<u64> {
        let places = |sites: [SiteId; 2]| {
            let mut places = sites.map(|site| self.legend.site(site));
            places.sort();
            places
        };
        let asked = places(sites);
        let racy = self.details?.racy.iter();
        let same = racy.filter(|(sites, _)| places(*sites) == asked);
        same.map(|(_, count)| *count).max()
    }

    /// The name, or a placeholder.
    pub fn name(&self, name: NameId) -> &'a str {
        self.legend.name(name).unwrap_or("?")
    }

    /// The task with its spawn chain; made once per task.
    pub fn task(&self, task: TaskId) -> Arc<Task> {
        let made = self.tasks.borrow().get(&task).cloned();
        made.unwrap_or_else(|| {
            let made = Arc::new(self.make_task(task));
            self.tasks.borrow_mut().insert(task, Arc::clone(&made));
            made
        })
    }

    /// The task in a sentence: `main`, `task T4`, `the task created at 3:4`.
    pub fn task_phrase(&self, task: TaskId) -> String {
        match self.outcome.task(task) {
            None if task == TaskId::MAIN && self.is_native => "the main task".into(),
            None if task == TaskId::MAIN => MAIN.into(),
            Some(info) if self.is_native => {
                let name = info.name.map(|name| self.name(name));
                native::phrase(info.kind, name, &self.at(info.site))
            }
            _ => format!("task {}", self.task_name(task)),
        }
    }

    /// The task's name, unique in the run.
    pub fn task_name(&self, task: TaskId) -> String {
        if task == TaskId::MAIN {
            return MAIN.into();
        }
        let info = self.outcome.task(task);
        if let Some(info) = info.filter(|_| self.is_native) {
            return native::name(info.kind, &self.full_position(info.site));
        }
        match info.and_then(|info| info.name) {
            None => format!("#{}", task.index()),
            Some(name) if self.is_unique(name) => self.name(name).into(),
            Some(name) => format!("{}#{}", self.name(name), task.index()),
        }
    }

    /// The lock's name.
    pub fn lock(&self, lock: LockId) -> String {
        if lock == LockId::ISOLATED {
            return "isolated".into();
        }
        match self.outcome.lock(lock) {
            Some(name) => self.name(name).into(),
            None => format!("#{}", lock.index()),
        }
    }

    /// The token's name.
    pub fn token(&self, token: TokenId) -> String {
        match self.outcome.token(token) {
            Some(name) => self.name(name).into(),
            None => format!("#{}", token.index()),
        }
    }

    /// The location as the program writes it: `x`, `A[3]`.
    pub fn place(&self, place: &Place) -> String {
        match (place.name, place.index) {
            (None, _) => format!("unnamed location {}", place.location),
            (Some(name), None) => self.name(name).into(),
            (Some(name), Some(index)) => format!("{}[{index}]", self.name(name)),
        }
    }

    /// When this finish joins its tasks, for "nothing joins it until ...".
    pub fn join(&self, finish: FinishId) -> String {
        match self.outcome.finish(finish) {
            _ if finish == FinishId::MAIN => "the program ends".into(),
            None => "some finish ends".into(),
            Some(info) if info.kind == FinishKind::SyncBlock => {
                format!("the next sync of {}", self.task_phrase(info.owner))
            }
            Some(info) => {
                let at = self.at(info.site);
                native::join(info, &at).unwrap_or_else(|| format!("the finish {at} ends"))
            }
        }
    }

    /// What a stuck task waits for, for "waits for ...".
    pub fn awaited(&self, awaited: Awaited) -> String {
        match awaited {
            Awaited::Finish(FinishId::MAIN) => "every task to end".into(),
            Awaited::Finish(finish) => self.awaited_finish(finish),
            Awaited::Task(task) => format!("{} to end", self.task_phrase(task)),
            Awaited::Token(token) => format!("event {}", self.token(token)),
            Awaited::Lock(LockId::ISOLATED) => "another isolated body to end".into(),
            Awaited::Lock(lock) => format!("lock {}, which another task holds", self.lock(lock)),
            Awaited::Region(name) => {
                format!("any task in region {}, which has none", self.name(name))
            }
        }
    }

    fn awaited_finish(&self, finish: FinishId) -> String {
        match self.outcome.finish(finish) {
            Some(info) if info.kind == FinishKind::Finish => {
                format!("the tasks of the finish {}", self.at(info.site))
            }
            _ => "the tasks it spawned".into(),
        }
    }

    fn is_unique(&self, name: NameId) -> bool {
        self.bearers
            .get(name.index())
            .is_none_or(|&count| count < 2)
    }

    fn make_task(&self, task: TaskId) -> Task {
        let mut spawned = Vec::new();
        let mut left_out = 0;
        for step in self.ancestry(task) {
            if spawned.len() < CHAIN_LIMIT {
                spawned.extend(self.step(step));
            } else {
                left_out += 1;
            }
        }
        Task {
            id: task.raw(),
            name: self.task_name(task),
            phrase: self.task_phrase(task),
            two: self.two(task),
            number: self
                .details
                .and_then(|details| details.numbers.get(&task).copied()),
            spawned,
            spawned_left_out: left_out,
        }
    }

    fn step(&self, task: TaskId) -> Option<Spawned> {
        let info = self.outcome.task(task)?;
        Some(Spawned {
            task: self.task_name(task),
            construct: construct(info.kind),
            position: self.position(info.site),
            function: self.function(info.site).map(str::to_owned),
            by: self.task_name(info.parent),
            by_phrase: self.task_phrase(info.parent),
        })
    }

    fn two(&self, task: TaskId) -> Option<String> {
        let info = self.outcome.task(task).filter(|_| self.is_native)?;
        Some(native::two(info.kind, &self.at(info.site)))
    }

    fn full_position(&self, site: SiteId) -> String {
        match self.position(site) {
            None => "?".into(),
            Some(at) => format!("{}:{at}", at.file.path()),
        }
    }

    /// The task and its ancestors below the main task. Stops where a recording claims a parent
    /// that came later, so that it ends on any input.
    pub fn ancestry(&self, task: TaskId) -> impl Iterator<Item = TaskId> + use<'_, 'a> {
        let known = |task: TaskId| self.outcome.task(task).map(|_| task);
        std::iter::successors(known(task), move |&task| {
            let parent = self.outcome.task(task)?.parent;
            (parent < task).then(|| known(parent)).flatten()
        })
    }
}

/// The task in a sentence.
pub fn task_phrase(outcome: &Outcome, legend: &Legend, task: TaskId) -> String {
    Resolver::new(outcome, legend, None).task_phrase(task)
}

/// The word of the language for this kind of task.
fn construct(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Async => "async",
        TaskKind::Spawn => "spawn",
        TaskKind::Future => "future",
        TaskKind::Dependent | TaskKind::Task => "task",
        TaskKind::Post => "post",
        TaskKind::Member => "parallel",
        TaskKind::Chunk => "for",
        TaskKind::Section => "section",
        TaskKind::Single => "single",
        TaskKind::Thread => "thread",
        TaskKind::EventDriven => "EDT",
    }
}

fn bearers(outcome: &Outcome, names: usize) -> Vec<u8> {
    let mut bearers = vec![0u8; names];
    for name in outcome.tasks.iter().filter_map(|task| task.name) {
        if let Some(count) = bearers.get_mut(name.index()) {
            *count = count.saturating_add(1);
        }
    }
    bearers
}

/// Whether the places that sentences speak of, of tasks, finishes, joins and findings, are in more than one file. Stacks and
/// declarations, which always name their file, may lead to others.
fn are_in_several_files(outcome: &Outcome, legend: &Legend, details: Option<&Details>) -> bool {
    let findings: Option<Vec<_>> = outcome.findings.iter().map(sites).collect();
    let Some(findings) = findings else {
        return legend.files.len() > 1;
    };
    let tasks = outcome.tasks.iter().map(|task| task.site);
    let finishes = outcome.finishes.iter().map(|finish| finish.site);
    let joins = details
        .into_iter()
        .flat_map(|details| details.joins.values().copied());
    let sites = tasks.chain(finishes).chain(joins);
    let sites = sites.chain(findings.into_iter().flatten());
    let mut files = sites.filter_map(|site| Some(legend.site(site)?.file));
    let first = files.next();
    files.any(|file| Some(file) != first)
}

/// Where a finding takes place; none if that is not simply told.
fn sites(finding: &Finding) -> Option<Vec<SiteId>> {
    let of = |accesses: &[Access]| accesses.iter().map(|access| access.site).collect();
    match finding {
        Finding::Race { accesses, .. } => Some(of(accesses)),
        Finding::Atomicity { accesses, .. } => Some(of(accesses)),
        Finding::Assertion { site, .. } => Some(vec![*site]),
        Finding::Deadlock { waits } => Some(waits.iter().map(|wait| wait.site).collect()),
        Finding::Transaction(_) | Finding::PossibleDeadlock { .. } | Finding::Misuse { .. } => None,
    }
}
