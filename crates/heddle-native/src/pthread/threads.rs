//! Threads: a created thread is a task; whoever joins it comes after its end.
//!
//! The task's end is noted when the thread's own destructors have run, by a destructor of ours that has
//! itself called again until the last round: so a thread that returns, exits or is cancelled ends in one
//! way, and what other destructors access is still its own.

use super::precedence;
use super::room::Roomy;
use crate::busy;
use crate::report::unseen::THREADS;
use crate::runtime::{Runtime, runtime};
use crate::shim::{behind, export};
use crate::thread::{self, Thread};
use crate::{access, caller};
use ::libc::{clockid_t, pthread_attr_t, pthread_key_t, pthread_t, timespec};
use heddle_core::TaskKind;
use heddle_rt::{Cursor, EndPoint, FinishScope, Kept};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

type Pointer = *mut c_void;
pub(super) type Routine<R> = unsafe extern "C-unwind" fn(Pointer) -> R;

behind! {
    fn pthread_create(id: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine<Pointer>, argument: Pointer) -> c_int;
    fn pthread_join(id: pthread_t, result: *mut Pointer) -> c_int;
    fn pthread_tryjoin_np(id: pthread_t, result: *mut Pointer) -> c_int;
    fn pthread_timedjoin_np(id: pthread_t, result: *mut Pointer, until: *const timespec) -> c_int;
    fn pthread_clockjoin_np(id: pthread_t, result: *mut Pointer, clock: clockid_t, until: *const timespec) -> c_int;
}

/// How often glibc goes through a thread's destructors.
const ROUNDS: usize = 4;

/// What a new thread begins with.
pub(super) struct Start<R> {
    routine: Routine<R>,
    argument: Pointer,
    cursor: Cursor,
    number: u32,
}

/// Ends of threads that nobody has joined yet. That of a detached thread stays until another thread
/// gets its id.
static ENDS: Mutex<Option<Box<FxHashMap<pthread_t, EndPoint>>>> = Mutex::new(None);

fn ends<R>(f: impl FnOnce(&mut FxHashMap<pthread_t, EndPoint>) -> R) -> R {
    let mut ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    f(ends.get_or_insert_with(Box::default))
}

/// Tells the ends that may still be joined.
pub(crate) fn list(kept: &mut Kept) {
    ends(|ends| ends.values().for_each(|end| kept.end(end)));
}

/// Creates a thread by `create`, which is given what it begins with: as a task, if the call at `pc` is the
/// program's and checked.
pub(super) fn created<R>(
    routine: Routine<R>,
    argument: Pointer,
    pc: usize,
    create: impl FnOnce(Routine<R>, Pointer) -> c_int,
) -> c_int {
    let checked = caller::is_program(pc) && key().is_some();
    let cursor = checked.then(|| thread::enter(|runtime, thread| spawn(runtime, thread, pc)));
    let Some(cursor) = cursor.flatten() else {
        return create(routine, argument);
    };
    let start = Box::into_raw(Box::new(Start {
        routine,
        argument,
        cursor,
        number: precedence::creates(),
    }));
    THREADS.begin(0);
    let status = create(begin::<R>, start.cast());
    if status != 0 {
        THREADS.end(0);
        precedence::creates_none();
        // SAFETY: no thread has begun with it.
        drop(unsafe { Box::from_raw(start) });
    }
    status
}

fn spawn(runtime: &Runtime, thread: &mut Thread, pc: usize) -> Cursor {
    let scope = Some(&FinishScope::MAIN);
    let site = access::site(pc);
    let cursor = runtime
        .engine
        .spawn(&mut thread.cursor, scope, TaskKind::Thread, site, None);
    crate::report::witness::created(cursor.task(), pc);
    cursor
}

/// The first function of a thread. Nothing of it is left to clean up when the program's own begins: that
/// may not return.
unsafe extern "C-unwind" fn begin<R>(start: Pointer) -> R {
    // SAFETY: `created` made it for this thread alone.
    let start = *unsafe { Box::from_raw(start.cast::<Start<R>>()) };
    thread::attach(start.cursor);
    // Nothing on this stack is older, whoever had it before.
    thread::enter(|_, thread| thread.stack_starts(usize::MAX));
    if let Some(key) = key() {
        // SAFETY: the key is ours; its value is a number.
        unsafe { ::libc::pthread_setspecific(key, ROUNDS as Pointer) };
    }
    precedence::begins(start.number);
    // SAFETY: the program's own function and argument.
    unsafe { (start.routine)(start.argument) }
}

