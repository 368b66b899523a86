//! `sanitizer/tsan_interface.h`, and what else of `common_interface_defs.h` programs link with.
//!
//! # Locks
//! A program that has made its own lock tells of each operation before and after. What it does in between is the lock's
//! own work and is not checked, as in ThreadSanitizer. A lock that is taken again by its owner counts once.
//!
//! # Known miss
//! Fibers are not told apart: what runs on a thread is one task, whichever fiber it is.

use super::{acquires, heed, ignore, releases};
use crate::runtime::LockKind;
use crate::shim::export;
use crate::{access, section, thread};
use heddle_rt::LockMode;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// The flags of `sanitizer/tsan_interface.h`.
const READ_LOCK: u32 = 1 << 3;
const TRY_LOCK_FAILED: u32 = 1 << 5;
const RECURSIVE_LOCK: u32 = 1 << 6;
const RECURSIVE_UNLOCK: u32 = 1 << 7;

/// The thread has taken the lock by a call at `pc`, so many times at once.
pub(super) fn taken(lock: usize, mode: LockMode, times: u32, pc: usize) {
    thread::enter(|runtime, thread| {
        let id = runtime.locks.id(lock, LockKind::Other);
        let engine = &runtime.engine;
        let more = match engine.holds(&thread.cursor, id) {
            true => times,
            false => {
                engine.acquire(&mut thread.cursor, id, mode);
                engine.holds_since(&mut thread.cursor, id, mode, access::site(pc));
                times.saturating_sub(1)
            }
        };
        if more > 0 {
            match thread.again.iter_mut().find(|(at, _)| *at == lock) {
                Some((_, count)) => *count += more,
                None => thread.again.push((lock, more)),
            }
        }
    });
}

/// The thread is about to give the lock back, once or as often as it has it. Returns how often that was.
pub(super) fn given_back(lock: usize, all: bool) -> u32 {
    let given = thread::enter(|runtime, thread| {
        let again = &mut thread.again;
        let at = again.iter().position(|&(at, _)| at == lock);
        let more = at.map(|at| again[at].1);
        match (at, more) {
            (Some(at), Some(1)) => drop(again.swap_remove(at)),
            (Some(at), _) if all => drop(again.swap_remove(at)),
            (Some(at), _) => again[at].1 -= 1,
            _ => {}
        }
        if more.is_some() && !all {
            return 1;
        }
        let id = runtime.locks.id(lock, LockKind::Other);
        if runtime.engine.holds(&thread.cursor, id) {
            section::give_back(runtime, thread, id);
        }
        more.unwrap_or(0) + 1
    });
    given.unwrap_or(1)
}

fn mode_of(flags: u32) -> LockMode {
    match flags & READ_LOCK == 0 {
        true => LockMode::Exclusive,
        false => LockMode::Shared,
    }
}

