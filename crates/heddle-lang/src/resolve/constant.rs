//! Values known before the program runs: initial values and lengths of shared variables.

use super::Resolver;
use crate::ast::{Expr, ExprKind, Operator};
use crate::ir::Unary;
use heddle_core::Site;

impl<'s> Resolver<'s, '_> {
    /// The value of a constant expression; reported if it is none.
    pub(super) fn constant(&mut self, expr: &Expr<'s>) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Unary(Unary::Negate, inner) => Some(self.constant(inner)?.wrapping_neg()),
            ExprKind::Unary(Unary::Not, inner) => Some(i64::from(self.constant(inner)? == 0)),
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                self.constant_binary(expr.site, *operator, left, right)
            }
            _ => {
                let message = "the value must be known before the program runs";
                let help = "use integers and operators only; assign the rest in a statement";
                self.report_with_help(expr.site, message, "not a constant", help);
                None
            }
        }
    }

    fn constant_binary(
        &mut self,
        site: Site,
        operator: Operator,
        left: i64,
        right: i64,
    ) -> Option<i64> {
        let value = match operator {
            Operator::And => Some(i64::from(left != 0 && right != 0)),
            Operator::Or => Some(i64::from(left != 0 || right != 0)),
            Operator::Strict(binary) => binary.apply(left, right),
        };
        if value.is_none() {
            self.report(site, "division by zero", "has no value");
        }
        value
    }
}
