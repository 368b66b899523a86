//! Calls, the end of bodies, and the operations that concern no other task.

use heddle_core::{CutBy, Event, FaultKind, Listener, NameId, TaskId, TaskKind};

use super::code::Reg;
use super::coroutine::{Coroutine, Frame};
use super::limits::{FRAME_SLOTS, TASK_SLOTS};
use super::memory::Memory;
use super::problem::{Blame, Fallible, fault};
use super::schedule::Wait;
use super::scopes::ScopeKey;
use super::state::{Flow, Machine};
use super::value::Value;

impl<L: Listener> Machine<'_, L> {
    /// The arguments at `first` become the callee's first locals where they lie.
    pub fn call(&mut self, procedure: u32, first: Reg) -> Fallible<Flow> {
        let callee = self.code.procedures[procedure as usize];
        let running = &mut self.running;
        let base = running.base + first.0;
        let growth = running.growth(base, callee);
        self.budget.charge(FRAME_SLOTS + growth)?;
        running.callers.push(Frame {
            pc: running.pc,
            base: running.base,
            top: running.top,
        });
        running.enter(base, callee);
        Ok(Flow::Elsewhere)
    }

    /// The end of a procedure or task body: joins its `spawn` children, then leaves it.
    pub fn leave_body(&mut self, result: Reg) -> Fallible<Flow> {
        if self.running.callers.is_empty() && self.running.held > 0 {
            self.lock_held_at_end()?;
        }
        if let Some(wait) = self.end_sync_block() {
            return Ok(Flow::Wait(wait));
        }
        let value = self.running.get(result);
        match self.running.callers.pop() {
            Some(caller) => {
                self.return_to(caller, value);
                Ok(Flow::Elsewhere)
            }
            None if self.running.task == TaskId::MAIN => Ok(self.end_main()),
            None => Ok(self.end_task(value)),
        }
    }

    /// The callee's first register is where the caller expects the value.
    fn return_to(&mut self, caller: Frame, value: Value) {
        self.running.set(Reg(0), value);
        self.running.base = caller.base;
        self.running.top = caller.top;
        self.running.pc = caller.pc + 1;
        self.budget.refund(FRAME_SLOTS);
    }

    #[cold]
    fn lock_held_at_end(&self) -> Fallible<()> {
        match self.locks.held_by(self.running.task) {
            Some(lock) => Err(fault(FaultKind::LockHeldAtEnd { lock })),
            None => Ok(()),
        }
    }

    fn end_main(&mut self) -> Flow {
        if !self.scopes.is_quiet(ScopeKey::MAIN) {
            return Flow::Wait(Wait::Scope(ScopeKey::MAIN));
        }
        let task = TaskId::MAIN;
        self.listener.on(Event::End { task });
        self.control.note_end();
        Flow::Over
    }

    fn end_task(&mut self, value: Value) -> Flow {
        let mut ended = std::mem::replace(&mut self.running, Coroutine::empty());
        let task = ended.task;
        self.listener.on(Event::End { task });
        match ended.kind {
            TaskKind::Future => self.tasks.keep_result(task, value),
            TaskKind::Post => self.tasks.leave(task, std::mem::take(&mut ended.regions)),
            _ => {}
        }
        for waiter in self.tasks.note_end(task) {
            self.schedule.wake(waiter);
        }
        if let Some(waiter) = self.scopes.remove(ended.scope) {
            self.schedule.wake(waiter);
        }
        self.budget.refund(TASK_SLOTS + ended.values.len());
        self.recycle(ended);
        let next = self.next_runnable();
        self.go_on(next)
    }

    pub fn allocate(&mut self, to: Reg, len: Reg) -> Fallible<Flow> {
        let cells = Memory::cells_needed(self.integer(len, Blame::First)?)?;
        if self.memory.wants_scan(cells) {
            self.collect();
        }
        let (array, extent) = self.memory.allocate(cells)?;
        self.listener.on(Event::Alloc {
            extent,
            name: None,
            site: self.code.site(self.running.pc),
        });
        self.running.set(to, Value::Array(array));
        Ok(Flow::Next)
    }

    pub fn name(&mut self, register: Reg, name: NameId) -> Fallible<Flow> {
        if let Value::Array(array) = self.running.get(register)
            && let Some(start) = self.memory.name(array)
        {
            self.listener.on(Event::Bind { start, name });
        }
        Ok(Flow::Next)
    }

    pub fn cut(&mut self, by: CutBy) -> Fallible<Flow> {
        let site = self.code.site(self.running.pc);
        self.listener.on(Event::Cut { by, site });
        Ok(Flow::Next)
    }

    /// A rule does not cut a critical section.
    pub fn rule_cut(&mut self) -> Fallible<Flow> {
        match self.running.held + self.running.isolated {
            0 => self.cut(CutBy::Rule),
            _ => Ok(Flow::Next),
        }
    }

    pub fn assert(&mut self, register: Reg) -> Fallible<Flow> {
        if self.integer(register, Blame::First)? == 0 {
            let site = self.code.site(self.running.pc);
            self.listener.on(Event::AssertionFailed { site });
        }
        Ok(Flow::Next)
    }

    pub fn print(&mut self, register: Reg) -> Fallible<Flow> {
        let value = self.integer(register, Blame::Instruction)?;
        (self.output)(value);
        Ok(Flow::Next)
    }
}
