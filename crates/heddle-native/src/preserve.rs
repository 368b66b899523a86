//! The way from the executable's hooks (`hooks/hooks.s`) into the library, which leaves every register as it is.
//! Cuts that are put into assembly text come by it, too: any instruction may stand before or behind them.
//!
//! Instrumented code calls the hooks by a convention that preserves all registers, so that it need not save
//! any around a check that is hardly ever more than ten instructions. Here is where they are saved: the
//! general ones on the program's stack, and the vector registers, as wide as the processor has them, on the
//! runtime's own stack. Libraries that the runtime uses clear the upper parts of vector registers, or write
//! to them; the compiler that instruments a function knows how wide its vectors are, but the hooks do not.
//!
//! Most code leaves the upper parts unused, and most processors can tell (`xgetbv`); then the lower sixteen
//! or thirty-two bytes are enough, which is cheaper than the instruction that stores everything. The C library's
//! functions for memory and strings leave in use what AVX-512 adds, masks and sixteen more registers, and hardly anything
//! else does: these are stored one by one, too.
//!
//! On the way the thread enters the runtime ([`crate::busy`]) and changes to its stack ([`crate::own_stack`]).

use crate::access::slow;
use crate::api::atomic::BY_RULE;
use crate::busy;
use std::arch::naked_asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Parts of the processor's state: the lower 16 bytes of vector registers; their next 16 bytes; masks; the
/// upper half of wide registers; the wide registers that narrow ones are no part of.
const SSE: u64 = 1 << 1;
const AVX: u64 = 1 << 2;
const MASKS: u64 = 1 << 5;
const MORE: u64 = 1 << 7;
const BEYOND: u64 = AVX | MASKS | 1 << 6 | MORE;

/// The parts beyond the lower sixteen bytes that processor and system have.
static VECTORS: AtomicU32 = AtomicU32::new(0);

/// Whether the processor tells which of them are in use, and can store only those.
static TOLD: AtomicU8 = AtomicU8::new(0);

/// The parts that are stored one by one: none, or [`MASKS`] and [`MORE`].
static SINGLY: AtomicU32 = AtomicU32::new(0);

/// Finds out what there is to preserve. To be called before anything is checked.
pub(crate) fn prepare() {
    const OSXSAVE: u32 = 1 << 27;
    const XSAVEC: u32 = 1 << 1;
    const XGETBV1: u32 = 1 << 2;
    if __cpuid(1).ecx & OSXSAVE == 0 {
        return;
    }
    // SAFETY: the system has enabled it, as was just asked.
    let enabled = unsafe { enabled() };
    VECTORS.store((enabled & BEYOND) as u32, Ordering::Relaxed);
    let offers = __cpuid_count(0xd, 1).eax;
    let told = offers & (XSAVEC | XGETBV1) == XSAVEC | XGETBV1;
    TOLD.store(told.into(), Ordering::Relaxed);
    // Foundation, and masks of 64 bits.
    const AVX512: u32 = 1 << 16 | 1 << 30;
    let singly = MASKS | MORE;
    if __cpuid_count(7, 0).ebx & AVX512 == AVX512 && enabled & singly == singly {
        SINGLY.store(singly as u32, Ordering::Relaxed);
    }
}

/// The parts of the state that the system has enabled.
#[target_feature(enable = "xsave")]
unsafe fn enabled() -> u64 {
    // SAFETY: the caller's promise.
    unsafe { _xgetbv(0) }
}

/// Room for all parts, in either layout, and for what comes before.
const ROOM: usize = 2752;

/// What the hooks turn to: both get the address and the place of the program.
#[repr(C)]
pub(crate) struct Ways {
    /// Says whether all is done. It must leave the upper parts of vector registers alone.
    pub(crate) quick: extern "C" fn(usize, usize) -> bool,
    /// Called if not.
    pub(crate) long: extern "C" fn(usize, usize),
}

