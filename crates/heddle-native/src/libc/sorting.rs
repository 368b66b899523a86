//! Sorting: the library moves elements, the program's own function compares them.
//!
//! Comparisons are instrumented code and speak for themselves (`bsearch` needs no word here), but they may
//! see copies; that the array is sorted in place is a write to all of it.

use super::{Bytes, BytesMut, writes};
use crate::shim::export;
use std::ffi::c_int;

type Compare = Option<unsafe extern "C" fn(Bytes, Bytes) -> c_int>;
type CompareWith = Option<unsafe extern "C" fn(Bytes, Bytes, BytesMut) -> c_int>;

unsafe extern "C" {
    fn qsort(base: BytesMut, count: usize, size: usize, compare: Compare);
    fn qsort_r(base: BytesMut, count: usize, size: usize, compare: CompareWith, data: BytesMut);
}

export! {
    ["__wrap_qsort"] fn sort(base: BytesMut, count: usize, size: usize, compare: Compare) at pc {
        writes(base, count.saturating_mul(size), pc);
        // SAFETY: repeats the program's own call.
        unsafe { qsort(base, count, size, compare) };
    }

    ["__wrap_qsort_r"] fn sort_with(base: BytesMut, count: usize, size: usize, compare: CompareWith, data: BytesMut) at pc {
        writes(base, count.saturating_mul(size), pc);
        // SAFETY: repeats the program's own call.
        unsafe { qsort_r(base, count, size, compare, data) };
    }
}
