//! Formatted output.

use super::variadic::{Arguments, export_variadic};
use super::{Text, TextMut, format, writes};
use crate::descriptors::{prints, releases};
use crate::shim::export;
use std::ffi::c_int;

type File = *mut ::libc::FILE;

unsafe extern "C" {
    fn vprintf(format: Text, arguments: *mut Arguments) -> c_int;
    fn vfprintf(file: File, format: Text, arguments: *mut Arguments) -> c_int;
    fn vdprintf(descriptor: c_int, format: Text, arguments: *mut Arguments) -> c_int;
    fn vsprintf(to: TextMut, format: Text, arguments: *mut Arguments) -> c_int;
    fn vsnprintf(to: TextMut, room: usize, format: Text, arguments: *mut Arguments) -> c_int;
    fn vasprintf(to: *mut TextMut, format: Text, arguments: *mut Arguments) -> c_int;
    fn __vprintf_chk(flag: c_int, format: Text, arguments: *mut Arguments) -> c_int;
    fn __vfprintf_chk(file: File, flag: c_int, format: Text, arguments: *mut Arguments) -> c_int;
    fn __vsprintf_chk(
        to: TextMut,
        flag: c_int,
        room: usize,
        format: Text,
        arguments: *mut Arguments,
    ) -> c_int;
    fn __vsnprintf_chk(
        to: TextMut,
        len: usize,
        flag: c_int,
        room: usize,
        format: Text,
        arguments: *mut Arguments,
    ) -> c_int;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's;
// in particular, the arguments are those the format asks for.

/// Text of `len` characters (negative: an error) was printed into a place for `room` bytes.
fn printed_into(to: TextMut, room: usize, len: c_int, pc: usize) {
    if let Ok(len) = usize::try_from(len) {
        writes(to, room.min(len + 1), pc);
    }
}

unsafe fn to_stdout(text: Text, arguments: &mut Arguments, pc: usize) -> c_int {
    // SAFETY: see above.
    unsafe {
        format::printed(text, arguments.clone(), pc);
        vprintf(text, arguments)
    }
}

unsafe fn to_file(file: File, text: Text, arguments: &mut Arguments, pc: usize) -> c_int {
    // SAFETY: see above.
    unsafe {
        format::printed(text, arguments.clone(), pc);
        prints(file, pc);
        vfprintf(file, text, arguments)
    }
}

unsafe fn to_buffer(
    to: TextMut,
    room: usize,
    text: Text,
    arguments: &mut Arguments,
    pc: usize,
) -> c_int {
    // SAFETY: see above. `vsnprintf` refuses a size over what an `int` can count.
    unsafe {
        format::printed(text, arguments.clone(), pc);
        let len = match room {
            usize::MAX => vsprintf(to, text, arguments),
            room => vsnprintf(to, room, text, arguments),
        };
        printed_into(to, room, len, pc);
        len
    }
}

unsafe fn to_new_buffer(
    to: *mut TextMut,
    text: Text,
    arguments: &mut Arguments,
    pc: usize,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        format::printed(text, arguments.clone(), pc);
        let len = vasprintf(to, text, arguments);
        super::fills(to, pc);
        if len >= 0 {
            crate::heap::attribute((*to).cast(), pc);
            printed_into(*to, usize::MAX, len, pc);
        }
        len
    }
}

export_variadic! {
    ["__wrap_printf"] fn printf(text: Text; call) fixed 8 -> c_int {
        // SAFETY: see above.
        unsafe { to_stdout(text, &mut call.arguments, call.pc) }
    }

    ["__wrap_fprintf"] fn fprintf(file: File, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe { to_file(file, text, &mut call.arguments, call.pc) }
    }

    ["__wrap_dprintf"] fn dprintf(descriptor: c_int, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe {
            format::printed(text, call.arguments.clone(), call.pc);
            releases(descriptor, call.pc);
            vdprintf(descriptor, text, &mut call.arguments)
        }
    }

    ["__wrap_sprintf"] fn sprintf(to: TextMut, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe { to_buffer(to, usize::MAX, text, &mut call.arguments, call.pc) }
    }

    ["__wrap_snprintf"] fn snprintf(to: TextMut, room: usize, text: Text; call) fixed 24 -> c_int {
        // SAFETY: see above.
        unsafe { to_buffer(to, room, text, &mut call.arguments, call.pc) }
    }

    ["__wrap_asprintf"] fn asprintf(to: *mut TextMut, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe { to_new_buffer(to, text, &mut call.arguments, call.pc) }
    }

    ["__wrap___printf_chk"] fn printf_checked(flag: c_int, text: Text; call) fixed 16 -> c_int {
        // SAFETY: see above.
        unsafe {
            format::printed(text, call.arguments.clone(), call.pc);
            __vprintf_chk(flag, text, &mut call.arguments)
        }
    }

    ["__wrap___fprintf_chk"] fn fprintf_checked(file: File, flag: c_int, text: Text; call) fixed 24 -> c_int {
        // SAFETY: see above.
        unsafe {
            format::printed(text, call.arguments.clone(), call.pc);
            prints(file, call.pc);
            __vfprintf_chk(file, flag, text, &mut call.arguments)
        }
    }

    ["__wrap___sprintf_chk"] fn sprintf_checked(to: TextMut, flag: c_int, room: usize, text: Text; call) fixed 32 -> c_int {
        // SAFETY: see above.
        unsafe {
            format::printed(text, call.arguments.clone(), call.pc);
            let len = __vsprintf_chk(to, flag, room, text, &mut call.arguments);
            printed_into(to, room, len, call.pc);
            len
        }
    }

    ["__wrap___snprintf_chk"] fn snprintf_checked(to: TextMut, len: usize, flag: c_int, room: usize, text: Text; call) fixed 40 -> c_int {
        // SAFETY: see above.
        unsafe {
            format::printed(text, call.arguments.clone(), call.pc);
            let printed = __vsnprintf_chk(to, len, flag, room, text, &mut call.arguments);
            printed_into(to, len, printed, call.pc);
            printed
        }
    }
}

export! {
    ["__wrap_vprintf"] fn list_to_stdout(text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { to_stdout(text, arguments, pc) }
    }

    ["__wrap_vfprintf"] fn list_to_file(file: File, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { to_file(file, text, arguments, pc) }
    }

    ["__wrap_vsprintf"] fn list_to_text(to: TextMut, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { to_buffer(to, usize::MAX, text, arguments, pc) }
    }

    ["__wrap_vsnprintf"] fn list_to_buffer(to: TextMut, room: usize, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { to_buffer(to, room, text, arguments, pc) }
    }

    ["__wrap_vasprintf"] fn list_to_new_buffer(to: *mut TextMut, text: Text, arguments: &mut Arguments) at pc -> c_int {
        // SAFETY: see above.
        unsafe { to_new_buffer(to, text, arguments, pc) }
    }
}
