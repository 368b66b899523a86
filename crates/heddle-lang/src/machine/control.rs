//! Explored runs: the machine stops at choice points and goes on as told.
//!
//! A task that is to take a lock, to enter an outermost `isolated`, or to `ewait` on a region of
//! several tasks is parked until it is its turn. All else runs as it always does. When nothing
//! can run without a turn, the run stands at a choice point: every task is parked, so its state
//! is plain data that can be copied and compared.
//!
//! A task that does something undefined stops; the others go on.

use std::sync::atomic::{AtomicBool, Ordering};

use heddle_core::{Listener, LockId, TaskId};
use heddle_explore::{Choice, Operation};

use crate::ir::RegionId;

use super::Tally;
use super::code::Code;
use super::limits::Budget;
use super::locks::Locks;
use super::memory::Memory;
use super::problem::Fallible;
use super::schedule::{Schedule, Wait};
use super::scopes::Scopes;
use super::state::{Flow, Machine, Token};
use super::tasks::Tasks;

/// Instructions a run may execute between two choice points.
const FUEL: u64 = 1 << 26;
/// How many instructions are executed between two looks at the stop flag.
const LOOK: u64 = 1 << 16;

/// Whether the run decides by itself which task goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    /// By the rules of the machine's module.
    Free,
    /// As it is told.
    Explored(Explored),
}

/// The state of an explored run beyond that of any run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Explored {
    /// What the running task may do next, if it was chosen.
    turn: Option<Operation>,
    fuel: u64,
    end: End,
}

/// How far an explored run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// Not to its end.
    NotYet,
    /// A task did something undefined.
    Fault,
    /// The main task has ended.
    Main,
    /// It took too long, or was told to stop.
    Cut,
}

impl Control {
    /// Notes that the main task has ended.
    pub fn note_end(&mut self) {
        if let Self::Explored(explored) = self {
            explored.end = explored.end.max_of(End::Main);
        }
    }
}

impl End {
    /// A fault stays a fault.
    fn max_of(self, new: Self) -> Self {
        match self {
            Self::NotYet => new,
            known => known,
        }
    }
}

/// Whose turn it is, for a task that is to join any of several.
pub(super) enum Turn {
    /// The run is not explored, or there is nothing to choose.
    None,
    /// Not yet this task's.
    Awaited,
    /// It joins this task.
    Taken(TaskId),
}

impl<L: Listener> Machine<'_, L> {
    /// Whether the running task must be chosen before it takes the lock.
    pub fn awaits_turn(&mut self, lock: LockId) -> Fallible<bool> {
        let Control::Explored(explored) = &mut self.control else {
            return Ok(false);
        };
        let chosen = explored.turn.take() == Some(Operation::Acquire(lock));
        // Taking one's own lock again is at fault, whoever else runs.
        let own = self.locks.holder(lock) == Some(self.running.task);
        Ok(!chosen && !own)
    }

    /// What an `ewait` of the running task on the region means now.
    pub fn turn_to_join(&mut self, region: RegionId) -> Turn {
        let Control::Explored(explored) = &mut self.control else {
            return Turn::None;
        };
        match explored.turn.take() {
            Some(Operation::Join { task, .. }) => Turn::Taken(task),
            _ if self.running.regions.members(region).nth(1).is_none() => Turn::None,
            _ => Turn::Awaited,
        }
    }

    /// Parks the running task, which can do no more, and goes on with another.
    #[cold]
    pub fn go_on_without_it(&mut self) -> Flow {
        if let Control::Explored(explored) = &mut self.control {
            explored.end = explored.end.max_of(End::Fault);
        }
        self.park(Wait::Fault)
    }

    /// Uses up fuel for one instruction; the run ends where there is none.
    #[inline(always)]
    pub fn has_fuel(&mut self) -> bool {
        let Control::Explored(explored) = &mut self.control else {
            return true;
        };
        explored.fuel -= 1;
        !explored.fuel.is_multiple_of(LOOK) || self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        let Control::Explored(explored) = &mut self.control else {
            return true;
        };
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if explored.fuel == 0 || stopped {
            explored.end = End::Cut;
        }
        explored.end != End::Cut
    }
}

/// The state of a machine between two choice points.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub memory: Memory,
    pub tally: Tally,
    pub budget: Budget,
    pub schedule: Schedule,
    pub tasks: Tasks,
    pub scopes: Scopes,
    pub locks: Locks,
    pub tokens: Vec<Token>,
    pub explored: Explored,
}

