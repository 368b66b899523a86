//! What the program says must not be torn apart: memory, groups of it, blocks of code; and where one
//! transaction ends and the next begins.
//!
//! Only noted here. The analysis asks [`group_of`] for the location it sees accessed, and
//! [`Blocks::current`] for the block that the running task is in.

use crate::access::site;
use crate::shim::export;
use crate::thread;
use heddle_core::SiteId;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory that shares one history. Numbered from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupId(u32);

impl GroupId {
    /// Its number.
    pub fn raw(self) -> u32 {
        self.0
    }
}

/// How the parts of annotated memory belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Each location for itself.
    Locations,
    /// All that has this number is one location.
    Group(GroupId),
}

/// Annotated memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Where it begins.
    pub address: usize,
    /// How many bytes it has.
    pub len: usize,
    /// What it is one with.
    pub unit: Unit,
    /// Where the program says so.
    pub site: SiteId,
}

/// The blocks that a task is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    depth: u32,
    outermost: u32,
}

impl Blocks {
    /// The number of the outermost block, if the task is in one.
    pub fn current(self) -> Option<u32> {
        (self.depth > 0).then_some(self.outermost)
    }

    fn enter(&mut self) {
        if self.depth == 0 {
            self.outermost = BLOCKS.fetch_add(1, Ordering::Relaxed) + 1;
        }
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// A part of a group, as `heddle.h` has it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Part {
    address: usize,
    len: usize,
}

#[derive(Debug, Default)]
struct Table {
    /// By address; they do not overlap.
    annotations: BTreeMap<usize, Annotation>,
    groups: u32,
    cuts: Vec<SiteId>,
}

static TABLE: Mutex<Option<Box<Table>>> = Mutex::new(None);
static ANY: AtomicBool = AtomicBool::new(false);
static BLOCKS: AtomicU32 = AtomicU32::new(0);

fn table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table: MutexGuard<'_, _> = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(table.get_or_insert_with(Box::default))
}

/// Whether the program has annotated any memory.
#[inline]
pub fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// What the location at `address` is one with, if it is annotated.
pub fn group_of(address: usize) -> Option<Unit> {
    find(address).map(|annotation| annotation.unit)
}

/// The annotation of the byte at `address`.
pub fn find(address: usize) -> Option<Annotation> {
    if !any() {
        return None;
    }
    table(|table| {
        let (_, annotation) = table.annotations.range(..=address).next_back()?;
        (address - annotation.address < annotation.len).then_some(*annotation)
    })
}

/// All annotations, by address.
pub fn all() -> Vec<Annotation> {
    table(|table| table.annotations.values().copied().collect())
}

/// Where the program has cut its transactions.
pub fn cuts() -> Vec<SiteId> {
    table(|table| table.cuts.clone())
}

/// This memory is used for something else from now on.
pub fn forget(address: usize, len: usize) {
    if any() {
        table(|table| table.clear(address, len));
    }
}

impl Table {
    fn add(&mut self, part: Part, unit: Unit, site: SiteId) {
        let Part { address, len } = part;
        if len == 0 {
            return;
        }
        self.clear(address, len);
        self.annotations.insert(
            address,
            Annotation {
                address,
                len,
                unit,
                site,
            },
        );
    }

    /// Takes the range out of what is annotated; what stands out on either side stays.
    fn clear(&mut self, address: usize, len: usize) {
        let end = address.saturating_add(len);
        let before = self.annotations.range(..end).rev();
        let over: Vec<Annotation> = before
            .map(|(_, annotation)| *annotation)
            .take_while(|annotation| annotation.address + annotation.len > address)
            .collect();
        for old in over {
            self.annotations.remove(&old.address);
            self.keep(old, old.address, address);
            self.keep(old, end, old.address + old.len);
        }
    }

    fn keep(&mut self, old: Annotation, from: usize, to: usize) {
        if from < to {
            let rest = Annotation {
                address: from,
                len: to - from,
                ..old
            };
            self.annotations.insert(from, rest);
        }
    }
}