/// Goes the ways that `rax` points to, with what is in `rdi` and with the place of the program that called. On the
/// stack are `rax` as it was, and where to return to: that place.
#[unsafe(naked)]
unsafe extern "C" fn preserving() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_def_cfa_offset 16",
        "push rbp",
        ".cfi_def_cfa_offset 24",
        ".cfi_offset rbp, -24",
        "mov rbp, rsp",
        ".cfi_def_cfa rbp, 24",
        ".irp register, rcx, rdx, rsi, rdi, r8, r9, r10, r11",
        "push \\register",
        ".endr",
        "mov rsi, [rbp + 16]",
        "mov r8, rax",
        // The thread is inside the runtime, and on its stack if it has one.
        "mov r9, qword ptr [rip + heddle_busy@GOTTPOFF]",
        "lock inc qword ptr fs:[r9]",
        "mov r10, qword ptr [rip + heddle_stack@GOTTPOFF]",
        "mov r11, qword ptr fs:[r10]",
        "mov qword ptr fs:[r10], 0",
        "test r11, r11",
        "jz 2f",
        "mov rsp, r11",
        "2:",
        "sub rsp, {room}",
        "and rsp, -64",
        "mov [rsp + {room} - 64], r11",
        "mov [rsp + {room} - 56], r8",
        // The quick way, which leaves the upper parts as they are.
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmmword ptr [rsp + 16 * \\n], xmm\\n",
        ".endr",
        "cmp byte ptr [rip + {gate}], 0",
        "jne 18f",
        "call [r8]",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmm\\n, xmmword ptr [rsp + 16 * \\n]",
        ".endr",
        "test al, al",
        "jnz 6f",
        "18:",
        "mov rdi, [rbp - 32]",
        "mov rsi, [rbp + 16]",
        "mov r8, [rsp + {room} - 56]",
        "mov r8, [r8 + 8]",
        // The long way. Which vector state is in use?
        "mov eax, dword ptr [rip + {vectors}]",
        "test eax, eax",
        "jz 3f",
        "mov r9d, eax",
        "cmp byte ptr [rip + {told}], 0",
        "je 15f",
        "mov ecx, 1",
        "xgetbv",
        "and eax, r9d",
        "jz 3f",
        "mov r10d, dword ptr [rip + {singly}]",
        "not r10d",
        "test eax, r10d",
        "jz 19f",
        "15:",
        "cmp eax, {avx}",
        "jne 4f",
        // The lower thirty-two.
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "vmovups ymmword ptr [rsp + 32 * \\n], ymm\\n",
        ".endr",
        "cmp byte ptr [rip + {gate}], 0",
        "jne 16f",
        "17:",
        "call r8",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "vmovups ymm\\n, ymmword ptr [rsp + 32 * \\n]",
        ".endr",
        "jmp 6f",
        // The lower sixteen bytes.
        "3:",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmmword ptr [rsp + 16 * \\n], xmm\\n",
        ".endr",
        "cmp byte ptr [rip + {gate}], 0",
        "jne 12f",
        "5:",
        "call r8",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmm\\n, xmmword ptr [rsp + 16 * \\n]",
        ".endr",
        "jmp 6f",
        // The lower sixteen bytes, the registers that AVX-512 adds, and masks.
        "19:",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmmword ptr [rsp + 16 * \\n], xmm\\n",
        ".endr",
        ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "vmovups zmmword ptr [rsp + 64 * \\n - 768], zmm\\n",
        ".endr",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
        "kmovq qword ptr [rsp + 8 * \\n + 1280], k\\n",
        ".endr",
        "cmp byte ptr [rip + {gate}], 0",
        "jne 21f",
        "20:",
        "call r8",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "movups xmm\\n, xmmword ptr [rsp + 16 * \\n]",
        ".endr",
        ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "vmovups zmm\\n, zmmword ptr [rsp + 64 * \\n - 768]",
        ".endr",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
        "kmovq k\\n, qword ptr [rsp + 8 * \\n + 1280]",
        ".endr",
        "jmp 6f",
        // All of it. What the instructions do not write of the header must be 0.
        "4:",
        "xor edx, edx",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
        "mov qword ptr [rsp + 512 + 8 * \\n], rdx",
        ".endr",
        "lea eax, [r9 + {sse}]",
        "cmp byte ptr [rip + {told}], 0",
        "je 7f",
        "xsavec [rsp]",
        "jmp 8f",
        "7: xsave [rsp]",
        "8:",
        "cmp byte ptr [rip + {gate}], 0",
        "jne 13f",
        "9:",
        "call r8",
        "mov eax, dword ptr [rip + {vectors}]",
        "add eax, {sse}",
        "xor edx, edx",
        "xrstor [rsp]",
        // Back on the program's stack, and outside.
        "6:",
        "mov r11, [rsp + {room} - 64]",
        "lea rsp, [rbp - 64]",
        "mov r10, qword ptr [rip + heddle_stack@GOTTPOFF]",
        "mov qword ptr fs:[r10], r11",
        "mov r9, qword ptr [rip + heddle_busy@GOTTPOFF]",
        "sub qword ptr fs:[r9], 1",
        "jnz 10f",
        "11:",
        ".irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx",
        "pop \\register",
        ".endr",
        "pop rbp",
        ".cfi_def_cfa rsp, 16",
        ".cfi_restore rbp",
        "pop rax",
        ".cfi_def_cfa_offset 8",
        "ret",
        // A signal waits, unless the thread is still inside. No register that matters is touched.
        ".cfi_def_cfa rbp, 24",
        ".cfi_offset rbp, -24",
        "10:",
        "cmp dword ptr fs:[r9], 0",
        "jne 11b",
        "mov dword ptr fs:[r9 + 4], 0",
        "mov rsi, qword ptr fs:[0]",
        "add rsi, qword ptr [rip + heddle_mask@GOTTPOFF]",
        "mov eax, {sigprocmask}",
        "mov edi, {setmask}",
        "xor edx, edx",
        "mov r10d, 8",
        "syscall",
        "jmp 11b",
        // The process is being forked.
        "12:",
        "call 14f",
        "jmp 5b",
        "13:",
        "call 14f",
        "jmp 9b",
        "16:",
        "call 14f",
        "jmp 17b",
        "21:",
        "call 14f",
        "jmp 20b",
        "14:",
        "push r8",
        "push rsi",
        "push rdi",
        "call {pass_gate}",
        "pop rdi",
        "pop rsi",
        "pop r8",
        "ret",
        ".cfi_endproc",
        vectors = sym VECTORS,
        told = sym TOLD,
        singly = sym SINGLY,
        gate = sym busy::GATE_CLOSED,
        pass_gate = sym busy::pass_gate,
        room = const ROOM,
        sse = const SSE,
        avx = const AVX,
        sigprocmask = const ::libc::SYS_rt_sigprocmask,
        setmask = const ::libc::SIG_SETMASK,
    )
}

