//! The engine: order, histories and races of a run on many threads.
//!
//! A [`Cursor`] is where a task stands; it travels with the task, from thread to thread if need be.
//! The engine itself is shared and never locked as a whole: nodes and states are append-only tables,
//! a location changes by compare-and-swap, and only extra edges sit behind a mutex.
//!
//! # Guarantee
//! As the graph order with the full history of `heddle-core`: a location has a race iff one is
//! collected for it, whatever the interleaving, and certainty is exact. Each access is one step of
//! its location's state, made by compare-and-swap, so concurrent accesses to a location are checked
//! as if they came one after the other.

use crate::cache::ThreadCache;
use crate::cells::Cells;
use crate::exclusion::{Exclusion, Hold, LockMode};
use crate::forest::Forest;
use crate::races::Races;
use crate::states::States;
use crate::store::Store;
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, PoisonError};
use heddle_core::order::layer::Layer;
use heddle_core::order::tree::{NodeIndex, NodeKind, Nodes, ROOT};
use heddle_core::{
    AccessKind, FinishId, FinishInfo, FinishKind, LockId, NameId, SiteId, TaskId, TaskInfo,
    TaskKind,
};

/// No strand yet.
pub(crate) const NO_STRAND: u32 = 0;

/// Where a task stands.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(crate) task: TaskId,
    /// The node whose children its next nodes are.
    scope: NodeIndex,
    /// The finish that tasks it spawns belong to.
    finish: FinishId,
    /// The finish it was spawned into.
    joined_by: FinishId,
    /// The running strand, or none if it has touched nothing since its last operation.
    pub(crate) strand: u32,
    pub(crate) hold: Hold,
}

impl Cursor {
    /// The task.
    pub fn task(&self) -> TaskId {
        self.task
    }

    /// The strand of its last access; 0 if it has touched nothing since its last operation. What was
    /// checked for this strand holds until the number changes.
    #[inline(always)]
    pub fn strand(&self) -> u32 {
        self.strand
    }

    /// The finish that tasks it spawns belong to, unless another is named.
    pub fn finish(&self) -> FinishId {
        self.finish
    }
}

/// A finish: open, or the implicit one of the main task.
#[derive(Clone, Copy, Debug)]
pub struct FinishScope {
    id: FinishId,
    node: NodeIndex,
    /// Where the owner stood before.
    outer_scope: NodeIndex,
    outer_finish: FinishId,
}

/// The end of a task, to be joined.
#[derive(Clone, Copy, Debug)]
pub struct EndPoint {
    task: TaskId,
    scope: NodeIndex,
    strand: u32,
}

/// Extra edges.
#[derive(Debug, Default)]
struct Edges {
    /// What the program's meaning orders.
    real: Layer,
    /// That, and hand-offs.
    with_hand_offs: Layer,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Engine {
    pub(crate) forest: Forest,
    pub(crate) states: States,
    pub(crate) exclusion: Exclusion,
    pub(crate) cells: Cells,
    pub(crate) races: Mutex<Races>,
    edges: Mutex<Edges>,
    has_edges: AtomicBool,
    has_hand_offs: AtomicBool,
    tasks: Store<TaskInfo>,
    finishes: Store<FinishInfo>,
    gave_up: AtomicBool,
}

impl FinishScope {
    /// The main task's implicit finish. It never ends.
    pub const MAIN: Self = Self {
        id: FinishId::MAIN,
        node: ROOT,
        outer_scope: ROOT,
        outer_finish: FinishId::MAIN,
    };

    /// The finish.
    pub fn id(&self) -> FinishId {
        self.id
    }
}

impl EndPoint {
    /// The task that ended.
    pub fn task(&self) -> TaskId {
        self.task
    }
}

impl Engine {
    /// An engine for locations below `locations`; none if the address space for its tables cannot be
    /// had.
    pub fn new(locations: usize) -> Option<Self> {
        const ROWS: u32 = 1 << 30;
        Some(Self {
            forest: Forest::new(ROWS)?,
            states: States::new(ROWS)?,
            exclusion: Exclusion::new(ROWS)?,
            cells: Cells::new(locations)?,
            races: Mutex::default(),
            edges: Mutex::default(),
            has_edges: AtomicBool::new(false),
            has_hand_offs: AtomicBool::new(false),
            tasks: Store::new(ROWS)?,
            finishes: Store::new(ROWS)?,
            gave_up: AtomicBool::new(false),
        })
    }

