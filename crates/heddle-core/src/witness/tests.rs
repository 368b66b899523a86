//! Tests of what can be settled with bounded effort.

use super::*;
use crate::event::TaskKind;
use crate::finding::{Place, Why};

const WHERE: Location = Location(5);

/// Three tasks that write one location, each at a place of its own.
fn run() -> Vec<Event> {
    let task = |number| {
        let (task, site) = (TaskId::new(number), SiteId::new(number));
        let extent = Extent::one(WHERE);
        let spawn = Event::Spawn {
            task,
            finish: FinishId::MAIN,
            kind: TaskKind::Async,
            site: SiteId::new(0),
            name: None,
        };
        [
            spawn,
            Event::Begin { task },
            Event::Write { extent, site },
            Event::End { task },
            Event::Resume { task: TaskId::MAIN },
        ]
    };
    (1..=3).flat_map(task).collect()
}

fn race(between: [u32; 2]) -> Finding {
    let access = |number| Access {
        kind: AccessKind::Write,
        site: SiteId::new(number),
        task: TaskId::new(number),
        locks: Vec::new(),
    };
    Finding::Race {
        certainty: Certainty::Possible,
        place: Place {
            name: None,
            index: None,
            location: WHERE.0,
        },
        accesses: between.map(access),
        why: Why {
            ancestor: TaskId::MAIN,
            spawned: TaskId::new(between[0]),
            finish: FinishId::MAIN,
            side: 0,
        },
        count: 1,
    }
}

/// How many of the three races are certain when so many events may be looked at.
fn certain_within(effort: u64) -> usize {
    let mut findings = [race([1, 2]), race([1, 3]), race([2, 3])];
    settle_within(effort, &run(), &mut findings);
    let is_certain = |finding: &&Finding| {
        let certainty = Certainty::Certain;
        matches!(finding, Finding::Race { certainty: c, .. } if *c == certainty)
    };
    findings.iter().filter(is_certain).count()
}

#[test]
fn findings_past_the_effort_stay_as_they_were() {
    assert_eq!(certain_within(EFFORT), 3);
    assert_eq!(certain_within(1), 1);
    assert_eq!(certain_within(0), 0);
}
