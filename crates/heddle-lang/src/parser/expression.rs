//! Expressions, by precedence climbing.
//!
//! Chains of one operator lean to the left and are built in a loop, so their length costs no
//! recursion here; but the tree gets as high as the chain is long, and is bounded for those who
//! walk it.

use super::{Parse, Parser};
use crate::ast::{Call, Expr, ExprKind as Kind, Operator};
use crate::diagnostic::{Diagnostic, join};
use crate::ir::{Binary, Unary};
use crate::lexer::{Keyword, Symbol, TokenKind, out_of_range};
use heddle_core::Site;

/// How high an expression tree may grow.
const HIGHEST: u32 = 500;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Operand,
}

impl Level {
    fn tighter(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Operand => Self::Operand,
        }
    }
}

fn operator(kind: TokenKind) -> Option<(Operator, Level)> {
    let TokenKind::Symbol(symbol) = kind else {
        return None;
    };
    Some(match symbol {
        Symbol::OrOr => (Operator::Or, Level::Or),
        Symbol::AndAnd => (Operator::And, Level::And),
        Symbol::EqualEqual => (Operator::Strict(Binary::Equal), Level::Comparison),
        Symbol::NotEqual => (Operator::Strict(Binary::NotEqual), Level::Comparison),
        Symbol::Less => (Operator::Strict(Binary::Less), Level::Comparison),
        Symbol::LessEqual => (Operator::Strict(Binary::LessEqual), Level::Comparison),
        Symbol::Greater => (Operator::Strict(Binary::Greater), Level::Comparison),
        Symbol::GreaterEqual => (Operator::Strict(Binary::GreaterEqual), Level::Comparison),
        Symbol::Plus => (Operator::Strict(Binary::Add), Level::Sum),
        Symbol::Minus => (Operator::Strict(Binary::Subtract), Level::Sum),
        Symbol::Star => (Operator::Strict(Binary::Multiply), Level::Product),
        Symbol::Slash => (Operator::Strict(Binary::Divide), Level::Product),
        Symbol::Percent => (Operator::Strict(Binary::Remainder), Level::Product),
        _ => return None,
    })
}

