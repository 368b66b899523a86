//! `cargo xtask bench`: each folder of `bench/` is one benchmark, a program that prints its table
//! and writes its figures as JSON under `target/bench/`.

use crate::command::{cargo, step};
use crate::failure::Failure;

/// The folders of `bench/`.
const BENCHES: &[&str] = &["core"];

/// The task: one benchmark with its own options, or all of them.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    match rest.split_first() {
        None => BENCHES.iter().try_for_each(|name| bench(name, &[])),
        Some((name, options)) if BENCHES.contains(&name.as_str()) => bench(name, options),
        Some((name, _)) => {
            let known = BENCHES.join(", ");
            Err(Failure::Usage(format!(
                "no benchmark `{name}` (there is: {known})"
            )))
        }
    }
}

fn bench(name: &str, options: &[String]) -> Result<(), Failure> {
    let package = format!("bench-{name}");
    let mut command = cargo(["run", "--release", "--quiet", "--package", &package, "--"]);
    step(&format!("bench {name}"), command.args(options))
}
