//! Fannkuch: how many prefix reversals bring the first element of a permutation to 1, at most, over
//! all permutations.
//!
//! Permutations are numbered in the factorial number system; one task per run of numbers. A task
//! permutes in local memory and writes its maximum and its checksum once.

use crate::kernel::{Digest, Kernel, Variant};
use heddle::{Shared, SharedVec, par_for};
use std::ops::Range;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Fannkuch",
    defect: "the greatest number of flips is one shared variable",
    file: file!(),
    source: include_str!("fannkuch.rs"),
    small: 6,
    full: 10,
    run: |size, variant| digest(run(size, variant)),
    reference: |size| digest(reference(size)),
};

const TASKS: usize = 60;

/// The answer: most flips, and the sum of flips with alternating sign.
pub type Answer = (i64, i64);

/// Over all permutations of `size` elements.
pub fn run(size: usize, variant: Variant) -> Answer {
    let numbers: usize = (1..=size).product();
    let answers = SharedVec::from(vec![0i64; 2 * TASKS]);
    let most = Shared::new(0i64);
    par_for(0..TASKS, |task| {
        let part = numbers * task / TASKS..numbers * (task + 1) / TASKS;
        let (flips, checksum) = search(size, part);
        answers.write_from(2 * task..2 * task + 2, &[flips, checksum]);
        if variant == Variant::Seeded {
            raise(&most, flips);
        }
    });
    let answers = answers.into_vec();
    let flips = answers.iter().step_by(2).copied().max().unwrap_or(0);
    (flips, answers.iter().skip(1).step_by(2).sum())
}

/// The same without tasks.
pub fn reference(size: usize) -> Answer {
    search(size, 0..(1..=size).product())
}

/// Wrong: between the read and the write, others may have raised it further.
fn raise(most: &Shared<i64>, flips: i64) {
    let before = most.get(); // racy
    if flips > before {
        most.set(flips); // racy
    }
}

fn digest((flips, checksum): Answer) -> Digest {
    Digest::of_integers([flips as u64, checksum as u64])
}

fn search(size: usize, numbers: Range<usize>) -> Answer {
    let mut permutation = Permutation::numbered(size, numbers.start);
    let (mut most, mut checksum) = (0, 0);
    for number in numbers {
        let flips = flips(&permutation.elements);
        most = most.max(flips);
        checksum += if number % 2 == 0 { flips } else { -flips };
        permutation.advance();
    }
    (most, checksum)
}

/// A permutation and its number, digit by digit: digit `i` says how often the first `i + 1` elements
/// have been rotated.
struct Permutation {
    elements: Vec<u8>,
    rotations: Vec<usize>,
}

impl Permutation {
    fn numbered(size: usize, mut number: usize) -> Self {
        let mut elements: Vec<u8> = (0..size as u8).collect();
        let mut rotations = vec![0; size];
        for digit in (1..size).rev() {
            let weight: usize = (1..=digit).product();
            rotations[digit] = number / weight;
            number %= weight;
            elements[..=digit].rotate_left(rotations[digit]);
        }
        Self {
            elements,
            rotations,
        }
    }

    fn advance(&mut self) {
        for digit in 1..self.elements.len() {
            self.elements[..=digit].rotate_left(1);
            self.rotations[digit] += 1;
            if self.rotations[digit] <= digit {
                return;
            }
            self.rotations[digit] = 0;
        }
    }
}

fn flips(elements: &[u8]) -> i64 {
    let mut pile = [0; 16];
    pile[..elements.len()].copy_from_slice(elements);
    let mut count = 0;
    while pile[0] != 0 {
        let first = usize::from(pile[0]);
        pile[..=first].reverse();
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_for_seven_is_the_published_one() {
        assert_eq!(reference(7), (16, 228));
    }

    #[test]
    fn a_numbered_permutation_is_where_advancing_gets_to() {
        let mut walked = Permutation::numbered(5, 0);
        for number in 0..120 {
            let direct = Permutation::numbered(5, number);
            assert_eq!(walked.elements, direct.elements, "{number}");
            walked.advance();
        }
    }
}
