//! How often a loop goes round, from how it ends.

use super::block::Op;
use super::emit::Emitter;
use super::linear::{Linear, Values};

/// When a loop goes on: while `side`, as it is at the end of an iteration, compares so to `limit`.
pub struct Ending<'a> {
    how: How<'a>,
    ty: &'a str,
    side: Linear<'a>,
    limit: Linear<'a>,
    stride: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How<'a> {
    /// Until they are equal.
    Unequal,
    /// While the first has not reached the second, as numbers with a sign or without.
    Before(&'a str),
    /// While it has not gone past it.
    NotPast(&'a str),
}

/// The last line of a loop.
pub struct Branch<'a> {
    pub condition: &'a str,
    /// Whether the loop goes on where the condition holds.
    pub goes_on: bool,
}

impl<'a> Ending<'a> {
    /// How the loop ends; none if the number of iterations cannot be told from it.
    pub fn of(values: &Values<'a>, branch: &Branch<'a>) -> Option<Self> {
        let Op::Compare { how, ty, sides } = values.op(branch.condition)? else {
            return None;
        };
        let side = |value: &'a str| match *ty {
            "ptr" => values.address(value),
            _ => values.linear(value),
        };
        let [left, right] = [side(sides[0])?, side(sides[1])?];
        let how = if branch.goes_on { how } else { negated(how)? };
        let (how, side, limit) = match (values.stride(&left)?, values.stride(&right)?) {
            (0, 0) => return None,
            (_, 0) => (how, left, right),
            (0, _) => (turned(how), right, left),
            _ => return None,
        };
        let stride = values.stride(&side)?;
        let how = if stride > 0 { how } else { turned(how) };
        let how = match how {
            "ne" => How::Unequal,
            "ult" | "slt" => How::Before(how),
            "ule" | "sle" => How::NotPast(how),
            _ => return None,
        };
        let ending = Self {
            how,
            ty,
            side,
            limit,
            stride,
        };
        ending.is_exact().then_some(ending)
    }

    /// Whether the limit cannot be jumped over by running out of bits.
    fn is_exact(&self) -> bool {
        let exact = self.side.exact();
        match self.how {
            How::Unequal => true,
            How::Before(_) if self.stride.abs() == 1 => true,
            How::Before(how) | How::NotPast(how) => match how {
                "ult" | "ule" => exact.unsigned,
                _ => exact.signed,
            },
        }
    }

    /// Writes the number of iterations, which is at least 1.
    pub fn count(&self, emit: &mut Emitter<'a, '_>) -> String {
        let ty = if self.ty == "ptr" { "i64" } else { self.ty };
        let [side, limit] = [&self.side, &self.limit].map(|sum| match self.ty {
            "ptr" => {
                let address = emit.address(sum);
                emit.op(&format!("ptrtoint ptr {address} to i64"))
            }
            ty => emit.sum(sum, ty),
        });
        let [first, last] = match self.stride > 0 {
            true => [&side, &limit],
            false => [&limit, &side],
        };
        let distance = emit.op(&format!("sub {ty} {last}, {first}"));
        let steps = self.stride.unsigned_abs();
        let distance = match self.how {
            How::Before(_) => emit.op(&format!("sub {ty} {distance}, 1")),
            How::Unequal | How::NotPast(_) => distance,
        };
        let whole = emit.op(&format!("udiv {ty} {distance}, {steps}"));
        let whole = emit.widened(&whole, ty);
        match self.how {
            How::Unequal => emit.op(&format!("add i64 {whole}, 1")),
            How::Before(how) | How::NotPast(how) => {
                // The first iteration may be the last.
                let count = emit.op(&format!("add i64 {whole}, 2"));
                let goes_on = emit.op(&format!("icmp {how} {ty} {first}, {last}"));
                emit.op(&format!("select i1 {goes_on}, i64 {count}, i64 1"))
            }
        }
    }
}

/// What holds where `how` does not.
fn negated(how: &str) -> Option<&'static str> {
    Some(match how {
        "eq" => "ne",
        "ne" => "eq",
        "ult" => "uge",
        "ule" => "ugt",
        "ugt" => "ule",
        "uge" => "ult",
        "slt" => "sge",
        "sle" => "sgt",
        "sgt" => "sle",
        "sge" => "slt",
        _ => return None,
    })
}

/// The same with its sides exchanged.
fn turned(how: &str) -> &str {
    match how {
        "ult" => "ugt",
        "ule" => "uge",
        "ugt" => "ult",
        "uge" => "ule",
        "slt" => "sgt",
        "sle" => "sge",
        "sgt" => "slt",
        "sge" => "sle",
        other => other,
    }
}
