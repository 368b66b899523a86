//! Strings and blocks of wide characters.
//!
//! # Known miss
//! The arguments of `swprintf` and its like are not looked at, only the format and what is stored.

use super::format::wide_length;
use super::variadic::{Arguments, export_variadic};
use super::{reads, writes};
use crate::heap;
use crate::shim::{export, keeping_errno};
use std::ffi::c_int;

/// `wchar_t`.
type Wide = i32;
type WideText = *const Wide;
type WideTextMut = *mut Wide;

/// Bytes of a character.
const WIDTH: usize = size_of::<Wide>();

unsafe extern "C" {
    fn wcscpy(to: WideTextMut, from: WideText) -> WideTextMut;
    fn wcpcpy(to: WideTextMut, from: WideText) -> WideTextMut;
    fn wcsncpy(to: WideTextMut, from: WideText, len: usize) -> WideTextMut;
    fn wcscat(to: WideTextMut, from: WideText) -> WideTextMut;
    fn wcsncat(to: WideTextMut, from: WideText, len: usize) -> WideTextMut;
    fn wcscmp(a: WideText, b: WideText) -> c_int;
    fn wcsncmp(a: WideText, b: WideText, len: usize) -> c_int;
    fn wcschr(text: WideText, character: Wide) -> WideTextMut;
    fn wcsrchr(text: WideText, character: Wide) -> WideTextMut;
    fn wcsstr(hay: WideText, needle: WideText) -> WideTextMut;
    fn wcsdup(text: WideText) -> WideTextMut;
    fn wmemcpy(to: WideTextMut, from: WideText, len: usize) -> WideTextMut;
    fn wmemmove(to: WideTextMut, from: WideText, len: usize) -> WideTextMut;
    fn wmempcpy(to: WideTextMut, from: WideText, len: usize) -> WideTextMut;
    fn wmemset(to: WideTextMut, character: Wide, len: usize) -> WideTextMut;
    fn wmemcmp(a: WideText, b: WideText, len: usize) -> c_int;
    fn wmemchr(text: WideText, character: Wide, len: usize) -> WideTextMut;
    fn __wcscpy_chk(to: WideTextMut, from: WideText, room: usize) -> WideTextMut;
    fn __wcsncpy_chk(to: WideTextMut, from: WideText, len: usize, room: usize) -> WideTextMut;
    fn __wcscat_chk(to: WideTextMut, from: WideText, room: usize) -> WideTextMut;
    fn __wcsncat_chk(to: WideTextMut, from: WideText, len: usize, room: usize) -> WideTextMut;
    fn __wmemcpy_chk(to: WideTextMut, from: WideText, len: usize, room: usize) -> WideTextMut;
    fn __wmemmove_chk(to: WideTextMut, from: WideText, len: usize, room: usize) -> WideTextMut;
    fn __wmemset_chk(to: WideTextMut, character: Wide, len: usize, room: usize) -> WideTextMut;
    fn vswprintf(to: WideTextMut, room: usize, format: WideText, list: *mut Arguments) -> c_int;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's;
// in particular, strings end.

/// Reads a string to its end. Returns its characters, the end included.
unsafe fn reads_text(text: WideText, pc: usize) -> usize {
    // SAFETY: see above.
    let len = unsafe { wide_length(text) };
    reads(text, len * WIDTH, pc);
    len
}

/// The characters of a string before its end, no more than `limit`.
unsafe fn limited(text: WideText, limit: usize) -> usize {
    // SAFETY: see above: the string ends, or has that many characters.
    let goes_on = |&index: &usize| unsafe { *text.add(index) } != 0;
    (0..limit).take_while(goes_on).count()
}

/// Reads a string, but no more than `limit` characters. Returns its length so limited.
unsafe fn reads_prefix(text: WideText, limit: usize, pc: usize) -> usize {
    // SAFETY: see above.
    let len = unsafe { limited(text, limit) };
    reads(text, limit.min(len + 1) * WIDTH, pc);
    len
}

unsafe fn copies(to: WideText, from: WideText, pc: usize) {
    // SAFETY: see above.
    let len = unsafe { reads_text(from, pc) };
    writes(to, len * WIDTH, pc);
}

/// Copies up to `len` characters and fills the rest with zeros.
unsafe fn copies_padded(to: WideText, from: WideText, len: usize, pc: usize) {
    // SAFETY: see above.
    unsafe { reads_prefix(from, len, pc) };
    writes(to, len * WIDTH, pc);
}

/// Adds up to `limit` characters and a zero.
unsafe fn appends(to: WideText, from: WideText, limit: usize, pc: usize) {
    // SAFETY: see above.
    unsafe {
        let more = reads_prefix(from, limit, pc);
        let len = wide_length(to) - 1;
        reads(to, len * WIDTH, pc);
        writes(to.wrapping_add(len), (more + 1) * WIDTH, pc);
    }
}

/// Reads two strings to where they differ or end, or `limit` characters of each.
unsafe fn compares(a: WideText, b: WideText, limit: usize, pc: usize) {
    let goes_on = |&index: &usize| {
        // SAFETY: see above: neither string has ended before.
        let (x, y) = unsafe { (*a.add(index), *b.add(index)) };
        x == y && x != 0
    };
    let same = (0..limit).take_while(goes_on).count();
    let len = limit.min(same + 1) * WIDTH;
    reads(a, len, pc);
    reads(b, len, pc);
}

/// Reads to the character found; `all` characters if none was.
fn searches(text: WideText, found: WideTextMut, all: usize, pc: usize) {
    let len = match found.is_null() {
        true => all * WIDTH,
        false => found as usize - text as usize + WIDTH,
    };
    reads(text, len, pc);
}

fn moves(to: WideText, from: WideText, len: usize, pc: usize) {
    reads(from, len.saturating_mul(WIDTH), pc);
    writes(to, len.saturating_mul(WIDTH), pc);
}

/// Text of `len` characters (negative: there was no room) was printed.
unsafe fn prints(
    to: WideTextMut,
    room: usize,
    format: WideText,
    list: &mut Arguments,
    pc: usize,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        reads_text(format, pc);
        let len = vswprintf(to, room, format, list);
        let stored = usize::try_from(len).map_or(room, |len| len + 1);
        keeping_errno(|| writes(to, stored * WIDTH, pc));
        len
    }
}

