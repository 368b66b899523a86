//! The synchronisation the engine stands on: the standard library's, or, to test the engine, simulated
//! threads of the test's choice or locks that ThreadSanitizer can see.

#[cfg(not(any(feature = "shuttle", feature = "spin")))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32},
};

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32},
};

#[cfg(all(feature = "spin", not(feature = "shuttle")))]
pub(crate) use crate::spin::{Mutex, MutexGuard, RwLock};
#[cfg(all(feature = "spin", not(feature = "shuttle")))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32};

pub(crate) use std::sync::{Arc, PoisonError, atomic::Ordering};
