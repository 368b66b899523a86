//! What a program may do, read off its symbols before it starts.
//!
//! A program that never calls anything that locks, and makes no dependences between tasks, needs two
//! readers per granule instead of all. What an executable calls in shared libraries, this one
//! included, stands in its table of dynamic symbols. Where that is wrong (a function found by name at
//! run time), the engine notices and the report says so ([`heddle_rt::Engine::broke_promise`]).

use crate::report::image;
use object::{Object, ObjectSymbol};
use std::sync::OnceLock;

/// Parts of names whose presence means locks or extra edges.
const SIGNS: &[&str] = &[
    "__kmpc_critical",
    "__kmpc_omp_task_with_deps",
    "__kmpc_omp_taskwait_deps",
    "__kmpc_omp_wait_deps",
    "__kmpc_doacross",
    "__kmpc_ordered",
    "__kmpc_reduce",
    "__kmpc_task_allow_completion_event",
    "__kmpc_atomic",
    "__tsan_atomic",
    "GOMP_",
    "omp_get_thread_num",
    "omp_set_lock",
    "omp_set_nest_lock",
    "omp_test_lock",
    "omp_test_nest_lock",
    "omp_fulfill_event",
    "pthread_",
    "mtx_",
    "thrd_",
    "sem_",
    "heddle_",
    "dlopen",
    "dlsym",
    "_ZNSt6thread",
    "_ZNSt18condition_variable",
];

/// Parts of names whose presence means tasks, or teams of threads.
const TASKS: &[&str] = &[
    "__kmpc_",
    "GOMP_",
    "heddle_async",
    "heddle_spawn",
    "heddle_finish",
    "heddle_task_",
    "heddle_future",
    "heddle_parallel_for",
    "heddle_procedure",
];

/// Whether the program is made of nested parallelism alone.
pub(crate) fn is_structured() -> bool {
    calls_any(SIGNS) == Some(false)
}

/// Whether the program makes tasks, and not only threads.
pub(crate) fn has_tasks() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| calls_any(TASKS) != Some(false))
}

/// Whether the executable calls anything with one of these in its name; none if that cannot be told.
fn calls_any(signs: &[&str]) -> Option<bool> {
    let file = object::File::parse(image::map("/proc/self/exe")?).ok()?;
    let mut calls = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined());
    let is_one = |name: &str| signs.iter().any(|sign| name.contains(sign));
    Some(calls.any(|symbol| symbol.name().is_ok_and(is_one)))
}
