//! Statements.

use heddle_core::{AccessKind, SiteId};

use crate::cuts::Cuts;
use crate::ir::{AccessId, Expr, LocalId, Place, Spawn, Stmt, StmtKind};

use super::super::code::{Delivery, Instruction, Reg, SpawnCode, SyncInFinish, When};
use super::expression::may_be_handle;
use super::{BodyCompiler, Enclosing, Label, NOT_COMPILED};

impl<'p> BodyCompiler<'_, 'p> {
    pub(super) fn block(&mut self, statements: &'p [Stmt]) {
        for statement in statements {
            let temporaries = self.next_register;
            self.statement(statement);
            self.next_register = temporaries;
        }
    }

    fn statement(&mut self, statement: &'p Stmt) {
        let site = statement.site;
        match &statement.kind {
            StmtKind::Spawn(spawn) => self.spawn(spawn, site),
            StmtKind::Finish(body) => self.enclosed(Enclosing::Finish(site), body),
            StmtKind::Isolated(body) => self.enclosed(Enclosing::Isolated(site), body),
            StmtKind::With(lock, body) => self.enclosed(Enclosing::With(*lock, site), body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise),
            StmtKind::While { condition, body } => self.while_loop(condition, body),
            StmtKind::For {
                local,
                from,
                to,
                body,
            } => self.for_loop(*local, [from, to], body, site),
            _ => self.simple(statement),
        }
    }

    /// Statements without blocks.
    fn simple(&mut self, statement: &'p Stmt) {
        let site = statement.site;
        match &statement.kind {
            StmtKind::Store {
                place,
                value,
                access,
            } => self.store(place, value, *access),
            StmtKind::SetLocal { local, name, value } => {
                let a = Reg(local.0);
                self.value(value, a);
                if may_be_handle(value) {
                    self.emit(Instruction::Name { a, name: *name }, site);
                }
            }
            StmtKind::Read { place, access } => self.touch(place, *access, None),
            StmtKind::Write { place, access } => self.touch(place, *access, None),
            StmtKind::Check { place, access } => self.touch(place, *access, Some(Delivery::Moved)),
            StmtKind::Call(call) => {
                self.operand(call);
            }
            StmtKind::Return(value) => self.leave(value.as_ref(), site),
            StmtKind::Assert(value) => {
                let a = self.operand(value);
                let operands = [value.site, value.site];
                self.emit_with_operands(Instruction::Assert { a }, site, operands);
            }
            StmtKind::Print(value) => {
                let a = self.operand(value);
                self.emit(Instruction::Print { a }, value.site);
            }
            StmtKind::Sync => self.sync(site),
            StmtKind::Cut if self.program.cuts == Cuts::None => {}
            StmtKind::Release(lock) => {
                self.emit(Instruction::Release { lock: *lock }, site);
                self.section_end(site);
            }
            _ => {
                if let Some(instruction) = lone_instruction(&statement.kind) {
                    self.emit(instruction, site);
                }
            }
        }
    }

    fn spawn(&mut self, spawn: &'p Spawn, site: SiteId) {
        let row = self.program.code.spawns.len();
        let number = u32::try_from(row).expect("fewer spawns than source bytes");
        self.program.code.spawns.push(SpawnCode {
            kind: spawn.kind,
            name: spawn.name,
            handle: spawn.handle.map(|local| Reg(local.0)),
            captures: spawn
                .captures
                .iter()
                .map(|capture| (Reg(capture.from.0), Reg(capture.to.0)))
                .collect(),
            after: spawn.after.clone(),
            region: spawn.region,
            passing: spawn.passing,
            entry: NOT_COMPILED,
        });
        self.program.waiting.push_back((row, &spawn.body));
        self.emit(Instruction::Spawn { spawn: number }, site);
    }

    fn enclosed(&mut self, enclosing: Enclosing, body: &'p [Stmt]) {
        self.enter(enclosing);
        self.enclosing.push(enclosing);
        self.block(body);
        self.enclosing.pop();
        self.exit(enclosing);
    }

    fn enter(&mut self, enclosing: Enclosing) {
        match enclosing {
            Enclosing::Finish(site) => self.emit(Instruction::FinishBegin, site),
            Enclosing::Isolated(site) => self.emit(Instruction::EnterIsolated, site),
            Enclosing::With(lock, site) => self.emit(Instruction::Acquire { lock }, site),
        }
    }

    fn exit(&mut self, enclosing: Enclosing) {
        match enclosing {
            Enclosing::Finish(site) => self.emit(Instruction::FinishEnd, site),
            Enclosing::Isolated(site) => self.emit(Instruction::LeaveIsolated, site),
            Enclosing::With(lock, site) => self.emit(Instruction::Release { lock }, site),
        }
        if let Enclosing::Isolated(site) | Enclosing::With(_, site) = enclosing {
            self.section_end(site);
        }
    }

    /// Accesses of a critical section are not cut apart, but from what follows they are.
    fn section_end(&mut self, site: SiteId) {
        self.rule_cut(Cuts::Access, site);
    }

    /// `return`: leaves the blocks around it from the inside out, then the body.
    fn leave(&mut self, value: Option<&'p Expr>, site: SiteId) {
        if let Some(value) = value {
            self.value(value, self.result);
        }
        for depth in (0..self.enclosing.len()).rev() {
            self.exit(self.enclosing[depth]);
        }
        let mut epilogue = std::mem::take(&mut self.epilogue);
        self.emit_jump(Instruction::Jump { to: 0 }, site, &mut epilogue);
        self.epilogue = epilogue;
    }

    fn sync(&mut self, site: SiteId) {
        let in_finish = |block: &Enclosing| matches!(block, Enclosing::Finish(_));
        if self.enclosing.iter().any(in_finish) {
            self.program.code.sync_in_finish = SyncInFinish::Somewhere;
        }
        self.emit(Instruction::Sync, site);
    }

    fn conditional(&mut self, condition: &'p Expr, then: &'p [Stmt], otherwise: &'p [Stmt]) {
        let mut on_false = Label::default();
        self.branch(condition, When::Zero, &mut on_false);
        self.block(then);
        if otherwise.is_empty() {
            return self.bind(&mut on_false);
        }
        let mut end = Label::default();
        self.emit_jump(Instruction::Jump { to: 0 }, condition.site, &mut end);
        self.bind(&mut on_false);
        self.block(otherwise);
        self.bind(&mut end);
    }

    /// The test stands at the end, so that an iteration jumps once.
    fn while_loop(&mut self, condition: &'p Expr, body: &'p [Stmt]) {
        let (mut test, mut top) = (Label::default(), Label::default());
        self.emit_jump(Instruction::Jump { to: 0 }, condition.site, &mut test);
        self.bind(&mut top);
        self.block(body);
        self.rule_cut(Cuts::Menier, condition.site);
        self.bind(&mut test);
        self.branch(condition, When::NotZero, &mut top);
    }

    fn for_loop(&mut self, local: LocalId, range: [&'p Expr; 2], body: &'p [Stmt], site: SiteId) {
        let counter = self.temporary();
        let limit = self.temporary();
        for (bound, a) in range.into_iter().zip([counter, limit]) {
            self.value(bound, a);
            if may_be_handle(bound) {
                self.emit(Instruction::NeedInteger { a }, bound.site);
            }
        }
        let (mut test, mut top) = (Label::default(), Label::default());
        self.emit_jump(Instruction::Jump { to: 0 }, site, &mut test);
        self.bind(&mut top);
        self.block(body);
        self.rule_cut(Cuts::Menier, site);
        self.bind(&mut test);
        let local = Reg(local.0);
        let count = Instruction::Count {
            counter,
            local,
            to: 0,
        };
        self.emit_jump(count, site, &mut top);
    }

    fn store(&mut self, place: &'p Place, value: &'p Expr, access: AccessId) {
        let info = self.program.access(access);
        let delivery = Delivery::from(info.eliminated);
        let (index, index_site) = self.index(place, info.site);
        let from = self.operand(value);
        let instruction = match place {
            Place::Scalar(shared) => Instruction::StoreScalar {
                from,
                delivery,
                location: self.location(*shared),
            },
            Place::Element { array, .. } => Instruction::StoreElement {
                from,
                delivery,
                array: array.0,
                index,
            },
            Place::Heap { handle, .. } => Instruction::StoreHeap {
                from,
                delivery,
                handle: Reg(handle.0),
                index,
            },
        };
        self.emit_with_operands(instruction, info.site, [index_site, value.site]);
        self.rule_cut(Cuts::Access, info.site);
    }

    /// An access that leaves the value alone, delivered as its row says or as told.
    fn touch(&mut self, place: &'p Place, access: AccessId, told: Option<Delivery>) {
        let info = self.program.access(access);
        let delivery = told.unwrap_or(Delivery::from(info.eliminated));
        let (index, index_site) = self.index(place, info.site);
        let instruction = match (info.kind, place) {
            (AccessKind::Read, Place::Scalar(shared)) => Instruction::ReadScalar {
                delivery,
                location: self.location(*shared),
            },
            (AccessKind::Write, Place::Scalar(shared)) => Instruction::WriteScalar {
                delivery,
                location: self.location(*shared),
            },
            (AccessKind::Read, Place::Element { array, .. }) => Instruction::ReadElement {
                delivery,
                array: array.0,
                index,
            },
            (AccessKind::Write, Place::Element { array, .. }) => Instruction::WriteElement {
                delivery,
                array: array.0,
                index,
            },
            (AccessKind::Read, Place::Heap { handle, .. }) => Instruction::ReadHeap {
                delivery,
                handle: Reg(handle.0),
                index,
            },
            (AccessKind::Write, Place::Heap { handle, .. }) => Instruction::WriteHeap {
                delivery,
                handle: Reg(handle.0),
                index,
            },
        };
        self.emit_with_operands(instruction, info.site, [index_site, index_site]);
        self.rule_cut(Cuts::Access, info.site);
    }
}

/// Statements that are one instruction without operands.
fn lone_instruction(kind: &StmtKind) -> Option<Instruction> {
    match *kind {
        StmtKind::Satisfy(token) => Some(Instruction::Satisfy { token }),
        StmtKind::Await(region) => Some(Instruction::Await { region }),
        StmtKind::AwaitAny(region) => Some(Instruction::AwaitAny { region }),
        StmtKind::Acquire(lock) => Some(Instruction::Acquire { lock }),
        StmtKind::Cut => Some(Instruction::Cut),
        _ => None,
    }
}
