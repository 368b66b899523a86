//! Data behind a lock that must not change between a look and the change that depends on it.
//!
//! Threads have no task operations that would end a region, so of two turns of a loop each would violate the other's
//! atomicity. Their units therefore have the narrower rule of Rust's `Mutex` ([`heddle_rt::Pairs::Updates`]): what counts
//! is a change, with the thread's last look before it, in two sections of one lock. Changes that stand for themselves
//! are what locks are for.
//!
//! # Looks and changes
//! In memory every change looks as well: `n -= 1` reads `n`, and a map reads its root before it grows. So what one
//! operation of the source does in one section is one access: a change if it writes, else a look. An operation is
//! known by the statement it belongs to (or the part of a condition between `&&`s and `||`s) in the program's own code,
//! not in the headers it was inlined from.
//!
//! A change that comes after a look need not depend on it ([`super::dependence`]). One that only overwrites what nobody
//! has looked at waits for the end of its section: another change of the section may be the one.
//!
//! A unit has a value of its own, somewhere else in memory, to which its looks and changes are told; what its members go
//! through is told as ever, for races. What is touched without a lock is a race and not told to the value.
//!
//! # Elements
//! A container's elements lie on the heap, where nobody declares them. A block that is allocated in a section that touches
//! a unit, and that a later section touches after the unit, belongs to it from then on; so does one that a member points at
//! when it is declared or when the section ends. So a change of an element is a change of the unit, and what is handed over through an element is handed over through the unit. What is allocated
//! there and used only elsewhere (a copy that is returned) does not.
//!
//! # Known miss
//! What a section touches again is not seen a second time: a look behind a change in the same section does not count.

use super::atomic::Part;
use super::dependence::{self, Dependence, Members};
use super::operation::{Operation, Operations};
use crate::access::GRANULE;
use crate::heap::{self, Life};
use crate::runtime::Runtime;
use crate::thread::{self, Thread};
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::TaskId;
use heddle_rt::{Pairs, Touch, VALUE};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Larger blocks are nobody's elements.
const LARGEST: usize = 1 << 20;

/// Members up to this size are looked through for pointers at the end of a section.
const LARGEST_OWNER: usize = 256;

/// A unit: its members, and what stands for its value.
#[derive(Debug)]
struct Unit {
    parts: Vec<Part>,
    value: Box<u64>,
}

impl Unit {
    fn granule(&self) -> u64 {
        (std::ptr::from_ref::<u64>(&self.value).addr() / GRANULE) as u64
    }
}

/// What a task does to a unit in the section it is in.
#[derive(Clone, Default, Debug)]
struct Running {
    /// The last operation, which may go on.
    operation: Option<Operation>,
    /// The members that were read so far.
    read: Members,
    has_changed: bool,
    /// It overwrote what was not looked at, and has not been told yet.
    overwriting: Option<Operation>,
}

/// Part of a unit.
#[derive(Clone, Copy, Debug)]
struct Member {
    end: usize,
    unit: usize,
    /// Its bit.
    own: Members,
    is_element: bool,
}

/// What has no bit of its own.
const OTHERS: Members = 1 << 63;

/// Members that one access may overwrite as a whole.
const SMALL: usize = 8;

/// A block that was allocated in a section that touches a unit.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: usize,
    /// None until the section has touched one.
    unit: Option<usize>,
}

#[derive(Default)]
struct Table {
    units: Vec<Unit>,
    /// By address.
    members: BTreeMap<usize, Member>,
    running: FxHashMap<(TaskId, usize), Running>,
    dependence: Dependence,
    /// By address: blocks that may turn out to be elements of units, of sections that are over.
    blocks: BTreeMap<usize, Block>,
    /// Those of the sections that tasks are in, with their addresses.
    new_blocks: FxHashMap<TaskId, Vec<(usize, Block)>>,
    operations: Operations,
}

/// What is counted by `Rc` in there stays there.
struct Shared(Table);

// SAFETY: only whoever has the lock uses it, and nothing that is counted leaves it.
unsafe impl Send for Shared {}

static TABLE: Mutex<Option<Box<Shared>>> = Mutex::new(None);
static ANY: AtomicBool = AtomicBool::new(false);

/// Only for threads that have entered the runtime.
fn table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(&mut table
        .get_or_insert_with(|| Box::new(Shared(Table::default())))
        .0)
}

/// Whether there is any such unit.
#[inline]
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// These parts are one unit from now on.
pub(super) fn declare(runtime: &Runtime, parts: &[Part]) {
    ANY.store(true, Ordering::Release);
    let unit = Unit {
        parts: parts.to_vec(),
        value: Box::default(),
    };
    runtime.engine.watch_value(unit.granule(), Pairs::Updates);
    for part in parts {
        watch(runtime, part.address..part.address.saturating_add(part.len));
    }
    table(|table| {
        let number = table.units.len();
        for (index, part) in parts.iter().enumerate() {
            let member = Member {
                end: part.address.saturating_add(part.len),
                unit: number,
                own: 1 << index.min(63),
                is_element: false,
            };
            table.members.insert(part.address, member);
            table.blocks.extend(pointed_at(part, number));
        }
        table.units.push(unit);
    });
}