/// Defines functions that say what they do, then do it.
macro_rules! wide {
    ($([$symbol:literal] $name:ident($($arg:ident: $ty:ty),*) at $pc:ident -> $ret:ty { $says:expr } $does:ident;)*) => {
        export! {$(
            [$symbol] fn $name($($arg: $ty),*) at $pc -> $ret {
                // SAFETY: see above.
                unsafe {
                    $says;
                    $does($($arg),*)
                }
            }
        )*}
    };
}

wide! {
    ["__wrap_wcscpy"] copy(to: WideTextMut, from: WideText) at pc -> WideTextMut { copies(to, from, pc) } wcscpy;
    ["__wrap_wcpcpy"] copy_to_end(to: WideTextMut, from: WideText) at pc -> WideTextMut { copies(to, from, pc) } wcpcpy;
    ["__wrap_wcsncpy"] copy_padded(to: WideTextMut, from: WideText, len: usize) at pc -> WideTextMut { copies_padded(to, from, len, pc) } wcsncpy;
    ["__wrap_wcscat"] append(to: WideTextMut, from: WideText) at pc -> WideTextMut { appends(to, from, usize::MAX, pc) } wcscat;
    ["__wrap_wcsncat"] append_some(to: WideTextMut, from: WideText, len: usize) at pc -> WideTextMut { appends(to, from, len, pc) } wcsncat;
    ["__wrap_wcscmp"] compare(a: WideText, b: WideText) at pc -> c_int { compares(a, b, usize::MAX, pc) } wcscmp;
    ["__wrap_wcsncmp"] compare_some(a: WideText, b: WideText, len: usize) at pc -> c_int { compares(a, b, len, pc) } wcsncmp;
    ["__wrap_wcsrchr"] find_last(text: WideText, character: Wide) at pc -> WideTextMut { reads_text(text, pc) } wcsrchr;
    ["__wrap_wmemcpy"] copy_block(to: WideTextMut, from: WideText, len: usize) at pc -> WideTextMut { moves(to, from, len, pc) } wmemcpy;
    ["__wrap_wmemmove"] shift_block(to: WideTextMut, from: WideText, len: usize) at pc -> WideTextMut { moves(to, from, len, pc) } wmemmove;
    ["__wrap_wmempcpy"] copy_block_past(to: WideTextMut, from: WideText, len: usize) at pc -> WideTextMut { moves(to, from, len, pc) } wmempcpy;
    ["__wrap_wmemset"] fill_block(to: WideTextMut, character: Wide, len: usize) at pc -> WideTextMut { writes(to, len.saturating_mul(WIDTH), pc) } wmemset;
    ["__wrap___wcscpy_chk"] copy_checked(to: WideTextMut, from: WideText, room: usize) at pc -> WideTextMut { copies(to, from, pc) } __wcscpy_chk;
    ["__wrap___wcsncpy_chk"] copy_padded_checked(to: WideTextMut, from: WideText, len: usize, room: usize) at pc -> WideTextMut { copies_padded(to, from, len, pc) } __wcsncpy_chk;
    ["__wrap___wcscat_chk"] append_checked(to: WideTextMut, from: WideText, room: usize) at pc -> WideTextMut { appends(to, from, usize::MAX, pc) } __wcscat_chk;
    ["__wrap___wcsncat_chk"] append_some_checked(to: WideTextMut, from: WideText, len: usize, room: usize) at pc -> WideTextMut { appends(to, from, len, pc) } __wcsncat_chk;
    ["__wrap___wmemcpy_chk"] copy_block_checked(to: WideTextMut, from: WideText, len: usize, room: usize) at pc -> WideTextMut { moves(to, from, len, pc) } __wmemcpy_chk;
    ["__wrap___wmemmove_chk"] shift_block_checked(to: WideTextMut, from: WideText, len: usize, room: usize) at pc -> WideTextMut { moves(to, from, len, pc) } __wmemmove_chk;
    ["__wrap___wmemset_chk"] fill_block_checked(to: WideTextMut, character: Wide, len: usize, room: usize) at pc -> WideTextMut { writes(to, len.saturating_mul(WIDTH), pc) } __wmemset_chk;
}

