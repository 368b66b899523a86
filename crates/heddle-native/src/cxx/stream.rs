//! Streams: each has a state that formatted output and input write, in functions of the library. Two threads that put
//! something into one `std::ostringstream` race on it.
//!
//! Several threads may use the standard streams (`std::cout`), so those are left out. Of what the library does only
//! that one write is told: the field that every such call writes.
//!
//! Where the library's functions call each other, what the program has called counts.

use crate::access;
use crate::shim::{behind, export};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_long, c_longlong, c_short, c_uint, c_ulong, c_ulonglong, c_void};
use std::sync::OnceLock;

/// The part of a stream that output is put into, or input is taken from.
type Stream = *mut c_void;

/// Where, before the functions of its class, a stream says how far away its state is.
const TO_STATE: isize = -24;
/// The width of a field in that state: a table of functions and the precision come first.
const WIDTH: usize = 16;
/// How many letters were taken, in a stream for input: its table of functions comes first.
const TAKEN: usize = 8;

thread_local! {
    /// Whether the thread is in such a function.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread is in a function of a stream until this is dropped: the function may throw.
struct Inside {
    was: bool,
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.was);
    }
}

/// A call at `pc` puts something into the stream.
///
/// # Safety
/// It is a stream of the library's.
unsafe fn puts(stream: Stream, pc: usize) -> Inside {
    // SAFETY: a stream begins with the address of its table, before which stands how far away its state is.
    let state = unsafe {
        let table = stream.cast::<*const u8>().read();
        let offset = table.offset(TO_STATE).cast::<isize>().read();
        stream.wrapping_byte_offset(offset)
    };
    enters(stream, state as usize + WIDTH, pc)
}

/// A call at `pc` takes something from the stream.
fn takes(stream: Stream, pc: usize) -> Inside {
    enters(stream, stream as usize + TAKEN, pc)
}

fn enters(stream: Stream, written: usize, pc: usize) -> Inside {
    let was = INSIDE.replace(true);
    if !was && !is_standard(stream) {
        access::write(written, size_of::<isize>(), pc);
    }
    Inside { was }
}

/// Whether it is one of those that several threads may use.
fn is_standard(stream: Stream) -> bool {
    static STANDARD: OnceLock<[usize; 4]> = OnceLock::new();
    let standard = STANDARD.get_or_init(|| {
        let names = [c"_ZSt4cout", c"_ZSt4cerr", c"_ZSt4clog", c"_ZSt3cin"];
        // SAFETY: a search by name.
        names.map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize)
    });
    standard.contains(&(stream as usize))
}

/// Functions that put or take one value, in a register of the ordinary sort.
macro_rules! calls {
    ($($how:ident $symbol:ident $literal:literal $name:ident $value:ty;)*) => {
        mod real {
            use super::*;
            behind! {
                if present;
                $(fn $symbol(stream: Stream, value: $value) -> Stream, or stream;)*
            }
        }

        export! {$(
            [$literal] fn $name(stream: Stream, value: $value) at pc -> Stream {
                // SAFETY: the program's stream, and the function that it calls.
                unsafe {
                    let _inside = $how(stream, pc);
                    real::$symbol(stream, value)
                }
            }
        )*}
    };
}

calls! {
    puts _ZNSolsEi "_ZNSolsEi" put_int c_int;
    puts _ZNSolsEs "_ZNSolsEs" put_short c_short;
    puts _ZNSo9_M_insertIbEERSoT_ "_ZNSo9_M_insertIbEERSoT_" put_bool bool;
    puts _ZNSo9_M_insertIlEERSoT_ "_ZNSo9_M_insertIlEERSoT_" put_long c_long;
    puts _ZNSo9_M_insertImEERSoT_ "_ZNSo9_M_insertImEERSoT_" put_unsigned_long c_ulong;
    puts _ZNSo9_M_insertIxEERSoT_ "_ZNSo9_M_insertIxEERSoT_" put_long_long c_longlong;
    puts _ZNSo9_M_insertIyEERSoT_ "_ZNSo9_M_insertIyEERSoT_" put_unsigned_long_long c_ulonglong;
    puts _ZNSo9_M_insertIPKvEERSoT_ "_ZNSo9_M_insertIPKvEERSoT_" put_address *const c_void;
    puts _ZNSo3putEc "_ZNSo3putEc" put_letter c_char;
    takes _ZNSirsERi "_ZNSirsERi" take_int *mut c_int;
    takes _ZNSirsERs "_ZNSirsERs" take_short *mut c_short;
    takes _ZNSi10_M_extractIjEERSiRT_ "_ZNSi10_M_extractIjEERSiRT_" take_unsigned *mut c_uint;
    takes _ZNSi10_M_extractIlEERSiRT_ "_ZNSi10_M_extractIlEERSiRT_" take_long *mut c_long;
    takes _ZNSi10_M_extractImEERSiRT_ "_ZNSi10_M_extractImEERSiRT_" take_unsigned_long *mut c_ulong;
    takes _ZNSi10_M_extractIdEERSiRT_ "_ZNSi10_M_extractIdEERSiRT_" take_double *mut f64;
    takes _ZNSi10_M_extractIfEERSiRT_ "_ZNSi10_M_extractIfEERSiRT_" take_float *mut f32;
}

mod more {
    use super::*;
    behind! {
        if present;
        fn _ZNSo9_M_insertIdEERSoT_(stream: Stream, value: f64) -> Stream, or stream;
        fn _ZNSo5flushEv(stream: Stream) -> Stream, or stream;
        fn _ZNSo5writeEPKcl(stream: Stream, text: *const c_char, len: isize) -> Stream, or stream;
        fn _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(stream: Stream, text: *const c_char, len: isize) -> Stream, or stream;
    }
}

export! {
    ["_ZNSo9_M_insertIdEERSoT_"] fn put_double(stream: Stream; value: f64) at pc -> Stream {
        // SAFETY: the program's stream, and the function that it calls.
        unsafe {
            let _inside = puts(stream, pc);
            more::_ZNSo9_M_insertIdEERSoT_(stream, value)
        }
    }

    ["_ZNSo5flushEv"] fn flush(stream: Stream) at pc -> Stream {
        // SAFETY: as above.
        unsafe {
            let _inside = puts(stream, pc);
            more::_ZNSo5flushEv(stream)
        }
    }

    ["_ZNSo5writeEPKcl"] fn write(stream: Stream, text: *const c_char, len: isize) at pc -> Stream {
        // SAFETY: as above.
        unsafe {
            let _inside = puts(stream, pc);
            more::_ZNSo5writeEPKcl(stream, text, len)
        }
    }

    ["_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l"] fn put_text(stream: Stream, text: *const c_char, len: isize) at pc -> Stream {
        // SAFETY: as above.
        unsafe {
            let _inside = puts(stream, pc);
            more::_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(stream, text, len)
        }
    }
}
