//! Values of a loop as sums: of what stays as it is, and of what grows by the same in every iteration.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::block::{Arith, Exact, Op, Widening};
use super::types::Types;

/// A sum of values, each so many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear<'a> {
    /// The address it starts from, if it is one.
    pub pointer: Option<&'a str>,
    pub terms: BTreeMap<Term<'a>, i64>,
    pub constant: i64,
    /// Whether no part of the sum overflows.
    exact: Exact,
}

/// A value from before the loop, or one that is counted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term<'a> {
    pub value: &'a str,
    /// From what type it is widened.
    pub widened: Option<(Widening, &'a str)>,
}

/// What is counted: a value that grows by the same in every iteration.
#[derive(Clone, Copy, Debug)]
pub struct Counter<'a> {
    /// In the first iteration.
    pub start: &'a str,
    pub step: i64,
    exact: Exact,
}

/// What the lines of a function define: none for what is not understood.
pub type Ops<'a> = HashMap<&'a str, Option<Op<'a>>>;

/// The values of a function, as they are seen from a block of it.
pub struct Values<'a> {
    ops: &'a Ops<'a>,
    types: &'a Types<'a>,
    /// The block, if it is a loop of its own.
    label: &'a str,
    /// What may differ from one iteration to the next.
    inside: HashSet<&'a str>,
    /// None while they are being looked for.
    counters: Option<HashMap<&'a str, Counter<'a>>>,
}

/// As many parts of a sum are looked at.
const BUDGET: u32 = 200;

impl<'a> Values<'a> {
    /// Of the loop `label`, whose lines define what is `inside`.
    pub fn of_loop(
        ops: &'a Ops<'a>,
        types: &'a Types<'a>,
        label: &'a str,
        inside: HashSet<&'a str>,
    ) -> Self {
        let mut values = Self {
            ops,
            types,
            label,
            inside,
            counters: None,
        };
        let names = values.inside.iter();
        let counters = names.filter_map(|name| Some((*name, values.counter_at(name)?)));
        values.counters = Some(counters.collect());
        values
    }

    /// Of a block that is executed once, whatever it is part of.
    pub fn once(ops: &'a Ops<'a>, types: &'a Types<'a>) -> Self {
        Self {
            ops,
            types,
            label: "",
            inside: HashSet::new(),
            counters: Some(HashMap::new()),
        }
    }

    /// What a value is made of; none if that is not known.
    pub fn linear(&self, value: &'a str) -> Option<Linear<'a>> {
        self.sum(value, Kind::Number, &mut { BUDGET })
    }

    /// What an address is made of.
    pub fn address(&self, value: &'a str) -> Option<Linear<'a>> {
        self.sum(value, Kind::Address, &mut { BUDGET })
    }

    /// What `name` is if it is counted.
    pub fn counter(&self, name: &str) -> Option<&Counter<'a>> {
        self.counters.as_ref()?.get(name)
    }

    /// The definition of a value.
    pub fn op(&self, name: &str) -> Option<&'a Op<'a>> {
        self.ops.get(name)?.as_ref()
    }

    /// By how much it grows from one iteration to the next.
    pub fn stride(&self, sum: &Linear<'a>) -> Option<i64> {
        let step = |value: &str| self.counter(value).map_or(0, |counter| counter.step);
        let start = sum.pointer.map_or(0, step);
        let mut terms = sum.terms.iter();
        terms.try_fold(start, |stride, (term, times)| {
            stride.checked_add(step(term.value).checked_mul(*times)?)
        })
    }

    /// What comes from before the loop and from the iteration before.
    fn around(&self, name: &str) -> Option<(&'a str, [&'a str; 2])> {
        let Op::Phi { ty, from } = self.op(name)? else {
            return None;
        };
        let [first, second] = from.as_slice() else {
            return None;
        };
        match (first.1 == self.label, second.1 == self.label) {
            (true, false) => Some((ty, [second.0, first.0])),
            (false, true) => Some((ty, [first.0, second.0])),
            _ => None,
        }
    }

