//! What instrumented code calls at each access (the ABI of `-fsanitize=thread`).
//!
//! The common path is a look-up of the granule's state and of what the thread knows about that state;
//! everything else is out of line. Executables have it in line (`hooks/hooks.ll`) or linked in
//! (`hooks/hooks.s`), for speed; here it is for code in shared libraries.

use crate::api::guarded;
use crate::busy;
use crate::runtime::Runtime;
use crate::shim::export;
use crate::stack;
use crate::thread::{Thread, checked, enter, enter_alone};
use crate::updates;
use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::SiteId;
use heddle_rt::{Quick, Taken, Touch};
use std::ops::Range;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 8;

/// The site of a return address.
pub fn site(pc: usize) -> SiteId {
    crate::report::modules::site(pc)
}

/// The program reads `len` bytes.
pub fn read(address: usize, len: usize, pc: usize) {
    range(Read, address, len, pc);
}

/// The program writes `len` bytes.
pub fn write(address: usize, len: usize, pc: usize) {
    range(Write, address, len, pc);
}

/// These bytes are fresh: what was known of them is void.
pub fn forget(address: usize, len: usize) {
    let first = address / GRANULE;
    let last = address.saturating_add(len).div_ceil(GRANULE);
    if let Some(runtime) = crate::runtime::runtime() {
        let _busy = busy::begin();
        runtime.engine.forget(first as u64, (last - first) as u64);
        guarded::forget(address, len);
        updates::forget(first as u64..last as u64);
    }
}

/// The program reads `len` bytes atomically.
pub fn atomic_read(address: usize, len: usize, pc: usize) {
    atomic(Read, address, len, pc);
}

/// The program writes `len` bytes atomically.
pub fn atomic_write(address: usize, len: usize, pc: usize) {
    atomic(Write, address, len, pc);
}

fn atomic(kind: AccessKind, address: usize, len: usize, pc: usize) {
    enter(|runtime, thread| touch_atomically(runtime, thread, kind, address, len, pc));
}

/// As [`atomic_read`] or [`atomic_write`], for callers that have entered.
pub(crate) fn touch_atomically(
    runtime: &Runtime,
    thread: &mut Thread,
    kind: AccessKind,
    address: usize,
    len: usize,
    pc: usize,
) {
    if thread.ignore > 0 {
        return;
    }
    for (granule, mask) in granules(address, len) {
        let touch = Touch {
            kind,
            granule,
            mask,
        };
        let (address, site) = (granule as usize * GRANULE, site(pc).raw());
        note_stack(thread, address);
        let Thread {
            cache,
            cursor,
            storage,
            ..
        } = thread;
        match storage.contains(&address) {
            true => runtime.engine.touch_private(cache, cursor, touch, site),
            false => runtime.engine.touch_atomically(cache, cursor, touch, site),
        }
    }
}

/// Bytes from which on it is made sure that they are there: a length may have gone wrong.
pub(crate) const LONG: usize = 1 << 24;

/// How many of these bytes there are: an access that would leave the program's memory ends there, in a fault.
pub(crate) fn present(address: usize, len: usize) -> usize {
    if len < LONG {
        return len;
    }
    let end = address.saturating_add(len);
    let end = enter_alone(|_, _| crate::mapped::until(address, end)).unwrap_or(end);
    end.saturating_sub(address)
}

#[inline]
fn range(kind: AccessKind, address: usize, len: usize, pc: usize) {
    let Some(thread) = checked() else { return };
    let len = if len < LONG {
        len
    } else {
        present(address, len)
    };
    let end = address.saturating_add(len);
    if known_until(thread, kind, address, end) < end {
        match len <= 2 * GRANULE {
            true => unknown_few(kind, address, len, pc),
            false => unknown(kind, address, len, pc),
        }
    }
}

/// As [`unknown`], for at most two granules: simple ones come first.
#[cold]
#[inline(never)]
fn unknown_few(kind: AccessKind, address: usize, len: usize, pc: usize) {
    let Some(thread) = checked() else { return };
    let Some(start) = not_taken_again(thread, kind, address, len, pc) else {
        return;
    };
    let left = address.saturating_add(len) - start;
    let busy = busy::begin();
    let is_done = simple(kind, start, left, pc);
    drop(busy);
    if !is_done {
        unknown(kind, start, left, pc);
    }
}

