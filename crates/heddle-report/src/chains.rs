//! The words of spawn chains: how the tasks of a finding came to be, and where two of them parted.

use crate::model::{Certainty, Finding, Spawned, Task};

/// Steps of a spawn chain that text lists.
const STEPS_LISTED: usize = 4;

/// Waiting tasks of a deadlock that text lists.
pub const WAITS_LISTED: usize = 8;

/// How the tasks came to be, each once: of two tasks, each from where they part, and then how the task came to be
/// in which they do. Of a task that another's chain goes through, nothing more is said where it has no name.
pub fn told(finding: &Finding) -> impl Iterator<Item = String> {
    let is_told = |task: &Task| {
        let mut others = tasks(finding).flat_map(|other| &other.spawned);
        task.two.is_some() && others.any(|step| step.by_phrase == task.phrase)
    };
    let common = common_steps(finding);
    let untold = tasks(finding).filter(|task| !is_told(task));
    let mut chains: Vec<_> = untold.filter_map(|task| chain(task, common)).collect();
    chains.extend(parting(finding, common));
    let mut told = std::collections::HashSet::new();
    chains.retain(|chain| told.insert(chain.clone()));
    chains.into_iter()
}

/// How many of the last steps the chains of a race's two tasks share, as far as all steps are listed.
fn common_steps(finding: &Finding) -> usize {
    let tasks = || finding.accesses.iter().map(|access| &access.task);
    let is_whole = tasks().all(|task| task.spawned_left_out == 0);
    let most = tasks().map(|task| task.spawned.len()).min().unwrap_or(0);
    if is_whole {
        finding.common_steps.min(most)
    } else {
        0
    }
}

/// `they part in the single at 5:3: created in main by ...`.
fn parting(finding: &Finding, common: usize) -> Option<String> {
    let task = &finding.accesses.first()?.task;
    let steps = &task.spawned[task.spawned.len() - common..];
    let own = task.spawned.len().checked_sub(common + 1);
    let phrase = match own {
        Some(step) => &task.spawned[step].by_phrase,
        None => &task.phrase,
    };
    let steps: Vec<_> = steps
        .iter()
        .take(STEPS_LISTED)
        .map(|step| created(task, step))
        .collect();
    (!steps.is_empty()).then(|| format!("they part in {phrase}: {}", steps.join(", ")))
}

fn tasks(finding: &Finding) -> impl Iterator<Item = &Task> {
    let accesses = finding.accesses.iter().map(|access| &*access.task);
    // How they came to be matters where they only might meet.
    let is_possible = finding.certainty == Certainty::Possible;
    let waits = finding.waits.iter().filter(move |_| is_possible);
    let waits = waits.take(WAITS_LISTED).map(|wait| &*wait.task);
    accesses
        .chain(waits)
        .chain(finding.task.iter().map(|task| &**task))
}

/// `task T4: spawned at 5:14 by task T3, spawned at 5:3 by main`, without the last `common` steps.
fn chain(task: &Task, common: usize) -> Option<String> {
    let own = &task.spawned[..task.spawned.len().saturating_sub(common)];
    let steps: Vec<_> = own
        .iter()
        .take(STEPS_LISTED)
        .map(|step| created(task, step))
        .collect();
    let more = match (own.len() - steps.len()) as u64 + task.spawned_left_out {
        0 => String::new(),
        more => format!(", and {more} more up to main"),
    };
    (!steps.is_empty()).then(|| format!("{}: {}{more}", task.phrase, steps.join(", ")))
}

fn created(task: &Task, step: &Spawned) -> String {
    match (&step.position, &step.function) {
        // The phrase of a native task says where it was created.
        _ if task.two.is_some() && step.function.is_none() => {
            format!("created by {}", step.by_phrase)
        }
        (_, Some(function)) => format!("created in {function} by {}", step.by_phrase),
        (Some(at), None) => format!("spawned at {at} by {}", step.by_phrase),
        (None, None) => format!("spawned by {}", step.by_phrase),
    }
}
