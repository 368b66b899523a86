//! The state of an explored run, as far as it can be told, so that states can be matched.
//!
//! Local variables of Rust code cannot be read. But a task is repeatable: what it does next follows from
//! what it has *observed* so far. So a state is, for every task, a hash of its observations and how many
//! operations it has made; the values of what tasks share; and who holds which lock.
//!
//! # What is observed
//! Whatever a task reads: the value of a `Shared`, what a lock protects, whether a `try_lock` succeeded, which task a
//! `wait_any` took. An operation that returns nothing ([`Shared::add`](crate::Shared::add)) observes nothing.
//! What ended tasks observed stays part of the state, since they may have left it behind (a result, a variable
//! that was borrowed); with [`Explorer::assume_no_hidden_state`](crate::Explorer::assume_no_hidden_state) the program promises that tasks
//! and sections that return nothing leave nothing behind, and their observations are forgotten.
//!
//! # Values
//! Elements are plain data and hashed as they are, and so are numbers in locks. The value of anything else follows from
//! what its writer had observed, whose hash stands for it. A value that was never written follows from what its maker
//! had observed, and needs no hash.
//!
//! # Locks and signals
//! have numbers that may mean another one in another schedule. What they mean is part of the state: the place on the stack
//! of the task that owns the lock, else who used it first and what that task had observed then.

use super::{CONTENTS, State as Doing, Wanted, World, alive, with};
use heddle_core::{AccessKind, LockId, TaskId, TaskKind};
use heddle_explore::{Fingerprint, State};

/// What a task did, as far as the state of a run depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Of all observations.
    seen: Fingerprint,
    /// Without the last read.
    before: Fingerprint,
    /// Operations that others can notice.
    steps: u32,
    /// It returns nothing.
    is_mute: bool,
    has_ended: bool,
    /// It can be waited for by a handle.
    is_joinable: bool,
}

impl Memory {
    pub(super) fn new(name: u64, kind: TaskKind) -> Self {
        let mut seen = Fingerprint::new();
        seen.add(name);
        Self {
            seen,
            before: seen,
            steps: 0,
            is_mute: false,
            has_ended: false,
            is_joinable: kind != TaskKind::Async,
        }
    }

    /// What is left behind by a panic is not nothing.
    pub(super) fn panics(&mut self) {
        self.is_mute = false;
    }

    fn observe(&mut self, word: u64) {
        self.before = self.seen;
        self.seen.add(word);
    }

    /// Stands for a value that follows from what the task has observed.
    fn consequence(&self) -> u64 {
        let mut value = self.seen;
        value.add(u64::from(self.steps));
        value.words()[1]
    }
}

/// Many hashes whose sequence does not matter.
#[derive(Default)]
struct Sum([u64; 2]);

impl Sum {
    fn add(&mut self, words: &[u64]) {
        let mut hash = Fingerprint::new();
        words.iter().for_each(|&word| hash.add(word));
        let [low, high] = hash.words();
        self.0[0] = self.0[0].wrapping_add(low);
        self.0[1] = self.0[1].wrapping_add(high);
    }
}

impl World {
    fn memory(&mut self) -> &mut Memory {
        &mut self.made().memory
    }

    /// The running task did something that others can notice.
    pub(super) fn step(&mut self) {
        self.memory().steps += 1;
    }

    /// The running task observed this.
    pub(super) fn observe(&mut self, word: u64) {
        self.memory().observe(word);
    }

    /// The running task accesses these locations.
    pub(super) fn remember(&mut self, kind: AccessKind, start: u64, len: u64) {
        for location in start..start + len {
            match kind {
                AccessKind::Read => {
                    let value = self.values.get(&location).copied();
                    self.observe(value.unwrap_or(0));
                }
                AccessKind::Write => {
                    let value = self.memory().consequence();
                    self.values.insert(location, value);
                }
            }
        }
    }

    /// The name of a task, which is the same in every schedule.
    pub(super) fn name(&self, task: TaskId) -> u64 {
        self.tasks[task.index()].name
    }

    /// What the number of a lock that is met for the first time stands for: see the module's documentation.
    pub(super) fn mean(&mut self, number: LockId, address: usize) {
        let owner = self.slots.iter().find_map(|slot| {
            let offset = slot.stack.end.checked_sub(address)?;
            (address >= slot.stack.start).then_some((slot.task?, offset))
        });
        let words = match owner {
            Some((task, offset)) => [self.name(task), offset as u64, 0],
            None => {
                let task = self.task();
                let memory = &self.tasks[task.index()].memory;
                let [low, high] = memory.seen.words();
                [low, high, u64::from(memory.steps)]
            }
        };
        self.meanings
            .push([u64::from(number.raw()), words[0], words[1], words[2]]);
    }

