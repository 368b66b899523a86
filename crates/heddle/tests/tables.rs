//! The programs of Tables 1 and 2 of Nakade, Mercer, McCarthy (*Model-checking Task Parallel Programs for
//! Data-races using Computation Graphs*, 2017), written from their names and descriptions: the verdicts
//! are the paper's.
//!
//! `TABLE=1 cargo test --release --test tables -- --nocapture` prints what `docs/explore.md` shows.

use heddle::{
    Explorer, Reduction, Shared, SharedVec, finish, future, isolated, join, par_chunks, par_for,
};

/// What the paper says, and a bound on time that no program comes near.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Paper {
    Race,
    NoRace,
}

#[track_caller]
fn verify(name: &str, paper: Paper, body: impl Fn() + Sync) {
    let exploration = Explorer::new().reduction(Reduction::States).explore(body);
    let races = exploration
        .findings()
        .iter()
        .any(|found| found.finding.location.is_some());
    assert_eq!(races, paper == Paper::Race, "{name}\n{exploration}");
    assert_eq!(exploration.is_clean(), !races, "{name}\n{exploration}");
    assert!(exploration.is_complete(), "{name}");
    if std::env::var_os("TABLE").is_some() {
        println!(
            "| {name} | {} | {} | {:.1?} |",
            exploration.schedules(),
            exploration.states(),
            exploration.elapsed()
        );
    }
}

fn is_prime(number: u32) -> bool {
    number > 1 && (2..number).all(|divisor| !number.is_multiple_of(divisor))
}

#[test]
fn primitive_array_race() {
    verify("Primitive Array Race", Paper::Race, || {
        let array = SharedVec::new(3, 0);
        finish(|s| {
            s.spawn(|_| array.set(0, 1));
            s.spawn(|_| array.set(0, 2));
        });
    });
}

#[test]
fn substring_search() {
    verify("Substring Search", Paper::Race, || {
        let (text, pattern) = (
            "needles in a haystack of needles, needles and pins, all over",
            "needles",
        );
        let found = Shared::new(0u32);
        par_for(0..text.len() - pattern.len(), |at| {
            if text[at..].starts_with(pattern) {
                found.set(at as u32);
            }
        });
    });
}

#[test]
fn reciprocal_array_sum() {
    verify("Reciprocal Array Sum", Paper::Race, || {
        let sum = Shared::new(0.0f64);
        let half = |range: std::ops::Range<u32>| {
            for i in range {
                sum.add(1.0 / f64::from(i + 1));
            }
        };
        join(|| half(0..50), || half(50..100));
    });
}

#[test]
fn primitive_array_no_race() {
    verify("Primitive Array No Race", Paper::NoRace, || {
        let array = SharedVec::new(3, 0);
        finish(|s| {
            s.spawn(|_| array.set(0, 1));
            s.spawn(|_| array.set(1, 2));
        });
    });
}

#[test]
fn two_dim_arrays() {
    verify("Two Dim Arrays", Paper::NoRace, || {
        let grid = heddle::Shared2d::new(10, 10, 0);
        par_for(0..10, |row| {
            for column in 0..10 {
                grid.set(row, column, row * column);
            }
        });
    });
}

#[test]
fn for_all_with_iterable() {
    verify("ForAll With Iterable", Paper::NoRace, || {
        let items = [3, 5];
        let sums = SharedVec::new(items.len(), 0);
        par_for(0..items.len(), |i| sums.set(i, items[i] * items[i]));
    });
}

#[test]
fn integer_counter_isolated() {
    // Every order of the sections conflicts: one run per order would be ten factorial.
    verify("Integer Counter Isolated", Paper::NoRace, || {
        let count = Shared::new(0);
        par_for(0..10, |_| isolated(|| count.add(1)));
        assert_eq!(count.get(), 10);
    });
}

#[test]
fn pipeline_with_futures() {
    verify("Pipeline With Futures", Paper::NoRace, || {
        let stage = |before: heddle::Future<'static, i32>| future(move || before.join() + 1);
        let mut value = future(|| 1);
        for _ in 0..4 {
            value = stage(value);
        }
        assert_eq!(value.join(), 5);
    });
}

fn tree(depth: u32) -> u32 {
    if depth == 0 {
        return 1;
    }
    let (left, right) = join(|| tree(depth - 1), || tree(depth - 1));
    left + right + 1
}

#[test]
fn binary_trees() {
    verify("Binary Trees", Paper::NoRace, || assert_eq!(tree(8), 511));
}

fn count_primes(tasks: u32, add: impl Fn(u32) + Sync) {
    finish(|s| {
        for number in 2..2 + tasks {
            let add = &add;
            s.spawn(move |_| {
                if is_prime(number) {
                    add(number);
                }
            });
        }
    });
}

#[test]
fn prime_num_counter() {
    verify("Prime Num Counter", Paper::NoRace, || {
        let count = Shared::new(0);
        count_primes(25, |_| isolated(|| count.add(1)));
        assert_eq!(count.get(), 9);
    });
}

