//! Checks before a loop instead of in it.
//!
//! A loop, here, is a single block that ends in a branch to itself, counts, and calls nothing; what it touches is
//! contiguous, or always the same. Any other is left as it is.

use std::ops::Range;

use super::block::{bare, defined};
use super::count::{Branch, Ending};
use super::emit::Emitter;
use super::hook::Hook;
use super::linear::Values;
use super::tile::{Run, sorted_out};
use super::{Changes, Function, is_quiet};

/// A block that branches to itself.
struct Loop<'a> {
    /// As operands have it.
    label: &'a str,
    /// The line of its label, and the one after its last.
    lines: Range<usize>,
    branch: Branch<'a>,
    /// The line from which it is entered.
    entered: usize,
}

impl<'a> Function<'a> {
    /// Takes checks out of the block in these lines, if it is a loop of more than a few iterations.
    pub fn hoist(&self, block: Range<usize>, prefix: &str, changes: &mut Changes) {
        let is_long = |of: &Loop| !self.module.notes.is_short(self.body[of.lines.end - 1]);
        let Some(of) = Loop::at(self.body, block).filter(is_long) else {
            return;
        };
        let lines = of.lines.start + 1..of.lines.end;
        let inside = self.body[lines.clone()].iter();
        let inside = inside.filter_map(|line| defined(line)).collect();
        let values = Values::of_loop(self.ops, &self.module.types, of.label, inside);
        let Some(ending) = Ending::of(&values, &of.branch) else {
            return;
        };
        let (runs, same) = sorted_out(self.hooks(lines, &values));
        if runs.is_empty() && same.is_empty() {
            return;
        }
        let mut emit = Emitter::new(&values, prefix.into());
        let count = ending.count(&mut emit);
        write_runs(&runs, &count, &mut emit);
        let last = write_same(&same, &count, &mut emit, prefix);
        emit.line(format!("  br label {}", of.label));
        changes.dropped.extend(runs.iter().flat_map(Run::lines));
        let same = same.iter().flatten();
        changes.dropped.extend(same.flat_map(Hook::lines));
        changes.enter(self.body, &of, prefix, &last, emit.finish());
    }
}

/// Checks of what the loop touches one after the other.
fn write_runs<'a>(runs: &[Run<'a>], count: &str, emit: &mut Emitter<'a, '_>) {
    for run in runs {
        let (start, len) = run.range(count, emit);
        run.write(&start, &len, emit);
    }
}

/// Checks of what it touches in every iteration: once, and once more if there are more iterations. The block in
/// which that ends.
fn write_same<'a>(
    same: &[Vec<Hook<'a>>],
    count: &str,
    emit: &mut Emitter<'a, '_>,
    prefix: &str,
) -> String {
    let mut again = Vec::new();
    for hooks in same {
        let address = emit.address(&hooks[0].address);
        for hook in hooks {
            emit.line(hook.at(&address));
        }
        if let [only] = hooks.as_slice() {
            again.push(only.at(&address));
        }
    }
    if again.is_empty() {
        return prefix.into();
    }
    let more = emit.op(&format!("icmp ugt i64 {count}, 1"));
    emit.line(format!(
        "  br i1 {more}, label %{prefix}.more, label %{prefix}.in\n\n{prefix}.more:"
    ));
    again.into_iter().for_each(|line| emit.line(line));
    emit.line(format!("  br label %{prefix}.in\n\n{prefix}.in:"));
    format!("{prefix}.in")
}

impl Changes {
    /// The loop is entered through a block of `lines` that begins as `first` and ends as `last`.
    fn enter(&mut self, body: &[&str], of: &Loop, first: &str, last: &str, lines: Vec<String>) {
        let entering = self.current(body, of.entered);
        self.replaced
            .insert(of.entered, entering_by(&entering, of.label, first));
        let mut block = vec![format!("{first}:")];
        block.extend(lines);
        block.push(String::new());
        self.insert(of.lines.start, block);
        for at in of.lines.clone() {
            if bare(body[at]).contains(" = phi ") {
                let phi = self.current(body, at);
                self.replaced.insert(at, redirected(&phi, of.label, last));
            }
        }
    }
}

/// A line that goes to `label`, going to `block` instead.
fn entering_by(line: &str, label: &str, block: &str) -> String {
    let mut parts = line.split("label ");
    let mut text = parts.next().unwrap_or("").to_string();
    for part in parts {
        text.push_str("label ");
        match part.strip_prefix(label) {
            Some(rest) if rest.is_empty() || rest.starts_with([',', ' ']) => {
                text.push_str(&format!("%{block}{rest}"));
            }
            _ => text.push_str(part),
        }
    }
    text
}

/// A phi of the loop `label`, with what is from elsewhere coming from `block`.
fn redirected(phi: &str, label: &str, block: &str) -> String {
    let own = format!(", {label} ]");
    let pairs = phi.split_inclusive(" ]").map(|pair| {
        match (
            pair.ends_with(&own),
            pair.rfind(", %"),
            pair.ends_with(" ]"),
        ) {
            (false, Some(at), true) => format!("{}, %{block} ]", &pair[..at]),
            _ => pair.into(),
        }
    });
    pairs.collect()
}

impl<'a> Loop<'a> {
    /// The block in these lines; none if it is no loop, calls something, or is entered from several places.
    fn at(body: &[&'a str], lines: Range<usize>) -> Option<Self> {
        let (name, _) = body.get(lines.start)?.split_once(':')?;
        let last = lines.clone().rev().find(|&at| !body[at].is_empty())?;
        let (condition, targets) = bare(body[last])
            .strip_prefix("br i1 ")?
            .split_once(", label ")?;
        let (yes, no) = targets.split_once(", label ")?;
        let is_own = |target: &str| target.strip_prefix('%') == Some(name);
        let (label, goes_on) = match (is_own(yes), is_own(no)) {
            (true, false) => (yes, true),
            (false, true) => (no, false),
            _ => return None,
        };
        let calls_nothing = lines.clone().skip(1).all(|at| is_quiet(body[at]));
        let mut entries = (0..body.len()).filter(|&at| at != last && goes_to(body[at], label) > 0);
        let entered = entries.next()?;
        let is_only = entries.next().is_none() && goes_to(body[entered], label) == 1;
        (calls_nothing && is_only).then_some(Self {
            label,
            lines: lines.start..last + 1,
            branch: Branch { condition, goes_on },
            entered,
        })
    }
}

/// How often a line names `label` as a block to go to.
fn goes_to(line: &str, label: &str) -> usize {
    let targets = line.split("label ").skip(1);
    let names = targets.map(|rest| rest.split([',', ' ']).next().unwrap_or(""));
    names.filter(|name| *name == label).count()
}
