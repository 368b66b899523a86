//! What can only be seen at the moment of a race: the stack of the access that meets it, and what the
//! memory is. By the end of the program the calls have returned and the block may be freed.

use crate::access::GRANULE;
use crate::heap::{self, Block};
use crate::report::calls;
use crate::report::frames::{Frames, above};
use crate::report::modules::{Role, modules};
use heddle_core::TaskId;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Callers kept of the creation of a thread.
const CREATORS: usize = 64;

/// What was seen.
#[derive(Debug, Default)]
pub struct Witnesses {
    /// The return addresses below the later access, by the sites of the pair.
    pub stacks: FxHashMap<[u32; 2], Vec<usize>>,
    /// The heap blocks of the locations.
    pub blocks: FxHashMap<u64, Block>,
    /// The frames around locations on stacks.
    pub frames: FxHashMap<u64, Frames>,
    /// The return addresses below the creation of a thread that a library created.
    pub creations: FxHashMap<TaskId, Vec<usize>>,
    /// The return address of the call that joined a thread, and those below it if a library made that call.
    pub joins: FxHashMap<TaskId, Vec<usize>>,
}

static WITNESSES: Mutex<Option<Witnesses>> = Mutex::new(None);

/// Called by the engine at each new race.
pub(crate) fn witness(location: u64, sites: [u32; 2]) {
    let block = heap::block_in_words(location as usize * GRANULE);
    let is_known = with(|witnesses| witnesses.stacks.contains_key(&sites));
    // Nothing is held while the program's stack is looked at.
    let stack = (!is_known).then(|| below(sites[1]));
    let mut witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner);
    let Witnesses {
        stacks,
        blocks,
        frames,
        ..
    } = witnesses.get_or_insert_default();
    match block {
        Some(block) => _ = blocks.entry(location).or_insert(block),
        None => _ = (frames.entry(location)).or_insert_with(|| above(location as usize * GRANULE)),
    }
    if let Some(stack) = stack {
        stacks.entry(sites).or_insert(stack);
    }
}

/// A thread is created by a call that returns to `pc`. If a library made it, its callers will be asked for.
pub(crate) fn created(task: TaskId, pc: usize) {
    let callers = callers(pc);
    if callers.is_empty() {
        return;
    }
    let mut witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner);
    witnesses
        .get_or_insert_default()
        .creations
        .insert(task, callers);
}

/// A thread is joined by a call that returns to `pc`.
pub(crate) fn joined(task: TaskId, pc: usize) {
    let mut calls = callers(pc);
    calls.insert(0, pc);
    let mut witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner);
    witnesses.get_or_insert_default().joins.insert(task, calls);
}

/// The calls below one that returns to `pc`, if a library made it.
fn callers(pc: usize) -> Vec<usize> {
    if modules().role(pc) == Role::Program {
        return Vec::new();
    }
    let calls = calls::calls();
    let after = calls.iter().position(|&call| call == pc);
    let after = after.map_or(0, |at| at + 1);
    calls[after..].iter().copied().take(CREATORS).collect()
}

/// Looks at what was seen so far.
pub(crate) fn with<R>(look: impl FnOnce(&Witnesses) -> R) -> R {
    let mut witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner);
    look(witnesses.get_or_insert_default())
}

/// All that was seen so far.
pub(crate) fn take() -> Witnesses {
    let mut witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner);
    witnesses.take().unwrap_or_default()
}

/// The callers of the access at `site`: the rest of the stack, without the runtime's own frames. Empty
/// if the access is not on the stack.
fn below(site: u32) -> Vec<usize> {
    let mut calls = calls::calls();
    let access = calls
        .iter()
        .position(|&pc| modules().site(pc).raw() == site);
    match access {
        Some(access) => calls.split_off(access + 1),
        None => Vec::new(),
    }
}
