//! One explored run: its tasks as coroutines on one thread, what they hold and what they wait for.
//!
//! A task goes on until it has to wait, ends, or stands before a choice operation. A task that is
//! spawned runs at once, and its creator goes on when it has ended or stopped, as in a serial run.
//! What happens is told as events, in the sequence in which it happens.
//!
//! # Safety
//! The world is reached through a thread-local pointer that is set while one of its coroutines runs,
//! or is unwound. No reference to it is kept while a coroutine is suspended.

mod acts;
mod stage;
mod state;

pub(crate) use acts::*;
pub(crate) use stage::shows;
pub(in crate::explore) use stage::{Order, Stage};
pub(crate) use state::{
    before_section, exclusive, exclusive_content, forget_since, refuse, returns_nothing, stored,
    stored_in, unsee,
};

use super::numbers::Numbers;
use crate::exec::{self, Job};
use crate::locks::LockLabel;
use crate::sites::Caller;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use heddle_core::{Awaited, Event, FinishId, LockId, LockMode, SiteId, TaskId, TaskKind};
use heddle_explore::{Choice, Operation};
use rustc_hash::FxHashMap;
use state::Memory;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Address space of a task's stack; memory is taken as it is used.
const STACK: usize = 1 << 20;

/// Stacks that are kept for the next run.
const POOLED: usize = 1024;

