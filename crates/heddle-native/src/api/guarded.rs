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
//! known by its position in the program's own code, not in the headers it was inlined from.
//!
//! A unit has a value of its own, somewhere else in memory, to which its looks and changes are told; what its members go
//! through is told as ever, for races. What is touched without a lock is a race and not told to the value.
//!
//! # Elements
//! A container's elements lie on the heap, where nobody declares them. A block that is allocated in a section that has touched
//! a unit, and that a later section touches after the unit, belongs to it from then on; so does one that a member points at
//! when it is declared. So a change of an element is a change of the unit, and what is handed over through an element is handed over through the unit. What is allocated
//! there and used only elsewhere (a copy that is returned) does not.
//!
//! # Known miss
//! What a section touches again is not seen a second time: a look behind a change in the same section does not count.

use super::atomic::Part;
use crate::access::{GRANULE, site};
use crate::heap::{self, Life};
use crate::report::calls;
use crate::report::modules::modules;
use crate::report::symbols::{At, Symbols};
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
#[derive(Clone, PartialEq, Eq, Debug)]
struct Operation {
    place: Option<At>,
    kind: AccessKind,
    site: u32,
}

/// A block that was allocated in a section that had touched a unit.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: usize,
    unit: usize,
}

#[derive(Default)]
struct Table {
    units: Vec<Unit>,
    /// By address: where a member ends, and the unit it belongs to.
    members: BTreeMap<usize, (usize, usize)>,
    /// Looks that may turn out to be part of a change, and changes.
    running: FxHashMap<(TaskId, usize), Operation>,
    /// By address: blocks that may turn out to be elements of units, of sections that are over.
    blocks: BTreeMap<usize, Block>,
    /// Those of the sections that tasks are in, with their addresses.
    new_blocks: FxHashMap<TaskId, Vec<(usize, Block)>>,
    places: FxHashMap<usize, Option<At>>,
    symbols: Option<Symbols<'static>>,
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
        for part in parts {
            let end = part.address.saturating_add(part.len);
            table.members.insert(part.address, (end, number));
            table.blocks.extend(pointed_at(part, number));
        }
        table.units.push(unit);
    });
}

/// The blocks that a member of a unit points at when it is declared: elements that it has already.
fn pointed_at(part: &Part, unit: usize) -> impl Iterator<Item = (usize, Block)> {
    const WORD: usize = size_of::<usize>();
    let first = part.address.next_multiple_of(WORD);
    let end = part.address.saturating_add(part.len);
    let words = (first..end)
        .step_by(WORD)
        .filter(move |at| at + WORD <= end);
    words.filter_map(move |at| {
        // SAFETY: the program's own variable, which it has just declared; aligned.
        let start = unsafe { (at as *const usize).read_volatile() };
        let block = heap::block(start).filter(|block| block.life == Life::Live)?;
        let is_element = block.start == start && block.size <= LARGEST;
        let end = start.saturating_add(block.size);
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
            let touched =
                (0..table.units.len()).find(|&unit| table.running.contains_key(&(task, unit)));
            if let Some(unit) = touched {
                let end = address.saturating_add(len);
                let blocks = table.new_blocks.entry(task).or_default();
                blocks.push((address, Block { end, unit }));
            }
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
        let is_reached = block.end > address && table.running.contains_key(&(task, block.unit));
        is_reached.then(|| {
            table.blocks.remove(&start);
            table.members.insert(start, (block.end, block.unit));
            start..block.end
        })
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

/// The thread's task touches these bytes, for the first time in its section.
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
        let before = table.members.range(..address + GRANULE).next_back();
        let Some((_, &(end, unit))) = before.filter(|(_, (end, _))| *end > address) else {
            return;
        };
        debug_assert!(end > address);
        let key = (thread.cursor.task(), unit);
        let now = Operation {
            place: table.place(pc),
            kind,
            site: site(pc).raw(),
        };
        let before = table.running.get(&key).cloned();
        match before {
            // A further part of the same operation: what it reads makes no difference.
            Some(before) if before.place == now.place && kind == Read => return,
            Some(look) if look.kind == Read && look.place != now.place => {
                table.tell(runtime, thread, unit, &look);
            }
            _ => {}
        }
        if kind == Write {
            table.tell(runtime, thread, unit, &now);
        }
        table.running.insert(key, now);
    });
}

/// The thread is about to give a lock back: what it only looked at, it looked at.
pub(crate) fn section_ends(runtime: &Runtime, thread: &mut Thread) {
    if !any() {
        return;
    }
    let own = thread.cursor.task();
    table(|table| {
        let all = std::mem::take(&mut table.running);
        let (ended, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|((task, _), _)| *task == own);
        table.running.extend(others);
        for ((_, unit), operation) in ended {
            if operation.kind == Read {
                table.tell(runtime, thread, unit, &operation);
            }
        }
        if let Some(blocks) = table.new_blocks.remove(&own) {
            table.blocks.extend(blocks);
        }
    });
}

impl Table {
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

    /// Where in the program's own code this is.
    fn place(&mut self, pc: usize) -> Option<At> {
        if let Some(known) = self.places.get(&pc) {
            if known.is_some() {
                return known.clone();
            }
        } else {
            let own = self.own_place(pc);
            self.places.insert(pc, own.clone());
            if own.is_some() {
                return own;
            }
        }
        let calls = calls::calls();
        let below = calls.iter().position(|&call| call == pc)?;
        let callers = calls[below + 1..].to_vec();
        callers.into_iter().find_map(|call| self.own_place(call))
    }

    fn own_place(&mut self, pc: usize) -> Option<At> {
        let symbols = self.symbols.get_or_insert_with(|| Symbols::new(modules()));
        let spots = symbols.call(pc).into_iter();
        let mut own = spots.filter(|spot| !spot.is_of_system());
        own.find_map(|spot| spot.at)
    }
}
