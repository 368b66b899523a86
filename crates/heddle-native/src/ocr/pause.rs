//! Looking at a run from inside: `ocrPause` keeps the other workers from starting tasks until `ocrResume`, and
//! `ocrQuery` gives a data block with identifiers. Nothing is ordered by it.

use super::abi::{block_for_caller, put};
use super::edt::SlotState;
use super::guid::Guid;
use super::schedule;
use super::world::world;
use crate::shim::export;
use crate::thread;

/// What can be asked for, as `ocr.h` numbers it.
mod query {
    pub(super) const NEXT: u32 = 0;
    pub(super) const EVENTS: u32 = 1;
    pub(super) const LAST_BLOCK: u32 = 2;
    pub(super) const ALL: u32 = 3;
}

fn answer(query: u32, edt: Guid) -> Vec<Guid> {
    match query {
        query::NEXT => schedule::runnable(1),
        query::ALL => schedule::runnable(usize::MAX),
        query::EVENTS => slots(edt, |state| match state {
            SlotState::Waits(event) => Some(event),
            _ => None,
        }),
        query::LAST_BLOCK => {
            let blocks = slots(edt, |state| match state {
                SlotState::Filled(block) if !block.is_null() => Some(block),
                _ => None,
            });
            blocks.last().copied().into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What a task that has not run has in its slots.
fn slots(edt: Guid, wanted: impl Fn(SlotState) -> Option<Guid>) -> Vec<Guid> {
    let mut world = world();
    let slots = world.objects.edt(edt).map(|edt| &edt.slots);
    let slots = slots.into_iter().flatten();
    slots.filter_map(|slot| wanted(slot.state)).collect()
}

export! {
    ["ocrPause"] fn pause(waits: bool) at _pc -> u32 {
        u32::from(schedule::pause(waits))
    }

    ["ocrResume"] fn resume(paused: u32) at _pc {
        if paused != 0 {
            schedule::resume();
        }
    }

    ["ocrQuery"] fn query(query: u32, edt: Guid, result: *mut usize, size: *mut u32, _flags: u8) at pc -> Guid {
        let found = thread::enter(|_, _| answer(query, edt)).unwrap_or_default();
        let bytes = size_of_val(&found[..]);
        let Some((block, start)) = block_for_caller(bytes as u64, 0, None, pc) else {
            return Guid::NULL;
        };
        // SAFETY: a block of that size, which nobody else knows.
        unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), start as *mut Guid, found.len()) };
        put(result, start, pc);
        put(size, bytes as u32, pc);
        block
    }
}
