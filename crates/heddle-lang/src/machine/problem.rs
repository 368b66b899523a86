//! Why an instruction could not be executed, before it is known where it stands in the source.

use heddle_core::{FaultKind, NameId, SiteId, ValueProblem};

/// Which source position of an instruction is to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blame {
    /// The instruction itself.
    Instruction,
    /// The expression of its first operand (an index or a left side).
    First,
    /// The expression of its second operand (a stored value or a right side).
    Second,
    /// Something it mentions.
    Mention(SiteId),
}

/// A fault without its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    pub blame: Blame,
    pub kind: FaultKind,
}

/// Boxed, so that the result of a sound instruction travels in registers.
pub(super) type Fallible<T> = Result<T, Box<Problem>>;

#[cold]
pub(super) fn fault(kind: FaultKind) -> Box<Problem> {
    Box::new(Problem {
        blame: Blame::Instruction,
        kind,
    })
}

#[cold]
pub(super) fn not_an_integer(blame: Blame) -> Box<Problem> {
    Box::new(Problem {
        blame,
        kind: FaultKind::WrongValue(ValueProblem::NotAnInteger),
    })
}

#[cold]
pub(super) fn out_of_range(index: i64, len: u64) -> Box<Problem> {
    fault(FaultKind::IndexOutOfRange { index, len })
}

#[cold]
pub(super) fn no_such_task(name: NameId, site: SiteId) -> Box<Problem> {
    Box::new(Problem {
        blame: Blame::Mention(site),
        kind: FaultKind::NoSuchTask { name },
    })
}
