//! What `cargo xtask soak` starts in the release profile: `soak CASES SEED`.
//!
//! A program of its own, so that the tasks of the project can be run while the engine does not
//! compile.

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).flat_map(|a| a.parse()).collect();
    let [cases, seed] = numbers[..] else {
        eprintln!("usage: cargo xtask soak [--cases N] [--seed S]");
        return ExitCode::from(2);
    };
    match heddle_oracle::soak(cases, seed) {
        Ok(()) => {
            println!("{cases} random programs, nothing wrong");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
    }
}
