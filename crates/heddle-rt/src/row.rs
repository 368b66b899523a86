//! Neighbouring cells, looked at and changed several at a time: what a loop does to an array costs a fraction
//! of what it does to its elements one by one.
//!
//! That accesses of different sizes to the same memory are atomic is what the processor says (x86-64); the hooks in
//! executables rely on it, too.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many cells from the first on hold `value`.
#[inline]
pub(crate) fn alike(cells: &[AtomicU32], value: u32) -> usize {
    let differs = |cell: &AtomicU32| cell.load(Ordering::Acquire) != value;
    let single = |cells: &[AtomicU32]| cells.iter().position(differs).unwrap_or(cells.len());
    // SAFETY: two cells are as large as a pair, and `align_to` sees to the alignment; both are accessed as
    // atomics only.
    let (first, pairs, _) = unsafe { cells.align_to::<AtomicU64>() };
    let mut done = single(first);
    if done < first.len() {
        return done;
    }
    // Four pairs at a time, so that there is one decision for all.
    let (fours, _) = pairs.as_chunks::<4>();
    for four in fours {
        let [a, b, c, d] = four
            .each_ref()
            .map(|pair| pair.load(Ordering::Acquire) ^ twice(value));
        if a | b | c | d != 0 {
            break;
        }
        done += 8;
    }
    done + single(&cells[done..])
}

/// Changes cells from the first on as long as they hold `from`: how many.
pub(crate) fn swap_all(cells: &[AtomicU32], from: u32, to: u32) -> usize {
    let mut done = 0;
    while let Some(left) = cells.get(done..).filter(|left| !left.is_empty()) {
        done += match swap_some(left, from, to) {
            0 => break,
            some => some,
        };
    }
    done
}

/// Changes the first cell, with up to three more if they lie right: how many.
#[inline]
fn swap_some(cells: &[AtomicU32], from: u32, to: u32) -> usize {
    let start = cells.as_ptr();
    if cells.len() >= 4 && start.cast::<u128>().is_aligned() && four::swap(start, from, to) {
        return 4;
    }
    if cells.len() >= 2 && start.cast::<AtomicU64>().is_aligned() {
        // SAFETY: two cells, aligned, accessed as atomics only.
        let pair = unsafe { &*start.cast::<AtomicU64>() };
        let [from, to] = [from, to].map(twice);
        if pair
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            return 2;
        }
    }
    let swapped = cells[0].compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
    usize::from(swapped.is_ok())
}

fn twice(value: u32) -> u64 {
    u64::from(value) << 32 | u64::from(value)
}

#[cfg(target_arch = "x86_64")]
mod four {
    use super::{AtomicU32, twice};
    use crate::sixteen::exchange_if;

    /// Changes four cells at once; no if they differ from `from`, or if the processor cannot.
    #[inline]
    pub(super) fn swap(cells: *const AtomicU32, from: u32, to: u32) -> bool {
        let [from, to] =
            [from, to].map(|value| u128::from(twice(value)) << 64 | u128::from(twice(value)));
        let cells = cells.cast::<u128>().cast_mut();
        // SAFETY: the processor has the instruction; the caller has seen that there are four cells, aligned as it
        // wants, and cells are accessed as atomics only.
        std::arch::is_x86_feature_detected!("cmpxchg16b")
            && unsafe { exchange_if(cells, from, to) } == from
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod four {
    use super::AtomicU32;

    pub(super) fn swap(_: *const AtomicU32, _: u32, _: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: &[u32]) -> Vec<AtomicU32> {
        values.iter().copied().map(AtomicU32::new).collect()
    }

    #[test]
    fn equal_cells_are_counted_from_any_start_to_any_end() {
        for len in 1..40 {
            for odd in 0..=len {
                let values: Vec<u32> = (0..len).map(|at| if at == odd { 8 } else { 7 }).collect();
                let row = cells(&values);
                for start in 0..len {
                    let wanted = if odd < start {
                        len - start
                    } else {
                        odd - start
                    };
                    assert_eq!(alike(&row[start..], 7), wanted, "{start} {odd} {len}");
                }
            }
        }
    }

    #[test]
    fn cells_change_up_to_the_first_that_differs() {
        for len in 1..20 {
            for (start, odd) in
                (0..len).flat_map(|start| (start..=len).map(move |odd| (start, odd)))
            {
                let values: Vec<u32> = (0..len).map(|at| if at == odd { 8 } else { 7 }).collect();
                let row = cells(&values);
                assert_eq!(swap_all(&row[start..], 7, 9), odd - start);
                let after: Vec<u32> = row
                    .iter()
                    .map(|cell| cell.load(Ordering::Relaxed))
                    .collect();
                let wanted = (0..len).map(|at| match at {
                    at if (start..odd).contains(&at) => 9,
                    at => values[at],
                });
                assert_eq!(after, wanted.collect::<Vec<_>>(), "{start} {odd} {len}");
            }
        }
    }
}
