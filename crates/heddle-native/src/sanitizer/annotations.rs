//! The annotations of `dynamic_annotations.h`, which many libraries carry a copy of: what ThreadSanitizer's first version
//! was told, and its present one still is.
//!
//! Each begins with the file and the line it stands in, which are not needed.

use super::interface::{given_back, taken};
use super::{acquires, heed, ignore, releases};
use crate::access;
use crate::shim::export;
use heddle_rt::LockMode;
use std::ffi::{c_char, c_int};

type File = *const c_char;

export! {
    /// What the task did so far comes before whoever comes after at this address.
    ["AnnotateHappensBefore", "AnnotateCondVarSignal", "AnnotateCondVarSignalAll"]
    fn happens_before(_file: File, _line: c_int, address: usize) at _pc {
        releases(address);
    }

    /// What follows comes after it.
    ["AnnotateHappensAfter"] fn happens_after(_file: File, _line: c_int, address: usize) at _pc {
        acquires(address);
    }

    /// The same, with the lock that was held.
    ["AnnotateCondVarWait"] fn waited(_file: File, _line: c_int, address: usize, _lock: usize) at _pc {
        acquires(address);
    }

    /// A lock is made, or is gone.
    [
        "AnnotateRWLockCreate", "AnnotateRWLockCreateStatic", "AnnotateRWLockDestroy",
        "AnnotateMutexIsUsedAsCondVar", "AnnotateMutexIsNotPHB", "AnnotatePCQCreate", "AnnotatePCQDestroy",
        "AnnotateTraceMemory", "AnnotateFlushExpectedRaces"
    ] fn nothing(_file: File, _line: c_int, _address: usize) at _pc {}

    /// The task has taken a lock of the program's, as a writer or with other readers.
    ["AnnotateRWLockAcquired"] fn lock_acquired(_file: File, _line: c_int, lock: usize, writes: isize) at pc {
        let mode = if writes == 0 { LockMode::Shared } else { LockMode::Exclusive };
        taken(lock, mode, 1, pc);
    }

    /// It is about to give it back.
    ["AnnotateRWLockReleased"] fn lock_released(_file: File, _line: c_int, lock: usize, _writes: isize) at _pc {
        given_back(lock, false);
    }

    /// Something was put into a queue that orders who puts in and who takes out.
    ["AnnotatePCQPut"] fn put(_file: File, _line: c_int, queue: usize) at _pc {
        releases(queue);
    }

    /// Something was taken out.
    ["AnnotatePCQGet"] fn got(_file: File, _line: c_int, queue: usize) at _pc {
        acquires(queue);
    }

    /// The memory is used anew: whoever used it before had given it back.
    ["AnnotateNewMemory", "AnnotatePublishMemoryRange", "AnnotateUnpublishMemoryRange"]
    fn new_memory(_file: File, _line: c_int, address: usize, len: usize) at _pc {
        access::forget(address, len);
    }

    /// The program says that races there do no harm. They are reported nevertheless: a suppression file says what is
    /// not to be, with the reason beside it.
    ["AnnotateBenignRaceSized"] fn benign_race(_file: File, _line: c_int, _address: usize, _len: usize) at _pc {}

    /// The same, of one word.
    ["AnnotateBenignRace"] fn benign_race_on_word(_file: File, _line: c_int, _address: usize, _why: File) at _pc {}

    /// The thread's accesses are not checked.
    ["AnnotateIgnoreReadsBegin", "AnnotateIgnoreWritesBegin", "AnnotateIgnoreSyncBegin"]
    fn ignore_begin(_file: File, _line: c_int) at _pc {
        ignore();
    }

    /// They are again.
    ["AnnotateIgnoreReadsEnd", "AnnotateIgnoreWritesEnd", "AnnotateIgnoreSyncEnd"]
    fn ignore_end(_file: File, _line: c_int) at _pc {
        heed();
    }

    /// Names and switches of ThreadSanitizer's.
    ["AnnotateThreadName", "AnnotateEnableRaceDetection", "AnnotateNoOp"]
    fn no_meaning(_file: File, _line: c_int, _what: usize) at _pc {}

    /// Whether the program runs in Valgrind.
    ["RunningOnValgrind"] fn running_on_valgrind() at _pc -> c_int {
        0
    }

    /// How much slower it is there.
    ["ValgrindSlowdown"] fn valgrind_slowdown() at _pc -> f64 {
        1.0
    }
}
