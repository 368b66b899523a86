//! Tag bytes and the numbers of small enums. These values are the file format: never reuse one.
//!
//! A tag is `ssfkkkkk`: the kind of event, one flag whose meaning depends on the kind, and how
//! the site follows. Kind 0 stands for nothing, so that zeroed bytes are no events.

use heddle_core::{FinishKind, TaskKind, ValueProblem};

use crate::damage::Malformed;

pub const DECLARE: u8 = 1;
pub const DECLARE_LOCK: u8 = 2;
pub const DECLARE_TOKEN: u8 = 3;
pub const SPAWN: u8 = 4;
pub const BEGIN: u8 = 5;
pub const END: u8 = 6;
pub const RESUME: u8 = 7;
pub const FINISH_BEGIN: u8 = 8;
pub const FINISH_END: u8 = 9;
pub const JOIN: u8 = 10;
pub const SIGNAL: u8 = 11;
pub const WAIT: u8 = 12;
pub const ACQUIRE: u8 = 13;
pub const RELEASE: u8 = 14;
pub const CUT: u8 = 15;
pub const READ: u8 = 16;
pub const WRITE: u8 = 17;
pub const ALLOC: u8 = 18;
pub const BIND: u8 = 19;
pub const FREE: u8 = 20;
pub const ASSERTION_FAILED: u8 = 21;
pub const STUCK: u8 = 22;
pub const FAULT: u8 = 23;
/// A finish of a kind that the flag of `FINISH_BEGIN` has no room for.
pub const FINISH_BEGIN_OTHER: u8 = 24;
pub const ATOMIC: u8 = 25;
pub const ATOMIC_BEGIN: u8 = 26;
pub const ATOMIC_END: u8 = 27;

pub const KIND_MASK: u8 = 0x1f;
/// Declare: an array. Begin, End, Resume: the predicted task. FinishBegin: a sync block.
/// Read, Write, Free: as long as the last access of the row. Alloc: named.
/// Atomic: in a group. Acquire: shared with other readers.
pub const FLAG: u8 = 0x20;

/// How the site follows from the one before.
pub const SITE_MASK: u8 = 0xc0;
pub const SITE_SAME: u8 = 0x00;
pub const SITE_NEXT: u8 = 0x40;
/// The site that came after the same site the last time.
pub const SITE_USUAL: u8 = 0x80;
pub const SITE_FAR: u8 = 0xc0;

/// The byte after a spawn's tag: the task kind and what is left out.
pub const SPAWN_KIND_MASK: u8 = 0x07;
/// Counts eight in the task kind.
pub const SPAWN_KIND_HIGH: u8 = 0x40;
pub const SPAWN_NAMED: u8 = 0x08;
pub const SPAWN_NEXT_TASK: u8 = 0x10;
pub const SPAWN_SAME_FINISH: u8 = 0x20;
pub const SPAWN_UNUSED: u8 = 0x80;

pub const AWAITED_FINISH: u8 = 0;
pub const AWAITED_TASK: u8 = 1;
pub const AWAITED_TOKEN: u8 = 2;
pub const AWAITED_LOCK: u8 = 3;
pub const AWAITED_REGION: u8 = 4;

pub const FAULT_DIVISION_BY_ZERO: u8 = 0;
pub const FAULT_INDEX_OUT_OF_RANGE: u8 = 1;
pub const FAULT_BAD_LENGTH: u8 = 2;
pub const FAULT_LOCK_ALREADY_HELD: u8 = 3;
pub const FAULT_LOCK_NOT_HELD: u8 = 4;
pub const FAULT_LOCK_HELD_AT_END: u8 = 5;
pub const FAULT_ALREADY_SATISFIED: u8 = 6;
pub const FAULT_TASK_OPERATION_IN_ISOLATED: u8 = 7;
pub const FAULT_WRONG_VALUE: u8 = 8;
pub const FAULT_NO_SUCH_TASK: u8 = 9;
pub const FAULT_LIMIT_REACHED: u8 = 10;

