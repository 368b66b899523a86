//! Reading the few arguments that tasks take.

use crate::failure::Failure;
use std::str::FromStr;

/// Refuses any argument.
pub fn none(task: &str, rest: &[String]) -> Result<(), Failure> {
    match rest.first() {
        None => Ok(()),
        Some(stray) => Err(Failure::Usage(format!("`{task}` takes no `{stray}`"))),
    }
}

/// The number written in `text`, or a usage error that names what it was for.
pub fn number<N: FromStr>(what: &str, text: &str) -> Result<N, Failure> {
    text.parse()
        .map_err(|_| Failure::Usage(format!("{what} must be a number, not `{text}`")))
}
