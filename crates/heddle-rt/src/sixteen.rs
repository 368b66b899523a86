//! Sixteen bytes changed at once, for which there is one instruction and no name in the language.

use std::arch::asm;

/// Stores `new` if the value is `old`. Returns what it was.
///
/// # Safety
/// The place is sixteen bytes that are valid, aligned, and accessed as atomics only, and the processor has the instruction
/// (`cmpxchg16b`).
#[inline]
pub unsafe fn exchange_if(place: *mut u128, old: u128, new: u128) -> u128 {
    let (mut low, mut high) = (old as u64, (old >> 64) as u64);
    // SAFETY: by the contract. The instruction wants a register that the compiler keeps for itself, so it is
    // put back; the operands are in others.
    unsafe {
        asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") place,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}
