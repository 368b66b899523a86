//! Functions with a variable number of arguments.
//!
//! Stable Rust can call them but not define them. The shim here does what a C compiler's prologue does on
//! x86-64: it saves the argument registers and describes them by a `va_list`, which Rust can walk and
//! hand to the `v` variant of the function.

use std::ffi::c_void;

/// The `va_list` of the System V ABI.
#[repr(C)]
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// Where the next general argument is in the save area; 48 and more: none is left there.
    general: u32,
    /// The same for floating-point arguments; 176 and more: none is left there.
    float: u32,
    /// The next argument on the stack.
    stack: *mut u64,
    saved: *mut c_void,
}

/// What a variadic function gets from its shim.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Arguments,
    pub(super) pc: usize,
}

impl Arguments {
    /// The next integer or pointer.
    ///
    /// # Safety
    /// The call has one more such argument. The same holds for the others.
    pub(super) unsafe fn integer(&mut self) -> u64 {
        if self.general < 48 {
            let at = self.general as usize;
            self.general += 8;
            // SAFETY: the save area has six general registers.
            return unsafe { self.saved.byte_add(at).cast::<u64>().read() };
        }
        // SAFETY: by the contract, it is on the stack.
        unsafe { self.on_stack(1) }
    }

    /// Skips a `double`.
    pub(super) unsafe fn skip_double(&mut self) {
        if self.float < 176 {
            self.float += 16;
        } else {
            // SAFETY: by the contract, it is on the stack.
            unsafe { self.on_stack(1) };
        }
    }

    /// Skips a `long double`, which is always on the stack and aligned.
    pub(super) unsafe fn skip_long_double(&mut self) {
        self.stack = (self.stack as usize).next_multiple_of(16) as *mut u64;
        // SAFETY: by the contract, it is there.
        unsafe { self.on_stack(2) };
    }

    unsafe fn on_stack(&mut self, words: usize) -> u64 {
        // SAFETY: the caller's frame holds the arguments that no register does.
        unsafe {
            let value = self.stack.read();
            self.stack = self.stack.add(words);
            value
        }
    }
}

/// Defines variadic functions: the fixed parameters, then a `Call`. `fixed` is eight times the number
/// of fixed parameters.
macro_rules! export_variadic {
    ($(
        [$($symbol:literal),+] fn $name:ident($($arg:ident: $ty:ty),*; $call:ident) fixed $fixed:literal -> $ret:ty $body:block
    )*) => {$(
        $crate::libc::variadic::variadic_entries!([$($symbol)+] $name $fixed ($($arg)*));
        unsafe extern "C-unwind" fn $name($($arg: $ty,)* $call: &mut $crate::libc::variadic::Call) -> $ret $body
    )*};
}

/// The shims of one function.
macro_rules! variadic_entries {
    ([$($symbol:literal)+] $name:ident $fixed:literal $args:tt) => {
        $($crate::libc::variadic::variadic_entry!($symbol $name $fixed $args);)+
    };
}

/// The shim itself.
macro_rules! variadic_entry {
    ($symbol:literal $name:ident $fixed:literal ($($arg:ident)*)) => {
        const _: () = {
            $crate::own_symbol::own_symbol!($symbol);
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn shim() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    "cmp qword ptr [rip + {own}], 0",
                    "je 3f",
                    "jmp qword ptr [rip + {own}]",
                    "3:",
                    "push rbp",
                    ".cfi_def_cfa_offset 16",
                    ".cfi_offset rbp, -16",
                    "mov rbp, rsp",
                    ".cfi_def_cfa_register rbp",
                    "sub rsp, 208",
                    "mov [rsp], rdi",
                    "mov [rsp + 8], rsi",
                    "mov [rsp + 16], rdx",
                    "mov [rsp + 24], rcx",
                    "mov [rsp + 32], r8",
                    "mov [rsp + 40], r9",
                    "test al, al",
                    "je 2f",
                    "movaps [rsp + 48], xmm0",
                    "movaps [rsp + 64], xmm1",
                    "movaps [rsp + 80], xmm2",
                    "movaps [rsp + 96], xmm3",
                    "movaps [rsp + 112], xmm4",
                    "movaps [rsp + 128], xmm5",
                    "movaps [rsp + 144], xmm6",
                    "movaps [rsp + 160], xmm7",
                    "2:",
                    concat!("mov dword ptr [rsp + 176], ", $fixed),
                    "mov dword ptr [rsp + 180], 48",
                    "lea rax, [rbp + 16]",
                    "mov [rsp + 184], rax",
                    "mov [rsp + 192], rsp",
                    "mov rax, [rbp + 8]",
                    "mov [rsp + 200], rax",
                    concat!("lea ", $crate::shim::next_register!($($arg)*), ", [rsp + 176]"),
                    "call {function}",
                    "leave",
                    ".cfi_def_cfa rsp, 8",
                    "ret",
                    ".cfi_endproc",
                    function = sym $name,
                    own = sym OWN,
                )
            }
        };
    };
}

pub(super) use {export_variadic, variadic_entries, variadic_entry};