/// What the program jumps to with all its registers in use, and what is done then.
macro_rules! entries {
    ($($symbol:literal, $function:path;)*) => {$(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn entry() {
                naked_asm!(
                    ".cfi_startproc",
                    "push rax",
                    ".cfi_def_cfa_offset 16",
                    "lea rax, [rip + {function}]",
                    "jmp {preserving}",
                    ".cfi_endproc",
                    function = sym $function,
                    preserving = sym preserving,
                )
            }
        };
    )*};
}

entries! {
    "heddle_access_read1", slow::READ1;
    "heddle_access_read2", slow::READ2;
    "heddle_access_read4", slow::READ4;
    "heddle_access_read8", slow::READ8;
    "heddle_access_read16", slow::READ16;
    "heddle_access_write1", slow::WRITE1;
    "heddle_access_write2", slow::WRITE2;
    "heddle_access_write4", slow::WRITE4;
    "heddle_access_write8", slow::WRITE8;
    "heddle_access_write16", slow::WRITE16;
    "heddle_access_update1", slow::UPDATE1;
    "heddle_access_update2", slow::UPDATE2;
    "heddle_access_update4", slow::UPDATE4;
    "heddle_access_update8", slow::UPDATE8;
    "heddle_access_update16", slow::UPDATE16;
    "heddle_cut_anywhere", BY_RULE;
}
