//! One pass of the engine over a run, and names for what it finds.
//!
//! The engine knows locations by number. What a location is called changes in a run: an object is freed and another
//! allocated in its place. So places are named when names are about to change, and at the end.

use heddle_core::atomicity::Scope;
use heddle_core::{
    Account, Event, Extent, Finding, Guarantee, Listener, Location, OrderError, Outcome, Place,
    Places, Run, SiteId,
};
use heddle_rt::{Follower, Keeping};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Runs the program under the engine. A run in which two accesses did not stand for the others of their sort is
/// followed once more, with all of them kept.
pub(crate) fn judge<R: Run>(run: &mut R, scope: Scope) -> Result<Outcome, OrderError> {
    let two = pass(run, scope, Keeping::Two)?;
    let judge = match two.follower.engine().lost_an_access() {
        true => pass(run, scope, Keeping::All)?,
        false => two,
    };
    Ok(judge.outcome(run.features().guarantee()))
}

fn pass<R: Run>(run: &mut R, scope: Scope, keeping: Keeping) -> Result<Judge, OrderError> {
    let follower = Follower::new(run.features(), scope, keeping);
    let mut judge = Judge {
        follower: follower.ok_or(OrderError::NoAddressSpace)?,
        account: Account::new(),
        names: Names::default(),
    };
    crate::follow(run, &mut judge);
    Ok(judge)
}

/// Follows one run. A [`Listener`].
struct Judge {
    follower: Follower,
    account: Account,
    names: Names,
}

/// What the places of findings are called.
#[derive(Default)]
struct Names {
    places: Places,
    /// Of races, in the sequence in which they were found.
    races: Vec<Place>,
    /// How many atomicity violations have names.
    tears: usize,
    /// Of their locations.
    torn: FxHashMap<Location, Place>,
    /// Members of groups, by their first location.
    members: FxHashMap<Location, Extent>,
    /// What those in violations are called.
    wholes: FxHashMap<Location, Place>,
}

impl Names {
    /// Names what was found since the last time.
    fn take(&mut self, follower: &Follower) {
        for location in follower.race_locations(self.races.len()) {
            self.races.push(self.places.place(location));
        }
        let tears = follower.engine().tear_count();
        if tears > self.tears {
            for location in follower.tear_locations(self.tears) {
                let place = self.places.place(location);
                self.torn.entry(location).or_insert(place);
                if let Some(&member) = self.members.get(&location) {
                    let whole = self.places.whole(member);
                    self.wholes.entry(location).or_insert(whole);
                }
            }
            self.tears = tears;
        }
    }

    fn on(&mut self, event: Event) {
        match event {
            Event::Declare {
                extent,
                name,
                shape,
            } => self.places.declare(extent, name, shape),
            Event::Alloc { extent, name, .. } => self.places.allocate(extent, name),
            Event::Bind { start, name } => self.places.bind(start, name),
            Event::Atomic {
                extent,
                group: Some(_),
            } => {
                self.members.insert(extent.start, extent);
            }
            _ => {}
        }
    }

    fn give(&self, findings: &mut [Finding]) {
        let mut races = self.races.iter();
        for finding in findings {
            match finding {
                Finding::Race { place, .. } => *place = races.next().copied().unwrap_or(*place),
                Finding::Atomicity {
                    group,
                    places,
                    touched,
                    ..
                } => {
                    let called = match group {
                        Some(_) => &self.wholes,
                        None => &self.torn,
                    };
                    places.iter_mut().for_each(|place| name(place, called));
                    touched.iter_mut().for_each(|place| name(place, &self.torn));
                }
                _ => {}
            }
        }
    }
}

fn name(place: &mut Place, called: &FxHashMap<Location, Place>) {
    if let Some(named) = called.get(&Location(place.location)) {
        *place = *named;
    }
}

impl Judge {
    fn outcome(mut self, clean: Guarantee) -> Outcome {
        self.names.take(&self.follower);
        let ancestry = self.account.roster().ancestry();
        let mut findings = self.follower.races(&ancestry);
        findings.extend(self.follower.tears(&ancestry));
        self.names.give(&mut findings);
        let (races, tears) = findings
            .into_iter()
            .partition(|finding| matches!(finding, Finding::Race { .. }));
        let engine = self.follower.engine();
        let clean = match engine.gave_up() {
            true => Guarantee::UpToHere,
            false => clean,
        };
        let mut outcome = self.account.outcome(once_per_place(races), clean);
        outcome.findings.extend(tears);
        outcome.counts.strands = self.follower.strands();
        outcome.counts.hand_offs = engine.hand_offs();
        outcome.counts.crowded = engine.crowded_locations();
        outcome
    }
}

impl Listener for Judge {
    #[inline]
    fn on(&mut self, event: Event) {
        match event {
            Event::Declare { .. } | Event::Alloc { .. } | Event::Bind { .. } => {
                self.names.take(&self.follower);
                self.names.on(event);
            }
            Event::Atomic { .. } => self.names.on(event),
            _ => {}
        }
        self.account.on(event);
        self.follower.on(event);
    }
}

/// A scalar has one place, however many locations: its races are one for each pair of positions.
fn once_per_place(races: Vec<Finding>) -> Vec<Finding> {
    let mut rows: FxHashMap<(u64, [SiteId; 2]), usize> = FxHashMap::default();
    let mut once: Vec<Finding> = Vec::with_capacity(races.len());
    for race in races {
        let Finding::Race {
            place, accesses, ..
        } = &race
        else {
            continue;
        };
        let mut sites = [accesses[0].site, accesses[1].site];
        sites.sort_unstable();
        match rows.entry((place.location, sites)) {
            Entry::Vacant(row) => {
                row.insert(once.len());
                once.push(race);
            }
            Entry::Occupied(row) => join(&mut once[*row.get()], race),
        }
    }
    once
}

/// Counts a race as one that is known, and shows whichever is more certain.
fn join(known: &mut Finding, race: Finding) {
    if let (
        Finding::Race {
            certainty, count, ..
        },
        Finding::Race {
            certainty: other,
            count: more,
            ..
        },
    ) = (&*known, &race)
    {
        let (total, is_stronger) = (count + more, other > certainty);
        if is_stronger {
            *known = race;
        }
        if let Finding::Race { count, .. } = known {
            *count = total;
        }
    }
}
