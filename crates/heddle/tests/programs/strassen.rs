//! Strassen: the product of two matrices by seven products of their quarters, in parallel.

use crate::verdict::{assert_clean, assert_races};
use heddle::{Shared2d, finish};

const SOURCE: &str = include_str!("strassen.rs");
const SIZE: usize = 16;
const LEAF: usize = 4;

type Matrix = Vec<i64>;

/// A quarter: which half of the rows, which half of the columns.
fn quarter(size: usize, matrix: &Matrix, row: usize, column: usize) -> Matrix {
    let half = size / 2;
    let lines = matrix.chunks(size).skip(row * half).take(half);
    lines
        .flat_map(|line| line[column * half..(column + 1) * half].to_vec())
        .collect()
}

fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn difference(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn plain(size: usize, a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |at: usize| {
        (0..size)
            .map(|k| a[at / size * size + k] * b[k * size + at % size])
            .sum()
    };
    (0..size * size).map(entry).collect()
}

/// The seven pairs of factors.
fn factors(size: usize, a: &Matrix, b: &Matrix) -> [(Matrix, Matrix); 7] {
    let [a11, a12, a21, a22] =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| quarter(size, a, i, j));
    let [b11, b12, b21, b22] =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| quarter(size, b, i, j));
    [
        (sum(&a11, &a22), sum(&b11, &b22)),
        (sum(&a21, &a22), b11.clone()),
        (a11.clone(), difference(&b12, &b22)),
        (a22.clone(), difference(&b21, &b11)),
        (sum(&a11, &a12), b22.clone()),
        (difference(&a21, &a11), sum(&b11, &b12)),
        (difference(&a12, &a22), sum(&b21, &b22)),
    ]
}

fn assemble(size: usize, m: &[Matrix]) -> Matrix {
    let quarters = [
        sum(&difference(&sum(&m[0], &m[3]), &m[4]), &m[6]),
        sum(&m[2], &m[4]),
        sum(&m[1], &m[3]),
        sum(&sum(&difference(&m[0], &m[1]), &m[2]), &m[5]),
    ];
    let half = size / 2;
    let entry = |at: usize| {
        let (i, j) = (at / size, at % size);
        quarters[i / half * 2 + j / half][i % half * half + j % half]
    };
    (0..size * size).map(entry).collect()
}

/// Where the products of one level are kept while its tasks run.
#[derive(Clone, Copy)]
enum Products {
    /// A row for each.
    Apart,
    /// One row for all.
    Together,
}

fn strassen(size: usize, a: &Matrix, b: &Matrix, kept: Products) -> Matrix {
    if size <= LEAF {
        return plain(size, a, b);
    }
    let products = Shared2d::new(7, size * size / 4, 0);
    finish(|s| {
        for (number, (left, right)) in factors(size, a, b).into_iter().enumerate() {
            let products = &products;
            s.spawn(move |_| {
                let product = strassen(size / 2, &left, &right, kept);
                let row = match kept {
                    Products::Apart => number,
                    Products::Together => 0,
                };
                products.row(row).write_from(.., &product); // product
            });
        }
    });
    let products: Vec<Matrix> = (0..7).map(|row| products.row(row).to_vec()).collect();
    assemble(size, &products)
}

fn inputs() -> [Matrix; 2] {
    [3, 5].map(|factor| {
        (0..SIZE * SIZE)
            .map(|at| (at * factor % 11) as i64 - 5)
            .collect()
    })
}

#[test]
fn strassen_is_clean() {
    let [a, b] = inputs();
    let expected = plain(SIZE, &a, &b);
    assert_clean(|| assert_eq!(strassen(SIZE, &a, &b, Products::Apart), expected));
}

#[test]
fn strassen_with_one_place_for_all_products_is_racy() {
    let [a, b] = inputs();
    let program = || {
        strassen(SIZE, &a, &b, Products::Together);
    };
    assert_races(SOURCE, program, &[("product", "product")]);
}
