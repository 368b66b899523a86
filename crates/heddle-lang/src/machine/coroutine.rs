//! A task as the machine holds it: registers, callers, open scopes, regions.
//!
//! A coroutine lives in exactly one place: it runs, is suspended, or is parked. Moving it moves a
//! hundred-odd bytes; what it owns stays where it is.

use heddle_core::{FinishKind, TaskId, TaskKind};

use super::code::{Entry, Pc, Reg};
use super::regions::Regions;
use super::scopes::ScopeKey;
use super::value::Value;

/// A caller to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The call instruction.
    pub pc: Pc,
    pub base: u32,
    pub top: u32,
}

/// A finish or sync block the task has open.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenScope {
    pub key: ScopeKey,
    pub kind: FinishKind,
    /// How many callers the activation that opened it has.
    pub activation: u32,
    /// The innermost scope here that is no sync block of this task: where `async` creates.
    pub structured: ScopeKey,
}

/// A task that has not ended.
#[derive(Clone, Debug)]
pub(super) struct Coroutine {
    pub task: TaskId,
    pub kind: TaskKind,
    /// The scope it was created into.
    pub scope: ScopeKey,
    /// The instruction to execute next, while the task does not run.
    pub pc: Pc,
    /// Where the running frame's registers start and end.
    pub base: u32,
    pub top: u32,
    /// How many `isolated` bodies it is in.
    pub isolated: u32,
    /// How many locks it holds, isolated not counted.
    pub held: u32,
    pub values: Vec<Value>,
    pub callers: Vec<Frame>,
    pub scopes: Vec<OpenScope>,
    pub regions: Regions,
}

impl Coroutine {
    /// The main task without registers; the start of any other task as well.
    pub fn empty() -> Self {
        Self {
            task: TaskId::MAIN,
            kind: TaskKind::Async,
            scope: ScopeKey::MAIN,
            pc: 0,
            base: 0,
            top: 0,
            isolated: 0,
            held: 0,
            values: Vec::new(),
            callers: Vec::new(),
            scopes: Vec::new(),
            regions: Regions::default(),
        }
    }

    /// Forgets everything but the memory it has.
    pub fn clear(&mut self) {
        self.base = 0;
        self.isolated = 0;
        self.held = 0;
        self.values.clear();
        self.callers.clear();
        self.scopes.clear();
        self.regions = Regions::default();
    }

    #[inline(always)]
    pub fn get(&self, register: Reg) -> Value {
        self.values[self.base as usize + register.0 as usize]
    }

    #[inline(always)]
    pub fn set(&mut self, register: Reg, value: Value) {
        self.values[self.base as usize + register.0 as usize] = value;
    }

    /// How many slots a frame at `base` would add to the stack.
    #[inline]
    pub fn growth(&self, base: u32, entry: Entry) -> usize {
        let top = base as usize + entry.registers as usize;
        top.saturating_sub(self.values.len())
    }

    /// Opens a frame at `base`, where the passed registers are already set.
    #[inline]
    pub fn enter(&mut self, base: u32, entry: Entry) {
        let top = base as usize + entry.registers as usize;
        if self.values.len() < top {
            self.values.resize(top, Value::ZERO);
        }
        let first = base as usize;
        let unset = first + entry.passed as usize..first + entry.locals as usize;
        self.values[unset].fill(Value::ZERO);
        self.base = base;
        self.top = top as u32;
        self.pc = entry.pc;
    }

    /// How many callers the running activation has.
    pub fn activation(&self) -> u32 {
        self.callers.len() as u32
    }

    /// The registers of all its frames.
    pub fn live_values(&self) -> &[Value] {
        &self.values[..self.top as usize]
    }

    /// Where tasks that are no `spawn` children are created.
    pub fn structured_scope(&self) -> ScopeKey {
        self.scopes
            .last()
            .map_or(self.scope, |open| open.structured)
    }
}
