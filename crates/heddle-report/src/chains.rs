//! The words of spawn chains: how the tasks of a finding came to be, and where two of them parted.

use crate::model::{Certainty, Finding, Task};
use crate::text::grouped;

/// Steps of a spawn chain that text lists.
const STEPS_LISTED: usize = 4;

/// Waiting tasks of a deadlock that text lists.
pub const WAITS_LISTED: usize = 8;

/// How the tasks came to be, each once: of two tasks, each from where they part, and then how the task came to be
/// in which they do. Of a task that another's chain goes through, nothing more is said where it has no name.
pub fn told(finding: &Finding) -> impl Iterator<Item = String> {
    let is_told = |task: &Task| {
        let mut others = tasks(finding);
        task.two.is_some() && others.any(|other| leads_through(other, task))
    };
    let common = common_steps(finding);
    let untold = tasks(finding).filter(|task| !is_told(task));
    let mut chains: Vec<_> = numbers(finding).into_iter().collect();
    chains.extend(untold.filter_map(|task| chain(finding, task, common)));
    chains.extend(parting(finding, common));
    let mut told = std::collections::HashSet::new();
    chains.retain(|chain| told.insert(chain.clone()));
    chains.into_iter()
}

/// Whether a task's chain goes through another one: what leads to that one is the rest of the chain.
fn leads_through(task: &Task, other: &Task) -> bool {
    let below = depth(task).checked_sub(depth(other));
    let step = below.and_then(|below| task.spawned.get(below.checked_sub(1)?));
    step.is_some_and(|step| step.by_phrase == other.phrase)
}

/// How many tasks lead from the main task to this one.
fn depth(task: &Task) -> usize {
    task.spawned.len() + task.spawned_left_out as usize
}

/// `another task created at 4:5`, of one that is called like a task that was spoken of.
pub fn another(phrase: &str) -> String {
    let noun = phrase.strip_prefix("the ").or(phrase.strip_prefix("a "));
    noun.map_or_else(|| phrase.to_owned(), |noun| format!("another {noun}"))
}

/// Who made the step's task, told from the finding's own tasks.
fn by(finding: &Finding, task: &Task, step: usize) -> String {
    let phrase = &task.spawned[step].by_phrase;
    let is_called_so = |own: &Task| own.phrase == *phrase && depth(own) + step + 1 > depth(task);
    match task.two.is_some() && tasks(finding).any(is_called_so) {
        true => another(phrase),
        false => phrase.clone(),
    }
}

/// `they are the 3rd and the 8th of the 100 tasks created at 4:5`, of two that have one creator.
fn numbers(finding: &Finding) -> Option<String> {
    let [first, second] = &finding.accesses[..] else {
        return None;
    };
    let (first, second) = (&first.task, &second.task);
    let two = first.two.as_ref()?.strip_prefix("two ")?;
    let (one, other) = (first.number?, second.number?);
    let are_siblings = first.phrase == second.phrase && one.of == other.of && one != other;
    let (low, high) = (one.number.min(other.number), one.number.max(other.number));
    are_siblings.then(|| {
        let (low, high, of) = (ordinal(low), ordinal(high), grouped(one.of));
        format!("they are the {low} and the {high} of the {of} {two}")
    })
}

/// `1st`, `22nd`, `113th`.
fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{ending}", grouped(number))
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

/// `common ancestor: the single at 5:3, created in main by ...`.
fn parting(finding: &Finding, common: usize) -> Option<String> {
    let task = &finding.accesses.first()?.task;
    let own = task.spawned.len().checked_sub(common + 1);
    let phrase = match own {
        Some(step) => by(finding, task, step),
        None => task.phrase.clone(),
    };
    let steps = task.spawned.len() - common..task.spawned.len();
    let steps: Vec<_> = steps
        .take(STEPS_LISTED)
        .map(|step| created(finding, task, step))
        .collect();
    (!steps.is_empty()).then(|| format!("common ancestor: {phrase}, {}", steps.join(", ")))
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
fn chain(finding: &Finding, task: &Task, common: usize) -> Option<String> {
    let own = task.spawned.len().saturating_sub(common);
    let steps: Vec<_> = (0..own.min(STEPS_LISTED))
        .map(|step| created(finding, task, step))
        .collect();
    let more = match (own - steps.len()) as u64 + task.spawned_left_out {
        0 => String::new(),
        more => format!(", and {more} more up to main"),
    };
    (!steps.is_empty()).then(|| format!("{}: {}{more}", task.phrase, steps.join(", ")))
}

fn created(finding: &Finding, task: &Task, step: usize) -> String {
    let by = by(finding, task, step);
    let step = &task.spawned[step];
    match (&step.position, &step.function) {
        // The phrase of a native task says where it was created.
        _ if task.two.is_some() && step.function.is_none() => format!("created by {by}"),
        (_, Some(function)) => format!("created in {function} by {by}"),
        (Some(at), None) => format!("spawned at {at} by {by}"),
        (None, None) => format!("spawned by {by}"),
    }
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn ordinals_end_as_in_english() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1000];
        let told = numbers.map(ordinal).join(" ");
        assert_eq!(
            told,
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 1 000th"
        );
    }
}