#[test]
fn prime_num_counter_for_all() {
    verify("Prime Num Counter ForAll", Paper::NoRace, || {
        let is = SharedVec::new(25, 0);
        par_for(0..25, |i| is.set(i, u32::from(is_prime(i as u32))));
        assert_eq!(is.to_vec().into_iter().sum::<u32>(), 9);
    });
}

#[test]
fn prime_num_counter_for_async() {
    verify("Prime Num Counter ForAsync", Paper::NoRace, || {
        let count = Shared::new(0);
        count_primes(11, |_| isolated(|| count.add(1)));
        assert_eq!(count.get(), 5);
    });
}

fn elementwise(name: &str, operation: impl Fn(u32, u32) -> u32 + Sync) {
    verify(name, Paper::NoRace, || {
        let (a, b): (Vec<u32>, Vec<u32>) = ((0..30).collect(), (30..60).collect());
        let sums = SharedVec::new(30, 0);
        par_chunks(0..30, 10, |piece| {
            for i in piece {
                sums.set(i, operation(a[i], b[i]));
            }
        });
        assert_eq!(sums.get(29), operation(29, 59));
    });
}

#[test]
fn add() {
    elementwise("Add", |a, b| a + b);
}

#[test]
fn scalar_multiply() {
    elementwise("Scalar Multiply", |a, _| 7 * a);
}

#[test]
fn vector_add() {
    elementwise("Vector Add", |a, b| a.wrapping_add(b));
}

#[test]
fn clumped_access() {
    verify("Clumped Access", Paper::NoRace, || {
        let array = SharedVec::new(99, 0);
        par_chunks(0..99, 33, |clump| clump.for_each(|i| array.set(i, i)));
    });
}

/// A cipher that has the shape of IDEA: blocks, encrypted and decrypted again.
fn encrypt(block: u64, key: u64) -> u64 {
    (block ^ key).rotate_left(13).wrapping_add(key)
}

fn decrypt(block: u64, key: u64) -> u64 {
    block.wrapping_sub(key).rotate_right(13) ^ key
}

#[test]
fn crypt_af() {
    verify("Crypt-af", Paper::NoRace, || {
        let plain: Vec<u64> = (0..128).collect();
        let secret = SharedVec::from(plain.clone());
        let again = SharedVec::new(128, 0);
        par_for(0..128, |i| secret.set(i, encrypt(secret.get(i), 0xC0FFEE)));
        par_for(0..128, |i| again.set(i, decrypt(secret.get(i), 0xC0FFEE)));
        assert_eq!(again.to_vec(), plain);
    });
}

#[test]
fn crypt_f() {
    verify("Crypt-f", Paper::NoRace, || {
        let secret: Vec<_> = (0..128)
            .map(|i| future(move || encrypt(i, 0xC0FFEE)))
            .collect();
        let again = secret
            .into_iter()
            .map(|block| future(move || decrypt(block.join(), 0xC0FFEE)));
        let again: Vec<_> = again.collect();
        let plain: Vec<u64> = again.into_iter().map(|block| block.join()).collect();
        assert_eq!(plain, (0..128).collect::<Vec<u64>>());
    });
}

/// A Fourier coefficient of `(x + 1)^x` on `[0, 2]`, by the trapezoid rule.
fn coefficient(n: usize) -> f64 {
    let step = 2.0 / 100.0;
    let at = |x: f64| (x + 1.0).powf(x) * (std::f64::consts::PI * n as f64 * x).cos();
    (0..100).map(|i| step * at(f64::from(i) * step)).sum()
}

#[test]
fn series_af() {
    verify("Series-af", Paper::NoRace, || {
        let coefficients = SharedVec::new(328, 0.0);
        par_for(0..328, |n| coefficients.set(n, coefficient(n)));
    });
}

#[test]
fn series_f() {
    verify("Series-f", Paper::NoRace, || {
        let series: Vec<_> = (0..353).map(|n| future(move || coefficient(n))).collect();
        let sum: f64 = series.into_iter().map(|value| value.join()).sum();
        assert!(sum.is_finite());
    });
}

/// One level of Strassen's recursion on 2 by 2 blocks of numbers.
#[test]
fn strassen() {
    verify("Strassen", Paper::NoRace, || {
        let ([a, b, c, d], [e, f, g, h]) = ([1, 2, 3, 4], [5, 6, 7, 8]);
        let products = SharedVec::new(7, 0);
        let factors = [
            (a + d, e + h),
            (c + d, e),
            (a, f - h),
            (d, g - e),
            (a + b, h),
            (c - a, e + f),
            (b - d, g + h),
        ];
        par_chunks(0..7, 4, |piece| {
            for i in piece {
                products.set(i, factors[i].0 * factors[i].1);
            }
        });
        let p = products.to_vec();
        assert_eq!(
            [p[0] + p[3] - p[4] + p[6], p[2] + p[4]],
            [a * e + b * g, a * f + b * h]
        );
    });
}
