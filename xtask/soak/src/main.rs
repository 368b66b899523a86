//! What `cargo xtask soak` starts in the release profile: `soak [atomicity] CASES SEED`.
//!
//! A program of its own, so that the tasks of the project can be run while the engine does not
//! compile.

use std::process::ExitCode;

use heddle_oracle::stream::Size;

/// How many runs the trace generator makes, and how large they are at most.
const TRACES: u64 = 10_000;
const SIZE: Size = Size {
    tasks: 12,
    accesses: 30,
};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().flat_map(|word| word.parse()).collect();
    let [cases, seed] = numbers[..] else {
        eprintln!("usage: cargo xtask soak [atomicity] [--cases N] [--seed S]");
        return ExitCode::from(2);
    };
    let done = match words.first().is_some_and(|word| word == "atomicity") {
        true => atomicity(cases, seed),
        false => heddle_oracle::soak(cases, seed)
            .map(|()| println!("{cases} random programs, nothing wrong")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
    }
}

fn atomicity(cases: u64, seed: u64) -> Result<(), String> {
    let all = heddle_oracle::soak_atomicity(cases, seed)?;
    println!("every order = oracle; what the baselines miss:");
    all.iter().for_each(|misses| println!("  {misses}"));
    let small = all.iter().filter_map(|misses| misses.smallest.as_ref());
    if let Some(smallest) = small.min_by_key(|script| script.to_string().len()) {
        println!("\nthe smallest run with a miss:\n{smallest}");
    }
    let torn = heddle_oracle::soak_traces(TRACES, SIZE, seed)?;
    println!("{TRACES} generated traces, {torn} torn units, all found by examining one trace each");
    Ok(())
}
