//! The long runs of `cargo xtask soak` in small: repeatable, and quiet when all is well.

use heddle_oracle::{soak, try_cases};
use proptest::prelude::*;

#[test]
fn a_small_soak_finds_nothing() {
    assert_eq!(soak(200, 5), Ok(()));
}

#[test]
fn a_failure_is_shrunk_and_the_same_each_time() {
    let fails = || {
        try_cases(&(0..1000u32), 100, 9, |&n| match n < 100 {
            true => Ok(()),
            false => Err(format!("{n} is too large")),
        })
    };
    assert_eq!(fails(), Err("100 is too large".to_string()));
    assert_eq!(fails(), fails());
}

#[test]
fn a_panic_is_a_failure() {
    let panics = try_cases(&Just(1u32), 1, 9, |_| panic!("boom"));
    assert!(panics.is_err());
}
