//! Memory that OpenMP's runtime hands out: task descriptors, and the allocators of the program.
//!
//! Captured variables live in the descriptor of a task, and descriptors are used again: a new one is
//! fresh. The tasks of a `taskloop` get copies made inside the runtime; those are fresh when their task is
//! over. `omp_alloc` serves from pools of its own.

use super::ompt::GetTaskMemory;
use crate::access;
use crate::shim::behind;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

type Pointer = *mut c_void;

/// What alignment may add between the parts of a descriptor.
const PADDING: usize = 16;

static GET_TASK_MEMORY: OnceLock<GetTaskMemory> = OnceLock::new();

/// How to ask for the memory of the running task.
pub(super) fn ask_with(get: GetTaskMemory) {
    let _ = GET_TASK_MEMORY.set(get);
}

/// The running task is over, and its memory was copied from another's.
pub(super) fn copy_is_over() {
    let Some(get) = GET_TASK_MEMORY.get() else {
        return;
    };
    let (mut address, mut len) = (std::ptr::null_mut(), 0);
    // SAFETY: the runtime writes both; block 0 is the descriptor.
    unsafe { get(&mut address, &mut len, 0) };
    if !address.is_null() {
        access::forget(address as usize, len);
    }
}

fn fresh(block: Pointer, len: usize) -> Pointer {
    if !block.is_null() && len > 0 {
        access::forget(block as usize, len);
    }
    block
}

mod real {
    use super::{Pointer, behind, c_int};
    use std::ptr::null_mut;

    behind! {
        fn __kmpc_omp_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer) -> Pointer, or null_mut();
        fn __kmpc_omp_target_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer, device: i64) -> Pointer, or null_mut();
        fn omp_alloc(size: usize, allocator: usize) -> Pointer, or null_mut();
        fn omp_aligned_alloc(alignment: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn omp_calloc(count: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn omp_aligned_calloc(alignment: usize, count: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_alloc(thread: c_int, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_aligned_alloc(thread: c_int, alignment: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_calloc(thread: c_int, count: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
    }
}

macro_rules! fresh_from {
    ($($name:ident($($arg:ident: $ty:ty),*) => $len:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> Pointer {
            // SAFETY: as the caller's call.
            fresh(unsafe { real::$name($($arg),*) }, $len)
        }
    )*};
}

fresh_from! {
    __kmpc_omp_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer)
        => task + shareds + PADDING;
    __kmpc_omp_target_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer, device: i64)
        => task + shareds + PADDING;
    omp_alloc(size: usize, allocator: usize) => size;
    omp_aligned_alloc(alignment: usize, size: usize, allocator: usize) => size;
    omp_calloc(count: usize, size: usize, allocator: usize) => count.saturating_mul(size);
    omp_aligned_calloc(alignment: usize, count: usize, size: usize, allocator: usize) => count.saturating_mul(size);
    __kmpc_alloc(thread: c_int, size: usize, allocator: usize) => size;
    __kmpc_aligned_alloc(thread: c_int, alignment: usize, size: usize, allocator: usize) => size;
    __kmpc_calloc(thread: c_int, count: usize, size: usize, allocator: usize) => count.saturating_mul(size);
}
