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
//! Without a sequential read inside a section, edges to that section are lost; both ends of each are
//! ordered by structure as well. A sequential *write* inside a section stays: the section may go on
//! after tasks were created, and what it then does is handed over to whoever reads the value.

use crate::eliminate::Analyses;
use crate::ir::{Elimination, Program};
use heddle_core::AccessKind;

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    for (access, info) in super::numbered(&mut program.accesses) {
        let handed_over = info.kind == AccessKind::Write && analyses.held.at(access);
        let sequential = !analyses.parallel.contains(access) && !handed_over;
        if sequential && analyses.subjects.may_drop(access) {
            info.eliminated.get_or_insert(Elimination::MainTask);
        }
    }
}
