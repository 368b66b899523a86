//! Who calls whom, and what a call may do to the strand it is made in.
//!
//! Only what an activation does itself counts: the tasks it creates are activations of their own.

use crate::eliminate::walk::{Loop, Op, each_op};
use crate::ir::{LocalId, ProcId, Program, Stmt};
use std::collections::{BTreeSet, VecDeque};

/// The call graph and its summaries.
pub(super) struct Calls {
    callees: Vec<Vec<ProcId>>,
    callers: Vec<Vec<usize>>,
    breaks: Vec<bool>,
    leaks: Vec<bool>,
}

/// Whether a procedure's summary is another one than before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Summary {
    Changed,
    Same,
}

impl Calls {
    pub(super) fn of(program: &Program) -> Self {
        let bodies = || program.procs.iter().map(|proc| proc.body.block.as_slice());
        let callees: Vec<_> = bodies().map(calls_in).collect();
        let callers = reversed(&callees);
        let breaks = above(&callers, bodies().map(breaks_in).collect());
        let open: Vec<_> = bodies().map(calls_outside_finish).collect();
        let leaks = above(&reversed(&open), bodies().map(leaks_in).collect());
        Self {
            callees,
            callers,
            breaks,
            leaks,
        }
    }

    /// Whether the strand, or the set of locks held, may be another one after `op`.
    pub(super) fn breaks_strand(&self, op: Op<'_>) -> bool {
        match op {
            Op::Call { proc, .. } => row(&self.breaks, proc),
            _ => breaks(op),
        }
    }

    /// Whether tasks may live on in the caller's finish when `proc` returns. Its `spawn` children
    /// do not: their sync block ends with the activation.
    pub(super) fn leaks_tasks(&self, proc: ProcId) -> bool {
        row(&self.leaks, proc)
    }

    /// Summarises every procedure, and again those whose callees' summaries have changed.
    pub(super) fn settle(&self, mut summarise: impl FnMut(usize) -> Summary) {
        let mut queue: VecDeque<usize> = (0..self.callers.len()).collect();
        let mut queued = vec![true; self.callers.len()];
        while let Some(proc) = queue.pop_front() {
            queued[proc] = false;
            if summarise(proc) == Summary::Changed {
                for &caller in &self.callers[proc] {
                    if !std::mem::replace(&mut queued[caller], true) {
                        queue.push_back(caller);
                    }
                }
            }
        }
    }

    /// The marked procedures and everything they call.
    pub(super) fn below(&self, mut marked: Vec<bool>) -> Vec<bool> {
        let mut open: Vec<usize> = (0..marked.len()).filter(|&row| marked[row]).collect();
        while let Some(caller) = open.pop() {
            for &callee in self.callees.get(caller).into_iter().flatten() {
                if let Some(mark) = marked.get_mut(callee.0 as usize)
                    && !std::mem::replace(mark, true)
                {
                    open.push(callee.0 as usize);
                }
            }
        }
        marked
    }
}

fn row(marks: &[bool], proc: ProcId) -> bool {
    marks.get(proc.0 as usize).copied().unwrap_or(true)
}

/// For each procedure its callers.
fn reversed(callees: &[Vec<ProcId>]) -> Vec<Vec<usize>> {
    let mut callers = vec![Vec::new(); callees.len()];
    for (caller, called) in callees.iter().enumerate() {
        for callee in called {
            if let Some(list) = callers.get_mut(callee.0 as usize) {
                list.push(caller);
            }
        }
    }
    callers
}

/// The marked procedures and everything that calls them.
fn above(callers: &[Vec<usize>], mut marked: Vec<bool>) -> Vec<bool> {
    let mut open: Vec<usize> = (0..marked.len()).filter(|&row| marked[row]).collect();
    while let Some(callee) = open.pop() {
        for &caller in &callers[callee] {
            if !std::mem::replace(&mut marked[caller], true) {
                open.push(caller);
            }
        }
    }
    marked
}

fn calls_in(block: &[Stmt]) -> Vec<ProcId> {
    let mut found = BTreeSet::new();
    each_op(block, |op| {
        if let Op::Call { proc, .. } = op {
            found.insert(proc);
        }
    });
    found.into_iter().collect()
}

fn breaks_in(block: &[Stmt]) -> bool {
    let mut found = false;
    each_op(block, |op| found |= breaks(op));
    found
}

/// Task operations end the strand; lock operations end what was done under the same locks.
fn breaks(op: Op<'_>) -> bool {
    match op {
        Op::Spawn(_)
        | Op::FinishBegin
        | Op::FinishEnd
        | Op::Sync
        | Op::TaskOperation
        | Op::Acquire(_)
        | Op::Release(_)
        | Op::Enter(_)
        | Op::Leave(_)
        | Op::Cut => true,
        Op::Access { .. }
        | Op::Aim(_)
        | Op::Integer(_)
        | Op::Divisor(_)
        | Op::Allocate
        | Op::Call { .. }
        | Op::Assign { .. }
        | Op::Return(_) => false,
    }
}

fn leaks_in(block: &[Stmt]) -> bool {
    let mut found = false;
    each_op_outside_finish(
        |visit| each_op(block, visit),
        |op| {
            found |= matches!(op, Op::Spawn(spawn) if !is_child(spawn));
        },
    );
    found
}

fn calls_outside_finish(block: &[Stmt]) -> Vec<ProcId> {
    let mut found = BTreeSet::new();
    each_op_outside_finish(
        |visit| each_op(block, visit),
        |op| {
            if let Op::Call { proc, .. } = op {
                found.insert(proc);
            }
        },
    );
    found.into_iter().collect()
}

/// Passes on the operations that no finish of the walked code encloses.
fn each_op_outside_finish<'a>(
    walk: impl FnOnce(&mut dyn FnMut(Op<'a>)),
    mut visit: impl FnMut(Op<'a>),
) {
    let mut depth = 0usize;
    walk(&mut |op| match op {
        Op::FinishBegin => depth += 1,
        Op::FinishEnd => depth = depth.saturating_sub(1),
        _ if depth == 0 => visit(op),
        _ => {}
    });
}

/// Whether the task is joined by a `sync` of its creator.
pub(super) fn is_child(spawn: &crate::ir::Spawn) -> bool {
    spawn.kind == heddle_core::TaskKind::Spawn
}

/// What an iteration of a loop may do, all paths taken together.
#[derive(Default)]
pub(super) struct Iteration {
    /// The strand or the locks held may change.
    pub breaks_strand: bool,
    /// Locals set.
    pub assigned: BTreeSet<LocalId>,
    /// Tasks may be left alive in the finish that encloses the loop.
    pub leaves_tasks: bool,
    /// `spawn` children may be left alive in the activation's sync block.
    pub leaves_children: bool,
}

impl Iteration {
    pub(super) fn of(looping: Loop<'_>, calls: &Calls) -> Self {
        let mut found = Self::default();
        looping.each_op(|op| {
            found.breaks_strand |= calls.breaks_strand(op);
            if let Op::Assign { local, .. } = op {
                found.assigned.insert(local);
            }
        });
        each_op_outside_finish(
            |visit| looping.each_op(visit),
            |op| match op {
                Op::Spawn(spawn) if is_child(spawn) => found.leaves_children = true,
                Op::Spawn(_) => found.leaves_tasks = true,
                Op::Call { proc, .. } => found.leaves_tasks |= calls.leaks_tasks(proc),
                _ => {}
            },
        );
        found
    }
}
