//! Findings are true: the accesses they name do race, and for the reason they give.
//!
//! An engine keeps few accesses per location and reports few pairs, so the pairs cannot be
//! compared one to one. But each it reports must be one of the oracle's.

use heddle_core::{Access, Finding, Location, Outcome, TaskId, Why};

use super::Holds;
use crate::oracle::{Oracle, Race};

/// Every race in `outcome` is one the oracle knows.
pub fn findings_are_true(outcome: &Outcome, oracle: &Oracle) -> Holds {
    if outcome.findings.is_empty() {
        return Ok(());
    }
    let races = oracle.races();
    for finding in &outcome.findings {
        if let Finding::Race {
            place,
            accesses,
            why,
            count,
            ..
        } = finding
        {
            let location = Location(place.location);
            let known = races.iter().filter(|race| race.location == location);
            is_known(known, accesses)
                .and_then(|()| is_explained(outcome, accesses, why))
                .and_then(|()| require(*count > 0, "counted zero times"))
                .map_err(|wrong| format!("{wrong}: {finding:?}"))?;
        }
    }
    Ok(())
}

/// Some racing pair has these accesses. How certain it is, [`predict`](crate::predict) has said.
fn is_known<'a>(mut known: impl Iterator<Item = &'a Race>, accesses: &[Access; 2]) -> Holds {
    let [first, second] = accesses;
    let swapped = [second.clone(), first.clone()];
    require(
        known.any(|race| race.accesses == *accesses || race.accesses == swapped),
        "no such pair of accesses races",
    )
}

/// The child runs on the side it is said to, below the closest common ancestor, and is joined
/// where it is said to be.
fn is_explained(outcome: &Outcome, accesses: &[Access; 2], why: &Why) -> Holds {
    let child = outcome
        .task(why.spawned)
        .ok_or("the spawned task is unknown")?;
    require(
        child.parent == why.ancestor,
        "the ancestor did not spawn the child",
    )?;
    require(child.finish == why.finish, "the child is not joined there")?;
    let side = accesses.get(why.side).ok_or("there are two sides")?;
    let other = accesses.get(1 - why.side).ok_or("there are two sides")?;
    let other_line = line_of(outcome, other.task);
    require(
        line_of(outcome, side.task).contains(&why.spawned),
        "the child is on the other side",
    )?;
    require(
        !other_line.contains(&why.spawned),
        "the child is on both sides",
    )?;
    require(
        other_line.contains(&why.ancestor),
        "the ancestor is not a common one",
    )
}

/// A task and its ancestors.
fn line_of(outcome: &Outcome, task: TaskId) -> Vec<TaskId> {
    let mut line = vec![task];
    let mut task = task;
    while let Some(info) = outcome.task(task) {
        task = info.parent;
        line.push(task);
    }
    line
}

fn require(holds: bool, wrong: &str) -> Holds {
    if holds { Ok(()) } else { Err(wrong.into()) }
}
