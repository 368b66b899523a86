//! Updates in critical sections whose value goes nowhere but back to where it came from (`left -= 1;`).
//!
//! `heddle cc` tells them from other read-modify-writes. Nothing follows from what such an update reads, so it receives
//! nothing from the sections before it: a race beside two sections that only count is certain. But what it writes is
//! made of what all before it wrote: whoever reads the value after it (`while (left) ...`) comes after all of them, and
//! not only after the last. So for each granule that is updated in this way, the section is kept in which it was last
//! written otherwise, and those that have updated it since; a read receives from all of them. If these are very many and
//! parallel, one of them receives from all others, and stands for all.

use crate::access::GRANULE;
use crate::hand_off::{Released, Releases};
use crate::runtime::Runtime;
use crate::thread::Thread;
use heddle_core::TaskId;
use heddle_rt::Kept;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Granules that are looked up one by one.
const FEW: u64 = 64;

#[derive(Default)]
struct Table {
    updated: FxHashMap<u64, Releases>,
    /// What tasks have updated or written otherwise in the sections they are in.
    running: FxHashMap<TaskId, Vec<u64>>,
}

static TABLE: Mutex<Option<Box<Table>>> = Mutex::new(None);
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether the write that is being told is part of such an update.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Only for threads that have entered the runtime.
fn table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(table.get_or_insert_with(Box::default))
}

fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// Tells the strands of which someone may still read what they made.
pub(crate) fn list(kept: &mut Kept) {
    if any() {
        table(|table| {
            let updated = table.updated.values();
            updated.for_each(|releases| releases.list(kept));
        });
    }
}

/// Of a granule that nobody has updated yet.
fn none(granule: u64) -> Releases {
    Releases::at(granule as usize * GRANULE)
}

/// Makes the write of an update.
pub(crate) fn running<R>(write: impl FnOnce() -> R) -> R {
    RUNNING.set(true);
    let result = write();
    RUNNING.set(false);
    result
}

/// The thread's task, in a critical section, is about to read the granule.
pub(crate) fn reads(runtime: &Runtime, thread: &mut Thread, granule: u64) {
    if any() {
        table(|table| {
            if let Some(updates) = table.updated.get_mut(&granule) {
                updates.acquire(runtime, thread);
            }
        });
    }
}

/// It is about to write the granule.
pub(crate) fn writes(runtime: &Runtime, thread: &mut Thread, granule: u64) {
    let is_update = RUNNING.get();
    if is_update {
        ANY.store(true, Ordering::Release);
    } else if !any() {
        return;
    }
    // No section of another task comes after what only excludes.
    if !runtime.engine.may_hand_over(&thread.cursor) {
        return;
    }
    table(|table| {
        match table.updated.entry(granule) {
            Entry::Vacant(_) if !is_update => return,
            Entry::Vacant(entry) => {
                let releases = entry.insert(none(granule));
                for (task, strand) in runtime.engine.last_sections(&thread.cursor, granule) {
                    releases.push(runtime, thread, Released::strand(task, strand));
                }
            }
            Entry::Occupied(mut entry) if !is_update => entry.get_mut().clear(),
            Entry::Occupied(_) => {}
        }
        let granules = table.running.entry(thread.cursor.task()).or_default();
        if !granules.contains(&granule) {
            granules.push(granule);
        }
    });
}

/// The task is about to give a lock back.
pub(crate) fn section_ends(runtime: &Runtime, thread: &mut Thread) {
    if !any() {
        return;
    }
    table(|table| {
        let Table { updated, running } = table;
        let Some(granules) = running.get(&thread.cursor.task()) else {
            return;
        };
        for granule in granules {
            if let Some(updates) = updated.get_mut(granule) {
                updates.draw_together(runtime, thread);
            }
        }
        let released = Released::now(runtime, thread);
        for granule in granules {
            let updates = updated.entry(*granule).or_insert_with(|| none(*granule));
            updates.push(runtime, thread, released);
        }
    });
}

/// It has given one back, and may hold others.
pub(crate) fn section_ended(runtime: &Runtime, thread: &Thread) {
    if any() && !runtime.engine.may_hand_over(&thread.cursor) {
        table(|table| table.running.remove(&thread.cursor.task()));
    }
}

/// These granules are fresh.
pub(crate) fn forget(granules: Range<u64>) {
    if any() {
        table(|table| match granules.end - granules.start <= FEW {
            true => granules.for_each(|granule| drop(table.updated.remove(&granule))),
            false => table
                .updated
                .retain(|granule, _| !granules.contains(granule)),
        });
    }
}
