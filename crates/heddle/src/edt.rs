//! Event-driven tasks, in the words of the Open Community Runtime.
//!
//! A task starts when all it depends on is there: other tasks' ends ([`Edt`]) and [`Event`]s. Tasks share data
//! [`Block`]s, and only dependences order them. These are the crate's own tasks, events and data under the names of that
//! model; whatever else the crate has can be used beside them.
//!
//! The sum of an array, as Listing 2.1 of Yu's thesis (2017) has it: two tasks sum up a half each, a third comes after
//! both and adds the partial sums.
//!
//! ```
//! use heddle::check;
//! use heddle::edt::{Block, finish_edt};
//!
//! let report = check(|| {
//!     let array: Block<u64> = Block::from_fn(100, |i| i as u64).named("array");
//!     let partial: Block<u64> = Block::new(2, 0).named("partial");
//!     finish_edt(|edts| {
//!         let (array, partial) = (&array, &partial);
//!         let sum = move |half: usize| {
//!             move || {
//!                 let sum = (half * 50..(half + 1) * 50).map(|i| array.get(i)).sum();
//!                 partial.set(half, sum);
//!             }
//!         };
//!         let first = edts.task_after(&[], sum(0));
//!         let second = edts.task_after(&[], sum(1));
//!         edts.task_after(&[&first, &second], move || {
//!             assert_eq!(partial.get(0) + partial.get(1), 4950);
//!         });
//!     });
//! });
//! report.assert_clean();
//! ```
//!
//! Without the dependence on the second task there is a race, whatever order the tasks happen to run in:
//!
//! ```
//! use heddle::check;
//! use heddle::edt::{Block, Event, finish_edt};
//!
//! let report = check(|| {
//!     let (partial, ready): (Block<u64>, _) = (Block::new(2, 0).named("partial"), Event::new());
//!     finish_edt(|edts| {
//!         let (partial, ready) = (&partial, &ready);
//!         let first = edts.task_after(&[], move || partial.set(0, 1));
//!         edts.task_after(&[], move || {
//!             ready.satisfy();
//!             partial.set(1, 2);
//!         });
//!         edts.task_after(&[&first, ready], move || {
//!             let _ = partial.get(0) + partial.get(1);
//!         });
//!     });
//! });
//! assert!(report.to_string().contains("partial[1]"));
//! ```
//!
//! What breaks the rules of the model panics and says where: an event that is satisfied twice, and a task that never
//! starts because nobody satisfies an event that it depends on.

pub use crate::event::{Dependence, Event};
pub use crate::scope::finish as finish_edt;

/// A task, as something that another can depend on.
pub type Edt<'scope> = crate::TaskHandle<'scope>;

/// What a finish EDT creates its tasks with.
pub type Edts<'scope, 'env> = crate::Scope<'scope, 'env>;

/// Data that tasks share.
pub type Block<T> = crate::SharedVec<T>;
