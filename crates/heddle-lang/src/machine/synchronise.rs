//! Waiting for other tasks: finish, sync, futures, events, regions.
//!
//! Each operation either completes or says what to wait for and is then executed again, so it
//! must have changed nothing that a second execution would change twice.

use heddle_core::{Event, FaultKind, FinishKind, Listener, TaskId, TokenId, ValueProblem};

use crate::ir::RegionId;

use super::code::{Reg, SyncInFinish};
use super::control::Turn;
use super::limits::SCOPE_SLOTS;
use super::problem::{Fallible, fault};
use super::regions::Next;
use super::schedule::Wait;
use super::scopes::ScopeKey;
use super::state::{Flow, Machine};
use super::value::Value;

impl<L: Listener> Machine<'_, L> {
    pub fn begin_finish(&mut self) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        let site = self.code.site(self.running.pc);
        self.open_scope(FinishKind::Finish, site)?;
        Ok(Flow::Next)
    }

    /// Ends the sync block opened inside the finish, if any, then the finish.
    pub fn end_finish(&mut self) -> Fallible<Flow> {
        let wait = self.end_sync_block().or_else(|| self.end_scope());
        Ok(wait.map_or(Flow::Next, Flow::Wait))
    }

    pub fn sync(&mut self) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        let has_block = self.innermost_sync_block().is_some();
        let wait = self.end_sync_block().or_else(|| self.join_outer_blocks());
        if wait.is_none() && !has_block {
            self.end_strand()?;
        }
        Ok(wait.map_or(Flow::Next, Flow::Wait))
    }

    /// A `sync` with nothing to wait for ends the strand all the same: it is a task operation.
    fn end_strand(&mut self) -> Fallible<()> {
        let site = self.code.site(self.running.pc);
        self.open_scope(FinishKind::SyncBlock, site)?;
        self.end_scope();
        Ok(())
    }

    /// Ends the running activation's sync block at its present finish, if there is one.
    pub fn end_sync_block(&mut self) -> Option<Wait> {
        self.innermost_sync_block()?;
        self.end_scope()
    }

    /// Ends the innermost open scope, unless it has to be waited for.
    fn end_scope(&mut self) -> Option<Wait> {
        let open = *self.running.scopes.last()?;
        if !self.scopes.is_quiet(open.key) {
            return Some(Wait::Scope(open.key));
        }
        let finish = self.scopes.finish(open.key);
        self.listener.on(Event::FinishEnd { finish });
        self.running.scopes.pop();
        self.scopes.close(open.key);
        self.budget.refund(SCOPE_SLOTS);
        None
    }

    /// `sync` inside a finish: joins the tasks of blocks the activation opened outside of it.
    fn join_outer_blocks(&mut self) -> Option<Wait> {
        if self.code.sync_in_finish == SyncInFinish::Never {
            return None;
        }
        let activation = self.running.activation();
        for row in (0..self.running.scopes.len()).rev() {
            let open = self.running.scopes[row];
            if open.activation != activation {
                break;
            }
            if open.kind == FinishKind::SyncBlock {
                if !self.scopes.is_quiet(open.key) {
                    return Some(Wait::Scope(open.key));
                }
                self.join_members(open.key);
            }
        }
        None
    }

    fn join_members(&mut self, scope: ScopeKey) {
        for task in self.scopes.take_members(scope) {
            self.join(task);
        }
    }

    fn join(&mut self, task: TaskId) {
        let site = self.code.site(self.running.pc);
        self.listener.on(Event::Join { task, site });
    }

    pub fn satisfy(&mut self, token: TokenId) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        let row = &mut self.tokens[token.index()];
        if row.satisfied {
            return Err(fault(FaultKind::AlreadySatisfied { token }));
        }
        row.satisfied = true;
        let waiters = std::mem::take(&mut row.waiters);
        let site = self.code.site(self.running.pc);
        self.listener.on(Event::Signal { token, site });
        for waiter in waiters {
            self.schedule.wake(waiter);
        }
        Ok(Flow::Next)
    }

    pub fn get(&mut self, to: Reg, from: Reg) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        let Value::Task(task) = self.running.get(from) else {
            return Err(fault(FaultKind::WrongValue(ValueProblem::NotAFuture)));
        };
        if self.tasks.end(task).is_none() {
            return Ok(Flow::Wait(Wait::AnyEnd(vec![task])));
        }
        self.join(task);
        let value = self.tasks.result(task);
        self.running.set(to, value);
        Ok(Flow::Next)
    }

    pub fn await_all(&mut self, region: RegionId) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        loop {
            match self.running.regions.next_posted(region, &self.tasks) {
                Next::Empty => return Ok(Flow::Next),
                Next::Ended(task) => self.join_posted(task),
                Next::Unended(tasks) => return Ok(Flow::Wait(Wait::AnyEnd(tasks))),
            }
        }
    }

    pub fn await_any(&mut self, region: RegionId) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        match self.turn_to_join(region) {
            Turn::None => {}
            Turn::Awaited => return Ok(Flow::Wait(Wait::TurnToJoin(region))),
            Turn::Taken(task) => {
                self.running.regions.remove(region, task);
                self.join_posted(task);
                return Ok(Flow::Next);
            }
        }
        match self.running.regions.next_ended(region, &self.tasks) {
            Next::Empty => {
                let name = self.code.regions[region.0 as usize];
                Ok(Flow::Wait(Wait::Region(name)))
            }
            Next::Ended(task) => {
                self.join_posted(task);
                Ok(Flow::Next)
            }
            Next::Unended(tasks) => Ok(Flow::Wait(Wait::AnyEnd(tasks))),
        }
    }

    /// Joins a posted task and takes over what it did not await.
    fn join_posted(&mut self, task: TaskId) {
        self.join(task);
        let left = self.tasks.take_over(task);
        self.running.regions.absorb_all(left);
    }
}