/// Where at most two granules begin that have not taken a step again. What has taken its step must not take another: that
/// would be a second access.
#[inline]
fn not_taken_again(
    thread: &Thread,
    kind: AccessKind,
    address: usize,
    len: usize,
    pc: usize,
) -> Option<usize> {
    if !thread.gaps.contains(address) {
        return Some(address);
    }
    let left = granules(address, len).find(|&(granule, mask)| {
        !thread.has_made(kind, granule, mask) && !thread.take_again(kind, granule, mask, pc)
    });
    left.map(|(granule, _)| address.max(granule as usize * GRANULE))
}

/// Up to where the strand has made such an access before.
#[inline]
pub(crate) fn known_until(thread: &Thread, kind: AccessKind, start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let (granule, bytes) = bytes_of(at, end);
        let next = match bytes {
            0xff => thread.known_until(kind, granule..(end / GRANULE) as u64),
            _ => granule + u64::from(thread.has_made(kind, granule, bytes)),
        };
        if next == granule {
            return at;
        }
        at = next as usize * GRANULE;
    }
    at
}

/// The granules of a range, with the bytes of each.
fn granules(address: usize, len: usize) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(len);
    let granules = address / GRANULE..end.div_ceil(GRANULE);
    granules.map(move |granule| bytes_of(address.max(granule * GRANULE), end))
}

/// The granule of an address, and its bytes from there on that lie before `end`.
#[inline(always)]
pub(crate) fn bytes_of(address: usize, end: usize) -> (u64, u8) {
    let (granule, skipped) = (address / GRANULE, address % GRANULE);
    let left = (granule * GRANULE + GRANULE).saturating_sub(end);
    (granule as u64, (0xffu8 << skipped) & (0xffu8 >> left))
}

/// Makes an access of at most two granules that is not known, if all of it is simple: a task that holds nothing, plain
/// histories, no race. Whether all is done; if not, [`unknown`] goes on where it ended.
///
/// To be called inside the runtime. It calls nothing outside of it that could use the upper parts of vector registers:
/// `preserve.rs` has saved the lower ones only.
#[inline(always)]
pub(crate) fn simple(kind: AccessKind, address: usize, len: usize, pc: usize) -> bool {
    let Some(thread) = checked() else { return true };
    if !thread.is_quick || !thread.cursor.holds_nothing() || guarded::any() || thread.awaited != 0 {
        return false;
    }
    thread.activity.access();
    if !thread.gaps.contains(address) {
        let stack = match thread.stack.contains(address) {
            true => Some(thread.stack),
            false => stack::stack_of(address),
        };
        match stack.filter(|_| !thread.storage.contains(&address)) {
            Some(stack) => stack.touched(address),
            None => return false,
        }
    }
    let is_other = crate::ocr::is_block(address) && !crate::ocr::may_touch(&thread.ocr, address);
    if thread.openmp.watches(address) || is_other {
        return false;
    }
    let Some(site) = crate::report::modules::near_site(pc) else {
        return false;
    };
    let site = site.raw();
    let (granule, mask) = bytes_of(address, address.wrapping_add(len));
    let mut is_done = step_simply(thread, kind, granule, mask, pc, site);
    if (granule as usize + 1) * GRANULE < address.wrapping_add(len) {
        // What was made sure of the first byte must hold for the others.
        is_done &= thread.gaps.contains(address)
            && thread.gaps.contains(address.wrapping_add(len - 1))
            && !crate::ocr::is_block(address.wrapping_add(len - 1));
        let mut others = granules(address, len).skip(1);
        is_done = is_done
            && others.all(|(granule, mask)| step_simply(thread, kind, granule, mask, pc, site));
    }
    is_done
}

/// A granule of a simple access; whether it is done.
#[inline(always)]
fn step_simply(
    thread: &mut Thread,
    kind: AccessKind,
    granule: u64,
    mask: u8,
    pc: usize,
    site: u32,
) -> bool {
    let touch = Touch {
        kind,
        granule,
        mask,
    };
    let Thread {
        engine,
        cache,
        cursor,
        ..
    } = thread;
    match engine.touch_quickly(cache, cursor, touch, site) {
        Some(Quick::Stepped(taken)) => cache.took(taken, kind, mask, pc),
        Some(Quick::Counted) if thread.gaps.contains(granule as usize * GRANULE) => {
            cache.took_race(kind, mask, pc);
        }
        Some(Quick::Counted) => {}
        None => return false,
    }
    true
}

