//! Matrix multiplication: with one shared variable for all sums, the rows race.

use crate::verdict::{assert_clean, assert_races, repeatedly};
use heddle::{Shared, SharedVec, par_for};

const SOURCE: &str = include_str!("matmul.rs");
const SIZE: usize = 8;

type Matrix = SharedVec<u64>;

fn inputs() -> [Matrix; 3] {
    let matrix = |factor: usize| {
        (0..SIZE * SIZE)
            .map(|at| (at * factor % 10) as u64)
            .collect()
    };
    [matrix(3), matrix(7), matrix(0)]
}

fn with_a_shared_sum() {
    let ([a, b, c], sum) = (inputs(), Shared::new(0));
    par_for(0..SIZE, |i| {
        for j in 0..SIZE {
            sum.set(0); // sum: set
            for k in 0..SIZE {
                sum.add(a.get(i * SIZE + k) * b.get(k * SIZE + j)); // sum: add
            }
            c.set(i * SIZE + j, sum.get()); // sum: get
        }
    });
}

fn with_a_sum_for_each() {
    let [a, b, c] = inputs();
    par_for(0..SIZE, |i| {
        for j in 0..SIZE {
            let column = (0..SIZE).map(|k| b.get(k * SIZE + j));
            let row = a.iter_range(i * SIZE..(i + 1) * SIZE);
            c.set(i * SIZE + j, row.zip(column).map(|(x, y)| x * y).sum());
        }
    });
    let plain = |i, j| {
        (0..SIZE)
            .map(|k| a.get(i * SIZE + k) * b.get(k * SIZE + j))
            .sum::<u64>()
    };
    assert_eq!(c.get(10), plain(1, 2));
}

#[test]
fn one_sum_for_all_rows_is_racy() {
    let sides = [("sum: set", "sum: set")];
    repeatedly(|| assert_races(SOURCE, with_a_shared_sum, &sides));
}

#[test]
fn a_sum_for_each_element_is_clean() {
    repeatedly(|| assert_clean(with_a_sum_for_each));
}