/// One more than the key whose destructor ends threads; 0 if there is none yet.
static KEY: AtomicU64 = AtomicU64::new(0);

fn key() -> Option<pthread_key_t> {
    if KEY.load(Ordering::Acquire) == 0 {
        make_key();
    }
    let key = KEY.load(Ordering::Acquire).checked_sub(1)?;
    pthread_key_t::try_from(key).ok()
}

/// Whether the calling thread comes by [`ending`].
pub(crate) fn tells_its_end() -> bool {
    // SAFETY: a plain query of our key.
    key().is_some_and(|key| !unsafe { ::libc::pthread_getspecific(key) }.is_null())
}

#[cold]
fn make_key() {
    let mut key = 0;
    // SAFETY: a place for the key; the destructor stays loaded.
    if unsafe { ::libc::pthread_key_create(&mut key, Some(ending)) } != 0 {
        return;
    }
    let ours = KEY.compare_exchange(0, u64::from(key) + 1, Ordering::AcqRel, Ordering::Acquire);
    if ours.is_err() {
        // SAFETY: nobody knows this key.
        unsafe { ::libc::pthread_key_delete(key) };
    }
}

/// The calling thread ends, after this many rounds of destructors.
unsafe extern "C" fn ending(rounds: Pointer) {
    if rounds as usize == ROUNDS {
        precedence::arrives();
        crate::cxx::thread_ends();
    }
    if let (2.., Some(key)) = (rounds as usize, key()) {
        // SAFETY: the key is ours; its value is a number.
        unsafe { ::libc::pthread_setspecific(key, (rounds as usize - 1) as Pointer) };
        return;
    }
    // Until its end is noted, nothing that its task refers to may be given back.
    let _busy = busy::begin();
    if let (Some(cursor), Some(runtime)) = (thread::detach(), runtime()) {
        THREADS.end(0);
        let end = runtime.engine.end(cursor);
        // SAFETY: a plain query.
        let id = unsafe { ::libc::pthread_self() };
        ends(|ends| ends.insert(id, end));
    }
}

/// A call at `pc` to join the thread has returned `status`; passes it on.
pub(super) fn joined(id: pthread_t, status: c_int, pc: usize) -> c_int {
    if status == 0 && caller::is_program(pc) {
        thread::enter(|runtime, thread| {
            if let Some(end) = ends(|ends| ends.remove(&id)) {
                runtime.engine.join(&mut thread.cursor, end);
                crate::report::witness::joined(end.task(), pc);
            }
        });
    }
    status
}

/// A call at `pc`, which is made by `join`, joins a thread and gets its result.
fn joined_for(
    id: pthread_t,
    result: *mut Pointer,
    pc: usize,
    join: impl FnOnce() -> c_int,
) -> c_int {
    precedence::admits();
    thread::rests();
    let status = joined(id, join(), pc);
    if status == 0 && !result.is_null() && caller::is_program(pc) {
        access::write(result as usize, size_of::<Pointer>(), pc);
    }
    status
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["pthread_create"] fn create(id: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine<Pointer>, argument: Pointer) at pc -> c_int {
        crate::api::turns::refuse_thread();
        let status = created(routine, argument, pc, |routine, argument| {
            let roomy = Roomy::new(attributes);
            // SAFETY: see above.
            unsafe { pthread_create(id, roomy.attributes(attributes), routine, argument) }
        });
        if status == 0 && caller::is_program(pc) {
            access::write(id as usize, size_of::<pthread_t>(), pc);
        }
        status
    }

    ["pthread_join"] fn join(id: pthread_t, result: *mut Pointer) at pc -> c_int {
        // SAFETY: see above.
        joined_for(id, result, pc, || unsafe { pthread_join(id, result) })
    }

    ["pthread_tryjoin_np"] fn try_join(id: pthread_t, result: *mut Pointer) at pc -> c_int {
        // SAFETY: see above.
        joined_for(id, result, pc, || unsafe { pthread_tryjoin_np(id, result) })
    }

    ["pthread_timedjoin_np"] fn timed_join(id: pthread_t, result: *mut Pointer, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        joined_for(id, result, pc, || unsafe { pthread_timedjoin_np(id, result, until) })
    }

    ["pthread_clockjoin_np"] fn clock_join(id: pthread_t, result: *mut Pointer, clock: clockid_t, until: *const timespec) at pc -> c_int {
        // SAFETY: see above.
        joined_for(id, result, pc, || unsafe { pthread_clockjoin_np(id, result, clock, until) })
    }
}
