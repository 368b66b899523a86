//! Whether a suggestion cures a race: the race is run through the engine again with the suggestion applied.
//!
//! The model is the part of the run that the race consists of: the task that both sides descend from, the chains of
//! tasks from there to the two accesses, and the accesses. Where it shows the race and, with the suggestion applied,
//! no race, the suggestion is one; else it is not printed. So a wait for a task is not suggested where
//! the access is made by a task of that task, which the wait does not wait for.

use heddle_core::{
    AccessKind, Event, Extent, Features, FinishId, FinishKind, Listener, Location, LockId,
    LockMode, NameId, OrderChoice, Run, SiteId, TaskId, TaskKind, TokenId,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was asked before: the races of a run have few shapes, and each answer takes an engine of its own. Not a thread's
/// own: a report may be made in a signal handler, where the destructor of such a value cannot be registered, for
/// that takes memory from the allocator that was interrupted.
static ANSWERS: Mutex<FxHashMap<(Model, Remedy), bool>> =
    Mutex::new(FxHashMap::with_hasher(FxBuildHasher));

fn answers() -> MutexGuard<'static, FxHashMap<(Model, Remedy), bool>> {
    ANSWERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A race between two branches that part at one task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Model {
    /// How many tasks lead from there to the access inside the task that is spawned first; at least one.
    pub inner_tasks: usize,
    /// How many lead to the other; none if the task itself makes it.
    pub outer_tasks: usize,
    /// What the two do, the inner one first.
    pub kinds: [AccessKind; 2],
}

/// What a suggestion changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Remedy {
    /// Nothing.
    None,
    /// The first task of the inner branch is waited for before the other branch goes on: that task alone.
    Wait,
    /// It is waited for with all it spawned.
    WaitForAll,
    /// The inner access comes before the outer one, by a dependence.
    Dependence,
    /// One lock is held at both, or both are atomic.
    Lock,
    /// Each side has a location of its own.
    Separate,
}

impl Model {
    /// Whether the race is there, and gone with the remedy applied.
    pub fn is_cured_by(self, remedy: Remedy) -> bool {
        self.races(Remedy::None) && !self.races(remedy)
    }

    fn races(self, remedy: Remedy) -> bool {
        let known = answers().get(&(self, remedy)).copied();
        known.unwrap_or_else(|| {
            let races = self.is_found_to_race(remedy);
            answers().insert((self, remedy), races);
            races
        })
    }

    fn is_found_to_race(self, remedy: Remedy) -> bool {
        let mut run = Applied {
            model: self,
            remedy,
        };
        let outcome = heddle_check::check(&mut run, OrderChoice::Auto);
        outcome.is_ok_and(|outcome| !outcome.findings.is_empty())
    }
}

/// The model with a remedy applied, as a run.
struct Applied {
    model: Model,
    remedy: Remedy,
}

const NOWHERE: SiteId = SiteId::new(0);
const LOCK: LockId = LockId::new(1);
const DONE: TokenId = TokenId::new(0);

impl Run for Applied {
    fn features(&self) -> Features {
        Features {
            extra_edges: true,
            locks: true,
            ..Features::default()
        }
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        let name = NameId::new(0);
        listener.on(Event::DeclareLock { lock: LOCK, name });
        listener.on(Event::DeclareToken { token: DONE, name });
        let Model {
            inner_tasks,
            outer_tasks,
            ..
        } = self.model;
        let all = self.remedy == Remedy::WaitForAll;
        let finish = FinishId::new(1);
        if all {
            listener.on(Event::FinishBegin {
                finish,
                kind: FinishKind::Finish,
                site: NOWHERE,
            });
        }
        let into = if all { finish } else { FinishId::MAIN };
        self.branch(listener, 0, (1, inner_tasks), into);
        if all {
            listener.on(Event::FinishEnd { finish });
        }
        if self.remedy == Remedy::Wait {
            let task = TaskId::new(1);
            listener.on(Event::Join {
                task,
                site: NOWHERE,
            });
        }
        self.branch(listener, 1, (1 + inner_tasks, outer_tasks), FinishId::MAIN);
        listener.on(Event::End { task: TaskId::MAIN });
    }
}

impl Applied {
    /// Spawns a chain of `len` tasks from number `first` on; the last of them makes the access.
    fn branch<L: Listener>(
        &self,
        listener: &mut L,
        side: usize,
        (first, len): (usize, usize),
        finish: FinishId,
    ) {
        let task = |step: usize| TaskId::new((first + step) as u32);
        for step in 0..len {
            let task = task(step);
            listener.on(Event::Spawn {
                task,
                finish,
                kind: TaskKind::Future,
                site: NOWHERE,
                name: None,
            });
            listener.on(Event::Begin { task });
        }
        self.access(listener, side);
        for step in (0..len).rev() {
            listener.on(Event::End { task: task(step) });
            let parent = match step {
                0 => TaskId::MAIN,
                _ => task(step - 1),
            };
            listener.on(Event::Resume { task: parent });
        }
    }

    fn access<L: Listener>(&self, listener: &mut L, side: usize) {
        let site = SiteId::new(side as u32);
        let own = self.remedy == Remedy::Separate;
        let extent = Extent::one(Location(if own { side as u64 } else { 0 }));
        if (self.remedy, side) == (Remedy::Dependence, 1) {
            listener.on(Event::Wait { token: DONE, site });
        }
        if self.remedy == Remedy::Lock {
            listener.on(Event::Acquire {
                lock: LOCK,
                mode: LockMode::Exclusive,
                site,
            });
        }
        listener.on(match self.model.kinds[side] {
            AccessKind::Read => Event::Read { extent, site },
            AccessKind::Write => Event::Write { extent, site },
        });
        if self.remedy == Remedy::Lock {
            listener.on(Event::Release { lock: LOCK, site });
        }
        if (self.remedy, side) == (Remedy::Dependence, 0) {
            listener.on(Event::Signal { token: DONE, site });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(inner_tasks: usize, outer_tasks: usize) -> Model {
        Model {
            inner_tasks,
            outer_tasks,
            kinds: [AccessKind::Write, AccessKind::Read],
        }
    }

    #[test]
    fn a_wait_cures_what_the_task_itself_does_and_nothing_deeper() {
        assert!(model(1, 0).is_cured_by(Remedy::Wait));
        assert!(model(1, 2).is_cured_by(Remedy::Wait));
        assert!(!model(2, 0).is_cured_by(Remedy::Wait));
        assert!(model(2, 0).is_cured_by(Remedy::WaitForAll));
    }

    #[test]
    fn locks_dependences_and_locations_of_their_own_cure_at_any_depth() {
        for remedy in [Remedy::Lock, Remedy::Dependence, Remedy::Separate] {
            assert!(model(1, 0).is_cured_by(remedy), "{remedy:?}");
            assert!(model(3, 2).is_cured_by(remedy), "{remedy:?}");
        }
    }

    #[test]
    fn nothing_is_cured_by_nothing_and_two_reads_need_no_cure() {
        assert!(!model(1, 0).is_cured_by(Remedy::None));
        let reads = Model {
            kinds: [AccessKind::Read; 2],
            ..model(1, 0)
        };
        assert!(!reads.is_cured_by(Remedy::Lock));
    }
}
