//! A program that can be run, what it may do, and which order is to judge it.

use crate::event::Listener;
use crate::finding::Guarantee;

/// What a program may do, as far as its front end knows before it runs. Engines are chosen by
/// this; a feature that is absent here must not show up in the events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    /// `Join`, `Signal`, `Wait`: futures, dependences, events, regions.
    pub extra_edges: bool,
    /// A task may be spawned into an outer finish from inside an inner one.
    pub scope_handles: bool,
    /// `isolated` bodies (lock 0).
    pub isolated: bool,
    /// Locks other than 0.
    pub locks: bool,
    /// A free choice the run resolved one way (`ewait`).
    pub choices: bool,
    /// `Cut`: transactions are asked for instead of races.
    pub cuts: bool,
    /// `Atomic`, `AtomicBegin`, `AtomicEnd`: atomicity is asked for beside races.
    pub atomics: bool,
}

/// Which order decides what is parallel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OrderChoice {
    /// Bags where they suffice, else the graph.
    #[default]
    Auto,
    /// Union-find; serial depth-first runs of structured programs.
    Bags,
    /// The program structure tree; structured programs.
    Tree,
    /// The tree plus extra edges; everything.
    Graph,
}

/// Why the chosen order cannot check this program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OrderError {
    /// The program has extra edges, which bags and tree do not know, or scope handles, which the
    /// tree alone does not.
    NeedsGraph(OrderChoice),
    /// A task had to wait in the middle (for a lock its parent holds): not a depth-first run.
    NotDepthFirst,
    /// The address space for the engine's tables cannot be had.
    NoAddressSpace,
}

/// A program that can be run from the start, any number of times, with the same events each time.
pub trait Run {
    /// What the program may do.
    fn features(&self) -> Features;

    /// Runs it once and delivers every event to `listener`.
    fn run<L: Listener>(&mut self, listener: &mut L);

    /// Runs it once more and delivers every access, also those that need no check.
    fn run_in_full<L: Listener>(&mut self, listener: &mut L) {
        self.run(listener);
    }
}

impl Features {
    /// Whether the program can make tasks exclude each other.
    pub fn excludes(self) -> bool {
        self.isolated || self.locks
    }

    /// Whether spawns and finishes alone tell the order.
    pub fn is_structured(self) -> bool {
        !self.extra_edges && !self.scope_handles
    }

    /// What a clean, complete run means.
    pub fn guarantee(self) -> Guarantee {
        match self.excludes() || self.choices {
            true => Guarantee::KeepingAccesses,
            false => Guarantee::AllSchedules,
        }
    }
}
