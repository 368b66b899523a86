//! `.task` programs for exploration: see [`heddle_explore::Program`].

use std::sync::atomic::AtomicBool;

use heddle_core::Listener;
use heddle_explore::{Choice, Names, Program as Explored, Run, State};

use crate::Program;
use crate::machine::{Code, Controlled, Liveness};

/// A compiled program whose runs stop at choice points.
#[derive(Debug)]
pub struct TaskProgram {
    code: Code,
    liveness: Liveness,
    stop: AtomicBool,
}

impl TaskProgram {
    /// Compiles a checked program. No checks must have been eliminated: an elimination speaks of
    /// the accesses of one run.
    pub fn new(program: &Program) -> Self {
        let code = Code::new(program);
        let liveness = Liveness::new(&code);
        Self {
            code,
            liveness,
            stop: AtomicBool::new(false),
        }
    }

    /// Set to end all runs where they are, also in the middle of an endless loop.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// One run of a [`TaskProgram`].
#[derive(Clone, Debug)]
pub struct TaskRun<'p> {
    program: &'p TaskProgram,
    machine: Controlled<'p>,
}

impl TaskRun<'_> {
    /// The declared variables, in the sequence of their locations.
    pub fn values(&self) -> &[i64] {
        self.machine.values()
    }
}

impl Explored for TaskProgram {
    type Run<'p> = TaskRun<'p>;

    fn start<L: Listener>(&self, listener: &mut L) -> TaskRun<'_> {
        let silent = &mut |_| {};
        TaskRun {
            program: self,
            machine: Controlled::start(&self.code, Some(&self.stop), listener, silent),
        }
    }
}

impl Run for TaskRun<'_> {
    fn choices(&self, into: &mut Vec<Choice>) {
        self.machine.choices(into);
    }

    fn take<L: Listener>(&mut self, choice: Choice, listener: &mut L) {
        self.machine.take(choice, listener, &mut |_| {});
    }

    fn blocked(&self, into: &mut Vec<Choice>) {
        self.machine.blocked(into);
    }

    fn is_cut(&self) -> bool {
        self.machine.is_cut()
    }

    fn fork(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn fingerprint(&self, names: &Names, into: &mut State) -> bool {
        self.machine
            .fingerprint(&self.program.liveness, names, into);
        true
    }
}
