//! What the runtime knows of the thread that calls it.
//!
//! Two words of thread-local storage ([`crate::words`]) lead to it: the thread's record while its
//! accesses are checked (null otherwise, which is all that the common path tests), and the record
//! itself.

use crate::access::GRANULE;
use crate::busy;
use crate::own_stack::{self, Stacks};
use crate::reclaim::{self, Activity};
use crate::runtime::{Runtime, runtime};
use crate::stack::{self, Gaps, Stack};
use crate::unshared;
use crate::words;
use heddle_core::AccessKind;
use heddle_rt::{Cursor, Engine, Known, Taking, ThreadCache, View};
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// A thread of the program.
#[derive(Debug)]
pub struct Thread {
    /// For the common path: no look-up of the runtime.
    pub(crate) view: View,
    /// What it remembers.
    pub cache: ThreadCache,
    /// The run's engine.
    pub(crate) engine: &'static Engine,
    /// Where the task it executes stands.
    pub cursor: Cursor,
    /// Its stack.
    pub stack: &'static Stack,
    /// Its own thread-local storage.
    pub storage: Range<usize>,
    /// Below this, nobody else knows of what lies on its stack ([`crate::unshared`]).
    pub(crate) unshared_below: usize,
    /// Whether nobody else knows of some task's record.
    pub(crate) has_unshared_record: bool,
    /// Where it need not look for stacks.
    pub(crate) gaps: Gaps,
    /// While above 0 its accesses are not checked.
    pub ignore: u32,
    /// What matters to giving back what is unused.
    pub(crate) activity: Activity,
    /// The granule of a volatile read that was checked, and made since; 0 if the thread has entered since then.
    pub(crate) awaited: u64,
    /// Its last wait at a condition variable, in the section that it is still in.
    pub(crate) last_wait: Option<crate::pthread::Signalled>,
    /// How often it has taken each lock of the program's own making that it has taken more than once.
    pub(crate) again: Vec<(usize, u32)>,
    /// Whether accesses may be made in the quick way.
    pub(crate) is_quick: bool,
    /// What it remembers of OpenMP.
    pub openmp: crate::openmp::Local,
    /// What it remembers of tasks by our own interface.
    pub api: crate::api::Local,
    /// What it remembers of event-driven tasks.
    pub ocr: crate::ocr::Local,
    /// Threads are numbered as they start.
    pub number: u32,
    /// What the runtime executes on.
    stacks: Option<Stacks>,
    inside: bool,
}

// What `hooks/hooks.s` and `hooks/hooks.ll` rely on.
const _: () = {
    assert!(matches!(Known::PARTS, [0, 8, 8200, 16392, 16400]));
    assert!(matches!(Taking::PARTS, [0, 96, 24672, 24, 49248]));
};

static THREADS: AtomicU32 = AtomicU32::new(0);

/// The calling thread's record, if its accesses are to be checked.
#[inline(always)]
pub(crate) fn checked() -> Option<&'static mut Thread> {
    let thread = words::checked() as *mut Thread;
    // SAFETY: the word is null or the calling thread's record, which lives as long as the thread; it is
    // null while `enter` has lent the record out.
    (!thread.is_null()).then(|| unsafe { &mut *thread })
}

/// What the hooks in an executable (`hooks/hooks.s`) need from the library, and it from them.
#[repr(C)]
struct Hooks {
    /// Set by the library: the state of the first granule, and which blocks of states have memory.
    states: *const (),
    settled: *const (),
    /// What the calling thread knows, in the executable's own thread-local storage.
    known: extern "C" fn() -> NonNull<Known>,
}

/// The executable's; null if it was linked without hooks of its own.
static HOOKS: AtomicPtr<Hooks> = AtomicPtr::new(null_mut());

/// Called by the hooks in the executable when it starts.
#[unsafe(no_mangle)]
extern "C" fn heddle_register_hooks(hooks: &'static mut Hooks) {
    if let Some(runtime) = runtime() {
        let view = runtime.engine.view();
        (hooks.states, hooks.settled) = (view.states(), view.settled());
        HOOKS.store(hooks, Ordering::Release);
    }
    let thread = words::record() as *mut Thread;
    if !thread.is_null() {
        // SAFETY: the calling thread's record, which is not lent out: the executable's start-up calls.
        unsafe { &mut *thread }.use_hooks();
    }
}

