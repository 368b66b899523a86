//! `cargo xtask test`: everything that must hold before a change is good. Continuous integration
//! runs exactly this.

use crate::command::{cargo, step};
use crate::failure::Failure;
use crate::{examples, options, sample, setup};

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    options::none("test", rest)?;
    setup::ensure()?;
    step("format", &mut cargo(["fmt", "--all", "--check"]))?;
    lints()?;
    native_tools()?;
    step("tests", &mut cargo(["test", "--workspace", "--quiet"]))?;
    simulated_threads()?;
    expectations()?;
    sample::check()?;
    documentation()
}

fn lints() -> Result<(), Failure> {
    let mut clippy = cargo(["clippy", "--workspace", "--all-targets", "--quiet"]);
    clippy.args(["--", "-D", "warnings"]);
    step("lints", &mut clippy)
}

/// What builds and checks native programs: tests of those use both.
fn native_tools() -> Result<(), Failure> {
    let mut build = cargo(["build", "--quiet", "--package", "heddle-cli"]);
    step("native tools", build.args(["--package", "heddle-native"]))
}

/// The concurrent engine under schedules of the test's choice.
pub fn simulated_threads() -> Result<(), Failure> {
    let mut test = cargo(["test", "--quiet", "--package", "heddle-rt"]);
    test.args(["--features", "shuttle", "--test", "shuttle"]);
    step("simulated threads", &mut test)
}

/// The examples say themselves what must be found in them.
fn expectations() -> Result<(), Failure> {
    let files = examples::checked()?;
    let title = format!("{} examples", files.len());
    let mut heddle = cargo(["run", "--quiet", "--package", "heddle-cli", "--"]);
    heddle.args(["check", "--expect"]).args(files);
    step(&title, &mut heddle)
}

fn documentation() -> Result<(), Failure> {
    let mut doc = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
    step("documentation", doc.env("RUSTDOCFLAGS", "-D warnings"))
}
