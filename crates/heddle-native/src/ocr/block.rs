//! Data blocks: memory that a task may access from its start, or from their creation on, until it releases
//! them.
//!
//! Blocks never move, so a location (block, offset) is an address. Whether the running task may access a block is
//! looked at where an access goes into the library: every strand's first access to a location does, apart from
//! one in a loop that has just done the same to another block.
//!
//! A destroyed block goes when the last task that has it gives it back; so an access never comes too late, but an
//! acquisition may: it is a read of a word in front of the block that `ocrDbDestroy` writes.
//!
//! A task that asks for exclusive writing is the only one that may write to the block, says the specification (1.2,
//! on the modes of data blocks, with an example): it excludes others of its kind and those with read-write access, which do not
//! exclude each other. So the block has a lock of readers and writers, in programs that use this mode: those without pay
//! nothing. `heddle cc` tells by the source; where it cannot, tasks with read-write access take the lock from the first
//! dependence on that is added for exclusive writing.

use super::Local;
use super::actor::{Actor, Source};
use super::arena::{self, HEADER, LIFE};
use super::guid::{Guid, Object};
use super::misuse::Rule;
use super::schedule::Job;
use super::world::{Grave, World, world};
use crate::runtime::LockKind;
use crate::thread::Thread;
use crate::{access, heap, section};
use heddle_core::SiteId;
use heddle_rt::LockMode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program's source names the mode of exclusive writing.
static IS_EXPECTED: AtomicBool = AtomicBool::new(false);

/// The program will ask for exclusive writing. Its initialisation calls this (`heddle-exclusive.h`).
#[unsafe(no_mangle)]
extern "C" fn heddle_ocr_expect_exclusion() {
    IS_EXPECTED.store(true, Ordering::Relaxed);
}

/// Read and write.
pub(super) const READ_WRITE: u32 = 2;
/// Exclusive write.
pub(super) const EXCLUSIVE: u32 = 4;
/// The creator does not want the block itself.
pub(super) const NOT_ACQUIRED: u16 = 0x10;

/// A data block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) start: usize,
    pub(super) size: usize,
    /// Where it was created.
    pub(super) site: SiteId,
    /// How many tasks have it.
    pub(super) holders: u32,
    /// Whether a task has it for exclusive writing.
    pub(super) is_exclusive: bool,
    /// How many tasks with read-write access keep others from that.
    pub(super) writers: u32,
    /// Tasks that could run but for that.
    pub(super) waiting: Vec<Job>,
}

/// A block that the running task may access, or could.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) guid: Guid,
    pub(super) how: How,
    /// Whether it holds the block's lock, alone or with others.
    is_locked: bool,
    /// Where it was released or destroyed, if it was.
    released: Option<SiteId>,
}

/// How a block came to a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum How {
    /// Alone: it holds the block's lock.
    Exclusive,
    /// With others that write: it shares the block's lock with them, if it has one.
    Write,
    /// With all others.
    Read,
}

impl How {
    /// By the mode of a dependence.
    pub(super) fn new(mode: u32) -> Self {
        match mode {
            EXCLUSIVE => Self::Exclusive,
            READ_WRITE => Self::Write,
            _ => Self::Read,
        }
    }

    fn lock_mode(self) -> Option<LockMode> {
        match self {
            Self::Exclusive => Some(LockMode::Exclusive),
            Self::Write => Some(LockMode::Shared),
            Self::Read => None,
        }
    }
}

impl Held {
    pub(super) fn new(guid: Guid, start: usize, size: usize, how: How) -> Self {
        Self {
            start: start - LIFE,
            end: start + size,
            guid,
            how,
            is_locked: false,
            released: None,
        }
    }
}

/// The task gets these blocks; the same one twice is once.
pub(super) fn hold(held: &mut Vec<Held>) {
    held.sort_by_key(|held| (held.start, held.how));
    held.dedup_by_key(|held| held.start);
}

impl Local {
    /// What is known of the block at `address`.
    #[inline(always)]
    fn held_at(&self, address: usize) -> Option<&Held> {
        let after = self.held.partition_point(|held| held.start <= address);
        let held = &self.held[after.checked_sub(1)?];
        (address < held.end).then_some(held)
    }

    /// Whether the task may access a block.
    pub(super) fn holds(&self, guid: Guid) -> bool {
        let mut held = self.held.iter();
        held.any(|held| held.guid == guid && held.released.is_none())
    }

    /// The task may access a block from now on.
    pub(super) fn add_held(&mut self, held: Held) {
        let at = self.held.partition_point(|other| other.start < held.start);
        match self.held.get_mut(at) {
            Some(other) if other.start == held.start => *other = held,
            _ => self.held.insert(at, held),
        }
    }
}