/// An access of which at least one granule is not known.
#[cold]
#[inline(never)]
pub(crate) fn unknown(kind: AccessKind, address: usize, len: usize, pc: usize) {
    // The executable's hooks do not know whether accesses are checked now.
    let Some(thread) = checked() else { return };
    let mut start = address;
    if len <= 2 * GRANULE {
        match not_taken_again(thread, kind, address, len, pc) {
            None => return,
            Some(left) => start = left,
        }
    }
    enter_alone(|_, thread| {
        thread.begin_access();
        touch_all(
            thread,
            kind,
            start..address.saturating_add(len),
            pc,
            |_, _| (),
        );
    });
}

/// All granules of a range; the thread's record is lent out. `before` comes before each that is new to the strand,
/// with its address.
pub(crate) fn touch_all(
    thread: &mut Thread,
    kind: AccessKind,
    range: Range<usize>,
    pc: usize,
    mut before: impl FnMut(&mut Thread, usize),
) {
    let mut at = range.start;
    while at < range.end {
        before(thread, at);
        let (granule, bytes) = bytes_of(at, range.end);
        let next = granule + 1;
        let next = match touch(thread, kind, granule, bytes, pc) {
            Some(taken) if bytes == 0xff => sweep_alike(thread, kind, taken, next, range.end),
            _ => next,
        };
        at = sweep(thread, kind, next, range.end, pc) as usize * GRANULE;
    }
}

/// Whole granules before `end` on the thread's own stack that are known or can take the same step, from `first` on:
/// where they end.
fn sweep_alike(thread: &Thread, kind: AccessKind, taken: Taken, first: u64, end: usize) -> u64 {
    let start = first as usize * GRANULE;
    if !thread.stack.contains(start) {
        return first;
    }
    let last = end.min(thread.stack.top()) / GRANULE;
    // SAFETY: the run's engine is never dropped, and there is one only.
    unsafe {
        let granules = first..last as u64;
        thread.cache.repeat(thread.view, kind, taken, granules)
    }
}

/// Whole granules before `end` that are known or take a step again, racing ones included, from `first` on: where they end.
fn sweep(thread: &Thread, kind: AccessKind, first: u64, end: usize, pc: usize) -> u64 {
    let last = end / GRANULE;
    let addresses = first as usize * GRANULE..last * GRANULE;
    let is_open = !addresses.is_empty() && thread.gaps.contains_all(&addresses);
    let (mut at, last) = (first, last as u64);
    while is_open && at < last {
        // SAFETY: the run's engine is never dropped, and there is one only.
        let stepped = unsafe { (thread.cache).take_all_again(thread.view, kind, at..last, pc) };
        let Thread {
            engine,
            cache,
            cursor,
            ..
        } = thread;
        at = engine.race_all_again(cache, cursor, kind, stepped..last, || site(pc).raw());
        if at == stepped {
            break;
        }
    }
    at
}

/// Gives the step it took, if granules in the same state take it too.
fn touch(
    thread: &mut Thread,
    kind: AccessKind,
    granule: u64,
    mask: u8,
    pc: usize,
) -> Option<Taken> {
    let address = granule as usize * GRANULE;
    thread.cache.follow(thread.cursor.strand());
    if thread.has_made(kind, granule, mask)
        || thread.gaps.contains(address) && thread.take_again(kind, granule, mask, pc)
    {
        return None;
    }
    if thread.openmp.watches(address) {
        crate::openmp::watched(thread);
        return None;
    }
    if crate::ocr::is_block(address) {
        crate::ocr::touched(thread, address, pc);
    }
    note_stack(thread, address);
    if !thread.cursor.holds_nothing()
        && let Some(runtime) = crate::runtime::runtime()
    {
        match kind {
            Read => updates::reads(runtime, thread, granule),
            Write => updates::writes(runtime, thread, granule),
        }
        if guarded::any() {
            guarded::reaches(runtime, thread, address);
        }
    }
    let Thread {
        engine,
        cache,
        cursor,
        storage,
        ..
    } = thread;
    let touch = Touch {
        kind,
        granule,
        mask,
    };
    if storage.contains(&address) {
        engine.touch_private(cache, cursor, touch, site(pc).raw());
        return None;
    }
    let taken = engine.touch(cache, cursor, touch, site(pc).raw());
    if let Some(taken) = taken {
        cache.follow(cursor.strand());
        cache.took(taken, kind, mask, pc);
    } else if thread.gaps.contains(address) {
        cache.took_race(kind, mask, pc);
    }
    if guarded::any()
        && let Some(runtime) = crate::runtime::runtime()
    {
        let first = address + mask.trailing_zeros() as usize;
        guarded::touched(runtime, thread, kind, first, pc);
    }
    taken
}

