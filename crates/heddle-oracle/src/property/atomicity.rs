//! What must hold of atomicity: every complete history gives the oracle's verdicts on every order, the
//! printed one never says more, and every triple that is reported tears.

use heddle_core::atomicity::{Atomicity, HistoryChoice, Scope};
use heddle_core::{Analyses, Features, Finding, OrderChoice, Outcome, check_with};

use super::{Holds, ORDERS, caught, may_refuse, survives_a_trace};
use crate::atoms::{Torn, TornVerdicts, torn_verdicts, verdicts_of};
use crate::oracle::Oracle;
use crate::rules::Rules;
use crate::stream::{Class, Recorded, Script, simulate};

/// How often the printed history misses what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Missed {
    /// Units that can be torn.
    pub torn: u64,
    /// Those of them that the printed history does not report.
    pub missed: u64,
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

/// The histories agree with the oracle, and a trace gives back what was written.
pub fn atomicity_holds_of_script(class: Class, script: &Script) -> Holds {
    let mut run = atomic_run(class, script);
    let holds = caught(|| {
        Rules::hold(&run.events, run.features)?;
        histories_agree_with_the_oracle(&mut run)?;
        survives_a_trace(&run)
    });
    holds.map_err(|wrong| format!("{wrong}\n\n{script}\n{run}"))
}

/// Every order that takes the run, every history and every scope agree with the oracle.
pub fn histories_agree_with_the_oracle(run: &mut Recorded) -> Holds {
    let oracle = Oracle::of(&run.events);
    for scope in [Scope::Declared, Scope::All] {
        let torn = oracle.torn(scope);
        let expected = verdicts_of(&torn);
        for order in ORDERS {
            for history in [
                HistoryChoice::Complete,
                HistoryChoice::Basic,
                HistoryChoice::Printed,
            ] {
                let atomicity = Atomicity { scope, history };
                if let Some(outcome) = outcome(run, order, atomicity)? {
                    agrees(&outcome, history, &expected)
                        .and_then(|()| triples_tear(&outcome, &torn))
                        .map_err(|wrong| format!("{order:?}, {atomicity:?}: {wrong}"))?;
                }
            }
        }
    }
    Ok(())
}

fn outcome(
    run: &mut Recorded,
    order: OrderChoice,
    atomicity: Atomicity,
) -> Result<Option<Outcome>, String> {
    match check_with(run, Analyses { order, atomicity }) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) if may_refuse(order, error, run.features, &run.events) => Ok(None),
        Err(error) => Err(format!("{order:?} refuses the run: {error:?}")),
    }
}

fn agrees(outcome: &Outcome, history: HistoryChoice, expected: &TornVerdicts) -> Holds {
    let found = torn_verdicts(outcome);
    let agrees = match history {
        HistoryChoice::Complete | HistoryChoice::Basic => found == *expected,
        HistoryChoice::Printed => found
            .iter()
            .all(|(subject, certainty)| expected.get(subject).is_some_and(|e| e >= certainty)),
    };
    match agrees {
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
    let found = outcome(&mut run, OrderChoice::Auto, Atomicity::default())?;
    let found = found.map(|outcome| torn_verdicts(&outcome));
    match found.as_ref() == Some(&expected) {
        true => Ok(expected.len() as u64),
        false => Err(format!(
            "finds {found:?}, the oracle {expected:?}\n\n{script}\n{run}"
        )),
    }
}

/// What the printed history misses in one run.
pub fn missed_by_the_printed(run: &mut Recorded) -> Result<Missed, String> {
    let expected = verdicts_of(&Oracle::of(&run.events).torn(Scope::Declared));
    let atomicity = Atomicity {
        history: HistoryChoice::Printed,
        ..Atomicity::default()
    };
    let printed = outcome(run, OrderChoice::Graph, atomicity)?;
    let found = printed.map(|printed| torn_verdicts(&printed));
    let found = found.unwrap_or_default();
    let missed = expected
        .keys()
        .filter(|subject| !found.contains_key(subject));
    Ok(Missed {
        torn: expected.len() as u64,
        missed: missed.count() as u64,
    })
}
