//! Parallel regions: teams, their members, barriers.
//!
//! With one thread the runtime tells the same story, but for the barrier at the region's end.
//! A worker learns that a region is over only when the next begins, long after the region's creator has
//! gone on; so a member is at its end when it reaches the last barrier, and what follows is tidying.

use super::called;
use super::ompt::{Endpoint, Frame, Handle};
use super::sequence::Sequence;
use super::task::{self, Role, Task};
use crate::access::site;
use crate::report::unseen::REGIONS;
use crate::runtime::{ContentionGroup, Runtime};
use crate::stack::{MemberSpace, stack_of};
use crate::thread::Thread;
use heddle_core::SiteId;
use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A parallel region, or a league of teams.
#[derive(Debug)]
pub(super) struct Region {
    team: UnsafeCell<Option<heddle_rt::Team>>,
    site: SiteId,
    /// The group of its creator.
    group: ContentionGroup,
    /// Where the frames of the creator's share begin on its stack.
    base: usize,
    /// Tasks from this number on were made since the region began.
    first_task: u32,
    size: AtomicU32,
    /// The loop and thread that a chunk went to last.
    last_taken: AtomicU64,
    /// What happens in sequence across the team.
    pub(super) sequence: Sequence,
}

// SAFETY: the team is taken out once, by the creator, after every member has reached the last barrier.
unsafe impl Sync for Region {}

impl Region {
    fn team(&self) -> Option<&heddle_rt::Team> {
        // SAFETY: asked by members before they reach the last barrier, so it is not being taken out.
        unsafe { (*self.team.get()).as_ref() }
    }

    /// Where its construct is.
    pub(super) fn site(&self) -> SiteId {
        self.site
    }

    /// Whether the region has one member only.
    pub(super) fn is_alone(&self) -> bool {
        self.size.load(Ordering::Relaxed) <= 1
    }
}

impl Region {
    /// A thread gets a chunk of a loop.
    pub(super) fn takes(&self, number: u32, thread: u32) {
        let taker = taker(number, thread);
        if self.last_taken.load(Ordering::Relaxed) != taker {
            self.last_taken.store(taker, Ordering::Relaxed);
        }
    }

    /// Whether no other has got one since.
    pub(super) fn was_last_taken(&self, number: u32, thread: u32) -> bool {
        self.last_taken.load(Ordering::Relaxed) == taker(number, thread)
    }
}

fn taker(number: u32, thread: u32) -> u64 {
    u64::from(number) << 32 | u64::from(thread)
}

/// What a member is to its region, and which.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A thread of a team.
    Thread(u32),
    /// The first thread of a team, in a league.
    Team(u32),
}

impl Place {
    fn index(self) -> u32 {
        let (Self::Thread(index) | Self::Team(index)) = self;
        index
    }
}

/// The threads of the largest team so far.
static LARGEST: AtomicU32 = AtomicU32::new(0);

/// How many threads the largest team had; none if there was no team.
pub(crate) fn largest_team() -> Option<u32> {
    match LARGEST.load(Ordering::Relaxed) {
        0 => None,
        threads => Some(threads),
    }
}

/// A region begins.
pub(super) fn begin(
    runtime: &Runtime,
    thread: &mut Thread,
    frame: Option<&Frame>,
    region: Handle,
    pc: usize,
) {
    called::settle(runtime, thread);
    let group = task::running(runtime, thread).group;
    let site = site(pc);
    let team = runtime.engine.team_begin(&mut thread.cursor, site);
    let new = Arc::new(Region {
        team: UnsafeCell::new(Some(team)),
        site,
        group,
        base: frame.map_or(0, |frame| task::above(frame.enter)),
        first_task: runtime.engine.task_count(),
        size: AtomicU32::new(0),
        last_taken: AtomicU64::new(0),
        sequence: Sequence::default(),
    });
    region.set(NonNull::new(Arc::into_raw(new).cast_mut()));
    REGIONS.begin(thread.number);
}

/// A region ends, on the thread that began it.
pub(super) fn end(runtime: &Runtime, thread: &mut Thread, region: Handle) {
    // SAFETY: regions carry what `begin` put there.
    let Some(known) = (unsafe { region.get::<Region>() }) else {
        return;
    };
    region.set::<Region>(None);
    REGIONS.end(thread.number);
    // SAFETY: the reference that `begin` gave away.
    let known = unsafe { Arc::from_raw(known.as_ptr()) };
    // SAFETY: all members have reached the last barrier, and there is one creator.
    if let Some(team) = unsafe { (*known.team.get()).take() } {
        runtime.engine.team_end(&mut thread.cursor, team);
    }
    if known.base != 0 {
        thread.stack_starts(known.base);
    }
}

