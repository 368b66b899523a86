//! `cargo xtask fuzz`: runs every target of `fuzz/` for a while on fresh inputs.
//!
//! cargo-fuzz is installed into `target/tools` the first time. Its sanitizer flags are unstable;
//! `RUSTC_BOOTSTRAP` lets the installed compiler take them, so that no nightly one is needed.

use crate::command::{cargo, program, quietly, root, step};
use crate::failure::Failure;
use crate::options;
use std::process::Command;

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    let seconds: u32 = match rest {
        [] => 60,
        [seconds] => options::number("SECONDS", seconds)?,
        [_, stray, ..] => return Err(Failure::Usage(format!("`fuzz` takes no `{stray}`"))),
    };
    install()?;
    let targets = quietly("fuzz targets", cargo_fuzz().arg("list"))?;
    targets.lines().try_for_each(|target| fuzz(target, seconds))
}

/// Starts from the inputs in `fuzz/corpus`, keeps new ones under `target/`.
fn fuzz(target: &str, seconds: u32) -> Result<(), Failure> {
    let found = format!("target/fuzz/{target}");
    std::fs::create_dir_all(root().join(&found))
        .map_err(|e| Failure::Step(format!("cannot make {found}: {e}")))?;
    let known = format!("fuzz/corpus/{target}");
    let limit = format!("-max_total_time={seconds}");
    let mut command = cargo_fuzz();
    command.args(["run", target, &found, &known, "--", &limit, "-timeout=10"]);
    step(&format!("fuzz {target}, {seconds} s"), &mut command)
}

fn install() -> Result<(), Failure> {
    let tools = root().join("target/tools");
    if tools.join("bin/cargo-fuzz").exists() {
        return Ok(());
    }
    let mut command = cargo(["install", "cargo-fuzz", "--locked", "--quiet", "--root"]);
    step(
        "installing cargo-fuzz into target/tools",
        command.arg(tools),
    )
}

fn cargo_fuzz() -> Command {
    let mut command = program(&root().join("target/tools/bin/cargo-fuzz").to_string_lossy());
    command.env("RUSTC_BOOTSTRAP", "1").arg("fuzz");
    command
}
