//! Which hooks of a loop together touch everything from its first iteration to its last.

use super::emit::Emitter;
use super::hook::Hook;

/// Hooks that lie side by side in one iteration, and end where the next begins.
pub struct Run<'a> {
    /// By address.
    hooks: Vec<Hook<'a>>,
}

/// Runs, and hooks that touch the same in every iteration, in the order of the program; others are left out.
pub fn sorted_out(hooks: Vec<Hook<'_>>) -> (Vec<Run<'_>>, Vec<Vec<Hook<'_>>>) {
    let (fixed, moving): (Vec<_>, Vec<_>) = hooks.into_iter().partition(|hook| hook.stride == 0);
    let same = alike(fixed, |a, b| {
        a.kind == b.kind && a.size == b.size && a.address.is(&b.address)
    });
    let streams = alike(moving, Hook::is_alike);
    let mut runs: Vec<Run> = streams.into_iter().flat_map(runs).collect();
    runs.sort_by_key(|run| run.lines().min());
    (runs, same)
}

/// In groups, each in the order of the program.
fn alike<'a>(
    hooks: Vec<Hook<'a>>,
    is_alike: impl Fn(&Hook<'a>, &Hook<'a>) -> bool,
) -> Vec<Vec<Hook<'a>>> {
    let mut groups: Vec<Vec<Hook>> = Vec::new();
    for hook in hooks {
        match groups.iter_mut().find(|group| is_alike(&group[0], &hook)) {
            Some(group) => group.push(hook),
            None => groups.push(vec![hook]),
        }
    }
    groups
}

/// Neighbours that together are long enough to be checked by one call rather than in line.
pub fn neighbours<'a>(hooks: &[Hook<'a>]) -> Vec<Run<'a>> {
    let wide = hooks.iter().filter(|hook| hook.size >= WORD);
    let groups = alike(wide.cloned().collect(), Hook::is_alike);
    let runs = groups.into_iter().flat_map(|hooks| cut(hooks, i64::MAX));
    runs.filter(|run| run.len() >= WORTH_A_CALL).collect()
}

/// What is smaller is not checked as a whole word.
const WORD: i64 = 8;

/// Bytes from which on a call costs less.
const WORTH_A_CALL: i64 = 64;

/// Chains of neighbours that are as long as an iteration.
fn runs(hooks: Vec<Hook<'_>>) -> Vec<Run<'_>> {
    let whole = hooks[0].stride.saturating_abs();
    let runs = cut(hooks, whole).into_iter();
    runs.filter(|run| run.len() == whole).collect()
}

/// Chains of neighbours, each of at most `most` bytes.
fn cut(mut hooks: Vec<Hook<'_>>, most: i64) -> Vec<Run<'_>> {
    hooks.sort_by_key(|hook| hook.address.constant);
    let mut runs: Vec<Run> = Vec::new();
    for hook in hooks {
        let fits = |run: &&mut Run| run.end() == Some(hook.address.constant) && run.len() < most;
        match runs.iter_mut().find(fits) {
            Some(run) => run.hooks.push(hook),
            None => runs.push(Run { hooks: vec![hook] }),
        }
    }
    runs
}

impl<'a> Hook<'a> {
    /// Whether one may be the other's neighbour: at the same place of the program, at a known distance.
    fn is_alike(&self, other: &Self) -> bool {
        let base = |hook: &Self| (hook.kind, hook.size, hook.place, hook.address.pointer);
        base(self) == base(other)
            && self.address.terms == other.address.terms
            && self.stride == other.stride
    }
}

impl<'a> Run<'a> {
    /// The one with the lowest address.
    pub fn first(&self) -> &Hook<'a> {
        &self.hooks[0]
    }

    /// The bytes of one iteration.
    fn len(&self) -> i64 {
        self.hooks.iter().map(|hook| hook.size).sum()
    }

    /// Where the neighbour would begin.
    fn end(&self) -> Option<i64> {
        self.first().address.constant.checked_add(self.len())
    }

    /// The lines they stand in.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        self.hooks.iter().flat_map(Hook::lines)
    }

    /// Writes the check of `len` bytes from `start` on.
    pub fn write(&self, start: &str, len: &str, emit: &mut Emitter) {
        let Hook { size, attached, .. } = self.first();
        let name = self.first().kind.of_runs();
        emit.line(format!(
            "  notail call void @{name}(ptr {start}, i64 {len}, i64 {size}) nomerge{attached}"
        ));
    }

    /// The check of one iteration.
    pub fn write_once(&self, emit: &mut Emitter<'a, '_>) {
        let start = emit.address(&self.first().address);
        self.write(&start, &self.len().to_string(), emit);
    }

    /// Where all that it touches begins, and how many bytes that are.
    pub fn range(&self, count: &str, emit: &mut Emitter<'a, '_>) -> (String, String) {
        let (first, stride) = (self.first(), self.first().stride);
        let len = emit.op(&format!("mul i64 {count}, {}", stride.abs()));
        let address = emit.address(&first.address);
        if stride > 0 {
            return (address, len);
        }
        // The last iteration has the lowest address.
        let back = emit.op(&format!("sub i64 {}, {len}", stride.abs()));
        let start = emit.op(&format!("getelementptr i8, ptr {address}, i64 {back}"));
        (start, len)
    }
}
