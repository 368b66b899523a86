//! Why a task of the project did not succeed.

use std::fmt;

/// The two ways to fail; they differ in the exit status.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// Something that was started, or was needed to start, failed.
    Step(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Step(message) => f.write_str(message),
        }
    }
}
