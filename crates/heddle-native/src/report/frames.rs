//! Frames on a stack that a local variable may lie in.
//!
//! Debug information says how far a local variable lies from its function's frame, not where that is. Code that is
//! checked keeps frame pointers, so above every local variable lies a record of two words, the caller's frame and the
//! return address, and the variable's distance is counted from there.

use crate::report::modules::{Role, modules};
use crate::stack;

/// Records that are noted: nested calls, and values that look like one. Where there are more, the right one may not be
/// among them.
const RECORDS: usize = 16;

/// Words that are looked at.
const WORDS: usize = 1 << 16;

/// Where records lie that may be that of the frame around an address; 0 for none.
pub type Frames = [usize; RECORDS];

/// The records above an address on a stack, the nearest first; none if they are too many.
pub(crate) fn above(address: usize) -> Frames {
    let mut frames = Frames::default();
    let Some(stack) = stack::stack_of(address) else {
        return frames;
    };
    let first = address.next_multiple_of(16);
    let end = stack.top().min(first.saturating_add(WORDS * 8));
    let records = (first..end.saturating_sub(16)).step_by(16);
    let mut records = records.filter(|&record| {
        // SAFETY: the program uses this stack at a lower address now, so all up to its top is there.
        let word = |at: usize| unsafe { std::ptr::read_volatile(at as *const usize) };
        let (frame, back) = (word(record), word(record + 8));
        let is_above = frame > record && frame < stack.top() && frame.is_multiple_of(16);
        // A library that calls the program need not keep frame pointers.
        modules().is_code(back) && (is_above || modules().role(back) == Role::Library)
    });
    for (frame, record) in frames.iter_mut().zip(&mut records) {
        *frame = record;
    }
    match records.next() {
        Some(_) => Frames::default(),
        None => frames,
    }
}
