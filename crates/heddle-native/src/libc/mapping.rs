//! Memory mapped and unmapped by the program: its history ends with it.
//!
//! A mapping that is gone may come back elsewhere in the program's life, for another purpose; so both a
//! new mapping and one that ends are forgotten. (A parallel access to a mapping that ends is a crash in the
//! schedule where it comes too late; it is not reported.)

use super::BytesMut;
use crate::access;
use crate::shim::export;
use std::ffi::c_int;

/// A mapping's last page is unmapped whole.
const PAGE: usize = 4096;

fn forgotten(start: BytesMut, len: usize) {
    access::forget(
        start as usize,
        len.checked_next_multiple_of(PAGE).unwrap_or(len),
    );
}

/// `mmap` has six parameters, as many as there are registers for them; who called does not matter here.
#[unsafe(export_name = "__wrap_mmap")]
unsafe extern "C" fn map(
    start: BytesMut,
    len: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> BytesMut {
    // SAFETY: repeats the program's own call.
    let mapped = unsafe { ::libc::mmap(start, len, protection, flags, file, offset) };
    if mapped != ::libc::MAP_FAILED {
        forgotten(mapped, len);
    }
    mapped
}

/// The same function, for programs with explicit large files.
#[unsafe(export_name = "__wrap_mmap64")]
unsafe extern "C" fn map_large(
    start: BytesMut,
    len: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> BytesMut {
    // SAFETY: repeats the program's own call.
    unsafe { map(start, len, protection, flags, file, offset) }
}

export! {
    // Forgotten before: afterwards it may be another thread's mapping.
    ["__wrap_munmap"] fn unmap(start: BytesMut, len: usize) at _pc -> c_int {
        forgotten(start, len);
        // SAFETY: repeats the program's own call.
        unsafe { ::libc::munmap(start, len) }
    }

    ["__wrap_mremap"] fn remap(start: BytesMut, len: usize, new_len: usize, flags: c_int, to: BytesMut) at _pc -> BytesMut {
        forgotten(start, len);
        // SAFETY: repeats the program's own call; an address that is not asked for is not looked at.
        let mapped = unsafe { ::libc::mremap(start, len, new_len, flags, to) };
        if mapped != ::libc::MAP_FAILED {
            forgotten(mapped, new_len);
        }
        mapped
    }
}
