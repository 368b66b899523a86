//! `cargo xtask bless`: makes the expected outputs again. Read the difference before committing it.

use crate::command::{cargo, step};
use crate::failure::Failure;
use crate::{options, sample};

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    options::none("bless", rest)?;
    let mut tests = cargo(["test", "--quiet", "--package", "heddle-cli"]);
    // The book's test says what differed, and so fails where it has just put in what is printed now.
    let mut book = cargo(["test", "--quiet", "--package", "heddle-cli"]);
    book.args(["--test", "book"]).env("HEDDLE_BLESS", "1");
    let _ = step("blessing the book", &mut book);
    step("blessing", tests.env("TRYCMD", "overwrite"))?;
    let mut guide = cargo([
        "test",
        "--quiet",
        "--package",
        "heddle",
        "--test",
        "programs",
    ]);
    step("blessing the guide", guide.env("HEDDLE_BLESS", "1"))?;
    sample::bless()
}
