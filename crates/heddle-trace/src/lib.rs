//! Recorded runs: a compact binary file of what one run did, to be checked later, elsewhere, or
//! again and again.
//!
//! [`Writer`] is a [`Listener`](heddle_core::Listener): put it behind any front end. [`Trace`] is
//! a [`Run`](heddle_core::Run): check it like a live program. A trace holds the features, the
//! legend and the events of the run, nothing of the machine it was made on.
//!
//! ```
//! use heddle_core::{Event, Features, Legend, Listener, Run, TaskId};
//! use heddle_trace::{Trace, Writer};
//!
//! let mut writer = Writer::new(Vec::new(), &Features::default(), None);
//! writer.on(Event::End { task: TaskId::MAIN });
//! let bytes = writer.finish(Some(&Legend::default()))?;
//!
//! let mut trace = Trace::read(bytes).expect("just written");
//! let mut events = Vec::new();
//! trace.run(&mut events);
//! assert_eq!(events, [Event::End { task: TaskId::MAIN }]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What the reader guarantees
//!
//! Whatever the bytes, reading never panics, and takes memory in proportion to the file. A
//! [`Trace`] that was read without error replays a stream that keeps all rules of
//! [`Event`](heddle_core::Event), uses only the announced features, and names only sites and
//! names its legend has: [`Validator`] has seen every event. From a damaged file the reader gives
//! back what lies before the damage; those events keep the rules too, but the stream may be
//! unfinished and the legend may be older than the events or missing.
//!
//! The file format is described byte by byte in `docs/trace-format.md`.

mod block;
mod code;
mod damage;
mod input;
mod legend;
mod limits;
mod reader;
mod scopes;
mod validate;
mod violation;
mod writer;

pub use block::{VERSION, reseal};
pub use damage::{Damage, Damaged, Malformed};
pub use limits::Limits;
pub use reader::{Events, Trace};
pub use validate::Validator;
pub use violation::{Feature, Kind, Violation};
pub use writer::Writer;
