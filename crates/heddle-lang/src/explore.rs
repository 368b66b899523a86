//! `.task` programs for exploration: see [`heddle_explore::Program`].

use std::sync::Arc;
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
    stop: Arc<AtomicBool>,
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
            stop: Arc::default(),
        }
    }

    /// The same; once `stop` is set, all runs end where they are, also in the middle of an
    /// endless loop.
    pub fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
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

impl TaskRun<'_> {
    /// Whether the main task has ended, and with it the run.
    pub fn has_ended(&self) -> bool {
        self.machine.has_ended()
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
