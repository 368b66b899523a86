//! Static check elimination: which accesses need not be shown to the detectors.
//!
//! Raman, Zhao, Sarkar, Vechev, Yahav: *Efficient Data Race Detection for Async-Finish
//! Parallelism*, section 6. Five eliminations, each switchable and counted, applied in the paper's
//! sequence. The files of the five each open with the argument why they are sound.
//!
//! **Guarantee.** With any subset switched on, the locations reported as races and the certainty of
//! each are the same as with none. Which of several racing pairs of accesses is shown may differ.
//! The program behaves the same: values, output, faults, task and lock events.
//!
//! Deviations from the paper:
//! 1. Locks, futures, events and regions exist. A *strand* ends at every task operation, and two
//!    accesses of one strand count as equal only if no lock operation lies between them.
//! 2. Sequential code is found by flow, not by being outside the outermost finish (`parallel`).
//! 3. A write that follows a write of the same strand is dropped too (`read_write`).
//! 4. Not applied to `atomic` locations, whose checker needs every access, and not at all to
//!    programs with `cut`, where every access belongs to a transaction.
//!
//! Exploring schedules needs all accesses to know which of them conflict: eliminate nothing there.
//!
//! Invariants: rows of `accesses` are marked, never unmarked. Only loop-invariant motion adds rows
//! (one per moved check), statements and locals. Cost: each analysis walks the text once, plus once
//! per enclosing loop; summaries of procedures are made again where those they rest on changed.

mod calls;
mod certain;
mod escape;
mod locks;
mod loop_invariant;
mod main_task;
mod parallel;
mod prune;
mod read_only;
mod read_write;
mod spot;
mod values;
mod walk;

use crate::ir::{AccessId, AccessInfo, Elimination, Place, Program, SharedId};
use std::fmt;

/// A set of eliminations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eliminations(u8);

/// A name that is none of an elimination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownElimination(pub String);

/// How many accesses in the text each elimination freed of their check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts([usize; Elimination::ALL.len()]);

/// Marks the accesses of `program` that need no check, and moves checks out of loops.
pub fn eliminate(program: &mut Program, which: Eliminations) -> Counts {
    if program.features.cuts || which == Eliminations::none() {
        return Counts::of(program);
    }
    let analyses = Analyses::of(program);
    for elimination in which.iter() {
        match elimination {
            Elimination::MainTask => main_task::apply(program, &analyses),
            Elimination::ReadOnly => read_only::apply(program, &analyses),
            Elimination::Escape => escape::apply(program, &analyses),
            Elimination::LoopInvariant => loop_invariant::apply(program, &analyses),
            Elimination::ReadWrite => read_write::apply(program, &analyses),
        }
    }
    prune::apply(program);
    Counts::of(program)
}

impl Elimination {
    /// All five, in the sequence in which they are applied.
    pub const ALL: [Self; 5] = [
        Self::MainTask,
        Self::ReadOnly,
        Self::Escape,
        Self::LoopInvariant,
        Self::ReadWrite,
    ];

    /// The name users switch it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MainTask => "main-task",
            Self::ReadOnly => "read-only",
            Self::Escape => "escape",
            Self::LoopInvariant => "loop-invariant",
            Self::ReadWrite => "read-write",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Eliminations {
    /// All five.
    pub const fn all() -> Self {
        Self((1 << Elimination::ALL.len()) - 1)
    }

    /// None: every access is checked.
    pub const fn none() -> Self {
        Self(0)
    }

    /// This set and `elimination`.
    #[must_use]
    pub const fn with(self, elimination: Elimination) -> Self {
        Self(self.0 | elimination.bit())
    }

    /// This set less `elimination`.
    #[must_use]
    pub const fn without(self, elimination: Elimination) -> Self {
        Self(self.0 & !elimination.bit())
    }

    /// Whether `elimination` is in the set.
    pub const fn contains(self, elimination: Elimination) -> bool {
        self.0 & elimination.bit() != 0
    }

    /// The members, in the sequence in which they are applied.
    pub fn iter(self) -> impl Iterator<Item = Elimination> {
        Elimination::ALL
            .into_iter()
            .filter(move |each| self.contains(*each))
    }

    /// The set with these names, such as `main-task` or `read-write`.
    pub fn from_names<'n>(
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, UnknownElimination> {
        names.into_iter().try_fold(Self::none(), |set, name| {
            let found = Elimination::ALL
                .into_iter()
                .find(|each| each.name() == name);
            let member = found.ok_or_else(|| UnknownElimination(name.to_owned()))?;
            Ok(set.with(member))
        })
    }
}

impl fmt::Display for UnknownElimination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Elimination::ALL.map(Elimination::name).join(", ");
        write!(f, "no elimination is called `{}` (known: {known})", self.0)
    }
}

impl std::error::Error for UnknownElimination {}

impl Counts {
    fn of(program: &Program) -> Self {
        let mut counts = Self::default();
        for elimination in program.accesses.iter().filter_map(|each| each.eliminated) {
            counts.0[elimination as usize] += 1;
        }
        counts
    }

    /// The accesses freed by `elimination`. Those of `LoopInvariant` have one check in front of
    /// their loop instead.
    pub const fn get(&self, elimination: Elimination) -> usize {
        self.0[elimination as usize]
    }

    /// The accesses freed by any.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }
}

/// What the eliminations know of the program, found once.
struct Analyses {
    calls: calls::Calls,
    parallel: parallel::Parallel,
    held: locks::Held,
    parameters: values::Parameters,
    subjects: Subjects,
}

impl Analyses {
    fn of(program: &Program) -> Self {
        let calls = calls::Calls::of(program);
        Self {
            parallel: parallel::Parallel::of(program, &calls),
            held: locks::Held::of(program, &calls),
            parameters: values::Parameters::of(program),
            subjects: Subjects::of(program),
            calls,
        }
    }
}

/// What each access is of.
struct Subjects {
    shared: Vec<Option<SharedId>>,
    atomic: Vec<SharedId>,
}

impl Subjects {
    fn of(program: &Program) -> Self {
        let mut shared = vec![None; program.accesses.len()];
        walk::each_body(program, &mut |body| {
            walk::each_op(&body.block, |op| {
                if let walk::Op::Access { place, access } = op
                    && let Some(row) = shared.get_mut(access.0 as usize)
                {
                    *row = shared_of(place);
                }
            });
        });
        let atomic = program.atomics.concat();
        Self { shared, atomic }
    }

    /// The variable or array accessed; none for heap arrays.
    fn shared(&self, access: AccessId) -> Option<SharedId> {
        self.shared.get(access.0 as usize).copied().flatten()
    }

    /// Whether the access may go unseen at all: not if it is one of an `atomic` location.
    fn may_drop(&self, access: AccessId) -> bool {
        self.shared(access)
            .is_none_or(|shared| !self.atomic.contains(&shared))
    }
}

fn shared_of(place: &Place) -> Option<SharedId> {
    match place {
        Place::Scalar(shared) | Place::Element { array: shared, .. } => Some(*shared),
        Place::Heap { .. } => None,
    }
}

fn numbered(accesses: &mut [AccessInfo]) -> impl Iterator<Item = (AccessId, &mut AccessInfo)> {
    std::iter::zip((0..).map(AccessId), accesses)
}
