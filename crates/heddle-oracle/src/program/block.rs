//! Prints the blocks that create no task: finishes, sections of locks, loops.

use super::print::Printer;
use super::scope::{REGIONS, Role};
use super::tree::{Block, Bound, Expr, Sort, Stmt};

/// How many locks are declared.
const LOCKS: usize = 2;
const LOCK_NAMES: [&str; LOCKS] = ["L", "M"];

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &Block, stmts: &[Stmt]) {
        match block {
            Block::Isolated => self.isolated(stmts),
            Block::With(lock) => self.with(*lock, stmts),
            Block::Hold(lock) => self.hold(*lock, stmts),
            Block::For(bound) => self.for_loop(bound, stmts),
            Block::While(times, condition) => self.while_loop(*times, condition, stmts),
            Block::Plain => self.stmts(stmts),
            _ if self.spot.isolated => self.stmts(stmts),
            Block::Finish => {
                self.effects.task_operations = true;
                self.enter("finish {");
                self.scope.open();
                self.stmts(stmts);
                self.satisfy_awaited();
                self.scope.close();
                self.leave();
            }
            _ => self.create(block, stmts),
        }
    }

    fn isolated(&mut self, stmts: &[Stmt]) {
        let outside = std::mem::replace(&mut self.spot.isolated, true);
        self.nested("isolated {", stmts);
        self.spot.isolated = outside;
    }

    fn with(&mut self, lock: u8, stmts: &[Stmt]) {
        let Some(name) = self.take(lock) else {
            return self.stmts(stmts);
        };
        self.nested(&format!("with {name} {{"), stmts);
        self.spot.held.remove(&(lock % LOCKS as u8));
    }

    fn hold(&mut self, lock: u8, stmts: &[Stmt]) {
        let Some(name) = self.take(lock) else {
            return self.stmts(stmts);
        };
        let outside = std::mem::replace(&mut self.spot.holding, true);
        self.line(&format!("acquire {name};"));
        self.stmts(stmts);
        self.line(&format!("release {name};"));
        self.spot.holding = outside;
        self.spot.held.remove(&(lock % LOCKS as u8));
    }

    fn take(&mut self, lock: u8) -> Option<&'static str> {
        let lock = lock % LOCKS as u8;
        self.effects.locks.insert(lock);
        self.spot
            .held
            .insert(lock)
            .then(|| LOCK_NAMES[usize::from(lock)])
    }

    fn for_loop(&mut self, bound: &Bound, stmts: &[Stmt]) {
        let to = match bound {
            Bound::Constant(times) => times.to_string(),
            Bound::Load(place) => format!("{} % 3", self.place(place)),
        };
        self.scope.open();
        let name = self.declare("i", Sort::Integer, Role::Counter);
        self.repeat(&format!("for {name} in 0..{to} {{"), stmts, None);
        self.scope.close();
    }

    fn while_loop(&mut self, times: u8, condition: &Expr, stmts: &[Stmt]) {
        let name = self.declare("k", Sort::Integer, Role::Counter);
        self.line(&format!("let {name} = {times};"));
        let inside = std::mem::replace(&mut self.spot.repeated, true);
        let condition = self.expr(condition);
        self.spot.repeated = inside;
        let head = format!("while ({name} > 0 && {condition}) {{");
        self.repeat(&head, stmts, Some(format!("{name} = {name} - 1;")));
    }

    fn repeat(&mut self, head: &str, stmts: &[Stmt], last: Option<String>) {
        self.spot.pending = [0; REGIONS];
        let outside = std::mem::replace(&mut self.spot.repeated, true);
        self.enter(head);
        self.scope.open();
        self.stmts(stmts);
        if let Some(last) = last {
            self.line(&last);
        }
        self.scope.close();
        self.leave();
        self.spot.repeated = outside;
        self.spot.pending = [0; REGIONS];
    }

    pub(super) fn nested(&mut self, head: &str, stmts: &[Stmt]) {
        self.enter(head);
        self.scope.open();
        self.stmts(stmts);
        self.scope.close();
        self.leave();
    }
}