/// The blocks that a member of a unit points at: elements that it has already.
fn pointed_at(part: &Part, unit: usize) -> impl Iterator<Item = (usize, Block)> {
    const WORD: usize = size_of::<usize>();
    let first = part.address.next_multiple_of(WORD);
    let end = part.address.saturating_add(part.len);
    let words = (first..end)
        .step_by(WORD)
        .filter(move |at| at + WORD <= end);
    words.filter_map(move |at| {
        // SAFETY: the program's own variable, which it declares or has touched in this section; aligned.
        let start = unsafe { (at as *const usize).read_volatile() };
        let block = heap::block(start).filter(|block| block.life == Life::Live)?;
        let is_element = block.start == start && block.size <= LARGEST;
        let end = start.saturating_add(block.size);
        let unit = Some(unit);
        is_element.then_some((start, Block { end, unit }))
    })
}

/// The members of the unit whose value this granule is.
pub(crate) fn members(granule: u64) -> Option<Vec<Part>> {
    any().then(|| {
        table(|table| {
            let unit = table.units.iter().find(|unit| unit.granule() == granule)?;
            Some(unit.parts.clone())
        })
    })?
}

/// The memory is given back: what is there is no member any more.
pub(crate) fn forget(address: usize, len: usize) {
    if any() {
        let end = address.saturating_add(len);
        table(|table| {
            let gone: Vec<usize> = table
                .members
                .range(address..end)
                .map(|(at, _)| *at)
                .collect();
            for at in gone {
                table.members.remove(&at);
            }
            while let Some((&at, _)) = table.blocks.range(address..end).next() {
                table.blocks.remove(&at);
            }
            for blocks in table.new_blocks.values_mut() {
                blocks.retain(|(at, _)| !(address..end).contains(at));
            }
        });
    }
}

/// The calling thread has allocated a block.
pub(crate) fn allocated(address: usize, len: usize) {
    if !any() || len > LARGEST {
        return;
    }
    thread::enter(|_, thread| {
        if thread.cursor.holds_nothing() {
            return;
        }
        let task = thread.cursor.task();
        table(|table| {
            let mut units = 0..table.units.len();
            let unit = units.find(|&unit| table.running.contains_key(&(task, unit)));
            let end = address.saturating_add(len);
            let blocks = table.new_blocks.entry(task).or_default();
            blocks.push((address, Block { end, unit }));
        });
    });
}

/// The thread's task is about to touch these bytes: if they are an element's, they belong to its unit from now on.
pub(crate) fn reaches(runtime: &Runtime, thread: &Thread, address: usize) {
    if thread.cursor.holds_nothing() {
        return;
    }
    let task = thread.cursor.task();
    let element = table(|table| {
        let (&start, &block) = table.blocks.range(..address + GRANULE).next_back()?;
        let unit = block.unit?;
        let is_reached = block.end > address && table.running.contains_key(&(task, unit));
        is_reached.then(|| table.add_element(start, block.end, unit))
    });
    if let Some(element) = element {
        watch(runtime, element);
    }
}

/// What is handed over through these bytes is handed over through a unit.
fn watch(runtime: &Runtime, bytes: Range<usize>) {
    crate::stack::touched(bytes.start);
    for granule in bytes.start / GRANULE..bytes.end.div_ceil(GRANULE) {
        runtime.engine.watch_member(granule as u64);
    }
}

/// The thread's task touches what begins at `address`, for the first time in its section.
pub(crate) fn touched(
    runtime: &Runtime,
    thread: &mut Thread,
    kind: AccessKind,
    address: usize,
    pc: usize,
) {
    if thread.cursor.holds_nothing() {
        return;
    }
    table(|table| {
        let before = table.members.range(..=address).next_back();
        let Some((&start, &member)) = before.filter(|(_, member)| member.end > address) else {
            return;
        };
        let key = (thread.cursor.task(), member.unit);
        let now = table.operations.at(kind, pc);
        let mut running = table.running.remove(&key).unwrap_or_else(|| {
            table.claim_blocks(key);
            Running::default()
        });
        let goes_on = |last: &Operation| last.place == now.place;
        let is_new = !running.operation.as_ref().is_some_and(goes_on);
        if is_new && running.ends_with_a_look() {
            table.tell_running(runtime, thread, key, &mut running);
        }
        match kind {
            Read => running.read |= member.own,
            Write => {
                let is_whole = !member.is_element && member.end - start <= SMALL;
                let seen = table.dependence.seen(key.0, key.1);
                let was_seen = seen.is_none_or(|seen| (seen | running.read) & member.own != 0);
                match is_whole && !was_seen && !running.has_changed {
                    true => running.overwriting = Some(now.clone()),
                    false => table.change(runtime, thread, key, &mut running, &now, pc),
                }
            }
        }
        // A further part of the same operation: what it reads makes no difference.
        if is_new || kind == Write {
            running.operation = Some(now);
        }
        table.running.insert(key, running);
    });
}

