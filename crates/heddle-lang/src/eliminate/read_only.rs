//! 6.2: no checks at reads of variables that no parallel code writes.
//!
//! A shared variable or array (as a whole) counts as written if some write to it, in any body, may
//! be in parallel code.
//!
//! **Sound because** a race needs a write, and every write to the variable is in sequential code,
//! ordered with all accesses (see [`main_task`](super::main_task)). That does not rest on the
//! elimination of those writes' checks: where they are made they find nothing. A read inside a
//! section can receive a hand-off from such a write if that was made in a section too, and the section
//! may go on after the reader was created: those reads stay.
//!
//! Heap arrays are left alone: which arrays a handle may stand for is not tracked between bodies.

use crate::eliminate::Analyses;
use crate::ir::{AccessId, Elimination, Program, SharedId};
use heddle_core::AccessKind;
use std::collections::BTreeSet;

pub(super) fn apply(program: &mut Program, analyses: &Analyses) {
    let written = written_where(
        program,
        |access| analyses.parallel.contains(access),
        analyses,
    );
    let handed_over = written_where(program, |access| analyses.held.at(access), analyses);
    for (access, info) in super::numbered(&mut program.accesses) {
        let Some(shared) = analyses.subjects.shared(access) else {
            continue;
        };
        let read_only = info.kind == AccessKind::Read && !written.contains(&shared);
        let receives = analyses.held.at(access) && handed_over.contains(&shared);
        if read_only && !receives && analyses.subjects.may_drop(access) {
            info.eliminated.get_or_insert(Elimination::ReadOnly);
        }
    }
}

/// The variables written by an access for which `place` says yes.
fn written_where(
    program: &mut Program,
    place: impl Fn(AccessId) -> bool,
    analyses: &Analyses,
) -> BTreeSet<SharedId> {
    super::numbered(&mut program.accesses)
        .filter(|(access, info)| info.kind == AccessKind::Write && place(*access))
        .filter_map(|(access, _)| analyses.subjects.shared(access))
        .collect()
}
