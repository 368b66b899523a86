//! The synchronisation the engine stands on: the standard library's, or, to test the engine under
//! schedules of a test's choice, simulated ones.

#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32},
};

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32},
};

pub(crate) use std::sync::{Arc, PoisonError, atomic::Ordering};
