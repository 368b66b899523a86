//! Programs that count, with isolated sections or with a place for each task.

use crate::verdict::{assert_clean, reports};
use heddle::{Shared, SharedVec, finish, isolated, par_for};

fn is_prime(n: usize) -> bool {
    n > 1
        && (2..n)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

/// Integer Counter Isolated: ten tasks increment one counter.
fn integer_counter_isolated() {
    let counter = Shared::new(0);
    par_for(0..10, |_| isolated(|| counter.set(counter.get() + 1)));
    assert_eq!(counter.get(), 10);
}

#[test]
fn integer_counter_isolated_is_clean() {
    assert_clean(integer_counter_isolated);
}

/// Prime Num Counter: a task per number, one counter in isolated sections.
fn prime_num_counter() {
    let count = Shared::new(0);
    finish(|s| {
        for n in 2..26 {
            let count = &count;
            s.spawn(move |_| {
                if is_prime(n) {
                    isolated(|| count.add(1));
                }
            });
        }
    });
    assert_eq!(count.get(), 9);
}

#[test]
fn prime_num_counter_is_clean() {
    assert_clean(prime_num_counter);
}

/// Prime Num Counter ForAll: a parallel loop marks the primes, the main task counts them.
fn prime_num_counter_for_all() {
    let marks = SharedVec::from(vec![0u8; 26]);
    par_for(2..26, |n| marks.set(n, u8::from(is_prime(n))));
    assert_eq!(marks.iter().filter(|&mark| mark == 1).count(), 9);
}

#[test]
fn prime_num_counter_for_all_is_clean() {
    assert_clean(prime_num_counter_for_all);
}

/// Prime Num Counter ForAsync: ten tasks with a range each, one counter in isolated sections.
fn prime_num_counter_for_async() {
    let count = Shared::new(0);
    par_for(0..10, |part| {
        let primes = (10 * part..10 * part + 10).filter(|&n| is_prime(n)).count();
        isolated(|| count.add(primes));
    });
    assert_eq!(count.get(), 25);
}

#[test]
fn prime_num_counter_for_async_is_clean() {
    assert_clean(prime_num_counter_for_async);
}

#[test]
fn without_isolated_sections_the_counter_is_racy() {
    let count = Shared::new(0);
    for report in reports(|| par_for(0..10, |_| count.add(1))) {
        assert!(!report.is_clean(), "{report}");
    }
}
