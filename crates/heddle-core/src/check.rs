//! Choosing engines for a run, running it, and settling what one pass leaves open.

use crate::atomicity::{self, Atomicity, Scope};
use crate::deadlock;
use crate::event::Listener;
use crate::finding::{Finding, Guarantee, Outcome};
use crate::history::{FourField, Full, History, OneReader, TwoReaders, Unchecked};
use crate::order::{Bags, Graph, HandOffs, Order};
use crate::race::RaceDetector;
use crate::witness;

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

/// What to check, and by which order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Analyses {
    /// Which order decides what is parallel.
    pub order: OrderChoice,
    /// What is checked for atomicity, beside races.
    pub atomicity: Atomicity,
}

/// Runs the program and reports every location with a race and, where the program declares some,
/// every atomic unit that can be torn. See [`check_with`].
pub fn check<R: Run>(run: &mut R, order: OrderChoice) -> Result<Outcome, OrderError> {
    let analyses = Analyses {
        order,
        ..Analyses::default()
    };
    check_with(run, analyses)
}

/// Runs the program and reports every location with a race and every unit that can be torn.
///
/// Atomicity is another pass over the run, made only if something is to be checked; so are deadlocks that
/// other schedules can have, if there are locks.
pub fn check_with<R: Run>(run: &mut R, analyses: Analyses) -> Result<Outcome, OrderError> {
    let features = run.features();
    let mut outcome = races(run, analyses.order)?;
    settle_certainty(run, &mut outcome);
    let is_asked = features.atomics || analyses.atomicity.scope == Scope::All;
    if is_asked && !features.cuts {
        let torn = atomicity::torn(run, analyses.order, analyses.atomicity)?;
        outcome.findings.extend(torn);
    }
    if features.locks && !features.cuts {
        outcome.findings.extend(deadlock::possible(run));
    }
    Ok(outcome)
}

/// A race is certain if a schedule of this input shows it. Runs that are too long to be looked at again keep
/// what the order with its hand-offs says.
fn settle_certainty<R: Run>(run: &mut R, outcome: &mut Outcome) {
    let is_race = |finding: &Finding| matches!(finding, Finding::Race { .. });
    if outcome.findings.iter().any(is_race) {
        let mut memory = witness::Memory::default();
        run.run_in_full(&mut memory);
        if let Some(events) = memory.events() {
            witness::settle(events, &mut outcome.findings);
        }
    }
}

/// A program without mutual exclusion is run once. With mutual exclusion, races found by bags are
/// settled (certain or possible) in a second pass by the graph, which follows hand-offs. `Auto`
/// falls back on the graph when the run turns out not to be depth first.
fn races<R: Run>(run: &mut R, order: OrderChoice) -> Result<Outcome, OrderError> {
    let features = run.features();
    if features.cuts {
        return Ok(pass(run, Bags::new(), Unchecked).outcome(Guarantee::NotChecked));
    }
    match order {
        OrderChoice::Auto if features.extra_edges || features.locks => Ok(by_graph(run)),
        OrderChoice::Auto => by_bags(run).or_else(|_| Ok(used(OrderChoice::Bags, by_graph(run)))),
        OrderChoice::Bags if !features.extra_edges => by_bags(run),
        OrderChoice::Tree if features.is_structured() => Ok(by_tree(run)),
        OrderChoice::Bags | OrderChoice::Tree => Err(OrderError::NeedsGraph(order)),
        OrderChoice::Graph => Ok(by_graph(run)),
    }
}

fn by_bags<R: Run>(run: &mut R) -> Result<Outcome, OrderError> {
    let features = run.features();
    match (features.locks || features.scope_handles, features.isolated) {
        (true, _) => settle(pass(run, Bags::new(), Full::new()), run),
        (false, true) => settle(pass(run, Bags::new(), FourField::new()), run),
        (false, false) => settle(pass(run, Bags::new(), OneReader::new()), run),
    }
}

/// Bags know no hand-offs: where there can be some, the graph has the last word on races.
fn settle<R: Run, H: History<Bags>>(
    detector: RaceDetector<Bags, H>,
    run: &mut R,
) -> Result<Outcome, OrderError> {
    if !detector.followed() {
        return Err(OrderError::NotDepthFirst);
    }
    let settled = !detector.has_races() || !run.features().excludes();
    let outcome = match settled {
        true => detector.outcome(run.features().guarantee()),
        false => by_graph(run),
    };
    Ok(used(OrderChoice::Bags, outcome))
}

fn by_tree<R: Run>(run: &mut R) -> Outcome {
    if run.features().excludes() {
        return by_graph(run);
    }
    let detector = pass(run, Graph::new(HandOffs::Ignored), TwoReaders::new());
    used(
        OrderChoice::Tree,
        detector.outcome(run.features().guarantee()),
    )
}

fn by_graph<R: Run>(run: &mut R) -> Outcome {
    let features = run.features();
    let hand_offs = match (features.excludes(), features.is_structured()) {
        (true, _) => HandOffs::Followed,
        (false, false) => HandOffs::Ignored,
        // A program without extra edges pays nothing for them.
        (false, true) => return by_tree(run),
    };
    let detector = pass(run, Graph::new(hand_offs), Full::new());
    used(OrderChoice::Graph, detector.outcome(features.guarantee()))
}

/// The outcome, with `order` noted in front of those already used.
fn used(order: OrderChoice, mut outcome: Outcome) -> Outcome {
    outcome.orders.insert(0, order);
    outcome
}

fn pass<R: Run, O: Order, H: History<O>>(run: &mut R, order: O, history: H) -> RaceDetector<O, H> {
    let mut detector = RaceDetector::new(order, history);
    run.run(&mut detector);
    detector
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
    fn guarantee(self) -> Guarantee {
        match self.excludes() || self.choices {
            true => Guarantee::KeepingAccesses,
            false => Guarantee::AllSchedules,
        }
    }
}
