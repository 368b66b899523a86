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

use crate::atomicity::{Atomicity, NO_REGION};
use crate::cache::ThreadCache;
use crate::exclusion::{Exclusion, Hold, LockMode};
use crate::forest::Forest;
use crate::frames::{Frames, OUTSIDE};
use crate::overtaken::{Looks, Overtakings};
use crate::races::Races;
use crate::record::Recorder;
use crate::sections::Sections;
use crate::shadow::Shadow;
use crate::states::{ROWS, States};
use crate::store::Store;
use crate::sync::{AtomicBool, AtomicU32, Mutex, MutexGuard, Ordering, PoisonError};
use crate::velodrome::{Course, Velodrome};
use heddle_core::deadlock::LockOrder;
use heddle_core::order::layer::Layer;
use heddle_core::order::tree::{Departures, Node, NodeIndex, NodeKind, Nodes, ROOT};
use heddle_core::{
    AccessKind, FinishId, FinishInfo, FinishKind, LockId, NameId, SiteId, TaskId, TaskInfo,
    TaskKind,
};

/// Granules that a front end numbers itself.
const NUMBERED: u64 = 1 << 38;

/// Words of eight bytes in the 47 bits of address space that a process has.
const ADDRESSED: u64 = 1 << 44;

/// No strand yet.
pub(crate) const NO_STRAND: u32 = 0;

/// Where a task stands.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(crate) task: TaskId,
    /// The node whose children its next nodes are.
    pub(crate) scope: NodeIndex,
    /// The finish that tasks it spawns belong to.
    pub(crate) finish: FinishId,
    /// What joins it: the finish it was spawned into, or its creator's wait.
    pub(crate) joined_by: FinishId,
    /// The finish that joins it if nothing else does.
    pub(crate) outlived_by: FinishId,
    /// The wait that its children belong to; 0 before it has any.
    pub(crate) wait: NodeIndex,
    /// Waits that pieces of its team's work left behind, with children that were not waited for.
    pub(crate) left_waits: Vec<NodeIndex>,
    /// Where the piece it executes began; waits above are none of its business.
    pub(crate) floor: NodeIndex,
    /// Its share of a team's work.
    pub(crate) frame: u32,
    /// How many barriers it has passed, if it is the member of a team.
    pub(crate) phase: u32,
    /// The running strand, or none if it has touched nothing since its last operation.
    pub(crate) strand: u32,
    /// Which edges beside those of the tree can leave it.
    pub(crate) departures: Departures,
    /// Whether some of its descendants were not joined when it waited for its children.
    pub(crate) leaks: bool,
    pub(crate) hold: Hold,
    /// The locks it holds, as far as it is known where they were taken.
    pub(crate) taken: Vec<heddle_core::deadlock::Held>,
    /// The region it is in, if it has touched something watched in it.
    pub(crate) region: u32,
    /// How many atomic blocks it is in.
    pub(crate) blocks: u32,
    /// Where it stands in the observed order.
    pub(crate) course: Course,
    /// The origin of the task it created last, or its own.
    pub(crate) origin: u32,
    /// Reads in the sections it is in that a later section may overtake.
    pub(crate) looks: Looks,
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

    /// Whether the task holds no lock.
    pub fn holds_nothing(&self) -> bool {
        self.hold == Hold::NOTHING
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
    pub(crate) node: NodeIndex,
    /// Where the owner stood before.
    outer_scope: NodeIndex,
    outer_finish: FinishId,
    outer_wait: NodeIndex,
}

/// The end of a task, to be joined.
#[derive(Clone, Copy, Debug)]
pub struct EndPoint {
    task: TaskId,
    scope: NodeIndex,
    strand: u32,
    departures: Departures,
}

/// Extra edges.
#[derive(Debug, Default)]
struct Edges {
    /// What the program's meaning orders.
    real: Layer,
    /// That, and hand-offs, once there are any.
    with_hand_offs: Option<Layer>,
    /// The same without hand-offs through what is watched, once something is.
    beside_units: Option<Layer>,
}

