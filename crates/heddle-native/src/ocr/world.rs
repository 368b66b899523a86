//! Everything the runtime of event-driven tasks knows, behind one lock.

use super::actor::{Delivery, Source};
use super::count::Counted;
use super::guid::{Guid, Table};
use super::misuse::Book;
use heddle_core::{FinishId, TaskId};
use heddle_rt::{Cursor, FinishScope};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Tasks of one function that must have ended without an edge leaving them before it is assumed that
/// none leaves the next ones.
const TRUSTED: u32 = 64;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) objects: Table,
    finishes: Vec<Finish>,
    functions: Vec<Function>,
    function_ids: FxHashMap<usize, u32>,
    /// By task, one more than its function.
    functions_of_tasks: Vec<u32>,
    pub(super) counted: Counted,
    pub(super) book: Book,
    /// What waits for an object with a label to be created.
    pub(super) deferred: FxHashMap<Guid, Vec<Deferred>>,
    /// The data blocks, by address.
    pub(super) blocks: BTreeMap<usize, Guid>,
    /// Those that were destroyed.
    pub(super) graves: FxHashMap<Guid, Grave>,
    /// Whether a dependence for exclusive writing was added.
    pub(super) asks_for_exclusion: bool,
}

/// A data block that was destroyed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grave {
    pub(super) start: usize,
    pub(super) size: usize,
    /// How many tasks still have it.
    pub(super) holders: u32,
    /// Whether its memory was given back.
    pub(super) is_buried: bool,
    /// Up to where its destroyer had come.
    pub(super) source: Source,
}

/// What was asked of an object that does not exist yet.
#[derive(Debug)]
pub(super) enum Deferred {
    /// Something is to arrive there.
    Delivery(Delivery),
    /// Something is to be told when it is satisfied.
    Sink(super::event::Sink),
}

/// What tasks of one function have in common.
#[derive(Clone, Copy, Debug)]
struct Function {
    address: usize,
    /// Whether something else than the tree ordered one of them before others.
    departs: bool,
    ended: u32,
}

/// A finish EDT, from its start to the end of the last task created in it; the first stands for the program.
#[derive(Debug)]
pub(super) struct Finish {
    /// The one around it.
    pub(super) outer: u32,
    pub(super) scope: Option<FinishScope>,
    /// Tasks in it that are not over, and its own body.
    pub(super) pending: u64,
    /// Its task, once the body is over.
    pub(super) owner: Option<Box<Owner>>,
    /// Ends of tasks in it that do not stand in it in the tree.
    pub(super) foreign: Vec<Source>,
}

/// A finish EDT whose body is over.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) cursor: Cursor,
    pub(super) output: Guid,
    /// What its function returned.
    pub(super) data: Guid,
    pub(super) is_foreign: bool,
}

impl Finish {
    /// The whole program.
    pub(super) const ROOT: u32 = 0;

    pub(super) fn scope_id(&self) -> FinishId {
        self.scope.map_or(FinishId::MAIN, |scope| scope.id())
    }
}

static WORLD: LazyLock<Mutex<World>> = LazyLock::new(|| {
    let mut world = World::default();
    world.open(Finish::ROOT);
    Mutex::new(world)
});

/// The world. To be called inside the runtime.
pub(super) fn world() -> MutexGuard<'static, World> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address of the function that a task executes, if it is event-driven. For reports.
pub(crate) fn function_of(task: TaskId) -> Option<usize> {
    if !super::count::any() {
        return None;
    }
    let world = world();
    let row = world.functions_of_tasks.get(task.index())?.checked_sub(1)?;
    Some(world.functions[row as usize].address)
}

impl World {
    /// A finish begins within another; its body counts as one task.
    pub(super) fn open(&mut self, outer: u32) -> u32 {
        self.finishes.push(Finish {
            outer,
            scope: None,
            pending: 1,
            owner: None,
            foreign: Vec::new(),
        });
        self.finishes.len() as u32 - 1
    }

    pub(super) fn finish(&mut self, finish: u32) -> &mut Finish {
        &mut self.finishes[finish as usize]
    }

    /// The number of a function.
    pub(super) fn function(&mut self, address: usize) -> u32 {
        *self.function_ids.entry(address).or_insert_with(|| {
            self.functions.push(Function {
                address,
                departs: false,
                ended: 0,
            });
            self.functions.len() as u32 - 1
        })
    }

    /// Notes which function a task executes.
    pub(super) fn enter(&mut self, task: TaskId, function: u32) {
        if self.functions_of_tasks.len() <= task.index() {
            self.functions_of_tasks.resize(task.index() + 1, 0);
        }
        self.functions_of_tasks[task.index()] = function + 1;
    }

    /// Whether edges beside the tree's are likely to leave tasks of this function. Histories keep every such
    /// reader, and only some of the others; the engine notices where that was too few.
    pub(super) fn is_expected_to_depart(&self, function: u32) -> bool {
        let Function { departs, ended, .. } = self.functions[function as usize];
        departs || ended < TRUSTED
    }

    /// A task of this function is over.
    pub(super) fn ended(&mut self, function: u32) {
        let function = &mut self.functions[function as usize];
        function.ended = function.ended.saturating_add(1);
    }

    /// The last of each task's sources that are news; their tasks are known to be left by edges.
    pub(super) fn latest(
        &mut self,
        mut sources: Vec<Source>,
        is_news: impl Fn(&Source) -> bool,
    ) -> Vec<u32> {
        sources.sort_unstable();
        sources.reverse();
        sources.dedup_by_key(|source| source.task);
        sources.retain(is_news);
        for source in &sources {
            let row = self.functions_of_tasks.get(source.task.index());
            if let Some(row) = row.and_then(|row| row.checked_sub(1)) {
                self.functions[row as usize].departs = true;
            }
        }
        sources.iter().map(|source| source.strand).collect()
    }
}
