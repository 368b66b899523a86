//! What programs call when their compiler says that ThreadSanitizer is on.
//!
//! `heddle cc` compiles with that instrumentation, so programs that have a part for ThreadSanitizer
//! (`__SANITIZE_THREAD__`, `__has_feature(thread_sanitizer)`) compile it, and say there what no tool could know: their own
//! locks, their own order, system calls that they make by hand. These are the functions of `sanitizer/tsan_interface.h`,
//! `common_interface_defs.h` and `linux_syscall_hooks.h`, and the older annotations of `dynamic_annotations.h`.
//!
//! What is not known of here and cannot be: the settings and reports of ThreadSanitizer itself.

mod annotations;
mod interface;
mod syscalls;

use crate::{hand_off, thread};

/// What the task did so far comes before whoever acquires the address.
fn releases(address: usize) {
    thread::enter(|runtime, thread| hand_off::lock(address).entry().add(runtime, thread));
}

/// What follows comes after all that was released at the address.
fn acquires(address: usize) {
    thread::enter(|runtime, thread| {
        if let Some(releases) = hand_off::lock(address).get() {
            releases.acquire(runtime, thread);
        }
    });
}

/// The thread's accesses are not checked.
fn ignore() {
    thread::enter(|_, thread| thread.ignore += 1);
}

/// They are again.
fn heed() {
    thread::enter(|_, thread| thread.ignore = thread.ignore.saturating_sub(1));
}
