//! Locks: what tasks take and give back.

use super::{Cursor, Engine};
use crate::exclusion::{Hold, LockMode};
use crate::sync::Ordering;
use heddle_core::LockId;
use heddle_core::order::tree::Departures;

impl Engine {
    /// Whether another order of what tasks did could have shown them something else: they excluded each other by locks,
    /// isolated sections or atomic accesses, or one handed something over to another.
    pub fn used_exclusion(&self) -> bool {
        self.excluded.load(Ordering::Relaxed) || self.hand_offs() > 0
    }

    pub(crate) fn excludes(&self) {
        if !self.excluded.load(Ordering::Relaxed) {
            self.excluded.store(true, Ordering::Relaxed);
        }
    }

    /// The task takes a lock.
    pub fn acquire(&self, cursor: &mut Cursor, lock: LockId, mode: LockMode) {
        self.excludes();
        cursor.enter_section();
        let earlier = self.sections.excluding(lock, mode);
        self.follow_sections(cursor, &earlier);
        self.receive_sections(cursor, &earlier);
        // A strand holds the same locks throughout, so that what is known of it needs no lock set.
        cursor.end_strand();
        self.record(|book| book.acquire(cursor.task, lock, mode));
        let first = self.first_of_section(cursor);
        let hold = self.exclusion.acquire(cursor.hold, (lock, mode), first);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
    }

    /// The task takes a lock that hands nothing over: what it does under it does not depend on who had
    /// it before.
    pub fn exclude(&self, cursor: &mut Cursor, lock: LockId) {
        self.excludes();
        cursor.end_strand();
        self.record(|book| book.acquire(cursor.task, lock, LockMode::Exclusive));
        let hold = self.exclusion.exclude(cursor.hold, lock);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
    }

    /// Whether the task holds a lock.
    pub fn holds(&self, cursor: &Cursor, lock: LockId) -> bool {
        self.exclusion.locks(cursor.hold).contains(&lock)
    }

    /// Whether what the task does now may be handed over to a later section of a lock it holds.
    pub fn may_hand_over(&self, cursor: &Cursor) -> bool {
        self.exclusion.hands_over(cursor.hold)
    }

    /// The task gives a lock back.
    pub fn release(&self, cursor: &mut Cursor, lock: LockId) {
        let strand = self.close(cursor);
        self.leave_section(cursor, lock, strand);
        cursor.departed = strand;
        self.record(|book| book.release(cursor.task, lock));
        if let Some(at) = cursor.taken.iter().rposition(|held| held.lock == lock) {
            cursor.taken.remove(at);
        }
        let mode = self
            .exclusion
            .entered(cursor.hold, lock)
            .map(|(_, mode)| mode);
        let hold = self.exclusion.release(cursor.hold, lock, strand);
        cursor.hold = self.or_give_up(hold).unwrap_or(Hold::NOTHING);
        self.go_on_after_look(cursor);
        if let Some(mode) = mode {
            self.receive_sections(cursor, &self.sections.excluding(lock, mode));
        }
        cursor.departures = cursor.departures.max(Departures::HandOffs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_core::{SiteId, TaskKind};

    #[test]
    fn what_was_handed_over_might_not_have_been() {
        let engine = Engine::new().expect("address space");
        let mut main = engine.main_task();
        let mut thread = engine.spawn(&mut main, None, TaskKind::Thread, SiteId::new(0), None);
        assert!(!engine.used_exclusion());
        let done = engine.offer(&mut thread);
        assert!(!engine.used_exclusion());
        engine.hand_over(&mut main, done);
        assert!(engine.used_exclusion());
    }
}
