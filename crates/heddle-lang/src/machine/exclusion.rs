//! Mutual exclusion: locks and `isolated`.

use heddle_core::{Event, Listener, LockId, LockMode};

use super::locks::Acquired;
use super::problem::Fallible;
use super::schedule::Wait;
use super::state::{Flow, Machine};

impl<L: Listener> Machine<'_, L> {
    pub fn acquire(&mut self, lock: LockId) -> Fallible<Flow> {
        let flow = self.take(lock)?;
        if flow == Flow::Next {
            self.running.held += 1;
        }
        Ok(flow)
    }

    pub fn release(&mut self, lock: LockId) -> Fallible<Flow> {
        self.give_back(lock)?;
        self.running.held -= 1;
        Ok(Flow::Next)
    }

    /// Only the outermost body takes the lock.
    pub fn enter_isolated(&mut self) -> Fallible<Flow> {
        if self.running.isolated == 0 {
            let flow = self.take(LockId::ISOLATED)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        self.running.isolated += 1;
        Ok(Flow::Next)
    }

    pub fn leave_isolated(&mut self) -> Fallible<Flow> {
        self.running.isolated -= 1;
        if self.running.isolated == 0 {
            self.give_back(LockId::ISOLATED)?;
        }
        Ok(Flow::Next)
    }

    fn take(&mut self, lock: LockId) -> Fallible<Flow> {
        if self.awaits_turn(lock)? {
            return Ok(Flow::Wait(Wait::TurnToLock(lock)));
        }
        match self.locks.acquire(lock, self.running.task)? {
            Acquired::Taken => {
                let site = self.code.site(self.running.pc);
                let mode = LockMode::Exclusive;
                self.listener.on(Event::Acquire { lock, mode, site });
                Ok(Flow::Next)
            }
            Acquired::Busy => Ok(Flow::Wait(Wait::Lock(lock))),
        }
    }

    fn give_back(&mut self, lock: LockId) -> Fallible<()> {
        let waiter = self.locks.release(lock, self.running.task)?;
        let site = self.code.site(self.running.pc);
        self.listener.on(Event::Release { lock, site });
        if let Some(waiter) = waiter {
            self.schedule.wake(waiter);
        }
        Ok(())
    }
}
