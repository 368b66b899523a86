//! Atomicity: can an access of a parallel region come between two accesses that belong together?
//!
//! Yoga and Nagarakatte: *Atomicity Violation Checker for Task Parallel Programs* (2016). Locks make a program
//! race-free and can still leave it wrong: one section reads, a second one writes what follows from it, and
//! in between another task writes. From the accesses of one run this finds every such triple that some schedule of the
//! same accesses shows.
//!
//! # What is found
//! A *unit* (a location, or a group of locations) is torn if a [`region`] accesses it twice, first A1
//! and later A3, and an access A2 of another task is parallel with A3, such that
//! 1. A1, A2, A3 is one of the five unserializable triples ([`pattern`]), and
//! 2. no lock that is held without a break from A1 to A3 is held at A2.
//!
//! The finding is *certain* if A2 and A3 are also parallel with hand-offs counted as order. A hand-off through a
//! declared unit itself does not count: that its sections can be swapped is the very defect. Where all locations are checked,
//! those through a location that can be torn do not count either.
//!
//! # Deviations from the paper
//! 1. A lock protects a pair only against those who take it too. As printed, a pair in one critical section is dropped.
//! 2. The histories: see [`history`]. The one of the paper is there under its own name.
//! 3. Regions: the paper's step, or a block that the program marks.
//!
//! # Known limits
//! 1. A block that contains task operations can also be torn by what its task joins before A3; only what is parallel
//!    with A3 is found.
//! 2. Rule 2 looks at A1, A2 and A3 alone. A task that takes the next lock before it gives back the last (hand over
//!    hand) keeps out an access under both locks, yet is reported.

pub mod history;
pub mod pattern;
pub mod region;
mod tally;
pub mod unit;
mod velodrome;

pub use tally::rank;
pub use unit::Scope;
pub use velodrome::{Velodrome, velodrome};

use crate::check::{Features, OrderChoice, OrderError, Run};
use crate::event::{AccessKind, Event, Listener};
use crate::finding::Finding;
use crate::history::Mark;
use crate::hold::{HoldId, Holds};
use crate::id::{Extent, Location, SiteId};
use crate::order::{self, Bags, Graph, HandOffs, Order};
use crate::place::Places;
use crate::roster::Roster;
use history::{Basic, Fixed, History, Printed, Running, Spilled, Touch};
use region::Regions;
use rustc_hash::{FxHashMap, FxHashSet};
use tally::Tally;
use unit::Units;

/// Which history remembers the accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum HistoryChoice {
    /// Nothing is missed, and no more is kept than needed.
    #[default]
    Complete,
    /// Everything is kept: slow, the reference.
    Basic,
    /// What the paper prints: misses violations.
    Printed,
}

/// What to check for atomicity, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Atomicity {
    /// Which locations.
    pub scope: Scope,
    /// By which history.
    pub history: HistoryChoice,
}

/// Runs the program and reports every unit that can be torn.
pub fn torn<R: Run>(
    run: &mut R,
    order: OrderChoice,
    how: Atomicity,
) -> Result<Vec<Finding>, OrderError> {
    let features = run.features();
    match order {
        OrderChoice::Auto if features.is_structured() && !features.excludes() => {
            by_bags(run, how).or_else(|_| Ok(by_graph(run, how)))
        }
        OrderChoice::Bags if !features.extra_edges => by_bags(run, how),
        OrderChoice::Tree if !features.is_structured() => Err(OrderError::NeedsGraph(order)),
        OrderChoice::Bags => Err(OrderError::NeedsGraph(order)),
        OrderChoice::Auto | OrderChoice::Tree | OrderChoice::Graph => Ok(by_graph(run, how)),
    }
}

/// Bags know no hand-offs: where there can be some, the graph has the last word on what is found.
fn by_bags<R: Run>(run: &mut R, how: Atomicity) -> Result<Vec<Finding>, OrderError> {
    let (is_fixed, order, own) = (is_fixed(run.features()), Bags::new(), FxHashSet::default());
    let found = match how.history {
        HistoryChoice::Complete if is_fixed => pass(run, order, Fixed::default(), how, own),
        HistoryChoice::Complete => pass(run, order, Spilled::default(), how, own),
        HistoryChoice::Basic => pass(run, order, Basic::default(), how, own),
        HistoryChoice::Printed => pass(run, order, Printed::default(), how, own),
    };
    let found = found.ok_or(OrderError::NotDepthFirst)?;
    match found.is_empty() || !run.features().excludes() {
        true => Ok(found),
        false => Ok(by_graph(run, how)),
    }
}

fn by_graph<R: Run>(run: &mut R, how: Atomicity) -> Vec<Finding> {
    let mut own = FxHashSet::default();
    if how.scope == Scope::All && run.features().excludes() {
        let torn = graph_pass(run, how, own);
        own = torn.iter().flat_map(locations).collect();
    }
    graph_pass(run, how, own)
}

/// The locations a finding is about.
fn locations(finding: &Finding) -> Vec<Location> {
    match finding {
        Finding::Atomicity { places, .. } => {
            let places = places.iter();
            places.map(|place| Location(place.location)).collect()
        }
        _ => Vec::new(),
    }
}

fn graph_pass<R: Run>(run: &mut R, how: Atomicity, own: FxHashSet<Location>) -> Vec<Finding> {
    let order = Graph::new(match run.features().excludes() {
        true => HandOffs::Followed,
        false => HandOffs::Ignored,
    });
    let found = match how.history {
        HistoryChoice::Complete if is_fixed(run.features()) => {
            pass(run, order, Fixed::default(), how, own)
        }
        HistoryChoice::Complete => pass(run, order, Spilled::default(), how, own),
        HistoryChoice::Basic => pass(run, order, Basic::default(), how, own),
        HistoryChoice::Printed => pass(run, order, Printed::default(), how, own),
    };
    found.unwrap_or_default()
}

