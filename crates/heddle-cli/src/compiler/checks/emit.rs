//! Writes what a loop computes in its first iteration, before the loop.

use super::block::Widening;
use super::linear::{Linear, Values};

/// Lines of code, in a block of their own.
pub struct Emitter<'a, 'v> {
    values: &'v Values<'a>,
    /// Distinguishes the names from all others.
    prefix: String,
    lines: Vec<String>,
    count: usize,
}

impl<'a, 'v> Emitter<'a, 'v> {
    /// None yet; names begin with `prefix`.
    pub fn new(values: &'v Values<'a>, prefix: String) -> Self {
        Self {
            values,
            prefix,
            lines: Vec::new(),
            count: 0,
        }
    }

    /// The lines.
    pub fn finish(self) -> Vec<String> {
        self.lines
    }

    /// A line without a result.
    pub fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// The name of what an instruction computes.
    pub fn op(&mut self, instruction: &str) -> String {
        let name = format!("%{}.{}", self.prefix, self.count);
        self.count += 1;
        self.lines.push(format!("  {name} = {instruction}"));
        name
    }

    /// A count of any type, with 64 bits.
    pub fn widened(&mut self, value: &str, ty: &str) -> String {
        match ty {
            "i64" => value.into(),
            _ => self.op(&format!("zext {ty} {value} to i64")),
        }
    }

    /// A sum of type `ty` in the first iteration.
    pub fn sum(&mut self, sum: &Linear<'a>, ty: &str) -> String {
        let mut total = fitted(sum.constant, ty).to_string();
        for (term, times) in &sum.terms {
            let mut value = self.start(term.value).to_string();
            if let Some((how, from)) = term.widened {
                let how = match how {
                    Widening::Signed => "sext",
                    Widening::Unsigned | Widening::Either => "zext",
                };
                value = self.op(&format!("{how} {from} {value} to {ty}"));
            }
            if *times != 1 {
                let times = fitted(*times, ty);
                value = self.op(&format!("mul {ty} {value}, {times}"));
            }
            total = match total.as_str() {
                "0" => value,
                _ => self.op(&format!("add {ty} {total}, {value}")),
            };
        }
        total
    }

    /// An address in the first iteration.
    pub fn address(&mut self, sum: &Linear<'a>) -> String {
        let base = sum.pointer.map_or("null", |pointer| self.start(pointer));
        match self.sum(sum, "i64").as_str() {
            "0" => base.into(),
            bytes => self.op(&format!("getelementptr i8, ptr {base}, i64 {bytes}")),
        }
    }

    /// What a value is in the first iteration.
    fn start(&self, value: &'a str) -> &'a str {
        let counter = self.values.counter(value);
        counter.map_or(value, |counter| counter.start)
    }
}

/// A number, with as many bits as the type has.
fn fitted(number: i64, ty: &str) -> i64 {
    match ty {
        "i8" => i64::from(number as i8),
        "i16" => i64::from(number as i16),
        "i32" => i64::from(number as i32),
        _ => number,
    }
}