/// A run of a program that stands at a choice point.
#[derive(Clone, Debug)]
pub struct Controlled<'c> {
    pub(super) code: &'c Code,
    pub(super) parts: Option<Box<Parts>>,
    stop: Option<&'c AtomicBool>,
}

impl<'c> Controlled<'c> {
    /// Starts the program and runs it to its first choice point. Once `stop` is set, the run ends
    /// where it is.
    pub fn start<L: Listener>(
        code: &'c Code,
        stop: Option<&'c AtomicBool>,
        listener: &mut L,
        output: &mut dyn FnMut(i64),
    ) -> Self {
        let mut machine = Machine::new(code, listener, output);
        machine.stop = stop;
        machine.control = Control::Explored(Explored {
            turn: None,
            fuel: FUEL,
            end: End::NotYet,
        });
        machine.declare();
        match machine.start() {
            Ok(()) => machine.execute_within::<true>(),
            Err(problem) => {
                machine.fail(code.main.pc, &problem);
            }
        }
        let mut run = Self {
            code,
            parts: None,
            stop,
        };
        run.close(machine);
        run
    }

    /// Adds what can be chosen now.
    pub fn choices(&self, into: &mut Vec<Choice>) {
        let parts = self.parts();
        if !matches!(parts.explored.end, End::Main | End::Cut) {
            choices(&parts.schedule, &parts.locks, &parts.tasks, into);
        }
    }

    /// Adds the locks that tasks stand before and cannot take.
    pub fn blocked(&self, into: &mut Vec<Choice>) {
        let parts = self.parts();
        for parked in parts.schedule.parked() {
            if let Wait::TurnToLock(lock) = parked.wait
                && parts.locks.holder(lock).is_some()
            {
                into.push(Choice {
                    task: parked.coroutine.task,
                    operation: Operation::Acquire(lock),
                });
            }
        }
    }

    /// Executes the chosen operation and all that follows without a choice.
    pub fn take<L: Listener>(
        &mut self,
        choice: Choice,
        listener: &mut L,
        output: &mut dyn FnMut(i64),
    ) {
        let Some(parts) = self.parts.take() else {
            return;
        };
        let mut machine = Machine::with(self.code, *parts, listener, output);
        machine.stop = self.stop;
        if let Control::Explored(explored) = &mut machine.control {
            explored.turn = Some(choice.operation);
            explored.fuel = FUEL;
        }
        let chosen = machine.schedule.take(choice.task);
        if let Flow::Elsewhere = machine.go_on(chosen) {
            machine.execute_within::<true>();
        }
        self.close(machine);
    }

    /// Keeps the state of the machine, which has stopped; says so if it can never go on.
    fn close<L: Listener>(&mut self, mut machine: Machine<'_, L>) {
        let Control::Explored(explored) = machine.control else {
            return;
        };
        if explored.end == End::NotYet {
            let mut left = Vec::new();
            choices(&machine.schedule, &machine.locks, &machine.tasks, &mut left);
            if left.is_empty() {
                machine.report_stuck();
            }
        }
        self.parts = Some(Box::new(machine.parts(explored)));
    }

    /// Whether the main task has ended, and with it the run.
    pub fn has_ended(&self) -> bool {
        self.parts().explored.end == End::Main
    }

    /// Whether the run was ended before it came to its end.
    pub fn is_cut(&self) -> bool {
        self.parts().explored.end == End::Cut
    }

    /// The declared variables, in the sequence of their locations.
    pub fn values(&self) -> &[i64] {
        self.parts().memory.declared_values()
    }

    pub(super) fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("a run stands at a choice point")
    }
}

/// What the parked tasks can be chosen to do.
fn choices(schedule: &Schedule, locks: &Locks, tasks: &Tasks, into: &mut Vec<Choice>) {
    let has_ended = |task: &TaskId| tasks.end(*task).is_some();
    for parked in schedule.parked() {
        let task = parked.coroutine.task;
        match parked.wait {
            Wait::TurnToLock(lock) if locks.holder(lock).is_none() => into.push(Choice {
                task,
                operation: Operation::Acquire(lock),
            }),
            Wait::TurnToJoin(region) => {
                let members = || parked.coroutine.regions.members(region);
                let more = members().any(|task| !has_ended(&task));
                into.extend(members().filter(has_ended).map(|ended| Choice {
                    task,
                    operation: Operation::Join { task: ended, more },
                }));
            }
            _ => {}
        }
    }
}
