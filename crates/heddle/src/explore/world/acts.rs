//! What explored tasks do: each function speaks of the task that runs.
//!
//! In a run that is being ended, and outside of exploration, none of them does anything.

use super::super::numbers::Panic;
use super::stage;
use super::state::{self, Memory};
use super::{CONTENTS, Condition, Made, State, Wanted, World, alive, is_explored, suspend, with};
use crate::exec::Job;
use crate::locations::Label;
use crate::locks::LockLabel;
use crate::sites::Caller;
use heddle_core::{
    AccessKind, Awaited, Event, Extent, FinishId, FinishKind, Location, LockId, LockMode, NameId,
    SiteId, TaskId, TaskKind, TokenId,
};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

/// The running explored task.
pub(crate) fn task() -> Option<TaskId> {
    with(|world| world.task())
}

/// The running task creates one.
pub(crate) fn spawn(into: Option<FinishId>, kind: TaskKind, caller: Caller) -> Option<TaskId> {
    alive(|world| {
        let site = world.site(caller);
        world.step();
        let made = world.made();
        let finish = into.unwrap_or(made.finish);
        made.tasks += 1;
        let name = mix(made.name, u64::from(made.tasks));
        let task = TaskId::new(world.tasks.len() as u32);
        world.tasks.push(Made {
            name,
            tasks: 0,
            values: 0,
            finish,
            memory: Memory::new(name, kind),
        });
        stage::spawned(world, task, caller);
        let name = None;
        world.events.push(Event::Spawn {
            task,
            finish,
            kind,
            site,
            name,
        });
        task
    })
}

/// Starts a task that was created; it runs before the running one goes on.
pub(crate) fn start(job: Job) {
    if std::thread::panicking() {
        return start_later(job);
    }
    let mut job = Some(job);
    alive(|world| {
        let slot = job.take().map(|job| world.add(job));
        let running = world.running;
        world.stack.push(running);
        world.stack.extend(slot);
    });
    // In a run that is being ended nothing starts.
    drop(job);
    suspend(State::Ready);
}

/// Starts a task that was created as soon as the running one stops.
pub(crate) fn start_later(job: Job) {
    let mut job = Some(job);
    alive(|world| {
        if let Some(job) = job.take() {
            let slot = world.add(job);
            world.stack.insert(0, slot);
        }
    });
    drop(job);
}

/// The running coroutine is this task from now on.
pub(crate) fn begin(task: TaskId) {
    alive(|world| {
        let running = world.running;
        world.slots[running].task = Some(task);
        world.told = Some(task);
        world.events.push(Event::Begin { task });
    });
}

/// The running task is over.
pub(crate) fn end() {
    alive(|world| {
        let task = world.task();
        world.events.push(Event::End { task });
        state::ended(world);
        world.told = None;
    });
}

/// The running task opens a finish.
pub(crate) fn finish_begin(caller: Caller) -> FinishId {
    let opened = alive(|world| {
        world.step();
        world.finishes += 1;
        let finish = FinishId::new(world.finishes);
        let (kind, site) = (FinishKind::Finish, world.site(caller));
        world.events.push(Event::FinishBegin { finish, kind, site });
        let before = std::mem::replace(&mut world.made().finish, finish);
        (finish, before)
    });
    opened.map_or(FinishId::MAIN, |(finish, _)| finish)
}

/// The running task's innermost finish is over.
pub(crate) fn finish_end(finish: FinishId, outer: FinishId) {
    alive(|world| {
        world.step();
        world.made().finish = outer;
        world.events.push(Event::FinishEnd { finish });
    });
}

/// The finish that tasks of the running task belong to.
pub(crate) fn finish() -> FinishId {
    with(|world| world.made().finish).unwrap_or(FinishId::MAIN)
}

/// The end of a task precedes what follows.
pub(crate) fn join(task: TaskId) {
    let site = SiteId::new(0);
    alive(|world| {
        world.step();
        world.events.push(Event::Join { task, site });
    });
}

/// What the running task did so far precedes whoever waits for the token.
pub(crate) fn signal() -> Option<u32> {
    alive(|world| {
        world.step();
        world.mean_token(world.tokens);
        let (token, name) = (TokenId::new(world.tokens), NameId::new(0));
        world.tokens += 1;
        let site = SiteId::new(0);
        world.events.push(Event::DeclareToken { token, name });
        world.events.push(Event::Signal { token, site });
        token.raw()
    })
}

