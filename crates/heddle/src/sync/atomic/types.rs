//! The atomic types themselves.

use super::guarded::{Effect, Guarded};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{self, Ordering};

/// The outcome of an exchange, and what it did.
fn exchanged<T>(
    outcome: Result<T, T>,
    success: Ordering,
    failure: Ordering,
) -> (Result<T, T>, Effect) {
    let effect = match outcome {
        Ok(_) => Effect::Change(success),
        Err(_) => Effect::Load(failure),
    };
    (outcome, effect)
}

/// Operations that change the value and return the one before.
macro_rules! changes {
    ($name:ident, $value:ty, $one:expr, $two:expr; $($method:ident $says:literal),* $(,)?) => {$(
        #[doc = concat!($says, "; returns the value before.")]
        ///
        /// ```
        #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering};")]
        #[doc = concat!("let a = ", stringify!($name), "::new(", stringify!($one), ");")]
        #[doc = concat!("assert_eq!(a.", stringify!($method), "(", stringify!($two), ", Ordering::AcqRel), ", stringify!($one), ");")]
        /// ```
        #[inline]
        #[track_caller]
        pub fn $method(&self, value: $value, order: Ordering) -> $value {
            let operation = || self.inner.$method(value, order);
            self.guarded.perform(Effect::Change(order), Location::caller(), operation)
        }
    )*};
}

macro_rules! atomic {
    ($name:ident, $value:ty, $one:expr, $two:expr; $($method:ident $says:literal),* $(,)?) => {
        #[doc = concat!("[`std::sync::atomic::", stringify!($name), "`], checked; see [the module](crate::atomic).")]
        ///
        /// ```
        #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering};")]
        #[doc = concat!("static A: ", stringify!($name), " = ", stringify!($name), "::new(", stringify!($one), ");")]
        #[doc = concat!("assert_eq!(A.load(Ordering::SeqCst), ", stringify!($one), ");")]
        /// ```
        pub struct $name {
            inner: atomic::$name,
            guarded: Guarded,
        }

        impl $name {
            /// An atomic with this value.
            ///
            /// ```
            #[doc = concat!("let a = heddle::atomic::", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("assert_eq!(a.into_inner(), ", stringify!($one), ");")]
            /// ```
            #[track_caller]
            pub const fn new(value: $value) -> Self {
                Self {
                    inner: atomic::$name::new(value),
                    guarded: Guarded::new(stringify!($name)),
                }
            }

            /// The value.
            ///
            /// # Panics
            /// As the standard library's, if `order` is `Release` or `AcqRel`.
            ///
            /// ```
            #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering};")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(", stringify!($one), ").load(Ordering::Acquire), ", stringify!($one), ");")]
            /// ```
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let operation = || self.inner.load(order);
                self.guarded.perform(Effect::Load(order), Location::caller(), operation)
            }

            /// Sets the value.
            ///
            /// # Panics
            /// As the standard library's, if `order` is `Acquire` or `AcqRel`.
            ///
            /// ```
            #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering};")]
            #[doc = concat!("let a = ", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("a.store(", stringify!($two), ", Ordering::Release);")]
            #[doc = concat!("assert_eq!(a.into_inner(), ", stringify!($two), ");")]
            /// ```
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let operation = || self.inner.store(value, order);
                self.guarded.perform(Effect::Store(order), Location::caller(), operation);
            }

            changes! { $name, $value, $one, $two; swap "Sets the value", $($method $says),* }

            /// Sets the value to `new` if it is `current`; returns the value before, as an error if it
            /// was another.
            ///
            /// # Errors
            /// If the value was not `current`.
            ///
            /// ```
            #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering::SeqCst};")]
            #[doc = concat!("let a = ", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("assert!(a.compare_exchange(", stringify!($one), ", ", stringify!($two), ", SeqCst, SeqCst).is_ok());")]
            #[doc = concat!("assert!(a.compare_exchange(", stringify!($one), ", ", stringify!($two), ", SeqCst, SeqCst).is_err());")]
            /// ```
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.guarded.attempt(Location::caller(), || {
                    let outcome = self.inner.compare_exchange(current, new, success, failure);
                    exchanged(outcome, success, failure)
                })
            }

            /// As `compare_exchange`, but may fail although the value is `current`.
            ///
            /// # Errors
            /// If nothing was exchanged.
            ///
            /// ```
            #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering::SeqCst};")]
            #[doc = concat!("let a = ", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("while a.compare_exchange_weak(", stringify!($one), ", ", stringify!($two), ", SeqCst, SeqCst).is_err() {}")]
            #[doc = concat!("assert_eq!(a.into_inner(), ", stringify!($two), ");")]
            /// ```
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.guarded.attempt(Location::caller(), || {
                    let outcome = self.inner.compare_exchange_weak(current, new, success, failure);
                    exchanged(outcome, success, failure)
                })
            }

            /// Sets the value to what `f` makes of it, trying again when another task comes in between;
            /// returns the value before.
            ///
            /// # Errors
            /// If `f` gave nothing, with the value it was given.
            ///
            /// ```
            #[doc = concat!("use heddle::atomic::{", stringify!($name), ", Ordering::SeqCst};")]
            #[doc = concat!("let a = ", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("assert!(a.fetch_update(SeqCst, SeqCst, |_| Some(", stringify!($two), ")).is_ok());")]
            #[doc = concat!("assert_eq!(a.into_inner(), ", stringify!($two), ");")]
            /// ```
            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut before = self.load(fetch);
                while let Some(next) = f(before) {
                    match self.compare_exchange_weak(before, next, set, fetch) {
                        Ok(before) => return Ok(before),
                        Err(now) => before = now,
                    }
                }
                Err(before)
            }

            /// The value in place; the reference is exclusive.
            ///
            /// ```
            #[doc = concat!("let mut a = heddle::atomic::", stringify!($name), "::new(", stringify!($one), ");")]
            #[doc = concat!("*a.get_mut() = ", stringify!($two), ";")]
            #[doc = concat!("assert_eq!(a.into_inner(), ", stringify!($two), ");")]
            /// ```
            pub fn get_mut(&mut self) -> &mut $value {
                self.inner.get_mut()
            }

            /// The value.
            ///
            /// ```
            #[doc = concat!("assert_eq!(heddle::atomic::", stringify!($name), "::new(", stringify!($one), ").into_inner(), ", stringify!($one), ");")]
            /// ```
            pub fn into_inner(self) -> $value {
                self.inner.into_inner()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }

        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl fmt::Debug for $name {
            /// Shows the value without counting as a load.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }
    };
}

macro_rules! atomic_integers {
    ($($name:ident $value:ty),*) => {$(
        atomic! {
            $name, $value, 5, 3;
            fetch_add "Adds, wrapping around",
            fetch_sub "Subtracts, wrapping around",
            fetch_and "Keeps the bits that are set in both",
            fetch_nand "Sets the bits that are not set in both",
            fetch_or "Sets the bits that are set in either",
            fetch_xor "Sets the bits that are set in one of the two",
            fetch_max "Keeps the larger",
            fetch_min "Keeps the smaller",
        }
    )*};
}

atomic_integers! {
    AtomicI32 i32, AtomicI64 i64, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize
}

atomic! {
    AtomicBool, bool, true, false;
    fetch_and "Whether both",
    fetch_nand "Whether not both",
    fetch_or "Whether either",
    fetch_xor "Whether one of the two",
}
