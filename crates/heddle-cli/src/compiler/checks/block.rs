//! What the lines of a basic block say, as far as loops need to know.

/// What an instruction computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op<'a> {
    /// Its values, and the blocks they come from.
    Phi {
        ty: &'a str,
        from: Vec<(&'a str, &'a str)>,
    },
    /// Whole numbers.
    Sum(Arith<'a>),
    Difference(Arith<'a>),
    Product(Arith<'a>),
    /// To the left.
    Shift(Arith<'a>),
    /// The address of an element.
    Element {
        ty: &'a str,
        base: &'a str,
        indices: Vec<(&'a str, &'a str)>,
    },
    /// To more bits.
    Widen {
        how: Widening,
        from: &'a str,
        value: &'a str,
        to: &'a str,
    },
    Compare {
        how: &'a str,
        ty: &'a str,
        sides: [&'a str; 2],
    },
}

/// Operands, and whether the result is known to be that of whole numbers without bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arith<'a> {
    pub ty: &'a str,
    pub sides: [&'a str; 2],
    pub exact: Exact,
}

/// Whether a computation is known not to overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    pub signed: bool,
    pub unsigned: bool,
}

impl Exact {
    pub const YES: Self = Self {
        signed: true,
        unsigned: true,
    };

    pub fn and(self, other: Self) -> Self {
        Self {
            signed: self.signed && other.signed,
            unsigned: self.unsigned && other.unsigned,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Widening {
    Signed,
    Unsigned,
    /// What is not negative.
    Either,
}

/// A line without what is attached to it.
pub fn bare(line: &str) -> &str {
    let line = line.split_once(", !").map_or(line, |(line, _)| line);
    line.trim()
}

/// What a line defines, and as what if that is understood.
pub fn definition(line: &str) -> Option<(&str, Option<Op<'_>>)> {
    let (name, rest) = assignment(line)?;
    Some((name, op(rest)))
}

/// The name of what a line defines.
pub fn defined(line: &str) -> Option<&str> {
    assignment(line).map(|(name, _)| name)
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let sides = bare(line).split_once(" = ")?;
    sides.0.starts_with('%').then_some(sides)
}

fn op(text: &str) -> Option<Op<'_>> {
    let (word, operands) = text.split_once(' ')?;
    Some(match word {
        "phi" => phi(operands)?,
        "add" => Op::Sum(arith(operands)?),
        "or" => Op::Sum(disjoint(operands)?),
        "sub" => Op::Difference(arith(operands)?),
        "mul" => Op::Product(arith(operands)?),
        "shl" => Op::Shift(arith(operands)?),
        "getelementptr" => element(operands)?,
        "zext" | "sext" => widen(word, operands)?,
        "icmp" => compare(operands)?,
        _ => return None,
    })
}

/// The parts between commas that are in no brackets.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    text.split(move |letter| {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .map(str::trim)
}

fn phi(operands: &str) -> Option<Op<'_>> {
    let (ty, rest) = operands.split_once(' ')?;
    let from = parts(rest).map(|pair| {
        let inner = pair.strip_prefix('[')?.strip_suffix(']')?;
        let (value, label) = inner.rsplit_once(',')?;
        Some((value.trim(), label.trim()))
    });
    let from = from.collect::<Option<_>>()?;
    is_plain(ty).then_some(Op::Phi { ty, from })
}

fn arith(operands: &str) -> Option<Arith<'_>> {
    let (left, right) = operands.split_once(", ")?;
    let mut words = left.rsplit(' ');
    let (side, ty) = (words.next()?, words.next()?);
    let flags: Vec<&str> = words.collect();
    let exact = Exact {
        signed: flags.contains(&"nsw"),
        unsigned: flags.contains(&"nuw"),
    };
    is_plain(ty).then_some(Arith {
        ty,
        sides: [side, right],
        exact,
    })
}

/// Of numbers that have no bit in common: a sum.
fn disjoint(operands: &str) -> Option<Arith<'_>> {
    let sum = arith(operands.strip_prefix("disjoint ")?)?;
    Some(Arith {
        exact: Exact::YES,
        ..sum
    })
}

fn element(operands: &str) -> Option<Op<'_>> {
    let mut all = parts(operands);
    let mut ty = all.next()?;
    for flag in ["inbounds ", "nusw ", "nuw "] {
        ty = ty.strip_prefix(flag).unwrap_or(ty);
    }
    let base = all.next()?.strip_prefix("ptr ")?;
    let indices = all
        .map(|index| index.split_once(' '))
        .collect::<Option<_>>()?;
    Some(Op::Element { ty, base, indices })
}

fn widen<'a>(word: &str, operands: &'a str) -> Option<Op<'a>> {
    let (left, to) = operands.split_once(" to ")?;
    let mut words = left.rsplit(' ');
    let (value, from) = (words.next()?, words.next()?);
    let how = match (word, words.next()) {
        ("sext", _) => Widening::Signed,
        (_, Some("nneg")) => Widening::Either,
        _ => Widening::Unsigned,
    };
    is_plain(from).then_some(Op::Widen {
        how,
        from,
        value,
        to,
    })
}

fn compare(operands: &str) -> Option<Op<'_>> {
    let (left, right) = operands.split_once(", ")?;
    let mut words = left.rsplit(' ');
    let (side, ty, how) = (words.next()?, words.next()?, words.next()?);
    is_plain(ty).then_some(Op::Compare {
        how,
        ty,
        sides: [side, right],
    })
}

/// A whole number or an address.
fn is_plain(ty: &str) -> bool {
    matches!(ty, "i8" | "i16" | "i32" | "i64" | "ptr")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let line = "  %9 = add nuw nsw i64 %204, -1, !dbg !5";
        let sum = Arith {
            ty: "i64",
            sides: ["%204", "-1"],
            exact: Exact::YES,
        };
        assert_eq!(definition(line), Some(("%9", Some(Op::Sum(sum)))));
        let line = "  %x = getelementptr inbounds nuw [4 x { i8, i8 }], ptr @a, i64 0, i64 %i";
        let element = Op::Element {
            ty: "[4 x { i8, i8 }]",
            base: "@a",
            indices: vec![("i64", "0"), ("i64", "%i")],
        };
        assert_eq!(definition(line), Some(("%x", Some(element))));
        let line = "  %1 = phi ptr [ getelementptr (i8, ptr @a, i64 8), %2 ], [ %3, %4 ]";
        let from = vec![("getelementptr (i8, ptr @a, i64 8)", "%2"), ("%3", "%4")];
        let phi = Op::Phi { ty: "ptr", from };
        assert_eq!(definition(line), Some(("%1", Some(phi))));
    }

    #[test]
    fn what_is_not_understood_is_nothing_in_particular() {
        for line in [
            "  %1 = add <2 x i64> %2, %3",
            "  %1 = or i64 %2, 1",
            "  %1 = load i64, ptr %2",
            "  %1 = getelementptr double, <2 x ptr> %2, i64 1",
            "  %1 = phi <2 x i64> [ zeroinitializer, %2 ]",
        ] {
            assert_eq!(definition(line), Some(("%1", None)), "{line}");
        }
        assert_eq!(definition("  store i64 1, ptr %2"), None);
        assert_eq!(definition(""), None);
    }
}
