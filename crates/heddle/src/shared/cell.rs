//! One element in memory, loaded and stored by relaxed atomic operations.

use super::Element;
use crate::explore::world;
use std::cell::UnsafeCell;
use std::mem::{MaybeUninit, align_of, size_of};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// An element that any number of threads load and store at the same time.
///
/// Invariant: while it is shared it is accessed by [`load`](Self::load) and [`store`](Self::store)
/// only, that is by atomic operations of one and the same size.
#[repr(transparent)]
pub(super) struct ElementCell<T>(UnsafeCell<T>);

// SAFETY: all shared access is atomic and by value, and `Element`s may be sent.
unsafe impl<T: Element> Sync for ElementCell<T> {}

impl<T: Element> ElementCell<T> {
    pub(super) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The size of the atomic pieces of a `T`: as large as its alignment lets them be.
    const PIECE: usize = if align_of::<T>() < 8 {
        align_of::<T>()
    } else {
        8
    };

    #[inline(always)]
    pub(super) fn load(&self) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: `self` is valid for reads of a `T`, and accessed atomically only; `value` is ours.
        unsafe { self.pieces(|at, piece| piece.load_to(value.as_mut_ptr().cast::<u8>().add(at))) };
        // SAFETY: the pieces cover the whole of `T`, and any bits are a valid one.
        unsafe { value.assume_init() }
    }

    #[inline(always)]
    pub(super) fn store(&self, value: T) {
        let from = (&raw const value).cast::<u8>();
        // SAFETY: as in `load`; a `T` has no uninitialised bytes.
        unsafe { self.pieces(|at, piece| piece.store_from(from.add(at))) };
    }

    /// Calls `f` with each piece of the element and its offset in bytes.
    #[inline(always)]
    fn pieces(&self, mut f: impl FnMut(usize, Piece)) {
        let base = self.0.get().cast::<u8>();
        for at in (0..size_of::<T>()).step_by(Self::PIECE) {
            f(at, Piece(base.wrapping_add(at), Self::PIECE));
        }
    }

    /// Tells an explored run what these cells have, the first of which is at `start`, since a task wrote them.
    #[cold]
    pub(super) fn tell(cells: &[Self], start: u64) {
        for (location, cell) in (start..).zip(cells) {
            world::stored(location, bytemuck::bytes_of(&cell.load()));
        }
        Self::show(cells, start);
    }

    /// Shows a replayed run what these cells have, which a task has just read or written.
    #[cold]
    pub(super) fn show(cells: &[Self], start: u64) {
        for (location, cell) in (start..).zip(cells) {
            world::shows(location, || printed(&cell.load()));
        }
    }

    /// The cells as plain elements.
    pub(super) fn as_elements(cells: &mut [Self]) -> &mut [T] {
        // SAFETY: the cell is `repr(transparent)` over `UnsafeCell<T>`, and so over `T`; the
        // reference is exclusive.
        unsafe { &mut *(std::ptr::from_mut(cells) as *mut [T]) }
    }

    pub(super) fn from_elements(elements: Box<[T]>) -> Box<[Self]> {
        // SAFETY: the same layout, see `as_elements`.
        unsafe { Box::from_raw(Box::into_raw(elements) as *mut [Self]) }
    }

    pub(super) fn into_elements(cells: Box<[Self]>) -> Box<[T]> {
        // SAFETY: the same layout, see `as_elements`.
        unsafe { Box::from_raw(Box::into_raw(cells) as *mut [T]) }
    }
}

/// A number as Rust writes it, anything else as its bytes.
fn printed<T: Element>(value: &T) -> String {
    let bytes = bytemuck::bytes_of(value);
    macro_rules! numbers {
        ($($number:ty)*) => {
            match std::any::type_name::<T>() {
                $(name if name == std::any::type_name::<$number>() => {
                    format!("{:?}", bytemuck::pod_read_unaligned::<$number>(bytes))
                })*
                _ => format!("{bytes:02x?}"),
            }
        };
    }
    numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64)
}

/// An aligned piece of an element: where it is, and its size of 1, 2, 4 or 8 bytes.
struct Piece(*mut u8, usize);

impl Piece {
    /// # Safety
    /// The piece must be valid and aligned for its size and accessed atomically only; `to` must be
    /// valid for writes of as many bytes.
    #[inline(always)]
    unsafe fn load_to(self, to: *mut u8) {
        let Self(from, size) = self;
        // SAFETY: by the caller's promise.
        unsafe {
            match size {
                1 => to.write(AtomicU8::from_ptr(from).load(Relaxed)),
                2 => to
                    .cast::<u16>()
                    .write_unaligned(AtomicU16::from_ptr(from.cast()).load(Relaxed)),
                4 => to
                    .cast::<u32>()
                    .write_unaligned(AtomicU32::from_ptr(from.cast()).load(Relaxed)),
                _ => to
                    .cast::<u64>()
                    .write_unaligned(AtomicU64::from_ptr(from.cast()).load(Relaxed)),
            }
        }
    }

    /// # Safety
    /// As for [`load_to`](Self::load_to), with `from` valid for reads.
    #[inline(always)]
    unsafe fn store_from(self, from: *const u8) {
        let Self(to, size) = self;
        // SAFETY: by the caller's promise.
        unsafe {
            match size {
                1 => AtomicU8::from_ptr(to).store(from.read(), Relaxed),
                2 => AtomicU16::from_ptr(to.cast())
                    .store(from.cast::<u16>().read_unaligned(), Relaxed),
                4 => AtomicU32::from_ptr(to.cast())
                    .store(from.cast::<u32>().read_unaligned(), Relaxed),
                _ => AtomicU64::from_ptr(to.cast())
                    .store(from.cast::<u64>().read_unaligned(), Relaxed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back<T: Element + PartialEq + std::fmt::Debug>(first: T, second: T) {
        let cell = ElementCell::new(first);
        assert_eq!(cell.load(), first);
        cell.store(second);
        assert_eq!(cell.load(), second);
    }

    #[test]
    fn what_is_stored_comes_back_whatever_its_size_and_alignment() {
        comes_back(1u8, 200);
        comes_back(-1i16, 300);
        comes_back(1.5f32, -2.5);
        comes_back(u64::MAX, 7);
        comes_back(u128::MAX - 5, 1 << 100);
        comes_back([1u8, 2, 3], [4, 5, 6]);
        comes_back([1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]);
        comes_back([1u16; 5], [7; 5]);
        comes_back((), ());
    }

    #[test]
    fn numbers_are_printed_as_numbers() {
        assert_eq!(printed(&-5i16), "-5");
        assert_eq!(printed(&1.0f64), "1.0");
        assert_eq!(printed(&[1u8, 255]), "[01, ff]");
    }

    #[test]
    fn a_piece_is_as_large_as_the_alignment_allows() {
        assert_eq!(ElementCell::<[u8; 8]>::PIECE, 1);
        assert_eq!(ElementCell::<[f32; 4]>::PIECE, 4);
        assert_eq!(ElementCell::<u128>::PIECE, 8);
    }
}
