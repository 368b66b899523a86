//! What the runtime keeps in the calling thread's own storage: a few words, read without a function call.
//!
//! They are reached in the initial-exec form, which is right for a library that is loaded with the
//! program. They are zero when a thread starts.

use std::arch::{asm, global_asm};
use std::sync::atomic::AtomicU64;

global_asm!(
    ".pushsection .tbss.heddle,\"awT\",@nobits",
    ".p2align 3",
    ".irp name, heddle_checked, heddle_record, heddle_busy, heddle_mask, heddle_stack, heddle_way_back",
    ".hidden \\name",
    ".globl \\name",
    ".type \\name, @tls_object",
    ".size \\name, 8",
    "\\name:",
    ".zero 8",
    ".endr",
    ".popsection",
);

/// Functions that read and write a word.
macro_rules! word {
    ($(#[$meta:meta])* $get:ident, $set:ident, $symbol:literal) => {
        $(#[$meta])*
        #[inline(always)]
        pub(crate) fn $get() -> usize {
            let value: usize;
            // SAFETY: reads the calling thread's own word, which exists as long as the thread.
            unsafe {
                asm!(
                    concat!("mov {0}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov {0}, qword ptr fs:[{0}]",
                    out(reg) value,
                    options(nostack, preserves_flags, readonly),
                );
            }
            value
        }

        /// Sets it.
        #[inline(always)]
        pub(crate) fn $set(value: usize) {
            // SAFETY: writes the calling thread's own word.
            unsafe {
                asm!(
                    concat!("mov {1}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov qword ptr fs:[{1}], {0}",
                    in(reg) value,
                    out(reg) _,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

word!(
    /// The thread's record while its accesses are checked, else null.
    checked, set_checked, "heddle_checked"
);
word!(
    /// The thread's record.
    record, set_record, "heddle_record"
);
word!(
    /// Where the runtime's own stack for this thread begins, while nobody executes on it; else 0.
    stack, set_stack, "heddle_stack"
);
word!(
    /// Where the thread goes on after a fault that it expects ([`crate::daring`]); 0 if it expects none.
    way_back, set_way_back, "heddle_way_back"
);
word!(
    /// The signals that were blocked when one was put off ([`crate::busy`]).
    mask, set_mask, "heddle_mask"
);

/// How deep the thread is inside the runtime ([`crate::busy`]).
#[inline(always)]
pub(crate) fn busy() -> *const AtomicU64 {
    let address: *const AtomicU64;
    // SAFETY: computes the address of the calling thread's own word.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + heddle_busy@GOTTPOFF]",
            out(reg) address,
            options(nostack, readonly),
        );
    }
    address
}
