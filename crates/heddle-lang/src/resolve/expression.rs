//! Expressions and places: every mention of shared memory becomes an access.

use super::scope::{Local, LocalSort};
use super::{Global, Referent, Resolver, Sort, tables::row};
use crate::ast::{self, ExprKind as Source, Operator};
use crate::ir::{AccessId, AccessInfo, Expr, ExprKind, LocalId, Place, ProcId, SharedId};
use crate::lexer::shortened;
use heddle_core::{AccessKind, Site};

/// What a mention turned out to be.
pub(super) enum Target {
    Place(Place),
    Local(LocalId, LocalSort),
}

impl<'s> Resolver<'s, '_> {
    /// The expression; a chain of operators is walked along its left side without recursion.
    pub(super) fn expr(&mut self, expr: &ast::Expr<'s>) -> Expr {
        let mut pending = Vec::new();
        let mut leftmost = expr;
        while let Source::Binary(operator, left, right) = &leftmost.kind {
            pending.push((*operator, right, leftmost.site));
            leftmost = left;
        }
        let mut result = self.operand(leftmost);
        for (operator, right, site) in pending.into_iter().rev() {
            let (left, right) = (Box::new(result), Box::new(self.expr(right)));
            let kind = match operator {
                Operator::Strict(binary) => ExprKind::Binary(binary, left, right),
                Operator::And => ExprKind::And(left, right),
                Operator::Or => ExprKind::Or(left, right),
            };
            result = self.expr_at(kind, site);
        }
        result
    }

    fn expr_at(&mut self, kind: ExprKind, site: Site) -> Expr {
        let site = self.tables.site(site);
        Expr { kind, site }
    }

    fn operand(&mut self, expr: &ast::Expr<'s>) -> Expr {
        let kind = match &expr.kind {
            Source::Int(value) => ExprKind::Int(*value),
            Source::Mention(mention) => self.load(mention),
            Source::Get(future) => {
                self.task_operation(expr.site, "get");
                self.constructs.extra_edge();
                ExprKind::Get(Box::new(self.expr(future)))
            }
            Source::Call(call) => return self.call(call),
            Source::New(len) => ExprKind::New(Box::new(self.expr(len))),
            Source::Unary(unary, inner) => ExprKind::Unary(*unary, Box::new(self.expr(inner))),
            Source::Binary(..) => return self.expr(expr),
        };
        self.expr_at(kind, expr.site)
    }

    fn load(&mut self, mention: &ast::Mention<'s>) -> ExprKind {
        match self.target(mention) {
            Some(Target::Place(place)) => ExprKind::Load {
                place,
                access: self.access(mention.site, AccessKind::Read),
            },
            Some(Target::Local(local, _)) => ExprKind::Local(local),
            None => ExprKind::Int(0),
        }
    }

    /// A new row in the table of accesses.
    pub(super) fn access(&mut self, site: Site, kind: AccessKind) -> AccessId {
        let site = self.tables.site(site);
        self.accesses.push(AccessInfo {
            site,
            kind,
            eliminated: None,
        });
        AccessId(row(self.accesses.len()))
    }

    /// What the mention stands for; `None` if it was reported.
    pub(super) fn target(&mut self, mention: &ast::Mention<'s>) -> Option<Target> {
        let found = self.find(mention.name, &[Sort::Scalar, Sort::Array]);
        let index = mention
            .index
            .as_ref()
            .map(|index| Box::new(self.expr(index)));
        match (found?, index) {
            (Referent::Local(local), Some(index)) => self.heap_element(mention, local, index),
            (Referent::Local(local), None) => Some(Target::Local(local.slot, local.sort)),
            (Referent::Global(global), index) => {
                self.shared_place(mention, global, index).map(Target::Place)
            }
        }
    }

    fn heap_element(
        &mut self,
        mention: &ast::Mention<'s>,
        local: Local,
        index: Box<Expr>,
    ) -> Option<Target> {
        if local.sort == LocalSort::Label {
            self.wrong_sort(mention.name, Referent::Local(local), "an array");
            return None;
        }
        let handle = local.slot;
        Some(Target::Place(Place::Heap { handle, index }))
    }

    fn shared_place(
        &mut self,
        mention: &ast::Mention<'s>,
        global: Global,
        index: Option<Box<Expr>>,
    ) -> Option<Place> {
        let shared = SharedId(global.index);
        match (global.sort, index) {
            (Sort::Scalar, None) => return Some(Place::Scalar(shared)),
            (Sort::Array, Some(index)) => {
                let array = shared;
                return Some(Place::Element { array, index });
            }
            (Sort::Array, None) => self.missing_index(mention),
            (_, Some(_)) => self.wrong_sort(mention.name, Referent::Global(global), "an array"),
            (_, None) => self.wrong_sort(mention.name, Referent::Global(global), "a variable"),
        }
        None
    }

    fn missing_index(&mut self, mention: &ast::Mention<'s>) {
        let name = shortened(mention.name.text);
        let message = format!("the array `{name}` stands without an index");
        let help = format!("write `{name}[i]` for one element");
        self.report_with_help(mention.site, message, "which element?", help);
    }

    pub(super) fn call(&mut self, call: &ast::Call<'s>) -> Expr {
        let args: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let kind = match self.callee(call) {
            Some(proc) => ExprKind::Call { proc, args },
            None => ExprKind::Int(0),
        };
        self.expr_at(kind, call.site)
    }

    /// The procedure called, if it takes that many values. Locals cannot be called, so they do not
    /// hide procedures.
    pub(super) fn callee(&mut self, call: &ast::Call<'s>) -> Option<ProcId> {
        let index = match self.globals.get(call.name.text) {
            Some(global) if global.sort == Sort::Procedure => global.index,
            _ => self.find_global(call.name, Sort::Procedure)?,
        };
        let expected = self.signatures[index as usize].params.len();
        if expected != call.args.len() {
            self.wrong_arity(call, expected);
            return None;
        }
        Some(ProcId(index))
    }

    fn wrong_arity(&mut self, call: &ast::Call<'s>, expected: usize) {
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!(
            "`{}` takes {expected} value{plural}, not {}",
            shortened(call.name.text),
            call.args.len()
        );
        let label = format!("{expected} value{plural} expected");
        self.report(call.site, message, label);
    }

    /// Reports a task operation that stands inside `isolated`.
    pub(super) fn task_operation(&mut self, site: Site, what: &str) {
        if self.frame.isolated > 0 {
            let message = format!("`{what}` inside `isolated`");
            let help = "an isolated body must not create or wait for tasks; move it outside";
            self.report_with_help(site, message, "task operation", help);
        }
    }
}
