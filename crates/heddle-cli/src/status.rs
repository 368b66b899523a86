//! What the exit status says.

#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
#[cfg(unix)]
use std::process::ExitStatus;

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
            Verdict::Clean | Verdict::Unknown => Self::Clean,
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
pub fn guarded<T: From<Status>>(part: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(part)).unwrap_or_else(|_| Status::Error.into())
}

/// The status of another program, passed on as shells do.
#[cfg(unix)]
pub fn passed_on(status: ExitStatus) -> ExitCode {
    let killed = || status.signal().map_or(1, |signal| 128 + signal);
    let code = status.code().unwrap_or_else(killed);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_outweigh_findings_and_findings_outweigh_nothing() {
        assert!(Status::Error > Status::Findings);
        assert!(Status::Findings > Status::Clean);
    }

    #[cfg(unix)]
    #[test]
    fn another_programs_end_is_told_as_a_shell_tells_it() {
        let told = |raw| format!("{:?}", passed_on(ExitStatus::from_raw(raw)));
        assert_eq!(told(7 << 8), format!("{:?}", ExitCode::from(7)));
        assert_eq!(told(11), format!("{:?}", ExitCode::from(128 + 11)));
    }

    #[test]
    fn a_panic_is_an_error_and_goes_no_further() {
        assert_eq!(
            guarded::<Status>(|| panic!("provoked by a test")),
            Status::Error
        );
        assert_eq!(guarded(|| Status::Findings), Status::Findings);
    }
}
