//! 6.1: no checks in the sequential code of the main task.
//!
//! **Sound because** a strand of sequential code (see [`parallel`](super::parallel)) is ordered
//! with every strand of every other task: a task that exists at all was either joined, with all its
//! descendants, by a finish or sync before this strand, or is created after it. The order that
//! shows this is the structured one, so it holds for every engine and every schedule. An access
//! ordered with all conflicting accesses of other tasks is in no race.
//!
//! **Nor do other verdicts change.** What else detectors take from an access is who wrote a
//! location last, to find hand-offs between sections of a lock. Without a sequential write `w`, a
//! later section `s` may seem to read from a section `e` before `w`. The edge added then leads from
//! `e`, which is joined before `w`, to `s`, which starts after it: order that was there already.
//! Without a sequential write or read inside a section, edges from or to that section are lost;
//! both ends of each are ordered by structure as well.

use crate::eliminate::Analyses;
use crate::ir::{Elimination, Program};

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    for (access, info) in super::numbered(&mut program.accesses) {
        if !analyses.parallel.contains(access) && analyses.subjects.may_drop(access) {
            info.eliminated.get_or_insert(Elimination::MainTask);
        }
    }
}
