//! Whether the calling thread is inside the runtime: then signals wait, and so does `fork`.
//!
//! Inside the runtime a thread may hold locks of ours and may have its record lent out. A signal handler that
//! ran then could wait for such a lock for ever, or leave by a jump and never give it back; a forked child
//! would find it held by a thread that it does not have. So a signal that arrives inside is *put off*: it is
//! sent again, blocked, and let through when the thread leaves the runtime ([`put_off`]). And a `fork` waits
//! until all other threads have left, and keeps them out meanwhile ([`close_gate`]); so does whoever gives back what is
//! unused ([`try_close_gate`]).
//!
//! # Invariants
//! 1. A thread's word counts how often it has entered, in the low half; the high half is not 0 if a signal
//!    was put off. `preserve.rs` has the same in assembly.
//! 2. Locks of ours are taken inside only, and nothing inside waits for anything but such locks.
//!
//! Cost: one atomic increment of a word that only the thread itself writes.

use crate::words;
use std::arch::asm;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The part of the word that counts.
const DEPTH: u64 = 0xffff_ffff;
/// Set if a signal was put off.
const PENDING: u64 = 1 << 32;

/// Inside until dropped.
pub(crate) struct Busy(PhantomData<*const ()>);

/// The calling thread is inside the runtime from now on.
#[inline]
pub(crate) fn begin() -> Busy {
    if is_inside() {
        add(1);
        return Busy(PhantomData);
    }
    loop {
        // SAFETY: the calling thread's own word. Whoever closes the gate sees this, or the thread sees the gate.
        unsafe { &*words::busy() }.fetch_add(1, Ordering::SeqCst);
        // Nobody lists the word of a thread without a record: it must be counted before it looks at the gate.
        let is_stranger = words::record() == 0;
        if is_stranger {
            note_stranger();
        }
        if is_gate_open() {
            return Busy(PhantomData);
        }
        if is_stranger {
            forget_stranger();
        }
        leave();
        wait_for_gate();
    }
}

/// For code in assembly that has just entered: comes back when it may go on.
pub(crate) extern "C" fn pass_gate() {
    // SAFETY: the calling thread's own word.
    let word = unsafe { &*words::busy() };
    while word.load(Ordering::Relaxed) & DEPTH == 1 && !is_gate_open() {
        leave();
        wait_for_gate();
        word.fetch_add(1, Ordering::SeqCst);
    }
}

#[inline]
fn is_gate_open() -> bool {
    !GATE_CLOSED.load(Ordering::SeqCst)
}

impl Drop for Busy {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the calling thread's own word.
        let depth = unsafe { &*words::busy() }.load(Ordering::Relaxed) & DEPTH;
        if depth == 1 && words::record() == 0 {
            forget_stranger();
        }
        leave();
    }
}

#[inline]
fn leave() {
    add(-1);
    // SAFETY: the calling thread's own word.
    let word = unsafe { &*words::busy() };
    if word.load(Ordering::Relaxed) == PENDING {
        deliver(word);
    }
}

/// Changes the count in one instruction: only a signal handler of this thread writes the word, too.
#[inline(always)]
fn add(change: i64) {
    // SAFETY: the calling thread's own word. What was written before is written before: so the processor
    // keeps it, and the compiler moves nothing across.
    unsafe {
        asm!("add qword ptr [{0}], {1}", in(reg) words::busy(), in(reg) change, options(nostack))
    };
}

/// Lets the signals through that waited.
#[cold]
fn deliver(word: &AtomicU64) {
    word.fetch_and(!PENDING, Ordering::SeqCst);
    let mask = words::mask() as u64;
    crate::shim::keeping_errno(|| set_mask(mask));
}

/// Whether the calling thread is inside.
pub(crate) fn is_inside() -> bool {
    // SAFETY: the calling thread's own word.
    unsafe { &*words::busy() }.load(Ordering::Relaxed) & DEPTH != 0
}

/// Runs `f` as if the thread were outside: it faulted inside, and what runs now may never come back.
pub(crate) fn outside<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the calling thread's own word.
    let word = unsafe { &*words::busy() };
    let before = word.swap(0, Ordering::SeqCst);
    let result = f();
    word.store(before, Ordering::SeqCst);
    result
}

/// Signals that a thread raises by what it does: they cannot wait.
pub(crate) const FAULTS: [i32; 6] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGFPE,
    ::libc::SIGILL,
    ::libc::SIGTRAP,
    ::libc::SIGSYS,
];

/// All signals that can wait, as the system numbers them in a mask.
const THOSE_THAT_WAIT: u64 = {
    let (mut mask, mut at) = (u64::MAX, 0);
    while at < FAULTS.len() {
        mask &= !(1 << (FAULTS[at] - 1));
        at += 1;
    }
    mask
};

/// Puts the signal that is being handled off until the thread leaves the runtime: sends it again, and blocks
/// it, and all that can wait, in what is interrupted. Whether that was possible.
///
/// One of [`FAULTS`] that somebody has sent is blocked, too, or it would come again at once and for ever. If the
/// runtime raises the same one itself before it lets it through, the system ends the process by it.
///
/// # Safety
/// Called by the handler, with what the system passed to it.
pub(crate) unsafe fn put_off(
    signal: i32,
    info: *mut ::libc::siginfo_t,
    context: *mut ::libc::c_void,
) -> bool {
    // SAFETY: the system's description of what was interrupted; its mask has 64 bits.
    let interrupted = unsafe {
        &mut *(&raw mut (*context.cast::<::libc::ucontext_t>()).uc_sigmask).cast::<u64>()
    };
    let before = *interrupted;
    set_mask(u64::MAX);
    // SAFETY: sends to this very thread what it has just got.
    let sent = unsafe {
        let (process, thread) = (
            ::libc::syscall(::libc::SYS_getpid),
            ::libc::syscall(::libc::SYS_gettid),
        );
        ::libc::syscall(::libc::SYS_rt_tgsigqueueinfo, process, thread, signal, info)
    };
    if sent != 0 {
        set_mask(before);
        return false;
    }
    *interrupted = before | THOSE_THAT_WAIT | 1 << (signal - 1);
    // SAFETY: the calling thread's own word.
    let word = unsafe { &*words::busy() };
    if word.fetch_or(PENDING, Ordering::SeqCst) & PENDING == 0 {
        words::set_mask(before as usize);
    }
    true
}

