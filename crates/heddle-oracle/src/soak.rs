//! Many random cases, from a seed, and the smallest that fails.
//!
//! One runner serves the tests (a few hundred cases each) and the long runs of
//! `cargo xtask soak`. The same seed gives the same cases on every machine.

use std::fmt;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::program::case;
use crate::property::{Holds, caught, holds_of_case, holds_of_script};
use crate::stream::{Class, Mode, script};

/// How many steps a failing case is shrunk by, at most.
const SHRINK_STEPS: u32 = 20_000;

/// Tries all properties on `cases` random programs, half of them event streams and half `.task`
/// source. Says what is wrong with the smallest failing one.
pub fn soak(cases: u64, seed: u64) -> Result<(), String> {
    let streams = (Class::ALL.len() * Mode::ALL.len()) as u64;
    let programs = Class::ALL.len() as u64;
    for (n, class) in (0..).zip(Class::ALL) {
        for (m, mode) in (0..).zip(Mode::ALL) {
            let share = share(cases.div_ceil(2), streams);
            try_streams(class, mode, share, seed.wrapping_add(100 * n + m))?;
        }
        try_programs(
            class,
            share(cases / 2, programs),
            seed.wrapping_add(100 * n + 50),
        )?;
    }
    Ok(())
}

/// Tries random event streams of one class and mode.
pub fn try_streams(class: Class, mode: Mode, cases: u32, seed: u64) -> Holds {
    try_cases(&script(class, mode), cases, seed, |script| {
        holds_of_script(class, script)
    })
    .map_err(|wrong| format!("{class:?}, {mode:?}, seed {seed}: {wrong}"))
}

/// Tries random programs of one class.
pub fn try_programs(class: Class, cases: u32, seed: u64) -> Holds {
    try_cases(&case(class), cases, seed, holds_of_case)
        .map_err(|wrong| format!("{class:?}, seed {seed}: {wrong}"))
}

/// Draws cases and tries them; of a failing one, the smallest that fails.
pub fn try_cases<S>(
    strategy: &S,
    cases: u32,
    seed: u64,
    property: impl Fn(&S::Value) -> Holds,
) -> Holds
where
    S: Strategy,
    S::Value: fmt::Debug,
{
    let tried = runner(cases, seed).run(strategy, |case| {
        caught(|| property(&case)).map_err(TestCaseError::fail)
    });
    match tried {
        Ok(()) => Ok(()),
        Err(TestError::Fail(wrong, _)) => Err(wrong.message().to_string()),
        Err(TestError::Abort(why)) => Err(format!("gave up: {why}")),
    }
}

/// A runner that draws the same cases from the same seed and writes no files.
pub fn runner(cases: u32, seed: u64) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: SHRINK_STEPS,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// How many cases a test tries: so many, or what the environment's `HEDDLE_CASES` says.
pub fn cases(default: u32) -> u32 {
    let given = std::env::var("HEDDLE_CASES").ok();
    given
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

fn share(cases: u64, parts: u64) -> u32 {
    u32::try_from(cases.div_ceil(parts)).unwrap_or(u32::MAX)
}