    fn counter_at(&self, name: &'a str) -> Option<Counter<'a>> {
        let (ty, [start, next]) = self.around(name)?;
        let next = self.sum(next, Kind::of(ty), &mut { BUDGET })?;
        let own = Linear::of(name, Kind::of(ty));
        (next.terms == own.terms && next.pointer == own.pointer).then_some(Counter {
            start,
            step: next.constant,
            exact: next.exact,
        })
    }

    fn sum(&self, value: &'a str, kind: Kind, budget: &mut u32) -> Option<Linear<'a>> {
        *budget = budget.checked_sub(1)?;
        if let Ok(number) = value.parse() {
            return (kind == Kind::Number).then(|| Linear::number(number));
        }
        let sum = match self.op(value) {
            Some(Op::Phi { .. }) if self.inside.contains(value) => self.phi(value, kind, budget),
            Some(op) => self.computed(op, budget),
            None => None,
        };
        // A value from elsewhere is what it is.
        let is_value = value.starts_with(['%', '@']) || value.contains('(');
        let is_fixed = is_value && !self.inside.contains(value);
        sum.or_else(|| is_fixed.then(|| Linear::of(value, kind)))
    }

    fn computed(&self, op: &Op<'a>, budget: &mut u32) -> Option<Linear<'a>> {
        match op {
            Op::Sum(op) => self.both(op, budget, 1),
            Op::Difference(op) => self.both(op, budget, -1),
            Op::Product(op) => self.scaled(op, budget, Some),
            Op::Shift(op) => self.scaled(op, budget, |bits| {
                (0..32).contains(&bits).then(|| 1i64 << bits)
            }),
            Op::Element { ty, base, indices } => self.element(ty, base, indices, budget),
            Op::Widen {
                how,
                from,
                value,
                to,
            } => self
                .widened(*how, from, value, budget)
                .filter(|_| *to == "i64"),
            Op::Phi { .. } | Op::Compare { .. } => None,
        }
    }

    /// A value that is counted, or one that is always the same distance from such a one.
    fn phi(&self, name: &'a str, kind: Kind, budget: &mut u32) -> Option<Linear<'a>> {
        if self.counters.is_none() {
            return Some(Linear::of(name, kind));
        }
        if let Some(&Counter { exact, .. }) = self.counter(name) {
            return Some(Linear::of(name, kind).at_best(exact));
        }
        let (_, [start, next]) = self.around(name)?;
        let next = self.sum(next, kind, budget)?;
        let leader = next.only_term().and_then(|term| self.counter(term))?;
        let behind = next.constant.checked_sub(leader.step)?;
        let [start, leader_start]: [i64; 2] = [start.parse().ok()?, leader.start.parse().ok()?];
        (start == leader_start.checked_add(behind)?).then_some(Linear {
            constant: behind,
            ..next
        })
    }

    fn both(&self, op: &Arith<'a>, budget: &mut u32, sign: i64) -> Option<Linear<'a>> {
        let left = self.sum(op.sides[0], Kind::Number, budget)?;
        let right = self.sum(op.sides[1], Kind::Number, budget)?;
        left.plus(&right, sign).map(|sum| sum.at_best(op.exact))
    }

    fn scaled(
        &self,
        op: &Arith<'a>,
        budget: &mut u32,
        by: impl Fn(i64) -> Option<i64>,
    ) -> Option<Linear<'a>> {
        let times = by(op.sides[1].parse().ok()?)?;
        let sum = self.sum(op.sides[0], Kind::Number, budget)?;
        let scaled = Linear::number(0).plus(&sum, times)?;
        Some(scaled.at_best(op.exact))
    }

    fn element(
        &self,
        ty: &'a str,
        base: &'a str,
        indices: &[(&'a str, &'a str)],
        budget: &mut u32,
    ) -> Option<Linear<'a>> {
        let mut sum = self.sum(base, Kind::Address, budget)?;
        let mut whole = ty;
        for (place, &(index_ty, index)) in indices.iter().enumerate() {
            let mut part = whole;
            if place > 0 {
                let (inner, start) = self.types.part(whole, index.parse().unwrap_or(0))?;
                part = inner;
                if !whole_is_repeated(whole) {
                    // A field: its number says where it lies.
                    index.parse::<i64>().ok()?;
                    sum.constant = sum.constant.checked_add(start)?;
                    whole = part;
                    continue;
                }
            }
            let index = match (index.parse(), index_ty) {
                (Ok(number), _) => Linear::number(number),
                (_, "i64") => self.sum(index, Kind::Number, budget)?,
                _ => return None,
            };
            sum = sum.plus(&index, self.types.size(part)?)?;
            whole = part;
        }
        Some(sum)
    }

    fn widened(
        &self,
        how: Widening,
        from: &'a str,
        value: &'a str,
        budget: &mut u32,
    ) -> Option<Linear<'a>> {
        let sum = self.sum(value, Kind::Number, budget)?;
        let how = match how {
            Widening::Signed | Widening::Either if sum.exact.signed => Widening::Signed,
            Widening::Unsigned | Widening::Either if sum.exact.unsigned => Widening::Unsigned,
            _ => return None,
        };
        let is_plain = sum.terms.keys().all(|term| term.widened.is_none());
        let widened = |(term, times): (&Term<'a>, &i64)| {
            let widened = Some((how, from));
            (Term { widened, ..*term }, *times)
        };
        let terms = sum.terms.iter().map(widened).collect();
        (is_plain && sum.pointer.is_none()).then_some(Linear { terms, ..sum })
    }
}

/// An array or a vector has parts of one kind.
fn whole_is_repeated(ty: &str) -> bool {
    ty.starts_with('[') || ty.starts_with('<') && !ty.starts_with("<{")
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Address,
}

impl Kind {
    fn of(ty: &str) -> Self {
        match ty {
            "ptr" => Self::Address,
            _ => Self::Number,
        }
    }
}

impl<'a> Linear<'a> {
    fn number(constant: i64) -> Self {
        Self {
            pointer: None,
            terms: BTreeMap::new(),
            constant,
            exact: Exact::YES,
        }
    }

    /// A value and nothing else.
    fn of(value: &'a str, kind: Kind) -> Self {
        let term = Term {
            value,
            widened: None,
        };
        match kind {
            Kind::Address => Self {
                pointer: Some(value),
                ..Self::number(0)
            },
            Kind::Number => Self {
                terms: [(term, 1)].into(),
                ..Self::number(0)
            },
        }
    }

    /// Whether it is always the same.
    pub fn is(&self, other: &Self) -> bool {
        let all = |sum: &Self| (sum.pointer, sum.constant);
        all(self) == all(other) && self.terms == other.terms
    }

    /// Whether no part of the sum overflows.
    pub fn exact(&self) -> Exact {
        self.exact
    }

    fn only_term(&self) -> Option<&'a str> {
        let mut terms = self.terms.iter();
        match (self.pointer, terms.next(), terms.next()) {
            (None, Some((term, 1)), None) if term.widened.is_none() => Some(term.value),
            _ => None,
        }
    }

    fn at_best(self, exact: Exact) -> Self {
        Self {
            exact: self.exact.and(exact),
            ..self
        }
    }

    /// This, and so many times that.
    fn plus(mut self, other: &Self, times: i64) -> Option<Self> {
        if other.pointer.is_some() {
            return None;
        }
        for (term, own) in &other.terms {
            let sum = self.terms.entry(*term).or_insert(0);
            *sum = sum.checked_add(own.checked_mul(times)?)?;
        }
        self.terms.retain(|_, times| *times != 0);
        let more = other.constant.checked_mul(times)?;
        self.constant = self.constant.checked_add(more)?;
        self.exact = self.exact.and(other.exact);
        Some(self)
    }
}
