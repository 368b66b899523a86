//! Which of the tasks each is that its creator made at one place.
//!
//! One pass over all tasks counts for those that a report mentions: what is remembered grows with
//! these, not with the run.

use heddle_core::{SiteId, TaskId, TaskInfo, TaskKind, roster::Participants};
use heddle_report::Numbered;
use std::collections::HashMap;

/// Tasks beyond which they are not counted.
const MOST: u32 = 1 << 20;

/// The numbers of the tasks that `ids` gives a new id, by that id. `all` are all tasks, from task 1 on.
pub fn numbers(
    ids: &HashMap<TaskId, TaskId>,
    participants: &dyn Participants,
    all: impl Iterator<Item = TaskInfo>,
) -> HashMap<TaskId, Numbered> {
    let place = |info: TaskInfo| (info.parent, info.site);
    let mentioned = ids.keys().filter_map(|&task| participants.task(task));
    let mentioned = mentioned.filter(|info| is_made(info.kind));
    let mut counts: HashMap<_, u64> = mentioned.map(|info| (place(info), 0)).collect();
    let mut met = Vec::new();
    for (task, info) in (1..).zip(all) {
        // Of tasks that were given back nothing is known: then nobody's number is.
        if info.site == SiteId::new(0) || task > MOST {
            return HashMap::new();
        }
        if let Some(count) = counts.get_mut(&place(info)) {
            *count += 1;
            let id = ids.get(&TaskId::new(task)).filter(|_| is_made(info.kind));
            met.extend(id.map(|&id| (id, place(info), *count)));
        }
    }
    let numbered = met.into_iter().map(|(id, place, number)| {
        let of = counts[&place];
        (id, Numbered { number, of })
    });
    numbered.filter(|(_, numbered)| numbered.of > 1).collect()
}

fn is_made(kind: TaskKind) -> bool {
    matches!(
        kind,
        TaskKind::Task | TaskKind::Thread | TaskKind::Future | TaskKind::EventDriven
    )
}