export! {
    /// What the task did so far comes before whoever acquires the address.
    ["__tsan_release"] fn release(address: usize) at _pc {
        releases(address);
    }

    /// What follows comes after all that was released there.
    ["__tsan_acquire"] fn acquire(address: usize) at _pc {
        acquires(address);
    }

    /// A lock is made.
    ["__tsan_mutex_create"] fn mutex_create(_lock: usize, _flags: u32) at _pc {}

    /// It is gone.
    ["__tsan_mutex_destroy"] fn mutex_destroy(_lock: usize, _flags: u32) at _pc {}

    /// The program is about to take its lock.
    ["__tsan_mutex_pre_lock"] fn mutex_pre_lock(_lock: usize, _flags: u32) at _pc {
        ignore();
    }

    /// It has taken it, or has tried to.
    ["__tsan_mutex_post_lock"] fn mutex_post_lock(lock: usize, flags: u32, times: c_int) at pc {
        heed();
        if flags & TRY_LOCK_FAILED == 0 {
            let times = match flags & RECURSIVE_LOCK == 0 {
                true => 1,
                false => u32::try_from(times).unwrap_or(1).max(1),
            };
            taken(lock, mode_of(flags), times, pc);
        }
    }

    /// It is about to give it back. Returns how often it had it.
    ["__tsan_mutex_pre_unlock"] fn mutex_pre_unlock(lock: usize, flags: u32) at _pc -> c_int {
        let times = given_back(lock, flags & RECURSIVE_UNLOCK != 0);
        ignore();
        c_int::try_from(times).unwrap_or(c_int::MAX)
    }

    /// It has given it back.
    ["__tsan_mutex_post_unlock"] fn mutex_post_unlock(_lock: usize, _flags: u32) at _pc {
        heed();
    }

    /// It wakes those who wait for the lock.
    ["__tsan_mutex_pre_signal"] fn mutex_pre_signal(_lock: usize, _flags: u32) at _pc {
        ignore();
    }

    /// It has done so.
    ["__tsan_mutex_post_signal"] fn mutex_post_signal(_lock: usize, _flags: u32) at _pc {
        heed();
    }

    /// Inside an operation of a lock, the program does something else, which is checked.
    ["__tsan_mutex_pre_divert"] fn mutex_pre_divert(_lock: usize, _flags: u32) at _pc {
        heed();
    }

    /// That is over.
    ["__tsan_mutex_post_divert"] fn mutex_post_divert(_lock: usize, _flags: u32) at _pc {
        ignore();
    }

    /// A library that owns an object names the sort of objects.
    ["__tsan_external_register_tag"] fn external_register_tag(name: *mut c_char) at _pc -> *mut c_void {
        name.cast()
    }

    /// It says how reports of these begin.
    ["__tsan_external_register_header"] fn external_register_header(_tag: *mut c_void, _header: *const c_char) at _pc {}

    /// The object is of that sort.
    ["__tsan_external_assign_tag"] fn external_assign_tag(_object: *mut c_void, _tag: *mut c_void) at _pc {}

    /// A caller of the library reads the object.
    ["__tsan_external_read"] fn external_read(object: usize, caller: usize, _tag: *mut c_void) at _pc {
        access::read(object, 1, caller);
    }

    /// A caller of the library changes the object.
    ["__tsan_external_write"] fn external_write(object: usize, caller: usize, _tag: *mut c_void) at _pc {
        access::write(object, 1, caller);
    }

    /// The fiber that runs: the thread.
    ["__tsan_get_current_fiber"] fn get_current_fiber() at _pc -> *mut c_void {
        // SAFETY: has no preconditions.
        ptr::without_provenance_mut(unsafe { ::libc::pthread_self() } as usize)
    }

    /// Makes a fiber: none that is told apart, but not null.
    ["__tsan_create_fiber"] fn create_fiber(_flags: u32) at _pc -> *mut c_void {
        ptr::dangling_mut::<c_void>()
    }

    /// It is gone.
    ["__tsan_destroy_fiber"] fn destroy_fiber(_fiber: *mut c_void) at _pc {}

    /// The thread goes on with it.
    ["__tsan_switch_to_fiber"] fn switch_to_fiber(_fiber: *mut c_void, _flags: u32) at _pc {}

    /// It has a name.
    ["__tsan_set_fiber_name"] fn set_fiber_name(_fiber: *mut c_void, _name: *const c_char) at _pc {}

    /// ThreadSanitizer would forget what it can do without.
    ["__tsan_flush_memory"] fn flush_memory() at _pc {}

    /// Where reports of a sanitizer go; Heddle's go where `heddle run` says.
    ["__sanitizer_set_report_path"] fn set_report_path(_path: *const c_char) at _pc {}

    /// The same, for an open file.
    ["__sanitizer_set_report_fd"] fn set_report_fd(_file: *mut c_void) at _pc {}

    /// The process will lose its rights.
    ["__sanitizer_sandbox_on_notify"] fn sandbox_on_notify(_arguments: *mut c_void) at _pc {}

    /// What a sanitizer calls before it ends the process, which Heddle never does.
    ["__sanitizer_set_death_callback"] fn set_death_callback(_callback: *mut c_void) at _pc {}

    /// A sanitizer would show the calls that led here.
    ["__sanitizer_print_stack_trace"] fn print_stack_trace() at _pc {}

    /// A coroutine is about to be switched to; only ThreadSanitizer's own fibers mean something here.
    ["__sanitizer_start_switch_fiber"] fn start_switch_fiber(_save: *mut c_void, _bottom: *const c_void, _size: usize) at _pc {}

    /// It was switched to.
    ["__sanitizer_finish_switch_fiber"] fn finish_switch_fiber(_save: *mut c_void, _bottom: *mut c_void, _size: *mut usize) at _pc {}
}
