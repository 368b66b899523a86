//! A program with one thread so far must not know it.
//!
//! The C++ library counts references without atomics as long as glibc says that there is one thread. Then
//! the counts of tasks that happen to run on one thread would be plain accesses, and races.

use std::ffi::c_char;

/// Has glibc say that there are several threads.
extern "C" fn deny() {
    let name = c"__libc_single_threaded";
    // SAFETY: a name; no library means no such variable.
    let variable = unsafe { ::libc::dlsym(::libc::RTLD_DEFAULT, name.as_ptr()) }.cast::<c_char>();
    if !variable.is_null() {
        // SAFETY: a `char` of glibc's, which it only ever sets to 0 while the program runs; nobody else
        // runs yet.
        unsafe { variable.write(0) };
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static DENY: extern "C" fn() = deny;
