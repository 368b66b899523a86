//! Expressions, left to right, each into a register.
//!
//! A local is used where it lies: nothing inside an expression can change it. For the same reason
//! the register an expression is computed into is written last, so it may be a local the
//! expression reads.

use heddle_core::SiteId;

use crate::cuts::Cuts;
use crate::ir::{AccessId, Binary, Expr, ExprKind, Place, ProcId, SharedId, Unary};

use super::super::code::{Delivery, Instruction, Reg, When};
use super::{BodyCompiler, Label};

/// Stands where an instruction has an index field that the place does not use.
const NO_INDEX: Reg = Reg(0);

impl<'p> BodyCompiler<'_, 'p> {
    /// The register that holds the expression's value.
    pub(super) fn operand(&mut self, expr: &'p Expr) -> Reg {
        if let ExprKind::Local(local) = expr.kind {
            return Reg(local.0);
        }
        let to = self.temporary();
        self.value(expr, to);
        to
    }

    /// Computes the expression into `to`.
    pub(super) fn value(&mut self, expr: &'p Expr, to: Reg) {
        let temporaries = self.next_register;
        let site = expr.site;
        match &expr.kind {
            ExprKind::Int(value) => self.emit(Instruction::Int { to, value: *value }, site),
            ExprKind::Local(local) => {
                let from = Reg(local.0);
                self.emit(Instruction::Copy { to, from }, site);
            }
            ExprKind::Load { place, access } => self.load(place, *access, to),
            ExprKind::Get(task) => {
                let from = self.operand(task);
                self.emit(Instruction::Get { to, from }, site);
            }
            ExprKind::Call { proc, args } => self.call(*proc, args, to, site),
            ExprKind::New(len_expr) => {
                let len = self.operand(len_expr);
                let operands = [len_expr.site, len_expr.site];
                self.emit_with_operands(Instruction::New { to, len }, site, operands);
            }
            ExprKind::Unary(operator, a) => self.unary(*operator, a, to),
            ExprKind::Binary(operator, a, b) => self.binary(*operator, [a, b], to, site),
            ExprKind::And(..) | ExprKind::Or(..) => self.truth(expr, to),
        }
        self.next_register = temporaries;
    }

    /// Jumps to `label` if the expression is zero, or is not; else falls through.
    pub(super) fn branch(&mut self, expr: &'p Expr, when: When, label: &mut Label) {
        let temporaries = self.next_register;
        match (&expr.kind, when) {
            (ExprKind::Unary(Unary::Not, a), _) => self.branch(a, when.opposite(), label),
            (ExprKind::And(a, b), When::Zero) | (ExprKind::Or(a, b), When::NotZero) => {
                self.branch(a, when, label);
                self.branch(b, when, label);
            }
            (ExprKind::And(a, b) | ExprKind::Or(a, b), _) => {
                let mut decided = Label::default();
                self.branch(a, when.opposite(), &mut decided);
                self.branch(b, when, label);
                self.bind(&mut decided);
            }
            (ExprKind::Binary(operator, a, b), _) if is_comparison(*operator) => {
                self.compare(negated_on_zero(*operator, when), [a, b], expr.site, label);
            }
            _ => {
                let a = self.operand(expr);
                self.emit_jump(Instruction::Branch { when, a, to: 0 }, expr.site, label);
            }
        }
        self.next_register = temporaries;
    }

    fn compare(&mut self, operator: Binary, sides: [&'p Expr; 2], site: SiteId, label: &mut Label) {
        let [a, b] = sides.map(|side| self.operand(side));
        let operands = sides.map(|side| side.site);
        let pc = self.program.here();
        self.program.code.operands.push((pc, operands));
        let instruction = Instruction::BranchCompare {
            operator,
            a,
            b,
            to: 0,
        };
        self.emit_jump(instruction, site, label);
    }

    /// `&&` and `||` as a value: 0 or 1.
    fn truth(&mut self, expr: &'p Expr, to: Reg) {
        let (mut on_false, mut end) = (Label::default(), Label::default());
        self.branch(expr, When::Zero, &mut on_false);
        self.emit(Instruction::Int { to, value: 1 }, expr.site);
        self.emit_jump(Instruction::Jump { to: 0 }, expr.site, &mut end);
        self.bind(&mut on_false);
        self.emit(Instruction::Int { to, value: 0 }, expr.site);
        self.bind(&mut end);
    }

    fn unary(&mut self, operator: Unary, operand: &'p Expr, to: Reg) {
        if let (Unary::Negate, ExprKind::Int(value)) = (operator, &operand.kind) {
            let value = value.wrapping_neg();
            return self.emit(Instruction::Int { to, value }, operand.site);
        }
        let a = self.operand(operand);
        self.emit(Instruction::Unary { operator, to, a }, operand.site);
    }

    fn binary(&mut self, operator: Binary, sides: [&'p Expr; 2], to: Reg, site: SiteId) {
        let operands = sides.map(|side| side.site);
        let a = self.operand(sides[0]);
        let instruction = match small_constant(sides[1]) {
            Some(b) => Instruction::BinaryConstant { operator, to, a, b },
            None => {
                let b = self.operand(sides[1]);
                Instruction::Binary { operator, to, a, b }
            }
        };
        self.emit_with_operands(instruction, site, operands);
    }

    fn call(&mut self, procedure: ProcId, arguments: &'p [Expr], to: Reg, site: SiteId) {
        let first = Reg(self.next_register);
        for argument in arguments {
            let register = self.temporary();
            self.value(argument, register);
        }
        if arguments.is_empty() {
            self.temporary();
        }
        let procedure = procedure.0;
        self.rule_cut(Cuts::Menier, site);
        self.emit(Instruction::Call { procedure, first }, site);
        self.rule_cut(Cuts::Menier, site);
        if to != first {
            self.emit(Instruction::Copy { to, from: first }, site);
        }
    }

    fn load(&mut self, place: &'p Place, access: AccessId, to: Reg) {
        let info = self.program.access(access);
        let delivery = Delivery::from(info.eliminated);
        let (index, index_site) = self.index(place, info.site);
        let instruction = match place {
            Place::Scalar(shared) => Instruction::LoadScalar {
                to,
                delivery,
                location: self.location(*shared),
            },
            Place::Element { array, .. } => Instruction::LoadElement {
                to,
                delivery,
                array: array.0,
                index,
            },
            Place::Heap { handle, .. } => Instruction::LoadHeap {
                to,
                delivery,
                handle: Reg(handle.0),
                index,
            },
        };
        self.emit_with_operands(instruction, info.site, [index_site, index_site]);
        self.rule_cut(Cuts::Access, info.site);
    }

    /// The register of the place's index, and where the index stands.
    pub(super) fn index(&mut self, place: &'p Place, site: SiteId) -> (Reg, SiteId) {
        match place {
            Place::Scalar(_) => (NO_INDEX, site),
            Place::Element { index, .. } | Place::Heap { index, .. } => {
                (self.operand(index), index.site)
            }
        }
    }

    pub(super) fn location(&self, shared: SharedId) -> u64 {
        self.program.code.shared[shared.0 as usize].start.0
    }
}

/// Whether the value may be something else than an integer.
pub(super) fn may_be_handle(expr: &Expr) -> bool {
    match expr.kind {
        ExprKind::Local(_) | ExprKind::Get(_) | ExprKind::Call { .. } | ExprKind::New(_) => true,
        ExprKind::Int(_)
        | ExprKind::Load { .. }
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::And(..)
        | ExprKind::Or(..) => false,
    }
}

fn small_constant(expr: &Expr) -> Option<i32> {
    match expr.kind {
        ExprKind::Int(value) => i32::try_from(value).ok(),
        _ => None,
    }
}

fn is_comparison(operator: Binary) -> bool {
    negation(operator).is_some()
}

/// The comparison that holds when a branch on `when` is to be taken.
fn negated_on_zero(operator: Binary, when: When) -> Binary {
    match when {
        When::Zero => negation(operator).unwrap_or(operator),
        When::NotZero => operator,
    }
}

/// The comparison that holds exactly when this one does not.
fn negation(operator: Binary) -> Option<Binary> {
    match operator {
        Binary::Equal => Some(Binary::NotEqual),
        Binary::NotEqual => Some(Binary::Equal),
        Binary::Less => Some(Binary::GreaterEqual),
        Binary::LessEqual => Some(Binary::Greater),
        Binary::Greater => Some(Binary::LessEqual),
        Binary::GreaterEqual => Some(Binary::Less),
        _ => None,
    }
}
