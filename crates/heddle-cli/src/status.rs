//! What the exit status says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use heddle_report::Verdict;

/// The outcome of a command, from best to worst: of several files the worst counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// Nothing certain was found.
    Clean,
    /// Something was.
    Findings,
    /// A file or the command line is wrong.
    Error,
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Clean => Self::Clean,
            Verdict::Findings => Self::Findings,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Clean => Self::SUCCESS,
            Status::Findings => Self::from(1),
            Status::Error => Self::from(2),
        }
    }
}

/// Runs a part of the command. A panic in it is an error like any other; the hook has said more.
pub fn guarded(part: impl FnOnce() -> Status) -> Status {
    catch_unwind(AssertUnwindSafe(part)).unwrap_or(Status::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_outweigh_findings_and_findings_outweigh_nothing() {
        assert!(Status::Error > Status::Findings);
        assert!(Status::Findings > Status::Clean);
    }

    #[test]
    fn a_panic_is_an_error_and_goes_no_further() {
        assert_eq!(guarded(|| panic!("provoked by a test")), Status::Error);
        assert_eq!(guarded(|| Status::Findings), Status::Findings);
    }
}
