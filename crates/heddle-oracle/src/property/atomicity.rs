//! What must hold of atomicity: every order gives the oracle's verdicts, every triple that is reported tears, and
//! the baselines never see more.

use heddle_check::{Analyses, check_with};
use heddle_core::atomicity::Scope;
use heddle_core::{Features, Finding, OrderChoice, Outcome};

use std::collections::BTreeSet;

use super::{Holds, ORDERS, caught, may_refuse, survives_a_trace};
use crate::atoms::{Subject, Torn, TornVerdicts, torn_verdicts, verdicts_of};
use crate::oracle::Oracle;
use crate::rules::Rules;
use crate::stream::{Class, Recorded, Script, simulate};

/// How often the baselines miss what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Missed {
    /// Units that can be torn.
    pub torn: u64,
    /// Those of them that the printed history does not report.
    pub missed: u64,
    /// Those of them that Velodrome does not see in the order that ran.
    pub unseen: u64,
}

/// The run of a script with atomic locations.
pub fn atomic_run(class: Class, script: &Script) -> Recorded {
    Recorded {
        events: simulate(script),
        features: Features {
            atomics: true,
            ..class.features()
        },
    }
}

/// Every order agrees with the oracle, and a trace gives back what was written.
pub fn atomicity_holds_of_script(class: Class, script: &Script) -> Holds {
    let mut run = atomic_run(class, script);
    let holds = caught(|| {
        Rules::hold(&run.events, run.features)?;
        histories_agree_with_the_oracle(&mut run)?;
        survives_a_trace(&run)
    });
    holds.map_err(|wrong| format!("{wrong}\n\n{script}\n{run}"))
}

/// Every order that takes the run and every scope agree with the oracle.
pub fn histories_agree_with_the_oracle(run: &mut Recorded) -> Holds {
    let oracle = Oracle::of(&run.events);
    for scope in [Scope::Declared, Scope::All] {
        let torn = oracle.torn(scope);
        let expected = verdicts_of(&torn);
        if let Some(subject) = oracle
            .torn_as_printed(scope)
            .iter()
            .find(|subject| !expected.contains_key(subject))
        {
            return Err(format!("the printed history finds {subject:?} torn"));
        }
        for order in ORDERS {
            if let Some(outcome) = outcome(run, order, scope)? {
                agrees(&outcome, &expected)
                    .and_then(|()| triples_tear(&outcome, &torn))
                    .map_err(|wrong| format!("{order:?}, {scope:?}: {wrong}"))?;
            }
        }
    }
    Ok(())
}

fn outcome(
    run: &mut Recorded,
    order: OrderChoice,
    atomicity: Scope,
) -> Result<Option<Outcome>, String> {
    match check_with(run, Analyses { order, atomicity }) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) if may_refuse(order, error, run.features, &run.events) => Ok(None),
        Err(error) => Err(format!("{order:?} refuses the run: {error:?}")),
    }
}

fn agrees(outcome: &Outcome, expected: &TornVerdicts) -> Holds {
    let found = torn_verdicts(outcome);
    match found == *expected {
        true => Ok(()),
        false => Err(format!("finds {found:?}, the oracle {expected:?}")),
    }
}

/// Each reported triple is one of the oracle's.
fn triples_tear(outcome: &Outcome, torn: &[Torn]) -> Holds {
    for finding in &outcome.findings {
        if let Finding::Atomicity {
            accesses,
            certainty,
            ..
        } = finding
        {
            let triple = [0, 1, 2].map(|n| {
                let access = &accesses[n];
                (access.kind, access.site, access.task)
            });
            let known = torn
                .iter()
                .any(|torn| torn.triple == triple && torn.certainty >= *certainty);
            if !known {
                return Err(format!("no such triple tears: {finding:?}"));
            }
        }
    }
    Ok(())
}

/// Every unit that can be torn in any schedule of a generated run is found by examining the one that
/// was generated. Says how many there are.
pub fn one_trace_shows_all(script: &Script) -> Result<u64, String> {
    let mut run = atomic_run(Class::Locks, script);
    let expected = verdicts_of(&Oracle::of(&run.events).torn(Scope::Declared));
    let found = outcome(&mut run, OrderChoice::Auto, Scope::Declared)?;
    let found = found.map(|outcome| torn_verdicts(&outcome));
    match found.as_ref() == Some(&expected) {
        true => Ok(expected.len() as u64),
        false => Err(format!(
            "finds {found:?}, the oracle {expected:?}\n\n{script}\n{run}"
        )),
    }
}

/// What the baselines miss in one run.
pub fn missed_by_baselines(run: &Recorded) -> Missed {
    let oracle = Oracle::of(&run.events);
    let expected = verdicts_of(&oracle.torn(Scope::Declared));
    let printed = oracle.torn_as_printed(Scope::Declared);
    let observed = oracle.torn_as_observed(Scope::Declared);
    let missed = |found: &BTreeSet<Subject>| {
        let all = expected.keys();
        all.filter(|subject| !found.contains(subject)).count() as u64
    };
    Missed {
        torn: expected.len() as u64,
        missed: missed(&printed),
        unseen: missed(&observed),
    }
}
