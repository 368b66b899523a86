//! Which accesses of a loop are certainly made once an iteration starts.
//!
//! Walks one iteration from its start and keeps the accesses that nothing before can prevent: they
//! stand in no branch and no inner loop, and before them comes no fault, call or return.

use crate::eliminate::Analyses;
use crate::eliminate::values::Facts;
use crate::eliminate::walk::{Flow, Loop, Op, block, integer};
use crate::ir::{AccessId, Place, Shared};

/// An access that every iteration makes.
pub(super) struct Certain {
    pub place: Place,
    pub access: AccessId,
    pub part: Part,
}

/// Where in the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// In the condition of a `while`, which is evaluated even if the body never runs.
    Condition,
    /// In the body.
    Body,
}

/// The certain accesses of an iteration, in evaluation order. Ask only for loops whose iterations
/// stay in one strand.
pub(super) fn accesses(
    looping: Loop<'_>,
    facts: &Facts,
    shared: &[Shared],
    analyses: &Analyses,
) -> Vec<Certain> {
    let mut walk = Walk {
        facts,
        shared,
        analyses,
        part: Part::Condition,
        found: Vec::new(),
    };
    let mut state = Reach::Surely;
    if let Some(condition) = looping.condition {
        integer(&mut walk, condition, &mut state);
    }
    walk.part = Part::Body;
    block(&mut walk, looping.body, &mut state);
    walk.found
}

struct Walk<'p> {
    facts: &'p Facts,
    shared: &'p [Shared],
    analyses: &'p Analyses,
    part: Part,
    found: Vec<Certain>,
}

/// Whether a point is reached in every iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Yes.
    Surely,
    /// If the branch is taken; nothing in its arm so far keeps the code after the branch from
    /// running.
    IfTaken,
    /// Not known.
    Perhaps,
}

impl<'a> Flow<'a> for Walk<'_> {
    type State = Reach;

    fn op(&mut self, op: Op<'a>, state: &mut Reach) {
        match op {
            Op::Access { place, access } if *state == Reach::Surely => self.found.push(Certain {
                place: place.clone(),
                access,
                part: self.part,
            }),
            _ => {}
        }
        if self.facts.may_stop(op, self.shared) || self.analyses.calls.breaks_strand(op) {
            *state = Reach::Perhaps;
        }
    }

    fn branch(&mut self, _before: &Reach) -> Reach {
        Reach::IfTaken
    }

    fn merge(&mut self, state: &mut Reach, arms: [Reach; 2]) {
        if arms.contains(&Reach::Perhaps) {
            *state = Reach::Perhaps;
        }
    }

    fn enter_loop(&mut self, _looping: Loop<'a>, state: &mut Reach) {
        *state = Reach::Perhaps;
    }

    fn exit_loop(&mut self, _state: &mut Reach, _inside: Reach) {}
}
