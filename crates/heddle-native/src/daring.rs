//! Looks at memory that may not be there: what the program's registers and stack say leads anywhere.
//!
//! A walk over the program's stack believes what it finds. Where a frame was overwritten, or code without
//! a frame of its own has used the frame pointer for something else, that leads to addresses that are not mapped. The
//! program may never look there, so its end must not come of it: the fault ends the walk, and nothing else.
//!
//! # Invariant
//! What runs here holds no lock, and owns nothing that has to be given back.

use crate::{busy, words};
use std::arch::naked_asm;
use std::ffi::c_void;

/// Calls `f`, which is left at the first fault. Whether it came to its end.
pub(crate) fn dare(f: extern "C" fn(*mut c_void), argument: *mut c_void) -> bool {
    // SAFETY: `f` is called with its argument.
    let was_left = unsafe { call(f, argument) } != 0;
    words::set_way_back(0);
    !was_left
}

/// At a fault: if the thread expects one, what was interrupted goes on behind the call of [`dare`]'s function. To be called by
/// the handler with what the system passed to it.
///
/// # Safety
/// `context` is the system's description of what was interrupted.
pub(crate) unsafe fn leave(signal: i32, context: *mut c_void) -> bool {
    let way_back = words::way_back();
    if way_back == 0 || !busy::FAULTS.contains(&signal) {
        return false;
    }
    words::set_way_back(0);
    // SAFETY: as promised by the caller.
    let registers = unsafe { &mut (*context.cast::<::libc::ucontext_t>()).uc_mcontext.gregs };
    registers[::libc::REG_RSP as usize] = way_back as i64;
    registers[::libc::REG_RIP as usize] = left as *const () as i64;
    true
}

/// Calls the function and returns 0. Its registers lie on the stack meanwhile, where the thread's word points.
#[unsafe(naked)]
unsafe extern "C" fn call(_f: extern "C" fn(*mut c_void), _argument: *mut c_void) -> u64 {
    naked_asm!(
        ".cfi_startproc",
        ".irp register, rbp, rbx, r12, r13, r14, r15",
        "push \\register",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset \\register, 0",
        ".endr",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov rax, qword ptr [rip + heddle_way_back@GOTTPOFF]",
        "mov qword ptr fs:[rax], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        "jmp {back}",
        ".cfi_endproc",
        back = sym back,
    )
}

/// Where a fault leads, with the stack as it was at the call.
#[unsafe(naked)]
unsafe extern "C" fn left() {
    naked_asm!("mov eax, 1", "jmp {back}", back = sym back)
}

/// Returns from [`call`].
#[unsafe(naked)]
unsafe extern "C" fn back() {
    naked_asm!(
        "add rsp, 8",
        ".irp register, r15, r14, r13, r12, rbx, rbp",
        "pop \\register",
        ".endr",
        "ret",
    )
}
