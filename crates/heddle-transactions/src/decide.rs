//! What comes of each thread cycle: confirmed by a schedule, refuted, or left undecided.

use heddle_core::{Decision, SiteId, TransactionCounts};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::cycle::{Choice, Cycle, End, Leg, Route};
use crate::exact::{self, Answer, Bound};
use crate::finding::parted;
use crate::interactions::{Incidence, Interactions};
use crate::log::{Log, Strand, Transaction};
use crate::order::Order;
use crate::search::{Decide, Search, Verdict};

/// Whether thread cycles are decided exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Exact {
    /// Within a bound that takes well under a second each.
    #[default]
    Quick,
    /// Always, however long it takes.
    Always,
    /// Never: what no simple schedule confirms stays undecided.
    Never,
}

/// Routes longer than this are not checked for cycles of transactions.
const LONGEST: usize = 1000;

/// A thread cycle that stands.
#[derive(Clone, Debug)]
pub struct Stands {
    /// The first transaction of the separated strand, and the second.
    pub ends: [End; 2],
    /// From the one to the other.
    pub cycle: Cycle,
    /// Confirmed or undecided.
    pub decision: Decision,
    /// The transactions of the cycle in the sequence of a schedule; none if undecided.
    pub sequence: Vec<Transaction>,
    /// How many strands were found separated so.
    pub count: u64,
    /// Whether the programmer has called it harmless.
    pub verdict: Verdict,
}

/// Source positions and locations where a cycle leaves the separated strand and comes back.
type Key = ([SiteId; 2], [u32; 2]);

/// Decides cycles and keeps those that stand, one per pair of positions and locations.
#[derive(Debug)]
pub struct Decider<'a> {
    options: &'a Options,
    log: &'a Log,
    interactions: &'a Interactions,
    /// What stands.
    pub standing: Vec<Stands>,
    rows: FxHashMap<Key, usize>,
    /// How many were confirmed, refuted, undecided.
    pub counts: TransactionCounts,
}

impl<'a> Decider<'a> {
    /// A decider that knows nothing yet.
    pub fn new(options: &'a Options, log: &'a Log, interactions: &'a Interactions) -> Self {
        Self {
            options,
            log,
            interactions,
            standing: Vec::new(),
            rows: FxHashMap::default(),
            counts: TransactionCounts::default(),
        }
    }

    fn key(&self, start: &End, end: &End) -> Key {
        let site = |incidence: &Incidence| {
            let site = incidence.write.or(incidence.read);
            site.unwrap_or(SiteId::new(0))
        };
        (
            [site(&start.incidence), site(&end.incidence)],
            [start.location, end.location],
        )
    }

    fn stand(
        &mut self,
        ends: [End; 2],
        cycle: Cycle,
        sequence: Option<Vec<Transaction>>,
    ) -> Verdict {
        let decision = match sequence {
            Some(_) => Decision::Confirmed,
            None => Decision::Undecided,
        };
        let verdict = match self.options.harmless.contains(&parted(&cycle)) {
            true => Verdict::Harmless,
            false => Verdict::Stands,
        };
        let key = self.key(&ends[0], &ends[1]);
        let next = self.standing.len();
        let row = *self.rows.entry(key).or_insert(next);
        let new = Stands {
            ends,
            cycle,
            decision,
            sequence: sequence.unwrap_or_default(),
            count: 1,
            verdict,
        };
        match self.standing.get_mut(row) {
            None => {
                self.count(decision);
                self.standing.push(new);
            }
            Some(known) if known.decision == Decision::Undecided && decision != known.decision => {
                self.counts.undecided -= 1;
                *known = Stands {
                    count: known.count + 1,
                    ..new
                };
                self.count(decision);
            }
            Some(known) => known.count += 1,
        }
        verdict
    }

    fn count(&mut self, decision: Decision) {
        match decision {
            Decision::Undecided => self.counts.undecided += 1,
            _ => self.counts.confirmed += 1,
        }
    }

    /// A schedule that follows the route, if one of the two obvious ones does.
    fn simply(&self, route: &Route, order: &mut Order) -> Option<(Cycle, Vec<Transaction>)> {
        if route.stops.len() > LONGEST {
            return None;
        }
        [Choice::Forward, Choice::Apart]
            .into_iter()
            .find_map(|choice| {
                let cycle = route.cycle(choice, self.interactions)?;
                let sequence = cycle.sequence(self.log, order).ok()?;
                Some((cycle, sequence))
            })
    }

    fn exactly(&self, route: &Route, search: &mut Search<'_>, order: &mut Order) -> Answer {
        let bound = match self.options.exact {
            Exact::Never => return Answer::Unknown,
            Exact::Quick => Bound::QUICK,
            Exact::Always => Bound::THOROUGH,
        };
        let Some(around) = search.around(route.start, order, bound.strands) else {
            return Answer::Unknown;
        };
        let ends = [route.start, route.end];
        exact::decide(ends, &around, bound, self.log, self.interactions, order)
    }
}

impl Decide for Decider<'_> {
    /// The other strand comes between the two: always a schedule.
    fn single(&mut self, start: End, stop: Strand, end: End) -> Verdict {
        let entry = self.interactions.entry_at(start.location, stop);
        let others = entry.map_or(&[][..], |entry| self.interactions.incidences(entry));
        let between = others
            .iter()
            .find(|other| other.conflicts(&start.incidence) && other.conflicts(&end.incidence));
        let Some(&other) = between else {
            debug_assert!(
                false,
                "a partner conflicts with every transaction of the entry"
            );
            return Verdict::Refuted;
        };
        let location = start.location;
        let leg = |from: Incidence, to: Incidence| Leg::Access { location, from, to };
        let cycle = Cycle {
            legs: vec![leg(start.incidence, other), leg(other, end.incidence)],
        };
        let sequence = [start.incidence, other, end.incidence].map(|one| one.transaction);
        self.stand([start, end], cycle, Some(sequence.into()))
    }

    fn cross(&mut self, route: Route, search: &mut Search<'_>, order: &mut Order) -> Verdict {
        let ends = [route.start, route.end];
        if let Some((cycle, sequence)) = self.simply(&route, order) {
            return self.stand(ends, cycle, Some(sequence));
        }
        match self.exactly(&route, search, order) {
            Answer::Cycle(cycle) => {
                let sequence = cycle.sequence(self.log, order).ok();
                self.stand(ends, cycle, sequence)
            }
            Answer::None => {
                self.counts.refuted += 1;
                Verdict::Refuted
            }
            Answer::Unknown => {
                let cycle = route.cycle(Choice::Forward, self.interactions);
                let cycle = cycle.unwrap_or(Cycle { legs: Vec::new() });
                self.stand(ends, cycle, None)
            }
        }
    }

    fn known(&self, start: &End, end: &End) -> Option<Verdict> {
        let known = &self.standing[*self.rows.get(&self.key(start, end))?];
        (known.decision == Decision::Confirmed).then_some(known.verdict)
    }
}
