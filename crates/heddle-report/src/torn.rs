//! The words of a torn region: the three accesses, the schedule that tears, what to do about it.

use std::sync::Arc;

use heddle_core::{Access as CoreAccess, AccessKind, Certainty, LockId, Place, Why};

use crate::explain::Explanation;
use crate::locks::held;
use crate::model::{Access, Note};
use crate::resolve::Resolver;

/// What stands among the locks of an access that is atomic by itself.
const ATOMIC: &str = "atomic";

/// Three accesses of which the second can come between the others.
pub struct Tear<'a> {
    /// The words for ids.
    pub resolver: &'a Resolver<'a>,
    /// Certain or possible.
    pub certainty: Certainty,
    /// What is torn, by name.
    pub location: &'a str,
    /// In the sequence that tears.
    pub accesses: &'a [CoreAccess; 3],
    /// What each accesses.
    pub touched: &'a [Place; 3],
    /// Why the first two are parallel.
    pub why: Why,
}

/// `x can be written by task T3 between the read and the write by task T2`.
pub fn message(location: &str, accesses: &[Access]) -> String {
    let [first, middle, last] = accesses else {
        return location.into();
    };
    let pair = match first.operation == last.operation {
        true => format!("two {}s", first.operation.noun()),
        false => format!(
            "a {} and a {}",
            first.operation.noun(),
            last.operation.noun()
        ),
    };
    let (by, of) = match middle.task.phrase == first.task.phrase {
        true => ("another such task", first.task.phrase.as_str()),
        false => (middle.task.phrase.as_str(), first.task.phrase.as_str()),
    };
    format!(
        "{location} can be {} by {by} between {pair} by {of}",
        middle.operation.participle()
    )
}

impl Tear<'_> {
    /// Why the task in the middle can run there.
    pub fn notes(&self) -> Arc<[Note]> {
        let [first, middle, _] = self.accesses;
        let pair = [first.clone(), middle.clone()];
        let explanation = Explanation::new(self.resolver, self.certainty, &pair, self.why);
        explanation.notes().into()
    }

    /// The schedule that tears, step by step.
    pub fn schedule(&self) -> Vec<Note> {
        [0, 1, 2].map(|step| self.step(step)).into()
    }

    fn step(&self, step: usize) -> Note {
        let access = &self.accesses[step];
        let verb = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
        };
        let place = self.resolver.place(&self.touched[step]);
        let (task, at) = (
            self.resolver.task_phrase(access.task),
            self.resolver.at(access.site),
        );
        let circumstances = self.circumstances(step);
        Note {
            text: format!("{}. {task} {verb} {place} {at}{circumstances}", step + 1),
            position: self.resolver.position(access.site),
        }
    }

    /// What is held, and what must have happened to it for the next step to be possible.
    fn circumstances(&self, step: usize) -> String {
        let (atomic, locks) = self.protection(&self.accesses[step]);
        let held = match locks.as_slice() {
            [] => String::new(),
            [LockId::ISOLATED] => " in isolated".into(),
            locks => format!(" holding {}", self.names(locks)),
        };
        let held = format!("{atomic}{held}");
        let given_back: Vec<LockId> = match step {
            0 => {
                let next = &self.accesses[1].locks;
                locks
                    .iter()
                    .copied()
                    .filter(|lock| next.contains(lock))
                    .collect()
            }
            _ => Vec::new(),
        };
        match given_back.as_slice() {
            [] => held,
            [LockId::ISOLATED] => format!("{held}, then leaves it"),
            locks => format!("{held}, then gives {} back", self.names(locks)),
        }
    }

    /// How an access is made: atomically or not, and under which locks of the program's.
    fn protection(&self, access: &CoreAccess) -> (&'static str, Vec<LockId>) {
        let locks = access.locks.iter().copied();
        let (atomic, locks): (Vec<LockId>, Vec<LockId>) =
            locks.partition(|&lock| self.resolver.lock(lock) == ATOMIC);
        let how = if atomic.is_empty() { "" } else { " atomically" };
        (how, locks)
    }

    /// What to do next.
    pub fn help(&self) -> String {
        if self.certainty == Certainty::Possible {
            return "only a run with these sections in the other order can tell whether it happens"
                .into();
        }
        let [first, middle, last] = self.accesses;
        let (how, locks) = self.protection(middle);
        let (_, own) = self.protection(first);
        let kept = own.iter().find(|lock| last.locks.contains(lock));
        match (locks.first(), kept) {
            (None, None) if !how.is_empty() => format!(
                "make {} and {} one atomic operation, or put all three under one lock",
                self.describe(first),
                self.describe(last)
            ),
            (Some(&LockId::ISOLATED), _) => format!(
                "put {} and {} in one isolated body",
                self.describe(first),
                self.describe(last)
            ),
            (Some(&lock), _) => self.hold(&self.resolver.lock(lock)),
            (None, Some(&lock)) => self.hold_at_all(&self.resolver.lock(lock)),
            (None, None) => self.hold_at_all("one lock"),
        }
    }

    fn hold(&self, lock: &str) -> String {
        let [first, _, last] = self.accesses;
        format!(
            "hold {lock} without a break from {} to {}",
            self.describe(first),
            self.describe(last)
        )
    }

    fn hold_at_all(&self, lock: &str) -> String {
        let middle = self.describe(&self.accesses[1]);
        format!("{}, and at {middle} too", self.hold(lock))
    }

    fn names(&self, locks: &[LockId]) -> String {
        let names: Vec<_> = locks.iter().map(|&lock| self.resolver.lock(lock)).collect();
        held(&names)
    }

    /// `the write at 3:4`.
    fn describe(&self, access: &CoreAccess) -> String {
        let noun = self.resolver.operation(access).noun();
        format!("the {noun} {}", self.resolver.at(access.site))
    }
}
