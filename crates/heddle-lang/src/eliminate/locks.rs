//! Which accesses may be made while a lock is held.
//!
//! Hand-off edges come from reads and writes inside sections, so several eliminations must know
//! where no lock can be held. Locks belong to tasks, so a task starts with none. `with` and
//! `isolated` hold theirs for their block; an `acquire` holds until the `release`, which may stand
//! anywhere, also in another procedure: the walk keeps the set of locks that *may* be held. A
//! procedure called with a lock held, and all it calls, may hold one throughout; a call may leave
//! held what the callee acquires and does not release in its own text.

use crate::eliminate::calls::{Calls, Summary};
use crate::eliminate::walk::{Flow, Loop, Op, block, each_op};
use crate::ir::{AccessId, Body, Program};
use heddle_core::LockId;
use std::collections::BTreeSet;

type Locks = BTreeSet<LockId>;

/// For every access whether a lock may be held.
pub(super) struct Held(Vec<bool>);

impl Held {
    pub(super) fn of(program: &Program, calls: &Calls) -> Self {
        let mut walk = Walk {
            accesses: vec![false; program.accesses.len()],
            called: vec![false; program.procs.len()],
            left: vec![Locks::new(); program.procs.len()],
            blocks: Vec::new(),
            exit: Locks::new(),
        };
        walk.settle(program, calls);
        let called = calls.below(std::mem::take(&mut walk.called));
        let mut accesses = walk.accesses;
        for (proc, _) in std::iter::zip(&program.procs, called).filter(|(_, mark)| *mark) {
            mark_all(&proc.body, &mut accesses);
        }
        Self(accesses)
    }

    /// Whether a lock may be held at this access. Checks that were moved are not in the table:
    /// only accesses outside all locks are moved.
    pub(super) fn at(&self, access: AccessId) -> bool {
        self.0.get(access.0 as usize).copied().unwrap_or(false)
    }
}

fn mark_all(body: &Body, accesses: &mut [bool]) {
    each_op(&body.block, |op| {
        if let Op::Access { access, .. } = op {
            mark(accesses, access.0);
        }
    });
}

fn mark(marks: &mut [bool], row: u32) {
    if let Some(mark) = marks.get_mut(row as usize) {
        *mark = true;
    }
}

struct Walk {
    accesses: Vec<bool>,
    /// Procedures called with a lock held.
    called: Vec<bool>,
    /// What each procedure may leave held beyond what its caller held.
    left: Vec<Locks>,
    /// The `with` and `isolated` blocks around the walked statement, in this activation.
    blocks: Vec<LockId>,
    /// What may be held where the activation is left.
    exit: Locks,
}

impl Walk {
    /// Finds what each procedure leaves held, then walks everything with that.
    fn settle(&mut self, program: &Program, calls: &Calls) {
        calls.settle(|row| {
            let left = self.activation(&program.procs[row].body);
            let summary = match left == self.left[row] {
                true => Summary::Same,
                false => Summary::Changed,
            };
            self.left[row] = left;
            summary
        });
        self.activation(&program.main);
        for proc in &program.procs {
            self.activation(&proc.body);
        }
    }

    fn activation(&mut self, body: &Body) -> Locks {
        let blocks = std::mem::take(&mut self.blocks);
        let exit = std::mem::take(&mut self.exit);
        let mut state = Locks::new();
        block(self, &body.block, &mut state);
        state.append(&mut self.exit);
        (self.blocks, self.exit) = (blocks, exit);
        state
    }

    fn leave(&mut self, lock: LockId, state: &mut Locks) {
        self.blocks.pop();
        // Inner isolated blocks release nothing.
        if !self.blocks.contains(&lock) {
            state.remove(&lock);
        }
    }

    fn call(&mut self, row: u32, state: &mut Locks) {
        if !state.is_empty() {
            mark(&mut self.called, row);
        }
        state.extend(self.left.get(row as usize).into_iter().flatten());
    }
}

impl<'a> Flow<'a> for Walk {
    type State = Locks;

    fn op(&mut self, op: Op<'a>, state: &mut Locks) {
        match op {
            Op::Access { access, .. } if !state.is_empty() => mark(&mut self.accesses, access.0),
            Op::Call { proc, .. } => self.call(proc.0, state),
            Op::Spawn(spawn) => {
                self.activation(&spawn.body);
            }
            Op::Acquire(lock) => {
                state.insert(lock);
            }
            Op::Release(lock) => {
                state.remove(&lock);
            }
            Op::Enter(lock) => {
                self.blocks.push(lock);
                state.insert(lock);
            }
            Op::Leave(lock) => self.leave(lock, state),
            // A return leaves the blocks and gives their locks back.
            Op::Return(_) => {
                let left = state.iter().filter(|lock| !self.blocks.contains(lock));
                self.exit.extend(left);
            }
            _ => {}
        }
    }

    fn branch(&mut self, before: &Locks) -> Locks {
        before.clone()
    }

    fn merge(&mut self, state: &mut Locks, arms: [Locks; 2]) {
        let [then, mut otherwise] = arms;
        *state = then;
        state.append(&mut otherwise);
    }

    fn enter_loop(&mut self, looping: Loop<'a>, state: &mut Locks) {
        looping.each_op(|op| match op {
            Op::Acquire(lock) => {
                state.insert(lock);
            }
            Op::Call { proc, .. } => {
                state.extend(self.left.get(proc.0 as usize).into_iter().flatten());
            }
            _ => {}
        });
    }

    fn exit_loop(&mut self, _state: &mut Locks, _inside: Locks) {}
}
