//! Which thread cycles a program shows when it is run under the schedule that has them.
//!
//! The thesis judges the accesses of one run. Under another schedule a program may branch otherwise and make
//! other accesses, so that what those of the run would show never happens. Here the program is run under
//! every schedule that is not serializable, and what it then does is judged by the definitions.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{Certainty, Location};
use heddle_lang::Program;
use heddle_lang::machine::{Code, Plan};

use super::definitions::{access_constraints, has_thread_cycle};
use super::events::{Followed, followed};
use super::model::Transaction;
use super::schedule::schedules;
use super::verdict::{Pair, root_causes_of};

/// Locations that close a thread cycle, and whether a run shows one.
type Closings = BTreeMap<BTreeSet<Location>, Certainty>;

/// The locations that close the thread cycles of a program, and whether a run shows one; nothing for programs
/// with locks or with more than `limit` schedules. Of two transactions that both access what closes a cycle
/// between them, no cycle over different locations counts.
pub fn closings(program: &Program, limit: usize) -> Option<Closings> {
    let code = Code::new(program);
    let mut events = Vec::new();
    code.run(&mut events, &mut |_| {});
    let run = followed(&events).ok()?;
    let mut found: BTreeMap<Pair, Closings> = BTreeMap::new();
    for schedule in schedules(&run.program, limit)? {
        let edges = access_constraints(&run.program, &schedule);
        if !has_thread_cycle(&run.program, &edges) {
            continue;
        }
        let certainty = match is_shown(&code, &run, &schedule) {
            true => Certainty::Certain,
            false => Certainty::Possible,
        };
        for (pair, closings) in root_causes_of(&run.program, &edges) {
            let of_pair = found.entry(pair).or_default();
            for (out, back) in closings {
                let places = [out, back].map(|cell| run.locations[cell.0 as usize]);
                note(of_pair, places.into(), certainty);
            }
        }
    }
    let mut all = Closings::new();
    for mut of_pair in found.into_values() {
        if of_pair.keys().any(|places| places.len() == 1) {
            of_pair.retain(|places, _| places.len() == 1);
        }
        for (places, certainty) in of_pair {
            note(&mut all, places, certainty);
        }
    }
    Some(all)
}

fn note(closings: &mut Closings, places: BTreeSet<Location>, certainty: Certainty) {
    let known = closings.entry(places).or_insert(certainty);
    *known = certainty.max(*known);
}

/// Whether the program, run under this schedule, does what no run of uncut strands does.
fn is_shown(code: &Code, run: &Followed, schedule: &[Transaction]) -> bool {
    let plan = Plan {
        tasks: run.tasks.iter().map(|(&key, &task)| (key, task)).collect(),
        turns: schedule.iter().map(|one| run.names[one]).collect(),
    };
    let mut events = Vec::new();
    if !code.run_planned(&plan, &mut events) {
        return false;
    }
    followed(&events).is_ok_and(|shown| {
        let edges = access_constraints(&shown.program, &shown.schedule);
        has_thread_cycle(&shown.program, &edges)
    })
}
