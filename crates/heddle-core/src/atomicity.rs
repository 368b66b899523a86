//! Atomicity: what is asked for, and how findings that nobody asked for by name are ranked.
//!
//! What a violation is, and how it is found, is said in `heddle-rt`, `atomicity`.

use crate::event::AccessKind::{Read, Write};
use crate::finding::Access;

/// Which locations are checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// Those the program declares atomic.
    #[default]
    Declared,
    /// All of them; groups the program declares stay groups.
    All,
}

/// How far three accesses are from a sure defect. Nobody declared the place atomic, so it is a guess: a lost update is
/// most often a defect, an intermediate value overwritten least; and what holds no lock is a race anyway and comes after
/// what was meant to be right.
pub fn rank(accesses: &[Access; 3]) -> u8 {
    let pattern = match (accesses[0].kind, accesses[2].kind) {
        (Read, Write) => 1,
        (Write, Read) => 2,
        (Read, Read) => 3,
        (Write, Write) => 4,
    };
    let is_locked = accesses.iter().all(|access| !access.locks.is_empty());
    pattern + if is_locked { 0 } else { 4 }
}
