//! One check of what a block touches side by side, one instruction after the other: what is left of short loops
//! and of copies in line; and one of what it reads and then writes.

use std::ops::Range;

use super::emit::Emitter;
use super::hook::{Hook, in_pairs};
use super::linear::{Ops, Values};
use super::tile::neighbours;
use super::{Changes, Module, is_quiet};

/// Combines checks of the block in these lines, as far as they are still there. Between two of them nothing may be
/// called: others could run in between.
pub fn combine<'a>(
    module: &'a Module<'a>,
    ops: &'a Ops<'a>,
    body: &[&'a str],
    block: Range<usize>,
    prefix: &str,
    changes: &mut Changes,
) {
    let values = Values::once(ops, &module.types);
    let is_left = |line: &usize| !changes.dropped.contains(line);
    let lines: Vec<usize> = block.filter(is_left).collect();
    for (number, lines) in lines.split(|&line| !is_quiet(body[line])).enumerate() {
        let hooks = lines.iter();
        let hooks = hooks.filter_map(|&at| Hook::read(at, body[at], &values, &module.notes));
        let hooks = in_pairs(hooks.collect());
        for (at, run) in neighbours(&hooks).iter().enumerate() {
            let prefix = format!("{prefix}.{number}.{at}");
            let mut emit = Emitter::new(&values, prefix);
            run.write_once(&mut emit);
            let first = run.lines().min().unwrap_or(run.first().line);
            changes.insert(first, emit.finish());
            changes.dropped.extend(run.lines());
        }
        for pair in hooks.iter().filter(|hook| hook.is_paired()) {
            if !changes.dropped.contains(&pair.line) {
                changes.insert(pair.line, vec![pair.call()]);
                changes.dropped.extend(pair.lines());
            }
        }
    }
}
