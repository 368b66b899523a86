//! Makes one check of many.
//!
//! A loop that goes over an array makes one check per element, or with vectors per two. Where it is known on
//! entry which elements it will touch, one check of them all, before the loop, says the same: nothing in the
//! loop can order two of its iterations differently towards another task ([`loops`]). So it is with a loop that
//! was unrolled until none was left ([`straight`]). (That checks are better placed where they cover more is the idea
//! of Rhodes, Flanagan and Freund, *BigFoot: Static Check Placement for Dynamic Race Detection*, 2017.)
//!
//! What a task's record holds needs no check at all ([`record`]). Atomic updates whose value is not used are told from
//! others ([`blind`]).
//!
//! This is about code that is optimised and instrumented already, as text. What is not understood is left as it
//! is.

mod blind;
mod block;
mod count;
mod emit;
mod hook;
mod linear;
mod loops;
mod notes;
mod record;
mod straight;
#[cfg(test)]
mod tests;
mod tile;
mod types;
mod uses;

use std::borrow::Cow;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use block::{bare, definition};
use hook::{Hook, in_pairs};
use linear::{Ops, Values};
use notes::Notes;
use record::Entries;
use types::Types;
use uses::Uses;

/// The code, with fewer checks that say the same.
pub fn combined(code: &str) -> String {
    let module = Module {
        types: Types::of(code),
        notes: Notes::of(code),
        entries: Entries::of(code),
    };
    let mut text = String::with_capacity(code.len() + code.len() / 8);
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        push(&mut text, line);
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            let dropped = module.entries.unraceable(line, &body);
            let body: Vec<Cow<str>> = (0..body.len())
                .filter(|at| !dropped.contains(at))
                .map(|at| module.entries.told(body[at]))
                .collect();
            let body: Vec<&str> = body.iter().map(AsRef::as_ref).collect();
            for line in module.function(&body) {
                push(&mut text, &line);
            }
            push(&mut text, "}");
        }
    }
    if let Some(line) = module.entries.declaration() {
        push(&mut text, &line);
    }
    text
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// What all functions of a module share.
struct Module<'a> {
    types: Types<'a>,
    notes: Notes<'a>,
    entries: Entries<'a>,
}

/// What becomes of a function's lines.
#[derive(Default)]
struct Changes {
    dropped: HashSet<usize>,
    replaced: HashMap<usize, String>,
    /// Lines that go before one.
    before: HashMap<usize, Vec<String>>,
}

/// A function's lines.
struct Function<'a> {
    module: &'a Module<'a>,
    body: &'a [&'a str],
    ops: &'a Ops<'a>,
    uses: &'a Uses<'a>,
}

impl<'a> Module<'a> {
    fn function(&self, body: &[&str]) -> Vec<String> {
        let ops = body.iter().filter_map(|line| definition(line)).collect();
        let function = Function {
            module: self,
            body,
            ops: &ops,
            uses: &Uses::of(body),
        };
        let mut changes = Changes::default();
        for (number, block) in blocks(body).into_iter().enumerate() {
            let prefix = format!("heddle.{number}");
            function.hoist(block.clone(), &prefix, &mut changes);
            function.combine(block, &prefix, &mut changes);
        }
        for (at, line) in body.iter().enumerate() {
            if let Some(line) = blind::marked(line, function.uses) {
                changes.replaced.insert(at, line);
            }
        }
        changes.applied(body)
    }
}

impl<'a> Function<'a> {
    /// The hooks in these lines, between which nothing is called.
    fn hooks(&self, lines: impl Iterator<Item = usize>, values: &Values<'a>) -> Vec<Hook<'a>> {
        let notes = &self.module.notes;
        let hooks = lines.filter_map(|line| Hook::read(line, self.body[line], values, notes));
        let is_closed = |read: usize, write: usize| self.uses.is_closed(self.body, read, write);
        in_pairs(hooks.collect(), is_closed)
    }
}

/// The lines of each block, that of its label included if it has one.
fn blocks(body: &[&str]) -> Vec<Range<usize>> {
    let labels = (1..body.len()).filter(|&at| is_label(body[at]));
    let starts: Vec<usize> = std::iter::once(0).chain(labels).collect();
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let blocks = starts.iter().zip(ends);
    blocks.map(|(&start, end)| start..end).collect()
}

fn is_label(line: &str) -> bool {
    !line.starts_with([' ', ';']) && line.contains(':')
}

impl Changes {
    fn current(&self, body: &[&str], at: usize) -> String {
        self.replaced
            .get(&at)
            .cloned()
            .unwrap_or_else(|| body[at].into())
    }

    /// These lines go before the one at `at`.
    fn insert(&mut self, at: usize, lines: Vec<String>) {
        self.before.entry(at).or_default().extend(lines);
    }

    fn applied(mut self, body: &[&str]) -> Vec<String> {
        let mut lines = Vec::with_capacity(body.len());
        for at in 0..body.len() {
            lines.extend(self.before.remove(&at).unwrap_or_default());
            if !self.dropped.contains(&at) {
                lines.push(self.current(body, at));
            }
        }
        lines
    }
}

/// Whether a line neither gives control away nor orders anything: hooks aside, it calls only what the compiler
/// itself computes.
fn is_quiet(line: &str) -> bool {
    let line = bare(line);
    let orders = [
        "fence ",
        " atomic ",
        "cmpxchg ",
        "atomicrmw ",
        "invoke ",
        "callbr ",
    ];
    if orders.iter().any(|word| line.contains(word)) {
        return false;
    }
    let Some((_, called)) = line.split_once("call ") else {
        return true;
    };
    let Some((_, called)) = called.split_once('@') else {
        return false;
    };
    let name = called.split('(').next().unwrap_or("");
    hook::access(name).is_some() || name.starts_with("llvm.") && !name.starts_with("llvm.mem")
}
