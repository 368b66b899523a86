//! The end of a critical section, whatever lock it is of.

use crate::api::guarded;
use crate::runtime::Runtime;
use crate::thread::Thread;
use crate::updates;
use heddle_core::LockId;

/// The thread's task is about to give the lock back.
pub(crate) fn give_back(runtime: &Runtime, thread: &mut Thread, lock: LockId) {
    guarded::section_ends(runtime, thread);
    updates::section_ends(runtime, thread);
    runtime.engine.release(&mut thread.cursor, lock);
    updates::section_ended(runtime, thread);
}
