//! The words for a run that had to stop.

use heddle_core::{FaultKind, SiteId, ValueProblem};

use crate::problem::Problem;
use crate::resolve::Resolver;

/// The fault as an error with its position.
pub fn problem(resolver: &Resolver, site: SiteId, kind: FaultKind) -> Problem {
    Problem::plain(message(resolver, kind))
        .at(resolver.position(site))
        .note("the run stopped here; only what ran before was checked")
        .help(help(kind))
}

fn message(resolver: &Resolver, kind: FaultKind) -> String {
    match kind {
        FaultKind::DivisionByZero => "division by zero".into(),
        FaultKind::IndexOutOfRange { index, len } => {
            format!("index {index} is out of range for an array of length {len}")
        }
        FaultKind::BadLength { len } => format!("an array cannot have length {len}"),
        FaultKind::LockAlreadyHeld { lock } => {
            format!("the task already holds lock {}", resolver.lock(lock))
        }
        FaultKind::LockNotHeld { lock } => {
            format!("the task does not hold lock {}", resolver.lock(lock))
        }
        FaultKind::LockHeldAtEnd { lock } => {
            format!("the task ends while it holds lock {}", resolver.lock(lock))
        }
        FaultKind::AlreadySatisfied { token } => {
            format!("event {} is already satisfied", resolver.token(token))
        }
        FaultKind::TaskOperationInIsolated => "task operation inside an isolated body".into(),
        FaultKind::WrongValue(problem) => wrong_value(problem).into(),
        FaultKind::NoSuchTask { name } => format!("{} names no task yet", resolver.name(name)),
        FaultKind::LimitReached => {
            "the program needs more memory or call depth than allowed".into()
        }
    }
}

fn wrong_value(problem: ValueProblem) -> &'static str {
    match problem {
        ValueProblem::NotAnInteger => "this value is not an integer",
        ValueProblem::NotAnArray => "this value is not an array",
        ValueProblem::NotAFuture => "this value is not a future",
    }
}

fn help(kind: FaultKind) -> Option<String> {
    let help = match kind {
        FaultKind::LockAlreadyHeld { .. } => "locks are not re-entrant",
        FaultKind::AlreadySatisfied { .. } => "an event can be satisfied once",
        FaultKind::TaskOperationInIsolated => {
            "move the task operation out of the isolated body, or out of the procedure it calls"
        }
        _ => return None,
    };
    Some(help.into())
}
