//! Quicksort with a scratch area for partitioning: shared by both halves, it races.

use crate::verdict::{assert_clean, assert_races, repeatedly};
use heddle::{SharedSlice, SharedVec, join};

const SOURCE: &str = include_str!("quicksort.rs");
const LEN: usize = 300;
const LEAF: usize = 16;

type Part<'a> = SharedSlice<'a, u32>;

/// Which scratch area the two halves get.
#[derive(Clone, Copy)]
enum Scratch {
    /// Each its own part.
    Split,
    /// Both the whole.
    Whole,
}

fn quicksort(values: Part<'_>, scratch: Part<'_>, kind: Scratch) {
    if values.len() <= LEAF {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        return values.write_from(.., &sorted);
    }
    let middle = partition(values, scratch);
    let (smaller, larger) = (values.slice(..middle), values.slice(middle + 1..));
    let (first, second) = match kind {
        Scratch::Split => scratch.split_at(middle),
        Scratch::Whole => (scratch, scratch),
    };
    join(
        || quicksort(smaller, first, kind),
        || quicksort(larger, second, kind),
    );
}

/// Brings what is smaller than the first value before it and the rest behind it; returns its place.
fn partition(values: Part<'_>, scratch: Part<'_>) -> usize {
    let pivot = values.get(0);
    let (mut low, mut high) = (0, values.len());
    for value in values.iter_range(1..).chain([pivot]) {
        let at = if value < pivot { low } else { high - 1 };
        scratch.set(at, value); // scratch: write
        if value < pivot {
            low += 1;
        } else {
            high -= 1;
        }
    }
    let parted = scratch.slice(..values.len()).to_vec(); // scratch: read
    values.write_from(.., &parted);
    low
}

fn input() -> SharedVec<u32> {
    (0..LEN as u32)
        .map(|n| n.wrapping_mul(2_654_435_761) >> 7)
        .collect()
}

fn run(kind: Scratch) -> Vec<u32> {
    let (values, scratch) = (input(), SharedVec::new(LEN, 0));
    quicksort(values.as_slice(), scratch.as_slice(), kind);
    values.into_vec()
}

#[test]
fn a_scratch_area_shared_by_both_halves_is_racy() {
    let sides = [("scratch: write", "scratch: write")];
    repeatedly(|| assert_races(SOURCE, || drop(run(Scratch::Whole)), &sides));
}

#[test]
fn a_scratch_area_for_each_half_is_clean_and_sorts() {
    repeatedly(|| assert_clean(|| assert!(run(Scratch::Split).is_sorted())));
}
