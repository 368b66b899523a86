//! Random event streams, made without any language in between.
//!
//! A [`Script`] is a small tree of steps. [`simulate`] runs it under a schedule and yields a
//! well-formed stream, so engines meet streams no front end of today would produce: any
//! interleaving of the tasks, joins of any task, tasks spawned into any finish around them.

mod draw;
mod generate;
mod script;
mod simpler;
mod simulate;

use std::fmt;

use heddle_core::{Event, Features, Listener, Run};

pub use draw::{atomic_script, script};
pub use generate::{Size, generated};
pub use script::{Block, Layout, Schedule, Script, Span, Step, Stop};
pub use simulate::simulate;

/// Which constructs a random program may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Tasks and finishes.
    Structured,
    /// And `isolated`.
    Isolated,
    /// Tasks, finishes and locks, `isolated` among them.
    Locks,
    /// Tasks, finishes, joins, signals and waits.
    Edges,
    /// Tasks, finishes and scope handles.
    ScopeHandles,
    /// Everything at once.
    Everything,
}

impl Class {
    /// All classes, simplest first.
    pub const ALL: [Self; 6] = [
        Self::Structured,
        Self::Isolated,
        Self::Locks,
        Self::Edges,
        Self::ScopeHandles,
        Self::Everything,
    ];

    /// What programs of this class may do.
    pub fn features(self) -> Features {
        let everything = self == Self::Everything;
        Features {
            extra_edges: everything || self == Self::Edges,
            scope_handles: everything || self == Self::ScopeHandles,
            isolated: everything || matches!(self, Self::Isolated | Self::Locks),
            locks: everything || self == Self::Locks,
            ..Features::default()
        }
    }
}

/// How tasks take turns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// A spawned task runs at once; one that must wait is parked.
    Serial,
    /// Any task that can run may be next, as on several processors.
    Interleaved,
}

impl Mode {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Serial, Self::Interleaved];
}

/// A stream that can be delivered any number of times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The events.
    pub events: Vec<Event>,
    /// What the program may do.
    pub features: Features,
}

impl Run for Recorded {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        for &event in &self.events {
            listener.on(event);
        }
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, event) in self.events.iter().enumerate() {
            writeln!(f, "{n:4}  {event:?}")?;
        }
        Ok(())
    }
}