/// These signals precede what follows.
pub(crate) fn wait(signals: &[u32]) {
    alive(|world| {
        world.step();
        for &signal in signals {
            let (token, site) = (TokenId::new(signal), SiteId::new(0));
            world.events.push(Event::Wait { token, site });
        }
    });
}

/// The running task accesses locations; no if nothing is explored on this thread.
pub(crate) fn access(kind: AccessKind, start: u64, len: u64, caller: Caller) -> bool {
    stage::before(start, len, caller);
    let explored = alive(|world| {
        let site = world.site(caller);
        let extent = Extent::new(Location(start), len);
        world.remember(kind, start, len);
        stage::made(world, kind, start, len, caller);
        world.events.push(match kind {
            AccessKind::Read => Event::Read { extent, site },
            AccessKind::Write => Event::Write { extent, site },
        });
    });
    explored.is_some()
}

/// Numbers for a value that the running task makes; none outside of exploration.
pub(crate) fn locations(len: u64, label: Label) -> Option<u64> {
    alive(|world| {
        let made = world.made();
        made.values += 1;
        let (name, count) = (made.name, made.values);
        let start = world.common().numbers.value(name, count, len, label);
        let extent = Extent::new(Location(start), len);
        let (name, site) = (None, SiteId::new(0));
        world.events.push(Event::Alloc { extent, name, site });
        start
    })
}

/// The explored value at `start` is called so.
pub(crate) fn rename(start: u64, name: &'static str) {
    with(|world| world.common().numbers.rename(start, name));
}

/// Waits until the condition is met.
pub(crate) fn wait_until(awaited: Awaited, caller: Caller, is_met: impl Fn() -> bool) {
    while !is_met() {
        let condition = alive(|world| Condition {
            awaited,
            site: world.site(caller),
            is_met: erased(&is_met),
        });
        match condition {
            Some(condition) if !std::thread::panicking() => suspend(State::Waits(condition)),
            _ => return,
        }
    }
}

/// Waits until there is an ended task to be taken, and says which one to take. `ended` lists those
/// that there are, and says whether there are others.
pub(crate) fn choose(
    awaited: Awaited,
    caller: Caller,
    ended: impl Fn(&mut Vec<TaskId>) -> bool,
) -> Option<TaskId> {
    let never = || false;
    let wanted = alive(|world| {
        let condition = Condition {
            awaited,
            site: world.site(caller),
            is_met: erased(&never),
        };
        let ended: &dyn Fn(&mut Vec<TaskId>) -> bool = &ended;
        // SAFETY: only the lifetime changes; the closure is on this stack while the task is suspended.
        let ended = unsafe {
            std::mem::transmute::<
                NonNull<dyn Fn(&mut Vec<TaskId>) -> bool + '_>,
                NonNull<dyn Fn(&mut Vec<TaskId>) -> bool + 'static>,
            >(NonNull::from(ended))
        };
        Wanted::Any(condition, ended)
    })?;
    suspend(State::Choice(wanted));
    alive(|world| {
        let chosen = world.chosen.take()?;
        world.step();
        world.observe(world.name(chosen));
        Some(chosen)
    })
    .flatten()
}

fn erased<'a>(condition: &'a (dyn Fn() -> bool + 'a)) -> NonNull<dyn Fn() -> bool> {
    // SAFETY: only the lifetime changes; it is called only while the task that owns it is suspended.
    unsafe {
        std::mem::transmute::<NonNull<dyn Fn() -> bool + 'a>, NonNull<dyn Fn() -> bool + 'static>>(
            NonNull::from(condition),
        )
    }
}

/// Takes a lock, when it is this task's turn. `label`, with the lock's address, is none for the one of isolated sections.
pub(crate) fn acquire(
    lock: LockId,
    label: Option<(&LockLabel, usize)>,
    mode: LockMode,
    caller: Caller,
) {
    let wanted = alive(|world| {
        let number = world.lock(lock, label);
        world.step();
        (number, world.site(caller))
    });
    let Some((number, site)) = wanted else { return };
    suspend(State::Choice(Wanted::Lock(number, mode, site)));
    alive(|world| {
        if world.is_tried(number) {
            world.tell_state(number, AccessKind::Write, site);
        }
        world.hold(number, mode, site);
    });
}

