//! Prefix sums in logarithmically many rounds: in place, a round reads what it writes.
//!
//! After Hillis and Steele, *Data Parallel Algorithms* (1986).

use crate::verdict::{assert_clean, assert_races, repeatedly};
use heddle::{SharedVec, par_for};

const SOURCE: &str = include_str!("prefix_sum.rs");
const LEN: usize = 64;

fn distances() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |distance| Some(2 * distance)).take_while(|&d| d < LEN)
}

fn in_place() {
    let sums = SharedVec::from(vec![1u32; LEN]);
    for distance in distances() {
        par_for(distance..LEN, |at| {
            let before = sums.get(at - distance); // sums: read
            sums.set(at, sums.get(at) + before); // sums: write
        });
    }
}

fn from_one_vector_to_the_other() {
    let mut sums = SharedVec::from(vec![1u32; LEN]);
    for distance in distances() {
        let next = SharedVec::new(LEN, 0);
        par_for(0..LEN, |at| match at.checked_sub(distance) {
            Some(before) => next.set(at, sums.get(at) + sums.get(before)),
            None => next.set(at, sums.get(at)),
        });
        sums = next;
    }
    assert!(sums.into_vec().into_iter().eq(1..=LEN as u32));
}

#[test]
fn prefix_sums_in_place_are_racy() {
    let sides = [("sums: read", "sums: write")];
    repeatedly(|| assert_races(SOURCE, in_place, &sides));
}

#[test]
fn prefix_sums_from_one_vector_to_the_other_are_clean() {
    repeatedly(|| assert_clean(from_one_vector_to_the_other));
}
