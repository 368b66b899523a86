//! Task creation: labels, dependences, captures.

use super::scope::LocalSort;
use super::{Referent, Resolver, Sort};
use crate::ast;
use crate::ir::{
    Body, Capture, Dependence, Expr, ExprKind, LocalId, ProcId, Spawn, Stmt, StmtKind as Kind,
};
use heddle_core::{NameId, Site, TaskKind, TokenId};

impl<'s> Resolver<'s, '_> {
    /// A task with a body of its own.
    pub(super) fn create(&mut self, create: &ast::Create<'s>, site: Site) -> Kind {
        self.task_operation(site, keyword(create.kind));
        self.constructs.create(create.kind);
        // Before the label is declared: a task cannot wait for itself to start.
        let after = create.after.iter();
        let after = after.filter_map(|&name| self.dependence(name)).collect();
        let region = create.region.and_then(|name| self.region(name));
        let passing = create.passing.and_then(|name| self.region(name));
        let handle = create.label;
        let handle = handle.map(|label| self.declare_local(label, LocalSort::Label));
        let (block, frame) = self.in_task(|task| task.statements(&create.body.statements));
        let end = self.tables.site(create.body.end);
        let locals = frame.locals;
        Kind::Spawn(Box::new(Spawn {
            kind: create.kind,
            name: create.label.map(|label| self.tables.name(label.text)),
            handle,
            captures: frame.captures,
            after,
            region,
            passing,
            body: Body { locals, block, end },
        }))
    }

    /// One name after `after`: an event, a label, or a local that holds a task.
    fn dependence(&mut self, name: ast::Name<'s>) -> Option<Dependence> {
        let found = self.find(name, &[Sort::Event, Sort::Scalar])?;
        let site = self.tables.site(name.site);
        match found {
            Referent::Local(local) => Some(Dependence::Task {
                local: local.slot,
                name: self.tables.name(name.text),
                site,
            }),
            Referent::Global(global) if global.sort == Sort::Event => Some(Dependence::Event {
                token: TokenId::new(global.index),
                site,
            }),
            Referent::Global(_) => {
                self.wrong_sort(name, found, "a task or an event");
                None
            }
        }
    }

    /// `spawn p(a)`: the spawner evaluates `a` into locals of its own, the task captures them and
    /// calls `p`.
    pub(super) fn spawn_call(
        &mut self,
        call: &ast::Call<'s>,
        site: Site,
        block: &mut Vec<Stmt>,
    ) -> Option<Kind> {
        self.task_operation(site, "spawn");
        self.constructs.create(TaskKind::Spawn);
        let values: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let proc = self.callee(call)?;
        let captures = self.pass(proc, values, block);
        Some(Kind::Spawn(Box::new(Spawn {
            kind: TaskKind::Spawn,
            name: Some(self.signatures[proc.0 as usize].name),
            handle: None,
            body: self.calling(proc, call),
            captures,
            after: Vec::new(),
            region: None,
            passing: None,
        })))
    }

    /// Sets a fresh local to each value; the task's first locals are copies of them.
    fn pass(&mut self, proc: ProcId, values: Vec<Expr>, block: &mut Vec<Stmt>) -> Vec<Capture> {
        let params: Vec<NameId> = self.signatures[proc.0 as usize].params.clone();
        let mut captures = Vec::with_capacity(values.len());
        for (to, (name, value)) in (0..).map(LocalId).zip(params.into_iter().zip(values)) {
            let local = self.frame.slot();
            captures.push(Capture { from: local, to });
            let site = value.site;
            let kind = Kind::SetLocal { local, name, value };
            block.push(Stmt { kind, site });
        }
        captures
    }

    /// The body that calls `proc` with its own first locals.
    fn calling(&mut self, proc: ProcId, call: &ast::Call<'s>) -> Body {
        let site = self.tables.site(call.site);
        let mut args = Vec::with_capacity(call.args.len());
        for (local, arg) in (0..).map(LocalId).zip(&call.args) {
            let site = self.tables.site(arg.site);
            args.push(Expr {
                kind: ExprKind::Local(local),
                site,
            });
        }
        let locals = u32::try_from(args.len()).unwrap_or(u32::MAX);
        let kind = ExprKind::Call { proc, args };
        let kind = Kind::Call(Expr { kind, site });
        Body {
            locals,
            block: vec![Stmt { kind, site }],
            end: site,
        }
    }
}

fn keyword(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Async => "async",
        TaskKind::Spawn => "spawn",
        TaskKind::Future => "future",
        TaskKind::Post => "post",
        // The remaining kinds are other front ends'.
        _ => "task",
    }
}
