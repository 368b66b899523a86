//! `cargo xtask test`: everything that must hold before a change is good. Continuous integration
//! runs exactly this.

use crate::command::{cargo, heddle, step};
use crate::failure::Failure;
use crate::{examples, options, sample, setup};

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    options::none("test", rest)?;
    setup::ensure()?;
    step("format", &mut cargo(["fmt", "--all", "--check"]))?;
    lints()?;
    everything()?;
    step("tests", &mut tests())?;
    simulated_threads()?;
    expectations()?;
    sample::check()?;
    documentation()
}

/// All of them, also behind one that fails: a second defect is known without a second run.
fn tests() -> std::process::Command {
    let mut tests = cargo(["test", "--workspace", "--quiet", "--no-fail-fast"]);
    // Tests of native programs need not build the command and the library that they use.
    tests.env("HEDDLE_IS_BUILT", "1");
    tests
}

fn lints() -> Result<(), Failure> {
    let mut clippy = cargo(["clippy", "--workspace", "--all-targets", "--quiet"]);
    clippy.args(["--", "-D", "warnings"]);
    step("lints", &mut clippy)
}

/// All tests, and the command and the library that tests of native programs use. At once: for single packages, what they
/// depend on would have other features, and be built twice.
fn everything() -> Result<(), Failure> {
    let mut build = cargo(["build", "--workspace", "--all-targets", "--quiet"]);
    step("build", &mut build)
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
    step(&title, heddle().args(["check", "--expect"]).args(files))
}

fn documentation() -> Result<(), Failure> {
    let mut doc = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
    step("documentation", doc.env("RUSTDOCFLAGS", "-D warnings"))
}
