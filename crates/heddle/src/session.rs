//! One call of `check`: its engine and what it learnt of positions and names.

use crate::sites::Sites;
use heddle_core::LockId;
use heddle_rt::Engine;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// How many locations a process can have at a time.
const LOCATIONS: usize = 1 << 34;

/// Everything that belongs to one checked run.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) engine: Engine,
    pub(crate) sites: Sites,
}

/// The sessions that are running now, so that freed locations are forgotten in all of them.
static RUNNING: RwLock<Vec<Weak<Session>>> = RwLock::new(Vec::new());

impl Session {
    /// A session; none if the address space for its tables cannot be had.
    pub(crate) fn start() -> Option<Arc<Self>> {
        let session = Arc::new(Self {
            engine: Engine::new(LOCATIONS)?,
            sites: Sites::default(),
        });
        let mut running = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
        running.retain(|session| session.strong_count() > 0);
        running.push(Arc::downgrade(&session));
        Some(session)
    }
}

/// A number for a mutex; 0 is for isolated.
pub(crate) fn next_lock() -> LockId {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    LockId::new(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A run of location numbers that belongs to one shared value. Nobody else has these numbers while it
/// lives; when it is dropped, every running session forgets what it knew of them.
#[derive(Debug)]
pub(crate) struct Locations {
    start: u64,
    len: u64,
}

static NEXT_LOCATION: AtomicU64 = AtomicU64::new(0);
static FREE: std::sync::Mutex<Vec<(u64, u64)>> = std::sync::Mutex::new(Vec::new());

impl Locations {
    /// Numbers for `len` locations.
    pub(crate) fn new(len: usize) -> Self {
        let len = len as u64;
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = free.iter().position(|&(_, free)| free == len) {
            return Self {
                start: free.swap_remove(at).0,
                len,
            };
        }
        Self {
            start: NEXT_LOCATION.fetch_add(len, Ordering::Relaxed),
            len,
        }
    }

    /// The first number.
    #[inline(always)]
    pub(crate) fn start(&self) -> u64 {
        self.start
    }
}

impl Drop for Locations {
    fn drop(&mut self) {
        let running = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
        for session in running.iter().filter_map(Weak::upgrade) {
            session.engine.forget(self.start, self.len);
        }
        drop(running);
        if self.len > 0 {
            let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
            free.push((self.start, self.len));
        }
    }
}
