//! The words of a possible deadlock: tasks that each hold what the one before waits for.

use heddle_core::{Awaited, Link, SiteId};

use crate::finding::blank;
use crate::model::{Certainty, Finding, Hold, Kind, Note, Wait};
use crate::resolve::Resolver;

/// The finding in words.
pub fn finding(resolver: &Resolver, chain: &[Link]) -> Finding {
    let next = chain.iter().cycle().skip(1);
    let waits: Vec<Wait> = chain
        .iter()
        .zip(next)
        .map(|(link, next)| wait(resolver, link, next))
        .collect();
    Finding {
        certainty: Certainty::Possible,
        message: message(&waits),
        position: waits.first().and_then(|wait| wait.position.clone()),
        schedule: schedule(resolver, chain),
        help: Some(help(resolver, chain).into()),
        waits,
        ..blank(Kind::Deadlock)
    }
}

fn message(waits: &[Wait]) -> String {
    match waits {
        [one, other] => format!(
            "{} and {} can wait for each other forever",
            one.task.phrase, other.task.phrase
        ),
        _ => format!(
            "{} tasks can wait for each other in a circle forever",
            waits.len()
        ),
    }
}

fn wait(resolver: &Resolver, link: &Link, next: &Link) -> Wait {
    let holder = resolver.task_phrase(next.task);
    Wait {
        task: resolver.task(link.task),
        position: resolver.position(link.site),
        awaited: match link.awaited {
            Awaited::Lock(lock) => format!("{}, which {holder} holds", resolver.lock(lock)),
            other => resolver.awaited(other),
        },
        holds: link.holds.map(|(lock, site)| Hold {
            lock: resolver.lock(lock),
            position: resolver.position(site),
        }),
    }
}

/// Who takes what, and then waits for what.
fn schedule(resolver: &Resolver, chain: &[Link]) -> Vec<Note> {
    let taken = chain.iter().filter_map(|link| {
        let (lock, site) = link.holds?;
        let (who, lock) = (resolver.task_phrase(link.task), resolver.lock(lock));
        Some(step(resolver, format!("{who} takes {lock}"), site))
    });
    let waits = chain.iter().map(|link| {
        let who = resolver.task_phrase(link.task);
        let awaited = match link.awaited {
            Awaited::Lock(lock) => resolver.lock(lock),
            other => resolver.awaited(other),
        };
        step(resolver, format!("{who} waits for {awaited}"), link.site)
    });
    taken.chain(waits).collect()
}

fn step(resolver: &Resolver, what: String, site: SiteId) -> Note {
    Note {
        text: format!("{what} {}", resolver.at(site)),
        position: resolver.position(site),
    }
}

fn help(resolver: &Resolver, chain: &[Link]) -> String {
    let waits_for_tasks = chain
        .iter()
        .any(|link| !matches!(link.awaited, Awaited::Lock(_)));
    if waits_for_tasks {
        return "wait for no task while holding a lock that it may need".into();
    }
    let mut locks: Vec<String> = chain
        .iter()
        .filter_map(|link| Some(resolver.lock(link.holds?.0)))
        .collect();
    locks.sort();
    locks.dedup();
    format!(
        "take {} in the same sequence everywhere, or only while holding one lock more that all of them take first",
        joined(&locks)
    )
}

/// `A, B and C`.
fn joined(names: &[String]) -> String {
    match names {
        [] => "locks".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
