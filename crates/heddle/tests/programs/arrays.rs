//! Programs on arrays: which elements do two tasks share?

use crate::verdict::{assert_clean, assert_races};
use heddle::{Shared, Shared2d, SharedVec, finish, par_for};

const SOURCE: &str = include_str!("arrays.rs");

/// Primitive Array Race: the parent reads an element that its task writes.
fn primitive_array_race() {
    let numbers = SharedVec::from(vec![0u32; 4]);
    finish(|s| {
        s.spawn(|_| numbers.set(1, 7)); // array: write
        s.spawn(|_| numbers.set(2, 8));
        numbers.set(0, numbers.get(1)); // array: read
    });
}

#[test]
fn primitive_array_race_is_racy() {
    assert_races(
        SOURCE,
        primitive_array_race,
        &[("array: write", "array: read")],
    );
}

/// Primitive Array No Race: tasks with an element each.
fn primitive_array_no_race() {
    let numbers = SharedVec::from(vec![0u32; 2]);
    finish(|s| {
        s.spawn(|_| numbers.set(0, 7));
        s.spawn(|_| numbers.set(1, 8));
    });
    assert_eq!(numbers.to_vec(), [7, 8]);
}

#[test]
fn primitive_array_no_race_is_clean() {
    assert_clean(primitive_array_no_race);
}

/// Two Dim Arrays: a task per row of a matrix.
fn two_dim_arrays() {
    let matrix = Shared2d::new(10, 10, 0);
    par_for(0..10, |row| {
        for column in 0..10 {
            matrix.set(row, column, row * column);
        }
    });
    assert_eq!(matrix.get(7, 8), 56);
}

#[test]
fn two_dim_arrays_is_clean() {
    assert_clean(two_dim_arrays);
}

/// ForAll With Iterable: a loop over a list of items, each written by its own task.
fn for_all_with_iterable() {
    let words = ["warp", "weft"];
    let lengths = SharedVec::from(vec![0; words.len()]);
    finish(|s| {
        for (at, word) in words.iter().enumerate() {
            let lengths = &lengths;
            s.spawn(move |_| lengths.set(at, word.len()));
        }
    });
    assert_eq!(lengths.to_vec(), [4, 4]);
}

#[test]
fn for_all_with_iterable_is_clean() {
    assert_clean(for_all_with_iterable);
}

/// Reciprocal Array Sum: the parent adds the two halves without waiting for its task.
fn reciprocal_array_sum() {
    let numbers = SharedVec::from((1..=100).map(f64::from).collect::<Vec<_>>());
    let [left, right] = [0.0; 2].map(Shared::new);
    let reciprocals = |from, to| numbers.iter_range(from..to).map(f64::recip).sum::<f64>();
    finish(|s| {
        s.spawn(|_| left.set(reciprocals(0, 50))); // sum: write
        right.set(reciprocals(50, 100));
        let _sum = left.get() + right.get(); // sum: read
    });
}

#[test]
fn reciprocal_array_sum_is_racy() {
    assert_races(SOURCE, reciprocal_array_sum, &[("sum: write", "sum: read")]);
}

/// Add: two tasks add up a half each, and the sum is made when both have ended.
fn add() {
    let numbers = SharedVec::from((0..64).collect::<Vec<u64>>());
    let [left, right, sum] = [0; 3].map(Shared::new);
    finish(|s| {
        s.spawn(|_| numbers.iter_range(..32).for_each(|n| left.add(n)));
        s.spawn(|_| numbers.iter_range(32..).for_each(|n| right.add(n)));
    });
    sum.set(left.get() + right.get());
    assert_eq!(sum.get(), 63 * 64 / 2);
}

#[test]
fn add_is_clean() {
    assert_clean(add);
}

/// Scalar Multiply: a vector times a number that all tasks read.
fn scalar_multiply() {
    let vector = SharedVec::from((0..32).collect::<Vec<u32>>());
    let factor = Shared::new(3);
    finish(|s| {
        let multiply = |from, to| (from..to).for_each(|i| vector.update(i, |x| x * factor.get()));
        s.spawn(move |_| multiply(0, 16));
        s.spawn(move |_| multiply(16, 32));
    });
    assert_eq!(vector.get(31), 93);
}

#[test]
fn scalar_multiply_is_clean() {
    assert_clean(scalar_multiply);
}

/// Vector Add: two vectors read by two tasks, a third written half and half.
fn vector_add() {
    let [a, b] = [1, 2].map(|value| SharedVec::from(vec![value; 20]));
    let sum = SharedVec::from(vec![0; 20]);
    finish(|s| {
        let add = |from, to| (from..to).for_each(|i| sum.set(i, a.get(i) + b.get(i)));
        s.spawn(move |_| add(0, 10));
        s.spawn(move |_| add(10, 20));
    });
    assert_eq!(sum.to_vec(), [3; 20]);
}

#[test]
fn vector_add_is_clean() {
    assert_clean(vector_add);
}

/// Clumped Access: each task writes a clump of neighbouring elements, again and again.
fn clumped_access() {
    let numbers = SharedVec::from(vec![0; 300]);
    let clumps: Vec<_> = numbers.chunks(150).collect();
    finish(|s| {
        for clump in clumps {
            s.spawn(move |_| (0..1000).for_each(|round| clump.add(round % 150, 1)));
        }
    });
}

#[test]
fn clumped_access_is_clean() {
    assert_clean(clumped_access);
}