/// Blocks exactly these signals; gives those that were blocked before. The system call itself: the library's own
/// function keeps two of them free.
pub(crate) fn set_mask(mask: u64) -> u64 {
    let mut before = 0u64;
    // SAFETY: passes masks of the size that the system knows.
    unsafe {
        ::libc::syscall(
            ::libc::SYS_rt_sigprocmask,
            ::libc::SIG_SETMASK,
            &raw const mask,
            &raw mut before,
            size_of::<u64>(),
        );
    }
    before
}

/// Not to be entered now: one thread needs the others outside. `preserve.rs` looks at it, too.
pub(crate) static GATE_CLOSED: AtomicBool = AtomicBool::new(false);

/// Threads without a record that are inside.
static STRANGERS: AtomicU32 = AtomicU32::new(0);

#[cold]
fn note_stranger() {
    STRANGERS.fetch_add(1, Ordering::SeqCst);
}

#[cold]
fn forget_stranger() {
    // A forked child has none of those that its parent counted.
    let _ = STRANGERS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| {
        count.checked_sub(1)
    });
}

#[cold]
fn wait_for_gate() {
    while !is_gate_open() {
        pause();
    }
}

/// Sleeps for a moment.
pub(crate) fn pause() {
    let short = ::libc::timespec {
        tv_sec: 0,
        tv_nsec: 50_000,
    };
    // SAFETY: passes what we own. The system call itself, because the function may be the program's.
    unsafe {
        ::libc::syscall(
            ::libc::SYS_nanosleep,
            &raw const short,
            std::ptr::null_mut::<::libc::timespec>(),
        );
    }
}

/// The words of threads with a record, so that `fork` can wait for them.
static WORDS: Mutex<Words> = Mutex::new(Words(Vec::new()));

struct Words(Vec<*const AtomicU64>);

// SAFETY: a word stays where it is until its thread has taken it out of the list.
unsafe impl Send for Words {}

/// The calling thread has a record from now on. To be called inside.
pub(crate) fn register() {
    WORDS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .0
        .push(words::busy());
    forget_stranger();
}

/// It has none any more. To be called inside.
pub(crate) fn unregister() {
    let own = words::busy();
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = words.0.iter().position(|&word| word == own) {
        words.0.swap_remove(at);
    }
    note_stranger();
}

/// Pauses after which a thread that does not leave the runtime is waited for no longer.
const PATIENCE: u32 = 20_000;

/// Keeps all other threads out of the runtime, and waits until they have left. The caller is inside until
/// [`open_gate`].
pub(crate) fn close_gate() {
    while !enter_and_close() {
        // Another thread needs the others outside.
        pause();
    }
    wait_for_others(0, PATIENCE);
}

/// Closes the gate behind the thread, which is inside then; whether it was open. A signal that arrived outside, at a
/// gate that its own thread has closed, would wait there for ever.
fn enter_and_close() -> bool {
    // SAFETY: the calling thread's own word. It must not wait at its own gate.
    unsafe { &*words::busy() }.fetch_add(1, Ordering::SeqCst);
    let was_open = !GATE_CLOSED.swap(true, Ordering::SeqCst);
    if !was_open {
        leave();
    }
    was_open
}

/// The same for work that can wait: gives up if another thread closes the gate, or does not leave soon. Whether the
/// gate is closed. To be called outside.
pub(crate) fn try_close_gate() -> bool {
    const SPINS: u32 = 2_000;
    const PAUSES: u32 = 100;
    if is_inside() || !enter_and_close() {
        return false;
    }
    let is_alone = wait_for_others(SPINS, PAUSES);
    if !is_alone {
        open_gate(Side::Parent);
    }
    is_alone
}

/// Waits for the others to leave. Whether they have.
fn wait_for_others(spins: u32, pauses: u32) -> bool {
    // SAFETY: the calling thread's own word.
    let own = unsafe { &*words::busy() };
    for round in 0..spins + pauses {
        if are_others_outside(own) {
            return true;
        }
        match round < spins {
            true => std::hint::spin_loop(),
            false => pause(),
        }
    }
    false
}

fn are_others_outside(own: &AtomicU64) -> bool {
    // Threads that end need the list, so it is not kept.
    let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_outside = |&word: &*const AtomicU64| {
        // SAFETY: a word in the list is there.
        std::ptr::eq(word, own) || unsafe { &*word }.load(Ordering::SeqCst) & DEPTH == 0
    };
    words.0.iter().all(is_outside) && STRANGERS.load(Ordering::SeqCst) == 0
}

/// Which side of a `fork` it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Parent,
    Child,
}

/// Lets all in again.
pub(crate) fn open_gate(side: Side) {
    if side == Side::Child {
        // Of all threads there is this one.
        let own = words::busy();
        let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        words.0.retain(|&word| word == own);
        STRANGERS.store(0, Ordering::SeqCst);
    }
    GATE_CLOSED.store(false, Ordering::SeqCst);
    leave();
}
