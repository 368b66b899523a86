//! Checking transactions: of a program, which can be run again under the schedule of a finding, and of a
//! recorded run, which cannot.

use std::sync::Arc;
use std::time::Instant;

use heddle_answers::Answers;
use heddle_core::{Legend, LockId, Outcome, Run, SiteId};
use heddle_lang::machine::Plan;
use heddle_report::{Position, Problem, Source, Stats};
use heddle_transactions::{EndedBy, Options, Rejected, Witness};

use crate::order;
use crate::program::Live;

type Found = Result<(Outcome, Stats), Vec<Problem>>;

/// Checks a program; every confirmed finding is run again under its schedule.
pub fn program(
    mut options: Options,
    name: &str,
    legend: &Legend,
    live: &mut Live<'_>,
    answers: &mut Answers,
) -> Found {
    let start = Instant::now();
    let merged = answers.merged_cuts(live);
    live.leave_out_cuts(&merged);
    options.harmless = answers.harmless_pairs();
    let mut checked = heddle_transactions::check(live, &options)
        .map_err(|rejected| vec![problem(name, legend, rejected)])?;
    heddle_transactions::settle(&mut checked, |witness, log| {
        live.run_planned(&plan(witness), log)
    });
    answers.leave_out_harmless(&mut checked.outcome);
    Ok(with_stats(checked.outcome, start))
}

/// Checks a recorded run.
pub fn recorded<R: Run>(
    options: Options,
    name: &str,
    legend: &Legend,
    run: &mut R,
    answers: &mut Answers,
) -> Found {
    let start = Instant::now();
    let checked = heddle_answers::check_recorded(options, run, answers)
        .map_err(|rejected| vec![problem(name, legend, rejected)])?;
    Ok(with_stats(checked.outcome, start))
}

fn with_stats(outcome: Outcome, start: Instant) -> (Outcome, Stats) {
    let used = order::used(&outcome.orders);
    let mut stats = Stats::new(used, &outcome.counts, start.elapsed());
    stats.transactions = outcome.transactions.map(Into::into);
    (outcome, stats)
}

fn plan(witness: &Witness) -> Plan {
    Plan {
        tasks: witness
            .tasks
            .iter()
            .map(|(&key, &task)| (key, task))
            .collect(),
        turns: witness.turns.clone(),
    }
}

/// Why a run cannot be checked: a transaction would end in a critical section.
pub fn problem(name: &str, legend: &Legend, rejected: Rejected) -> Problem {
    let position = |site: SiteId| {
        let site = legend.site(site)?;
        let file = legend.file(site.file)?;
        Some(Position::new(Arc::new(Source::new(file)), site))
    };
    let acquired = position(rejected.acquired);
    let (what, help) = match rejected.by {
        EndedBy::Cut => (
            "a cut",
            "cut before the lock is taken or after it is given back",
        ),
        EndedBy::TaskOperation => (
            "a task operation, which ends the transaction,",
            "give the lock back before the task operation and take it again after it",
        ),
    };
    let section = match (rejected.lock == LockId::ISOLATED, acquired) {
        (true, Some(at)) => format!("inside isolated, entered at {at}"),
        (true, None) => "inside isolated".into(),
        (false, Some(at)) => format!("while a lock is held since {at}"),
        (false, None) => "while a lock is held".into(),
    };
    Problem {
        message: format!("{name}: {what} {section}"),
        position: position(rejected.end),
        label: Some("a transaction cannot end here".into()),
        notes: Vec::new(),
        help: Some(help.into()),
    }
}
