//! Possible races that have one cause.
//!
//! A producer that fills in an item and puts it into a queue, and a consumer that takes it out and reads it, meet at every
//! member of the item; all that orders them is the one hand-off through the queue's lock. Whoever knows whether that is
//! enough knows it for all of them, so they are one finding: the first, with where the others are.

use std::collections::HashMap;

use serde::Serialize;

use crate::model::{Certainty, Finding, Kind};
use crate::position::Position;

/// Another pair of positions with the cause of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Also {
    /// The variable or element.
    pub location: Option<String>,
    /// Of the accesses.
    pub positions: Vec<Position>,
}

/// Who depends on the hand-off, if the finding does.
fn tasks(finding: &Finding) -> Option<[String; 2]> {
    let is_possible = finding.certainty == Certainty::Possible && finding.kind == Kind::Race;
    let [first, second] = &finding.accesses[..] else {
        return None;
    };
    let mut tasks = [first.task.phrase.clone(), second.task.phrase.clone()];
    tasks.sort();
    is_possible.then_some(tasks)
}

/// The findings, those with one cause as one.
pub fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let mut rows: HashMap<[String; 2], usize> = HashMap::new();
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        let tasks = tasks(&finding);
        let known = tasks.as_ref().and_then(|tasks| rows.get(tasks).copied());
        match known {
            Some(row) => joined[row].same_cause.push(also(&finding)),
            None => {
                rows.extend(tasks.map(|tasks| (tasks, joined.len())));
                joined.push(finding);
            }
        }
    }
    joined
}

fn also(finding: &Finding) -> Also {
    let positions = finding.accesses.iter();
    Also {
        location: finding.location.clone(),
        positions: positions
            .filter_map(|access| access.position.clone())
            .collect(),
    }
}

/// What a report says of the others, a line each.
pub fn told(finding: &Finding) -> Vec<String> {
    const LISTED: usize = 6;
    let count = finding.same_cause.len();
    if count == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "{count} more between the same tasks, which the same hand-offs order:"
    )];
    let listed = finding.same_cause.iter().take(LISTED);
    lines.extend(listed.map(|also| {
        let places = also.positions.iter();
        let places: Vec<_> = places
            .map(|at| format!("{}:{at}", at.file.path()))
            .collect();
        let location = also.location.as_deref().unwrap_or("a location");
        format!("  {location} ({})", places.join(", "))
    }));
    lines.extend((count > LISTED).then(|| format!("  and {} more", count - LISTED)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::blank;
    use crate::model::{Access, Operation, Task};
    use std::sync::Arc;

    fn race(location: &str, certainty: Certainty, tasks: [&str; 2]) -> Finding {
        let access = |phrase: &str| Access {
            operation: Operation::Write,
            frees: false,
            position: None,
            function: None,
            task: Arc::new(Task {
                id: 1,
                name: phrase.to_owned(),
                phrase: phrase.to_owned(),
                two: None,
                number: None,
                spawned: Vec::new(),
                spawned_left_out: 0,
            }),
            locks: Vec::new(),
            stack: Vec::new(),
        };
        Finding {
            certainty,
            location: Some(location.to_owned()),
            accesses: tasks.map(access).into(),
            ..blank(Kind::Race)
        }
    }

    #[test]
    fn possible_races_of_the_same_tasks_are_one_and_certain_ones_are_not() {
        use Certainty::{Certain, Possible};
        let found = vec![
            race("x", Possible, ["producer", "consumer"]),
            race("y", Possible, ["consumer", "producer"]),
            race("z", Possible, ["producer", "other"]),
            race("x", Certain, ["producer", "consumer"]),
            race("y", Certain, ["producer", "consumer"]),
        ];
        let found = joined(found);
        assert_eq!(found.len(), 4);
        let also: Vec<_> = found[0]
            .same_cause
            .iter()
            .map(|also| &also.location)
            .collect();
        assert_eq!(also, [&Some("y".to_owned())]);
        assert_eq!(
            told(&found[0]),
            [
                "1 more between the same tasks, which the same hand-offs order:",
                "  y ()"
            ]
        );
    }
}