/// A member begins on the calling thread.
pub(super) fn member_begin(
    runtime: &Runtime,
    thread: &mut Thread,
    region: Handle,
    member: Handle,
    size: u32,
    place: Place,
) {
    // SAFETY: regions carry what `begin` put there, and a member begins before its region ends.
    let known = unsafe {
        region.get::<Region>().map(|known| {
            Arc::increment_strong_count(known.as_ptr());
            Arc::from_raw(known.as_ptr())
        })
    };
    match known {
        None => initial_begin(runtime, thread, member),
        Some(known) => {
            known.size.store(size, Ordering::Relaxed);
            LARGEST.fetch_max(size, Ordering::Relaxed);
            join(runtime, thread, known, member, place);
        }
    }
}

/// The task of a thread that the program started: it goes on where it is.
fn initial_begin(runtime: &Runtime, thread: &mut Thread, member: Handle) {
    member.set(Some(task::current(runtime, thread)));
}

fn join(runtime: &Runtime, thread: &mut Thread, region: Arc<Region>, member: Handle, place: Place) {
    let Some(cursor) = region
        .team()
        .map(|team| runtime.engine.member(team, region.site))
    else {
        return;
    };
    let outer = task::current(runtime, thread);
    let base = match place.index() {
        0 => region.base,
        _ => thread.stack.top(),
    };
    let group = match place {
        Place::Thread(_) => region.group,
        Place::Team(index) => ContentionGroup::of_team(index),
    };
    let outer_space = thread.stack.member();
    thread.stack.set_member(MemberSpace {
        base,
        first_task: region.first_task,
    });
    let role = Role::Member {
        region,
        outer,
        outer_space,
    };
    let record = task::new_record(thread, cursor, role);
    // SAFETY: just made.
    unsafe { &mut *record.as_ptr() }.group = group;
    member.set(Some(record));
    // Its thread is about to make many nodes, beside others that do.
    runtime.engine.number_in_blocks(&mut thread.cursor);
    task::turn_to(runtime, thread, record);
    thread.stack_starts(base);
}

/// A member, or the task of a thread's start, ends.
pub(super) fn member_end(runtime: &Runtime, thread: &mut Thread, member: Handle) {
    // SAFETY: tasks carry records.
    let Some(record) = (unsafe { member.get::<Task>() }) else {
        return;
    };
    member.set::<Task>(None);
    // SAFETY: the record of the task that ends here and is nobody else's.
    let task = unsafe { &mut *record.as_ptr() };
    let Role::Member {
        outer, outer_space, ..
    } = task.role
    else {
        return;
    };
    if thread.openmp.current == Some(record) {
        reach(runtime, thread, task);
        task::turn_to(runtime, thread, outer);
    }
    runtime.engine.member_end(&task.cursor);
    thread.stack.set_member(outer_space);
    task::free(thread, record);
}

/// A barrier begins or ends for the calling member.
pub(super) fn barrier(runtime: &Runtime, thread: &mut Thread, endpoint: Endpoint) {
    let task = task::running(runtime, thread);
    match endpoint {
        Endpoint::Begin => reach(runtime, thread, task),
        Endpoint::End => pass(runtime, thread, task),
    }
}

/// The calling member reaches the barrier at the region's end.
pub(super) fn last_barrier(runtime: &Runtime, thread: &mut Thread, endpoint: Endpoint) {
    if endpoint == Endpoint::Begin {
        barrier(runtime, thread, endpoint);
    }
}

/// May be said twice for the last barrier.
fn reach(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    super::work::leave_piece(runtime, thread, task);
    if !task.has_reached {
        task.has_reached = true;
        runtime.engine.reach(&mut thread.cursor);
    }
}

fn pass(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    let Role::Member { region, .. } = &task.role else {
        return;
    };
    if let Some(team) = region.team() {
        runtime.engine.pass(team, &mut thread.cursor);
    }
    region.sequence.pass(task.loops);
    task.has_reached = false;
    task.dependences.clear();
}

/// See [`super::is_own_memory`].
pub(super) fn is_private(address: usize) -> bool {
    if let Some(stack) = stack_of(address) {
        return address < stack.member().base;
    }
    let here = std::ptr::from_ref(&address) as usize;
    let Some(stack) = stack_of(here) else {
        return false;
    };
    let first = stack.member().first_task;
    crate::heap::block(address).is_some_and(|block| block.origin.task.raw() >= first)
}
