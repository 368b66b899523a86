//! Prints a tree as `.task` source that compiles, ends, and rarely does anything undefined.
//!
//! How it stays so: names are resolved to what is visible; locks the body holds are not taken
//! again; `satisfy` stands once per event, outside loops and procedures, and what a task waits
//! for is satisfied before the finish that waits for the task; `ewait` only where a task is
//! surely left in the region; every loop and recursion counts down a name nothing else assigns.

use std::collections::BTreeSet;
use std::fmt;

use super::scope::{Effects, Role, Scope, Spot};
use super::tree::{Expr, Proc, Program, Sort, Stmt};

/// How long heap arrays are.
pub(super) const HEAP_LEN: u8 = 2;

const SCALARS: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
const ARRAYS: [(&str, u8); 2] = [("A", 3), ("B", 2)];

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self);
        printer.program();
        f.write_str(&printer.text)
    }
}

pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    text: String,
    depth: usize,
    fresh: u32,
    pub(super) scope: Scope,
    pub(super) spot: Spot,
    pub(super) effects: Effects,
    /// What the procedures printed so far do.
    pub(super) procs: Vec<Effects>,
    /// The procedure being printed.
    pub(super) inside: Option<usize>,
    pub(super) satisfied: BTreeSet<u8>,
    pub(super) awaited: BTreeSet<u8>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            text: String::new(),
            depth: 0,
            fresh: 0,
            scope: Scope::default(),
            spot: Spot::default(),
            effects: Effects::default(),
            procs: Vec::new(),
            inside: None,
            satisfied: BTreeSet::new(),
            awaited: BTreeSet::new(),
        }
    }

    fn program(&mut self) {
        let program = self.program;
        for name in self.scalar_names() {
            self.line(&format!("shared {name} = 1;"));
        }
        for (name, len) in self.array_names() {
            self.line(&format!("shared {name}[{len}];"));
        }
        self.line("lock L, M;");
        self.line("event e0, e1;");
        self.line("region r0, r1;");
        for (n, proc) in program.procs.iter().enumerate() {
            self.proc(n, proc);
        }
        self.inside = None;
        self.spot = Spot::default();
        self.scope.open();
        self.stmts(&program.main);
        self.satisfy_awaited();
        self.scope.close();
    }

    fn proc(&mut self, n: usize, proc: &Proc) {
        self.inside = Some(n);
        self.effects = Effects::default();
        self.spot = Spot {
            result: Some(proc.result),
            repeated: true,
            ..Spot::default()
        };
        self.scope.open();
        self.scope.declare("n", Sort::Integer, Role::Counter);
        let mut params = vec!["n".to_string()];
        for &sort in &proc.params {
            params.push(self.declare("p", sort, Role::Variable));
        }
        self.enter(&format!("proc work{n}({}) {{", params.join(", ")));
        self.stmts(&proc.body);
        self.result(proc.result);
        self.leave();
        self.scope.close();
        self.procs.push(self.effects.clone());
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Skip => self.line("skip;"),
            Stmt::Read(place) => self.with_place(place, "read ", ";"),
            Stmt::Write(place) => self.with_place(place, "write ", ";"),
            Stmt::Store(place, value) => {
                let place = self.place(place);
                self.with_expr(&format!("{place} = "), value);
            }
            Stmt::Let(value) => {
                let value = self.expr(value);
                let name = self.declare("a", Sort::Integer, Role::Variable);
                self.line(&format!("let {name} = {value};"));
            }
            Stmt::Shadow(value) => self.shadow(value),
            Stmt::Assign(choice, value) => self.assign(*choice, value),
            Stmt::New => {
                self.new_array();
            }
            Stmt::Copy(choice) => self.copy(*choice),
            Stmt::GetArray(choice) => self.get_array(*choice),
            Stmt::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            Stmt::Call(proc, choice) => self.call_stmt(*proc, *choice, ""),
            Stmt::Return(value) => self.return_stmt(value),
            Stmt::Assert(value) => self.with_expr("assert ", value),
            Stmt::Print(value) => self.with_expr("print ", value),
            Stmt::Block(block, stmts) => self.block(block, stmts),
            Stmt::Sync
            | Stmt::Satisfy(_)
            | Stmt::Await(_)
            | Stmt::AwaitAny(_)
            | Stmt::SpawnCall(..) => self.task_operation(stmt),
        }
    }

    fn with_place(&mut self, place: &super::Place, before: &str, after: &str) {
        let place = self.place(place);
        self.line(&format!("{before}{place}{after}"));
    }

    pub(super) fn with_expr(&mut self, before: &str, value: &Expr) {
        let value = self.expr(value);
        self.line(&format!("{before}{value};"));
    }

    fn shadow(&mut self, value: &Expr) {
        let value = self.expr(value);
        let Some(name) = self.scope.shadowable() else {
            return;
        };
        self.line(&format!("let {name} = {value};"));
        self.scope.declare(&name, Sort::Integer, Role::Variable);
    }

    fn assign(&mut self, choice: u8, value: &Expr) {
        let assignable = self.scope.pick(choice, |local| {
            local.sort == Sort::Integer && local.role == Role::Variable
        });
        if let Some(local) = assignable {
            self.with_expr(&format!("{} = ", local.name), value);
        }
    }

    pub(super) fn new_array(&mut self) -> String {
        let name = self.declare("q", Sort::Array, Role::Variable);
        self.line(&format!("let {name} = new[{HEAP_LEN}];"));
        name
    }

    fn copy(&mut self, choice: u8) {
        if let Some(local) = self.scope.pick(choice, |_| true) {
            let name = self.declare("c", local.sort, Role::Variable);
            self.line(&format!("let {name} = {};", local.name));
        }
    }

    fn get_array(&mut self, choice: u8) {
        let future = self
            .scope
            .pick(choice, |local| local.sort == Sort::ArrayHandle);
        if let Some(future) = future
            && !self.spot.isolated
        {
            self.effects.task_operations = true;
            self.satisfy_awaited();
            let name = self.declare("q", Sort::Array, Role::Variable);
            self.line(&format!("let {name} = get({});", future.name));
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.expr(condition);
        let before = self.spot.pending;
        self.nested(&format!("if ({condition}) {{"), then);
        let after_then = std::mem::replace(&mut self.spot.pending, before);
        if !otherwise.is_empty() {
            self.nested("else {", otherwise);
        }
        for (pending, after) in self.spot.pending.iter_mut().zip(after_then) {
            *pending = after.min(*pending);
        }
    }

    fn return_stmt(&mut self, value: &Expr) {
        match self.spot.result {
            Some(Sort::Integer) if !self.spot.holding => self.with_expr("return ", value),
            Some(Sort::Array) if !self.spot.holding => {
                if let Some(array) = self.scope.pick(0, |local| local.sort == Sort::Array) {
                    self.line(&format!("return {};", array.name));
                }
            }
            _ => {}
        }
    }

    /// The last statement of a body with a value.
    pub(super) fn result(&mut self, sort: Sort) {
        if sort == Sort::Array {
            let array = self.scope.pick(1, |local| local.sort == Sort::Array);
            let name = array
                .map(|array| array.name)
                .unwrap_or_else(|| self.new_array());
            self.line(&format!("return {name};"));
        } else {
            self.with_expr("return ", &Expr::Local(1));
        }
    }

    pub(super) fn declare(&mut self, prefix: &str, sort: Sort, role: Role) -> String {
        let name = self.fresh_name(prefix);
        self.scope.declare(&name, sort, role);
        name
    }

    pub(super) fn fresh_name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    pub(super) fn scalar_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        SCALARS
            .into_iter()
            .take(usize::from(self.program.scalars.max(1)))
    }

    pub(super) fn array_names(&self) -> impl Iterator<Item = (&'static str, u8)> + use<> {
        ARRAYS.into_iter().take(usize::from(self.program.arrays))
    }

    pub(super) fn enter(&mut self, head: &str) {
        self.line(head);
        self.depth += 1;
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }
}
