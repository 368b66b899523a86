//! Signals: those that end the process have a report written first, and none is handled in the middle of
//! the runtime.
//!
//! All handlers are entered through [`arrived`]. What the program has asked for is kept in a table, and what
//! it asks about is answered from there, so that it sees its own handlers and not this one. Where it has asked
//! for nothing and the signal would end the process, the report is written, and then the signal does end it.
//!
//! A signal that arrives inside the runtime is put off ([`crate::busy`]). One that a thread raises by what it
//! does (a fault) cannot be: then its handler runs as if outside, and may jump to wherever it likes.

use crate::own_stack::Stacks;
use crate::shim::{behind, export, keeping_errno};
use crate::{busy, daring, end};
use ::libc::{c_int, sigaction as Action, siginfo_t, stack_t};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

behind! {
    fn sigaction(signal: c_int, action: *const Action, before: *mut Action) -> c_int, or -1;
    fn sigaltstack(stack: *const stack_t, before: *mut stack_t) -> c_int, or -1;
}

/// Signals are numbered from 1 to 64.
const SIGNALS: usize = 65;

/// The C library's own signals, by which it cancels threads and changes user ids.
const RESERVED: [c_int; 2] = [32, 33];

/// Signals that by default do not end the process, or whose effect cannot be changed.
const HARMLESS: [c_int; 10] = [
    ::libc::SIGCHLD,
    ::libc::SIGCONT,
    ::libc::SIGSTOP,
    ::libc::SIGTSTP,
    ::libc::SIGTTIN,
    ::libc::SIGTTOU,
    ::libc::SIGURG,
    ::libc::SIGWINCH,
    ::libc::SIGKILL,
    0,
];

type Handler = unsafe extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

/// What the program wants to happen at a signal, as it said it.
struct Wanted {
    handler: AtomicUsize,
    flags: AtomicI32,
}

static WANTED: [Wanted; SIGNALS] = [const {
    Wanted {
        handler: AtomicUsize::new(::libc::SIG_DFL),
        flags: AtomicI32::new(0),
    }
}; SIGNALS];

fn is_deadly(signal: c_int) -> bool {
    !HARMLESS.contains(&signal) && !RESERVED.contains(&signal)
}

/// Has the report written at every signal that would end the process. Those that are ignored or already
/// handled stay so.
pub(crate) fn prepare() {
    for signal in (1..SIGNALS as c_int).filter(|&signal| is_deadly(signal)) {
        // SAFETY: values we own; the handler stays loaded.
        unsafe {
            let mut before: Action = std::mem::zeroed();
            if sigaction(signal, std::ptr::null(), &mut before) == 0
                && before.sa_sigaction == ::libc::SIG_DFL
            {
                sigaction(signal, &by_default(), null_mut());
            }
        }
    }
}

/// What stands for the default action.
fn by_default() -> Action {
    // SAFETY: zeros are an empty set of signals and no flags.
    let mut action: Action = unsafe { std::mem::zeroed() };
    action.sa_sigaction = arrived as *const () as usize;
    action.sa_flags = ::libc::SA_SIGINFO | ::libc::SA_ONSTACK;
    action
}

/// The signal has its default effect from now on, on this process.
pub(crate) fn let_it_be(signal: c_int) {
    // SAFETY: the default action, which zeros are.
    unsafe {
        let action: Action = std::mem::zeroed();
        sigaction(signal, &action, null_mut());
    }
}

/// Where every signal comes in that the program handles, or that would end it.
unsafe extern "C-unwind" fn arrived(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    if !busy::is_inside() {
        // SAFETY: what the system passed.
        return unsafe { handle(signal, info, context) };
    }
    // SAFETY: the system describes the signal.
    let code = unsafe { (*info).si_code };
    let is_fault = code > 0 && busy::FAULTS.contains(&signal);
    // SAFETY: what the system passed.
    if is_fault && unsafe { daring::leave(signal, context) } {
        return;
    }
    let wants_default = wanted(signal).handler.load(Ordering::Acquire) == ::libc::SIG_DFL;
    let cannot_wait = is_fault || wants_default && end::is_overdue();
    // SAFETY: what the system passed.
    if cannot_wait || !keeping_errno(|| unsafe { busy::put_off(signal, info, context) }) {
        // SAFETY: as above.
        busy::outside(|| unsafe { handle(signal, info, context) });
    }
}

/// # Safety
/// To be called by [`arrived`] with what the system passed to it.
unsafe fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let wanted = wanted(signal);
    let flags = wanted.flags.load(Ordering::Acquire);
    let handler = match flags & ::libc::SA_RESETHAND != 0 {
        true => wanted.handler.swap(::libc::SIG_DFL, Ordering::AcqRel),
        false => wanted.handler.load(Ordering::Acquire),
    };
    match handler {
        ::libc::SIG_DFL if is_deadly(signal) => end::by_signal(signal),
        ::libc::SIG_DFL | ::libc::SIG_IGN => {}
        handler => {
            // SAFETY: the program's handler, in one of two forms; one that expects less ignores the rest.
            unsafe {
                let handler = std::mem::transmute::<usize, Handler>(handler);
                handler(signal, info, context);
            }
        }
    }
}

fn wanted(signal: c_int) -> &'static Wanted {
    &WANTED[signal as usize % SIGNALS]
}

fn is_ours(signal: c_int) -> bool {
    (1..SIGNALS as c_int).contains(&signal) && !RESERVED.contains(&signal)
}

