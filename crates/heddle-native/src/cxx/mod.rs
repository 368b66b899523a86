//! The parts of the C++ library that headers only declare: trees, lists, tables of a hash map. They are compiled into
//! the library, without instrumentation, so what they do to a container is told here. (Strings are templates too, which
//! `heddle c++` has the compiler instantiate in the program.)
//!
//! Layouts and symbols are those of GNU's library. Where another is used, nobody calls these.

mod at_end;
mod exceptions;
mod hash;
mod list;
mod stream;
mod tree;

use crate::access;
pub(crate) use at_end::thread_ends;

/// The library reads a field for the call at `pc`.
///
/// # Safety
/// The place can be read.
unsafe fn get<T: Copy>(place: *const T, pc: usize) -> T {
    access::read(place as usize, size_of::<T>(), pc);
    // SAFETY: by the contract.
    unsafe { *place }
}

/// It writes one.
///
/// # Safety
/// The place can be written.
unsafe fn set<T>(place: *mut T, value: T, pc: usize) {
    access::write(place as usize, size_of::<T>(), pc);
    // SAFETY: by the contract.
    unsafe { place.write(value) };
}
