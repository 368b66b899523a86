//! From a thread cycle to a finding: which accesses tell the story, and what they touch.

use heddle_core::{
    Access, AccessKind, Certainty, Decision, Finding, Moment, Place, Separation, SiteId, Step,
    TaskId,
};

use crate::cycle::{Cycle, Leg};
use crate::decide::Stands;
use crate::interactions::{Incidence, Interactions};
use crate::log::{Log, Strand, Transaction};

/// One access constraint, told by one access of each transaction.
struct Told {
    place: Place,
    transactions: [Transaction; 2],
    accesses: [Access; 2],
}

/// The finding for a cycle that stands.
pub fn finding(stands: &Stands, log: &Log, interactions: &Interactions) -> Finding {
    let task = |strand: Strand| log.strands[strand as usize].task.unwrap_or(TaskId::MAIN);
    let last = stands.cycle.legs.len().saturating_sub(1);
    let mut steps: Vec<Told> = Vec::new();
    let mut cycle = Vec::new();
    for (row, leg) in stands.cycle.legs.iter().enumerate() {
        cycle.push(match *leg {
            Leg::Serial(from, to) => Step::Serial {
                from: task(from),
                to: task(to),
            },
            Leg::Access { location, from, to } => {
                let place = interactions.place(location, &log.memory);
                let [first, second] = told(from, to, row == last);
                let accesses = [access(first, from, log), access(second, to, log)];
                steps.push(Told {
                    place,
                    transactions: [from.transaction, to.transaction],
                    accesses: accesses.clone(),
                });
                let [from, to] = accesses;
                Step::Conflict { place, from, to }
            }
        });
    }
    let (places, parted) = closing(&steps);
    let [start, end] = &stands.ends;
    Finding::Transaction(Box::new(Separation {
        certainty: match stands.decision {
            Decision::Confirmed | Decision::Replayed => Certainty::Certain,
            Decision::Diverged | Decision::Undecided => Certainty::Possible,
        },
        decision: stands.decision,
        places,
        parted,
        cuts: log.cuts_between(start.incidence.transaction, end.incidence.transaction),
        schedule: schedule(stands, &steps),
        cycle,
        count: stands.count,
    }))
}

/// The positions of the two accesses that a finding of this cycle names.
pub fn parted(cycle: &Cycle) -> [SiteId; 2] {
    let ends = [cycle.legs.first(), cycle.legs.last()];
    let [
        Some(&Leg::Access { from, to, .. }),
        Some(&Leg::Access {
            from: back,
            to: end,
            ..
        }),
    ] = ends
    else {
        unreachable!("a cycle leaves its strand and comes back by accesses");
    };
    let is_last = cycle.legs.len() == 1;
    [told(from, to, is_last)[0].1, told(back, end, true)[1].1]
}

/// Of what the two transactions do with the location, the pair that conflicts and tells most: what is
/// read before another writes it; at the end, what is written over.
fn told(from: Incidence, to: Incidence, is_last: bool) -> [(AccessKind, SiteId); 2] {
    let first = match (from.read, from.write, to.write.is_some()) {
        (Some(read), _, true) if !is_last => (AccessKind::Read, read),
        (_, Some(write), _) => (AccessKind::Write, write),
        (Some(read), None, _) => (AccessKind::Read, read),
        (None, None, _) => unreachable!("an incidence reads or writes"),
    };
    let second = match (to.read, to.write) {
        (Some(read), None) => (AccessKind::Read, read),
        (Some(read), Some(_)) if first.0 == AccessKind::Write && !is_last => {
            (AccessKind::Read, read)
        }
        (_, Some(write)) => (AccessKind::Write, write),
        (None, None) => unreachable!("an incidence reads or writes"),
    };
    [first, second]
}

fn access((kind, site): (AccessKind, SiteId), of: Incidence, log: &Log) -> Access {
    Access {
        kind,
        site,
        task: log.task_of(of.transaction),
        locks: Vec::new(),
    }
}

/// What closes the cycle on the separated strand: where it leaves and where it comes back.
fn closing(told: &[Told]) -> (Vec<Place>, [Access; 2]) {
    let [Some(first), Some(last)] = [told.first(), told.last()] else {
        unreachable!("a cycle leaves its strand and comes back by accesses");
    };
    let mut places = vec![first.place, last.place];
    places.sort_by_key(|place| place.location);
    places.dedup();
    let parted = [first.accesses[0].clone(), last.accesses[1].clone()];
    (places, parted)
}

/// The accesses of the cycle in the sequence of the schedule, those of one transaction each once.
fn schedule(stands: &Stands, told: &[Told]) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::new();
    for &transaction in &stands.sequence {
        let mut own: Vec<Moment> = Vec::new();
        // Where a transaction is entered comes before where it is left.
        for side in [1, 0] {
            for told in told
                .iter()
                .filter(|told| told.transactions[side] == transaction)
            {
                let moment = Moment {
                    access: told.accesses[side].clone(),
                    place: told.place,
                };
                if !own.contains(&moment) {
                    own.push(moment);
                }
            }
        }
        moments.append(&mut own);
    }
    moments
}