/// Whether the running task may access the data block at `address`.
#[inline(always)]
pub(crate) fn may_touch(local: &Local, address: usize) -> bool {
    // Code outside of tasks gets pointers by other means.
    local.edt.is_null() || matches!(local.held_at(address), Some(held) if held.released.is_none())
}

/// An access to a data block that is new to its strand: may the task make it?
#[inline(never)]
pub(crate) fn touched(thread: &Thread, address: usize, pc: usize) {
    let local = &thread.ocr;
    if may_touch(local, address) {
        return;
    }
    match local.held_at(address).and_then(|held| held.released) {
        Some(site) => tell(thread, address, pc, Rule::AfterRelease, Some(site)),
        None => tell(thread, address, pc, Rule::NotAcquired, None),
    }
}

#[cold]
fn tell(thread: &Thread, address: usize, pc: usize, rule: Rule, released: Option<SiteId>) {
    let mut world = world();
    let below = world.blocks.range(..=address).next_back();
    let guid = below.map_or(Guid::NULL, |(_, guid)| *guid);
    let is_in = |start: usize, size: usize| (start..start + size).contains(&address);
    let is_gone = |world: &World| {
        let mut graves = world.graves.values();
        graves.any(|grave| is_in(grave.start, grave.size))
    };
    let (rule, note) = match (world.objects.get(guid), released) {
        (_, Some(site)) => (rule, Some(("released or destroyed here", site))),
        (Some(Object::Block(block)), None) if is_in(block.start, block.size) => {
            (rule, Some(("the block is created here", block.site)))
        }
        _ if is_gone(&world) => (Rule::BlockGone { what: "accessed" }, None),
        (Some(Object::Block(block)), None) => {
            let size = block.size;
            let note = ("the nearest block is created here", block.site);
            (Rule::Outside { size }, Some(note))
        }
        _ => (Rule::BlockGone { what: "accessed" }, None),
    };
    let (site, task) = (access::site(pc), thread.cursor.task());
    world.book.add(rule, site, task, note);
}

impl World {
    /// A block is created; the running task may access it unless it said otherwise.
    pub(super) fn create_block(
        &mut self,
        thread_number: u32,
        actor: &mut Actor,
        size: usize,
        flags: u16,
    ) -> Option<(Guid, usize, Option<Held>)> {
        let start = arena::allocate(size)?;
        access::forget(start - LIFE, size + LIFE);
        let origin = heap::Origin {
            site: actor.site,
            task: actor.cursor.task(),
            thread: thread_number,
        };
        heap::adopt(start - HEADER, size + HEADER, origin);
        let block = Block {
            start,
            size,
            site: actor.site,
            holders: 0,
            is_exclusive: false,
            writers: 0,
            waiting: Vec::new(),
        };
        let guid = self.objects.add(Object::Block(Box::new(block)));
        self.blocks.insert(start, guid);
        let held = (flags & NOT_ACQUIRED == 0).then(|| Held::new(guid, start, size, How::Write));
        Some((guid, start, held))
    }
}

/// The running task gives a block back, before its end.
pub(super) fn release(thread: &mut Thread, world: &mut World, guid: Guid, site: SiteId) -> bool {
    let guid = world.objects.resolve(guid);
    let own = thread.ocr.held.iter().position(|held| held.guid == guid);
    let Some(at) = own.filter(|&at| thread.ocr.held[at].released.is_none()) else {
        return false;
    };
    // What is known of the running strand's accesses must not hide the next ones.
    thread.engine.suspend(&mut thread.cursor);
    let held = thread.ocr.held[at];
    thread.ocr.held[at].released = Some(site);
    unlock(thread, world, &held);
    world.let_go(&held);
    true
}

/// A block that keeps the task from running, if one does; else it has its blocks' locks in the world.
pub(super) fn busy(world: &mut World, held: &[Held]) -> Option<Guid> {
    if !world.has_exclusion() {
        return None;
    }
    let keeps = |held: &&Held| match (world.objects.block(held.guid), held.how) {
        (Some(block), How::Exclusive) => block.is_exclusive || block.writers > 0,
        (Some(block), How::Write) => block.is_exclusive,
        _ => false,
    };
    let busy = held.iter().find(keeps).map(|held| held.guid);
    if busy.is_none() {
        held.iter().for_each(|held| world.count_in(held));
    }
    busy
}

/// The running task takes the locks of these blocks, which it has in the world.
pub(super) fn lock_all<'a>(
    thread: &mut Thread,
    world: &World,
    held: impl Iterator<Item = &'a mut Held>,
) {
    let Some(runtime) = crate::runtime::runtime().filter(|_| world.has_exclusion()) else {
        return;
    };
    for held in held {
        if let Some(mode) = held.how.lock_mode() {
            let lock = runtime.locks.id(held.start + LIFE, LockKind::Block);
            runtime.engine.acquire(&mut thread.cursor, lock, mode);
            held.is_locked = true;
        }
    }
}

