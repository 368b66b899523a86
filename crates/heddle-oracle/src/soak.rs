//! Many random cases, from a seed, and the smallest that fails.
//!
//! One runner serves the tests (a few hundred cases each) and the long runs of
//! `cargo xtask soak`. The same seed gives the same cases on every machine.

use std::fmt;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::draw::Dice;
use crate::program::case;
use crate::property::visible_cuts::analysis_agrees;
use crate::property::{
    Holds, Missed, atomic_run, atomicity_holds_of_case, atomicity_holds_of_script, caught,
    holds_of_case, holds_of_script, missed_by_baselines, one_trace_shows_all,
};
use crate::stream::{Class, Mode, Script, Size, atomic_script, generated, script};
use crate::transactions::{Atomization, atomization, cut_program};

/// How many steps a failing case is shrunk by, at most.
const SHRINK_STEPS: u32 = 20_000;

/// Tries all properties on `cases` random programs, half of them event streams and half `.task`
/// source, and then the analysis of transactions on some cut programs. Says what is wrong with the smallest failing one.
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
    // All their schedules are tried, which takes long.
    try_cut_programs(share(cases, 50), seed)
}

/// Tries the analysis of transactions on random cut programs, half of them any graph of threads.
pub fn try_cut_programs(cases: u32, seed: u64) -> Holds {
    let programs = try_cases(&cut_program(), cases.div_ceil(2), seed, |program| {
        analysis_agrees(&program.to_string())
    });
    let graphs = |program: &Atomization| analysis_agrees(&program.to_string());
    programs
        .and_then(|()| try_cases(&atomization(), cases / 2, seed, graphs))
        .map_err(|wrong| format!("cut programs, seed {seed}: {wrong}"))
}

/// Tries random event streams of one class and mode.
pub fn try_streams(class: Class, mode: Mode, cases: u32, seed: u64) -> Holds {
    try_cases(&script(class, mode), cases, seed, |script| {
        holds_of_script(class, script)
    })
    .map_err(|wrong| format!("{class:?}, {mode:?}, seed {seed}: {wrong}"))
}

/// Tries random event streams with atomic locations.
pub fn try_atomic_streams(class: Class, mode: Mode, cases: u32, seed: u64) -> Holds {
    try_cases(&atomic_script(class, mode), cases, seed, |script| {
        atomicity_holds_of_script(class, script)
    })
    .map_err(|wrong| format!("{class:?}, {mode:?}, seed {seed}: {wrong}"))
}

/// Tries random programs whose variables are atomic.
pub fn try_atomic_programs(class: Class, cases: u32, seed: u64) -> Holds {
    try_cases(&case(class), cases, seed, atomicity_holds_of_case)
        .map_err(|wrong| format!("{class:?}, seed {seed}: {wrong}"))
}

/// What the printed history misses in random runs of one class and mode.
#[derive(Clone, Debug)]
pub struct Misses {
    /// The class.
    pub class: Class,
    /// The mode.
    pub mode: Mode,
    /// How many runs were looked at.
    pub runs: u32,
    /// Units that can be torn, and how many are missed.
    pub units: Missed,
    /// The smallest run with a miss.
    pub smallest: Option<Script>,
}

impl fmt::Display for Misses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missed {
            torn,
            missed,
            unseen,
        } = self.units;
        let share = |part| 100.0 * part as f64 / torn.max(1) as f64;
        write!(
            f,
            "{:<13} {:<12} {:>7} runs {torn:>7} torn missed {:>5.1} % as printed {:>5.1} % by Velodrome",
            format!("{:?}", self.class),
            format!("{:?}", self.mode),
            self.runs,
            share(missed),
            share(unseen)
        )
    }
}

/// Tries the properties of atomicity on `cases` random runs and counts what the baselines
/// misses in them.
pub fn soak_atomicity(cases: u64, seed: u64) -> Result<Vec<Misses>, String> {
    let parts = (Class::ALL.len() * Mode::ALL.len()) as u64;
    let mut all = Vec::new();
    for (n, class) in (0..).zip(Class::ALL) {
        for (m, mode) in (0..).zip(Mode::ALL) {
            let (share, seed) = (share(cases, parts), seed.wrapping_add(100 * n + m));
            try_atomic_streams(class, mode, share, seed)?;
            all.push(misses(class, mode, share, seed)?);
        }
    }
    Ok(all)
}

/// Generates `traces` runs of up to this size and finds all that can be torn in each by examining it once.
/// Says how many units that are.
pub fn soak_traces(traces: u64, size: Size, seed: u64) -> Result<u64, String> {
    let mut dice = Dice::new(seed);
    let mut torn = 0;
    for _ in 0..traces {
        let size = Size {
            tasks: 1 + dice.below(size.tasks),
            accesses: 2 + dice.below(size.accesses.max(3) - 1),
        };
        torn += one_trace_shows_all(&generated(size, &mut dice))?;
    }
    Ok(torn)
}

fn misses(class: Class, mode: Mode, runs: u32, seed: u64) -> Result<Misses, String> {
    let (mut units, mut smallest) = (Missed::default(), None);
    let missed = |script: &Script| missed_by_baselines(&atomic_run(class, script));
    let mut draws = runner(runs, seed);
    let strategy = atomic_script(class, mode);
    for _ in 0..runs {
        let drawn = strategy
            .new_tree(&mut draws)
            .map_err(|why| why.to_string())?;
        let found = missed(&drawn.current());
        units.torn += found.torn;
        units.missed += found.missed;
        units.unseen += found.unseen;
        if found.missed > 0 && smallest.is_none() {
            let is_miss = |script: &Script| missed(script).missed > 0;
            smallest = Some(shrunk(drawn, is_miss));
        }
    }
    Ok(Misses {
        class,
        mode,
        runs,
        units,
        smallest,
    })
}

/// The drawn value, simplified for as long as it fits.
fn shrunk<T: ValueTree>(mut drawn: T, fits: impl Fn(&T::Value) -> bool) -> T::Value {
    let mut smallest = drawn.current();
    let mut goes_on = drawn.simplify();
    while goes_on {
        let value = drawn.current();
        goes_on = match fits(&value) {
            true => {
                smallest = value;
                drawn.simplify()
            }
            false => drawn.complicate(),
        };
    }
    smallest
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
