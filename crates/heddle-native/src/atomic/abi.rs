//! The entry points: one set per width.

use super::order::Order;
use super::word::Change;
use super::{change, exchange_if, load, store};
use crate::shim::export;
use std::arch::naked_asm;
use std::ffi::c_int;

/// Read-modify-writes: symbol, name and change.
macro_rules! changes {
    ($word:ty: $($symbol:literal $name:ident $change:ident),*) => {
        export! {$(
            [$symbol] fn $name(place: *mut $word, value: $word, order: c_int) at pc -> $word {
                change(place, Change::$change, value, Order::of_change(order), pc)
            }
        )*}
    };
}

/// All operations on words that fit a register.
macro_rules! narrow {
    ($($module:ident $word:ty: $load:literal $store:literal $set:literal $add:literal $sub:literal $and:literal $or:literal $xor:literal $nand:literal
        $strong:literal $weak:literal $value:literal;)*) => {$(
        mod $module {
            use super::*;

            changes!($word: $set set Set, $add add Add, $sub sub Sub, $and and And, $or or Or, $xor xor Xor, $nand nand Nand);

            export! {
                [$load] fn get(place: *mut $word, order: c_int) at pc -> $word {
                    load(place, Order::from_abi(order), pc)
                }

                [$store] fn put(place: *mut $word, value: $word, order: c_int) at pc {
                    store(place, value, Order::from_abi(order), pc);
                }

                [$strong, $weak] fn exchange(place: *mut $word, expected: *mut $word, new: $word, success: c_int, failure: c_int) at pc -> c_int {
                    // SAFETY: the program passes what it expects, and a place for what there is.
                    let old = unsafe { *expected };
                    let orders = (Order::from_abi(success), Order::from_abi(failure));
                    let before = exchange_if(place, (old, new), orders, pc);
                    if before != old {
                        // SAFETY: as above.
                        unsafe { *expected = before };
                    }
                    c_int::from(before == old)
                }

                [$value] fn exchange_value(place: *mut $word, old: $word, new: $word, success: c_int, failure: c_int) at pc -> $word {
                    let orders = (Order::from_abi(success), Order::from_abi(failure));
                    exchange_if(place, (old, new), orders, pc)
                }
            }
        }
    )*};
}

narrow! {
    bytes u8: "__tsan_atomic8_load" "__tsan_atomic8_store" "__tsan_atomic8_exchange" "__tsan_atomic8_fetch_add" "__tsan_atomic8_fetch_sub" "__tsan_atomic8_fetch_and"
        "__tsan_atomic8_fetch_or" "__tsan_atomic8_fetch_xor" "__tsan_atomic8_fetch_nand"
        "__tsan_atomic8_compare_exchange_strong" "__tsan_atomic8_compare_exchange_weak" "__tsan_atomic8_compare_exchange_val";
    shorts u16: "__tsan_atomic16_load" "__tsan_atomic16_store" "__tsan_atomic16_exchange" "__tsan_atomic16_fetch_add" "__tsan_atomic16_fetch_sub" "__tsan_atomic16_fetch_and"
        "__tsan_atomic16_fetch_or" "__tsan_atomic16_fetch_xor" "__tsan_atomic16_fetch_nand"
        "__tsan_atomic16_compare_exchange_strong" "__tsan_atomic16_compare_exchange_weak" "__tsan_atomic16_compare_exchange_val";
    ints u32: "__tsan_atomic32_load" "__tsan_atomic32_store" "__tsan_atomic32_exchange" "__tsan_atomic32_fetch_add" "__tsan_atomic32_fetch_sub" "__tsan_atomic32_fetch_and"
        "__tsan_atomic32_fetch_or" "__tsan_atomic32_fetch_xor" "__tsan_atomic32_fetch_nand"
        "__tsan_atomic32_compare_exchange_strong" "__tsan_atomic32_compare_exchange_weak" "__tsan_atomic32_compare_exchange_val";
    longs u64: "__tsan_atomic64_load" "__tsan_atomic64_store" "__tsan_atomic64_exchange" "__tsan_atomic64_fetch_add" "__tsan_atomic64_fetch_sub" "__tsan_atomic64_fetch_and"
        "__tsan_atomic64_fetch_or" "__tsan_atomic64_fetch_xor" "__tsan_atomic64_fetch_nand"
        "__tsan_atomic64_compare_exchange_strong" "__tsan_atomic64_compare_exchange_weak" "__tsan_atomic64_compare_exchange_val";
}

