//! `cargo xtask soak`: many random programs, every engine against the oracle, and the concurrent engine
//! under simulated schedules and under ThreadSanitizer. The tests do a few thousand; this is for a night.
//! `soak faults` is [`crate::faults`].

use crate::command::{cargo, root, step};
use crate::failure::Failure;
use crate::{faults, options, test};

struct Soak {
    cases: u64,
    seed: u64,
}

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    if let Some((first, rest)) = rest.split_first()
        && first == "atomicity"
    {
        return atomicity(rest);
    }
    if let Some((first, rest)) = rest.split_first()
        && first == "faults"
    {
        return faults::run(rest);
    }
    let soak = parse(rest)?;
    let title = format!("soak, {} cases from seed {}", soak.cases, soak.seed);
    let mut command = cargo(["run", "--release", "--quiet", "--package", "soak", "--"]);
    command.args([soak.cases, soak.seed].map(|number| number.to_string()));
    step(&title, &mut command)?;
    test::simulated_threads()?;
    sanitized_threads()
}

/// Random runs with atomic locations: every history against the oracle, and how often the printed one misses.
fn atomicity(rest: &[String]) -> Result<(), Failure> {
    let soak = parse(rest)?;
    let title = format!(
        "soak of atomicity, {} cases from seed {}",
        soak.cases, soak.seed
    );
    let mut command = cargo(["run", "--release", "--quiet", "--package", "soak", "--"]);
    command.arg("atomicity");
    command.args([soak.cases, soak.seed].map(|number| number.to_string()));
    step(&title, &mut command)
}

/// The concurrent engine on real threads, watched by ThreadSanitizer.
fn sanitized_threads() -> Result<(), Failure> {
    let suppressions = root().join("xtask/src/tsan-suppressions.txt");
    let mut test = cargo([
        "test",
        "--quiet",
        "--package",
        "heddle-rt",
        "--features",
        "spin",
    ]);
    test.args([
        "--test",
        "threads",
        "--target",
        TARGET,
        "--target-dir",
        "target/sanitized",
    ]);
    // Sanitizers are unstable in the compiler; the engine itself is stable Rust.
    test.env("RUSTC_BOOTSTRAP", "1");
    test.env(
        "RUSTFLAGS",
        "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
    );
    test.env(
        "TSAN_OPTIONS",
        format!("suppressions={}", suppressions.display()),
    );
    step("threads under ThreadSanitizer", &mut test)
}

/// Sanitizers need a named target, so that build scripts are left alone.
const TARGET: &str = "x86_64-unknown-linux-gnu";

fn parse(rest: &[String]) -> Result<Soak, Failure> {
    let mut soak = Soak {
        cases: 100_000,
        seed: 0,
    };
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let slot = match word.as_str() {
            "--cases" => &mut soak.cases,
            "--seed" => &mut soak.seed,
            _ => return Err(Failure::Usage(format!("`soak` takes no `{word}`"))),
        };
        let value = words.next().map_or("", String::as_str);
        *slot = options::number(word, value)?;
    }
    Ok(soak)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_sequence_and_default_to_a_hundred_thousand_cases() {
        let words = ["--seed", "7"].map(String::from);
        let soak = parse(&words).expect("a right command line");
        assert_eq!((soak.cases, soak.seed), (100_000, 7));
        let words = ["--seed", "7", "--cases", "3"].map(String::from);
        let soak = parse(&words).expect("a right command line");
        assert_eq!((soak.cases, soak.seed), (3, 7));
    }
}
