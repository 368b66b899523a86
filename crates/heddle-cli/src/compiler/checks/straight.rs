//! One check of what a block touches side by side, one instruction after the other: what is left of short loops
//! and of copies in line; and one of what it reads and then writes.

use std::ops::Range;

use super::emit::Emitter;
use super::linear::Values;
use super::tile::neighbours;
use super::{Changes, Function, is_quiet};

impl Function<'_> {
    /// Combines checks of the block in these lines, as far as they are still there. Between two of them nothing may
    /// be called: others could run in between.
    pub fn combine(&self, block: Range<usize>, prefix: &str, changes: &mut Changes) {
        let values = Values::once(self.ops, &self.module.types);
        let lines: Vec<usize> = block.filter(|at| !changes.dropped.contains(at)).collect();
        let quiet = lines.split(|&at| !is_quiet(self.body[at]));
        for (number, lines) in quiet.enumerate() {
            let hooks = self.hooks(lines.iter().copied(), &values);
            for (at, run) in neighbours(&hooks).iter().enumerate() {
                let mut emit = Emitter::new(&values, format!("{prefix}.{number}.{at}"));
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
}
