//! Atomic operations (the `__tsan_atomic*` part of the ABI).
//!
//! Instrumented code does not perform its atomic operations, it asks for them here. Each is carried
//! out, at least as strongly as asked, and reported as an atomic access: two of them never race, one and a
//! plain access do. A read-modify-write is a write, a comparison that fails a read.
//!
//! # Order
//! A release that an acquire sees is a hand-off from the one strand to the other ([`hand_off`]). As in C11, a
//! read-modify-write by anyone continues what a release began, a plain store ends it, and a fence makes a
//! release of the relaxed stores after it and an acquire of the relaxed loads before it.
//!
//! A read-modify-write whose value is not used (`owners++;`) goes on in the same way whoever came before: it receives
//! nothing, and what it releases stands beside what the others did, for whoever looks at the value. Unless its thread
//! has looked before, by a relaxed load: then it makes that an acquire, as a fence would.
//!
//! # Invariant
//! An operation that releases or acquires is performed while the table entry of its address is locked,
//! so that the order in which entries change is the one in which values do. Relaxed operations do not
//! lock as long as nothing in the program has ever released anything.
//!
//! [`hand_off`]: crate::hand_off

mod abi;
mod fence;
mod order;
mod word;

pub(crate) use fence::list;

use crate::access;
use crate::hand_off::{self, Locked, Reach, Released};
use crate::pthread::precedence;
use crate::runtime::Runtime;
use crate::thread::{self, Thread};
use heddle_core::AccessKind;
use order::Order;
use word::{Change, Word};

/// What an operation did.
struct Effect<T> {
    value: T,
    kind: AccessKind,
    /// Whether it wrote without reading: what others released there is over.
    fresh: bool,
    order: Order,
}

/// Performs `operation` and reports what it did.
#[inline]
fn perform<T: Word>(
    place: *mut T,
    asked: Order,
    pc: usize,
    operation: impl Fn() -> Effect<T>,
) -> T {
    let checked = thread::enter(|runtime, thread| {
        if asked.is_relaxed() && !hand_off::any() {
            let effect = operation();
            touched(runtime, thread, place, &effect, pc);
            if !effect.fresh && hand_off::any() {
                // The first release of all came in between: the value may be what it wrote.
                synchronise(
                    runtime,
                    thread,
                    &mut hand_off::lock(place as usize),
                    &effect,
                );
            }
            return effect.value;
        }
        let mut entry = hand_off::lock(place as usize);
        if asked.releases() {
            // Before anyone can see the value: whoever does, locks.
            hand_off::will_be_used();
        }
        let effect = operation();
        touched(runtime, thread, place, &effect, pc);
        synchronise(runtime, thread, &mut entry, &effect);
        effect.value
    });
    checked.unwrap_or_else(|| operation().value)
}

fn touched<T>(
    runtime: &Runtime,
    thread: &mut Thread,
    place: *mut T,
    effect: &Effect<T>,
    pc: usize,
) {
    let address = place as usize;
    access::touch_atomically(runtime, thread, effect.kind, address, size_of::<T>(), pc);
}

/// Follows the edges that the operation makes. The access itself came before: what is handed over
/// arrives with the value.
fn synchronise<T>(runtime: &Runtime, thread: &mut Thread, entry: &mut Locked, effect: &Effect<T>) {
    if let Some(releases) = entry.get().filter(|_| !effect.fresh) {
        match (effect.order.acquires(), effect.order.is_blind()) {
            (true, false) => releases.acquire(runtime, thread),
            (true, true) => fence::acquire_loaded(runtime, thread, releases.strands()),
            (false, _) => fence::loaded(thread, releases.strands()),
        }
    }
    if effect.kind == AccessKind::Write {
        publish(runtime, thread, entry, effect);
    }
}

fn publish<T>(runtime: &Runtime, thread: &mut Thread, entry: &mut Locked, effect: &Effect<T>) {
    let order = effect.order;
    if let Some(releases) = entry.get().filter(|_| effect.fresh) {
        releases.clear();
    }
    match (order.releases(), fence::released(thread)) {
        (true, _) if order.acquires() && !order.is_blind() => {
            let released = Released::now(runtime, thread);
            entry.entry().replace(released, Reach::Seen);
        }
        (true, _) => entry.entry().add(runtime, thread),
        (false, Some(released)) => {
            entry.entry().push(runtime, thread, released);
        }
        (false, None) => {}
    }
}

/// Takes one from a count of owners for a call at `pc`, as whoever drops a share does. Returns the count before.
///
/// # Safety
/// The count is there: the caller owns a share.
pub(crate) unsafe fn drop_share(count: *mut u32, pc: usize) -> u32 {
    change(count, Change::Sub, 1, Order::ACQUIRE_RELEASE, pc)
}

fn load<T: Word>(place: *mut T, order: Order, pc: usize) -> T {
    perform(place, order, pc, || Effect {
        // SAFETY: the program loads from there itself.
        value: unsafe { T::load(place) },
        kind: AccessKind::Read,
        fresh: false,
        order: order.of_load(),
    })
}

fn store<T: Word>(place: *mut T, value: T, order: Order, pc: usize) {
    perform(place, order, pc, || {
        // SAFETY: the program stores there itself.
        unsafe { T::store(place, value, order) };
        Effect {
            value,
            kind: AccessKind::Write,
            fresh: true,
            order: order.of_store(),
        }
    });
}

#[inline]
fn change<T: Word>(place: *mut T, change: Change, value: T, order: Order, pc: usize) -> T {
    precedence::comes();
    let before = perform(place, order, pc, || Effect {
        // SAFETY: the program changes the value there itself.
        value: unsafe { T::change(place, change, value) },
        kind: AccessKind::Write,
        fresh: false,
        order,
    });
    precedence::arrives();
    before
}

/// Stores `new` if the value is `old`. Returns what it was.
#[inline]
fn exchange_if<T: Word>(
    place: *mut T,
    (old, new): (T, T),
    (success, failure): (Order, Order),
    pc: usize,
) -> T {
    perform(place, success.with(failure), pc, || {
        // SAFETY: the program changes the value there itself.
        let value = unsafe { T::exchange_if(place, old, new) };
        let done = value == old;
        Effect {
            value,
            kind: if done {
                AccessKind::Write
            } else {
                AccessKind::Read
            },
            fresh: false,
            order: if done { success } else { failure.of_load() },
        }
    })
}
