//! Numbers from text, parts of numbers, and times.

use super::{Text, TextMut, fills, reads, reads_text, writes};
use crate::shim::{behind, export, keeping_errno};
use ::libc::{time_t, tm};
use std::ffi::{c_char, c_int, c_long, c_ulong};

unsafe extern "C" {
    fn strtof(text: Text, end: *mut TextMut) -> f32;
    fn frexp(value: f64, exponent: *mut c_int) -> f64;
    fn frexpf(value: f32, exponent: *mut c_int) -> f32;
    fn modf(value: f64, whole: *mut f64) -> f64;
    fn modff(value: f32, whole: *mut f32) -> f32;
    fn sincos(angle: f64, sine: *mut f64, cosine: *mut f64);
    fn sincosf(angle: f32, sine: *mut f32, cosine: *mut f32);
    fn strftime(to: TextMut, room: usize, format: Text, time: *const tm) -> usize;
}

behind! {
    if present;
    fn __isoc23_strtol(text: Text, end: *mut TextMut, base: c_int) -> c_long, or 0;
    fn __isoc23_strtoul(text: Text, end: *mut TextMut, base: c_int) -> c_ulong, or 0;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.

/// Converts by `convert`, which says where it stopped, and reads up to there.
unsafe fn converts<T>(
    text: Text,
    end: *mut TextMut,
    pc: usize,
    convert: impl FnOnce(*mut TextMut) -> T,
) -> T {
    let mut stop = text.cast_mut();
    let value = convert(&mut stop);
    keeping_errno(|| {
        reads(text, (stop as usize).saturating_sub(text as usize) + 1, pc);
        fills(end, pc);
        if !end.is_null() {
            // SAFETY: see above: a place for the end.
            unsafe { end.write(stop) };
        }
    });
    value
}

export! {
    ["__wrap_strtol", "__wrap_strtoll"] fn to_long(text: Text, end: *mut TextMut, base: c_int) at pc -> c_long {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| ::libc::strtol(text, stop, base)) }
    }

    ["__wrap_strtoul", "__wrap_strtoull"] fn to_unsigned(text: Text, end: *mut TextMut, base: c_int) at pc -> c_ulong {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| ::libc::strtoul(text, stop, base)) }
    }

    ["__wrap___isoc23_strtol", "__wrap___isoc23_strtoll"] fn to_long_c23(text: Text, end: *mut TextMut, base: c_int) at pc -> c_long {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| __isoc23_strtol(text, stop, base)) }
    }

    ["__wrap___isoc23_strtoul", "__wrap___isoc23_strtoull"] fn to_unsigned_c23(text: Text, end: *mut TextMut, base: c_int) at pc -> c_ulong {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| __isoc23_strtoul(text, stop, base)) }
    }

    ["__wrap_strtod"] fn to_double(text: Text, end: *mut TextMut) at pc -> f64 {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| ::libc::strtod(text, stop)) }
    }

    ["__wrap_strtof"] fn to_float(text: Text, end: *mut TextMut) at pc -> f32 {
        // SAFETY: see above.
        unsafe { converts(text, end, pc, |stop| strtof(text, stop)) }
    }

    ["__wrap_atoi"] fn to_int(text: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe { converts(text, std::ptr::null_mut(), pc, |stop| ::libc::strtol(text, stop, 10) as c_int) }
    }

    ["__wrap_atol", "__wrap_atoll"] fn to_plain_long(text: Text) at pc -> c_long {
        // SAFETY: see above.
        unsafe { converts(text, std::ptr::null_mut(), pc, |stop| ::libc::strtol(text, stop, 10)) }
    }

    ["__wrap_atof"] fn to_plain_double(text: Text) at pc -> f64 {
        // SAFETY: see above.
        unsafe { converts(text, std::ptr::null_mut(), pc, |stop| ::libc::strtod(text, stop)) }
    }

    ["__wrap_frexp"] fn split(exponent: *mut c_int; value: f64) at pc -> f64 {
        fills(exponent, pc);
        // SAFETY: see above.
        unsafe { frexp(value, exponent) }
    }

    ["__wrap_frexpf"] fn split_float(exponent: *mut c_int; value: f32) at pc -> f32 {
        fills(exponent, pc);
        // SAFETY: see above.
        unsafe { frexpf(value, exponent) }
    }

    ["__wrap_modf"] fn whole_part(whole: *mut f64; value: f64) at pc -> f64 {
        fills(whole, pc);
        // SAFETY: see above.
        unsafe { modf(value, whole) }
    }

    ["__wrap_modff"] fn whole_part_float(whole: *mut f32; value: f32) at pc -> f32 {
        fills(whole, pc);
        // SAFETY: see above.
        unsafe { modff(value, whole) }
    }

    ["__wrap_sincos"] fn sine_and_cosine(sine: *mut f64, cosine: *mut f64; angle: f64) at pc {
        fills(sine, pc);
        fills(cosine, pc);
        // SAFETY: see above.
        unsafe { sincos(angle, sine, cosine) };
    }

    ["__wrap_sincosf"] fn sine_and_cosine_float(sine: *mut f32, cosine: *mut f32; angle: f32) at pc {
        fills(sine, pc);
        fills(cosine, pc);
        // SAFETY: see above.
        unsafe { sincosf(angle, sine, cosine) };
    }

    ["__wrap_time"] fn time(to: *mut time_t) at pc -> time_t {
        fills(to, pc);
        // SAFETY: see above.
        unsafe { ::libc::time(to) }
    }

    ["__wrap_mktime"] fn mktime(time: *mut tm) at pc -> time_t {
        fills(time, pc);
        // SAFETY: see above.
        unsafe { ::libc::mktime(time) }
    }

    // These return a place of the library's that all tasks share: to call one is to write there.
    ["__wrap_localtime"] fn localtime(time: *const time_t) at pc -> *mut tm {
        reads(time, size_of::<time_t>(), pc);
        // SAFETY: see above.
        let result = unsafe { ::libc::localtime(time) };
        keeping_errno(|| fills(result, pc));
        result
    }

    ["__wrap_gmtime"] fn gmtime(time: *const time_t) at pc -> *mut tm {
        reads(time, size_of::<time_t>(), pc);
        // SAFETY: see above.
        let result = unsafe { ::libc::gmtime(time) };
        keeping_errno(|| fills(result, pc));
        result
    }

    ["__wrap_strftime"] fn print_time(to: TextMut, room: usize, format: Text, time: *const tm) at pc -> usize {
        // SAFETY: see above.
        unsafe {
            reads_text(format, pc);
            reads(time, size_of::<tm>(), pc);
            let len = strftime(to, room, format, time);
            writes(to, if len == 0 { 0 } else { len + size_of::<c_char>() }, pc);
            len
        }
    }
}
