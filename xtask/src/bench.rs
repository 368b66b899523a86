//! `cargo xtask bench`: each benchmark is a program under `bench/` that prints its table and writes
//! its figures as JSON under `target/bench/`.

use crate::command::{cargo, step};
use crate::failure::Failure;

/// Names on the command line and the packages behind them.
const BENCHES: &[(&str, &str)] = &[
    ("core", "bench-core"),
    ("rust", "bench-kernels"),
    ("native", "bench-native"),
    ("atomicity", "bench-atomicity"),
    ("explore", "bench-explore"),
    ("transactions", "bench-transactions"),
    ("ocr", "bench-ocr"),
];

/// The task: one benchmark with its own options, or all of them.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    let Some((wanted, options)) = rest.split_first() else {
        return BENCHES.iter().try_for_each(|bench| start(bench, &[]));
    };
    match BENCHES.iter().find(|(name, _)| name == wanted) {
        Some(bench) => start(bench, options),
        None => {
            let known = BENCHES.iter().map(|&(name, _)| name).collect::<Vec<_>>();
            let known = known.join(", ");
            Err(Failure::Usage(format!(
                "no benchmark `{wanted}` (there are: {known})"
            )))
        }
    }
}

fn start((name, package): &(&str, &str), options: &[String]) -> Result<(), Failure> {
    let mut command = cargo(["run", "--release", "--quiet", "--package", package, "--"]);
    step(&format!("bench {name}"), command.args(options))
}
