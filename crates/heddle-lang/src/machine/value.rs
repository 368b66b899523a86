//! What a register holds.

use heddle_core::TaskId;

use super::memory::ArrayId;

/// A local value. Plain data: copying and dropping it costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// An integer.
    Int(i64),
    /// The handle of a task.
    Task(TaskId),
    /// The handle of a heap array.
    Array(ArrayId),
}

impl Value {
    /// What every local is at entry, and what a body without `return` yields.
    pub const ZERO: Self = Self::Int(0);
}
