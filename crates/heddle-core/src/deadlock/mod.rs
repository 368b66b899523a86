//! Deadlocks that did not happen in the run that was seen, but can in another schedule.
//!
//! A *wait* is a point where a task may have to stop while it holds locks: it takes another lock, or
//! it waits for tasks. Waits that can all be pending at once, each for something that the next one's
//! task does not give up before it goes on, are a possible deadlock. Lock-order graphs with gate locks
//! and happens-before are due to Havelund (GoodLock, 2000) and to Agarwal, Bensalem et al. (2010).
//!
//! Waits `w1 .. wn` are a deadlock if
//! 1. for each `i`, `wi` takes a lock that the task of `wi+1` holds at `wi+1`, in a mode that excludes
//!    it; or `wi` waits for tasks, and `wi+1` is one of the things that must be over before;
//! 2. any two can be pending at the same time: neither is over before the other begins, in any schedule;
//! 3. no two hold a common lock in modes that exclude each other (a *gate lock* keeps them apart).
//!
//! # Guarantee
//! For a program whose branches do not depend on values that are changed in sections: every deadlock of
//! some schedule is found from a run that came to its end. A finding is *possible*, not certain: another
//! schedule may take another branch and never get there. Apart from that it is exact where
//! no task operation is made inside of a section.
//!
//! # Known misses and false alarms
//! 1. Readers never block readers here, although a lock that favours writers blocks a reader
//!    behind a writer that waits.
//! 2. Where a section spans task operations, what its holder spawned may be unable to run
//!    beside a section that is thereby excluded; such a finding is refuted by exploration only.
//! 3. Of one sort of wait (same locks held, same lock wanted, same place) the first and the last
//!    [`FIRST`] and [`LAST`] are remembered, and of sorts that form cycles [`MOST_CYCLES`] cycles. For cycles
//!    of three sorts or more, [`MOST_TRIES`] waits are tried in all.
//!
//! # Cost
//! An acquisition while nothing is held costs nothing, any other one look-up in a table. Order is asked for only
//! when the sorts of waits seen so far form a cycle.

mod cycles;
mod waits;

pub use cycles::MOST_CYCLES;
pub use waits::{FIRST, Held, LAST, LockOrder, MOST_TRIES, Wait, Wanted};