/// The thread is about to give a lock back: what it only looked at, it looked at.
pub(crate) fn section_ends(runtime: &Runtime, thread: &mut Thread) {
    if !any() {
        return;
    }
    let own = thread.cursor.task();
    let elements = table(|table| {
        let all = std::mem::take(&mut table.running);
        let (ended, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|((task, _), _)| *task == own);
        table.running.extend(others);
        for (key, mut running) in ended {
            table.tell_running(runtime, thread, key, &mut running);
        }
        table.end_blocks(own)
    });
    for element in elements {
        watch(runtime, element);
    }
}

/// What the task does from here on does not depend on what it has seen.
pub(super) fn cut(task: TaskId) {
    if any() {
        table(|table| table.dependence.cut(task));
    }
}

/// Whether a finding about the unit with this value, with these positions of a look and a change, is one.
pub(crate) fn is_finding(value: u64, look: u32, change: u32) -> bool {
    !any()
        || table(|table| {
            let is_unit = table.units.iter().any(|unit| unit.granule() == value);
            !is_unit || table.dependence.is_one(value, look, change)
        })
}

impl Running {
    fn ends_with_a_look(&self) -> bool {
        let last = self.operation.as_ref();
        last.is_some_and(|last| last.kind == Read)
    }
}

impl Table {
    /// Tells what a task does to a unit, as far as it has not been told: it overwrote something, or has looked.
    fn tell_running(
        &mut self,
        runtime: &Runtime,
        thread: &mut Thread,
        (task, unit): (TaskId, usize),
        running: &mut Running,
    ) {
        if let Some(overwriting) = running.overwriting.take() {
            self.tell(runtime, thread, unit, &overwriting);
            self.dependence.overwrote(task, unit);
            running.has_changed = true;
        }
        if let Some(look) = running.operation.take_if(|last| last.kind == Read) {
            self.tell(runtime, thread, unit, &look);
            self.dependence.looked(task, unit, look.site, running.read);
        }
    }

    fn change(
        &mut self,
        runtime: &Runtime,
        thread: &mut Thread,
        (task, unit): (TaskId, usize),
        running: &mut Running,
        now: &Operation,
        pc: usize,
    ) {
        running.overwriting = None;
        self.tell(runtime, thread, unit, now);
        if !running.has_changed {
            running.has_changed = true;
            let way = match self.dependence.wants_way(now.site) {
                true => self.operations.way(pc),
                false => dependence::UNKNOWN,
            };
            let value = self.units[unit].granule();
            self.dependence.changed(task, unit, value, now.site, way);
        }
    }

    fn tell(&self, runtime: &Runtime, thread: &mut Thread, unit: usize, operation: &Operation) {
        let touch = Touch {
            kind: operation.kind,
            granule: self.units[unit].granule(),
            mask: VALUE,
        };
        let Thread { cache, cursor, .. } = thread;
        cache.follow(cursor.strand());
        runtime.engine.begin_access(cache, cursor);
        runtime.engine.touch(cache, cursor, touch, operation.site);
    }

    fn add_element(&mut self, start: usize, end: usize, unit: usize) -> Range<usize> {
        self.blocks.remove(&start);
        let member = Member {
            end,
            unit,
            own: OTHERS,
            is_element: true,
        };
        self.members.insert(start, member);
        start..end
    }

    /// What the section has allocated so far may be elements of the first unit that it touches.
    fn claim_blocks(&mut self, (task, unit): (TaskId, usize)) {
        for (_, block) in self.new_blocks.get_mut(&task).into_iter().flatten() {
            block.unit.get_or_insert(unit);
        }
    }

    /// The task's section is over: what a member points at now is an element, and other blocks may turn out to be.
    fn end_blocks(&mut self, task: TaskId) -> Vec<Range<usize>> {
        let mut elements = Vec::new();
        for (start, block) in self.new_blocks.remove(&task).unwrap_or_default() {
            let Some(unit) = block.unit else { continue };
            match self.is_pointed_at(unit, start) {
                true => elements.push(self.add_element(start, block.end, unit)),
                false => drop(self.blocks.insert(start, block)),
            }
        }
        elements
    }

    fn is_pointed_at(&self, unit: usize, start: usize) -> bool {
        let parts = self.units[unit].parts.iter();
        let live = parts.filter(|part| self.members.contains_key(&part.address));
        let small = live.filter(|part| part.len <= LARGEST_OWNER);
        let mut pointed = small.flat_map(|part| pointed_at(part, unit));
        pointed.any(|(at, _)| at == start)
    }
}
