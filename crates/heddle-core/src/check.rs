//! Choosing engines for a run, running it, and settling what one pass leaves open.

use crate::event::Listener;
use crate::finding::Outcome;

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
    /// The program has extra edges or scope handles; bags and tree alone know none.
    NeedsGraph(OrderChoice),
    /// A task had to wait in the middle (for a lock its parent holds): not a depth-first run.
    NotDepthFirst,
}

/// A program that can be run from the start, any number of times, with the same events each time.
pub trait Run {
    /// What the program may do.
    fn features(&self) -> Features;

    /// Runs it once and delivers every event to `listener`.
    fn run<L: Listener>(&mut self, listener: &mut L);
}

/// Runs the program and reports every location with a race.
///
/// A program without mutual exclusion is run once. With mutual exclusion, races found in the first
/// pass are settled (certain or possible) in a second one.
pub fn check<R: Run>(_run: &mut R, _order: OrderChoice) -> Result<Outcome, OrderError> {
    todo!()
}
