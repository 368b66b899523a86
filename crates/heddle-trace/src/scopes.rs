//! Which finish encloses which: the tree of finishes, with an ancestor query that stays cheap in
//! deep nests.
//!
//! Every finish keeps its parent and one *jump* to a farther ancestor, laid out after Myers, "An
//! applicative random-access stack" (1983): jumps of a node's ancestors have the lengths of a
//! skew-binary number, so any ancestor is reached in O(log depth) steps. Adding a finish is O(1).
//! A hand-made trace of deep nests and many scope handles thus costs no quadratic time.

use heddle_core::{FinishId, TaskId};

/// All finishes of a run, the implicit one included.
#[derive(Clone, Debug)]
pub struct Scopes {
    finishes: Vec<Finish>,
}

/// One finish.
#[derive(Clone, Copy, Debug)]
pub struct Finish {
    /// The task that began it.
    pub owner: TaskId,
    /// How many tasks spawned into it have not ended.
    pub pending: u32,
    /// The finish around it. The implicit one's is itself.
    pub parent: FinishId,
    jump: FinishId,
    depth: u32,
}

impl Scopes {
    /// The implicit finish of the main task.
    pub fn new() -> Self {
        let main = Finish {
            owner: TaskId::MAIN,
            pending: 0,
            parent: FinishId::MAIN,
            jump: FinishId::MAIN,
            depth: 0,
        };
        Self {
            finishes: vec![main],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.finishes.len()
    }

    /// The finish with this id, if it was begun.
    pub fn get(&self, id: FinishId) -> Option<&Finish> {
        self.finishes.get(id.index())
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, id: FinishId) -> Option<&mut Finish> {
        self.finishes.get_mut(id.index())
    }

    /// Adds a finish inside `parent`, which must be there.
    pub fn begin(&mut self, owner: TaskId, parent: FinishId) {
        let up = self.finishes[parent.index()];
        let far = self.finishes[up.jump.index()];
        let farther = self.finishes[far.jump.index()];
        let jump = if up.depth - far.depth == far.depth - farther.depth {
            far.jump
        } else {
            parent
        };
        let depth = up.depth + 1;
        self.finishes.push(Finish {
            owner,
            pending: 0,
            parent,
            jump,
            depth,
        });
    }

    /// Whether `outer` is `inner` or lies around it. Both must be there.
    pub fn encloses(&self, outer: FinishId, inner: FinishId) -> bool {
        let depth = self.finishes[outer.index()].depth;
        let mut at = inner;
        loop {
            let finish = &self.finishes[at.index()];
            if finish.depth <= depth {
                return at == outer;
            }
            let far = self.finishes[finish.jump.index()].depth >= depth;
            at = if far { finish.jump } else { finish.parent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encloses_by_climbing(scopes: &Scopes, outer: FinishId, mut inner: FinishId) -> bool {
        while inner != outer && inner != FinishId::MAIN {
            inner = scopes.finishes[inner.index()].parent;
        }
        inner == outer
    }

    #[test]
    fn jumping_agrees_with_climbing() {
        let mut scopes = Scopes::new();
        for n in 1..200u32 {
            let parent = FinishId::new((n - 1).saturating_sub(n * 7919 % 5));
            scopes.begin(TaskId::MAIN, parent);
        }
        for outer in (0..200).map(FinishId::new) {
            for inner in (0..200).map(FinishId::new) {
                let expected = encloses_by_climbing(&scopes, outer, inner);
                assert_eq!(
                    scopes.encloses(outer, inner),
                    expected,
                    "{outer:?} {inner:?}"
                );
            }
        }
    }

    #[test]
    fn a_deep_nest_is_climbed_in_few_steps() {
        let mut scopes = Scopes::new();
        for n in 0..1_000_000 {
            scopes.begin(TaskId::MAIN, FinishId::new(n));
        }
        let innermost = FinishId::new(1_000_000);
        assert!((0..100_000).all(|n| scopes.encloses(FinishId::new(n), innermost)));
    }
}
