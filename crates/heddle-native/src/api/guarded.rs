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
//! # Known miss
//! What a section touches again is not seen a second time: a look behind a change in the same section does not count.

use super::atomic::Part;
use crate::access::{GRANULE, site};
use crate::report::calls;
use crate::report::modules::modules;
use crate::report::symbols::{At, Symbols};
use crate::runtime::Runtime;
use crate::thread::Thread;
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::TaskId;
use heddle_rt::{Pairs, Touch, VALUE};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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

#[derive(Default)]
struct Table {
    units: Vec<Unit>,
    /// By address: where a member ends, and the unit it belongs to.
    members: BTreeMap<usize, (usize, usize)>,
    /// Looks that may turn out to be part of a change, and changes.
    running: FxHashMap<(TaskId, usize), Operation>,
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
        let end = part.address.saturating_add(part.len).div_ceil(GRANULE);
        for granule in part.address / GRANULE..end {
            runtime.engine.watch_member(granule as u64);
        }
    }
    table(|table| {
        let number = table.units.len();
        for part in parts {
            let end = part.address.saturating_add(part.len);
            table.members.insert(part.address, (end, number));
        }
        table.units.push(unit);
    });
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
        });
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
    });
}

impl Table {
    fn tell(&self, runtime: &Runtime, thread: &mut Thread, unit: usize, operation: &Operation) {
        let touch = Touch {
            kind: operation.kind,
            granule: self.units[unit].granule(),
            mask: VALUE,
            since: 0,
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