impl Edges {
    /// Real ones and hand-offs.
    fn all(&mut self) -> &mut Layer {
        self.with_hand_offs.as_mut().unwrap_or(&mut self.real)
    }

    fn each(&mut self, mut tell: impl FnMut(&mut Layer)) {
        tell(&mut self.real);
        self.with_hand_offs.iter_mut().for_each(&mut tell);
        self.beside_units.iter_mut().for_each(tell);
    }
}

/// Through what something is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Through {
    /// Anything.
    Location,
    /// A granule that counts as anything unless it is found torn.
    Granule(u64),
    /// What must not be torn: that its sections can be swapped is the defect to be found.
    Unit,
}

/// The tree, with pieces of a team's work taken for parallel to what their member did beside them.
struct Structure<'a>(&'a Engine);

impl Nodes for Structure<'_> {
    fn node(&self, index: NodeIndex) -> Node {
        self.0.forest.node(index)
    }

    fn count(&self) -> NodeIndex {
        self.0.forest.count()
    }

    fn anchor(&self, scoped: NodeIndex) -> NodeIndex {
        self.0.forest.anchor(scoped)
    }

    fn precedes(&self, a: NodeIndex, b: NodeIndex) -> bool {
        self.0.forest.precedes(a, b) && !self.0.separated(a, b)
    }

    fn is_plain(&self) -> bool {
        !self.0.has_pieces.load(Ordering::Acquire)
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Engine {
    pub(crate) forest: Forest,
    pub(crate) states: States,
    pub(crate) exclusion: Exclusion,
    pub(crate) sections: Sections,
    pub(crate) overtakings: Overtakings,
    pub(crate) shadow: Shadow,
    pub(crate) frames: Frames,
    pub(crate) races: Mutex<Races>,
    /// Changes when the races found so far are forgotten.
    pub(crate) generation: AtomicU32,
    pub(crate) atomicity: Atomicity,
    pub(crate) reports_races: bool,
    edges: Mutex<Edges>,
    has_edges: AtomicBool,
    has_hand_offs: AtomicBool,
    pub(crate) tasks: Store<TaskRow>,
    origins: Store<Origin>,
    finishes: Store<FinishInfo>,
    /// Whether every parallel access of a location is kept: the tree alone does not say who can stand for whom.
    keeps_all: AtomicBool,
    /// Whether an access was dropped for others that were then ordered by more than the tree.
    lost: AtomicBool,
    pub(crate) has_pieces: AtomicBool,
    /// Whether strands or tasks are known by name: something may wait for them.
    pub(crate) has_names: AtomicBool,
    #[cfg(not(feature = "shuttle"))]
    pub(crate) reclaimed: Mutex<crate::reclaim::Reclaimed>,
    /// Nodes there were when unused ones were last looked for.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) counted: AtomicU32,
    excluded: AtomicBool,
    pub(crate) owned: fn(u64) -> bool,
    pub(crate) witness: fn(u64, [u32; 2]),
    gave_up: AtomicBool,
    pub(crate) lock_order: Mutex<LockOrder>,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) velodrome: Option<Box<Velodrome>>,
    #[cfg(feature = "study")]
    pub(crate) study: crate::study::Study,
}

/// A task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskRow {
    pub(crate) parent: TaskId,
    site: SiteId,
    /// Row of its [`Origin`].
    origin: u32,
}

/// What many tasks have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Origin {
    finish: FinishId,
    kind: TaskKind,
    name: Option<NameId>,
    /// Their share of a team's work.
    frame: u32,
}

