//! Statements, and the rules of where each may stand.

use super::expression::Target;
use super::scope::{FrameKind, LocalSort};
use super::{Resolver, Sort};
use crate::ast::{self, StatementKind as Source};
use crate::ir::{RegionId, Stmt, StmtKind as Kind};
use heddle_core::{AccessKind, LockId, Site, TokenId};

impl<'s> Resolver<'s, '_> {
    /// The statements of the innermost scope.
    pub(super) fn statements(&mut self, statements: &[ast::Statement<'s>]) -> Vec<Stmt> {
        let mut block = Vec::with_capacity(statements.len());
        for statement in statements {
            if self.diagnostics.is_full() {
                break;
            }
            self.statement(statement, &mut block);
        }
        block
    }

    fn block(&mut self, block: &ast::Block<'s>) -> Vec<Stmt> {
        self.scoped(|resolver| resolver.statements(&block.statements))
    }

    fn statement(&mut self, statement: &ast::Statement<'s>, block: &mut Vec<Stmt>) {
        let site = statement.site;
        let kind = match &statement.kind {
            Source::SpawnCall(call) => self.spawn_call(call, site, block),
            Source::Create(create) => Some(self.create(create, site)),
            Source::If { arms, otherwise } => self.branch(arms, otherwise.as_ref()),
            Source::Finish(_) | Source::Isolated(_) | Source::With(..) => {
                self.scope_statement(statement)
            }
            Source::While(condition, body) => Some(Kind::While {
                condition: self.expr(condition),
                body: self.block(body),
            }),
            Source::For {
                variable,
                from,
                to,
                body,
            } => Some(self.repetition(*variable, from, to, body)),
            _ => self.simple(statement),
        };
        if let Some(kind) = kind {
            let stmt = self.stmt(kind, site);
            block.push(stmt);
        }
    }

    fn simple(&mut self, statement: &ast::Statement<'s>) -> Option<Kind> {
        let site = statement.site;
        Some(match &statement.kind {
            Source::Sync | Source::Satisfy(_) | Source::Await(_) | Source::AwaitAny(_) => {
                return self.synchronisation(statement);
            }
            Source::Acquire(lock) => Kind::Acquire(self.lock(*lock)?),
            Source::Release(lock) => Kind::Release(self.lock(*lock)?),
            Source::Let(name, value) => self.local(*name, value),
            Source::Assign(place, value) => return self.assignment(place, value),
            Source::Read(place) => return self.bare_access(place, AccessKind::Read),
            Source::Write(place) => return self.bare_access(place, AccessKind::Write),
            Source::Evaluate(expr) => Kind::Call(self.expr(expr)),
            Source::Return(value) => return self.return_from(value.as_ref(), site),
            Source::Assert(condition) => Kind::Assert(self.expr(condition)),
            Source::Print(value) => Kind::Print(self.expr(value)),
            Source::Cut => {
                self.constructs.cut();
                Kind::Cut
            }
            _ => Kind::Skip,
        })
    }

    fn synchronisation(&mut self, statement: &ast::Statement<'s>) -> Option<Kind> {
        let site = statement.site;
        match &statement.kind {
            Source::Satisfy(event) => {
                self.task_operation(site, "satisfy");
                self.constructs.extra_edge();
                let event = self.find_global(*event, Sort::Event)?;
                Some(Kind::Satisfy(TokenId::new(event)))
            }
            Source::Await(region) => {
                self.task_operation(site, "await");
                self.constructs.extra_edge();
                Some(Kind::Await(self.region(*region)?))
            }
            Source::AwaitAny(region) => {
                self.task_operation(site, "ewait");
                self.constructs.choice();
                Some(Kind::AwaitAny(self.region(*region)?))
            }
            _ => {
                self.task_operation(site, "sync");
                // Children from before the `finish` can only be joined one by one inside it.
                if self.frame.finishes > 0 {
                    self.constructs.extra_edge();
                }
                Some(Kind::Sync)
            }
        }
    }

    pub(super) fn region(&mut self, name: ast::Name<'s>) -> Option<RegionId> {
        self.find_global(name, Sort::Region).map(RegionId)
    }

    fn lock(&mut self, name: ast::Name<'s>) -> Option<LockId> {
        self.constructs.lock();
        let index = self.find_global(name, Sort::Lock)?;
        // Lock 0 is the one of `isolated`.
        Some(LockId::new(index + 1))
    }

    fn scope_statement(&mut self, statement: &ast::Statement<'s>) -> Option<Kind> {
        match &statement.kind {
            Source::With(lock, body) => {
                let lock = self.lock(*lock);
                let body = self.block(body);
                Some(Kind::With(lock?, body))
            }
            Source::Isolated(body) => {
                self.constructs.isolated();
                self.frame.isolated += 1;
                let body = self.block(body);
                self.frame.isolated -= 1;
                Some(Kind::Isolated(body))
            }
            Source::Finish(body) => {
                self.task_operation(statement.site, "finish");
                self.frame.finishes += 1;
                let body = self.block(body);
                self.frame.finishes -= 1;
                Some(Kind::Finish(body))
            }
            _ => None,
        }
    }

    fn branch(
        &mut self,
        arms: &[ast::Arm<'s>],
        otherwise: Option<&ast::Block<'s>>,
    ) -> Option<Kind> {
        let mut resolved = Vec::with_capacity(arms.len());
        for arm in arms {
            let condition = self.expr(&arm.condition);
            resolved.push((arm.site, condition, self.block(&arm.block)));
        }
        let mut rest = otherwise.map_or_else(Vec::new, |block| self.block(block));
        while let Some((site, condition, then)) = resolved.pop() {
            let kind = Kind::If {
                condition,
                then,
                otherwise: rest,
            };
            if resolved.is_empty() {
                return Some(kind);
            }
            rest = vec![self.stmt(kind, site)];
        }
        None
    }

    fn repetition(
        &mut self,
        variable: ast::Name<'s>,
        from: &ast::Expr<'s>,
        to: &ast::Expr<'s>,
        body: &ast::Block<'s>,
    ) -> Kind {
        let (from, to) = (self.expr(from), self.expr(to));
        self.scoped(|resolver| Kind::For {
            local: resolver.declare_local(variable, LocalSort::Value),
            from,
            to,
            body: resolver.block(body),
        })
    }

    fn local(&mut self, name: ast::Name<'s>, value: &ast::Expr<'s>) -> Kind {
        // The value comes first: the new name is not visible in it.
        let value = self.expr(value);
        Kind::SetLocal {
            local: self.declare_local(name, LocalSort::Value),
            name: self.tables.name(name.text),
            value,
        }
    }

    fn assignment(&mut self, mention: &ast::Mention<'s>, value: &ast::Expr<'s>) -> Option<Kind> {
        let target = self.target(mention);
        let value = self.expr(value);
        match target? {
            Target::Place(place) => Some(Kind::Store {
                place,
                value,
                access: self.access(mention.site, AccessKind::Write),
            }),
            Target::Local(_, LocalSort::Label) => {
                self.assigned_label(mention);
                None
            }
            Target::Local(local, _) => Some(Kind::SetLocal {
                local,
                name: self.tables.name(mention.name.text),
                value,
            }),
        }
    }

    fn assigned_label(&mut self, mention: &ast::Mention<'s>) {
        let message = format!("the label `{}` cannot be assigned", mention.name.text);
        let help = "a label names the task made with it; use `let` for a variable";
        self.report_with_help(mention.site, message, "a task's label", help);
    }

    /// `read`, `write`
    fn bare_access(&mut self, mention: &ast::Mention<'s>, kind: AccessKind) -> Option<Kind> {
        match self.target(mention)? {
            Target::Place(place) => {
                let access = self.access(mention.site, kind);
                Some(match kind {
                    AccessKind::Read => Kind::Read { place, access },
                    AccessKind::Write => Kind::Write { place, access },
                })
            }
            Target::Local(_, sort) => {
                let name = mention.name.text;
                let message = format!("`{name}` is {}, not shared memory", sort.text());
                let help = "`read` and `write` touch a shared variable or an array's element";
                self.report_with_help(mention.site, message, sort.text(), help);
                None
            }
        }
    }

    fn return_from(&mut self, value: Option<&ast::Expr<'s>>, site: Site) -> Option<Kind> {
        let value = value.map(|value| self.expr(value));
        if self.frame.kind == FrameKind::Main {
            let message = "`return` outside a procedure or task";
            let help = "the main task ends at the end of the file";
            self.report_with_help(site, message, "nothing to return from", help);
            return None;
        }
        Some(Kind::Return(value))
    }
}
