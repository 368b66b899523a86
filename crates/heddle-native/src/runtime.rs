//! The one checked run of this process: from the loading of the library to the process's end.

use crate::lock_places::Places;
use crate::report::options::Options;
use crate::thread;
use heddle_core::LockId;
use heddle_report::Grouping;
use heddle_rt::Engine;
use rustc_hash::FxHashMap;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Locations of a pair of source positions that are told apart; of the rest it is known which bytes they are.
const LOCATIONS: usize = 32;

/// Everything that belongs to the run.
#[derive(Debug)]
pub struct Runtime {
    /// Order, histories and races.
    pub engine: Engine,
    /// What the user asked for.
    pub options: Options,
    /// The program's locks.
    pub locks: Locks,
}

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(null_mut());

/// The run; none before it has started, or if nothing is checked.
#[inline]
pub fn runtime() -> Option<&'static Runtime> {
    // SAFETY: null or a leaked runtime.
    unsafe { RUNTIME.load(Ordering::Acquire).as_ref() }
}

/// Starts the run. Called by the loader.
extern "C" fn start() {
    if runtime().is_some() {
        return;
    }
    let options = Options::from_environment();
    crate::preserve::prepare();
    let Some(mut engine) = Engine::for_addresses() else {
        return refuse(&options);
    };
    engine.owned_by(crate::access::is_own);
    engine.sequenced_by(crate::report::sequence::is_below);
    engine.witnessed_by(crate::report::witness::witness);
    engine.order_sections();
    engine.analyse(options.analysis);
    // A suppression may cover some locations of a pair of positions and not others.
    if options.grouping == Grouping::Positions && options.suppressions.is_none() {
        engine.bound_race_locations(LOCATIONS);
    }
    if options.watches_all {
        engine.watch_all();
    }
    crate::report::destination::prepare(&options);
    crate::report::finish::program();
    crate::report::image::prepare();
    crate::report::paths::prepare();
    // What follows a recorded program in its process is not part of the recording.
    if let Some(path) = options.record.as_ref().filter(|_| !options.adds) {
        crate::report::recording::start(&mut engine, path);
    }
    let runtime = Box::leak(Box::new(Runtime {
        engine,
        options,
        locks: Locks::default(),
    }));
    RUNTIME.store(runtime, Ordering::Release);
    thread::attach(runtime.engine.main_task());
    crate::end::prepare();
}

/// The process whose program cannot be checked; 0 if there is none.
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// Whether the program runs unchecked, for want of address space, and this is the process that has said so. A child of its is
/// the program's own business, and so is its status.
pub(crate) fn is_refused() -> bool {
    REFUSED.load(Ordering::Acquire) == std::process::id()
}

/// Says so where the report would be; the status will say it, too.
fn refuse(options: &Options) {
    REFUSED.store(std::process::id(), Ordering::Release);
    crate::report::destination::tell(
        options,
        "heddle: NOT CHECKED: no address space for shadow memory (is there a limit? `ulimit -v`, `ulimit -d`)\n",
    );
    crate::end::prepare_unchecked();
}

#[used]
#[unsafe(link_section = ".init_array.00100")]
static START: extern "C" fn() = start;

/// What sort of lock it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LockKind {
    /// A mutex or spin lock of the threads library.
    Mutex,
    /// A readers-writer lock.
    ReadWrite,
    /// A lock of OpenMP's library.
    OpenMp,
    /// A named critical section.
    Critical,
    /// An ordered section.
    Ordered,
    /// Tasks that exclude each other on a variable.
    Dependence,
    /// The combination of partial results.
    Reduction,
    /// A thread, which executes one task at a time.
    Thread,
    /// A data block that a task has for itself.
    Block,
    /// One of the program's own, by annotation.
    Other,
}

/// Threads that exclude each other by a lock: all, but for the teams of a league, each of which is a
/// group of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ContentionGroup(u32);

impl ContentionGroup {
    /// What is outside all leagues.
    pub const MAIN: Self = Self(0);

    /// A team of a league.
    pub fn of_team(index: u32) -> Self {
        Self(index.saturating_add(1))
    }
}

/// A lock of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lock {
    /// Where it is.
    pub address: usize,
    /// What it is.
    pub kind: LockKind,
}

/// The program's locks, numbered as they are first taken.
#[derive(Debug, Default)]
pub struct Locks {
    table: Mutex<Table>,
    places: Places,
}

#[derive(Debug, Default)]
struct Table {
    ids: FxHashMap<(ContentionGroup, usize, LockKind), LockId>,
    locks: Vec<Lock>,
}

impl Locks {
    /// The number of the lock at `address`.
    pub fn id(&self, address: usize, kind: LockKind) -> LockId {
        self.id_in(ContentionGroup::MAIN, address, kind)
    }

    /// The number of the lock at `address` for the threads of one group.
    pub fn id_in(&self, group: ContentionGroup, address: usize, kind: LockKind) -> LockId {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let Table { ids, locks } = &mut *table;
        *ids.entry((group, address, kind)).or_insert_with(|| {
            locks.push(Lock { address, kind });
            let id = LockId::new(locks.len() as u32);
            self.places.add(address, id);
            id
        })
    }

    /// Where they are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What sort of lock this is.
    pub fn kind(&self, lock: LockId) -> Option<LockKind> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        Some(table.locks.get(lock.index().checked_sub(1)?)?.kind)
    }

    /// All of them; row `n` is lock `n + 1`.
    pub fn all(&self) -> Vec<Lock> {
        self.table
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .locks
            .clone()
    }
}
