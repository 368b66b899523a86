//! The heap: memory is fresh when it is allocated, and freeing it is a write to all of it.
//!
//! Allocation functions are taken over for the whole process and passed on to glibc's own
//! (`__libc_malloc` and so on: no symbol search, so they work from the first instruction on). At an
//! allocation the history of the memory is void: whoever used it before had freed it. A `free` is a
//! write by the running strand: an access that is parallel to it may come too late.
//!
//! The OpenMP runtime's and the C library's own blocks get fresh histories too, but their frees are no
//! accesses: they know when nobody uses a block any more, by means that are not seen here.

mod blocks;
mod operators;

use crate::api::guarded;
use crate::caller::{self, Caller};
use crate::runtime::{self, Runtime};
use crate::shim::export;
use crate::{access, thread};
pub use blocks::{Block, Life, Origin};
use std::ffi::{c_int, c_void};

type Pointer = *mut c_void;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> Pointer;
    fn __libc_calloc(count: usize, size: usize) -> Pointer;
    fn __libc_realloc(block: Pointer, size: usize) -> Pointer;
    fn __libc_free(block: Pointer);
    fn __libc_memalign(alignment: usize, size: usize) -> Pointer;
    fn __libc_valloc(size: usize) -> Pointer;
    fn __libc_pvalloc(size: usize) -> Pointer;
}

/// The heap block that `address` belongs to, or belonged to when it was freed.
pub fn block(address: usize) -> Option<Block> {
    let cut = crate::openmp::block(address).filter(|cut| cut.life == Life::Live);
    cut.or_else(|| blocks::find(address))
}

/// The same in the program's eyes: of the blocks that OpenMP's runtime cuts from its own, also one that
/// was given back.
pub(crate) fn block_in_words(address: usize) -> Option<Block> {
    let found = block(address);
    let is_inside = |cut: &Block| found.is_none_or(|found| found.start < cut.start);
    crate::openmp::block(address).filter(is_inside).or(found)
}

/// The block at `start` was allocated by a library for the program at `pc`.
pub(crate) fn attribute(start: Pointer, pc: usize) {
    if thread::enter_alone(|_, _| ()).is_some() {
        blocks::attribute(start as usize, access::site(pc));
    }
}

/// Notes a block that was not allocated here.
pub(crate) fn adopt(start: usize, size: usize, origin: Origin) {
    blocks::put(start, size, origin);
}

/// Notes that such a block is gone.
pub(crate) fn disown(start: usize) {
    blocks::free(start);
}

export! {
    ["malloc"] fn malloc(size: usize) at pc -> Pointer {
        // SAFETY: as the caller's call.
        allocated(unsafe { __libc_malloc(size) }, size, pc)
    }

    ["calloc"] fn calloc(count: usize, size: usize) at pc -> Pointer {
        // SAFETY: as the caller's call.
        let block = unsafe { __libc_calloc(count, size) };
        allocated(block, count.wrapping_mul(size), pc)
    }

    ["memalign", "aligned_alloc"] fn memalign(alignment: usize, size: usize) at pc -> Pointer {
        // SAFETY: as the caller's call.
        allocated(unsafe { __libc_memalign(alignment, size) }, size, pc)
    }

    ["posix_memalign"] fn posix_memalign(into: *mut Pointer, alignment: usize, size: usize) at pc -> c_int {
        if !alignment.is_power_of_two() || alignment < size_of::<Pointer>() {
            return ::libc::EINVAL;
        }
        // SAFETY: the alignment is a power of two.
        let block = allocated(unsafe { __libc_memalign(alignment, size) }, size, pc);
        if block.is_null() {
            return ::libc::ENOMEM;
        }
        // SAFETY: the caller passes a place for the result.
        unsafe { into.write(block) };
        0
    }

    ["valloc"] fn valloc(size: usize) at pc -> Pointer {
        // SAFETY: as the caller's call.
        allocated(unsafe { __libc_valloc(size) }, size, pc)
    }

    ["pvalloc"] fn pvalloc(size: usize) at pc -> Pointer {
        // SAFETY: as the caller's call.
        allocated(unsafe { __libc_pvalloc(size) }, size, pc)
    }

    ["realloc"] fn realloc(block: Pointer, size: usize) at pc -> Pointer {
        reallocated(block, size, pc)
    }

    ["reallocarray"] fn reallocarray(block: Pointer, count: usize, size: usize) at pc -> Pointer {
        match count.checked_mul(size) {
            Some(size) => reallocated(block, size, pc),
            None => {
                // SAFETY: the location is this thread's own and always valid.
                unsafe { *::libc::__errno_location() = ::libc::ENOMEM };
                std::ptr::null_mut()
            }
        }
    }

    ["free", "cfree"] fn free(block: Pointer) at pc {
        freed(block, pc);
        // SAFETY: as the caller's call.
        unsafe { __libc_free(block) };
    }
}

/// Notes a new block.
#[inline]
fn allocated(block: Pointer, size: usize, pc: usize) -> Pointer {
    if !block.is_null() {
        fresh(block, 0);
        note(block, size, pc);
        guarded::allocated(block as usize, size);
    }
    block
}

/// What lies from `offset` on in the block has no history. To the end of what the program may use:
/// `malloc_usable_size` tells it, so it may.
fn fresh(block: Pointer, offset: usize) {
    // SAFETY: the block comes from glibc's heap.
    let usable = unsafe { ::libc::malloc_usable_size(block) };
    if offset < usable {
        access::forget(block as usize + offset, usable - offset);
    }
}

fn note(block: Pointer, size: usize, pc: usize) {
    let origin = thread::enter_alone(|_, thread| Origin {
        site: access::site(pc),
        task: thread.cursor.task(),
        thread: thread.number,
    });
    if let Some(origin) = origin {
        blocks::put(block as usize, size, origin);
    }
}

/// Notes that a block is about to be freed; what is not known as live is left to the real `free`.
#[inline]
fn freed(block: Pointer, pc: usize) -> Option<Block> {
    let known = blocks::at(block as usize)?;
    if matches!(caller::of(pc), Caller::Program) {
        access::write(known.start, known.size, pc);
    }
    forget_locks(known.start, known.size);
    blocks::free(known.start);
    Some(known)
}

/// Locks in these bytes are no more.
#[inline]
fn forget_locks(start: usize, size: usize) {
    let has_some = |runtime: &Runtime| runtime.locks.places().may_be_in(start, size);
    if runtime::runtime().is_some_and(has_some) {
        thread::enter_alone(|runtime, _| {
            let locks = runtime.locks.places().within(start, size);
            runtime.engine.forget_locks(&locks);
        });
    }
}

/// A block that changes its size is freed and allocated again, but keeps its history where it keeps
/// its place.
fn reallocated(block: Pointer, size: usize, pc: usize) -> Pointer {
    let known = freed(block, pc);
    // SAFETY: as the caller's call.
    let result = unsafe { __libc_realloc(block, size) };
    match known {
        Some(known) if result.is_null() && size != 0 => {
            blocks::put(known.start, known.size, known.origin);
        }
        Some(known) if result == block && !result.is_null() => {
            fresh(result, known.size.next_multiple_of(8));
            note(result, size, pc);
        }
        _ => return allocated(result, size, pc),
    }
    result
}