/// Operations on 16 bytes, whose values take two registers each.
mod pairs {
    use super::*;

    /// As [`export`], with a register named, because values take two.
    macro_rules! export_pairs {
        ($([$symbol:literal] fn $name:ident($($arg:ident: $ty:ty),*) pc in $register:literal $(-> $ret:ty)? $body:block)*) => {$(
            const _: () = {
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn shim() {
                    naked_asm!(
                        concat!("mov ", $register, ", [rsp]"),
                        "jmp {function}",
                        function = sym $name,
                    )
                }
            };
            extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
        )*};
    }

    macro_rules! changes {
        ($($symbol:literal $name:ident $change:ident),*) => {
            export_pairs! {$(
                [$symbol] fn $name(place: *mut u128, value: u128, order: c_int, pc: usize) pc in "r8" -> u128 {
                    change(place, Change::$change, value, Order::of_change(order), pc)
                }
            )*}
        };
    }

    changes! {
        "__tsan_atomic128_exchange" set Set,
        "__tsan_atomic128_fetch_add" add Add,
        "__tsan_atomic128_fetch_sub" sub Sub,
        "__tsan_atomic128_fetch_and" and And,
        "__tsan_atomic128_fetch_or" or Or,
        "__tsan_atomic128_fetch_xor" xor Xor,
        "__tsan_atomic128_fetch_nand" nand Nand
    }

    export_pairs! {
        ["__tsan_atomic128_load"] fn get(place: *mut u128, order: c_int, pc: usize) pc in "rdx" -> u128 {
            load(place, Order::from_abi(order), pc)
        }

        ["__tsan_atomic128_store"] fn put(place: *mut u128, value: u128, order: c_int, pc: usize) pc in "r8" {
            store(place, value, Order::from_abi(order), pc);
        }
    }

    /// All six registers are taken: the return address goes on the stack.
    macro_rules! export_exchanges {
        ($($symbol:literal)*) => {$(
            const _: () = {
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn shim() {
                    naked_asm!(
                        "push qword ptr [rsp]",
                        "call {function}",
                        "add rsp, 8",
                        "ret",
                        function = sym exchange,
                    )
                }
            };
        )*};
    }

    export_exchanges! {
        "__tsan_atomic128_compare_exchange_strong"
        "__tsan_atomic128_compare_exchange_weak"
    }

    unsafe extern "C" fn exchange(
        place: *mut u128,
        expected: *mut u128,
        new: u128,
        success: c_int,
        failure: c_int,
        pc: usize,
    ) -> c_int {
        // SAFETY: the program passes what it expects, and a place for what there is.
        let old = unsafe { *expected };
        let orders = (Order::from_abi(success), Order::from_abi(failure));
        let before = exchange_if(place, (old, new), orders, pc);
        if before != old {
            // SAFETY: as above.
            unsafe { *expected = before };
        }
        c_int::from(before == old)
    }

    /// The failure order is on the stack already; the return address goes behind it.
    #[unsafe(naked)]
    #[unsafe(export_name = "__tsan_atomic128_compare_exchange_val")]
    unsafe extern "C" fn exchange_value_shim() {
        naked_asm!(
            "sub rsp, 8",
            "push qword ptr [rsp + 8]",
            "push qword ptr [rsp + 24]",
            "call {function}",
            "add rsp, 24",
            "ret",
            function = sym exchange_value,
        )
    }

    extern "C" fn exchange_value(
        place: *mut u128,
        old: u128,
        new: u128,
        success: c_int,
        failure: c_int,
        pc: usize,
    ) -> u128 {
        let orders = (Order::from_abi(success), Order::from_abi(failure));
        exchange_if(place, (old, new), orders, pc)
    }
}
