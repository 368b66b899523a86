//! Prints places and expressions.

use super::print::{HEAP_LEN, Printer};
use super::scope::{Local, Role};
use super::tree::{Expr, Index, Operator, Place, Sort};

impl Printer<'_> {
    pub(super) fn place(&mut self, place: &Place) -> String {
        match *place {
            Place::Scalar(choice) => self.scalar(choice),
            Place::Element(choice, index) => match pick(self.array_names(), choice) {
                Some((name, len)) => format!("{name}[{}]", self.index(index, len)),
                None => self.scalar(choice),
            },
            Place::Heap(choice, index) => {
                match self.scope.pick(choice, |local| local.sort == Sort::Array) {
                    Some(array) => format!("{}[{}]", array.name, self.index(index, HEAP_LEN)),
                    None => self.scalar(choice),
                }
            }
        }
    }

    fn scalar(&self, choice: u8) -> String {
        pick(self.scalar_names(), choice).unwrap_or("x").to_string()
    }

    fn index(&self, index: Index, len: u8) -> String {
        match index {
            Index::Constant(constant) => (constant % len).to_string(),
            Index::Counter(choice) => match self.scope.pick(choice, is_counter) {
                Some(counter) => format!("{} % {len}", counter.name),
                None => (choice % len).to_string(),
            },
            Index::Load(choice) => format!("({} % {len} + {len}) % {len}", self.scalar(choice)),
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) if *value < 0 => format!("({value})"),
            Expr::Int(value) => value.to_string(),
            Expr::Local(choice) => self.local(*choice),
            Expr::Load(place) => self.place(place),
            Expr::Get(choice) => self.get(*choice),
            Expr::Call(proc, choice) => self
                .call_expr(*proc, *choice)
                .unwrap_or_else(|| choice.to_string()),
            Expr::Negate(operand) => format!("(-{})", self.expr(operand)),
            Expr::Not(operand) => format!("(!{})", self.expr(operand)),
            Expr::Binary(operator, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                match operator {
                    Operator::Plain(symbol) => format!("({left} {symbol} {right})"),
                    Operator::Dividing(symbol) => format!("({left} {symbol} ({right} * 2 + 1))"),
                }
            }
        }
    }

    fn local(&self, choice: u8) -> String {
        let local = self.scope.pick(choice, |local| local.sort == Sort::Integer);
        local.map_or_else(|| (choice % 4).to_string(), |local| local.name)
    }

    fn get(&mut self, choice: u8) -> String {
        let future = self.scope.pick(choice, |local| local.sort == Sort::Handle);
        match future {
            Some(future) if !self.spot.isolated => {
                self.effects.task_operations = true;
                if !choice.is_multiple_of(16) {
                    self.satisfy_awaited();
                }
                format!("get({})", future.name)
            }
            _ => (choice % 4).to_string(),
        }
    }
}

fn is_counter(local: &Local) -> bool {
    local.role == Role::Counter
}

fn pick<T>(names: impl Iterator<Item = T>, choice: u8) -> Option<T> {
    let mut names: Vec<T> = names.collect();
    let index = usize::from(choice).checked_rem(names.len())?;
    Some(names.swap_remove(index))
}