/// Whether a fixed number of representatives stands for all accesses.
fn is_fixed(features: Features) -> bool {
    features.is_structured() && !features.excludes()
}

/// One pass; nothing if the order could not follow the run.
fn pass<R: Run, O: Order, H: History<O>>(
    run: &mut R,
    order: O,
    history: H,
    how: Atomicity,
    own: FxHashSet<Location>,
) -> Option<Vec<Finding>> {
    let mut detector = Detector::new(order, history, how.scope);
    detector.own = own;
    run_into(run, &mut detector);
    detector.findings()
}

/// Delivers the run's events by dynamic dispatch: a front end compiled once more for each history and order
/// would cost more than the calls do.
fn run_into<R: Run>(run: &mut R, mut listener: &mut dyn Listener) {
    run.run(&mut listener);
}

/// Follows one run with an order and a history. A [`Listener`].
#[derive(Debug)]
pub struct Detector<O, H> {
    order: O,
    history: H,
    holds: Holds,
    regions: Regions,
    units: Units,
    places: Places,
    roster: Roster,
    tally: Tally,
    /// Locations through which nothing is handed over, beside those declared atomic.
    own: FxHashSet<Location>,
    /// What the last write of each location held, if it held anything.
    written: FxHashMap<Location, HoldId>,
}

impl<O: Order, H: History<O>> Detector<O, H> {
    /// A detector at the start of the main task.
    pub fn new(order: O, history: H, scope: Scope) -> Self {
        Self {
            order,
            history,
            holds: Holds::new(),
            regions: Regions::new(),
            units: Units::new(scope),
            places: Places::default(),
            roster: Roster::new(),
            tally: Tally::default(),
            own: FxHashSet::default(),
            written: FxHashMap::default(),
        }
    }

    /// What was found; nothing if the order could not follow the run.
    pub fn findings(self) -> Option<Vec<Finding>> {
        let followed = self.order.followed();
        followed.then(|| self.tally.findings(&self.order, &self.holds, &self.roster))
    }

    fn access(&mut self, extent: Extent, site: SiteId, kind: AccessKind) {
        match kind {
            AccessKind::Read => self.receive(extent),
            AccessKind::Write => self.hand_on(extent),
        }
        if self.units.is_empty() {
            return;
        }
        for hit in self.units.hits(extent, kind) {
            let mark = Mark {
                strand: self.order.strand(),
                site,
                hold: self.holds.current(),
                kind,
            };
            let run = Running {
                order: &mut self.order,
                holds: &mut self.holds,
                regions: &mut self.regions,
            };
            let now = Touch { mark, at: hit.at };
            let mut to = self.tally.naming(&self.units, &self.places);
            self.history.access(hit.unit, now, run, &mut to);
        }
    }

    /// Notes the hand-offs a read receives.
    fn receive(&mut self, extent: Extent) {
        if self.holds.current() == HoldId::NOTHING || self.written.is_empty() {
            return;
        }
        for location in extent.locations() {
            let Some(&wrote) = self.written.get(&location) else {
                continue;
            };
            for from in self.holds.handed_from(wrote) {
                if !self.order.precedes(from) && !self.order.handed_over(from) {
                    self.order.hand_over(from);
                }
            }
        }
    }

    /// Notes what a write holds, for those who read it.
    fn hand_on(&mut self, extent: Extent) {
        let hold = self.holds.current();
        if hold == HoldId::NOTHING && self.written.is_empty() {
            return;
        }
        for location in extent.locations() {
            match hold {
                HoldId::NOTHING => self.written.remove(&location),
                _ if self.is_own(location) => None,
                _ => self.written.insert(location, hold),
            };
        }
    }

    /// Whether a hand-off through this location is what is being checked.
    fn is_own(&self, location: Location) -> bool {
        self.units.is_declared(location) || self.own.contains(&location)
    }

    fn forget(&mut self, extent: Extent) {
        self.units.forget(extent);
        if !self.written.is_empty() {
            let (start, len) = (extent.start.0, extent.len);
            self.written
                .retain(|location, _| location.0.wrapping_sub(start) >= len);
        }
    }

    fn other(&mut self, event: Event) {
        match event {
            Event::Declare {
                extent,
                name,
                shape,
            } => self.places.declare(extent, name, shape),
            Event::Atomic { extent, group } => {
                self.units.declare(extent, group);
                self.written
                    .retain(|location, _| !self.units.is_declared(*location));
            }
            Event::Alloc { extent, name, .. } => {
                self.forget(extent);
                self.places.allocate(extent, name);
            }
            Event::Bind { start, name } => self.places.bind(start, name),
            Event::Acquire { lock, mode, .. } => self.holds.acquire(lock, mode),
            Event::Release { lock, .. } => {
                let strand = self.order.close();
                self.holds.release(lock, strand);
            }
            _ => self.task_event(event),
        }
    }

    fn task_event(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => {
                self.roster.running = task;
                self.holds.switch(task);
            }
            Event::Spawn {
                finish,
                kind,
                site,
                name,
                ..
            } => self.roster.spawn(finish, kind, site, name),
            _ => {}
        }
        self.regions.follow(event);
        order::follow(&mut self.order, event);
    }
}

impl<O: Order, H: History<O>> Listener for Detector<O, H> {
    #[inline]
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => self.access(extent, site, AccessKind::Read),
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.access(extent, site, AccessKind::Write);
            }
            _ => self.other(event),
        }
    }
}
