//! Copying, filling, comparing and searching bytes.

use super::{Bytes, BytesMut, reads, writes};
use crate::shim::export;
use std::ffi::c_int;

unsafe extern "C" {
    fn __memcpy_chk(to: BytesMut, from: Bytes, len: usize, room: usize) -> BytesMut;
    fn __memmove_chk(to: BytesMut, from: Bytes, len: usize, room: usize) -> BytesMut;
    fn __mempcpy_chk(to: BytesMut, from: Bytes, len: usize, room: usize) -> BytesMut;
    fn __memset_chk(to: BytesMut, byte: c_int, len: usize, room: usize) -> BytesMut;
    fn mempcpy(to: BytesMut, from: Bytes, len: usize) -> BytesMut;
    fn bcmp(a: Bytes, b: Bytes, len: usize) -> c_int;
    fn bzero(to: BytesMut, len: usize);
    fn explicit_bzero(to: BytesMut, len: usize);
    fn rawmemchr(from: Bytes, byte: c_int) -> BytesMut;
}

fn copies(to: BytesMut, from: Bytes, len: usize, pc: usize) {
    reads(from, len, pc);
    writes(to, len, pc);
}

// SAFETY of the calls below: each repeats the program's own call, so its contract is the program's.
export! {
    ["__wrap_memcpy", "__tsan_memcpy"] fn copy(to: BytesMut, from: Bytes, len: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { ::libc::memcpy(to, from, len) }
    }

    ["__wrap_memmove", "__tsan_memmove"] fn shift(to: BytesMut, from: Bytes, len: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { ::libc::memmove(to, from, len) }
    }

    ["__wrap_memset", "__tsan_memset"] fn fill(to: BytesMut, byte: c_int, len: usize) at pc -> BytesMut {
        writes(to, len, pc);
        // SAFETY: see above.
        unsafe { ::libc::memset(to, byte, len) }
    }

    ["__wrap_mempcpy"] fn copy_past(to: BytesMut, from: Bytes, len: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { mempcpy(to, from, len) }
    }

    ["__wrap___memcpy_chk"] fn copy_checked(to: BytesMut, from: Bytes, len: usize, room: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { __memcpy_chk(to, from, len, room) }
    }

    ["__wrap___memmove_chk"] fn shift_checked(to: BytesMut, from: Bytes, len: usize, room: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { __memmove_chk(to, from, len, room) }
    }

    ["__wrap___mempcpy_chk"] fn copy_past_checked(to: BytesMut, from: Bytes, len: usize, room: usize) at pc -> BytesMut {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { __mempcpy_chk(to, from, len, room) }
    }

    ["__wrap___memset_chk"] fn fill_checked(to: BytesMut, byte: c_int, len: usize, room: usize) at pc -> BytesMut {
        writes(to, len, pc);
        // SAFETY: see above.
        unsafe { __memset_chk(to, byte, len, room) }
    }

    ["__wrap_bcopy"] fn copy_backwards(from: Bytes, to: BytesMut, len: usize) at pc {
        copies(to, from, len, pc);
        // SAFETY: see above.
        unsafe { ::libc::memmove(to, from, len) };
    }

    ["__wrap_bzero"] fn clear(to: BytesMut, len: usize) at pc {
        writes(to, len, pc);
        // SAFETY: see above.
        unsafe { bzero(to, len) };
    }

    ["__wrap_explicit_bzero"] fn clear_surely(to: BytesMut, len: usize) at pc {
        writes(to, len, pc);
        // SAFETY: see above.
        unsafe { explicit_bzero(to, len) };
    }

    // Whether a comparison stops at the first difference is not said, so all bytes are read: they
    // must be there, and their value may matter.
    ["__wrap_memcmp"] fn compare(a: Bytes, b: Bytes, len: usize) at pc -> c_int {
        reads(a, len, pc);
        reads(b, len, pc);
        // SAFETY: see above.
        unsafe { ::libc::memcmp(a, b, len) }
    }

    ["__wrap_bcmp"] fn differ(a: Bytes, b: Bytes, len: usize) at pc -> c_int {
        reads(a, len, pc);
        reads(b, len, pc);
        // SAFETY: see above.
        unsafe { bcmp(a, b, len) }
    }

    ["__wrap_memchr"] fn find(from: Bytes, byte: c_int, len: usize) at pc -> BytesMut {
        // SAFETY: see above.
        let found = unsafe { ::libc::memchr(from, byte, len) };
        reads(from, passed(from, found, len), pc);
        found
    }

    ["__wrap_rawmemchr"] fn find_surely(from: Bytes, byte: c_int) at pc -> BytesMut {
        // SAFETY: see above.
        let found = unsafe { rawmemchr(from, byte) };
        reads(from, passed(from, found, 0), pc);
        found
    }

    ["__wrap_memrchr"] fn find_last(from: Bytes, byte: c_int, len: usize) at pc -> BytesMut {
        // SAFETY: see above.
        let found = unsafe { ::libc::memrchr(from, byte, len) };
        let skipped = passed(from, found, 1) - 1;
        reads((from as usize + skipped) as Bytes, len - skipped.min(len), pc);
        found
    }

    ["__wrap_memmem"] fn find_bytes(hay: Bytes, hay_len: usize, needle: Bytes, needle_len: usize) at pc -> BytesMut {
        reads(needle, needle_len, pc);
        // SAFETY: see above.
        let found = unsafe { ::libc::memmem(hay, hay_len, needle, needle_len) };
        let end = passed(hay, found, hay_len).saturating_sub(1) + needle_len;
        reads(hay, if found.is_null() { hay_len } else { end }, pc);
        found
    }
}

/// The bytes looked at from `from` to the one found; `all` if none was.
fn passed(from: Bytes, found: BytesMut, all: usize) -> usize {
    if found.is_null() {
        all
    } else {
        found as usize - from as usize + 1
    }
}
