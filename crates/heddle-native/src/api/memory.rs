//! Memory for what tasks carry with them: it is fresh for each.

use crate::access;
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;

/// As strict as any ordinary type needs it.
const ALIGNMENT: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGNMENT).ok()
}

/// Memory for something a task carries.
#[unsafe(no_mangle)]
extern "C" fn heddle_closure_new(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else {
        return null_mut();
    };
    // SAFETY: the size is not zero.
    let block = unsafe { alloc(layout) };
    if !block.is_null() {
        access::forget(block as usize, layout.size());
    }
    block.cast()
}

/// Gives it back.
///
/// # Safety
/// `block` is null, or was made by [`heddle_closure_new`] for this size and is not used any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn heddle_closure_free(block: *mut c_void, size: usize) {
    if let (false, Some(layout)) = (block.is_null(), layout(size)) {
        // SAFETY: as the caller promises.
        unsafe { dealloc(block.cast(), layout) };
    }
}
