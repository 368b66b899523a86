//! What the program says must not be torn apart: memory, groups of it, blocks of code; and where one
//! transaction ends and the next begins.
//!
//! The engine watches over it. Here only what a report needs is kept: what the members of a group are.

use super::guarded;
use crate::access::{GRANULE, site};
use crate::predict;
use crate::preserve::Ways;
use crate::shim::export;
use crate::thread;
use heddle_core::{CutBy, GroupId, SiteId};
use heddle_rt::Engine;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Annotated memory, as `heddle.h` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Part {
    /// Where it begins.
    pub address: usize,
    /// How many bytes it has.
    pub len: usize,
}

/// Bytes of one granule, or whole granules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    granule: u64,
    len: u64,
    mask: u8,
}

impl Part {
    /// Its granules: those of which it has a part, and in between those it has all of.
    fn runs(self) -> Vec<Run> {
        let (first, end) = (self.address, self.address.saturating_add(self.len));
        let (whole, whole_end) = (first.div_ceil(GRANULE), end / GRANULE);
        let mask = |granule: usize| {
            let start = granule * GRANULE;
            let skipped = first.saturating_sub(start).min(GRANULE);
            let left = (start + GRANULE).saturating_sub(end).min(GRANULE);
            (0xffu16 << skipped) as u8 & (0xffu16 >> left) as u8
        };
        let run = |granule: usize, len: usize, mask| Run {
            granule: granule as u64,
            len: len as u64,
            mask,
        };
        let mut runs = Vec::new();
        if first % GRANULE != 0 {
            runs.push(run(first / GRANULE, 1, mask(first / GRANULE)));
        }
        if whole < whole_end {
            runs.push(run(whole, whole_end - whole, 0xff));
        }
        if end % GRANULE != 0 && whole <= whole_end {
            runs.push(run(whole_end, 1, mask(whole_end)));
        }
        runs.retain(|run| run.mask != 0 && self.len > 0);
        runs
    }

    fn watch(self, engine: &Engine, group: Option<GroupId>) {
        for Run { granule, len, mask } in self.runs() {
            crate::stack::touched(granule as usize * GRANULE);
            match mask {
                0xff => engine.watch_range(granule, len, group),
                _ => engine.watch(granule, mask, group),
            }
        }
    }
}

#[derive(Debug, Default)]
struct Table {
    groups: BTreeMap<GroupId, Vec<Part>>,
    cuts: Vec<SiteId>,
}

static TABLE: Mutex<Option<Box<Table>>> = Mutex::new(None);
static ANY: AtomicBool = AtomicBool::new(false);

fn table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table: MutexGuard<'_, _> = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(table.get_or_insert_with(Box::default))
}

/// Whether the program has annotated any memory.
#[inline]
pub fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// The members of a group.
pub fn members(group: GroupId) -> Vec<Part> {
    table(|table| table.groups.get(&group).cloned().unwrap_or_default())
}

/// Where the program has cut its transactions.
pub fn cuts() -> Vec<SiteId> {
    table(|table| table.cuts.clone())
}

