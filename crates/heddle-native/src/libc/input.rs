//! Formatted input.

use super::variadic::{Arguments, Call, export_variadic};
use super::{Text, format, reads_text};
use crate::descriptors;
use crate::shim::{behind, export, keeping_errno};
use std::ffi::c_int;

type File = *mut ::libc::FILE;

behind! {
    if present;
    fn __isoc99_vscanf(text: Text, arguments: *mut Arguments) -> c_int, or -1;
    fn __isoc99_vfscanf(file: File, text: Text, arguments: *mut Arguments) -> c_int, or -1;
    fn __isoc99_vsscanf(from: Text, text: Text, arguments: *mut Arguments) -> c_int, or -1;
    fn __isoc23_vscanf(text: Text, arguments: *mut Arguments) -> c_int, or -1;
    fn __isoc23_vfscanf(file: File, text: Text, arguments: *mut Arguments) -> c_int, or -1;
    fn __isoc23_vsscanf(from: Text, text: Text, arguments: *mut Arguments) -> c_int, or -1;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's;
// in particular, the arguments are those the format asks for.

/// Scans by `scan`, then says what was stored.
unsafe fn scanned(
    text: Text,
    arguments: &mut Arguments,
    pc: usize,
    scan: impl FnOnce(&mut Arguments) -> c_int,
) -> c_int {
    let walked = arguments.clone();
    let assigned = scan(arguments);
    // SAFETY: see above.
    keeping_errno(|| unsafe { format::scanned(text, walked, assigned, pc) });
    assigned
}

unsafe fn scanned_call(
    text: Text,
    call: &mut Call,
    scan: impl FnOnce(&mut Arguments) -> c_int,
) -> c_int {
    // SAFETY: see above.
    unsafe { scanned(text, &mut call.arguments, call.pc, scan) }
}

/// The same from a stream.
unsafe fn from_file(
    file: File,
    text: Text,
    call: &mut Call,
    scan: impl FnOnce(&mut Arguments) -> c_int,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        let assigned = scanned_call(text, call, scan);
        descriptors::scanned(file, call.pc);
        assigned
    }
}

export_variadic! {
    ["__wrap___isoc99_scanf", "__wrap_scanf"] fn scanf(text: Text; call) fixed 8 -> c_int {
        // SAFETY: see above.
        unsafe { scanned_call(text, call, |arguments| __isoc99_vscanf(text, arguments)) }
    }

    ["__wrap___isoc99_fscanf", "__wrap_fscanf"] fn fscanf(file: File, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe { from_file(file, text, call, |arguments| __isoc99_vfscanf(file, text, arguments)) }
    }

    ["__wrap___isoc99_sscanf", "__wrap_sscanf"] fn sscanf(from: Text, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(from, call.pc);
            scanned_call(text, call, |arguments| __isoc99_vsscanf(from, text, arguments))
        }
    }

    ["__wrap___isoc23_scanf"] fn scanf_c23(text: Text; call) fixed 8 -> c_int {
        // SAFETY: see above.
        unsafe { scanned_call(text, call, |arguments| __isoc23_vscanf(text, arguments)) }
    }

    ["__wrap___isoc23_fscanf"] fn fscanf_c23(file: File, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe { from_file(file, text, call, |arguments| __isoc23_vfscanf(file, text, arguments)) }
    }

    ["__wrap___isoc23_sscanf"] fn sscanf_c23(from: Text, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(from, call.pc);
            scanned_call(text, call, |arguments| __isoc23_vsscanf(from, text, arguments))
        }
    }
}

export! {
    ["__wrap___isoc99_vsscanf", "__wrap_vsscanf"] fn list_from_text(from: Text, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(from, pc);
            scanned(text, arguments, pc, |arguments| __isoc99_vsscanf(from, text, arguments))
        }
    }

    ["__wrap___isoc99_vfscanf", "__wrap_vfscanf"] fn list_from_file(file: File, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { scanned(text, arguments, pc, |arguments| __isoc99_vfscanf(file, text, arguments)) }
    }
}
