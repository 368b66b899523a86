//! Shared work: which of it could have been another member's.
//!
//! A static loop's iterations belong to their thread by rule. The chunks of every other loop, sections
//! and the body of a `single` go to whoever comes first, and are pieces. A team of one shares with nobody.
//!
//! A member that asks for the number of its thread does what another would not have done in its place (a slot
//! per thread, mostly): from then on it takes no pieces, and sees to it that another gets a chunk, too.
//!
//! Clang turns `sections` into a loop over their numbers and hands each thread a run of them at once. What
//! separates them is that each round reads the loop's upper bound, so that read is *watched*.
//!
//! # Known miss
//! An optimising compiler may read the bound once for several sections. Those are one piece.

use super::ompt::{Endpoint, Work};
use super::region::Region;
use super::task::{self, Role, Task};
use crate::access::site;
use crate::runtime::Runtime;
use crate::thread::Thread;
use heddle_core::{SiteId, TaskKind};
use heddle_rt::Outside;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a member waits, once per loop, for another to get a chunk: as long as a busy machine may take to let
/// that one run, unless it was in vain this often.
const PATIENCE: Duration = Duration::from_millis(50);
const LESS_PATIENCE: Duration = Duration::from_millis(2);
const IN_VAIN: u32 = 20;

static WAITED_IN_VAIN: AtomicU32 = AtomicU32::new(0);

/// The piece a member is at.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Where the member stood before; none while it is at none.
    outside: Option<Outside>,
    /// What further pieces are of.
    source: Option<(TaskKind, SiteId)>,
    /// How many chunks of its loop the member has got.
    taken: u32,
    /// Whether what it does may depend on the number of its thread.
    is_bound: bool,
}

/// Work begins or ends for the running task.
pub(super) fn work(
    runtime: &Runtime,
    thread: &mut Thread,
    work: Work,
    endpoint: Endpoint,
    pc: usize,
) {
    let task = task::running(runtime, thread);
    match endpoint {
        Endpoint::Begin => begin(runtime, thread, task, work, pc),
        Endpoint::End => end(runtime, thread, task, work),
    }
}

fn begin(runtime: &Runtime, thread: &mut Thread, task: &mut Task, work: Work, pc: usize) {
    let endless = std::mem::take(&mut thread.openmp.endless_single);
    let bound = std::mem::take(&mut thread.openmp.section_bound);
    let told = std::mem::take(&mut thread.openmp.loop_of_gcc);
    let site = match ([told, pc].into_iter().find(|&pc| pc != 0), &task.role) {
        (Some(pc), _) => site(pc),
        // Of gcc's combined constructs the runtime tells only the creator of the team where they are.
        (None, Role::Member { region, .. }) => region.site(),
        (None, _) => site(pc),
    };
    match work {
        Work::FixedLoop | Work::FreeLoop => {
            leave_piece(runtime, thread, task);
            (task.loops, task.piece.taken) = (task.loops + 1, 0);
            let free = work == Work::FreeLoop;
            let kind = match is_of_sections(site) {
                true => TaskKind::Section,
                false => TaskKind::Chunk,
            };
            task.piece.source = free.then_some((kind, site));
        }
        Work::Sections => {
            leave_piece(runtime, thread, task);
            task.piece.source = Some((TaskKind::Section, site));
            take_piece(runtime, thread, task);
            thread.openmp.watched = bound;
        }
        Work::Single if !endless => {
            leave_piece(runtime, thread, task);
            task.piece.source = Some((TaskKind::Single, site));
            take_piece(runtime, thread, task);
        }
        Work::Single | Work::Taskloop | Work::Other => {}
    }
}

fn end(runtime: &Runtime, thread: &mut Thread, task: &mut Task, work: Work) {
    match work {
        Work::FixedLoop | Work::FreeLoop | Work::Sections | Work::Single => {
            leave_piece(runtime, thread, task);
        }
        Work::Taskloop => task.taskloop = None,
        Work::Other => {}
    }
}

/// Places of the program that gcc's sections return to from the runtime; those beyond are taken for loops.
static SECTIONS: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

/// The code that returns to `pc` starts sections of gcc's.
pub(super) fn has_sections(pc: usize) {
    let (relaxed, free) = (Ordering::Relaxed, 0);
    let site = site(pc).raw();
    let mut places = SECTIONS.iter();
    places.any(|place| {
        let old = place.compare_exchange(free, site, relaxed, relaxed);
        old.is_ok() || old == Err(site)
    });
}

fn is_of_sections(site: SiteId) -> bool {
    let places = SECTIONS.iter().map(|place| place.load(Ordering::Relaxed));
    let mut places = places.take_while(|&place| place != 0);
    places.any(|place| place == site.raw())
}

/// The running task gets a chunk of its loop.
pub(super) fn chunk(runtime: &Runtime, thread: &mut Thread) {
    let task = task::running(runtime, thread);
    if !matches!(
        task.piece.source,
        Some((TaskKind::Chunk | TaskKind::Section, _))
    ) {
        return;
    }
    take_piece(runtime, thread, task);
    task.piece.taken += 1;
    if let Role::Member { region, .. } = &task.role {
        region.takes(task.loops, thread.number);
        if task.piece.is_bound && task.piece.taken == 2 && !region.is_alone() {
            wait_for_another(region, task.loops, thread.number);
        }
    }
}

/// Where work depends on who does it, a schedule in which one thread does all of it tells nothing.
fn wait_for_another(region: &Region, number: u32, thread: u32) {
    let patience = match WAITED_IN_VAIN.load(Ordering::Relaxed) {
        IN_VAIN.. => LESS_PATIENCE,
        _ => PATIENCE,
    };
    let start = Instant::now();
    while region.was_last_taken(number, thread) {
        if start.elapsed() >= patience {
            WAITED_IN_VAIN.fetch_add(1, Ordering::Relaxed);
            return;
        }
        std::thread::yield_now();
    }
}

/// The running task reads what separates sections.
pub(super) fn next_section(runtime: &Runtime, thread: &mut Thread) {
    let task = task::running(runtime, thread);
    if matches!(task.piece.source, Some((TaskKind::Section, _))) {
        take_piece(runtime, thread, task);
    }
}

/// The member goes on to another piece of the same work.
fn take_piece(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    put_piece_down(runtime, thread, task);
    let shares = matches!(&task.role, Role::Member { region, .. } if !region.is_alone());
    let source = task.piece.source.filter(|_| shares && !task.piece.is_bound);
    if let Some((kind, site)) = source {
        task.piece.outside = Some(runtime.engine.piece_begin(&mut thread.cursor, kind, site));
    }
}

fn put_piece_down(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    if let Some(outside) = task.piece.outside.take() {
        runtime.engine.piece_end(&mut thread.cursor, outside);
    }
}

/// The work the member is at, if any, is done. Cancellation and some compilers do not tell.
pub(super) fn leave_piece(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    put_piece_down(runtime, thread, task);
    (task.piece.source, thread.openmp.watched) = (None, 0);
}

/// The running member asks for the number of its thread: what it does from now on may depend on it, and
/// would be different on another.
pub(super) fn bind_to_thread(runtime: &Runtime, thread: &mut Thread) {
    let task = task::running(runtime, thread);
    if !std::mem::replace(&mut task.piece.is_bound, true) {
        put_piece_down(runtime, thread, task);
    }
}