    /// Whether a table was full, so that not everything was checked.
    pub fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// The main task at its start.
    pub fn main_task(&self) -> Cursor {
        let (finish, joined_by) = (FinishId::MAIN, FinishId::MAIN);
        let hold = Hold::NOTHING;
        Cursor {
            task: TaskId::MAIN,
            scope: ROOT,
            finish,
            joined_by,
            strand: NO_STRAND,
            hold,
        }
    }

    /// `parent` creates a task, into the finish `into` or, without one, its own innermost finish.
    pub fn spawn(
        &self,
        parent: &mut Cursor,
        into: Option<&FinishScope>,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    ) -> Cursor {
        let finish = into.map_or(parent.finish, |scope| scope.id);
        let info = TaskInfo {
            parent: parent.task,
            site,
            finish,
            kind,
            name,
        };
        let task = TaskId::new(
            self.or_give_up(self.tasks.push(info))
                .map_or(0, |row| row + 1),
        );
        self.each_layer(|layer| layer.spawn(parent.task, task));
        let node = match into {
            Some(scope) if scope.id != parent.finish => self.spawn_scoped(parent, scope, task),
            _ => self.forest.push(parent.scope, NodeKind::Task, task),
        };
        parent.strand = NO_STRAND;
        let scope = self.or_give_up(node).unwrap_or(ROOT);
        Cursor {
            task,
            scope,
            finish,
            joined_by: finish,
            strand: NO_STRAND,
            hold: Hold::NOTHING,
        }
    }

    #[cold]
    fn spawn_scoped(
        &self,
        parent: &mut Cursor,
        into: &FinishScope,
        task: TaskId,
    ) -> Option<NodeIndex> {
        let spawner = self.close(parent);
        let node = self.forest.push_scoped(into.node, parent.scope, task)?;
        self.arrive(task, &[spawner]);
        Some(node)
    }

    /// The task stops running for a while. What it does next is a new strand: others may have run in
    /// between.
    pub fn suspend(&self, cursor: &mut Cursor) {
        cursor.strand = NO_STRAND;
    }

    /// The task is over.
    pub fn end(&self, cursor: Cursor) -> EndPoint {
        let Cursor {
            task,
            scope,
            joined_by,
            strand,
            ..
        } = cursor;
        self.each_layer(|layer| layer.end(task, joined_by));
        EndPoint {
            task,
            scope,
            strand,
        }
    }

    /// The task opens a finish.
    pub fn finish_begin(&self, cursor: &mut Cursor, kind: FinishKind, site: SiteId) -> FinishScope {
        let info = FinishInfo {
            owner: cursor.task,
            site,
            kind,
        };
        let row = self.or_give_up(self.finishes.push(info)).unwrap_or(0);
        let node = self
            .forest
            .push(cursor.scope, NodeKind::Finish, cursor.task);
        let node = self.or_give_up(node).unwrap_or(ROOT);
        let id = FinishId::new(row + 1);
        let (outer_scope, outer_finish) = (cursor.scope, cursor.finish);
        (cursor.scope, cursor.finish, cursor.strand) = (node, id, NO_STRAND);
        FinishScope {
            id,
            node,
            outer_scope,
            outer_finish,
        }
    }

    /// The task's innermost finish is over, and with it all its tasks.
    pub fn finish_end(&self, cursor: &mut Cursor, scope: FinishScope) {
        (cursor.scope, cursor.finish) = (scope.outer_scope, scope.outer_finish);
        cursor.strand = NO_STRAND;
        self.each_layer(|layer| layer.finish_end(scope.id, cursor.task, &self.forest));
    }

    /// The end of another task precedes what follows.
    pub fn join(&self, cursor: &mut Cursor, end: EndPoint) {
        let last = match end.strand {
            NO_STRAND => self.make_strand(end.scope, end.task),
            strand => strand,
        };
        self.wait(cursor, &[last]);
    }

    /// What the task did so far precedes whoever waits for the returned strand.
    pub fn signal(&self, cursor: &mut Cursor) -> u32 {
        self.close(cursor)
    }

    /// These signals precede what follows.
    pub fn wait(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.arrive(cursor.task, signals);
        cursor.strand = NO_STRAND;
    }