/// The running task has created a block.
pub(super) fn created(thread: &mut Thread, world: &mut World, mut held: Held) {
    world.take_hold(held.guid);
    if world.has_exclusion() {
        world.count_in(&held);
        lock_all(thread, world, std::iter::once(&mut held));
    }
    thread.ocr.add_held(held);
}

/// A dependence of this mode is added. If it is the first for exclusive writing, the running task has the locks of its
/// blocks from now on.
pub(super) fn asked(thread: &mut Thread, mode: u32) {
    let mut world = world();
    if mode != EXCLUSIVE || world.has_exclusion() {
        return;
    }
    world.asks_for_exclusion = true;
    let mut held = std::mem::take(&mut thread.ocr.held);
    let own = |held: &&mut Held| held.released.is_none();
    held.iter_mut()
        .filter(own)
        .for_each(|held| world.count_in(held));
    lock_all(thread, &world, held.iter_mut().filter(own));
    thread.ocr.held = held;
}

/// The running task gives all blocks back that it still has.
pub(super) fn release_all(thread: &mut Thread, world: &mut World) {
    let held = std::mem::take(&mut thread.ocr.held);
    for held in held.iter().filter(|held| held.released.is_none()) {
        unlock(thread, world, held);
        world.let_go(held);
    }
}

fn unlock(thread: &mut Thread, world: &mut World, held: &Held) {
    if !held.is_locked {
        return;
    }
    if let Some(runtime) = crate::runtime::runtime() {
        let lock = runtime.locks.id(held.start + LIFE, LockKind::Block);
        section::give_back(runtime, thread, lock);
    }
    if let Some(block) = world.objects.block(held.guid) {
        match held.how {
            How::Exclusive => block.is_exclusive = false,
            How::Write => block.writers = block.writers.saturating_sub(1),
            How::Read => {}
        }
        for job in std::mem::take(&mut block.waiting) {
            super::schedule::push(job);
        }
    }
}

/// The block is destroyed; it goes when nobody has it any more.
pub(super) fn destroy(world: &mut World, guid: Guid, source: Source) {
    let guid = world.objects.resolve(guid);
    let Some(Object::Block(block)) = world.objects.remove(guid) else {
        return;
    };
    world.blocks.remove(&block.start);
    let grave = Grave {
        start: block.start,
        size: block.size,
        holders: block.holders,
        is_buried: false,
        source,
    };
    let grave = world.graves.entry(guid).or_insert(grave);
    for job in block.waiting {
        super::schedule::push(job);
    }
    if grave.holders == 0 {
        bury(grave);
    }
}

/// The memory of a destroyed block can be used again, once: a task that comes too late may have it and give it back
/// after that.
fn bury(grave: &mut Grave) {
    if !std::mem::replace(&mut grave.is_buried, true) {
        heap::disown(grave.start - HEADER);
        // What accesses behind the block left there is none of the next block's.
        let (start, len) = arena::slack(grave.start, grave.size);
        access::forget(start, len);
        arena::give_back(grave.start, grave.size);
    }
}

impl World {
    /// Whether blocks have locks.
    pub(super) fn has_exclusion(&self) -> bool {
        self.asks_for_exclusion || IS_EXPECTED.load(Ordering::Relaxed)
    }

    /// A task has the block's lock.
    fn count_in(&mut self, held: &Held) {
        if let Some(block) = self.objects.block(held.guid) {
            match held.how {
                How::Exclusive => block.is_exclusive = true,
                How::Write => block.writers += 1,
                How::Read => {}
            }
        }
    }

    /// A task has the block.
    pub(super) fn take_hold(&mut self, guid: Guid) {
        if let Some(block) = self.objects.block(guid) {
            block.holders += 1;
        } else if let Some(grave) = self.graves.get_mut(&guid) {
            grave.holders += 1;
        }
    }

    /// It does not have it any more.
    fn let_go(&mut self, held: &Held) {
        if let Some(block) = self.objects.block(held.guid) {
            block.holders = block.holders.saturating_sub(1);
        } else if let Some(grave) = self.graves.get_mut(&held.guid)
            && grave.holders > 0
        {
            grave.holders -= 1;
            if grave.holders == 0 {
                bury(grave);
            }
        }
    }

    /// The actor uses a block that was destroyed. Where that need not have come first, the two race, and the
    /// report says so if the block is accessed.
    pub(super) fn uses_block(&mut self, actor: &mut Actor, guid: Guid, what: &'static str) {
        let guid = self.objects.resolve(guid);
        if let Some(grave) = self.graves.get(&guid)
            && actor
                .runtime
                .engine
                .follows(actor.cursor, grave.source.strand)
        {
            self.misused(actor, Rule::BlockGone { what }, None);
        }
    }
}
