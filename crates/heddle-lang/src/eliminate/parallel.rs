//! Which code may run while a task other than the main task is alive.
//!
//! *Sequential* code is run by the main task at points where every task created so far has been
//! joined by a finish or a sync: before the first creation, and again after a finish (or sync) that
//! joins everything still alive. All other code is *parallel*. The rule of Raman et al. ("outside
//! the outermost finish, and before the first async outside any finish") is a special case; here
//! the beginning of a finish body, before its first task, is sequential too.
//!
//! The state is one level per open finish of the activation: may tasks be alive that this finish
//! will join, may `spawn` children be alive in the sync block opened at this level?
//! - A finish joins all tasks of its level, whoever created them: a task without an open finish
//!   creates tasks into the scope it was itself created into, which is of the same level. It also
//!   ends a sync block opened inside it. So its end restores the state of its beginning.
//! - A `spawn` inside a finish may go into a sync block opened outside; then that block had a child
//!   already, and the outer level says so.
//! - `sync` ends the block of its own level. (One that stands inside a finish also waits for the
//!   children of an outer block; the analysis does not make use of it.)
//! - What `get`, `await`, `ewait` and `after` join is not counted: descendants may live on.
//!
//! A procedure is sequential where its text says so *and* every call of it is sequential. One walk
//! of every procedure, as if called sequentially, yields the calls made in parallel code; all that
//! is reachable from these is parallel throughout.

use crate::eliminate::calls::{Calls, Iteration, is_child};
use crate::eliminate::walk::{Flow, Loop, Op, block, each_op};
use crate::ir::{AccessId, Body, Program};

/// For every access whether it lies in parallel code.
pub(super) struct Parallel(Vec<bool>);

impl Parallel {
    pub(super) fn of(program: &Program, calls: &Calls) -> Self {
        let mut walk = Walk {
            calls,
            accesses: vec![false; program.accesses.len()],
            procs: vec![false; program.procs.len()],
        };
        walk.activation(&program.main, Levels::default());
        for proc in &program.procs {
            walk.activation(&proc.body, Levels::default());
        }
        let parallel_procs = calls.below(walk.procs);
        let mut accesses = walk.accesses;
        for (proc, _) in std::iter::zip(&program.procs, parallel_procs).filter(|(_, mark)| *mark) {
            mark_all(&proc.body, &mut accesses);
        }
        Self(accesses)
    }

    /// Whether another task may be alive at this access.
    pub(super) fn contains(&self, access: AccessId) -> bool {
        self.0.get(access.0 as usize).copied().unwrap_or(true)
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

/// What may be alive, one level per finish opened by the activation.
#[derive(Clone)]
struct Levels {
    /// Tasks of scopes outside the activation.
    outside: bool,
    levels: Vec<Level>,
}

#[derive(Clone, Copy, Default)]
struct Level {
    tasks: bool,
    children: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            outside: false,
            levels: vec![Level::default()],
        }
    }
}

impl Levels {
    fn parallel() -> Self {
        Self {
            outside: true,
            ..Self::default()
        }
    }

    fn any_alive(&self) -> bool {
        self.outside
            || self
                .levels
                .iter()
                .any(|level| level.tasks || level.children)
    }

    fn innermost(&mut self) -> &mut Level {
        self.levels
            .last_mut()
            .expect("the activation's own level is never left")
    }
}

struct Walk<'p> {
    calls: &'p Calls,
    accesses: Vec<bool>,
    procs: Vec<bool>,
}

impl Walk<'_> {
    fn activation(&mut self, body: &Body, mut entry: Levels) {
        block(self, &body.block, &mut entry);
    }
}

impl<'a> Flow<'a> for Walk<'_> {
    type State = Levels;

    fn op(&mut self, op: Op<'a>, state: &mut Levels) {
        match op {
            Op::Access { access, .. } if state.any_alive() => mark(&mut self.accesses, access.0),
            Op::Call { proc, .. } => {
                if state.any_alive() {
                    mark(&mut self.procs, proc.0);
                }
                state.innermost().tasks |= self.calls.leaks_tasks(proc);
            }
            Op::Spawn(spawn) => {
                self.activation(&spawn.body, Levels::parallel());
                match is_child(spawn) {
                    true => state.innermost().children = true,
                    false => state.innermost().tasks = true,
                }
            }
            Op::FinishBegin => state.levels.push(Level::default()),
            Op::FinishEnd => {
                state.levels.pop();
            }
            Op::Sync => state.innermost().children = false,
            _ => {}
        }
    }

    fn branch(&mut self, before: &Levels) -> Levels {
        before.clone()
    }

    fn merge(&mut self, state: &mut Levels, arms: [Levels; 2]) {
        let [then, otherwise] = &arms;
        for (row, level) in state.levels.iter_mut().enumerate() {
            level.tasks = then.levels[row].tasks || otherwise.levels[row].tasks;
            level.children = then.levels[row].children || otherwise.levels[row].children;
        }
    }

    fn enter_loop(&mut self, looping: Loop<'a>, state: &mut Levels) {
        let iteration = Iteration::of(looping, self.calls);
        state.innermost().tasks |= iteration.leaves_tasks;
        state.innermost().children |= iteration.leaves_children;
    }

    fn exit_loop(&mut self, _state: &mut Levels, _inside: Levels) {}
}
