//! Takes out moved checks that turned out superfluous, and zero-trip tests left without a check.
//!
//! A check moved in front of an inner loop may be moved on in front of the outer one, or be covered
//! by another access of its strand. Its row is marked then, like that of any access; but unlike an
//! access it does nothing else, so nothing of it needs to stay in the code.

use crate::ir::{AccessInfo, Body, Program, Stmt, StmtKind};

pub(super) fn apply(program: &mut Program) {
    let accesses = &program.accesses;
    body(&mut program.main, accesses);
    for proc in &mut program.procs {
        body(&mut proc.body, accesses);
    }
}

fn body(body: &mut Body, accesses: &[AccessInfo]) {
    block(&mut body.block, accesses);
}

fn block(stmts: &mut Vec<Stmt>, accesses: &[AccessInfo]) {
    stmts.retain_mut(|stmt| keep(stmt, accesses));
}

fn keep(stmt: &mut Stmt, accesses: &[AccessInfo]) -> bool {
    match &mut stmt.kind {
        StmtKind::Check { access, .. } => {
            let row = accesses.get(access.0 as usize);
            return row.is_some_and(|info| info.eliminated.is_none());
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            // What was written in the program is more than checks and never becomes empty.
            let empty_before = then.is_empty();
            block(then, accesses);
            block(otherwise, accesses);
            return empty_before || !then.is_empty();
        }
        StmtKind::Spawn(spawn) => body(&mut spawn.body, accesses),
        StmtKind::Finish(inner)
        | StmtKind::Isolated(inner)
        | StmtKind::With(_, inner)
        | StmtKind::While { body: inner, .. }
        | StmtKind::For { body: inner, .. } => block(inner, accesses),
        _ => {}
    }
    true
}