impl FinishScope {
    /// The main task's implicit finish. It never ends.
    pub const MAIN: Self = Self {
        id: FinishId::MAIN,
        node: ROOT,
        outer_scope: ROOT,
        outer_finish: FinishId::MAIN,
        outer_wait: ROOT,
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
    /// An engine for granules that are numbered from 0, as many as there are; none if the address space
    /// for its tables cannot be had.
    pub fn new() -> Option<Self> {
        Self::with_room(NUMBERED)
    }

    /// An engine whose granules are the words of the address space.
    pub fn for_addresses() -> Option<Self> {
        Self::with_room(ADDRESSED)
    }

    fn with_room(granules: u64) -> Option<Self> {
        Some(Self {
            forest: Forest::new(ROWS)?,
            states: States::new()?,
            exclusion: Exclusion::new(ROWS)?,
            sections: Sections::default(),
            overtakings: Overtakings::default(),
            shadow: Shadow::new(granules)?,
            frames: Frames::new(ROWS)?,
            races: Mutex::default(),
            generation: AtomicU32::new(0),
            atomicity: Atomicity::new()?,
            reports_races: true,
            edges: Mutex::default(),
            has_edges: AtomicBool::new(false),
            has_hand_offs: AtomicBool::new(false),
            tasks: Store::new(ROWS)?,
            origins: Self::origins()?,
            finishes: Store::new(ROWS)?,
            keeps_all: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            has_pieces: AtomicBool::new(false),
            has_names: AtomicBool::new(false),
            #[cfg(not(feature = "shuttle"))]
            reclaimed: Mutex::default(),
            #[cfg(not(feature = "shuttle"))]
            counted: AtomicU32::new(0),
            excluded: AtomicBool::new(false),
            owned: |_| false,
            witness: |_, _| (),
            gave_up: AtomicBool::new(false),
            lock_order: Mutex::default(),
            recorder: None,
            velodrome: None,
            #[cfg(feature = "study")]
            study: crate::study::Study::new(),
        })
    }

    fn origins() -> Option<Store<Origin>> {
        let origins = Store::new(ROWS)?;
        // Row 0 is the main task's.
        origins.push(Origin {
            finish: FinishId::MAIN,
            kind: TaskKind::Async,
            name: None,
            frame: OUTSIDE,
        })?;
        Some(origins)
    }

    /// Keeps every parallel access of a location from now on.
    pub(crate) fn keep_all(&self) {
        if !self.keeps_all.load(Ordering::Relaxed) {
            self.keeps_all.store(true, Ordering::Relaxed);
        }
    }

    /// Whether every parallel access of a location is kept.
    #[inline]
    pub(crate) fn keeps_all(&self) -> bool {
        self.keeps_all.load(Ordering::Relaxed)
    }

    /// How to tell whether a granule belongs to the calling thread alone, whatever thread a piece of
    /// its team's work runs on: its own stack and the like.
    pub fn owned_by(&mut self, owned: fn(u64) -> bool) {
        self.owned = owned;
    }

    /// What to call when a pair of sites, the earlier access's first, races on a location for the first
    /// time. It runs on the thread and below the frames of the later access.
    pub fn witnessed_by(&mut self, witness: fn(u64, [u32; 2])) {
        self.witness = witness;
    }

    /// Tells at most so many locations of a pair of sites apart; of all it is known which bytes they are.
    pub fn bound_race_locations(&mut self, bound: usize) {
        self.races = Mutex::new(Races::bounded(Some(bound)));
    }

    /// One more than the number of the latest task.
    pub fn task_count(&self) -> u32 {
        self.tasks.len() + 1
    }

    /// Whether tasks excluded each other: by locks, isolated sections or atomic accesses.
    pub fn used_exclusion(&self) -> bool {
        self.excluded.load(Ordering::Relaxed)
    }

    /// Whether an access was dropped because others stood for it, and those were then ordered before a
    /// conflicting access by more than the tree: a race with the dropped one may have been missed.
    pub fn lost_an_access(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    #[cold]
    pub(crate) fn loses_an_access(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    pub(crate) fn excludes(&self) {
        if !self.excluded.load(Ordering::Relaxed) {
            self.excluded.store(true, Ordering::Relaxed);
        }
    }

    /// Something may wait for a strand or a task by its name.
    fn names(&self) {
        if !self.has_names.load(Ordering::Relaxed) {
            self.has_names.store(true, Ordering::Release);
        }
    }

    /// Whether a table was full, so that not everything was checked.
    pub fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// Shadow memory, for [`ThreadCache::has_made`].
    #[cfg(not(feature = "shuttle"))]
    pub fn view(&self) -> crate::View {
        self.shadow.view()
    }

    /// Strands made from now on have this number or a higher one.
    pub fn clock(&self) -> u32 {
        self.forest.count()
    }

    /// The races found so far are another process's.
    pub fn forget_races(&self) {
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        *races = Races::bounded(races.bound());
        drop(races);
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The main task at its start.
    pub fn main_task(&self) -> Cursor {
        Cursor {
            task: TaskId::MAIN,
            scope: ROOT,
            finish: FinishId::MAIN,
            joined_by: FinishId::MAIN,
            outlived_by: FinishId::MAIN,
            wait: ROOT,
            left_waits: Vec::new(),
            floor: ROOT,
            frame: OUTSIDE,
            phase: 0,
            strand: NO_STRAND,
            departures: Departures::None,
            leaks: false,
            hold: Hold::NOTHING,
            taken: Vec::new(),
            region: NO_REGION,
            blocks: 0,
            course: Course::default(),
            origin: 0,
            looks: Looks::default(),
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
        let task = self.new_task(parent, finish, kind, site, name);
        self.each_layer(|layer| layer.spawn(parent.task, task));
        let node = match into {
            Some(scope) if scope.id != parent.finish || parent.is_waited_for() => {
                self.spawn_scoped(parent, scope, task)
            }
            _ => self.forest.push(parent.scope, NodeKind::Task, task),
        };
        self.operate(parent);
        self.record(|book| {
            book.spawn(parent.task, task, finish, kind, site);
        });
        let mut child = self.start(parent.frame, task, node, finish, finish);
        self.branch(parent, &mut child);
        child
    }

    pub(crate) fn new_task(
        &self,
        parent: &mut Cursor,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    ) -> TaskId {
        let info = TaskInfo {
            parent: parent.task,
            site,
            finish,
            kind,
            name,
        };
        let frame = parent.frame;
        self.add_task(info, frame, &mut parent.origin)
    }

    /// `likely` is the row of an origin that may be the new task's; it is when this returns.
    pub(crate) fn add_task(&self, info: TaskInfo, frame: u32, likely: &mut u32) -> TaskId {
        let TaskInfo { parent, site, .. } = info;
        if departures_of(info.kind) == Departures::Edges {
            self.names();
        }
        let origin = Origin {
            finish: info.finish,
            kind: info.kind,
            name: info.name,
            frame,
        };
        if self.origins.get(*likely) != origin {
            *likely = self.or_give_up(self.origins.push(origin)).unwrap_or(0);
        }
        let row = self.or_give_up(self.tasks.push(TaskRow {
            parent,
            site,
            origin: *likely,
        }));
        TaskId::new(row.map_or(0, |row| row + 1))
    }

    /// The share of a team's work that `task` belongs to.
    pub(crate) fn frame_of(&self, task: TaskId) -> u32 {
        self.origins.get(self.origin_of(task)).frame
    }

    fn origin_of(&self, task: TaskId) -> u32 {
        let row = task.raw().checked_sub(1);
        row.map_or(0, |row| self.tasks.get(row).origin)
    }

    fn info(&self, row: TaskRow) -> TaskInfo {
        let Origin {
            finish, kind, name, ..
        } = self.origins.get(row.origin);
        TaskInfo {
            parent: row.parent,
            site: row.site,
            finish,
            kind,
            name,
        }
    }

    /// A task at its start.
    pub(crate) fn start(
        &self,
        frame: u32,
        task: TaskId,
        node: Option<NodeIndex>,
        finish: FinishId,
        joined_by: FinishId,
    ) -> Cursor {
        let origin = self.origin_of(task);
        Cursor {
            task,
            scope: self.or_give_up(node).unwrap_or(ROOT),
            finish,
            joined_by,
            outlived_by: finish,
            wait: ROOT,
            left_waits: Vec::new(),
            floor: ROOT,
            frame,
            phase: 0,
            strand: NO_STRAND,
            departures: departures_of(self.origins.get(origin).kind),
            leaks: false,
            hold: Hold::NOTHING,
            taken: Vec::new(),
            region: NO_REGION,
            blocks: 0,
            course: Course::default(),
            origin,
            looks: Looks::default(),
        }
    }

    #[cold]
    fn spawn_scoped(
        &self,
        parent: &mut Cursor,
        into: &FinishScope,
        task: TaskId,
    ) -> Option<NodeIndex> {
        // Where a scoped task stands in the tree does not say what its spawner did before.
        self.keep_all();
        let spawner = self.close(parent);
        let node = self.forest.push_scoped(into.node, parent.scope, task)?;
        self.arrive(task, &[spawner]);
        Some(node)
    }

    /// The task stops running for a while. What it does next is a new strand: others may have run in
    /// between.
    pub fn suspend(&self, cursor: &mut Cursor) {
        cursor.end_strand();
    }

    /// The task is over.
    pub fn end(&self, mut cursor: Cursor) -> EndPoint {
        cursor.blocks = 0;
        self.end_region(&mut cursor);
        self.conclude(&cursor);
        let Cursor {
            task,
            scope,
            joined_by,
            outlived_by,
            strand,
            departures,
            ..
        } = cursor;
        self.leak(&cursor);
        self.forest.leave_task(scope);
        for &wait in &cursor.left_waits {
            self.forest.leave(wait);
        }
        self.each_layer(|layer| layer.end(task, joined_by));
        if outlived_by != joined_by {
            self.each_layer(|layer| layer.end(task, outlived_by));
        }
        self.record(|book| book.end(task));
        EndPoint {
            task,
            scope,
            strand,
            departures,
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
        let (outer_scope, outer_finish, outer_wait) = (cursor.scope, cursor.finish, cursor.wait);
        (cursor.scope, cursor.finish, cursor.wait) = (node, id, ROOT);
        self.operate(cursor);
        self.record(|book| book.finish_begin(cursor.task, id, kind, site));
        FinishScope {
            id,
            node,
            outer_scope,
            outer_finish,
            outer_wait,
        }
    }

    /// A finish that no task stands in yet, below `outer`.
    pub(crate) fn open_finish(&self, outer: &FinishScope, info: FinishInfo) -> FinishScope {
        let row = self.or_give_up(self.finishes.push(info)).unwrap_or(0);
        let node = self.forest.push(outer.node, NodeKind::Finish, info.owner);
        let id = FinishId::new(row + 1);
        self.record(|book| book.finish_begin(info.owner, id, info.kind, info.site));
        FinishScope {
            id,
            node: self.or_give_up(node).unwrap_or(ROOT),
            outer_scope: outer.node,
            outer_finish: outer.id,
            outer_wait: ROOT,
        }
    }

    /// The task's innermost finish is over, and with it all its tasks.
    pub fn finish_end(&self, cursor: &mut Cursor, scope: FinishScope) {
        self.forest.leave(scope.node);
        (cursor.scope, cursor.finish) = (scope.outer_scope, scope.outer_finish);
        cursor.wait = scope.outer_wait;
        self.operate(cursor);
        self.gone_past(cursor, scope.id);
        self.each_layer(|layer| layer.finish_end(scope.id, cursor.task, &self.forest));
        self.record(|book| book.finish_end(cursor.task, scope.id));
    }

    /// The end of another task precedes what follows.
    pub fn join(&self, cursor: &mut Cursor, end: EndPoint) {
        let last = match end.strand {
            NO_STRAND => self.make_strand(end.scope, end.task, end.departures),
            strand => strand,
        };
        self.record(|book| book.join(cursor.task, end.task));
        self.wait_for(cursor, &[last]);
        self.joined(cursor, end.task);
    }

    /// What the task did so far precedes whoever waits for the returned strand.
    pub fn signal(&self, cursor: &mut Cursor) -> u32 {
        self.end_region(cursor);
        let strand = self.signal_in_region(cursor);
        cursor.departures = Departures::Edges;
        strand
    }

    /// Extra edges may leave the task, at its end at the latest: others will wait for it by name.
    pub fn expect_departures(&self, cursor: &mut Cursor) {
        self.names();
        cursor.departures = Departures::Edges;
        cursor.end_strand();
    }

    fn signal_in_region(&self, cursor: &mut Cursor) -> u32 {
        self.names();
        let strand = self.close(cursor);
        self.record(|book| book.signal(cursor.task, strand));
        self.signalled(cursor, strand);
        strand
    }

    /// As [`signal`](Self::signal), if it may be for [`hand_over`](Self::hand_over). Does not end a region.
    pub fn offer(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.signal_in_region(cursor);
        self.record(|book| book.offer(cursor.task, strand));
        cursor.departures = cursor.departures.max(Departures::HandOffs);
        strand
    }

    /// These signals precede what follows.
    pub fn wait(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.record(|book| book.wait(cursor.task, signals));
        self.wait_for(cursor, signals);
        self.saw(cursor, signals);
    }

    /// These strands precede what follows.
    pub(crate) fn wait_for(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.end_region(cursor);
        self.follow(cursor, signals);
    }

    /// The same, without the end of a region.
    pub(crate) fn follow(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.arrive(cursor.task, signals);
        cursor.end_strand();
    }

    /// The task takes a lock.
    pub fn acquire(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode) {
        self.excludes();
        cursor.enter_section();
        self.follow_sections(cursor, lock, mode);
        // A strand holds the same locks throughout, so that what is known of it needs no lock set.
        cursor.end_strand();
        self.record(|book| book.acquire(cursor.task, lock, mode));
        let first = self.first_of_section(cursor);
        let hold = self.exclusion.acquire(cursor.hold, (lock, mode), first);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
        self.took(cursor, lock, mode);
    }

    /// The task takes a lock that hands nothing over: what it does under it does not depend on who had
    /// it before.
    pub fn exclude(&self, cursor: &mut Cursor, lock: LockId) {
        self.excludes();
        cursor.end_strand();
        self.record(|book| book.acquire(cursor.task, lock, LockMode::Exclusive));
        let hold = self.exclusion.exclude(cursor.hold, lock);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
        self.took(cursor, lock, LockMode::Exclusive);
    }

    /// Whether the task holds a lock.
    pub fn holds(&self, cursor: &Cursor, lock: LockId) -> bool {
        self.exclusion.locks(cursor.hold).contains(&lock)
    }

    /// The task gives a lock back.
    pub fn release(&self, cursor: &mut Cursor, lock: LockId) {
        let strand = self.close(cursor);
        self.leave_section(cursor, lock, strand);
        self.record(|book| book.release(cursor.task, lock));
        self.gave_back(cursor, lock);
        if let Some(at) = cursor.taken.iter().rposition(|held| held.lock == lock) {
            cursor.taken.remove(at);
        }
        let hold = self.exclusion.release(cursor.hold, lock, strand);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
        self.go_on_after_look(cursor);
        cursor.departures = cursor.departures.max(Departures::HandOffs);
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
        self.sweep(AccessKind::Read, cache, cursor, start, len, site);
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
        self.sweep(AccessKind::Write, cache, cursor, start, len, site);
    }

    /// These locations are fresh: what was known of them is void.
    pub fn forget(&self, start: u64, len: u64) {
        let book = self.open_book();
        #[cfg(feature = "study")]
        self.study_end_of(start, len);
        self.shadow.clear(start, len);
        self.forget_members(start, len);
        self.forget_order(start, len);
        if let Some(mut book) = book {
            book.forget(start, len);
        }
    }

    /// The running strand, made now if need be.
    pub(crate) fn strand(&self, cursor: &mut Cursor) -> u32 {
        if cursor.strand == NO_STRAND {
            cursor.strand = self.make_strand(cursor.scope, cursor.task, cursor.departures);
        }
        cursor.strand
    }

    /// The same, where there are no edges beside those of the tree.
    #[inline]
    pub(crate) fn strand_outside_layers(&self, cursor: &mut Cursor) -> u32 {
        if cursor.strand == NO_STRAND {
            let Cursor {
                scope,
                task,
                departures,
                ..
            } = *cursor;
            let node = self.forest.push_strand(scope, task, departures);
            cursor.strand = self.or_give_up(node).unwrap_or(NO_STRAND);
        }
        cursor.strand
    }

    fn close(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.strand(cursor);
        cursor.end_strand();
        strand
    }

    pub(crate) fn make_strand(
        &self,
        scope: NodeIndex,
        task: TaskId,
        departures: Departures,
    ) -> u32 {
        let node = self.forest.push_strand(scope, task, departures);
        let strand = self.or_give_up(node).unwrap_or(NO_STRAND);
        self.each_layer(|layer| layer.enter(strand, task));
        strand
    }

    /// Whether the strand `earlier` precedes the task's running strand in every schedule.
    pub fn precedes(&self, cache: &mut ThreadCache, cursor: &mut Cursor, earlier: u32) -> bool {
        // A strand is made only if it must be.
        if cursor.strand == NO_STRAND && self.forest.node(earlier).task == cursor.task {
            return true;
        }
        let now = self.strand(cursor);
        #[cfg(feature = "study")]
        self.study.asked(earlier, now);
        if let Some(answer) = cache.order(earlier, now) {
            return answer;
        }
        let is_own = self.forest.node(earlier).task == cursor.task;
        if cache.is_hurried {
            let answer = is_own || self.is_ordered_by_tree(earlier, now);
            if answer {
                cache.learn_order(earlier, now, answer);
            }
            return answer;
        }
        let answer = is_own || self.is_ordered(earlier, now);
        #[cfg(feature = "study")]
        if !self.study.is_cached {
            return answer;
        }
        cache.learn_order(earlier, now, answer);
        answer
    }

    /// Whether strand `a` precedes strand `b` in every schedule.
    pub(crate) fn is_ordered(&self, a: u32, b: u32) -> bool {
        Structure(self).precedes(a, b)
            || self.has_edges.load(Ordering::Acquire)
                && self.edges().real.reaches(a, b, &Structure(self))
    }

    /// Whether the tree puts `strand` before all that a task does which has just been spawned.
    pub fn starts_after(&self, newborn: &Cursor, strand: u32) -> bool {
        newborn.scope != ROOT && Structure(self).precedes(strand, newborn.scope)
    }

    /// Whether `strand` precedes what the task does now, in every schedule.
    pub fn follows(&self, cursor: &mut Cursor, strand: u32) -> bool {
        let now = self.strand(cursor);
        self.is_ordered(strand, now)
    }

    /// Whether the tree alone orders them so, and would whatever stood beside `a` in its task.
    pub(crate) fn is_ordered_by_tree(&self, a: u32, b: u32) -> bool {
        Structure(self).precedes(a, b)
    }

    /// Whether it did in this run, on one member of a team, and only the sharing out of the team's
    /// work may be different in another schedule.
    pub(crate) fn ran_before(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        self.has_pieces.load(Ordering::Acquire)
            && self.separated(earlier, now)
            && self.forest.precedes(earlier, now)
    }

    fn separated(&self, a: u32, b: u32) -> bool {
        self.has_pieces.load(Ordering::Acquire) && self.separation(a, b).is_some()
    }

    /// The depth of what the team does between two barriers, if both strands are the same member's
    /// there and in different pieces.
    fn separation(&self, a: u32, b: u32) -> Option<u32> {
        let frame = |strand| self.frame_of(self.forest.node(strand).task);
        let phase = self.frames.separated(frame(a), frame(b))?.phase_depth;
        (self.forest.common_depth(a, b) > phase).then_some(phase)
    }

    /// Depth of the lowest node around two parallel strands, in the tree in which each piece of a
    /// team's work is a task of its own.
    pub(crate) fn common_depth(&self, a: u32, b: u32) -> u32 {
        let pieces = self.has_pieces.load(Ordering::Acquire);
        let apart = pieces.then(|| self.separation(a, b)).flatten();
        apart.unwrap_or_else(|| self.forest.common_depth(a, b))
    }

    /// Whether it does when hand-offs count as order.
    pub(crate) fn handed_over(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        self.has_hand_offs.load(Ordering::Acquire)
            && self.edges().all().reaches(earlier, now, &Structure(self))
    }

    /// The same, where hand-offs through what is watched do not count.
    pub(crate) fn handed_over_beside_units(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        if !self.has_hand_offs.load(Ordering::Acquire) {
            return false;
        }
        let mut edges = self.edges();
        let layer = match edges.beside_units.is_some() {
            true => edges.beside_units.get_or_insert_default(),
            false => edges.all(),
        };
        layer.reaches(earlier, now, &Structure(self))
    }

    /// The same between two strands that are over, where hand-offs through these granules do not count either.
    pub(crate) fn handed_over_beside(
        &self,
        earlier: u32,
        later: u32,
        torn: impl Fn(u64) -> bool,
    ) -> bool {
        let edges = self.edges();
        let layer = edges.beside_units.as_ref();
        layer.is_some_and(|layer| {
            layer.reaches_if(earlier, later, &Structure(self), |granule| !torn(granule))
        })
    }

    /// From now on something is watched.
    pub(crate) fn part_hand_offs(&self) {
        let mut edges = self.edges();
        if edges.beside_units.is_none() {
            edges.beside_units = Some(edges.all().clone());
        }
    }

    /// Counts the closed strand `from` as handed over to what the task does next.
    pub fn hand_over(&self, cursor: &mut Cursor, from: u32) {
        self.record(|book| book.hand_over(cursor.task, from));
        self.receive_from(cursor, from, Through::Location);
        self.saw(cursor, &[from]);
    }

    /// The same, where what is handed over is a value of this granule's. If it is declared atomic, that the
    /// hand-off could go the other way is the very defect, and it does not excuse one.
    pub fn hand_over_through(&self, cursor: &mut Cursor, from: u32, granule: u64) {
        self.record(|book| book.hand_over(cursor.task, from));
        let through = match self.is_unit(granule) {
            true => Through::Unit,
            false => Through::Location,
        };
        self.receive_from(cursor, from, through);
    }

    /// The same, for what the histories themselves say.
    pub(crate) fn receive_from(&self, cursor: &mut Cursor, from: u32, through: Through) {
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        let Edges {
            real,
            with_hand_offs,
            beside_units,
        } = &mut *edges;
        let layer = with_hand_offs.get_or_insert_with(|| real.clone());
        layer.arrive(cursor.task, &[from], &self.forest);
        match (beside_units, through) {
            (None, _) | (_, Through::Unit) => {}
            (Some(layer), Through::Location) => {
                layer.arrive(cursor.task, &[from], &self.forest);
            }
            (Some(layer), Through::Granule(granule)) => {
                layer.arrive_through(cursor.task, &[from], granule, &self.forest);
            }
        }
        drop(edges);
        cursor.strand = NO_STRAND;
    }

    pub(crate) fn arrive(&self, task: TaskId, from: &[u32]) {
        self.has_edges.store(true, Ordering::Release);
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        edges.each(|layer| layer.arrive(task, from, &self.forest));
    }

    fn edges(&self) -> MutexGuard<'_, Edges> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are edges beside those of the tree.
    #[inline]
    pub(crate) fn has_layers(&self) -> bool {
        self.has_hand_offs.load(Ordering::Acquire)
    }

    /// Tells all layers of edges, unless there are none: a program without them pays one load.
    #[inline]
    pub(crate) fn each_layer(&self, tell: impl FnMut(&mut Layer)) {
        if self.has_hand_offs.load(Ordering::Acquire) {
            self.edges().each(tell);
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
        let tasks = self.tasks.rows().map(|row| self.info(row)).collect();
        (tasks, self.finishes.rows().collect())
    }
}

/// Which edges can leave a task of this kind from its start on.
fn departures_of(kind: TaskKind) -> Departures {
    match kind {
        TaskKind::Future | TaskKind::Dependent | TaskKind::Post | TaskKind::Thread => {
            Departures::Edges
        }
        _ => Departures::None,
    }
}