    /// The task takes a lock.
    pub fn acquire(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode) {
        // A strand holds the same locks throughout, so that what is known of it needs no lock set.
        cursor.strand = NO_STRAND;
        let hold = self.exclusion.acquire(cursor.hold, lock, mode);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
    }

    /// The task gives a lock back.
    pub fn release(&self, cursor: &mut Cursor, lock: LockId) {
        let strand = self.close(cursor);
        let hold = self.exclusion.release(cursor.hold, lock, strand);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
    }

    /// The task reads `len` locations from `start`; `site` is asked for only where it matters.
    #[inline(always)]
    pub fn read(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: impl Fn() -> u32,
    ) {
        self.access(AccessKind::Read, cache, cursor, start, len, site);
    }

    /// The task writes `len` locations from `start`.
    #[inline(always)]
    pub fn write(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
        site: impl Fn() -> u32,
    ) {
        self.access(AccessKind::Write, cache, cursor, start, len, site);
    }

    /// These locations are fresh: what was known of them is void.
    pub fn forget(&self, start: u64, len: u64) {
        for location in start..start.saturating_add(len) {
            match self.cells.get(location) {
                Some(cell) => cell.store(0, Ordering::Release),
                None => return,
            }
        }
    }

    /// The running strand, made now if need be.
    pub(crate) fn strand(&self, cursor: &mut Cursor) -> u32 {
        if cursor.strand == NO_STRAND {
            cursor.strand = self.make_strand(cursor.scope, cursor.task);
        }
        cursor.strand
    }

    fn close(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.strand(cursor);
        cursor.strand = NO_STRAND;
        strand
    }

    fn make_strand(&self, scope: NodeIndex, task: TaskId) -> u32 {
        let node = self.forest.push(scope, NodeKind::Strand, task);
        let strand = self.or_give_up(node).unwrap_or(NO_STRAND);
        self.each_layer(|layer| layer.enter(strand, task));
        strand
    }

    /// Whether `earlier` precedes the task's running strand.
    pub(crate) fn precedes(
        &self,
        cache: &mut ThreadCache,
        cursor: &mut Cursor,
        earlier: u32,
    ) -> bool {
        if self.forest.node(earlier).task == cursor.task {
            return true;
        }
        let now = self.strand(cursor);
        if let Some(answer) = cache.order(earlier, now) {
            return answer;
        }
        let answer = self.forest.precedes(earlier, now)
            || self.has_edges.load(Ordering::Acquire)
                && self.edges().real.reaches(earlier, now, &self.forest);
        cache.learn_order(earlier, now, answer);
        answer
    }

    /// Whether it does when hand-offs count as order.
    pub(crate) fn handed_over(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        self.has_hand_offs.load(Ordering::Acquire)
            && self
                .edges()
                .with_hand_offs
                .reaches(earlier, now, &self.forest)
    }

    /// Counts the closed strand `from` as handed over to what the task does next.
    pub(crate) fn hand_over(&self, cursor: &mut Cursor, from: u32) {
        self.has_hand_offs.store(true, Ordering::Release);
        self.edges()
            .with_hand_offs
            .arrive(cursor.task, vec![from], &self.forest);
        cursor.strand = NO_STRAND;
    }

    fn arrive(&self, task: TaskId, from: &[u32]) {
        self.has_edges.store(true, Ordering::Release);
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        edges.real.arrive(task, from.to_vec(), &self.forest);
        edges
            .with_hand_offs
            .arrive(task, from.to_vec(), &self.forest);
    }

    fn edges(&self) -> MutexGuard<'_, Edges> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells both layers of edges, unless there are none: a program without them pays one load.
    #[inline]
    fn each_layer(&self, mut tell: impl FnMut(&mut Layer)) {
        if self.has_hand_offs.load(Ordering::Acquire) {
            let mut edges = self.edges();
            tell(&mut edges.real);
            tell(&mut edges.with_hand_offs);
        }
    }

    pub(crate) fn or_give_up<T>(&self, row: Option<T>) -> Option<T> {
        if row.is_none() {
            self.gave_up.store(true, Ordering::Relaxed);
        }
        row
    }

    /// All spawned tasks and begun finishes. To be called when nothing runs any more.
    pub fn participants(&self) -> (Vec<TaskInfo>, Vec<FinishInfo>) {
        (self.tasks.rows().collect(), self.finishes.rows().collect())
    }
}