thread_local! {
    static WORLD: Cell<Option<NonNull<World>>> = const { Cell::new(None) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// What all runs of one program share.
#[derive(Debug, Default)]
pub(in crate::explore) struct Common {
    pub(in crate::explore) numbers: Numbers,
    /// Whether tasks may try locks: then it matters when others give them back.
    pub(in crate::explore) tries: bool,
    /// Whether one has, though it was not known before.
    pub(in crate::explore) tried: AtomicBool,
    /// Whether tasks and sections that return nothing leave nothing behind but shared values.
    pub(in crate::explore) forgets: bool,
    /// What the body does that cannot be explored.
    pub(in crate::explore) refused: Mutex<Option<String>>,
    /// Ends the search.
    pub(in crate::explore) stop: AtomicBool,
}

impl Common {
    fn refuse(&self, why: String) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.get_or_insert(why);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// See the module's documentation.
pub(in crate::explore) struct World {
    common: NonNull<Common>,
    slots: Vec<Slot>,
    /// The slot that runs, or ran last.
    running: usize,
    /// The task that the events belong to.
    told: Option<TaskId>,
    tasks: Vec<Made>,
    finishes: u32,
    tokens: u32,
    locks: Locks,
    /// Slots that can go on, the next one last.
    stack: Vec<usize>,
    events: Vec<Event>,
    /// The task that a choice among several took.
    chosen: Option<TaskId>,
    /// Changes wherever a strand may end.
    strand: u32,
    tries: bool,
    forgets: bool,
    is_dead: bool,
    /// Hashes of values that were written, by location.
    values: FxHashMap<u64, u64>,
    /// What numbers of locks and tokens stand for.
    meanings: Vec<[u64; 4]>,
    /// Which access comes first, in a run that shows that.
    stage: Option<Box<Stage>>,
}

type Task = Coroutine<(), (), (), DefaultStack>;

struct Slot {
    coroutine: Option<Task>,
    yielder: Option<NonNull<Yielder<(), ()>>>,
    /// The addresses of its stack.
    stack: Range<usize>,
    task: Option<TaskId>,
    state: State,
    ambient: exec::Ambient,
}

/// What a task that does not run is about to do.
enum State {
    /// It is on the stack of those that can go on.
    Ready,
    /// It stands before this.
    Choice(Wanted),
    /// It waits until this is so.
    Waits(Condition),
    Over,
}

/// Lists ended tasks that could be taken, and says whether there are others; on the stack of the task that
/// waits.
type EndedTasks = dyn Fn(&mut Vec<TaskId>) -> bool;

enum Wanted {
    Lock(LockId, LockMode, SiteId),
    /// Something that can always be done, told as a section of this lock.
    Section(LockId),
    Any(Condition, NonNull<EndedTasks>),
}

struct Condition {
    awaited: Awaited,
    site: SiteId,
    /// Lives on the stack of the task that waits.
    is_met: NonNull<dyn Fn() -> bool>,
}

/// What a task has made so far.
#[derive(Clone, Copy, Debug)]
struct Made {
    name: u64,
    tasks: u32,
    values: u32,
    finish: FinishId,
    memory: Memory,
}

#[derive(Debug, Default)]
struct Locks {
    /// The numbers of the locks met, by the numbers they have outside.
    numbers: FxHashMap<LockId, LockId>,
    /// How many of each place were met.
    met: FxHashMap<usize, u32>,
    held: FxHashMap<LockId, Vec<(TaskId, LockMode)>>,
}

/// Where a lock's value is found, beside the values that tasks make.
const CONTENTS: u64 = 1 << 36;

impl World {
    fn new(common: &Common) -> Box<Self> {
        let name = 0x6D61_696E;
        let main = Made {
            name,
            memory: Memory::new(name, TaskKind::Async),
            tasks: 0,
            values: 0,
            finish: FinishId::MAIN,
        };
        Box::new(Self {
            common: NonNull::from(common),
            slots: Vec::new(),
            running: 0,
            told: Some(TaskId::MAIN),
            tasks: vec![main],
            finishes: 0,
            tokens: 0,
            locks: Locks::default(),
            stack: Vec::new(),
            events: Vec::new(),
            chosen: None,
            strand: 0,
            tries: common.tries,
            forgets: common.forgets,
            is_dead: false,
            values: FxHashMap::default(),
            meanings: Vec::new(),
            stage: None,
        })
    }

    fn common(&self) -> &'static Common {
        // SAFETY: what all runs share lives longer than any of them, and than this reference is used.
        unsafe { self.common.as_ref() }
    }

    /// What can be chosen now.
    pub(in crate::explore) fn choices(&self, into: &mut Vec<Choice>) {
        for slot in &self.slots {
            let (Some(task), State::Choice(wanted)) = (slot.task, &slot.state) else {
                continue;
            };
            match wanted {
                Wanted::Lock(lock, mode, _) if self.is_free(*lock, *mode) => {
                    let operation = Operation::Acquire(self.chosen_lock(*lock));
                    into.push(Choice { task, operation });
                }
                Wanted::Lock(..) => {}
                Wanted::Section(lock) => {
                    let operation = Operation::Acquire(*lock);
                    into.push(Choice { task, operation });
                }
                Wanted::Any(_, ended) => {
                    let mut tasks = Vec::new();
                    // SAFETY: the closure is on the stack of a suspended task of this run.
                    let more = unsafe { ended.as_ref() }(&mut tasks);
                    let operations = tasks.into_iter().map(|task| Operation::Join { task, more });
                    into.extend(operations.map(|operation| Choice { task, operation }));
                }
            }
        }
    }

    /// The locks that tasks stand before and cannot take.
    pub(in crate::explore) fn blocked(&self, into: &mut Vec<Choice>) {
        for slot in &self.slots {
            if let (Some(task), State::Choice(Wanted::Lock(lock, mode, _))) =
                (slot.task, &slot.state)
                && !self.is_free(*lock, *mode)
            {
                let operation = Operation::Acquire(*lock);
                into.push(Choice { task, operation });
            }
        }
    }

    /// The lock by which taking this one is told.
    fn chosen_lock(&self, lock: LockId) -> LockId {
        match self.is_tried(lock) {
            true => self.state_lock(lock),
            false => lock,
        }
    }

    /// Whether tasks may try this lock.
    fn is_tried(&self, lock: LockId) -> bool {
        self.tries && lock != LockId::ISOLATED
    }

    /// The lock and the location that stand for whether a lock is held.
    fn state_lock(&self, lock: LockId) -> LockId {
        LockId::new(lock.raw() + 1)
    }

    fn is_free(&self, lock: LockId, mode: LockMode) -> bool {
        let held = self.locks.held.get(&lock);
        let mut held = held.into_iter().flatten();
        !held.any(|&(_, how)| how.excludes(mode))
    }

    /// Lets a task do what it stands before.
    fn choose(&mut self, choice: Choice) {
        let mut slots = self.slots.iter();
        let Some(slot) = slots.position(|slot| slot.task == Some(choice.task)) else {
            return;
        };
        if let Operation::Join { task, .. } = choice.operation {
            self.chosen = Some(task);
        }
        self.slots[slot].state = State::Ready;
        self.stack.push(slot);
    }

    fn next(&mut self) -> Option<usize> {
        if let Some(slot) = self.stack.pop() {
            return Some(slot);
        }
        let ready = |slot: &Slot| match &slot.state {
            // SAFETY: the closure is on the stack of a suspended task of this run.
            State::Waits(condition) => unsafe { condition.is_met.as_ref()() },
            _ => false,
        };
        let slot = self.slots.iter().position(ready)?;
        self.slots[slot].state = State::Ready;
        Some(slot)
    }

    /// The next task that can go on, taken out of its slot.
    fn take_next(&mut self) -> Option<(Task, exec::Ambient)> {
        let number = self.next()?;
        self.running = number;
        let slot = &mut self.slots[number];
        let (coroutine, ambient, task) = (slot.coroutine.take()?, slot.ambient, slot.task);
        if let Some(task) = task.filter(|&task| self.told != Some(task)) {
            self.told = Some(task);
            self.events.push(Event::Resume { task });
        }
        Some((coroutine, ambient))
    }

    /// It has stopped, or is over.
    fn put_back(&mut self, coroutine: Option<Task>, ambient: exec::Ambient) {
        let slot = &mut self.slots[self.running];
        if coroutine.is_none() {
            slot.state = State::Over;
        }
        slot.coroutine = coroutine;
        slot.ambient = ambient;
    }

    fn add(&mut self, job: Job) -> usize {
        let pooled = STACKS.with_borrow_mut(Vec::pop);
        let stack = pooled
            .unwrap_or_else(|| DefaultStack::new(STACK).expect("memory for the stack of a task"));
        let addresses = stack.limit().get()..stack.base().get();
        let body = move |yielder: &Yielder<(), ()>, ()| {
            with(|world| {
                let running = world.running;
                world.slots[running].yielder = Some(NonNull::from(yielder));
            });
            job();
        };
        self.slots.push(Slot {
            coroutine: Some(Coroutine::with_stack(stack, body)),
            yielder: None,
            stack: addresses,
            task: None,
            state: State::Ready,
            ambient: exec::Ambient::default(),
        });
        self.slots.len() - 1
    }

    /// If nothing can be chosen: whoever is not over waits for ever.
    fn stuck(&mut self) {
        let mut choices = Vec::new();
        self.choices(&mut choices);
        if !choices.is_empty() {
            return;
        }
        for slot in &self.slots {
            let Some(task) = slot.task else { continue };
            let (awaited, site) = match &slot.state {
                State::Choice(Wanted::Lock(lock, _, site)) => (Awaited::Lock(*lock), *site),
                State::Choice(Wanted::Any(condition, _)) | State::Waits(condition) => {
                    (condition.awaited, condition.site)
                }
                _ => continue,
            };
            self.events.push(Event::Stuck {
                task,
                awaited,
                site,
            });
        }
    }

    fn task(&self) -> TaskId {
        self.told.unwrap_or(TaskId::MAIN)
    }

    fn made(&mut self) -> &mut Made {
        let task = self.task();
        &mut self.tasks[task.index()]
    }

    fn site(&self, caller: Caller) -> SiteId {
        self.common().numbers.site(caller)
    }

    /// The number of a lock in this run.
    fn lock(&mut self, lock: LockId, label: Option<(&LockLabel, usize)>) -> LockId {
        let Some((label, address)) = label else {
            return LockId::ISOLATED;
        };
        if let Some(&known) = self.locks.numbers.get(&lock) {
            return known;
        }
        let (place, numbers) = (label.place(), &self.common().numbers);
        let met = self.locks.met.entry(place).or_default();
        let number = numbers.lock(place, *met, label);
        *met += 1;
        self.locks.numbers.insert(lock, number);
        self.mean(number, address);
        number
    }
}

/// A run that stands at a choice point or is over.
pub(in crate::explore) struct Standing(NonNull<World>);

impl Standing {
    /// Starts the main task and runs it up to the first choice point.
    pub(in crate::explore) fn start(common: &Common, main: Job) -> Self {
        Self::begin(World::new(common), main)
    }

    /// The same for a run in which two accesses come in a given order.
    pub(in crate::explore) fn staged(common: &Common, main: Job, stage: Stage) -> Self {
        let mut world = World::new(common);
        world.stage = Some(Box::new(stage));
        Self::begin(world, main)
    }

    fn begin(mut world: Box<World>, main: Job) -> Self {
        let slot = world.add(main);
        world.slots[slot].task = Some(TaskId::MAIN);
        world.stack.push(slot);
        let standing = Self(NonNull::from(Box::leak(world)));
        standing.go_on();
        standing
    }

    /// What is known of it.
    pub(in crate::explore) fn world(&self) -> &World {
        // SAFETY: no coroutine runs, so that nobody else uses the world.
        unsafe { self.0.as_ref() }
    }

    fn world_mut(&mut self) -> &mut World {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }

    /// Lets a task do what it stands before, and all go on up to the next choice point.
    pub(in crate::explore) fn take(&mut self, choice: Choice) {
        self.world_mut().choose(choice);
        self.go_on();
    }

    /// The events since the last call.
    pub(in crate::explore) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.world_mut().events)
    }

    /// Runs every task as far as it goes without a choice.
    fn go_on(&self) {
        let before = WORLD.replace(Some(self.0));
        while let Some((mut coroutine, ambient)) = with(World::take_next).flatten() {
            let outside = exec::replace_ambient(ambient);
            let result = coroutine.resume(());
            let ambient = exec::replace_ambient(outside);
            let left = match result {
                CoroutineResult::Yield(()) => Some(coroutine),
                CoroutineResult::Return(()) => {
                    recycle(coroutine);
                    None
                }
            };
            with(|world| world.put_back(left, ambient));
        }
        with(World::stuck);
        WORLD.set(before);
    }
}