fn annotate(parts: &[Part], grouped: Grouped, pc: usize) {
    let noted = thread::enter(|_, _| {
        table(|table| {
            let unit = match grouped {
                Grouped::No => Unit::Locations,
                Grouped::Yes => {
                    table.groups += 1;
                    Unit::Group(GroupId(table.groups))
                }
            };
            parts
                .iter()
                .for_each(|&part| table.add(part, unit, site(pc)));
        });
    });
    if noted.is_some() {
        ANY.store(true, Ordering::Release);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grouped {
    Yes,
    No,
}

export! {
    /// Each location of the range is to be accessed atomically.
    ["heddle_atomic_range"] fn atomic_range(address: usize, len: usize) at pc {
        annotate(&[Part { address, len }], Grouped::No, pc);
    }

    /// The same, said at a place of the caller's choice.
    ["heddle_atomic_range_at"] fn atomic_range_at(address: usize, len: usize, place: usize) at _pc {
        annotate(&[Part { address, len }], Grouped::No, place);
    }

    /// All parts together are to be accessed atomically.
    ["heddle_atomic_group"] fn atomic_group(parts: *const Part, count: usize) at pc {
        if !parts.is_null() {
            // SAFETY: the caller passes that many parts.
            annotate(unsafe { std::slice::from_raw_parts(parts, count) }, Grouped::Yes, pc);
        }
    }

    /// The same, said at a place of the caller's choice.
    ["heddle_atomic_group_at"] fn atomic_group_at(parts: *const Part, count: usize, place: usize) at _pc {
        if !parts.is_null() {
            // SAFETY: the caller passes that many parts.
            annotate(unsafe { std::slice::from_raw_parts(parts, count) }, Grouped::Yes, place);
        }
    }

    /// A block begins that is atomic as a whole.
    ["heddle_atomic_begin"] fn atomic_begin() at _pc {
        thread::enter(|_, thread| thread.api.blocks.enter());
    }

    /// It ends.
    ["heddle_atomic_end"] fn atomic_end() at _pc {
        thread::enter(|_, thread| thread.api.blocks.leave());
    }

    /// A transaction ends here, and the next begins.
    ["heddle_cut"] fn cut() at pc {
        thread::enter(|_, _| table(|table| note_cut(&mut table.cuts, site(pc))));
    }
}

/// Each place counts once.
fn note_cut(cuts: &mut Vec<SiteId>, site: SiteId) {
    if let Err(at) = cuts.binary_search(&site) {
        cuts.insert(at, site);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(table: &Table) -> Vec<(usize, usize)> {
        table
            .annotations
            .values()
            .map(|annotation| (annotation.address, annotation.len))
            .collect()
    }

    fn add(table: &mut Table, address: usize, len: usize) {
        table.add(Part { address, len }, Unit::Locations, SiteId::new(0));
    }

    #[test]
    fn a_later_annotation_replaces_what_it_covers() {
        let mut table = Table::default();
        add(&mut table, 100, 40);
        add(&mut table, 110, 10);
        assert_eq!(ranges(&table), [(100, 10), (110, 10), (120, 20)]);
        add(&mut table, 90, 100);
        assert_eq!(ranges(&table), [(90, 100)]);
    }

    #[test]
    fn forgotten_memory_is_not_annotated() {
        let mut table = Table::default();
        add(&mut table, 100, 8);
        add(&mut table, 108, 8);
        table.clear(104, 8);
        assert_eq!(ranges(&table), [(100, 4), (112, 4)]);
        table.clear(0, usize::MAX);
        assert_eq!(ranges(&table), []);
    }

    #[test]
    fn nested_blocks_are_one() {
        let mut blocks = Blocks::default();
        assert_eq!(blocks.current(), None);
        blocks.enter();
        let outermost = blocks.current();
        blocks.enter();
        assert_eq!(blocks.current(), outermost);
        blocks.leave();
        assert_eq!(blocks.current(), outermost);
        blocks.leave();
        assert_eq!(blocks.current(), None);
    }
}
