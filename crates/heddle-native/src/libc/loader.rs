//! Libraries that the program lets go: the report says what of them was not seen, so they are noted before.

use crate::busy;
use crate::report::modules::modules;
use crate::shim::{behind, export};
use std::ffi::{c_int, c_void};

behind! {
    fn dlclose(library: *mut c_void) -> c_int, or -1;
}

export! {
    ["dlclose"] fn let_go(library: *mut c_void) at _pc -> c_int {
        let busy = busy::begin();
        modules().refresh();
        drop(busy);
        // SAFETY: as the caller asked.
        unsafe { dlclose(library) }
    }
}