/// Whether the running task holds this lock.
pub(crate) fn holds(lock: LockId) -> bool {
    let held = with(|world| {
        let number = world.locks.numbers.get(&lock).copied();
        let number = number.unwrap_or(LockId::ISOLATED);
        let held = world.locks.held.get(&number)?;
        let task = world.task();
        Some(held.iter().any(|&(holder, _)| holder == task))
    });
    held.flatten().unwrap_or(false)
}

/// Takes a lock if it is free. Whether it was.
pub(crate) fn try_acquire(
    lock: LockId,
    label: (&LockLabel, usize),
    mode: LockMode,
    caller: Caller,
) -> bool {
    let wanted = alive(|world| {
        if !world.tries {
            world.common().tried.store(true, Ordering::Relaxed);
            world.common().stop.store(true, Ordering::Relaxed);
        }
        let number = world.lock(lock, Some(label));
        (number, world.site(caller), world.state_lock(number))
    });
    let Some((number, site, state)) = wanted else {
        return true;
    };
    suspend(State::Choice(Wanted::Section(state)));
    let taken = alive(|world| {
        let is_free = world.is_free(number, mode);
        world.step();
        world.observe(u64::from(is_free));
        let kind = match is_free {
            true => AccessKind::Write,
            false => AccessKind::Read,
        };
        world.tell_state(number, kind, site);
        if is_free {
            world.hold(number, mode, site);
        }
        is_free
    });
    taken.unwrap_or(true)
}

/// Gives a lock back.
pub(crate) fn release(lock: LockId) {
    let tries = alive(|world| {
        let number = world.locks.numbers.get(&lock).copied();
        let number = number.unwrap_or(LockId::ISOLATED);
        (world.is_tried(number), world.state_lock(number))
    });
    if let Some((true, state)) = tries {
        suspend(State::Choice(Wanted::Section(state)));
    }
    alive(|world| {
        world.strand += 1;
        world.step();
        let number = world.locks.numbers.get(&lock).copied();
        let number = number.unwrap_or(LockId::ISOLATED);
        let (task, site) = (world.task(), SiteId::new(0));
        if world.is_tried(number) {
            world.tell_state(number, AccessKind::Write, site);
        }
        let held = world.locks.held.entry(number).or_default();
        if let Some(at) = held.iter().rposition(|&(holder, _)| holder == task) {
            held.remove(at);
            if !held.iter().any(|&(holder, _)| holder == task) {
                world.events.push(Event::Release { lock: number, site });
            }
        }
    });
}

/// The running task looks at what a lock protects, or changes it.
pub(crate) fn content(lock: LockId, kind: AccessKind, caller: Caller) {
    let number = alive(|world| world.locks.numbers.get(&lock).copied()).flatten();
    if let Some(number) = number {
        access(kind, CONTENTS + u64::from(number.raw()), 1, caller);
    }
}

impl World {
    fn hold(&mut self, lock: LockId, mode: LockMode, site: SiteId) {
        let task = self.task();
        let held = self.locks.held.entry(lock).or_default();
        // One taken again by a reader is the same section.
        let again = held.iter().any(|&(holder, _)| holder == task);
        held.push((task, mode));
        if !again {
            self.events.push(Event::Acquire { lock, mode, site });
        }
    }

    /// A section that reads or changes whether a lock is held.
    fn tell_state(&mut self, lock: LockId, kind: AccessKind, site: SiteId) {
        let state = self.state_lock(lock);
        let extent = Extent::new(Location(CONTENTS + u64::from(state.raw())), 1);
        let mode = LockMode::Exclusive;
        self.events.push(Event::Acquire {
            lock: state,
            mode,
            site,
        });
        self.events.push(match kind {
            AccessKind::Read => Event::Read { extent, site },
            AccessKind::Write => Event::Write { extent, site },
        });
        self.events.push(Event::Release { lock: state, site });
    }
}

/// The running task panics.
pub(in crate::explore) fn panics(panic: Panic) -> bool {
    alive(|world| {
        let site = world.common().numbers.panic(panic);
        world.made().memory.panics();
        world.events.push(Event::AssertionFailed { site });
    })
    .is_some()
        || is_explored()
}

fn mix(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    mixed ^ mixed >> 32
}
