//! Extra edges and hand-offs: order beside that of the tree.
//!
//! There are up to three layers of edges. The first has what the program's meaning orders: joins, signals, the spawn
//! edge of a scope handle. The second, once something is handed over, has the same and the hand-offs; it decides certain
//! from possible. The third is the second without hand-offs through what must not be torn.

use super::order::Structure;
use super::{Cursor, EndPoint, Engine, NO_STRAND};
use crate::sync::{MutexGuard, Ordering, PoisonError};
use heddle_core::TaskId;
#[cfg(not(feature = "shuttle"))]
use heddle_core::order::layer::Wanted;
use heddle_core::order::layer::{Layer, Mark};
use heddle_core::order::tree::Departures;

/// Extra edges.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// What the program's meaning orders.
    pub(super) real: Layer,
    /// That, and hand-offs, once there are any.
    with_hand_offs: Option<Layer>,
    /// The same without hand-offs through what is watched, once something is.
    beside_units: Option<Layer>,
    /// How often a value was handed over.
    hand_offs: u64,
}

impl Edges {
    /// Real ones and hand-offs.
    fn all(&mut self) -> &mut Layer {
        self.with_hand_offs.as_mut().unwrap_or(&mut self.real)
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        let further = self.with_hand_offs.iter().chain(&self.beside_units);
        std::iter::once(&self.real).chain(further)
    }

    fn each(&mut self, mut tell: impl FnMut(&mut Layer)) {
        tell(&mut self.real);
        self.with_hand_offs.iter_mut().for_each(&mut tell);
        self.beside_units.iter_mut().for_each(tell);
    }
}

/// Through what something is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Through {
    /// Anything.
    Location,
    /// A granule that counts as anything unless it is found torn.
    Granule(u64),
    /// What must not be torn: that its sections can be swapped is the defect to be found.
    Unit,
}

impl Engine {
    /// The end of another task precedes what follows.
    pub fn join(&self, cursor: &mut Cursor, end: EndPoint) {
        let last = match end.strand {
            NO_STRAND => self.make_strand(end.scope, end.task, end.departures),
            strand => strand,
        };
        self.record(|book| book.join(cursor.task, end.task));
        self.wait_for(cursor, &[last]);
    }

    /// What the task did so far precedes whoever waits for the returned strand.
    pub fn signal(&self, cursor: &mut Cursor) -> u32 {
        self.expect_names();
        self.signal_for_list(cursor)
    }

    /// The same, where the front end lists the strand ([`crate::Kept`]) as long as someone may wait for it.
    pub fn signal_for_list(&self, cursor: &mut Cursor) -> u32 {
        self.end_region(cursor);
        let strand = self.signal_in_region(cursor);
        cursor.departures = Departures::Edges;
        strand
    }

    /// Extra edges may leave the task, at its end at the latest: others will wait for it by name.
    pub fn expect_departures(&self, cursor: &mut Cursor) {
        self.expect_names();
        cursor.departures = Departures::Edges;
        cursor.end_strand();
    }

    pub(super) fn signal_in_region(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.close(cursor);
        cursor.departed = strand;
        self.record(|book| book.signal(cursor.task, strand));
        strand
    }

    /// As [`signal_for_list`](Self::signal_for_list), if it may be for [`hand_over`](Self::hand_over). Does not end a
    /// region.
    pub fn offer(&self, cursor: &mut Cursor) -> u32 {
        let strand = self.signal_in_region(cursor);
        self.record(|book| book.offer(cursor.task, strand));
        cursor.departures = cursor.departures.max(Departures::HandOffs);
        strand
    }

    /// These signals precede what follows.
    pub fn wait(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.record(|book| book.wait(cursor.task, signals));
        self.wait_for(cursor, signals);
    }

    /// These strands precede what follows.
    pub(crate) fn wait_for(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.end_region(cursor);
        self.follow(cursor, signals);
    }

    /// The same, without the end of a region.
    pub(crate) fn follow(&self, cursor: &mut Cursor, signals: &[u32]) {
        self.arrive(cursor.task, signals);
        cursor.end_strand();
    }

    /// Whether it does when hand-offs count as order.
    pub(crate) fn handed_over(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        self.has_hand_offs.load(Ordering::Acquire)
            && self.edges().all().reaches(earlier, now, &Structure(self))
    }

    /// The same, where hand-offs through what is watched do not count.
    pub(crate) fn handed_over_beside_units(&self, cursor: &mut Cursor, earlier: u32) -> bool {
        let now = self.strand(cursor);
        if !self.has_hand_offs.load(Ordering::Acquire) {
            return false;
        }
        let mut edges = self.edges();
        let layer = match edges.beside_units.is_some() {
            true => edges.beside_units.get_or_insert_default(),
            false => edges.all(),
        };
        layer.reaches(earlier, now, &Structure(self))
    }

    /// The same between two strands that are over, where hand-offs through these granules do not count either.
    pub(crate) fn handed_over_beside(
        &self,
        earlier: u32,
        later: u32,
        torn: impl Fn(u64) -> bool,
    ) -> bool {
        let edges = self.edges();
        let layer = edges.beside_units.as_ref();
        layer.is_some_and(|layer| {
            layer.reaches_if(earlier, later, &Structure(self), |granule| !torn(granule))
        })
    }