impl Drop for Standing {
    /// Ends what is not over, the latest tasks first: they may refer to what others have on their stacks.
    fn drop(&mut self) {
        let world = self.world_mut();
        world.is_dead = true;
        let unfinished: Vec<_> = world
            .slots
            .iter_mut()
            .filter_map(|slot| Some((slot.coroutine.take()?, slot.ambient)))
            .collect();
        let before = WORLD.replace(Some(self.0));
        for (mut coroutine, ambient) in unfinished.into_iter().rev() {
            let outside = exec::replace_ambient(ambient);
            coroutine.force_unwind();
            exec::replace_ambient(outside);
            recycle(coroutine);
        }
        WORLD.set(before);
        // SAFETY: made by `Box::leak` in `start`, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

fn recycle(coroutine: Task) {
    let stack = coroutine.into_stack();
    STACKS.with_borrow_mut(|stacks| {
        if stacks.len() < POOLED {
            stacks.push(stack);
        }
    });
}

/// Calls `f` with the world whose coroutine runs.
fn with<R>(f: impl FnOnce(&mut World) -> R) -> Option<R> {
    let mut world = WORLD.get()?;
    // SAFETY: the pointer is set while the world lives and one of its coroutines runs on this
    // thread; `f` is code of this module that neither suspends nor calls user code.
    Some(f(unsafe { world.as_mut() }))
}

/// The same, unless the run is being ended.
fn alive<R>(f: impl FnOnce(&mut World) -> R) -> Option<R> {
    with(|world| (!world.is_dead).then(|| f(world))).flatten()
}

/// Whether an explored task runs on this thread.
#[inline]
pub(crate) fn is_explored() -> bool {
    WORLD.get().is_some()
}

/// What was told for a strand holds until this number changes.
pub(crate) fn strand() -> u32 {
    with(|world| world.strand).unwrap_or(u32::MAX)
}

/// Suspends the running task in this state. A task that is being unwound cannot be suspended.
fn suspend(state: State) {
    let yielder = alive(|world| {
        let running = world.running;
        let slot = &mut world.slots[running];
        if std::thread::panicking() {
            return None;
        }
        world.strand += 1;
        slot.state = state;
        slot.yielder
    });
    if let Some(yielder) = yielder.flatten() {
        // SAFETY: the yielder is the one of the coroutine that runs, and lives as long as that does.
        unsafe { yielder.as_ref() }.suspend(());
    }
}
