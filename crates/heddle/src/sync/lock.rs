//! What all locks and all guards have in common, as macros: their types are the standard library's, and
//! so are their methods.

/// Making a lock, its poison, and its value when nobody else has it.
macro_rules! lock {
    ($name:ident, $taken:literal) => {
        impl<T> $name<T> {
            /// A lock around `value`. Reports know it by the place of this call.
            ///
            /// ```
            #[doc = concat!("static SIZE: heddle::", stringify!($name), "<usize> = heddle::", stringify!($name), "::new(1);")]
            /// assert!(!SIZE.is_poisoned());
            /// ```
            #[track_caller]
            pub const fn new(value: T) -> Self {
                Self {
                    identity: Identity::new(stringify!($name), Location::caller()),
                    inner: sync::$name::new(value),
                }
            }

            /// A lock around `value` that reports call by this name.
            ///
            /// ```
            #[doc = concat!("let lock = heddle::", stringify!($name), "::named(\"table\", 5);")]
            /// assert_eq!(lock.into_inner().unwrap(), 5);
            /// ```
            #[track_caller]
            pub const fn named(name: &'static str, value: T) -> Self {
                Self {
                    identity: Identity::named(stringify!($name), name, Location::caller()),
                    inner: sync::$name::new(value),
                }
            }

            /// The same lock, whose value is checked for atomicity: between two sections of one strand no parallel
            /// task may use it, whatever the three do, as far as no serial sequence explains them. By default
            /// only changes count that follow from what an earlier section saw; see
            /// [`Mutex`](crate::Mutex#sections-that-belong-together).
            ///
            /// ```
            /// use heddle::{check, join};
            #[doc = concat!("use heddle::", stringify!($name), ";")]
            ///
            #[doc = concat!("let log = ", stringify!($name), "::new(Vec::new()).atomic();")]
            /// let report = check(|| {
            ///     let both = |number: i32| {
            #[doc = concat!("        log.", $taken, "().unwrap().push(number);")]
            #[doc = concat!("        log.", $taken, "().unwrap().push(-number); // somebody may have come in between")]
            ///     };
            ///     join(|| both(1), || both(2));
            /// });
            /// assert!(!report.is_clean());
            /// ```
            #[must_use = "the lock given is used up"]
            pub const fn atomic(mut self) -> Self {
                self.identity.set_pairs(Pairs::All);
                self
            }

            /// The same lock, of which no two sections belong together: to look in one and to change the
            /// value in a later one is as it should be.
            ///
            /// ```
            /// use heddle::{check, join};
            #[doc = concat!("use heddle::", stringify!($name), ";")]
            ///
            #[doc = concat!("let known = ", stringify!($name), "::new(Vec::new()).independent();")]
            /// check(|| {
            ///     let find = |number: u32| {
            #[doc = concat!("        if !known.", $taken, "().unwrap().contains(&number) {")]
            #[doc = concat!("            known.", $taken, "().unwrap().push(number); // twice in the list does no harm")]
            ///         }
            ///     };
            ///     join(|| find(1), || find(2));
            /// })
            /// .assert_clean();
            /// ```
            #[must_use = "the lock given is used up"]
            pub const fn independent(mut self) -> Self {
                self.identity.set_pairs(Pairs::None);
                self
            }

            /// The value.
            ///
            /// # Errors
            /// As all methods here that return a `Result` like this: if somebody panicked who could
            /// have changed it. The error has the value all the same.
            ///
            /// ```
            #[doc = concat!("assert_eq!(heddle::", stringify!($name), "::new(5).into_inner().unwrap(), 5);")]
            /// ```
            pub fn into_inner(self) -> LockResult<T> {
                self.inner.into_inner()
            }
        }

        impl<T: ?Sized> $name<T> {
            /// The value in place; no section, since the reference is exclusive.
            ///
            /// # Errors
            /// If somebody panicked who could have changed it.
            ///
            /// ```
            #[doc = concat!("let mut lock = heddle::", stringify!($name), "::new(1);")]
            /// *lock.get_mut().unwrap() = 3;
            /// assert_eq!(lock.into_inner().unwrap(), 3);
            /// ```
            pub fn get_mut(&mut self) -> LockResult<&mut T> {
                self.identity.is_exclusive();
                self.inner.get_mut()
            }

            /// Whether somebody panicked who could have changed the value.
            ///
            /// ```
            #[doc = concat!("assert!(!heddle::", stringify!($name), "::new(1).is_poisoned());")]
            /// ```
            pub fn is_poisoned(&self) -> bool {
                self.inner.is_poisoned()
            }

            /// The value is all right again, whatever the one who panicked left.
            ///
            /// ```
            #[doc = concat!("let lock = heddle::", stringify!($name), "::new(1);")]
            /// lock.clear_poison();
            /// assert!(!lock.is_poisoned());
            /// ```
            pub fn clear_poison(&self) {
                self.inner.clear_poison();
            }
        }

        impl<T: Default> Default for $name<T> {
            #[track_caller]
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T> From<T> for $name<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }
    };
}

/// A guard: a section of its lock, from when it is made to when it is dropped.
macro_rules! guard {
    ($(#[$doc:meta])* $guard:ident, $lock:ident, $mode:expr) => {
        $(#[$doc])*
        #[must_use = "dropped at once, it gives the lock back at once"]
        pub struct $guard<'a, T: ?Sized> {
            lock: &'a $lock<T>,
            inner: sync::$guard<'a, T>,
            section: Section,
        }

        impl<'a, T: ?Sized> $guard<'a, T> {
            fn new(lock: &'a $lock<T>, inner: sync::$guard<'a, T>, caller: Caller) -> Self {
                let section = Section::begin(&lock.identity, $mode, caller);
                Self {
                    lock,
                    inner,
                    section,
                }
            }
        }

        impl<T: ?Sized> Deref for $guard<'_, T> {
            type Target = T;

            #[inline]
            #[track_caller]
            fn deref(&self) -> &T {
                self.section.looks(&self.lock.identity, Location::caller());
                &self.inner
            }
        }

        impl<T: ?Sized> Drop for $guard<'_, T> {
            fn drop(&mut self) {
                let value = || plain::bytes(&*self.inner);
                self.section.end(&self.lock.identity, value);
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T: ?Sized + fmt::Display> fmt::Display for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

/// A guard through which the value can be changed.
macro_rules! changing_guard {
    ($guard:ident) => {
        impl<T: ?Sized> DerefMut for $guard<'_, T> {
            #[inline]
            #[track_caller]
            fn deref_mut(&mut self) -> &mut T {
                self.section.changes_value(Location::caller());
                &mut self.inner
            }
        }
    };
}

pub(super) use {changing_guard, guard, lock};