/// Does what `sigaction` does, with the table in between.
///
/// # Safety
/// As for `sigaction`.
unsafe fn change(signal: c_int, action: *const Action, before: *mut Action) -> c_int {
    if !is_ours(signal) {
        // SAFETY: the caller's contract.
        return unsafe { sigaction(signal, action, before) };
    }
    let wanted = wanted(signal);
    let old = (
        wanted.handler.load(Ordering::Acquire),
        wanted.flags.load(Ordering::Acquire),
    );
    // SAFETY: null, or the caller's.
    let new = unsafe { action.as_ref() };
    if let Some(new) = new {
        wanted.flags.store(new.sa_flags, Ordering::Release);
        wanted.handler.store(new.sa_sigaction, Ordering::Release);
    }
    let told = new.map(|new| translated(signal, new));
    let told = told.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: zeros are a valid value.
    let mut real: Action = unsafe { std::mem::zeroed() };
    // SAFETY: the pointers are valid or null.
    let status = unsafe { sigaction(signal, told, &mut real) };
    if status != 0 {
        if new.is_some() {
            wanted.flags.store(old.1, Ordering::Release);
            wanted.handler.store(old.0, Ordering::Release);
        }
        return status;
    }
    // SAFETY: null, or the caller's.
    if let Some(before) = unsafe { before.as_mut() } {
        if real.sa_sigaction == arrived as *const () as usize {
            (real.sa_sigaction, real.sa_flags) = old;
        }
        *before = real;
    }
    status
}

/// What the system is to be told when the program asks for `action`.
fn translated(signal: c_int, action: &Action) -> Action {
    match action.sa_sigaction {
        ::libc::SIG_DFL if is_deadly(signal) && end::is_prepared() => by_default(),
        ::libc::SIG_DFL | ::libc::SIG_IGN => *action,
        _ => Action {
            sa_sigaction: arrived as *const () as usize,
            sa_flags: action.sa_flags & !::libc::SA_RESETHAND | ::libc::SA_SIGINFO,
            ..*action
        },
    }
}

/// What `signal` and its relatives do: a handler with these flags. Returns the one before.
fn set(signal: c_int, handler: usize, flags: c_int, blocks_itself: bool) -> usize {
    // SAFETY: values we own; the handler is the program's.
    unsafe {
        let mut action: Action = std::mem::zeroed();
        let mut before: Action = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        if blocks_itself {
            ::libc::sigaddset(&mut action.sa_mask, signal);
        }
        match change(signal, &action, &mut before) {
            0 => before.sa_sigaction,
            _ => ::libc::SIG_ERR,
        }
    }
}

export! {
    ["sigaction", "__sigaction"] fn set_action(signal: c_int, action: *const Action, before: *mut Action) at _pc -> c_int {
        // SAFETY: as the caller asked.
        unsafe { change(signal, action, before) }
    }

    ["signal", "bsd_signal", "ssignal"] fn set_handler(signal: c_int, handler: usize) at _pc -> usize {
        set(signal, handler, ::libc::SA_RESTART, true)
    }

    ["sysv_signal", "__sysv_signal"] fn set_handler_once(signal: c_int, handler: usize) at _pc -> usize {
        set(signal, handler, ::libc::SA_RESETHAND | ::libc::SA_NODEFER, false)
    }

    ["sigignore"] fn ignore(signal: c_int) at _pc -> c_int {
        match set(signal, ::libc::SIG_IGN, 0, false) {
            ::libc::SIG_ERR => -1,
            _ => 0,
        }
    }

    ["sigaltstack"] fn set_alternate(stack: *const stack_t, before: *mut stack_t) at _pc -> c_int {
        // SAFETY: as the caller asked.
        unsafe { change_alternate(stack, before) }
    }
}

/// Handlers of this thread may run on its alternate stack, unless it has one already.
pub(crate) fn use_alternate(stacks: Stacks) {
    // SAFETY: asks about, and sets, what is the calling thread's.
    unsafe {
        let mut before: stack_t = std::mem::zeroed();
        if sigaltstack(std::ptr::null(), &mut before) == 0
            && before.ss_flags & ::libc::SS_DISABLE != 0
        {
            sigaltstack(&stacks.alternate(), null_mut());
        }
    }
}

/// They may not any more: another thread will.
pub(crate) fn leave_alternate(stacks: Stacks) {
    // SAFETY: as above.
    unsafe {
        let mut before: stack_t = std::mem::zeroed();
        if sigaltstack(std::ptr::null(), &mut before) == 0
            && before.ss_sp == stacks.alternate().ss_sp
        {
            sigaltstack(&NONE, null_mut());
        }
    }
}

const NONE: stack_t = stack_t {
    ss_sp: null_mut(),
    ss_flags: ::libc::SS_DISABLE,
    ss_size: 0,
};

/// Does what `sigaltstack` does; the program sees no stack of ours, and has it back when it gives up its own.
///
/// # Safety
/// As for `sigaltstack`.
unsafe fn change_alternate(stack: *const stack_t, before: *mut stack_t) -> c_int {
    let ours = crate::thread::stacks().map(Stacks::alternate);
    // SAFETY: null, or the caller's.
    let gives_up =
        unsafe { stack.as_ref() }.is_some_and(|stack| stack.ss_flags & ::libc::SS_DISABLE != 0);
    let stack = match &ours {
        Some(ours) if gives_up => ours,
        _ => stack,
    };
    // SAFETY: the caller's contract.
    let status = unsafe { sigaltstack(stack, before) };
    // SAFETY: null, or the caller's, and filled.
    if let (0, Some(before), Some(ours)) = (status, unsafe { before.as_mut() }, ours)
        && before.ss_sp == ours.ss_sp
    {
        *before = NONE;
    }
    status
}
