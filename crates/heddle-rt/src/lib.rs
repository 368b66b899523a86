//! The in-process runtime: follows a program while it runs, on any number of threads.
//!
//! Front ends (the `heddle` crate, native programs) tell the [`Engine`] what their tasks do; the
//! engine keeps the order and the histories and collects races.
//!
//! # Ground rules
//! 1. The engine never blocks the program for longer than a table look-up, and never fails it: when
//!    a table is full it stops checking and says so ([`Engine::gave_up`]).
//! 2. A repeated access by one strand costs two loads and a comparison.
//! 3. `unsafe` is confined to `store`, `cells`, `shadow`, `cache` and, for tests, `spin`.

mod atomicity;
mod cache;
mod cells;
mod engine;
mod exclusion;
mod forest;
mod frames;
mod history;
mod last_write;
mod lock_order;
mod overtaken;
mod path;
mod plain;
mod races;
mod racing;
mod racy_reads;
#[cfg(not(feature = "shuttle"))]
mod reclaim;
mod record;
#[cfg(not(feature = "shuttle"))]
mod row;
mod sections;
mod shadow;
#[cfg(target_arch = "x86_64")]
pub mod sixteen;
#[cfg(all(feature = "spin", not(feature = "shuttle")))]
mod spin;
mod spread;
mod states;
mod store;
mod stream;
mod sync;
mod team;
mod touched;

pub use atomicity::{Analysis, HANDED, Pairs, VALUE};
pub use cache::{Known, Region, STRETCHES, Taking, ThreadCache};
pub use engine::{Cursor, EndPoint, Engine, FinishScope};
pub use exclusion::{ATOMIC, LockMode};
pub use history::{Quick, Taken, Touch};
pub use races::RacyBytes;
#[cfg(not(feature = "shuttle"))]
pub use reclaim::Kept;
pub use record::{Label, Recorded, Recording, Unit};
#[cfg(not(feature = "shuttle"))]
pub use shadow::View;
pub use spread::Spread;
pub use stream::{Follower, Keeping};
pub use team::{Outside, Team};
