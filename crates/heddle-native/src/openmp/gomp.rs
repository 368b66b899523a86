//! Reductions of tasks as GCC compiles them.
//!
//! A group that reduces gets one block of memory with a slice for each thread. A task asks where its
//! thread's copies of variables are; tasks that use one slice run on one thread, one after the other. When the
//! group is over, compiled code combines the slices, in order with all of its tasks.
//!
//! The group is described by an array of words that GCC and the runtime share: word 1 is the size of a
//! slice; where the block starts is in word 2 and where it ends in word 6, once it is registered.

use super::reduction::{self, Item};
use crate::shim::behind;
use crate::thread::enter;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

mod real {
    use super::{behind, c_void};

    behind! {
        fn GOMP_taskgroup_reduction_register(group: *mut usize), or ();
        fn GOMP_taskgroup_reduction_unregister(group: *mut usize), or ();
        fn GOMP_task_reduction_remap(count: usize, originals: usize, variables: *mut *mut c_void), or ();
    }
}

/// The memory of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slices {
    start: usize,
    end: usize,
    size: usize,
}

static GROUPS: Mutex<Vec<Slices>> = Mutex::new(Vec::new());

impl Slices {
    /// # Safety
    /// `group` describes a registered group.
    unsafe fn of(group: *const usize) -> Option<Self> {
        const SIZE: usize = 1;
        const START: usize = 2;
        const END: usize = 6;
        // SAFETY: the description has these words.
        let word = |index| unsafe { *group.add(index) };
        let slices = Self {
            start: word(START),
            end: word(END),
            size: word(SIZE),
        };
        (slices.size > 0 && slices.start < slices.end).then_some(slices)
    }

    /// The slice that `address` lies in.
    fn slice(self, address: usize) -> Option<usize> {
        let offset = address.checked_sub(self.start)?;
        (address < self.end).then_some(self.start + offset / self.size * self.size)
    }
}

fn with<R>(f: impl FnOnce(&mut Vec<Slices>) -> R) -> R {
    f(&mut GROUPS.lock().unwrap_or_else(PoisonError::into_inner))
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn GOMP_taskgroup_reduction_register(group: *mut usize) {
    // SAFETY: as the caller's call; the group is registered after it.
    let slices = unsafe {
        real::GOMP_taskgroup_reduction_register(group);
        Slices::of(group)
    };
    if let Some(slices) = slices {
        reduction::register(Item {
            address: slices.start,
            len: slices.size,
        });
        with(|groups| groups.push(slices));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn GOMP_taskgroup_reduction_unregister(group: *mut usize) {
    // SAFETY: the caller's group is registered.
    if let Some(slices) = unsafe { Slices::of(group) } {
        with(|groups| groups.retain(|known| *known != slices));
        reduction::unregister(slices.start);
    }
    // SAFETY: as the caller's call.
    unsafe { real::GOMP_taskgroup_reduction_unregister(group) };
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn GOMP_task_reduction_remap(
    count: usize,
    originals: usize,
    variables: *mut *mut c_void,
) {
    // SAFETY: as the caller's call; it has put that many addresses in place.
    let found = unsafe {
        real::GOMP_task_reduction_remap(count, originals, variables);
        std::slice::from_raw_parts(variables, count)
    };
    for &copy in found {
        let slice = |group: &Slices| Some((group.start, group.slice(copy as usize)?));
        let slice = with(|groups| groups.iter().rev().find_map(slice));
        if let Some((block, slice)) = slice {
            enter(|_, thread| reduction::copy(thread, block, slice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lies_in_the_slice_of_its_thread() {
        let words = [1, 64, 4096, 0, 0, 0, 4096 + 4 * 64];
        // SAFETY: the words are those of a group.
        let slices = unsafe { Slices::of(words.as_ptr()) }.expect("it is registered");
        assert_eq!(slices.slice(4096), Some(4096));
        assert_eq!(slices.slice(4096 + 64 + 63), Some(4096 + 64));
        assert_eq!(slices.slice(4095), None);
        assert_eq!(slices.slice(4096 + 256), None);
    }
}
