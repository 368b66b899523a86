//! Judges a run that can be repeated: an interpreted program, a recording, a replayed schedule.
//!
//! Every pass is a listener of the run's events. What is racy or torn says the engine of `heddle-rt`, as for programs
//! that it follows while they run; here it is only decided which passes are made, and places get their names.
//!
//! 1. A serial structured run without locks is first followed by bags (`heddle_core::bags`), which is cheaper. If it has
//!    no race, that is all.
//! 2. Else the engine follows it (`judge.rs`): races with their pairs, atomicity violations.
//! 3. A race is certain if a schedule of this input shows it: `heddle_core::witness` tries to build one.
//! 4. With locks, deadlocks that other schedules can have are looked for (`deadlock.rs`).

mod deadlock;
mod judge;

use heddle_core::atomicity::Scope;
use heddle_core::bags::{FourField, History, OneReader, Serial};
use heddle_core::{
    Account, Features, Finding, Guarantee, Listener, OrderChoice, OrderError, Outcome, Run, witness,
};
use heddle_rt::Engine;
use judge::judge;

pub use deadlock::possible_deadlocks;

/// What to check, and by which order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Analyses {
    /// Which order decides what is parallel.
    pub order: OrderChoice,
    /// What is checked for atomicity, beside races.
    pub atomicity: Scope,
}

/// Runs the program and reports every location with a race and, where the program declares some,
/// every atomic unit that can be violated. See [`check_with`].
pub fn check<R: Run>(run: &mut R, order: OrderChoice) -> Result<Outcome, OrderError> {
    let atomicity = Scope::Declared;
    check_with(run, Analyses { order, atomicity })
}

/// Runs the program and reports every location with a race, every atomicity violation, and deadlocks that other
/// schedules can have.
pub fn check_with<R: Run>(run: &mut R, analyses: Analyses) -> Result<Outcome, OrderError> {
    let features = run.features();
    if features.cuts {
        return Ok(unchecked(run));
    }
    let mut outcome = by_order(run, analyses)?;
    settle_certainty(run, &mut outcome);
    if features.locks {
        outcome.findings.extend(possible_deadlocks(run)?);
    }
    Ok(outcome)
}

/// Whether the address space for the engine's tables can be had. Without it, only serial structured runs that have no
/// race can be judged.
pub fn has_room() -> bool {
    Engine::new().is_some()
}

/// Runs the program and says what the run itself tells, without looking for anything.
pub fn unchecked<R: Run>(run: &mut R) -> Outcome {
    let mut account = Account::new();
    follow(run, &mut account);
    account.outcome(Vec::new(), Guarantee::NotChecked)
}

fn by_order<R: Run>(run: &mut R, analyses: Analyses) -> Result<Outcome, OrderError> {
    let Analyses { order, atomicity } = analyses;
    let features = run.features();
    let watches = features.atomics || atomicity == Scope::All;
    let is_serial = match order {
        OrderChoice::Auto => bags_suffice(features) && !watches,
        OrderChoice::Bags if features.extra_edges => return Err(OrderError::NeedsGraph(order)),
        OrderChoice::Bags => bags_suffice(features),
        OrderChoice::Tree if !features.is_structured() => {
            return Err(OrderError::NeedsGraph(order));
        }
        OrderChoice::Tree | OrderChoice::Graph => false,
    };
    let mut tried = Vec::new();
    if is_serial {
        tried.push(OrderChoice::Bags);
        let serial = match features.isolated {
            true => by_bags::<R, FourField>(run),
            false => by_bags::<R, OneReader>(run),
        };
        match serial {
            Some(Serially::Clean(mut outcome)) if !watches => {
                outcome.orders = tried;
                return Ok(*outcome);
            }
            None if order == OrderChoice::Bags => return Err(OrderError::NotDepthFirst),
            _ => {}
        }
    }
    let mut outcome = judge(run, atomicity)?;
    tried.push(match features.is_structured() && !features.excludes() {
        true => OrderChoice::Tree,
        false => OrderChoice::Graph,
    });
    outcome.orders = tried;
    Ok(outcome)
}

/// Delivers the run's events by dynamic dispatch: a front end compiled once more for each listener would cost more than
/// the calls do.
fn follow<R: Run>(run: &mut R, mut listener: &mut dyn Listener) {
    run.run(&mut listener);
}

/// Whether bags and their histories can follow a serial run of such a program.
fn bags_suffice(features: Features) -> bool {
    features.is_structured() && !features.locks
}

/// What bags say of a run.
enum Serially {
    Clean(Box<Outcome>),
    Racy,
}

/// One pass by bags; none if the run turned out not to be depth first.
fn by_bags<R: Run, H: History>(run: &mut R) -> Option<Serially> {
    let mut pass = (Serial::<H>::new(), Account::new());
    run.run(&mut pass);
    let (serial, account) = pass;
    if !serial.followed() {
        return None;
    }
    if serial.is_racy() {
        return Some(Serially::Racy);
    }
    let mut outcome = account.outcome(Vec::new(), run.features().guarantee());
    outcome.counts.strands = serial.strands();
    Some(Serially::Clean(outcome.into()))
}

/// A race is certain if a schedule of this input shows it. Runs that are too long to be looked at again keep
/// what the engine says.
fn settle_certainty<R: Run>(run: &mut R, outcome: &mut Outcome) {
    let is_race = |finding: &Finding| matches!(finding, Finding::Race { .. });
    if outcome.findings.iter().any(is_race) {
        let mut memory = witness::Memory::default();
        let mut listener: &mut dyn Listener = &mut memory;
        run.run_in_full(&mut listener);
        if let Some(events) = memory.events() {
            witness::settle(events, &mut outcome.findings);
        }
    }
}