    /// The running task signals by this token.
    pub(super) fn mean_token(&mut self, token: u32) {
        let task = self.task();
        let memory = &self.tasks[task.index()].memory;
        let words = [
            u64::from(token),
            u64::MAX,
            self.name(task),
            memory.steps.into(),
        ];
        self.meanings.push(words);
    }

    /// Adds what the run's future depends on.
    pub(in crate::explore) fn fingerprint(&self, into: &mut State) {
        let mut sum = Sum::default();
        for (row, made) in (0..).zip(&self.tasks) {
            let memory = &made.memory;
            match memory.has_ended && memory.is_mute && self.forgets {
                true => sum.add(&[made.name]),
                false => {
                    let [low, high] = memory.seen.words();
                    let counts = [memory.steps, made.values, u32::from(memory.has_ended)];
                    let [steps, values, ended] = counts.map(u64::from);
                    sum.add(&[made.name, low, high, steps, values, ended]);
                }
            }
            if memory.has_ended && memory.is_joinable {
                into.joinable(TaskId::new(row));
            }
        }
        for (&location, &value) in &self.values {
            sum.add(&[location, value]);
        }
        for (lock, holders) in &self.locks.held {
            for &(task, mode) in holders {
                sum.add(&[u64::from(lock.raw()), self.name(task), mode as u64, 1]);
            }
        }
        for slot in &self.slots {
            if let (Some(task), Doing::Choice(wanted)) = (slot.task, &slot.state) {
                sum.add(&[self.name(task), wanted.word(), 2]);
            }
        }
        self.meanings.iter().for_each(|meaning| sum.add(meaning));
        sum.0.into_iter().for_each(|word| into.add(word));
    }
}

impl Wanted {
    fn word(&self) -> u64 {
        match self {
            Self::Lock(lock, mode, _) => u64::from(lock.raw()) << 2 | *mode as u64,
            Self::Section(lock) => u64::from(lock.raw()) << 2 | 2,
            Self::Any(..) => 3,
        }
    }
}

/// The running task wrote these bytes to one location.
pub(crate) fn stored(location: u64, bytes: &[u8]) {
    let value = hash(bytes);
    alive(|world| world.values.insert(location, value));
}

/// The running task writes what a lock protects, a plain number.
pub(crate) fn stored_in(lock: LockId, bytes: &[u8]) {
    let number = alive(|world| world.locks.numbers.get(&lock).copied()).flatten();
    if let Some(number) = number {
        stored(CONTENTS + u64::from(number.raw()), bytes);
    }
}

/// The running task has what a lock protects to itself, sees it, and may change it.
pub(crate) fn exclusive_content(lock: LockId) {
    let number = alive(|world| world.locks.numbers.get(&lock).copied()).flatten();
    if let Some(number) = number {
        exclusive(CONTENTS + u64::from(number.raw()), 1);
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = Fingerprint::new();
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.add(u64::from_le_bytes(word));
    }
    hash.words()[1]
}

/// The operation that read last returns nothing of what it read.
pub(crate) fn unsee() {
    alive(|world| {
        let memory = world.memory();
        memory.seen = memory.before;
    });
}

/// The running task has exclusive access to these locations, sees them, and may change them.
pub(crate) fn exclusive(start: u64, len: u64) {
    alive(|world| {
        world.remember(AccessKind::Read, start, len);
        world.remember(AccessKind::Write, start, len);
    });
}

/// This task returns nothing.
pub(crate) fn returns_nothing(task: TaskId) {
    alive(|world| world.tasks[task.index()].memory.is_mute = true);
}

/// The running task is over.
pub(super) fn ended(world: &mut World) {
    world.memory().has_ended = true;
}

/// What the running task had observed before a section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    seen: Fingerprint,
    steps: u32,
}

/// At the begin of a section that returns nothing; none if what it observes is not to be forgotten.
pub(crate) fn before_section() -> Option<Before> {
    alive(|world| {
        let forgets = world.forgets;
        let Memory { seen, steps, .. } = *world.memory();
        forgets.then_some(Before { seen, steps })
    })?
}

/// At its end.
pub(crate) fn forget_since(before: Before) {
    alive(|world| {
        let memory = world.memory();
        if memory.steps == before.steps {
            memory.seen = before.seen;
        }
    });
}

/// The body does something that cannot be explored: the exploration ends, and says so.
pub(crate) fn refuse(what: &str, instead: &str) {
    let explored = with(|world| {
        world
            .common()
            .refuse(format!("{what} cannot be explored: {instead}"))
    });
    if explored.is_some() {
        panic!("{what} cannot be explored: {instead}");
    }
}