/// The history of what is at `address` is about to change: if it lies on a stack, that must be known when the stack
/// is used again.
#[inline]
fn note_stack(thread: &mut Thread, address: usize) {
    if thread.stack.contains(address) {
        return thread.stack.touched(address);
    }
    if thread.gaps.contains(address) {
        return;
    }
    match thread.gaps.find(address, &thread.storage) {
        true => {
            let region = thread.gaps.region(thread.stack, &thread.storage);
            thread.cache.take_again_in(region);
        }
        false => stack::touched(address),
    }
}

/// Whether a granule belongs to the calling thread alone, whatever piece of its team's work it
/// executes: its stack below the frame at which it joined the team, and what it allocated as a
/// member of the team.
pub(crate) fn is_own(granule: u64) -> bool {
    let address = granule as usize * GRANULE;
    crate::openmp::is_own_memory(address)
}

/// A volatile read that lies within a granule. It is made after this check of it, and a write may come in between.
#[inline]
fn awaited(kind: AccessKind, address: usize, len: usize, pc: usize) {
    aligned(kind, address, len, pc);
    if let Some(thread) = checked() {
        (thread.awaited, _) = bytes_of(address, address.wrapping_add(len));
    }
}

/// What instrumented code calls: the functions, all symbols that mean the same.
macro_rules! hooks {
    ($([$($symbol:literal),+] $name:ident, $check:ident, $kind:expr, $len:expr;)*) => {
        export! {
            $([$($symbol),+] fn $name(address: usize) at pc {
                $check($kind, address, $len, pc);
            })*
        }
    };
}

hooks! {
    ["__tsan_read1"] read1, aligned, Read, 1;
    ["__tsan_read2"] read2, aligned, Read, 2;
    ["__tsan_read4"] read4, aligned, Read, 4;
    ["__tsan_read8", "__tsan_vptr_read"] read8, aligned, Read, 8;
    ["__tsan_volatile_read1"] volatile_read1, awaited, Read, 1;
    ["__tsan_volatile_read2"] volatile_read2, awaited, Read, 2;
    ["__tsan_volatile_read4"] volatile_read4, awaited, Read, 4;
    ["__tsan_volatile_read8"] volatile_read8, awaited, Read, 8;
    ["__tsan_write1", "__tsan_volatile_write1"] write1, aligned, Write, 1;
    ["__tsan_write2", "__tsan_volatile_write2"] write2, aligned, Write, 2;
    ["__tsan_write4", "__tsan_volatile_write4"] write4, aligned, Write, 4;
    ["__tsan_write8", "__tsan_volatile_write8"] write8, aligned, Write, 8;
    ["__tsan_unaligned_read2", "__tsan_unaligned_volatile_read2"] unaligned_read2, range, Read, 2;
    ["__tsan_unaligned_read4", "__tsan_unaligned_volatile_read4"] unaligned_read4, range, Read, 4;
    ["__tsan_unaligned_read8", "__tsan_unaligned_volatile_read8"] unaligned_read8, range, Read, 8;
    [
        "__tsan_read16", "__tsan_volatile_read16",
        "__tsan_unaligned_read16", "__tsan_unaligned_volatile_read16"
    ] read16, range, Read, 16;
    [
        "__tsan_unaligned_write2", "__tsan_unaligned_volatile_write2"
    ] unaligned_write2, range, Write, 2;
    [
        "__tsan_unaligned_write4", "__tsan_unaligned_volatile_write4"
    ] unaligned_write4, range, Write, 4;
    [
        "__tsan_unaligned_write8", "__tsan_unaligned_volatile_write8"
    ] unaligned_write8, range, Write, 8;
    [
        "__tsan_write16", "__tsan_volatile_write16",
        "__tsan_unaligned_write16", "__tsan_unaligned_volatile_write16"
    ] write16, range, Write, 16;
}

/// What instrumented code calls instead where it writes what it has just read.
macro_rules! updates {
    ($([$($symbol:literal),+] $name:ident, $len:expr;)*) => {
        export! {
            $([$($symbol),+] fn $name(address: usize) at pc {
                update(address, $len, pc);
            })*
        }
    };
}

updates! {
    ["__tsan_read_write1"] update1, 1;
    ["__tsan_read_write2", "__tsan_unaligned_read_write2"] update2, 2;
    ["__tsan_read_write4", "__tsan_unaligned_read_write4"] update4, 4;
    ["__tsan_read_write8", "__tsan_unaligned_read_write8"] update8, 8;
    ["__tsan_read_write16", "__tsan_unaligned_read_write16"] update16, 16;
}

