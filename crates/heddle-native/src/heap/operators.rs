//! C++ `operator new` and `operator delete`.
//!
//! The real operators are called, so that new handlers run and `bad_alloc` is thrown as ever; they
//! call `malloc`, where the block is noted. What remains is to say that the program allocated it and
//! not the C++ library, and to take the block as freed before the library does. A program that
//! replaces the operators by its own never comes here.

use super::{Pointer, attribute, freed};
use crate::shim::{behind, export};

/// The alignment of blocks that ask for none.
const PLAIN: usize = 16;

/// Where the C++ library is not there, linked away because nothing of it but these operators is used, its
/// part is done here. Without the library nothing can be thrown.
unsafe fn allocate(alignment: usize, size: usize) -> Pointer {
    // SAFETY: the alignment is a power of two.
    let block = unsafe { super::__libc_memalign(alignment, size) };
    super::allocated(block, size, 0)
}

unsafe fn free(block: Pointer) {
    // SAFETY: the block is `allocate`'s, or `malloc`'s.
    unsafe { super::__libc_free(block) };
}

behind! {
    if present;
    fn _Znwm(size: usize) -> Pointer, or allocate(PLAIN, size);
    fn _Znam(size: usize) -> Pointer, or allocate(PLAIN, size);
    fn _ZnwmRKSt9nothrow_t(size: usize, tag: Pointer) -> Pointer, or allocate(PLAIN, size);
    fn _ZnamRKSt9nothrow_t(size: usize, tag: Pointer) -> Pointer, or allocate(PLAIN, size);
    fn _ZnwmSt11align_val_t(size: usize, alignment: usize) -> Pointer, or allocate(alignment, size);
    fn _ZnamSt11align_val_t(size: usize, alignment: usize) -> Pointer, or allocate(alignment, size);
    fn _ZnwmSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, tag: Pointer) -> Pointer, or allocate(alignment, size);
    fn _ZnamSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, tag: Pointer) -> Pointer, or allocate(alignment, size);
    fn _ZdlPv(block: Pointer), or free(block);
    fn _ZdaPv(block: Pointer), or free(block);
    fn _ZdlPvm(block: Pointer, size: usize), or free(block);
    fn _ZdaPvm(block: Pointer, size: usize), or free(block);
    fn _ZdlPvRKSt9nothrow_t(block: Pointer, tag: Pointer), or free(block);
    fn _ZdaPvRKSt9nothrow_t(block: Pointer, tag: Pointer), or free(block);
    fn _ZdlPvSt11align_val_t(block: Pointer, alignment: usize), or free(block);
    fn _ZdaPvSt11align_val_t(block: Pointer, alignment: usize), or free(block);
    fn _ZdlPvmSt11align_val_t(block: Pointer, size: usize, alignment: usize), or free(block);
    fn _ZdaPvmSt11align_val_t(block: Pointer, size: usize, alignment: usize), or free(block);
    fn _ZdlPvSt11align_val_tRKSt9nothrow_t(block: Pointer, alignment: usize, tag: Pointer), or free(block);
    fn _ZdaPvSt11align_val_tRKSt9nothrow_t(block: Pointer, alignment: usize, tag: Pointer), or free(block);
}

/// Operators that allocate: symbol, name here, real operator and its arguments.
macro_rules! allocating {
    ($($symbol:literal $name:ident = $real:ident($($arg:ident: $ty:ty),*);)*) => {
        export! {$(
            [$symbol] fn $name($($arg: $ty),*) at pc -> Pointer {
                // SAFETY: as the caller's call. If it throws, nothing is pending here.
                let block = unsafe { $real($($arg),*) };
                if !block.is_null() {
                    attribute(block, pc);
                }
                block
            }
        )*}
    };
}

/// Operators that free.
macro_rules! freeing {
    ($($symbol:literal $name:ident = $real:ident($($arg:ident: $ty:ty),*);)*) => {
        export! {$(
            [$symbol] fn $name(block: Pointer $(, $arg: $ty)*) at pc {
                freed(block, pc);
                // SAFETY: as the caller's call.
                unsafe { $real(block $(, $arg)*) };
            }
        )*}
    };
}

allocating! {
    "_Znwm" new = _Znwm(size: usize);
    "_Znam" new_array = _Znam(size: usize);
    "_ZnwmRKSt9nothrow_t" new_nothrow = _ZnwmRKSt9nothrow_t(size: usize, tag: Pointer);
    "_ZnamRKSt9nothrow_t" new_array_nothrow = _ZnamRKSt9nothrow_t(size: usize, tag: Pointer);
    "_ZnwmSt11align_val_t" new_aligned = _ZnwmSt11align_val_t(size: usize, alignment: usize);
    "_ZnamSt11align_val_t" new_array_aligned = _ZnamSt11align_val_t(size: usize, alignment: usize);
    "_ZnwmSt11align_val_tRKSt9nothrow_t" new_aligned_nothrow = _ZnwmSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, tag: Pointer);
    "_ZnamSt11align_val_tRKSt9nothrow_t" new_array_aligned_nothrow = _ZnamSt11align_val_tRKSt9nothrow_t(size: usize, alignment: usize, tag: Pointer);
}

freeing! {
    "_ZdlPv" delete = _ZdlPv();
    "_ZdaPv" delete_array = _ZdaPv();
    "_ZdlPvm" delete_sized = _ZdlPvm(size: usize);
    "_ZdaPvm" delete_array_sized = _ZdaPvm(size: usize);
    "_ZdlPvRKSt9nothrow_t" delete_nothrow = _ZdlPvRKSt9nothrow_t(tag: Pointer);
    "_ZdaPvRKSt9nothrow_t" delete_array_nothrow = _ZdaPvRKSt9nothrow_t(tag: Pointer);
    "_ZdlPvSt11align_val_t" delete_aligned = _ZdlPvSt11align_val_t(alignment: usize);
    "_ZdaPvSt11align_val_t" delete_array_aligned = _ZdaPvSt11align_val_t(alignment: usize);
    "_ZdlPvmSt11align_val_t" delete_sized_aligned = _ZdlPvmSt11align_val_t(size: usize, alignment: usize);
    "_ZdaPvmSt11align_val_t" delete_array_sized_aligned = _ZdaPvmSt11align_val_t(size: usize, alignment: usize);
    "_ZdlPvSt11align_val_tRKSt9nothrow_t" delete_aligned_nothrow = _ZdlPvSt11align_val_tRKSt9nothrow_t(alignment: usize, tag: Pointer);
    "_ZdaPvSt11align_val_tRKSt9nothrow_t" delete_array_aligned_nothrow = _ZdaPvSt11align_val_tRKSt9nothrow_t(alignment: usize, tag: Pointer);
}