impl<'s> Parser<'_, 's, '_> {
    pub(super) fn expression(&mut self) -> Parse<Expr<'s>> {
        self.nested(|parser| parser.operation(Level::Or))
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`.
    fn operation(&mut self, loosest: Level) -> Parse<Expr<'s>> {
        let mut left = self.operand()?;
        let mut previous = None;
        while let Some((operator, level)) = operator(self.peek().kind) {
            if level < loosest {
                break;
            }
            if level == Level::Comparison && previous == Some(level) {
                return Err(self.chained_comparison());
            }
            previous = Some(level);
            self.advance();
            let right = self.nested(|parser| parser.operation(level.tighter()))?;
            left = self.combine(operator, left, right)?;
        }
        Ok(left)
    }

    fn chained_comparison(&mut self) -> super::Failed {
        let token = self.peek();
        let message = "comparisons cannot be chained";
        let diagnostic = Diagnostic::new(token.site, message, "a second comparison");
        self.report(diagnostic.help("write `a < b && b < c`, or use parentheses"));
        super::Failed
    }

    fn combine(&mut self, operator: Operator, left: Expr<'s>, right: Expr<'s>) -> Parse<Expr<'s>> {
        let site = join(left.site, right.site);
        let below = left.height.max(right.height);
        self.expr(
            site,
            below,
            Kind::Binary(operator, Box::new(left), Box::new(right)),
        )
    }

    /// The expression on top of subtrees of height `below`, if it is not too high.
    fn expr(&mut self, site: Site, below: u32, kind: Kind<'s>) -> Parse<Expr<'s>> {
        if below >= HIGHEST {
            return Err(self.too_deep("expression too long: split it with `let`", HIGHEST));
        }
        let height = below + 1;
        Ok(Expr { kind, site, height })
    }

    fn operand(&mut self) -> Parse<Expr<'s>> {
        let token = self.peek();
        match token.kind {
            TokenKind::Int(value) => self.integer(value),
            TokenKind::Symbol(Symbol::Minus) => self.nested(Self::negation),
            TokenKind::Symbol(Symbol::Not) => self.nested(Self::complement),
            TokenKind::Symbol(Symbol::OpenParen) => self.parenthesised(),
            TokenKind::Keyword(Keyword::Get) => self.get(),
            TokenKind::Keyword(Keyword::New) => self.new_array(),
            TokenKind::Name => self.named(),
            _ => Err(self.unexpected("an expression", None)),
        }
    }

    fn integer(&mut self, value: u64) -> Parse<Expr<'s>> {
        let token = self.peek();
        let Ok(value) = i64::try_from(value) else {
            self.report(out_of_range(&token));
            return Err(super::Failed);
        };
        self.advance();
        self.expr(token.site, 0, Kind::Int(value))
    }

    fn negation(&mut self) -> Parse<Expr<'s>> {
        let first = self.advance().site;
        // The smallest integer: its digits alone are out of range.
        if self.peek().kind == TokenKind::Int(i64::MIN.unsigned_abs()) {
            let site = join(first, self.advance().site);
            return self.expr(site, 0, Kind::Int(i64::MIN));
        }
        self.unary(first, Unary::Negate)
    }

    fn complement(&mut self) -> Parse<Expr<'s>> {
        let first = self.advance().site;
        self.unary(first, Unary::Not)
    }

    fn unary(&mut self, first: Site, operator: Unary) -> Parse<Expr<'s>> {
        let inner = self.operand()?;
        let site = join(first, inner.site);
        self.expr(site, inner.height, Kind::Unary(operator, Box::new(inner)))
    }

    fn parenthesised(&mut self) -> Parse<Expr<'s>> {
        let first = self.advance().site;
        let inner = self.expression()?;
        let last = self.expect(Symbol::CloseParen)?;
        let site = join(first, last);
        Ok(Expr { site, ..inner })
    }

    fn get(&mut self) -> Parse<Expr<'s>> {
        let first = self.advance().site;
        self.rest_of_get(first)
    }

    pub(super) fn rest_of_get(&mut self, first: Site) -> Parse<Expr<'s>> {
        self.expect(Symbol::OpenParen)?;
        let inner = self.expression()?;
        let last = self.expect(Symbol::CloseParen)?;
        self.expr(join(first, last), inner.height, Kind::Get(Box::new(inner)))
    }

    fn new_array(&mut self) -> Parse<Expr<'s>> {
        let first = self.advance().site;
        self.expect(Symbol::OpenBracket)?;
        let len = self.expression()?;
        let last = self.expect(Symbol::CloseBracket)?;
        self.expr(join(first, last), len.height, Kind::New(Box::new(len)))
    }

    /// A call or a mention.
    pub(super) fn named(&mut self) -> Parse<Expr<'s>> {
        if self.peek_second().kind == TokenKind::Symbol(Symbol::OpenParen) {
            let call = self.call()?;
            let below = call.args.iter().map(|arg| arg.height).max().unwrap_or(0);
            return self.expr(call.site, below, Kind::Call(call));
        }
        let mention = self.mention()?;
        let below = mention.index.as_ref().map_or(0, |index| index.height);
        self.expr(mention.site, below, Kind::Mention(mention))
    }

    /// `p(a, b)`
    pub(super) fn call(&mut self) -> Parse<Call<'s>> {
        let name = self.name("a procedure's name")?;
        self.expect(Symbol::OpenParen)?;
        let mut args = Vec::new();
        if !self.at(Symbol::CloseParen) {
            args.push(self.expression()?);
            while self.take(Symbol::Comma) {
                args.push(self.expression()?);
            }
        }
        let last = self.expect(Symbol::CloseParen)?;
        let site = join(name.site, last);
        Ok(Call { name, args, site })
    }
}
