//! The operations themselves, on words of 1 to 16 bytes.

use super::order::Order;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// How a value is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Set,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

/// A value that can be accessed atomically. All operations are sequentially consistent, except that a
/// store that need not be is cheaper.
///
/// # Safety
/// For all of them, the place is valid and aligned.
pub(super) trait Word: Copy + PartialEq {
    unsafe fn load(place: *mut Self) -> Self;
    unsafe fn store(place: *mut Self, value: Self, order: Order);
    /// Returns the value before.
    unsafe fn change(place: *mut Self, change: Change, value: Self) -> Self;
    /// Stores `new` if the value is `old`. Returns the value before.
    unsafe fn exchange_if(place: *mut Self, old: Self, new: Self) -> Self;
}

macro_rules! words {
    ($($word:ty, $atomic:ty;)*) => {$(
        impl Word for $word {
            #[inline]
            unsafe fn load(place: *mut Self) -> Self {
                // SAFETY: by the contract.
                unsafe { <$atomic>::from_ptr(place) }.load(Ordering::SeqCst)
            }

            #[inline]
            unsafe fn store(place: *mut Self, value: Self, order: Order) {
                let order = if order.is_total() { Ordering::SeqCst } else { Ordering::Release };
                // SAFETY: by the contract.
                unsafe { <$atomic>::from_ptr(place) }.store(value, order);
            }

            #[inline]
            unsafe fn change(place: *mut Self, change: Change, value: Self) -> Self {
                // SAFETY: by the contract.
                let place = unsafe { <$atomic>::from_ptr(place) };
                match change {
                    Change::Set => place.swap(value, Ordering::SeqCst),
                    Change::Add => place.fetch_add(value, Ordering::SeqCst),
                    Change::Sub => place.fetch_sub(value, Ordering::SeqCst),
                    Change::And => place.fetch_and(value, Ordering::SeqCst),
                    Change::Or => place.fetch_or(value, Ordering::SeqCst),
                    Change::Xor => place.fetch_xor(value, Ordering::SeqCst),
                    Change::Nand => place.fetch_nand(value, Ordering::SeqCst),
                }
            }

            #[inline]
            unsafe fn exchange_if(place: *mut Self, old: Self, new: Self) -> Self {
                // SAFETY: by the contract.
                let place = unsafe { <$atomic>::from_ptr(place) };
                match place.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(before) | Err(before) => before,
                }
            }
        }
    )*};
}

words! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

impl Change {
    fn apply(self, before: u128, value: u128) -> u128 {
        match self {
            Self::Set => value,
            Self::Add => before.wrapping_add(value),
            Self::Sub => before.wrapping_sub(value),
            Self::And => before & value,
            Self::Or => before | value,
            Self::Xor => before ^ value,
            Self::Nand => !(before & value),
        }
    }
}

/// There is one instruction for 16 bytes, which all else is made of. A program that uses such atomics
/// has asked its compiler for a processor that has it.
impl Word for u128 {
    unsafe fn load(place: *mut Self) -> Self {
        // SAFETY: by the contract. Writes only what is there.
        unsafe { Self::exchange_if(place, 0, 0) }
    }

    unsafe fn store(place: *mut Self, value: Self, _order: Order) {
        // SAFETY: by the contract.
        unsafe { Self::change(place, Change::Set, value) };
    }

    unsafe fn change(place: *mut Self, change: Change, value: Self) -> Self {
        // SAFETY: by the contract.
        let mut before = unsafe { Self::load(place) };
        loop {
            let next = change.apply(before, value);
            // SAFETY: by the contract.
            let seen = unsafe { Self::exchange_if(place, before, next) };
            if seen == before {
                return before;
            }
            before = seen;
        }
    }

    unsafe fn exchange_if(place: *mut Self, old: Self, new: Self) -> Self {
        // SAFETY: by the contract, and see above for the processor.
        unsafe { heddle_rt::sixteen::exchange_if(place, old, new) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: [Change; 7] = [
        Change::Set,
        Change::Add,
        Change::Sub,
        Change::And,
        Change::Or,
        Change::Xor,
        Change::Nand,
    ];

    #[test]
    fn changes_of_all_widths_agree() {
        for change in CHANGES {
            let (mut narrow, mut wide) = (0x5au8, 0x5au128);
            // SAFETY: both are valid and aligned.
            let before = unsafe {
                (
                    u8::change(&mut narrow, change, 0x33),
                    u128::change(&mut wide, change, 0x33),
                )
            };
            assert_eq!(before, (0x5a, 0x5a), "{change:?}");
            assert_eq!(narrow, wide as u8, "{change:?}");
        }
    }

    #[test]
    fn sixteen_bytes_are_exchanged_only_if_all_of_them_match() {
        let mut value = 1u128 << 100 | 7;
        // SAFETY: valid and aligned.
        unsafe {
            assert_eq!(u128::exchange_if(&mut value, 7, 9), 1 << 100 | 7);
            assert_eq!(u128::exchange_if(&mut value, 1 << 100 | 7, 9), 1 << 100 | 7);
            assert_eq!(u128::load(&mut value), 9);
        }
    }
}
