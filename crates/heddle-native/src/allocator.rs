//! The runtime's own memory.
//!
//! Everything the runtime allocates comes from here, never from the program's allocator: the runtime
//! is entered from inside `malloc`, from signal handlers and before the program has started. Sizes
//! are rounded up to powers of two, each with a list of free blocks; large ones are mapped by themselves.
//!
//! Whoever finds a list locked sleeps: with more threads than processors, the one that holds it may not be
//! running. Lists are locked inside the runtime only ([`crate::busy`]), so neither a signal handler nor a
//! forked child finds one locked for ever.

use crate::busy;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static OWN: Own = Own::new();

/// Smallest and largest sizes served from lists, as powers of two.
const SMALLEST: u32 = 4;
const LARGEST: u32 = 16;
const CLASSES: usize = (LARGEST - SMALLEST + 1) as usize;
/// How much is mapped at a time.
const ARENA: usize = 1 << 20;

struct Own {
    classes: [Class; CLASSES],
}

/// The free blocks of one size.
struct Class(Mutex<State>);

struct State {
    free: *mut Free,
    next: usize,
    end: usize,
}

struct Free {
    rest: *mut Free,
}

// SAFETY: the blocks belong to nobody, so to whichever thread has the list.
unsafe impl Send for State {}

impl Own {
    const fn new() -> Self {
        Self {
            classes: [const { Class::new() }; CLASSES],
        }
    }

    fn class(layout: Layout) -> Option<u32> {
        let size = layout.size().max(layout.align()).max(1 << SMALLEST);
        let power = size.next_power_of_two().trailing_zeros();
        (power <= LARGEST).then_some(power)
    }
}

impl Class {
    const fn new() -> Self {
        let state = State {
            free: null_mut(),
            next: 0,
            end: 0,
        };
        Self(Mutex::new(state))
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        let _busy = busy::begin();
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn take(&mut self, size: usize) -> *mut u8 {
        if !self.free.is_null() {
            let block = self.free;
            // SAFETY: the list holds blocks that were given back, each with the rest of the list in it.
            self.free = unsafe { (*block).rest };
            return block.cast();
        }
        if self.next == self.end {
            let arena = map(ARENA);
            if arena.is_null() {
                return null_mut();
            }
            (self.next, self.end) = (arena as usize, arena as usize + ARENA);
        }
        let block = self.next as *mut u8;
        self.next += size;
        block
    }

    fn give_back(&mut self, block: *mut u8) {
        let block = block.cast::<Free>();
        // SAFETY: the block is free, large enough and aligned for a pointer.
        unsafe { block.write(Free { rest: self.free }) };
        self.free = block;
    }
}

fn map(size: usize) -> *mut u8 {
    let (protection, flags) = (
        ::libc::PROT_READ | ::libc::PROT_WRITE,
        ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS,
    );
    // SAFETY: a fresh private mapping touches no memory in use. The system call itself, because `mmap`
    // is interposed by this library.
    let base = unsafe {
        ::libc::syscall(
            ::libc::SYS_mmap,
            0usize,
            size,
            protection,
            flags,
            -1isize,
            0usize,
        )
    };
    if base == -1 {
        null_mut()
    } else {
        base as *mut u8
    }
}

// SAFETY: blocks are disjoint, as large as asked for and aligned to their size, a power of two of at
// least the alignment asked for; larger ones are page aligned.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Self::class(layout) {
            Some(power) => {
                self.classes[(power - SMALLEST) as usize].with(|class| class.take(1 << power))
            }
            None => map(layout.size()),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        let block = unsafe { self.alloc(layout) };
        // A mapping is zero, and has no memory before it is touched.
        if !block.is_null() && Self::class(layout).is_some() {
            // SAFETY: the block is as large as asked for.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match Self::class(layout) {
            Some(power) => {
                self.classes[(power - SMALLEST) as usize].with(|class| class.give_back(block));
            }
            // SAFETY: such a block is a mapping of its own.
            None => unsafe {
                ::libc::syscall(::libc::SYS_munmap, block, layout.size());
            },
        }
    }
}
