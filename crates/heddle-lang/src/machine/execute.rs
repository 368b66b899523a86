//! The loop that executes instructions.
//!
//! The position in the code is a local of the loop; it is stored in the running coroutine only
//! when an instruction may change which task runs, or where.

use heddle_core::{CutBy, FaultKind, Listener};

use crate::ir::{Binary, Unary};

use super::code::{Instruction, Pc, Reg, When};
use super::problem::{Blame, Fallible, fault, not_an_integer};
use super::state::{Flow, Machine};
use super::value::Value;

/// Where to go after an instruction that stays within its frame.
enum Step {
    Next,
    To(Pc),
    /// It does not: [`Machine::operate`] executes it.
    Operation,
}

impl<L: Listener> Machine<'_, L> {
    /// Executes until the run is over.
    pub fn execute(&mut self) {
        self.execute_within::<false>();
    }

    /// Executes until the run is over or, if it is bounded, used up its fuel.
    pub fn execute_within<const BOUNDED: bool>(&mut self) {
        let code = self.code;
        let mut pc = self.running.pc;
        loop {
            if BOUNDED && !self.has_fuel() {
                return;
            }
            let instruction = code.instructions[pc as usize];
            match self.step(pc, instruction) {
                Ok(Step::Next) => pc += 1,
                Ok(Step::To(target)) => {
                    if target <= pc && self.is_out_of_fuel() {
                        return;
                    }
                    pc = target;
                }
                Ok(Step::Operation) => match self.operate_at(pc, instruction) {
                    Some(target) => pc = target,
                    None => return,
                },
                Err(problem) => {
                    self.running.pc = pc;
                    match self.fail(pc, &problem) {
                        Flow::Elsewhere => pc = self.running.pc,
                        _ => return,
                    }
                }
            }
        }
    }

    /// Executes an operation; where the task that then runs goes on, or nothing if none does.
    fn operate_at(&mut self, pc: Pc, instruction: Instruction) -> Option<Pc> {
        self.running.pc = pc;
        let flow = match self.operate(instruction) {
            Ok(Flow::Wait(wait)) => self.park(wait),
            Ok(flow) => flow,
            Err(problem) => self.fail(pc, &problem),
        };
        let next = match flow {
            Flow::Next => Some(pc + 1),
            Flow::Elsewhere => Some(self.running.pc),
            Flow::Wait(_) | Flow::Over => None,
        };
        match self.turns {
            Some(turns) => self.take_turns(turns, next?),
            None => next,
        }
    }

    /// Whether a run under a schedule has gone on for too long.
    #[inline(always)]
    fn is_out_of_fuel(&self) -> bool {
        self.turns.is_some_and(|turns| !turns.borrow_mut().burn())
    }

    #[inline(always)]
    fn step(&mut self, pc: Pc, instruction: Instruction) -> Fallible<Step> {
        match instruction {
            Instruction::Int { to, value } => self.running.set(to, Value::Int(value)),
            Instruction::Copy { to, from } => {
                let value = self.running.get(from);
                self.running.set(to, value);
            }
            Instruction::Unary { operator, to, a } => self.unary(operator, to, a)?,
            Instruction::Binary { operator, to, a, b } => {
                let b = self.integer(b, Blame::Second)?;
                self.binary(operator, to, a, b)?;
            }
            Instruction::BinaryConstant { operator, to, a, b } => {
                self.binary(operator, to, a, i64::from(b))?;
            }
            Instruction::NeedInteger { a } => {
                self.integer(a, Blame::Instruction)?;
            }
            Instruction::Jump { to } => return Ok(Step::To(to)),
            Instruction::Branch { when, a, to } => {
                let zero = self.integer(a, Blame::Instruction)? == 0;
                return Ok(step_if(zero == (when == When::Zero), to));
            }
            Instruction::BranchCompare { operator, a, b, to } => {
                let a = self.integer(a, Blame::First)?;
                let b = self.integer(b, Blame::Second)?;
                let taken = operator.apply(a, b) == Some(1);
                return Ok(step_if(taken, to));
            }
            Instruction::Count { counter, local, to } => {
                return Ok(step_if(self.count(counter, local)?, to));
            }
            _ => return self.step_access(pc, instruction),
        }
        Ok(Step::Next)
    }

    #[inline(always)]
    fn step_access(&mut self, pc: Pc, instruction: Instruction) -> Fallible<Step> {
        use Instruction as I;
        match instruction {
            I::LoadScalar {
                to,
                delivery,
                location,
            } => self.load_scalar(pc, to, delivery, location),
            I::LoadElement {
                to,
                delivery,
                array,
                index,
            } => {
                self.load_element(pc, to, delivery, array, index)?;
            }
            I::LoadHeap {
                to,
                delivery,
                handle,
                index,
            } => {
                self.load_heap(pc, to, delivery, handle, index)?;
            }
            I::StoreScalar {
                from,
                delivery,
                location,
            } => {
                self.store_scalar(pc, from, delivery, location)?;
            }
            I::StoreElement {
                from,
                delivery,
                array,
                index,
            } => {
                self.store_element(pc, from, delivery, array, index)?;
            }
            I::StoreHeap {
                from,
                delivery,
                handle,
                index,
            } => {
                self.store_heap(pc, from, delivery, handle, index)?;
            }
            I::ReadScalar { delivery, location } => self.read_scalar(pc, delivery, location),
            I::ReadElement {
                delivery,
                array,
                index,
            } => {
                self.read_element(pc, delivery, array, index)?;
            }
            I::ReadHeap {
                delivery,
                handle,
                index,
            } => self.read_heap(pc, delivery, handle, index)?,
            I::WriteScalar { delivery, location } => self.write_scalar(pc, delivery, location),
            I::WriteElement {
                delivery,
                array,
                index,
            } => {
                self.write_element(pc, delivery, array, index)?;
            }
            I::WriteHeap {
                delivery,
                handle,
                index,
            } => {
                self.write_heap(pc, delivery, handle, index)?;
            }
            _ => return Ok(Step::Operation),
        }
        Ok(Step::Next)
    }

    /// The integer in the register; if it is something else, `blame` says whose fault that is.
    #[inline(always)]
    pub fn integer(&self, register: Reg, blame: Blame) -> Fallible<i64> {
        match self.running.get(register) {
            Value::Int(value) => Ok(value),
            _ => Err(not_an_integer(blame)),
        }
    }

    #[inline(always)]
    fn unary(&mut self, operator: Unary, to: Reg, a: Reg) -> Fallible<()> {
        let a = self.integer(a, Blame::Instruction)?;
        let value = match operator {
            Unary::Negate => a.wrapping_neg(),
            Unary::Not => i64::from(a == 0),
        };
        self.running.set(to, Value::Int(value));
        Ok(())
    }

    #[inline(always)]
    fn binary(&mut self, operator: Binary, to: Reg, a: Reg, b: i64) -> Fallible<()> {
        let a = self.integer(a, Blame::First)?;
        match operator.apply(a, b) {
            Some(value) => self.running.set(to, Value::Int(value)),
            None => return Err(fault(FaultKind::DivisionByZero)),
        }
        Ok(())
    }

    /// One step of a `for` loop; whether there is an iteration.
    #[inline(always)]
    fn count(&mut self, counter: Reg, local: Reg) -> Fallible<bool> {
        let next = self.integer(counter, Blame::Instruction)?;
        let limit = self.integer(Reg(counter.0 + 1), Blame::Instruction)?;
        if next >= limit {
            return Ok(false);
        }
        self.running.set(local, Value::Int(next));
        self.running.set(counter, Value::Int(next + 1));
        Ok(true)
    }

    /// Instructions that may change which frame or task runs, and rare ones.
    fn operate(&mut self, instruction: Instruction) -> Fallible<Flow> {
        match instruction {
            Instruction::Call { procedure, first } => self.call(procedure, first),
            Instruction::Return { result } => self.leave_body(result),
            Instruction::Spawn { spawn } => self.spawn(spawn),
            Instruction::FinishBegin => self.begin_finish(),
            Instruction::FinishEnd => self.end_finish(),
            Instruction::Sync => self.sync(),
            Instruction::Satisfy { token } => self.satisfy(token),
            Instruction::Get { to, from } => self.get(to, from),
            Instruction::Await { region } => self.await_all(region),
            Instruction::AwaitAny { region } => self.await_any(region),
            Instruction::EnterIsolated => self.enter_isolated(),
            Instruction::LeaveIsolated => self.leave_isolated(),
            Instruction::Acquire { lock } => self.acquire(lock),
            Instruction::Release { lock } => self.release(lock),
            Instruction::New { to, len } => self.allocate(to, len),
            Instruction::Name { a, name } => self.name(a, name),
            Instruction::Cut => self.cut(CutBy::Hand),
            Instruction::RuleCut => self.rule_cut(),
            Instruction::Assert { a } => self.assert(a),
            Instruction::Print { a } => self.print(a),
            other => unreachable!("{other:?} is no operation"),
        }
    }
}

#[inline(always)]
fn step_if(taken: bool, to: Pc) -> Step {
    if taken { Step::To(to) } else { Step::Next }
}
