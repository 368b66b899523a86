//! OpenMP: what its runtime tells of regions, tasks, waits and work, in the engine's terms.
//!
//! LLVM's runtime calls a *tool* back for almost everything (the OMPT interface); what it leaves out is
//! seen at the entry points that compiled code calls. Both are turned into what holds for every
//! schedule, not what happened:
//!
//! 1. A parallel region is a team, each implicit task a member, each barrier the start of a phase.
//! 2. An explicit task is a child of its creator, whether the runtime deferred it or not. Undeferred
//!    *by meaning* are `if(0)`, children of `final` tasks, and tasks outside all regions, whose team is one
//!    thread in every schedule; in a region of one thread the runtime says it of all. An `if(0)` task is a
//!    call of its creator's until it needs a place of its own ([`called`]).
//! 3. Dependences are computed here, in the sequence of creation; which of them the runtime had to wait
//!    for is timing.
//! 4. Chunks that go to whoever is free, sections and `single` bodies are pieces: any member of the
//!    team could have had them.
//! 5. A reduction combines under a lock of its own. The runtime is told to use no cleverer method, so
//!    that the verdict does not depend on the number of threads.
//!
//! # Invariants
//! The word a task of the runtime carries for us points to its [`Task`] record, from creation to end.
//! A record is touched by the thread that creates or executes the task, and by the one that fulfils its
//! event, which the runtime keeps apart. `Thread::cursor` is the position of [`Local::current`], or of who called
//! it; that of a task that does not run is in its record.

mod called;
mod depend;
mod entry;
mod gomp;
mod lock;
mod memory;
mod ompt;
mod reduction;
mod region;
mod sequence;
mod start;
mod task;
mod work;

use crate::runtime::runtime;
use crate::thread::Thread;
pub(crate) use region::largest_team;
use std::ops::Range;
use std::ptr::NonNull;
use task::Task;

/// What a thread remembers of OpenMP.
#[derive(Debug, Default)]
pub struct Local {
    /// The task it executes.
    current: Option<NonNull<Task>>,
    /// Where the frames of the caller end, if the entry point called says that the next task is
    /// undeferred; 0 if not.
    undeferred: usize,
    /// The entry point called is one that never tells the end of a `single`.
    endless_single: bool,
    /// Where gcc's code has called the runtime for a `taskloop` that it is about to make; 0 if nowhere.
    taskloop_of_gcc: usize,
    /// Likewise for a loop or sections.
    loop_of_gcc: usize,
    /// Likewise for a task.
    task_of_gcc: usize,
    /// The variable that stands for the critical section about to be entered; 0 if there is none.
    critical: usize,
    /// Where the entry point called keeps the last of the sections it shares out; 0 if it shares none.
    section_bound: usize,
    /// Reading this starts another section; 0 for nothing.
    watched: usize,
    /// The runtime combines the results of tasks.
    combines: bool,
    /// The next task group is the runtime's own, for these reductions.
    hidden_group: Option<Vec<reduction::Item>>,
    /// Whether it is a thread of the runtime.
    is_worker: bool,
    /// The runtime's record of the task that it is about to create, while nobody else can know of it; else nothing.
    pub(crate) new_record: Range<usize>,
    /// Records for new tasks.
    #[allow(
        clippy::vec_box,
        reason = "a record stays where it is while its task lives"
    )]
    spare: Vec<Box<Task>>,
}

impl Local {
    /// Whether an access at `address` means more than an access.
    #[inline]
    pub(crate) fn watches(&self, address: usize) -> bool {
        self.watched == address && address != 0
    }
}

/// The calling thread accesses what it watches.
#[cold]
pub(crate) fn watched(thread: &mut Thread) {
    if let Some(runtime) = runtime() {
        work::next_section(runtime, thread);
    }
}

/// The block with `address` that the program has from OpenMP's own allocators.
pub(crate) fn block(address: usize) -> Option<crate::heap::Block> {
    memory::block(address)
}

/// Whether the memory at `address` is private to a member of a team: on the stack of the thread that
/// executes it, below the frames of the region's creator, or allocated since the region began.
///
/// Asked when two accesses were made by one member that might have been two. What one member lends to
/// another counts as private, too; then they have a race of their own.
pub(crate) fn is_own_memory(address: usize) -> bool {
    region::is_private(address)
}