/// Whether some event has this tag. Bits that a kind has no use for must be zero, so that no
/// change of a tag goes unnoticed.
pub fn is_known(tag: u8) -> bool {
    let unused = match tag & KIND_MASK {
        READ | WRITE | FREE | ALLOC | FINISH_BEGIN | ACQUIRE | CUT => 0,
        SPAWN
        | JOIN..=WAIT
        | RELEASE
        | ASSERTION_FAILED..=FINISH_BEGIN_OTHER
        | ATOMIC_BEGIN
        | ATOMIC_END => FLAG,
        DECLARE | ATOMIC | BEGIN | END | RESUME => SITE_MASK,
        DECLARE_LOCK | DECLARE_TOKEN | FINISH_END | BIND => SITE_MASK | FLAG,
        _ => return false,
    };
    tag & unused == 0
}

pub fn task_kind_number(kind: TaskKind) -> u8 {
    match kind {
        TaskKind::Async => 0,
        TaskKind::Spawn => 1,
        TaskKind::Future => 2,
        TaskKind::Dependent => 3,
        TaskKind::Post => 4,
        TaskKind::Task => 5,
        TaskKind::Member => 6,
        TaskKind::Chunk => 7,
        TaskKind::Section => 8,
        TaskKind::Single => 9,
        TaskKind::Thread => 10,
        TaskKind::EventDriven => 11,
    }
}

pub fn task_kind(number: u8) -> Result<TaskKind, Malformed> {
    Ok(match number {
        0 => TaskKind::Async,
        1 => TaskKind::Spawn,
        2 => TaskKind::Future,
        3 => TaskKind::Dependent,
        4 => TaskKind::Post,
        5 => TaskKind::Task,
        6 => TaskKind::Member,
        7 => TaskKind::Chunk,
        8 => TaskKind::Section,
        9 => TaskKind::Single,
        10 => TaskKind::Thread,
        11 => TaskKind::EventDriven,
        _ => return Err(Malformed::UnknownVariant(number)),
    })
}

/// The task kind as it stands in a spawn's form byte.
pub fn spawn_kind_bits(kind: TaskKind) -> u8 {
    match task_kind_number(kind) {
        number @ 0..8 => number,
        number => (number & SPAWN_KIND_MASK) | SPAWN_KIND_HIGH,
    }
}

/// The task kind in this form byte.
pub fn spawn_kind(form: u8) -> Result<TaskKind, Malformed> {
    let high = match form & SPAWN_KIND_HIGH {
        0 => 0,
        _ => 8,
    };
    task_kind(high | (form & SPAWN_KIND_MASK))
}

pub fn finish_kind_number(kind: FinishKind) -> u8 {
    match kind {
        FinishKind::Finish => 0,
        FinishKind::SyncBlock => 1,
        FinishKind::Parallel => 2,
        FinishKind::Phase => 3,
        FinishKind::Group => 4,
    }
}

/// The kind a `FINISH_BEGIN_OTHER` has; the first two have their own tag.
pub fn other_finish_kind(number: u8) -> Result<FinishKind, Malformed> {
    Ok(match number {
        2 => FinishKind::Parallel,
        3 => FinishKind::Phase,
        4 => FinishKind::Group,
        _ => return Err(Malformed::UnknownVariant(number)),
    })
}

pub fn value_problem_number(problem: ValueProblem) -> u8 {
    match problem {
        ValueProblem::NotAnInteger => 0,
        ValueProblem::NotAnArray => 1,
        ValueProblem::NotAFuture => 2,
    }
}

pub fn value_problem(number: u8) -> Result<ValueProblem, Malformed> {
    Ok(match number {
        0 => ValueProblem::NotAnInteger,
        1 => ValueProblem::NotAnArray,
        2 => ValueProblem::NotAFuture,
        _ => return Err(Malformed::UnknownVariant(number)),
    })
}
