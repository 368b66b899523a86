//! System calls that fill or read the program's memory.
//!
//! Taken over by name, for the program's calls and for those of libraries; the latter are passed on.

use super::{Bytes, BytesMut, Text, TextMut, fills, reads, reads_text, writes};
use crate::caller;
use crate::descriptors::{got, releases, scanned};
use crate::shim::{behind, export, keeping_errno};
use ::libc::{clockid_t, iovec, off_t, ssize_t, timespec, timeval};
use std::ffi::c_int;

type State = ::libc::stat;

behind! {
    fn read(file: c_int, to: BytesMut, len: usize) -> ssize_t, or -1;
    fn write(file: c_int, from: Bytes, len: usize) -> ssize_t, or -1;
    fn pread(file: c_int, to: BytesMut, len: usize, offset: off_t) -> ssize_t, or -1;
    fn pwrite(file: c_int, from: Bytes, len: usize, offset: off_t) -> ssize_t, or -1;
    fn readv(file: c_int, parts: *const iovec, count: c_int) -> ssize_t, or -1;
    fn writev(file: c_int, parts: *const iovec, count: c_int) -> ssize_t, or -1;
    fn getline(line: *mut TextMut, room: *mut usize, file: BytesMut) -> ssize_t, or -1;
    fn gettimeofday(to: *mut timeval, zone: BytesMut) -> c_int, or -1;
    fn clock_gettime(clock: clockid_t, to: *mut timespec) -> c_int, or -1;
    fn clock_getres(clock: clockid_t, to: *mut timespec) -> c_int, or -1;
    fn getcwd(to: TextMut, room: usize) -> TextMut, or std::ptr::null_mut();
    fn pipe(ends: *mut c_int) -> c_int, or -1;
    fn pipe2(ends: *mut c_int, flags: c_int) -> c_int, or -1;
    fn stat(path: Text, to: *mut State) -> c_int, or -1;
    fn lstat(path: Text, to: *mut State) -> c_int, or -1;
    fn fstat(file: c_int, to: *mut State) -> c_int, or -1;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.

/// `len` bytes were stored (negative: none) by a call at `pc`.
pub(super) fn stored(to: BytesMut, len: ssize_t, pc: usize) -> ssize_t {
    if len > 0 && caller::is_program(pc) {
        keeping_errno(|| writes(to, len as usize, pc));
    }
    len
}

/// The program, and no library, sends these bytes.
pub(super) fn sends(from: Bytes, len: usize, pc: usize) {
    if caller::is_program(pc) {
        keeping_errno(|| reads(from, len, pc));
    }
}

/// A call at `pc` that returned `status` has filled `to`.
fn filled<T>(to: *const T, status: c_int, pc: usize) -> c_int {
    if status == 0 && caller::is_program(pc) {
        keeping_errno(|| fills(to, pc));
    }
    status
}

/// A call at `pc` reads a path.
unsafe fn names(path: Text, pc: usize) {
    if caller::is_program(pc) {
        // SAFETY: see above.
        unsafe { reads_text(path, pc) };
    }
}

/// Tells `access` of each part of the first `len` bytes, and the list itself is read.
pub(super) unsafe fn parts(
    list: *const iovec,
    count: c_int,
    len: ssize_t,
    pc: usize,
    access: fn(Bytes, usize, usize),
) {
    let (Ok(count), Ok(mut left)) = (usize::try_from(count), usize::try_from(len)) else {
        return;
    };
    if !caller::is_program(pc) || list.is_null() {
        return;
    }
    reads(list, count * size_of::<iovec>(), pc);
    // SAFETY: see above: the list has that many parts.
    for part in unsafe { std::slice::from_raw_parts(list, count) } {
        let len = part.iov_len.min(left);
        access(part.iov_base, len, pc);
        left -= len;
    }
}

export! {
    ["read"] fn read_file(file: c_int, to: BytesMut, len: usize) at pc -> ssize_t {
        // SAFETY: see above.
        stored(to, got(file, unsafe { read(file, to, len) }, pc), pc)
    }

    ["write"] fn write_file(file: c_int, from: Bytes, len: usize) at pc -> ssize_t {
        sends(from, len, pc);
        releases(file, pc);
        // SAFETY: see above.
        unsafe { write(file, from, len) }
    }

    ["pread", "pread64"] fn read_at(file: c_int, to: BytesMut, len: usize, offset: off_t) at pc -> ssize_t {
        // SAFETY: see above.
        stored(to, got(file, unsafe { pread(file, to, len, offset) }, pc), pc)
    }

    ["pwrite", "pwrite64"] fn write_at(file: c_int, from: Bytes, len: usize, offset: off_t) at pc -> ssize_t {
        sends(from, len, pc);
        releases(file, pc);
        // SAFETY: see above.
        unsafe { pwrite(file, from, len, offset) }
    }

    ["readv"] fn read_parts(file: c_int, list: *const iovec, count: c_int) at pc -> ssize_t {
        // SAFETY: see above.
        unsafe {
            let len = got(file, readv(file, list, count), pc);
            keeping_errno(|| parts(list, count, len, pc, writes));
            len
        }
    }

    ["writev"] fn write_parts(file: c_int, list: *const iovec, count: c_int) at pc -> ssize_t {
        // SAFETY: see above.
        unsafe {
            parts(list, count, ssize_t::MAX, pc, reads);
            releases(file, pc);
            writev(file, list, count)
        }
    }

    ["getline"] fn read_line(line: *mut TextMut, room: *mut usize, file: BytesMut) at pc -> ssize_t {
        // SAFETY: see above.
        unsafe {
            let len = getline(line, room, file);
            scanned(file.cast(), pc);
            if len >= 0 && caller::is_program(pc) {
                keeping_errno(|| {
                    fills(line, pc);
                    fills(room, pc);
                    writes(*line, len as usize + 1, pc);
                });
            }
            len
        }
    }

    ["gettimeofday"] fn time_of_day(to: *mut timeval, zone: BytesMut) at pc -> c_int {
        // SAFETY: see above.
        filled(to, unsafe { gettimeofday(to, zone) }, pc)
    }

    ["clock_gettime"] fn time_of_clock(clock: clockid_t, to: *mut timespec) at pc -> c_int {
        // SAFETY: see above.
        filled(to, unsafe { clock_gettime(clock, to) }, pc)
    }

    ["clock_getres"] fn tick_of_clock(clock: clockid_t, to: *mut timespec) at pc -> c_int {
        // SAFETY: see above.
        filled(to, unsafe { clock_getres(clock, to) }, pc)
    }

    ["getcwd"] fn current_directory(to: TextMut, room: usize) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let path = getcwd(to, room);
            if !path.is_null() && path == to {
                stored(to.cast(), super::length(path) as ssize_t + 1, pc);
            }
            path
        }
    }

    ["pipe2"] fn make_pipe_with(ends: *mut c_int, flags: c_int) at pc -> c_int {
        // SAFETY: see above.
        filled(ends.cast::<[c_int; 2]>(), unsafe { pipe2(ends, flags) }, pc)
    }

    ["pipe"] fn make_pipe(ends: *mut c_int) at pc -> c_int {
        // SAFETY: see above.
        filled(ends.cast::<[c_int; 2]>(), unsafe { pipe(ends) }, pc)
    }

    ["stat", "stat64"] fn state_of_path(path: Text, to: *mut State) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            names(path, pc);
            filled(to, stat(path, to), pc)
        }
    }

    ["lstat", "lstat64"] fn state_of_link(path: Text, to: *mut State) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            names(path, pc);
            filled(to, lstat(path, to), pc)
        }
    }

    ["fstat", "fstat64"] fn state_of_file(file: c_int, to: *mut State) at pc -> c_int {
        // SAFETY: see above.
        filled(to, unsafe { fstat(file, to) }, pc)
    }
}