fn annotate(parts: &[Part], grouped: Grouped) {
    thread::enter(|runtime, _| {
        ANY.store(true, Ordering::Release);
        if !predict::has_tasks() && !runtime.options.watches_all {
            return match grouped {
                Grouped::Yes => guarded::declare(runtime, parts),
                Grouped::No => parts
                    .iter()
                    .for_each(|part| guarded::declare(runtime, &[*part])),
            };
        }
        let group = (grouped == Grouped::Yes).then(|| runtime.engine.new_group());
        if let Some(group) = group {
            table(|table| table.groups.insert(group, parts.to_vec()));
        }
        parts
            .iter()
            .for_each(|part| part.watch(&runtime.engine, group));
    });
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grouped {
    Yes,
    No,
}

export! {
    /// Each location of the range is to be accessed atomically.
    ["heddle_atomic_range"] fn atomic_range(address: usize, len: usize) at _pc {
        annotate(&[Part { address, len }], Grouped::No);
    }

    /// The same, said at a place of the caller's choice.
    ["heddle_atomic_range_at"] fn atomic_range_at(address: usize, len: usize, _place: usize) at _pc {
        annotate(&[Part { address, len }], Grouped::No);
    }

    /// All parts together are to be accessed atomically.
    ["heddle_atomic_group"] fn atomic_group(parts: *const Part, count: usize) at _pc {
        if !parts.is_null() {
            // SAFETY: the caller passes that many parts.
            annotate(unsafe { std::slice::from_raw_parts(parts, count) }, Grouped::Yes);
        }
    }

    /// The same, said at a place of the caller's choice.
    ["heddle_atomic_group_at"] fn atomic_group_at(parts: *const Part, count: usize, _place: usize) at _pc {
        if !parts.is_null() {
            // SAFETY: the caller passes that many parts.
            annotate(unsafe { std::slice::from_raw_parts(parts, count) }, Grouped::Yes);
        }
    }

    /// A block begins that is atomic as a whole.
    ["heddle_atomic_begin"] fn atomic_begin() at _pc {
        thread::enter(|runtime, thread| runtime.engine.block_begin(&mut thread.cursor));
    }

    /// It ends.
    ["heddle_atomic_end"] fn atomic_end() at _pc {
        thread::enter(|runtime, thread| runtime.engine.block_end(&mut thread.cursor));
    }

    /// What the members hold is one value, whatever lock it is behind.
    ["heddle_guarded_group"] fn guarded_group(parts: *const Part, count: usize) at _pc {
        if !parts.is_null() {
            ANY.store(true, Ordering::Release);
            // SAFETY: the caller passes that many parts.
            let parts = unsafe { std::slice::from_raw_parts(parts, count) };
            thread::enter(|runtime, _| guarded::declare(runtime, parts));
        }
    }

    /// A transaction ends here, and the next begins: so does a region, unless an atomic block goes on.
    ["heddle_cut"] fn cut() at pc {
        thread::enter(|runtime, thread| {
            let site = site(pc);
            table(|table| note_cut(&mut table.cuts, site));
            runtime
                .engine
                .cut(&mut thread.cursor, CutBy::Hand, site.raw());
            runtime.engine.block_begin(&mut thread.cursor);
            runtime.engine.block_end(&mut thread.cursor);
            guarded::cut(thread.cursor.task());
        });
    }
}

export! {
    /// A transaction ends here by a rule of the compiler's, unless a critical section goes on.
    ["heddle_cut_by_rule"] fn cut_by_rule() at pc {
        cut_at(pc);
    }
}

fn cut_at(pc: usize) {
    thread::enter(|runtime, thread| {
        if thread.cursor.holds_nothing() {
            let site = site(pc).raw();
            runtime.engine.cut(&mut thread.cursor, CutBy::Rule, site);
        }
    });
}

/// The same where the program's registers are in use (`heddle_cut_anywhere`).
pub(crate) static BY_RULE: Ways = {
    extern "C" fn quick(_: usize, _: usize) -> bool {
        false
    }
    extern "C" fn long(_: usize, pc: usize) {
        cut_at(pc);
    }
    Ways { quick, long }
};

/// Each place counts once.
fn note_cut(cuts: &mut Vec<SiteId>, site: SiteId) {
    if let Err(at) = cuts.binary_search(&site) {
        cuts.insert(at, site);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(address: usize, len: usize) -> Vec<(u64, u64, u8)> {
        let runs = Part { address, len }.runs().into_iter();
        runs.map(|run| (run.granule, run.len, run.mask)).collect()
    }

    #[test]
    fn memory_is_watched_byte_by_byte_at_its_ends_and_whole_in_between() {
        assert_eq!(runs(16, 8), [(2, 1, 0xff)]);
        assert_eq!(runs(16, 4), [(2, 1, 0x0f)]);
        assert_eq!(runs(20, 4), [(2, 1, 0xf0)]);
        assert_eq!(runs(17, 2), [(2, 1, 0x06)]);
        assert_eq!(runs(20, 24), [(2, 1, 0xf0), (3, 2, 0xff), (5, 1, 0x0f)]);
        assert_eq!(runs(20, 8), [(2, 1, 0xf0), (3, 1, 0x0f)]);
        assert_eq!(runs(20, 0), []);
        assert_eq!(runs(16, 0), []);
    }
}
