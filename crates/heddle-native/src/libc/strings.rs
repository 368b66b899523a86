//! Strings: what is read ends with the terminating zero, or earlier where the function stops earlier.

use super::{Text, TextMut, length, reads, reads_text, writes};
use crate::heap;
use crate::shim::{export, keeping_errno};
use std::ffi::{c_char, c_int};

unsafe extern "C" {
    fn strchrnul(text: Text, byte: c_int) -> TextMut;
    fn strcasestr(hay: Text, needle: Text) -> TextMut;
    fn __strcpy_chk(to: TextMut, from: Text, room: usize) -> TextMut;
    fn __stpcpy_chk(to: TextMut, from: Text, room: usize) -> TextMut;
    fn __strncpy_chk(to: TextMut, from: Text, len: usize, room: usize) -> TextMut;
    fn __strcat_chk(to: TextMut, from: Text, room: usize) -> TextMut;
    fn __strncat_chk(to: TextMut, from: Text, len: usize, room: usize) -> TextMut;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's;
// in particular, strings end.

/// Copies a whole string.
unsafe fn copies(to: TextMut, from: Text, pc: usize) {
    // SAFETY: see above.
    let len = unsafe { reads_text(from, pc) };
    writes(to, len + 1, pc);
}

/// Copies up to `len` characters and fills the rest with zeros.
unsafe fn copies_padded(to: TextMut, from: Text, len: usize, pc: usize) {
    // SAFETY: see above.
    unsafe { reads_prefix(from, len, pc) };
    writes(to, len, pc);
}

/// Adds up to `limit` characters and a zero.
unsafe fn appends(to: TextMut, from: Text, limit: usize, pc: usize) {
    // SAFETY: see above.
    unsafe {
        let more = reads_prefix(from, limit, pc);
        let len = length(to);
        reads(to, len, pc);
        writes((to as usize + len) as TextMut, more + 1, pc);
    }
}

/// Reads a string, but no more than `limit` characters. Returns its length so limited.
unsafe fn reads_prefix(text: Text, limit: usize, pc: usize) -> usize {
    // SAFETY: see above.
    let len = unsafe { ::libc::strnlen(text, limit) };
    reads(text, limit.min(len.saturating_add(1)), pc);
    len
}

/// How characters are compared.
#[derive(Clone, Copy)]
enum Case {
    Matters,
    DoesNot,
}

/// Reads two strings to where they differ or end, or `limit` characters of each.
unsafe fn compares(a: Text, b: Text, limit: usize, case: Case, pc: usize) {
    let fold = |byte: c_char| match case {
        Case::Matters => byte as u8,
        Case::DoesNot => (byte as u8).to_ascii_lowercase(),
    };
    let mut len = 0;
    while len < limit {
        // SAFETY: see above: neither string has ended before.
        let (x, y) = unsafe { (*a.add(len), *b.add(len)) };
        len += 1;
        if fold(x) != fold(y) || x == 0 {
            break;
        }
    }
    reads(a, len, pc);
    reads(b, len, pc);
}

/// Reads a string to the character found, or to its end.
unsafe fn searches(text: Text, found: TextMut, pc: usize) {
    if found.is_null() {
        // SAFETY: see above.
        unsafe { reads_text(text, pc) };
    } else {
        reads(text, found as usize - text as usize + 1, pc);
    }
}

/// A copy on the heap, made by the library for the program.
unsafe fn duplicated(copy: TextMut, pc: usize) -> TextMut {
    if !copy.is_null() {
        keeping_errno(|| {
            heap::attribute(copy.cast(), pc);
            // SAFETY: see above.
            writes(copy, unsafe { length(copy) } + 1, pc);
        });
    }
    copy
}

export! {
    ["__wrap_strlen"] fn strlen(text: Text) at pc -> usize {
        // SAFETY: see above.
        unsafe { reads_text(text, pc) }
    }

    ["__wrap_strnlen"] fn strnlen(text: Text, limit: usize) at pc -> usize {
        // SAFETY: see above.
        unsafe { reads_prefix(text, limit, pc) }
    }

    ["__wrap_strcpy"] fn strcpy(to: TextMut, from: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies(to, from, pc);
            ::libc::strcpy(to, from)
        }
    }

    ["__wrap_stpcpy"] fn stpcpy(to: TextMut, from: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies(to, from, pc);
            ::libc::stpcpy(to, from)
        }
    }

    ["__wrap_strncpy"] fn strncpy(to: TextMut, from: Text, len: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies_padded(to, from, len, pc);
            ::libc::strncpy(to, from, len)
        }
    }

    ["__wrap_strcat"] fn strcat(to: TextMut, from: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            appends(to, from, usize::MAX, pc);
            ::libc::strcat(to, from)
        }
    }

    ["__wrap_strncat"] fn strncat(to: TextMut, from: Text, len: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            appends(to, from, len, pc);
            ::libc::strncat(to, from, len)
        }
    }

    ["__wrap___strcpy_chk"] fn strcpy_checked(to: TextMut, from: Text, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies(to, from, pc);
            __strcpy_chk(to, from, room)
        }
    }

    ["__wrap___stpcpy_chk"] fn stpcpy_checked(to: TextMut, from: Text, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies(to, from, pc);
            __stpcpy_chk(to, from, room)
        }
    }

    ["__wrap___strncpy_chk"] fn strncpy_checked(to: TextMut, from: Text, len: usize, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            copies_padded(to, from, len, pc);
            __strncpy_chk(to, from, len, room)
        }
    }

    ["__wrap___strcat_chk"] fn strcat_checked(to: TextMut, from: Text, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            appends(to, from, usize::MAX, pc);
            __strcat_chk(to, from, room)
        }
    }

    ["__wrap___strncat_chk"] fn strncat_checked(to: TextMut, from: Text, len: usize, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            appends(to, from, len, pc);
            __strncat_chk(to, from, len, room)
        }
    }

    ["__wrap_strcmp"] fn strcmp(a: Text, b: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            compares(a, b, usize::MAX, Case::Matters, pc);
            ::libc::strcmp(a, b)
        }
    }

    ["__wrap_strncmp"] fn strncmp(a: Text, b: Text, len: usize) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            compares(a, b, len, Case::Matters, pc);
            ::libc::strncmp(a, b, len)
        }
    }

    ["__wrap_strcasecmp"] fn strcasecmp(a: Text, b: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            compares(a, b, usize::MAX, Case::DoesNot, pc);
            ::libc::strcasecmp(a, b)
        }
    }

    ["__wrap_strncasecmp"] fn strncasecmp(a: Text, b: Text, len: usize) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            compares(a, b, len, Case::DoesNot, pc);
            ::libc::strncasecmp(a, b, len)
        }
    }

    ["__wrap_strcoll"] fn strcoll(a: Text, b: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(a, pc);
            reads_text(b, pc);
            ::libc::strcoll(a, b)
        }
    }

    ["__wrap_strchr"] fn strchr(text: Text, byte: c_int) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let found = ::libc::strchr(text, byte);
            searches(text, found, pc);
            found
        }
    }

    ["__wrap_strchrnul"] fn strchr_or_end(text: Text, byte: c_int) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let found = strchrnul(text, byte);
            searches(text, found, pc);
            found
        }
    }

    ["__wrap_strrchr"] fn strrchr(text: Text, byte: c_int) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_text(text, pc);
            ::libc::strrchr(text, byte)
        }
    }

    ["__wrap_strstr"] fn strstr(hay: Text, needle: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let found = ::libc::strstr(hay, needle);
            let len = reads_text(needle, pc);
            searches(hay, found.wrapping_add(if found.is_null() { 0 } else { len.max(1) - 1 }), pc);
            found
        }
    }

    ["__wrap_strcasestr"] fn strstr_any_case(hay: Text, needle: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let found = strcasestr(hay, needle);
            let len = reads_text(needle, pc);
            searches(hay, found.wrapping_add(if found.is_null() { 0 } else { len.max(1) - 1 }), pc);
            found
        }
    }

    ["__wrap_strspn"] fn strspn(text: Text, set: Text) at pc -> usize {
        // SAFETY: see above.
        unsafe {
            reads_text(set, pc);
            let len = ::libc::strspn(text, set);
            reads(text, len + 1, pc);
            len
        }
    }

    ["__wrap_strcspn"] fn strcspn(text: Text, set: Text) at pc -> usize {
        // SAFETY: see above.
        unsafe {
            reads_text(set, pc);
            let len = ::libc::strcspn(text, set);
            reads(text, len + 1, pc);
            len
        }
    }

    ["__wrap_strpbrk"] fn strpbrk(text: Text, set: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_text(set, pc);
            let found = ::libc::strpbrk(text, set);
            searches(text, found, pc);
            found
        }
    }

    ["__wrap_strdup"] fn strdup(text: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_text(text, pc);
            duplicated(::libc::strdup(text), pc)
        }
    }

    ["__wrap_strndup"] fn strndup(text: Text, limit: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_prefix(text, limit, pc);
            duplicated(::libc::strndup(text, limit), pc)
        }
    }

    // Writes a zero behind each token and remembers where it is, in a place of the caller's.
    ["__wrap_strtok_r", "__wrap___strtok_r"] fn strtok_in(text: TextMut, set: Text, place: *mut TextMut) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_text(set, pc);
            let start = if text.is_null() { *place } else { text };
            let len = if start.is_null() { 0 } else { reads_text(start, pc) };
            let token = ::libc::strtok_r(text, set, place);
            writes(place, size_of::<TextMut>(), pc);
            ends_token(token, start as usize + len, pc);
            token
        }
    }

    // Remembers where it is in a place of the library's, which all tasks share.
    ["__wrap_strtok"] fn strtok(text: TextMut, set: Text) at pc -> TextMut {
        // SAFETY: see above. The place stands for the library's own; only its address is used.
        unsafe {
            writes(&raw const STRTOK_PLACE, 1, pc);
            reads_text(set, pc);
            let end = if text.is_null() { 0 } else { text as usize + reads_text(text, pc) };
            let token = ::libc::strtok(text, set);
            ends_token(token, end, pc);
            token
        }
    }
}

static STRTOK_PLACE: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A zero was written behind the token, unless it reaches to `end`, the end of the string. (Where `strtok`
/// goes on in a string, its end is not known here, and the zero it writes is not seen.)
unsafe fn ends_token(token: TextMut, end: usize, pc: usize) {
    if token.is_null() {
        return;
    }
    // SAFETY: see above.
    let behind = token as usize + unsafe { length(token) };
    if behind < end {
        writes(behind as TextMut, 1, pc);
    }
}