export! {
    ["__wrap_wcslen"] fn count(text: WideText) at pc -> usize {
        // SAFETY: see above.
        unsafe { reads_text(text, pc) - 1 }
    }

    ["__wrap_wcsnlen"] fn count_some(text: WideText, limit: usize) at pc -> usize {
        // SAFETY: see above.
        unsafe { reads_prefix(text, limit, pc) }
    }

    ["__wrap_wcschr"] fn find(text: WideText, character: Wide) at pc -> WideTextMut {
        // SAFETY: see above.
        unsafe {
            let found = wcschr(text, character);
            searches(text, found, wide_length(text), pc);
            found
        }
    }

    ["__wrap_wcsstr"] fn find_text(hay: WideText, needle: WideText) at pc -> WideTextMut {
        // SAFETY: see above.
        unsafe {
            let found = wcsstr(hay, needle);
            let last = reads_text(needle, pc).saturating_sub(2);
            let end = if found.is_null() { found } else { found.wrapping_add(last) };
            searches(hay, end, wide_length(hay), pc);
            found
        }
    }

    ["__wrap_wcsdup"] fn duplicate(text: WideText) at pc -> WideTextMut {
        // SAFETY: see above.
        unsafe {
            let len = reads_text(text, pc);
            let copy = wcsdup(text);
            if !copy.is_null() {
                keeping_errno(|| {
                    heap::attribute(copy.cast(), pc);
                    writes(copy, len * WIDTH, pc);
                });
            }
            copy
        }
    }

    // As with `memcmp`, all characters are read: they must be there.
    ["__wrap_wmemcmp"] fn compare_block(a: WideText, b: WideText, len: usize) at pc -> c_int {
        reads(a, len.saturating_mul(WIDTH), pc);
        reads(b, len.saturating_mul(WIDTH), pc);
        // SAFETY: see above.
        unsafe { wmemcmp(a, b, len) }
    }

    ["__wrap_wmemchr"] fn find_in_block(text: WideText, character: Wide, len: usize) at pc -> WideTextMut {
        // SAFETY: see above.
        let found = unsafe { wmemchr(text, character, len) };
        searches(text, found, len, pc);
        found
    }

    ["__wrap_vswprintf"] fn print_list(to: WideTextMut, room: usize, format: WideText, list: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { prints(to, room, format, list, pc) }
    }
}

export_variadic! {
    ["__wrap_swprintf"] fn print(to: WideTextMut, room: usize, format: WideText; call) fixed 24 -> c_int {
        // SAFETY: see above.
        unsafe { prints(to, room, format, &mut call.arguments, call.pc) }
    }
}
