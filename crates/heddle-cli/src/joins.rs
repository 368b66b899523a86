//! Where the tasks that races are about were joined by a `get`, an `await` or the like.

use std::collections::{HashMap, HashSet};

use heddle_core::{Event, Finding, Listener, Outcome, Run, SiteId, TaskId};

/// The first join of each task that runs beside the other side of a race. Makes another run if there are such
/// tasks and the program may join them.
pub fn of_races<R: Run>(run: &mut R, outcome: &Outcome) -> HashMap<TaskId, SiteId> {
    let beside = outcome.findings.iter().filter_map(|finding| match finding {
        Finding::Race { why, .. } => Some(why.spawned),
        _ => None,
    });
    let mut joins = Joins {
        asked: beside.collect(),
        found: HashMap::new(),
    };
    if run.features().extra_edges && !joins.asked.is_empty() {
        run.run(&mut joins);
    }
    joins.found
}

struct Joins {
    asked: HashSet<TaskId>,
    found: HashMap<TaskId, SiteId>,
}

impl Listener for Joins {
    fn on(&mut self, event: Event) {
        if let Event::Join { task, site } = event
            && self.asked.contains(&task)
        {
            self.found.entry(task).or_insert(site);
        }
    }
}
