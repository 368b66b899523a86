//! Two schedules of a race, one with each order of the accesses, as the strands they take.
//!
//! Both follow from where the two sides part: their last common task spawns one side and goes on to the other. What
//! else runs, and when, does not matter.

use heddle_core::{Access, SiteId, TaskId, Why};

use crate::chains::another;
use crate::model::Stop;
use crate::resolve::Resolver;

/// Tasks of one side that are listed at its start and at its end.
const LISTED: usize = 3;

/// The schedule with the access inside `why.spawned` first, and the one with the other first.
pub fn schedules(
    resolver: &Resolver,
    [inner, outer]: [&Access; 2],
    why: Why,
) -> Option<Vec<Vec<Stop>>> {
    let down = |access: &Access| -> Vec<TaskId> {
        let tasks = resolver.ancestry(access.task);
        let mut tasks: Vec<_> = tasks.take_while(|&task| task != why.ancestor).collect();
        tasks.reverse();
        tasks
    };
    let (inside, beside) = (down(inner), down(outer));
    let spawn = |task: &TaskId| resolver.outcome().task(*task).map(|info| info.site);
    let spawned = spawn(inside.first()?)?;
    let goes_on = match beside.first() {
        Some(task) => spawn(task)?,
        None => outer.site,
    };
    let inside = side(resolver, &inside, inner.site);
    let beside = side(resolver, &beside, outer.site);
    let beside = told_apart(&inside, &beside);
    let fork = |site| {
        let stop = stop(resolver, why.ancestor, site);
        let mut sides = inside.iter().chain(&beside);
        match sides.any(|other| other.phrase == stop.phrase) {
            true => Stop {
                phrase: another(&stop.phrase),
                ..stop
            },
            false => stop,
        }
    };
    let mut first = vec![fork(spawned)];
    first.extend(inside.clone());
    // Two tasks of one place are spawned one after the other.
    first.extend((spawned != goes_on).then(|| fork(goes_on)));
    first.extend(beside.clone());
    let mut second = vec![fork(goes_on)];
    second.extend(beside.clone());
    second.extend(inside.clone());
    Some(vec![first, second])
}

/// The tasks of one side: each runs to where it spawns the next, the last to its access.
fn side(resolver: &Resolver, tasks: &[TaskId], access: SiteId) -> Vec<Stop> {
    let site = |task: &TaskId| {
        resolver
            .outcome()
            .task(*task)
            .map_or(access, |info| info.site)
    };
    let ends = tasks.iter().skip(1).map(site).chain([access]);
    let mut stops: Vec<Stop> = tasks
        .iter()
        .zip(ends)
        .map(|(&task, end)| stop(resolver, task, end))
        .collect();
    if stops.len() > 2 * LISTED + 1 {
        let more = stops.len() - 2 * LISTED;
        let between = Stop {
            task: format!("{more} more"),
            phrase: format!("{more} more tasks"),
            position: None,
            place: String::new(),
        };
        stops.splice(LISTED..LISTED + more, [between]);
    }
    stops
}

/// Tasks that are called like one of the other side get another name. Only a single one is the other one.
fn told_apart(known: &[Stop], stops: &[Stop]) -> Vec<Stop> {
    let is_known = |stop: &&Stop| {
        let is_task = !stop.place.is_empty();
        is_task && known.iter().any(|other| other.phrase == stop.phrase)
    };
    let is_single = stops.iter().filter(is_known).count() == 1;
    let phrase = |stop: &Stop| match is_known(&stop) {
        true if is_single => "the other one".into(),
        true => another(&stop.phrase),
        false => stop.phrase.clone(),
    };
    let stops = stops.iter().map(|stop| Stop {
        phrase: phrase(stop),
        ..stop.clone()
    });
    stops.collect()
}

fn stop(resolver: &Resolver, task: TaskId, site: SiteId) -> Stop {
    let at = resolver.at(site);
    Stop {
        task: resolver.task_name(task),
        phrase: resolver.task_phrase(task),
        position: resolver.position(site),
        place: at.strip_prefix("at ").unwrap_or(&at).to_owned(),
    }
}
