//! Task-parallel Rust, checked for races and lost updates in every schedule by an ordinary test.
//!
//! ```
//! use heddle::{SharedVec, check, finish};
//!
//! let report = check(|| {
//!     let sums = SharedVec::new(2, 0);
//!     finish(|s| {
//!         s.spawn(|_| sums.set(0, (1..5).sum()));
//!         s.spawn(|_| sums.set(1, (5..9).sum()));
//!     });
//!     assert_eq!(sums.get(0) + sums.get(1), 36);
//! });
//! report.assert_clean();
//! ```
//!
//! One run of the program answers for every schedule of the same input: two accesses race if *any*
//! schedule lets them run at the same time, whether or not this one did.
//!
//! # The parts
//! - **Tasks**: [`finish`] and [`Scope::spawn`], [`join`], [`par_for`] and [`par_chunks`], [`future()`],
//!   [`Group`], [`Event`] and [`Scope::task_after`].
//! - **Data that tasks share** and the checker watches: [`Shared`], [`SharedVec`], [`SharedSlice`],
//!   [`Shared2d`]; [`read`] and [`write`](write()) for anything else.
//! - **Mutual exclusion**: [`isolated`], [`Mutex`], [`RwLock`] and [`atomic`], named as in the standard
//!   library.
//! - **Threads**: [`thread::spawn`], [`thread::scope`] and [`sync`], named as in the standard library. A thread that is started
//!   otherwise is not known: if it touches what a check uses, the check fails and names the place.
//! - **What must be atomic**: [`Shared::atomic`] and the like, [`AtomicGroup`], [`atomically`]; and what is behind a
//!   [`Mutex`].
//! - **Checking**: [`check`], or a [`Checker`] with settings, which yield a [`Report`].
//! - **Exploring**: [`explore()`], or an [`Explorer`] with settings: every schedule that can differ is run.
//!
//! # Outside of a check
//! Everything works outside of [`check`] too: tasks then run on a work-stealing pool, and nothing is
//! checked. A program can ship with this crate in it.
//!
//! # How checked programs run
//! By default serially and depth first: a task runs at once where it is spawned, to its end. With
//! [`Checker::parallel`] they run on several threads. The findings are the same; recursion may go as
//! deep as memory allows either way.

mod activity;
mod atomicity;
mod checker;
mod context;
mod counts;
mod cut;
mod dependent;
pub mod edt;
mod event;
mod exec;
mod explore;
mod future;
mod group;
mod idle;
mod join;
mod locations;
mod locks;
mod outcome;
mod par;
mod raw;
mod recorder;
mod report;
mod scope;
mod session;
mod settings;
mod shared;
mod sites;
mod strays;
pub mod sync;
pub mod thread;
mod written;

pub use atomicity::{AtomicGroup, Member, atomically};
pub use checker::{Checker, check};
pub use cut::cut;
pub use event::{Dependence, Event, TaskHandle};
pub use exec::sequential;
pub use explore::{Exploration, Explored, Explorer, Reduction, explore};
pub use future::{Future, SharedFuture, future};
pub use group::Group;
pub use heddle_core::Guarantee;
pub use heddle_report::{Access, Certainty, Finding, Note, Operation, Position, Spawned, Task};
pub use join::join;
pub use par::{par_chunks, par_for};
pub use raw::{fresh, read, write};
pub use report::{Report, Stats};
pub use scope::{Scope, finish};
pub use settings::{Analysis, Order};
pub use shared::{Chunks, Element, Iter, Shared, Shared2d, Shared2dBlock, SharedSlice, SharedVec};
pub use sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic, isolated};
