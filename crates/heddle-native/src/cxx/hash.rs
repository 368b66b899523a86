//! Hash maps and sets: when they grow is decided by the library, which notes it in the container.

use crate::access;
use crate::shim::{behind, export};

/// Part of a container.
#[repr(C)]
pub(crate) struct Policy {
    most: f32,
    next: usize,
}

/// Whether to grow, and to what size.
#[repr(C)]
pub(crate) struct Growth {
    grows: bool,
    buckets: usize,
}

behind! {
    if present;
    fn _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(policy: *const Policy, wanted: usize) -> usize, or 0;
    fn _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(policy: *const Policy, buckets: usize, elements: usize, new: usize) -> Growth, or Growth { grows: false, buckets: 0 };
}

/// Asks by `ask`, for the call at `pc`.
unsafe fn asked<R>(policy: *const Policy, pc: usize, ask: impl FnOnce() -> R) -> R {
    access::read(policy as usize, size_of::<Policy>(), pc);
    let place = policy
        .wrapping_byte_add(std::mem::offset_of!(Policy, next))
        .cast::<usize>();
    // SAFETY: the container's own.
    let next = || unsafe { place.read_volatile() };
    let before = next();
    let answer = ask();
    if next() != before {
        access::write(place as usize, size_of::<usize>(), pc);
    }
    answer
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm"] fn next_size(policy: *const Policy, wanted: usize) at pc -> usize {
        // SAFETY: see above.
        unsafe { asked(policy, pc, || _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(policy, wanted)) }
    }

    ["_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm"] fn must_grow(policy: *const Policy, buckets: usize, elements: usize, new: usize) at pc -> Growth {
        // SAFETY: see above.
        unsafe { asked(policy, pc, || _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(policy, buckets, elements, new)) }
    }
}
