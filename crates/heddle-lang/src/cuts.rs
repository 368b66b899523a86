//! Where a program is cut into transactions: by hand, or by a rule.
//!
//! Huang, chapter 1. A rule cuts beside the program's own `cut` statements, except that nothing is cut at all
//! under [`Cuts::None`]. No rule cuts while a lock is held or inside `isolated`: a critical section stays in
//! one transaction.

use heddle_core::{Site, SiteId};

use crate::ir::{Body, Expr, ExprKind, Place, Program, Stmt, StmtKind};

/// The atomization strategies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Cuts {
    /// At the program's `cut` statements.
    #[default]
    Manual,
    /// Nowhere: every strand is one transaction (the atomic-threads atomization).
    None,
    /// Ménier's heuristic: at task operations (where strands end anyway), before and after each call, at
    /// the end of each loop iteration.
    Menier,
    /// After every access; after those of a critical section where it ends.
    Access,
}

/// A place where a `cut` statement could stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The site of the cut in the events.
    pub site: SiteId,
    /// The statement it would stand in front of.
    pub before: Site,
}

/// The program with a `cut` statement wherever the strategy has one, as far as it can be written as a
/// statement: in front of statements. The program's own cuts stay.
pub fn with_candidates(program: &Program, cuts: Cuts) -> (Program, Vec<Candidate>) {
    let mut program = program.clone();
    let mut writer = Writer {
        cuts,
        sites: std::mem::take(&mut program.legend.sites),
        candidates: Vec::new(),
    };
    writer.body(&mut program.main);
    for procedure in &mut program.procs {
        writer.body(&mut procedure.body);
    }
    program.legend.sites = writer.sites;
    program.features.cuts = true;
    (program, writer.candidates)
}

struct Writer {
    cuts: Cuts,
    sites: Vec<Site>,
    candidates: Vec<Candidate>,
}

/// What stands around a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing that repeats it.
    Once,
    /// A loop.
    Loop,
}

impl Writer {
    fn body(&mut self, body: &mut Body) {
        self.block(&mut body.block, Around::Once);
    }

    fn block(&mut self, block: &mut Vec<Stmt>, around: Around) {
        let statements = std::mem::take(block);
        let starts = starts(&statements);
        let (mut is_first, mut was_call) = (true, false);
        for (mut statement, start) in statements.into_iter().zip(starts) {
            let wants = match self.cuts {
                Cuts::Manual | Cuts::None => false,
                Cuts::Menier => {
                    let calls = calls(&statement);
                    let wants =
                        (calls && !is_first) || was_call || (is_first && around == Around::Loop);
                    was_call = calls;
                    wants
                }
                Cuts::Access => !is_first || around == Around::Loop,
            };
            // At a task operation or a cut a transaction ends anyway.
            let before = block.iter().rev().find(|before| !is_argument(before));
            let is_cut = ends_transaction(&statement) || before.is_some_and(ends_transaction);
            if let Some(start) = start.filter(|_| wants && !is_cut) {
                block.push(self.candidate(start));
            }
            is_first &= is_argument(&statement);
            self.inside(&mut statement);
            block.push(statement);
        }
    }

    fn candidate(&mut self, before: SiteId) -> Stmt {
        let site = SiteId::new(self.sites.len() as u32);
        let before = self.sites[before.index()];
        self.sites.push(before);
        self.candidates.push(Candidate { site, before });
        Stmt {
            kind: StmtKind::Cut,
            site,
        }
    }

    fn inside(&mut self, statement: &mut Stmt) {
        match &mut statement.kind {
            StmtKind::Spawn(spawn) if is_call(&spawn.body) => {}
            StmtKind::Spawn(spawn) => self.body(&mut spawn.body),
            StmtKind::Finish(block) => self.block(block, Around::Once),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.block(then, Around::Once);
                self.block(otherwise, Around::Once);
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
                self.block(body, Around::Loop);
            }
            // A critical section stays in one transaction.
            _ => {}
        }
    }
}

/// For each statement, where it begins in the source, if another can stand in front of it. In
/// `spawn p(a, b)` each argument is a statement of its own before the one that creates the task: only what
/// accesses something first has something in front of it.
fn starts(statements: &[Stmt]) -> Vec<Option<SiteId>> {
    let mut starts = Vec::with_capacity(statements.len());
    let mut arguments = 0;
    for statement in statements {
        if is_argument(statement) {
            arguments += 1;
            starts.push(None);
            continue;
        }
        let from = starts.len() - arguments;
        let access = (from..starts.len()).find(|&row| accesses(&statements[row]));
        starts.push((arguments == 0).then_some(statement.site));
        if let Some(access) = access {
            starts[access] = Some(statement.site);
        }
        arguments = 0;
    }
    starts
}

/// Whether it is an argument of `spawn p(a)`: it stands where its value stands.
fn is_argument(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::SetLocal { value, .. } if value.site == statement.site)
}

/// Whether the value of an argument takes an access or a call.
fn accesses(argument: &Stmt) -> bool {
    let StmtKind::SetLocal { value, .. } = &argument.kind else {
        return false;
    };
    any(value, &|kind| {
        matches!(kind, ExprKind::Load { .. } | ExprKind::Call { .. })
    })
}

/// Whether a transaction ends where this statement stands.
fn ends_transaction(statement: &Stmt) -> bool {
    matches!(
        statement.kind,
        StmtKind::Cut
            | StmtKind::Spawn(_)
            | StmtKind::Sync
            | StmtKind::Finish(_)
            | StmtKind::Satisfy(_)
            | StmtKind::Await(_)
            | StmtKind::AwaitAny(_)
    )
}

/// Whether a task is nothing but a call, as in `spawn p(1)`: there is no place for a statement in it.
fn is_call(body: &Body) -> bool {
    match body.block.as_slice() {
        [only] => {
            matches!(&only.kind, StmtKind::Call(call) if call.site == only.site && body.end == only.site)
        }
        _ => false,
    }
}

/// Whether the statement itself calls a procedure.
fn calls(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Store { place, value, .. } => in_place(place) || in_expr(value),
        StmtKind::SetLocal { value, .. }
        | StmtKind::Call(value)
        | StmtKind::Assert(value)
        | StmtKind::Print(value)
        | StmtKind::Return(Some(value)) => in_expr(value),
        StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => in_expr(condition),
        StmtKind::For { from, to, .. } => in_expr(from) || in_expr(to),
        StmtKind::Read { place, .. } | StmtKind::Write { place, .. } => in_place(place),
        _ => false,
    }
}

fn in_place(place: &Place) -> bool {
    match place {
        Place::Scalar(_) => false,
        Place::Element { index, .. } | Place::Heap { index, .. } => in_expr(index),
    }
}

fn in_expr(expr: &Expr) -> bool {
    any(expr, &|kind| matches!(kind, ExprKind::Call { .. }))
}

/// Whether a part of the expression is such.
fn any(expr: &Expr, is_such: &dyn Fn(&ExprKind) -> bool) -> bool {
    let part = |part: &Expr| any(part, is_such);
    is_such(&expr.kind)
        || match &expr.kind {
            ExprKind::Int(_) | ExprKind::Local(_) => false,
            ExprKind::Load { place, .. } => match place {
                Place::Scalar(_) => false,
                Place::Element { index, .. } | Place::Heap { index, .. } => part(index),
            },
            ExprKind::Call { args, .. } => args.iter().any(part),
            ExprKind::Get(a) | ExprKind::New(a) | ExprKind::Unary(_, a) => part(a),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                part(a) || part(b)
            }
        }
}
