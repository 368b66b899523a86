//! What a program may do, read off its symbols: what an executable calls in shared libraries, this one included, stands
//! in its table of dynamic symbols.

use crate::report::image;
use object::{Object, ObjectSymbol};
use std::sync::OnceLock;

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

/// Whether the program makes tasks, and not only threads.
pub(crate) fn has_tasks() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| calls_any(TASKS) != Some(false))
}

/// Whether the executable calls anything with one of these in its name; none if that cannot be told.
fn calls_any(signs: &[&str]) -> Option<bool> {
    let file = object::File::parse(image::map(image::MAIN_PATH)?).ok()?;
    let mut calls = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined());
    let is_one = |name: &str| signs.iter().any(|sign| name.contains(sign));
    Some(calls.any(|symbol| symbol.name().is_ok_and(is_one)))
}
