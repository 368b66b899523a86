//! Creating tasks.

use heddle_core::{Event, FaultKind, FinishKind, Listener, SiteId, TaskId, TaskKind};

use crate::ir::Dependence;

use super::code::{Reg, SpawnCode, SyncInFinish};
use super::coroutine::{Coroutine, OpenScope};
use super::limits::{SCOPE_SLOTS, TASK_SLOTS};
use super::problem::{Fallible, fault, no_such_task};
use super::schedule::{Need, Wait};
use super::scopes::{Membership, ScopeKey};
use super::state::{Flow, Machine};
use super::value::Value;

impl<L: Listener> Machine<'_, L> {
    /// Creates a task. It runs at once unless something it needs has yet to come.
    pub fn spawn(&mut self, row: u32) -> Fallible<Flow> {
        self.forbid_in_isolated()?;
        let code = self.code;
        let spawn = &code.spawns[row as usize];
        let site = code.site(self.running.pc);
        let needs = self.needs(&spawn.after)?;
        let scope = self.scope_for(spawn.kind, site)?;
        let task = self.tasks.create()?;
        self.scopes.add(scope, task);
        self.listener.on(Event::Spawn {
            task,
            finish: self.scopes.finish(scope),
            kind: spawn.kind,
            site,
            name: spawn.name,
        });
        let coroutine = self.coroutine(task, scope, spawn)?;
        self.running.pc += 1;
        self.start_or_park(coroutine, needs);
        Ok(Flow::Elsewhere)
    }

    /// Task operations have no place inside `isolated`.
    #[inline]
    pub fn forbid_in_isolated(&self) -> Fallible<()> {
        match self.running.isolated {
            0 => Ok(()),
            _ => Err(fault(FaultKind::TaskOperationInIsolated)),
        }
    }

    /// What the dependences mean now.
    fn needs(&self, after: &[Dependence]) -> Fallible<Vec<Need>> {
        let need = |dependence: &Dependence| match *dependence {
            Dependence::Event { token, site } => Ok(Need::Signal(token, site)),
            Dependence::Task { local, name, site } => match self.running.get(Reg(local.0)) {
                Value::Task(task) => Ok(Need::End(task, site)),
                _ => Err(no_such_task(name, site)),
            },
        };
        after.iter().map(need).collect()
    }

    /// Where a task of this kind is created.
    fn scope_for(&mut self, kind: TaskKind, site: SiteId) -> Fallible<ScopeKey> {
        match kind {
            TaskKind::Spawn => self.sync_block(site),
            _ => Ok(self.running.structured_scope()),
        }
    }

    /// The sync block of the running activation at its present finish, opened if need be.
    fn sync_block(&mut self, site: SiteId) -> Fallible<ScopeKey> {
        match self.innermost_sync_block() {
            Some(key) => Ok(key),
            None => self.open_scope(FinishKind::SyncBlock, site),
        }
    }

    /// The innermost open scope, if it is a sync block of the running activation.
    pub fn innermost_sync_block(&self) -> Option<ScopeKey> {
        let open = self.running.scopes.last()?;
        let activation = self.running.activation();
        let ours = open.kind == FinishKind::SyncBlock && open.activation == activation;
        ours.then_some(open.key)
    }

    /// Opens a finish of the running task.
    pub fn open_scope(&mut self, kind: FinishKind, site: SiteId) -> Fallible<ScopeKey> {
        self.budget.charge(SCOPE_SLOTS)?;
        let key = self.scopes.open(self.membership(kind))?;
        let structured = match kind {
            FinishKind::SyncBlock => self.running.structured_scope(),
            _ => key,
        };
        let activation = self.running.activation();
        self.running.scopes.push(OpenScope {
            key,
            kind,
            activation,
            structured,
        });
        let finish = self.scopes.finish(key);
        self.listener.on(Event::FinishBegin { finish, kind, site });
        Ok(key)
    }

    /// Only a `sync` that cannot end its block needs to know the block's tasks.
    fn membership(&self, kind: FinishKind) -> Membership {
        match (kind, self.code.sync_in_finish) {
            (FinishKind::SyncBlock, SyncInFinish::Somewhere) => Membership::Remembered,
            _ => Membership::Counted,
        }
    }

    /// The task's coroutine, with its handle, captures and regions in place.
    fn coroutine(
        &mut self,
        task: TaskId,
        scope: ScopeKey,
        spawn: &SpawnCode,
    ) -> Fallible<Coroutine> {
        self.budget
            .charge(TASK_SLOTS + spawn.entry.registers as usize)?;
        let mut coroutine = self.fresh_coroutine();
        coroutine.task = task;
        coroutine.kind = spawn.kind;
        coroutine.scope = scope;
        coroutine.enter(0, spawn.entry);
        if let Some(handle) = spawn.handle {
            self.running.set(handle, Value::Task(task));
        }
        for &(from, to) in &spawn.captures {
            coroutine.set(to, self.running.get(from));
        }
        self.pass_regions(spawn, &mut coroutine);
        Ok(coroutine)
    }

    /// What is passed leaves the creator before the new task joins its region.
    fn pass_regions(&mut self, spawn: &SpawnCode, coroutine: &mut Coroutine) {
        if let Some(passing) = spawn.passing {
            let passed = self.running.regions.take(passing);
            coroutine.regions.absorb(passing, passed);
        }
        if let Some(region) = spawn.region {
            self.running.regions.post(region, coroutine.task);
        }
    }

    fn start_or_park(&mut self, coroutine: Coroutine, needs: Vec<Need>) {
        let unmet: Vec<Need> = needs
            .iter()
            .copied()
            .filter(|&need| !self.is_met(need))
            .collect();
        if unmet.is_empty() {
            let creator = std::mem::replace(&mut self.running, coroutine);
            self.schedule.suspend(creator);
            return self.begin(&needs);
        }
        let waiter = self.schedule.ticket(coroutine.task);
        for &need in &unmet {
            match need {
                Need::End(task, _) => self.tasks.wait(task, waiter),
                Need::Signal(token, _) => self.tokens[token.index()].waiters.push(waiter),
            }
        }
        let missing = unmet.len();
        let wait = Wait::Start { needs, missing };
        self.schedule.park(coroutine, wait, waiter);
    }
}
