//! The fingerprint of an explored run: everything its future depends on, and nothing else.
//!
//! Tasks and heap arrays go by names that do not depend on the schedule. Left out is what no
//! task will look at again: registers that are not live, arrays and futures nobody can reach,
//! the sequence in which tasks came to wait.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use heddle_core::TaskId;
use heddle_explore::{Names, State};

use super::code::Pc;
use super::control::Controlled;
use super::coroutine::Coroutine;
use super::liveness::Liveness;
use super::memory::ArrayId;
use super::regions::Regions;
use super::schedule::{Need, Parked, Wait};
use super::scopes::ScopeKey;
use super::value::Value;

/// Adds the state of one run.
struct Writer<'a> {
    run: &'a Controlled<'a>,
    liveness: &'a Liveness,
    names: &'a Names,
    into: &'a mut State,
    /// Where each open scope stands: its owner's name and its place there.
    scopes: HashMap<ScopeKey, (u64, u64)>,
    /// Arrays and ended tasks that were met and are still to be added, by name.
    arrays: BTreeMap<u64, ArrayId>,
    ended: BTreeMap<u64, TaskId>,
}

impl Controlled<'_> {
    /// Adds the state of the run; see [`heddle_explore::Run::fingerprint`].
    pub fn fingerprint(&self, liveness: &Liveness, names: &Names, into: &mut State) {
        let mut writer = Writer {
            run: self,
            liveness,
            names,
            into,
            scopes: HashMap::new(),
            arrays: BTreeMap::new(),
            ended: BTreeMap::new(),
        };
        writer.all();
    }
}

impl<'a> Writer<'a> {
    fn all(&mut self) {
        let parts = self.run.parts();
        for &value in parts.memory.declared_values() {
            self.into.add(value as u64);
        }
        for token in &parts.tokens {
            self.into.add(u64::from(token.satisfied));
        }
        for holder in parts.locks.holders() {
            let name = holder.map_or(0, |task| self.names.task(task));
            self.into.add(name);
        }
        let mut live: Vec<&Parked> = parts.schedule.parked().collect();
        live.sort_unstable_by_key(|parked| self.names.task(parked.coroutine.task));
        for parked in &live {
            self.note_scopes(&parked.coroutine);
        }
        for parked in live {
            self.task(parked);
        }
        self.unclaimed();
        self.reachable();
    }

    fn note_scopes(&mut self, coroutine: &Coroutine) {
        let owner = self.names.task(coroutine.task);
        for (place, open) in (1..).zip(&coroutine.scopes) {
            self.scopes.insert(open.key, (owner, place));
        }
    }

    fn task(&mut self, parked: &'a Parked) {
        let coroutine = &parked.coroutine;
        let (owner, place) = self
            .scopes
            .get(&coroutine.scope)
            .copied()
            .unwrap_or_default();
        let counts = u64::from(coroutine.isolated) << 32 | u64::from(coroutine.held);
        for word in [self.names.task(coroutine.task), owner, place, counts] {
            self.into.add(word);
        }
        self.wait(&parked.wait);
        self.frames(coroutine);
        self.into.add(coroutine.scopes.len() as u64);
        for open in &coroutine.scopes {
            let word = (open.kind as u64) << 32 | u64::from(open.activation);
            self.into.add(word);
            self.joinable(self.run.parts().scopes.members(open.key));
        }
        self.regions(&coroutine.regions);
    }

    fn joinable(&mut self, tasks: &[TaskId]) {
        let names: BTreeSet<u64> = tasks.iter().map(|&task| self.names.task(task)).collect();
        for name in names {
            self.into.add(name);
        }
        for &task in tasks {
            self.into.joinable(task);
        }
    }

    fn wait(&mut self, wait: &Wait) {
        match wait {
            Wait::Start { needs, .. } => {
                self.into.add(needs.len() as u64);
                for need in needs {
                    match *need {
                        Need::End(task, _) => self.handle(task),
                        Need::Signal(token, _) => self.into.add(u64::from(token.raw())),
                    }
                }
            }
            Wait::Fault => self.into.add(u64::MAX),
            // The instruction that waits and its registers say the rest.
            _ => self.into.add(u64::MAX - 1),
        }
    }

    fn frames(&mut self, coroutine: &Coroutine) {
        for frame in &coroutine.callers {
            self.into
                .add(u64::from(frame.pc) << 32 | u64::from(frame.base));
            let live: Vec<_> = self.liveness.across_call(self.run.code, frame.pc).collect();
            for register in live {
                let value = coroutine.values[frame.base as usize + register.0 as usize];
                self.value(value);
            }
        }
        self.frame(coroutine, coroutine.pc);
    }

    fn frame(&mut self, coroutine: &Coroutine, pc: Pc) {
        self.into
            .add(u64::from(pc) << 32 | u64::from(coroutine.base));
        let liveness = self.liveness;
        for register in liveness.before(pc) {
            self.value(coroutine.get(register));
        }
    }

    fn value(&mut self, value: Value) {
        match value {
            Value::Int(value) => self.into.add(value as u64),
            Value::Task(task) => self.handle(task),
            Value::Array(array) => {
                let (start, _) = self.run.parts().memory.array(array);
                let name = self.names.location(start);
                self.into.add(name);
                self.arrays.insert(name, array);
            }
        }
    }

    fn handle(&mut self, task: TaskId) {
        let name = self.names.task(task);
        self.into.add(name);
        if self.run.parts().tasks.end(task).is_some() {
            self.ended.insert(name, task);
        }
    }

    fn regions(&mut self, regions: &Regions) {
        let mut members: Vec<(u32, u64, TaskId)> = regions
            .all()
            .map(|(region, task)| (region.0, self.names.task(task), task))
            .collect();
        members.sort_unstable();
        self.into.add(members.len() as u64);
        for (region, _, task) in members {
            self.into.add(u64::from(region));
            self.handle(task);
        }
    }

    /// What ended tasks left behind in their regions.
    fn unclaimed(&mut self) {
        let parts = self.run.parts();
        let mut left: Vec<_> = parts.tasks.unclaimed().collect();
        left.sort_unstable_by_key(|&(task, _)| self.names.task(task));
        for (task, regions) in left {
            self.into.add(self.names.task(task));
            self.regions(regions);
        }
    }

    /// The values of ended futures and the contents of arrays; a future's value may be an array.
    fn reachable(&mut self) {
        let parts = self.run.parts();
        let mut added = BTreeSet::new();
        while let Some((name, task)) = self.ended.pop_first() {
            if added.insert(name) {
                self.into.joinable(task);
                self.into.add(name);
                self.value(parts.tasks.result(task));
            }
        }
        while let Some((name, array)) = self.arrays.pop_first() {
            let (_, cells) = parts.memory.array(array);
            self.into.add(name);
            self.into.add(cells.len() as u64);
            for &cell in cells {
                self.into.add(cell as u64);
            }
        }
    }
}
