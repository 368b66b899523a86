//! Data that several tasks touch, one location per element.
//!
//! A Rust reference promises that nobody else writes, so a program whose tasks race cannot be written
//! with references, let alone run. The types here lend out values instead: elements are copied in and
//! out, and each copy is told to the checker with the caller's position. That is also why there is no
//! `Index`: `v[i]` would have to return a reference.
//!
//! # Soundness
//! A racy program stays a defined one, on any number of threads: elements are [`Element`]s, valid
//! whatever their bits, and every load and store is a relaxed atomic one. An element larger than eight
//! bytes, or less aligned than large, goes piece by piece and may be torn by a race, never undefined.
//!
//! # Ranges
//! Range operations check the whole range at once. Where the caller's code runs between the check and
//! the last access (iterators, `map_range`) the check is made again if the task has begun a new strand
//! in the meantime, so that nothing is missed.

mod block;
mod cell;
mod grid;
mod iter;
mod single;
mod slice;
mod vec;

pub use block::Shared2dBlock;
pub use grid::Shared2d;
pub use iter::{Chunks, Iter};
pub use single::Shared;
pub use slice::SharedSlice;
pub use vec::SharedVec;

/// What can be shared: plain data without padding or pointers, valid whatever its bits.
///
/// Every [`bytemuck::Pod`] type is one: integers, floating-point numbers, arrays of them, and structs
/// that implement `Pod`. A `bool` is not: keep it as a `u8`. What owns memory (a `String`, a `Vec`)
/// belongs in a [`Mutex`](crate::Mutex), or may be named to the checker by [`read`](crate::read) and
/// [`write`](crate::write()).
///
/// ```
/// fn total<T: heddle::Element + std::iter::Sum>(numbers: &heddle::SharedVec<T>) -> T {
///     numbers.iter().sum()
/// }
/// assert_eq!(total(&heddle::SharedVec::from(vec![1, 2, 3])), 6);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of shared data",
    label = "not plain data",
    note = "tasks may read and write shared elements at the same time, so an element must be plain data that is valid whatever its bits: a number, an array of numbers, or a struct that implements `bytemuck::Pod`",
    note = "keep a `bool` as a `u8`, and what owns memory in a `heddle::Mutex`"
)]
pub trait Element: bytemuck::Pod + Send {}

#[diagnostic::do_not_recommend]
impl<T: bytemuck::Pod + Send> Element for T {}
