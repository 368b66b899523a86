//! The variadic forms of `exec`: another program takes over, so the report is due. The C library has
//! its own way from these to `execve`, which nobody else sees.

use super::Text;
use super::variadic::{Arguments, export_variadic};
use std::ffi::c_int;

/// The arguments up to the null pointer that ends them, that one included.
///
/// # Safety
/// Such a pointer is among them.
unsafe fn all(first: Text, arguments: &mut Arguments) -> Vec<Text> {
    let mut all = vec![first];
    while all.last().is_some_and(|last| !last.is_null()) {
        // SAFETY: the last one was not null, so there is one more.
        all.push(unsafe { arguments.integer() } as Text);
    }
    all
}

export_variadic! {
    ["execl"] fn exec_list(path: Text, first: Text; call) fixed 16 -> c_int {
        // SAFETY: as the caller asked; `execv` is ours and writes the report.
        unsafe { ::libc::execv(path, all(first, &mut call.arguments).as_ptr()) }
    }

    ["execlp"] fn exec_list_found(file: Text, first: Text; call) fixed 16 -> c_int {
        // SAFETY: as above.
        unsafe { ::libc::execvp(file, all(first, &mut call.arguments).as_ptr()) }
    }

    ["execle"] fn exec_list_environment(path: Text, first: Text; call) fixed 16 -> c_int {
        // SAFETY: as above; the environment follows the null pointer.
        unsafe {
            let arguments = all(first, &mut call.arguments);
            let environment = call.arguments.integer() as *const Text;
            ::libc::execve(path, arguments.as_ptr(), environment)
        }
    }
}
