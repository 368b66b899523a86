//! What the C library does to the program's memory.
//!
//! The library is not instrumented, so its functions are silent: here each says which bytes it reads
//! and writes before the real one is called, or after it where only the result tells.
//!
//! Functions whose names the C standard reserves (`mem...`, `str...`, `printf` and so on) are reached by
//! the linker's `--wrap`, which touches the program's own references only: [`WRAPPED`] is the list for
//! the link line. A program that has such a function all the same keeps it ([`crate::own_symbol`]). POSIX
//! functions (`read`, `send`, ...) are taken over by name, because a program may have a function of its own called
//! so; then it is the program's that runs, and nothing of this.

mod conversion;
mod exec;
mod format;
mod input;
mod loader;
mod mapping;
mod memory;
mod output;
mod positional;
mod posix;
mod sockets;
mod sorting;
mod stdio;
mod strings;
mod variadic;
mod wide;
mod wrapped;

use crate::access;
use std::ffi::{c_char, c_void};
pub use wrapped::WRAPPED;

type Text = *const c_char;
type TextMut = *mut c_char;
type Bytes = *const c_void;
type BytesMut = *mut c_void;

/// The call at `pc` reads `len` bytes.
#[inline]
fn reads<T>(from: *const T, len: usize, pc: usize) {
    if len != 0 {
        access::read(from as usize, len, pc);
    }
}

/// The call at `pc` writes `len` bytes.
#[inline]
fn writes<T>(to: *const T, len: usize, pc: usize) {
    if len != 0 {
        access::write(to as usize, len, pc);
    }
}

/// The call at `pc` writes a value through `to`, unless it is null.
#[inline]
fn fills<T>(to: *const T, pc: usize) {
    if !to.is_null() {
        writes(to, size_of::<T>(), pc);
    }
}

/// The length of a string.
///
/// # Safety
/// `text` is a string that ends.
#[inline]
unsafe fn length(text: Text) -> usize {
    // SAFETY: by the contract.
    unsafe { ::libc::strlen(text) }
}

/// The call at `pc` reads a string to its end. Returns its length.
///
/// # Safety
/// `text` is a string that ends.
#[inline]
unsafe fn reads_text(text: Text, pc: usize) -> usize {
    // SAFETY: by the contract.
    let len = unsafe { length(text) };
    reads(text, len + 1, pc);
    len
}

#[cfg(test)]
mod tests {
    use super::WRAPPED;
    use std::collections::BTreeSet;

    const SOURCES: [&str; 9] = [
        include_str!("conversion.rs"),
        include_str!("input.rs"),
        include_str!("mapping.rs"),
        include_str!("memory.rs"),
        include_str!("output.rs"),
        include_str!("sorting.rs"),
        include_str!("stdio.rs"),
        include_str!("strings.rs"),
        include_str!("wide.rs"),
    ];

    #[test]
    fn the_link_line_names_what_is_defined_and_nothing_else() {
        let symbols = SOURCES
            .iter()
            .flat_map(|source| source.split("\"__wrap_").skip(1));
        let defined: BTreeSet<_> = symbols.filter_map(|rest| rest.split('"').next()).collect();
        let listed: BTreeSet<_> = WRAPPED.iter().copied().collect();
        assert_eq!(defined, listed);
        assert!(WRAPPED.is_sorted(), "kept in sequence");
    }
}