/// Runs `f` with the calling thread's record. None if the program is not checked now, or if the
/// runtime is already at work on this thread.
///
/// What the program does meanwhile may tell others of all that lies on the thread's stack now.
#[inline]
pub fn enter<R>(f: impl FnOnce(&'static Runtime, &mut Thread) -> R) -> Option<R> {
    unshared::ends_here();
    enter_alone(f)
}

/// The same for what tells nobody of what lies on the stack, or says itself of how much.
#[inline]
pub(crate) fn enter_alone<R>(f: impl FnOnce(&'static Runtime, &mut Thread) -> R) -> Option<R> {
    let thread = words::record() as *mut Thread;
    if thread.is_null() {
        return None;
    }
    let busy = busy::begin();
    // SAFETY: the calling thread's record; `inside` makes sure that it is lent out once.
    let thread = unsafe { &mut *thread };
    if std::mem::replace(&mut thread.inside, true) {
        return None;
    }
    thread.activity.enter();
    thread.uncheck();
    let result = runtime().map(|runtime| {
        own_stack::call(|| {
            thread.look_back();
            f(runtime, thread)
        })
    });
    thread.inside = false;
    thread.cache.follow(thread.cursor.strand());
    if thread.ignore == 0 && result.is_some() {
        thread.check();
    }
    let has_strand = thread.cursor.strand() != 0;
    let is_due = thread.activity.leave(has_strand) && thread.engine.wants_reclaim();
    drop(busy);
    if is_due && !busy::is_inside() {
        reclaim::reclaim();
    }
    result
}

/// The calling thread may be about to wait for long: no step between states is under way on it from now on, so that what is
/// unused can be given back meanwhile.
pub(crate) fn rests() {
    enter(|runtime, thread| runtime.engine.rest(&mut thread.cursor));
}

impl Thread {
    /// The value of the last volatile read may be that of a write that was noted only after the read was checked.
    #[inline]
    fn look_back(&mut self) {
        if self.awaited != 0 {
            let granule = std::mem::take(&mut self.awaited);
            self.engine
                .look_back(&mut self.cache, &mut self.cursor, granule);
        }
    }

    /// An access begins, to any number of granules.
    pub(crate) fn begin_access(&mut self) {
        self.engine.begin_access(&mut self.cache, &mut self.cursor);
    }
}

/// The calling thread starts to be checked, as whatever task stands at `cursor`.
pub fn attach(cursor: Cursor) {
    let Some(runtime) = runtime() else { return };
    if words::record() != 0 {
        return;
    }
    let _busy = busy::begin();
    let stacks = Stacks::take();
    let thread = Box::new(Thread {
        view: runtime.engine.view(),
        cache: ThreadCache::new(),
        engine: &runtime.engine,
        cursor,
        stack: stack::register(),
        storage: stack::thread_local_storage(),
        unshared_below: 0,
        has_unshared_record: false,
        gaps: Gaps::default(),
        ignore: 0,
        activity: Activity::default(),
        awaited: 0,
        last_wait: None,
        again: Vec::new(),
        is_quick: runtime.engine.is_quick(),
        openmp: crate::openmp::Local::default(),
        api: crate::api::Local::default(),
        ocr: crate::ocr::Local::default(),
        number: THREADS.fetch_add(1, Ordering::Relaxed),
        stacks,
        inside: false,
    });
    // Another thread, now over, may have had its storage at the same place.
    crate::access::forget(thread.storage.start, thread.storage.len());
    let thread = Box::into_raw(thread);
    words::set_record(thread.addr());
    // SAFETY: just made, and only this thread knows it.
    let thread = unsafe { &mut *thread };
    busy::register();
    reclaim::register(thread);
    if let Some(stacks) = thread.stacks {
        words::set_stack(stacks.top());
        crate::signal::use_alternate(stacks);
    }
    thread.use_hooks();
    thread.unshare_below(usize::MAX);
    thread.check();
}

/// The calling thread is not checked any more. Gives back where its task stood.
pub fn detach() -> Option<Cursor> {
    let thread = words::record() as *mut Thread;
    if thread.is_null() {
        return None;
    }
    let _busy = busy::begin();
    busy::unregister();
    reclaim::unregister(thread);
    words::set_record(0);
    // SAFETY: the record was boxed by `attach`, and nobody refers to it any more.
    let mut thread = unsafe { Box::from_raw(thread) };
    thread.uncheck();
    thread.cache.leave();
    stack::unregister(thread.stack);
    if let Some(stacks) = thread.stacks {
        words::set_stack(0);
        crate::signal::leave_alternate(stacks);
        stacks.give_back();
    }
    Some(thread.cursor)
}

/// The runtime's stacks for the calling thread.
pub(crate) fn stacks() -> Option<Stacks> {
    let thread = words::record() as *const Thread;
    // SAFETY: null or the calling thread's record; this part of it is never changed.
    unsafe { (!thread.is_null()).then(|| (&raw const (*thread).stacks).read())? }
}

/// Whether the calling thread is in the section in which it last waited at a condition variable.
pub(crate) fn has_waited() -> bool {
    let thread = words::record() as *const Thread;
    // SAFETY: null or the calling thread's record; no other thread changes this part of it.
    !thread.is_null() && unsafe { (*thread).last_wait.is_some() }
}

/// Whether the calling thread has a record.
pub fn is_attached() -> bool {
    words::record() != 0
}

impl Thread {
    /// Takes the step that the running strand took before at `pc`, if there is one for this granule.
    #[inline]
    pub(crate) fn take_again(&self, kind: AccessKind, granule: u64, mask: u8, pc: usize) -> bool {
        // SAFETY: the run's engine is never dropped, and there is one only.
        unsafe { self.cache.take_again(self.view, kind, granule, mask, pc) }
    }

    /// What it knows lies where the executable's own hooks look, if it has any.
    fn use_hooks(&mut self) {
        let hooks = HOOKS.load(Ordering::Acquire);
        if !hooks.is_null() {
            // SAFETY: the executable's, which is never unloaded. Its thread-local storage is the calling
            // thread's own and lives as long; it is in zeros until the record moves there, and after `leave`.
            unsafe { self.cache.move_to(((*hooks).known)()) };
        }
    }

    /// Its accesses are checked from now on.
    #[inline]
    fn check(&mut self) {
        self.cache.open_steps();
        words::set_checked(std::ptr::from_mut(self).addr());
    }

    /// They are not: those that are not known are passed over.
    #[inline]
    fn uncheck(&mut self) {
        self.cache.close_steps();
        words::set_checked(0);
    }

    /// Whether the running strand has made such an access before.
    #[inline(always)]
    pub(crate) fn has_made(&self, kind: AccessKind, granule: u64, mask: u8) -> bool {
        // SAFETY: the run's engine is never dropped.
        unsafe { self.cache.has_made(self.view, kind, granule, mask) }
    }

    /// Where granules begin of which that is not known, as a whole.
    #[inline]
    pub(crate) fn known_until(&self, kind: AccessKind, granules: Range<u64>) -> u64 {
        // SAFETY: the run's engine is never dropped.
        unsafe { self.cache.known_until(self.view, kind, granules) }
    }

    /// Below `base`, nothing on this thread's stack is older than now: a task starts there, or the
    /// task that was interrupted there goes on.
    pub fn stack_starts(&mut self, base: usize) {
        self.stack_forgets(base);
        self.unshare_below(base);
    }

    /// The same, but for what others know of the stack.
    pub(crate) fn stack_forgets(&mut self, base: usize) {
        let void = self.stack.starts(base);
        let (first, end) = (void.start.div_ceil(GRANULE), void.end / GRANULE);
        if first < end {
            self.engine.forget(first as u64, (end - first) as u64);
        }
    }
}
