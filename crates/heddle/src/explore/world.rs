//! One explored run: its tasks as coroutines on one thread, what they hold and what they wait for.
//!
//! A task goes on until it has to wait, ends, or stands before a choice operation. A task that is
//! spawned runs at once, and its creator goes on when it has ended or stopped, as in a serial run.
//! What happens is told as events, in the sequence in which it happens.
//!
//! # Safety
//! The world is reached through a thread-local pointer that is set while one of its coroutines runs,
//! or is unwound. No reference to it is kept while a coroutine is suspended.

use super::numbers::{Numbers, Panic};
use crate::exec::{self, Job};
use crate::locations::Label;
use crate::locks::LockLabel;
use crate::sites::Caller;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use heddle_core::{
    AccessKind, Awaited, Event, Extent, FinishId, FinishKind, Location, LockId, LockMode, NameId,
    SiteId, TaskId, TaskKind, TokenId,
};
use heddle_explore::{Choice, Operation};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

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
pub(super) struct Common {
    pub(super) numbers: Numbers,
    /// Whether tasks may try locks: then it matters when others give them back.
    pub(super) tries: bool,
    /// Whether one has, though it was not known before.
    pub(super) tried: AtomicBool,
}

/// See the module's documentation.
pub(super) struct World {
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
    is_dead: bool,
}

type Task = Coroutine<(), (), (), DefaultStack>;

struct Slot {
    coroutine: Option<Task>,
    yielder: Option<NonNull<Yielder<(), ()>>>,
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

enum Wanted {
    Lock(LockId, LockMode, SiteId),
    /// Something that can always be done, told as a section of this lock.
    Section(LockId),
    Any(Condition, NonNull<dyn Fn(&mut Vec<TaskId>) -> bool>),
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
        let main = Made {
            name: 0x6D61_696E,
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
            is_dead: false,
        })
    }

    fn common(&self) -> &'static Common {
        // SAFETY: what all runs share lives longer than any of them, and than this reference is used.
        unsafe { self.common.as_ref() }
    }

    /// What can be chosen now.
    pub(super) fn choices(&self, into: &mut Vec<Choice>) {
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
    pub(super) fn blocked(&self, into: &mut Vec<Choice>) {
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
    fn lock(&mut self, lock: LockId, label: Option<&LockLabel>) -> LockId {
        let Some(label) = label else {
            return LockId::ISOLATED;
        };
        if let Some(&known) = self.locks.numbers.get(&lock) {
            return known;
        }
        let place = label.place();
        let met = self.locks.met.entry(place).or_default();
        let number = self.common.as_numbers().lock(place, *met, label);
        *met += 1;
        self.locks.numbers.insert(lock, number);
        number
    }
}

/// Access to the numbers without borrowing the world.
trait AsNumbers {
    fn as_numbers(&self) -> &'static Numbers;
}

impl AsNumbers for NonNull<Common> {
    fn as_numbers(&self) -> &'static Numbers {
        // SAFETY: see `World::common`.
        &unsafe { self.as_ref() }.numbers
    }
}

/// A run that stands at a choice point or is over.
pub(super) struct Standing(NonNull<World>);

impl Standing {
    /// Starts the main task and runs it up to the first choice point.
    pub(super) fn start(common: &Common, main: Job) -> Self {
        let mut world = World::new(common);
        let slot = world.add(main);
        world.slots[slot].task = Some(TaskId::MAIN);
        world.stack.push(slot);
        let standing = Self(NonNull::from(Box::leak(world)));
        standing.go_on();
        standing
    }

    /// What is known of it.
    pub(super) fn world(&self) -> &World {
        // SAFETY: no coroutine runs, so that nobody else uses the world.
        unsafe { self.0.as_ref() }
    }

    fn world_mut(&mut self) -> &mut World {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }

    /// Lets a task do what it stands before, and all go on up to the next choice point.
    pub(super) fn take(&mut self, choice: Choice) {
        self.world_mut().choose(choice);
        self.go_on();
    }

    /// The events since the last call.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
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

/// The running explored task.
pub(crate) fn task() -> Option<TaskId> {
    with(|world| world.task())
}

/// The running task creates one.
pub(crate) fn spawn(into: Option<FinishId>, kind: TaskKind, caller: Caller) -> Option<TaskId> {
    alive(|world| {
        let site = world.site(caller);
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
        });
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
        world.told = None;
    });
}

/// The running task opens a finish.
pub(crate) fn finish_begin(caller: Caller) -> FinishId {
    let opened = alive(|world| {
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
    alive(|world| world.events.push(Event::Join { task, site }));
}

/// What the running task did so far precedes whoever waits for the token.
pub(crate) fn signal() -> Option<u32> {
    alive(|world| {
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
        for &signal in signals {
            let (token, site) = (TokenId::new(signal), SiteId::new(0));
            world.events.push(Event::Wait { token, site });
        }
    });
}

/// The running task accesses locations.
pub(crate) fn access(kind: AccessKind, start: u64, len: u64, caller: Caller) {
    alive(|world| {
        let site = world.site(caller);
        let extent = Extent::new(Location(start), len);
        world.events.push(match kind {
            AccessKind::Read => Event::Read { extent, site },
            AccessKind::Write => Event::Write { extent, site },
        });
    });
}

/// Numbers for a value that the running task makes; none outside of exploration.
pub(crate) fn locations(len: u64, label: Option<Label>) -> Option<u64> {
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
    alive(|world| world.chosen.take()).flatten()
}

fn erased<'a>(condition: &'a (dyn Fn() -> bool + 'a)) -> NonNull<dyn Fn() -> bool> {
    // SAFETY: only the lifetime changes; it is called only while the task that owns it is suspended.
    unsafe {
        std::mem::transmute::<NonNull<dyn Fn() -> bool + 'a>, NonNull<dyn Fn() -> bool + 'static>>(
            NonNull::from(condition),
        )
    }
}

/// Takes a lock, when it is this task's turn. `label` is none for the one of isolated sections.
pub(crate) fn acquire(lock: LockId, label: Option<&LockLabel>, mode: LockMode, caller: Caller) {
    let wanted = alive(|world| {
        let number = world.lock(lock, label);
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

/// Takes a lock if it is free. Whether it was.
pub(crate) fn try_acquire(lock: LockId, label: &LockLabel, mode: LockMode, caller: Caller) -> bool {
    let wanted = alive(|world| {
        let is_new = !world.tries;
        world.common().tried.fetch_or(is_new, Ordering::Relaxed);
        let number = world.lock(lock, Some(label));
        (number, world.site(caller), world.state_lock(number))
    });
    let Some((number, site, state)) = wanted else {
        return true;
    };
    suspend(State::Choice(Wanted::Section(state)));
    let taken = alive(|world| {
        let is_free = world.is_free(number, mode);
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
pub(super) fn panics(panic: Panic) -> bool {
    alive(|world| {
        let site = world.common().numbers.panic(panic);
        world.events.push(Event::AssertionFailed { site });
    })
    .is_some()
        || is_explored()
}

fn mix(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    mixed ^ mixed >> 32
}
