//! Prints what creates tasks and what waits for them.

use std::collections::BTreeSet;

use super::print::Printer;
use super::scope::{REGIONS, Role, Spot};
use super::tree::{Block, Label, Sort, Stmt, Style};

/// How many events are declared.
const EVENTS: u8 = 2;

impl Printer<'_> {
    pub(super) fn create(&mut self, block: &Block, stmts: &[Stmt]) {
        self.effects.task_operations = true;
        match block {
            Block::Future(sort) => {
                let name = self.fresh_name("f");
                let head = format!("future {name} {{");
                let spot = self.spot.task(Some(*sort));
                self.task(&head, spot, stmts, Some(*sort));
                let handle = if *sort == Sort::Array {
                    Sort::ArrayHandle
                } else {
                    Sort::Handle
                };
                self.scope.declare(&name, handle, Role::Label);
            }
            Block::Task(after) => self.dependent(after, stmts),
            Block::Post(region, passing) => self.post(*region, *passing, stmts),
            Block::Async(Label::Present) if self.program.style != Style::Cilk => {
                let name = self.fresh_name("T");
                let spot = self.spot.task(None);
                self.task(&format!("async {name} {{"), spot, stmts, None);
                self.scope.declare(&name, Sort::Handle, Role::Label);
            }
            _ => {
                let keyword = self.spawn_keyword(block);
                let spot = self.spot.task(None);
                self.task(&format!("{keyword} {{"), spot, stmts, None);
            }
        }
    }

    fn spawn_keyword(&self, block: &Block) -> &'static str {
        match self.program.style {
            Style::Async => "async",
            Style::Cilk => "spawn",
            Style::Mixed if *block == Block::Spawn => "spawn",
            Style::Mixed => "async",
        }
    }

    fn dependent(&mut self, after: &[u8], stmts: &[Stmt]) {
        let mut names = BTreeSet::new();
        for &choice in after {
            names.extend(self.dependence(choice));
        }
        let name = self.fresh_name("T");
        let names: Vec<String> = names.into_iter().collect();
        let head = match names.is_empty() {
            true => format!("task {name} {{"),
            false => format!("task {name} after {} {{", names.join(", ")),
        };
        let mut spot = self.spot.task(None);
        spot.dependent |= !names.is_empty();
        self.task(&head, spot, stmts, None);
        self.scope.declare(&name, Sort::Handle, Role::Label);
    }

    fn dependence(&mut self, choice: u8) -> Option<String> {
        let event = choice % EVENTS;
        let label = self
            .scope
            .pick(choice / 3, |local| local.role == Role::Label);
        if choice.is_multiple_of(3) && (!self.spot.repeated || self.satisfied.contains(&event)) {
            self.awaited.insert(event);
            return Some(format!("e{event}"));
        }
        label.map(|label| label.name)
    }

    fn post(&mut self, region: u8, passing: Option<u8>, stmts: &[Stmt]) {
        let region = usize::from(region) % REGIONS;
        let mut spot = self.spot.task(None);
        let mut head = format!("post r{region} {{");
        if let Some(passed) = passing.map(|passed| usize::from(passed) % REGIONS) {
            head = format!("post r{region} passing r{passed} {{");
            spot.pending[passed] = std::mem::take(&mut self.spot.pending[passed]);
        }
        self.spot.pending[region] += 1;
        self.task(&head, spot, stmts, None);
    }

    fn task(&mut self, head: &str, spot: Spot, stmts: &[Stmt], result: Option<Sort>) {
        let outside = std::mem::replace(&mut self.spot, spot);
        self.enter(head);
        self.scope.open();
        self.stmts(stmts);
        if self.program.style != Style::Async {
            self.satisfy_awaited();
        }
        if let Some(sort) = result {
            self.result(sort);
        }
        self.scope.close();
        self.leave();
        self.spot = outside;
    }

    pub(super) fn task_operation(&mut self, stmt: &Stmt) {
        if self.spot.isolated {
            return;
        }
        self.effects.task_operations = true;
        match *stmt {
            Stmt::Sync if self.program.style != Style::Async => {
                self.satisfy_awaited();
                self.line("sync;");
            }
            Stmt::Satisfy(event) => self.satisfy(event % EVENTS),
            Stmt::Await(region) => self.await_all(region),
            Stmt::AwaitAny(region) => self.await_any(region),
            Stmt::SpawnCall(proc, choice) if self.program.style != Style::Async => {
                self.call_stmt(proc, choice, "spawn ");
            }
            Stmt::SpawnCall(proc, choice) => {
                self.block(&Block::Async(Label::Absent), &[Stmt::Call(proc, choice)]);
            }
            _ => {}
        }
    }

    fn satisfy(&mut self, event: u8) {
        let in_vain = self.spot.dependent && self.awaited.contains(&event);
        if !self.spot.repeated && !in_vain && self.satisfied.insert(event) {
            self.line(&format!("satisfy e{event};"));
        }
    }

    /// What waits for an event must not wait past the end of its finish or sync block, nor while
    /// another waits for it.
    pub(super) fn satisfy_awaited(&mut self) {
        for event in self.awaited.clone() {
            self.satisfy(event);
        }
    }

    fn await_all(&mut self, region: u8) {
        let region = usize::from(region) % REGIONS;
        self.spot.pending[region] = 0;
        self.line(&format!("await r{region};"));
    }

    fn await_any(&mut self, region: u8) {
        let region = usize::from(region) % REGIONS;
        if self.spot.pending[region] > 0 {
            self.spot.pending[region] -= 1;
            self.line(&format!("ewait r{region};"));
        }
    }
}