    /// From now on something is watched.
    pub(crate) fn part_hand_offs(&self) {
        let mut edges = self.edges();
        if edges.beside_units.is_none() {
            edges.beside_units = Some(edges.all().clone());
        }
    }

    /// Counts the closed strand `from` as handed over to what the task does next.
    pub fn hand_over(&self, cursor: &mut Cursor, from: u32) {
        self.record(|book| book.hand_over(cursor.task, from));
        self.receive_from(cursor, from, Through::Location);
    }

    /// The same, where what is handed over is a value of this granule's. If it is declared atomic, that the
    /// hand-off could go the other way is the very defect, and it does not excuse one.
    pub fn hand_over_through(&self, cursor: &mut Cursor, from: u32, granule: u64) {
        self.record(|book| book.hand_over(cursor.task, from));
        let through = match self.is_unit(granule) {
            true => Through::Unit,
            false => Through::Location,
        };
        self.receive_from(cursor, from, through);
    }

    /// The same for many strands at once.
    pub fn hand_over_all(&self, cursor: &mut Cursor, from: &[u32]) {
        if from.is_empty() {
            return;
        }
        for &strand in from {
            self.record(|book| book.hand_over(cursor.task, strand));
        }
        self.receive_from_all(cursor, from, Through::Location);
    }

    /// The same, for what the histories themselves say.
    pub(crate) fn receive_from(&self, cursor: &mut Cursor, from: u32, through: Through) {
        self.receive_from_all(cursor, &[from], through);
    }

    fn receive_from_all(&self, cursor: &mut Cursor, from: &[u32], through: Through) {
        cursor.received = cursor.received.wrapping_add(1);
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        let Edges {
            real,
            with_hand_offs,
            beside_units,
            hand_offs,
        } = &mut *edges;
        *hand_offs += 1;
        let layer = with_hand_offs.get_or_insert_with(|| real.clone());
        layer.arrive(cursor.task, from, &self.forest);
        match (beside_units, through) {
            (None, _) | (_, Through::Unit) => {}
            (Some(layer), Through::Location) => {
                layer.arrive(cursor.task, from, &self.forest);
            }
            (Some(layer), Through::Granule(granule)) => {
                layer.arrive_through(cursor.task, from, granule, &self.forest);
            }
        }
        drop(edges);
        cursor.strand = NO_STRAND;
    }

    /// Counts what precedes the strand `from`, which may still run, as handed over to what the task does next, which has
    /// these marks from now on. That excuses races, but no atomicity violation.
    pub(crate) fn receive_from_before(&self, cursor: &mut Cursor, from: u32, marks: [Mark; 2]) {
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        let Edges {
            real,
            with_hand_offs,
            ..
        } = &mut *edges;
        let layer = with_hand_offs.get_or_insert_with(|| real.clone());
        layer.arrive_from_before(cursor.task, from, &self.forest);
        for mark in marks {
            layer.mark(cursor.task, mark);
        }
        drop(edges);
        cursor.strand = NO_STRAND;
    }

    /// Whether what the task does now has this mark, hand-offs counted as order.
    pub(crate) fn has_mark(&self, cursor: &mut Cursor, mark: Mark) -> bool {
        let now = self.strand(cursor);
        self.edges().all().follows(mark, now)
    }

    pub(crate) fn arrive(&self, task: TaskId, from: &[u32]) {
        self.has_edges.store(true, Ordering::Release);
        self.has_hand_offs.store(true, Ordering::Release);
        let mut edges = self.edges();
        edges.each(|layer| layer.arrive(task, from, &self.forest));
    }

    /// How often a value was handed over between sections of a lock, or by a release and an acquire.
    pub fn hand_offs(&self) -> u64 {
        self.edges().hand_offs
    }

    /// Forgets edges that do not matter to what is wanted, and calls `keep` with the strands that others come from.
    #[cfg(not(feature = "shuttle"))]
    pub(crate) fn prune_layers(&self, wanted: &impl Wanted, mut keep: impl FnMut(u32)) {
        self.edges()
            .each(|layer| layer.prune(&self.forest, wanted, &mut keep));
    }

    /// How many knots the layers have.
    #[cfg(test)]
    pub(crate) fn knots(&self) -> usize {
        let mut knots = 0;
        self.edges().each(|layer| knots += layer.len());
        knots
    }

    pub(super) fn edges(&self) -> MutexGuard<'_, Edges> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no layer of edges need be told of the task's strands: none has an edge to it. No if the layers are busy.
    pub(crate) fn is_beside_layers(&self, task: TaskId) -> bool {
        let edges = self.edges.try_lock();
        edges.is_ok_and(|edges| edges.layers().all(|layer| layer.is_unreached(task)))
    }

    /// Whether there are edges beside those of the tree.
    #[inline]
    pub(crate) fn has_layers(&self) -> bool {
        self.has_hand_offs.load(Ordering::Acquire)
    }

    /// Tells all layers of edges, unless there are none: a program without them pays one load.
    #[inline]
    pub(crate) fn each_layer(&self, tell: impl FnMut(&mut Layer)) {
        if self.has_hand_offs.load(Ordering::Acquire) {
            self.edges().each(tell);
        }
    }
}