/// A read, and a write of the same bytes with nothing in between, where what is read goes nowhere else. For races the
/// write stands for both ([`updates`] says what of it critical sections hand over); to what must not be torn they are
/// two accesses. What the strand is known to have written it is known to have read.
#[inline]
fn update(address: usize, len: usize, pc: usize) {
    let Some(thread) = checked() else { return };
    if !granules(address, len).all(|(granule, mask)| thread.has_made(Write, granule, mask)) {
        unknown_update(address, len, pc);
    }
}

#[cold]
#[inline(never)]
fn unknown_update(address: usize, len: usize, pc: usize) {
    if checked().is_some_and(|thread| is_watched(thread, address, len)) {
        unknown(Read, address, len, pc);
        return unknown(Write, address, len, pc);
    }
    updates::running(|| unknown(Write, address, len, pc));
}

/// Whether some of these bytes lie where nothing may be torn. An update's read then matters beside its write, though
/// nothing follows from what it read.
pub(crate) fn is_watched(thread: &Thread, address: usize, len: usize) -> bool {
    let end = address.saturating_add(len);
    let granules = (address / GRANULE) as u64..end.div_ceil(GRANULE) as u64;
    thread.engine.watches_any(granules)
}

/// What the executable's own hooks turn to when an access is not known, by way of `preserve.rs`.
pub(crate) mod slow {
    use super::{Read, Write, simple, unknown, unknown_update};
    use crate::preserve::Ways;

    macro_rules! accesses {
        ($($name:ident, $kind:expr, $len:expr;)*) => {$(
            pub(crate) static $name: Ways = {
                extern "C" fn quick(address: usize, pc: usize) -> bool {
                    simple($kind, address, $len, pc)
                }
                extern "C" fn long(address: usize, pc: usize) {
                    unknown($kind, address, $len, pc);
                }
                Ways { quick, long }
            };
        )*};
    }

    macro_rules! updates {
        ($($name:ident, $len:expr;)*) => {$(
            pub(crate) static $name: Ways = {
                // A task that holds nothing hands nothing over by what it updates.
                extern "C" fn quick(address: usize, pc: usize) -> bool {
                    simple(Write, address, $len, pc)
                }
                extern "C" fn long(address: usize, pc: usize) {
                    unknown_update(address, $len, pc);
                }
                Ways { quick, long }
            };
        )*};
    }

    accesses! {
        READ1, Read, 1;
        READ2, Read, 2;
        READ4, Read, 4;
        READ8, Read, 8;
        READ16, Read, 16;
        WRITE1, Write, 1;
        WRITE2, Write, 2;
        WRITE4, Write, 4;
        WRITE8, Write, 8;
        WRITE16, Write, 16;
    }

    updates! {
        UPDATE1, 1;
        UPDATE2, 2;
        UPDATE4, 4;
        UPDATE8, 8;
        UPDATE16, 16;
    }
}

/// An aligned access of at most a granule.
#[inline(always)]
fn aligned(kind: AccessKind, address: usize, len: usize, pc: usize) {
    let Some(thread) = checked() else { return };
    let mask = (0xffu8 >> (GRANULE - len)) << ((address % GRANULE) & !(len - 1));
    if !thread.has_made(kind, (address / GRANULE) as u64, mask) {
        unknown(kind, address, len, pc);
    }
}

export! {
    ["__tsan_read_range"] fn read_range(address: usize, len: usize) at pc {
        read(address, len, pc);
    }

    ["__tsan_write_range"] fn write_range(address: usize, len: usize) at pc {
        write(address, len, pc);
    }

    ["__tsan_vptr_update"] fn update_table(address: usize, value: usize) at pc {
        vptr_update(address, value, pc);
    }
}

/// A constructor or destructor sets an object's table of virtual functions. Setting it to what it is
/// changes nothing.
fn vptr_update(address: usize, value: usize, pc: usize) {
    // SAFETY: the program is about to write this word itself.
    if unsafe { *(address as *const usize) } != value {
        write(address, GRANULE, pc);
    }
}

/// Called by every instrumented object when it is loaded; the library has started by then.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {}

/// Stacks are read from frames when a report needs them, so calls cost nothing.
#[unsafe(no_mangle)]
extern "C" fn __tsan_func_entry(_pc: usize) {}

/// See [`__tsan_func_entry`].
#[unsafe(no_mangle)]
extern "C" fn __tsan_func_exit() {}

/// The compiler's own bookkeeping begins.
#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_begin() {
    enter(|_, thread| thread.ignore += 1);
}

/// It ends.
#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_end() {
    enter(|_, thread| thread.ignore = thread.ignore.saturating_sub(1));
}
