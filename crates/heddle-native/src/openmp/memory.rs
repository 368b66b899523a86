//! Memory that OpenMP's runtime hands out: task descriptors, and the allocators of the program.
//!
//! Captured variables live in the descriptor of a task, and descriptors are used again: a new one is
//! fresh. The tasks of a `taskloop` get copies made inside the runtime, and so do all tasks of code that gcc compiled;
//! those are fresh when their task is over. `omp_alloc` serves from pools of its own; `omp_free` is a write, as `free` is.

use super::ompt::GetTaskMemory;
use crate::heap::{Block, Life, Origin};
use crate::shim::{behind, export};
use crate::thread::enter;
use crate::{access, caller, unshared};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

type Pointer = *mut c_void;

/// What alignment may add between the parts of a descriptor.
const PADDING: usize = 16;

static GET_TASK_MEMORY: OnceLock<GetTaskMemory> = OnceLock::new();

/// How to ask for the memory of the running task.
pub(super) fn ask_with(get: GetTaskMemory) {
    let _ = GET_TASK_MEMORY.set(get);
}

/// Whether the runtime itself allocates the program's tasks, because gcc compiled it.
static IN_RUNTIME: AtomicBool = AtomicBool::new(false);

/// The runtime is asked to allocate a task.
pub(super) fn allocates_in_runtime() {
    if !is_allocated_in_runtime() {
        IN_RUNTIME.store(true, Ordering::Relaxed);
    }
}

/// Whether it was ever asked to.
pub(super) fn is_allocated_in_runtime() -> bool {
    IN_RUNTIME.load(Ordering::Relaxed)
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

/// The blocks that the program has from the runtime, or had until their place is used again. The table of the heap cannot hold them: they are cut
/// from its blocks, at any multiple of eight.
static BLOCKS: Mutex<BTreeMap<usize, Block>> = Mutex::new(BTreeMap::new());

fn blocks() -> MutexGuard<'static, BTreeMap<usize, Block>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The block of the program's that `address` lies in.
pub(super) fn block(address: usize) -> Option<Block> {
    let blocks = blocks();
    let (start, block) = blocks.range(..=address).next_back()?;
    (address - start < block.size).then_some(*block)
}

/// A new block of the program's.
fn allocated(block: Pointer, len: usize, pc: usize) -> Pointer {
    if block.is_null() || !caller::is_program(pc) {
        return block;
    }
    fresh(block, len);
    let origin = enter(|_, thread| Origin {
        site: access::site(pc),
        task: thread.cursor.task(),
        thread: thread.number,
    });
    if let Some(origin) = origin {
        let start = block as usize;
        let known = Block {
            start,
            size: len,
            origin,
            life: Life::Live,
        };
        let mut blocks = blocks();
        let gone = blocks.range(start..start + len.max(1)).map(|(&at, _)| at);
        for at in gone.collect::<Vec<_>>() {
            blocks.remove(&at);
        }
        blocks.insert(start, known);
    }
    block
}

/// The program gives a block back: a write to all of it.
fn freed(block: Pointer, pc: usize) {
    let known = blocks().get(&(block as usize)).copied();
    let is_freed = |known: &Block| known.life == Life::Live && caller::is_program(pc);
    if let Some(known) = known.filter(is_freed) {
        access::write(known.start, known.size, pc);
        let life = Life::Freed;
        blocks().insert(known.start, Block { life, ..known });
    }
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
        fn omp_realloc(block: Pointer, size: usize, allocator: usize, old_allocator: usize) -> Pointer, or null_mut();
        fn omp_free(block: Pointer, allocator: usize), or ();
        fn __kmpc_alloc(thread: c_int, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_aligned_alloc(thread: c_int, alignment: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_calloc(thread: c_int, count: usize, size: usize, allocator: usize) -> Pointer, or null_mut();
        fn __kmpc_free(thread: c_int, block: Pointer, allocator: usize), or ();
    }
}

macro_rules! descriptors {
    ($($name:ident($($arg:ident: $ty:ty),*) => $len:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> Pointer {
            // SAFETY: as the caller's call.
            fresh(unsafe { real::$name($($arg),*) }, $len)
        }
    )*};
}

descriptors! {
    __kmpc_omp_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer)
        => task + shareds + PADDING;
    __kmpc_omp_target_task_alloc(place: Pointer, thread: c_int, flags: c_int, task: usize, shareds: usize, entry: Pointer, device: i64)
        => task + shareds + PADDING;
}

/// As `__kmpc_omp_task_alloc`, where the compiler has seen (`compiler/checks/record.rs`) that nobody but the task will
/// know of the record unless the task tells.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn heddle_omp_task_alloc(
    place: Pointer,
    thread: c_int,
    flags: c_int,
    task: usize,
    shareds: usize,
    entry: Pointer,
) -> Pointer {
    // SAFETY: as the caller's call.
    let record = unsafe { __kmpc_omp_task_alloc(place, thread, flags, task, shareds, entry) };
    if !record.is_null() {
        unshared::has_new_record(record as usize..record as usize + task + shareds);
    }
    record
}

macro_rules! allocators {
    ($($symbol:literal $name:ident($($arg:ident: $ty:ty),*) => $len:expr;)*) => {
        export! {$(
            [$symbol] fn $name($($arg: $ty),*) at pc -> Pointer {
                // SAFETY: as the caller's call.
                allocated(unsafe { real::$name($($arg),*) }, $len, pc)
            }
        )*}
    };
}

allocators! {
    "omp_alloc" omp_alloc(size: usize, allocator: usize) => size;
    "omp_aligned_alloc" omp_aligned_alloc(alignment: usize, size: usize, allocator: usize) => size;
    "omp_calloc" omp_calloc(count: usize, size: usize, allocator: usize) => count.saturating_mul(size);
    "omp_aligned_calloc" omp_aligned_calloc(alignment: usize, count: usize, size: usize, allocator: usize)
        => count.saturating_mul(size);
    "__kmpc_alloc" __kmpc_alloc(thread: c_int, size: usize, allocator: usize) => size;
    "__kmpc_aligned_alloc" __kmpc_aligned_alloc(thread: c_int, alignment: usize, size: usize, allocator: usize) => size;
    "__kmpc_calloc" __kmpc_calloc(thread: c_int, count: usize, size: usize, allocator: usize)
        => count.saturating_mul(size);
}

export! {
    ["omp_free"] fn free(block: Pointer, allocator: usize) at pc {
        freed(block, pc);
        // SAFETY: as the caller's call.
        unsafe { real::omp_free(block, allocator) };
    }

    ["__kmpc_free"] fn free_scoped(thread: c_int, block: Pointer, allocator: usize) at pc {
        freed(block, pc);
        // SAFETY: as the caller's call.
        unsafe { real::__kmpc_free(thread, block, allocator) };
    }

    ["omp_realloc"] fn resize(block: Pointer, size: usize, allocator: usize, old_allocator: usize) at pc -> Pointer {
        freed(block, pc);
        // SAFETY: as the caller's call.
        allocated(unsafe { real::omp_realloc(block, size, allocator, old_allocator) }, size, pc)
    }
}
