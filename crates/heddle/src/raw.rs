//! Accesses to memory that is not in a `Shared` type, told to the checker by hand.
//!
//! Locations are bytes, so that neighbours in one word are kept apart. A page of memory gets numbers
//! for its bytes when it is first named and keeps them: a process has only so many pages.

use crate::context;
use crate::locations::Locations;
use rustc_hash::FxHashMap;
use std::panic::Location;
use std::sync::{PoisonError, RwLock};

/// Bytes that get their numbers together.
const PAGE: usize = 1 << 12;

/// The numbers of the pages named so far.
static PAGES: RwLock<Option<FxHashMap<usize, Locations>>> = RwLock::new(None);

/// Tells the checker that the running task reads `x`, all its bytes and nothing behind its pointers.
///
/// For what the `Shared` types cannot hold: data behind a lock of another crate, in a file or a device,
/// a `Vec` whose elements are handed out by index. The call reads nothing itself. Outside of a check it
/// does nothing.
///
/// Memory that is freed and used again keeps its history: where a new object begins its life at an
/// address that parallel tasks have used before (a local variable, a box), say so by [`fresh`].
///
/// ```
/// use heddle::{check, finish, read, write};
///
/// // Stands for something that tasks change in ways that Rust does not see.
/// let door = [0u8; 16];
/// let report = check(|| {
///     finish(|s| {
///         s.spawn(|_| write(&door[3]));
///         s.spawn(|_| read(&door[4]));
///         s.spawn(|_| read(&door));
///     });
/// });
/// assert_eq!(report.races().count(), 1);
/// ```
#[track_caller]
pub fn read<T: ?Sized>(x: &T) {
    let caller = Location::caller();
    each_run(x, |start, len| {
        context::read(start, len, caller);
    });
}

/// Tells the checker that the running task writes `x`; as [`read`].
///
/// ```
/// use heddle::{check, finish, write};
///
/// let cell = std::cell::UnsafeCell::new(0);
/// let address = cell.get() as usize;
/// let report = check(|| {
///     finish(|s| {
///         for _ in 0..2 {
///             // A library might write here, through a pointer.
///             s.spawn(|_| write(unsafe { &*(address as *const i32) }));
///         }
///     });
/// });
/// assert!(!report.is_clean());
/// ```
#[track_caller]
pub fn write<T: ?Sized>(x: &T) {
    let caller = Location::caller();
    each_run(x, |start, len| {
        context::write(start, len, caller);
    });
}

/// Tells the checker that `x` is a new object: what was there before does not matter any more.
///
/// ```
/// use heddle::{check, finish, fresh, write};
///
/// fn work() {
///     let local = 0; // at the same address in tasks that run one after the other on one thread
///     fresh(&local);
///     write(&local);
/// }
///
/// check(|| {
///     finish(|s| {
///         s.spawn(|_| work());
///         s.spawn(|_| work());
///     });
/// })
/// .assert_clean();
/// ```
pub fn fresh<T: ?Sized>(x: &T) {
    if let Some(session) = context::session() {
        each_run(x, |start, len| session.forget(start, len));
    }
}

/// Calls `tell` with the location numbers of the bytes of `x`: first and how many, page by page.
fn each_run<T: ?Sized>(x: &T, mut tell: impl FnMut(u64, u64)) {
    if !context::is_checked() {
        return;
    }
    let mut at = std::ptr::from_ref(x).addr();
    let end = at + size_of_val(x);
    while at < end {
        let (page, offset) = (at / PAGE, at % PAGE);
        let len = (PAGE - offset).min(end - at);
        tell(first_of(page) + offset as u64, len as u64);
        at += len;
    }
}

/// The number of the first byte of a page.
fn first_of(page: usize) -> u64 {
    let known = PAGES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(locations) = known.as_ref().and_then(|pages| pages.get(&page)) {
        return locations.start();
    }
    drop(known);
    let mut pages = PAGES.write().unwrap_or_else(PoisonError::into_inner);
    let numbers = || Locations::new(PAGE);
    let page = pages.get_or_insert_default().entry(page);
    page.or_insert_with(numbers).start()
}
