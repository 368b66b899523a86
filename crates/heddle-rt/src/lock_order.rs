//! In which order tasks take locks, and what deadlocks that allows: see [`heddle_core::deadlock`].
//!
//! Only what is taken while another lock is held is looked at. Waits for tasks while holding a lock
//! are not: known miss.

use crate::engine::{Cursor, Engine};
use crate::sync::PoisonError;
use heddle_core::deadlock::{Held, Wait, Wanted};
use heddle_core::{Finding, LockId, LockMode, SiteId, StrandId};

impl Engine {
    /// The task is about to take a lock, and to wait for it if need be.
    #[inline]
    pub fn waits_for(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode, site: SiteId) {
        if !cursor.taken.is_empty() {
            self.note_wait(cursor, lock, mode, site);
        }
    }

    #[cold]
    fn note_wait(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode, site: SiteId) {
        if cursor.taken.iter().any(|held| held.lock == lock) {
            return;
        }
        let before = StrandId::new(self.strand(cursor));
        let wait = Wait {
            task: cursor.task,
            site,
            held: cursor.taken.clone(),
            wanted: Wanted::Lock(lock, mode),
            before,
            after: None,
        };
        let mut order = self
            .lock_order
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        order.note(wait, |a, b| self.is_ordered(a.raw(), b.raw()));
    }

    /// The task has taken a lock at `site`.
    pub fn holds_since(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode, site: SiteId) {
        cursor.taken.push(Held { lock, mode, site });
    }

    /// These locks are no more; others may come to be in their place.
    pub fn forget_locks(&self, locks: &[LockId]) {
        let order = self.lock_order.lock();
        let mut order = order.unwrap_or_else(PoisonError::into_inner);
        locks.iter().for_each(|&lock| order.forget(lock));
    }

    /// The deadlocks that other schedules can have.
    pub fn possible_deadlocks(&self) -> Vec<Finding> {
        let order = self.lock_order.lock();
        order
            .unwrap_or_else(PoisonError::into_inner)
            .found()
            .to_vec()
    }
}
