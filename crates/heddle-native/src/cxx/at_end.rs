//! What the C++ library does when a thread ends: results become ready (`set_value_at_thread_exit`), and conditions are
//! notified (`notify_all_at_thread_exit`).
//!
//! Both are done inside the library, out of sight. A result's record has the function that makes it ready; ours takes its
//! place. It releases to whoever waits for the result, and holds shares of the future's state of its own while the
//! library works on it: so the library never drops the last one, and whoever does comes after all other owners.
//! A condition is notified here, in the library's stead, as soon as the thread's own destructors have run.
//!
//! Layouts are those of GNU's library on x86-64.

use crate::shim::{behind, export};
use crate::{atomic, hand_off, pthread, thread};
use ::libc::{pthread_cond_t, pthread_mutex_t, pthread_t};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

behind! {
    if present;
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(ready: *mut Ready), or ();
    fn _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(condition: *mut pthread_cond_t, lock: *mut UniqueLock), or ();
}

type Run = unsafe extern "C-unwind" fn(*mut Ready);

/// What a thread is to make ready when it ends.
#[repr(C)]
pub(crate) struct Ready {
    next: usize,
    run: Run,
    /// A `weak_ptr` to the future's state.
    state: usize,
    owners: *mut Owners,
}

/// The counts of a `shared_ptr`.
#[repr(C)]
struct Owners {
    functions: *const Functions,
    shares: u32,
    weak: u32,
}

/// Its virtual functions.
#[repr(C)]
struct Functions {
    destructors: [usize; 2],
    dispose: unsafe extern "C-unwind" fn(*mut Owners),
    destroy: unsafe extern "C-unwind" fn(*mut Owners),
}

/// A `std::unique_lock<std::mutex>`.
#[repr(C)]
pub(crate) struct UniqueLock {
    mutex: *mut pthread_mutex_t,
    owns: bool,
}

/// From the start of a future's state to the word that says whether the result is there: a table of virtual functions
/// and a pointer to the result.
const STATUS: usize = 16;

/// The library's own function that makes a result ready.
static MAKE_READY: AtomicUsize = AtomicUsize::new(0);

/// What ends of threads are to do. (Storage of the thread's own would be gone by then.)
static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    results: Vec::new(),
    notices: Vec::new(),
});

struct Waiting {
    /// Records of results, and the calls that made them.
    results: Vec<(usize, usize)>,
    notices: Vec<Notice>,
}

/// A condition to be notified, after its mutex is given back.
struct Notice {
    thread: pthread_t,
    condition: usize,
    mutex: usize,
}

fn waiting<R>(f: impl FnOnce(&mut Waiting) -> R) -> R {
    let _busy = crate::busy::begin();
    f(&mut WAITING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The thread's own functions are over.
pub(crate) fn thread_ends() {
    // SAFETY: a plain query.
    let own = unsafe { ::libc::pthread_self() };
    let mut notices = waiting(|waiting| {
        let own = waiting
            .notices
            .extract_if(.., |notice| notice.thread == own);
        own.collect::<Vec<_>>()
    });
    // The library keeps them in a list to which new ones are added in front.
    notices.reverse();
    for notice in notices {
        // SAFETY: the program has left the mutex locked, and keeps both until the condition is notified.
        unsafe { pthread::notify(notice.condition as *mut _, notice.mutex as *mut _) };
    }
}

/// Makes a result ready, in the library's stead.
unsafe extern "C-unwind" fn make_ready(ready: *mut Ready) {
    let pc = waiting(|waiting| {
        let at = waiting
            .results
            .iter()
            .position(|(record, _)| *record == ready as usize);
        at.map_or(0, |at| waiting.results.swap_remove(at).1)
    });
    // SAFETY: the library's function, kept when this one took its place; it drops the record. The record has a weak
    // share of the state, so the counts are there until then, and until our own shares are dropped.
    unsafe {
        let run = std::mem::transmute::<usize, Run>(MAKE_READY.load(Ordering::Acquire));
        let (owners, status) = ((*ready).owners, (*ready).state + STATUS);
        if owners.is_null() {
            return run(ready);
        }
        let is_shared = Owners::share(owners);
        if is_shared {
            thread::enter(|runtime, thread| hand_off::lock(status).entry().add(runtime, thread));
        }
        run(ready);
        if is_shared {
            Owners::drop_share(owners, pc);
        }
        Owners::drop_weak(owners, pc);
    }
}

// SAFETY of all blocks in it: by the contract of its functions, which is that the counts are there: the caller has a
// share, if only a weak one.
impl Owners {
    /// Takes a weak share, and another if anyone has one; whether it did.
    unsafe fn share(this: *mut Self) -> bool {
        let more = |count: u32| (count != 0).then(|| count + 1);
        // SAFETY: see above.
        unsafe {
            AtomicU32::from_ptr(&raw mut (*this).weak).fetch_add(1, Ordering::AcqRel);
            let shares = AtomicU32::from_ptr(&raw mut (*this).shares);
            shares
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
                .is_ok()
        }
    }

    /// Drops a share. All of them together have one weak share.
    unsafe fn drop_share(this: *mut Self, pc: usize) {
        // SAFETY: see above.
        unsafe {
            if atomic::drop_share(&raw mut (*this).shares, pc) == 1 {
                ((*(*this).functions).dispose)(this);
                Self::drop_weak(this, pc);
            }
        }
    }

    unsafe fn drop_weak(this: *mut Self, pc: usize) {
        // SAFETY: see above.
        unsafe {
            if atomic::drop_share(&raw mut (*this).weak, pc) == 1 {
                ((*(*this).functions).destroy)(this);
            }
        }
    }
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"] fn result_at_end(ready: *mut Ready) at pc {
        // SAFETY: see above. The record stays until it has run, in this thread.
        unsafe {
            _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(ready);
            MAKE_READY.store((*ready).run as usize, Ordering::Release);
            waiting(|waiting| waiting.results.push((ready as usize, pc)));
            (*ready).run = make_ready;
        }
    }

    ["_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE"] fn notice_at_end(condition: *mut pthread_cond_t, lock: *mut UniqueLock) at _pc {
        // SAFETY: see above. The lock is the caller's, who gives it up.
        unsafe {
            if !pthread::tells_its_end() {
                return _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(condition, lock);
            }
            let notice = Notice {
                thread: ::libc::pthread_self(),
                condition: condition as usize,
                mutex: (*lock).mutex as usize,
            };
            (*lock).owns = false;
            (*lock).mutex = std::ptr::null_mut();
            waiting(|waiting| waiting.notices.push(notice));
        }
    }
}
