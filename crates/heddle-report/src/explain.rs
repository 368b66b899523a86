//! The words of a race: what happens, and why the two accesses are parallel. What to do about it is in [`crate::help`].

use std::sync::Arc;

use heddle_core::{Access, Certainty, TaskId, TaskKind, Why};

use crate::model::{self, Note, Stop};
use crate::native::Relation;
use crate::resolve::Resolver;
use crate::sort::in_source_order;
use crate::witness;

/// The race on `location` in one sentence.
pub fn message(location: &str, accesses: &[model::Access]) -> String {
    let [first, second] = accesses else {
        return location.into();
    };
    if let Some(both) = both(first, second) {
        return format!("{location} is {both} in parallel");
    }
    let (one, two) = (first.operation, second.operation);
    let again = match one == two {
        true => String::new(),
        false => format!("{} ", two.participle()),
    };
    format!(
        "{location} is {} by {} and {again}by {} in parallel",
        one.participle(),
        first.task.phrase,
        second.task.phrase,
    )
}

/// `read and written by two tasks created at 3:4`, if that is who they are.
pub fn both(first: &model::Access, second: &model::Access) -> Option<String> {
    let two = first.task.two.as_ref();
    let two = two.filter(|_| first.task.phrase == second.task.phrase)?;
    let (one, other) = (first.operation.participle(), second.operation.participle());
    Some(match one == other {
        true => format!("{one} by {two}"),
        false => format!("{one} and {other} by {two}"),
    })
}

/// Why the two accesses are parallel, and what to do next.
pub struct Explanation<'a> {
    pub(crate) resolver: &'a Resolver<'a>,
    pub(crate) certainty: Certainty,
    /// In source order.
    pub(crate) accesses: [&'a Access; 2],
    pub(crate) why: Why,
    /// Whether the access inside `why.spawned` came first in this run.
    pub(crate) inner_ran_first: bool,
    /// The access inside `why.spawned`.
    pub(crate) inner: &'a Access,
    /// The access beside it.
    pub(crate) outer: &'a Access,
    /// The child of the ancestor that makes the outer access, unless the ancestor does.
    pub(crate) sibling: Option<TaskId>,
    /// What the two have to do with each other in a native program.
    pub(crate) relation: Option<Relation>,
}

impl<'a> Explanation<'a> {
    /// The explanation of this race.
    pub fn new(
        resolver: &'a Resolver<'a>,
        certainty: Certainty,
        accesses: &'a [Access; 2],
        why: Why,
    ) -> Self {
        let [first, second] = accesses;
        let (inner, outer) = match why.side {
            0 => (first, second),
            _ => (second, first),
        };
        let sibling = child_towards(resolver, why.ancestor, outer.task);
        let task = |task| resolver.outcome().task(task);
        let relation = task(why.spawned).and_then(|spawned| {
            let tasks = [task(inner.task), task(outer.task)];
            Relation::new(spawned, tasks)
        });
        Self {
            resolver,
            certainty,
            accesses: in_source_order(resolver.legend(), accesses),
            why,
            inner_ran_first: why.side == 0,
            inner,
            outer,
            sibling,
            relation,
        }
    }

    /// The accesses, in source order.
    pub fn accesses(&self) -> [&'a Access; 2] {
        self.accesses
    }

    /// Why they are parallel: the spawn, what comes before its join, and what fails to order them.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = match self.relation {
            Some(relation) if relation.is_of_team() => self.team_notes(relation),
            Some(Relation::EventDriven) => vec![self.unordered_note()],
            Some(Relation::Task | Relation::Thread) if self.same_spawn() => self.twins_notes(),
            Some(Relation::Task) => vec![self.unawaited_note()],
            Some(Relation::Thread) => self.thread_notes(),
            _ => vec![self.spawn_note(), self.meanwhile_note()],
        };
        notes.extend(self.extra_edges_note());
        notes.extend(self.handoff_note());
        notes
    }

    /// Two schedules, one with each order.
    pub fn witness(&self) -> Arc<[Vec<Stop>]> {
        let schedules = witness::schedules(self.resolver, [self.inner, self.outer], self.why);
        let is_certain = self.certainty == Certainty::Certain;
        schedules.filter(|_| is_certain).unwrap_or_default().into()
    }

    fn spawn_note(&self) -> Note {
        let spawned = self.why.spawned;
        let site = self.resolver.outcome().task(spawned).map(|info| info.site);
        let (task, join) = (
            self.resolver.task_phrase(spawned),
            self.resolver.join(self.why.finish),
        );
        let spawn = site.map(|site| format!("is spawned {} and ", self.resolver.at(site)));
        if let Some(joined) = self.resolver.joined_at(spawned) {
            let joined = format!("joined {}", self.resolver.at(joined));
            return Note {
                text: format!("{task} {}{joined}", spawn.unwrap_or_default()),
                position: site.and_then(|site| self.resolver.position(site)),
            };
        }
        // A get or an await may still join it, later than the other access.
        let joined = match self.has_extra_edges() {
            true => format!("no finish joins it until {join}"),
            false => format!("nothing joins it until {join}"),
        };
        Note {
            text: format!("{task} {}{joined}", spawn.unwrap_or_default()),
            position: site.and_then(|site| self.resolver.position(site)),
        }
    }

    /// An explicit task, and what runs beside it. Said of what comes in between only: what waits for the task
    /// later does not matter.
    fn unawaited_note(&self) -> Note {
        let spawned = self.why.spawned;
        let task = self.resolver.task_phrase(spawned);
        let until = match self.sibling {
            None => self.describe(self.outer),
            Some(sibling) => format!("{} is created", self.resolver.task_phrase(sibling)),
        };
        let between = match self.inner.task == spawned {
            true => "no taskwait, taskgroup, depend clause or barrier in between".to_owned(),
            false => {
                format!("a taskwait there would wait for {task}, but not for tasks created in it")
            }
        };
        let site = self.resolver.outcome().task(spawned).map(|info| info.site);
        Note {
            text: format!(
                "nothing waits for {} before {until}: {between}",
                self.resolver.task_phrase(self.inner.task)
            ),
            position: site.and_then(|site| self.resolver.position(site)),
        }
    }

    /// A thread runs from its creation to its join, if that is known.
    fn thread_notes(&self) -> Vec<Note> {
        let spawned = self.why.spawned;
        let task = self.resolver.task_phrase(spawned);
        let Some(site) = self.resolver.joined_at(spawned) else {
            let until = match self.sibling {
                None => self.describe(self.outer),
                Some(sibling) => format!("{} starts", self.resolver.task_phrase(sibling)),
            };
            return vec![Note {
                text: format!("nothing waits for {task} before {until}"),
                position: self.resolver.position(self.outer.site),
            }];
        };
        let runs = Note {
            text: format!("{task} runs until it is joined {}", self.resolver.at(site)),
            position: self.resolver.position(site),
        };
        vec![runs, self.meanwhile_note()]
    }

    fn unordered_note(&self) -> Note {
        let text =
            "no chain of dependences, events or finish EDTs leads from one access to the other";
        Note {
            text: text.into(),
            position: None,
        }
    }

    fn meanwhile_note(&self) -> Note {
        let access = self.describe(self.outer);
        let sibling = self.sibling.and_then(|task| {
            let info = self.resolver.outcome().task(task)?;
            Some((self.resolver.task_phrase(task), info.site))
        });
        match sibling {
            None => Note {
                text: format!(
                    "{} makes {access} {}",
                    self.resolver.task_phrase(self.outer.task),
                    self.unordered()
                ),
                position: self.resolver.position(self.outer.site),
            },
            Some((task, site)) => Note {
                text: match self.relation {
                    Some(_) => format!("{task} starts {}", self.unordered()),
                    None => format!(
                        "{task} is spawned {} {}",
                        self.resolver.at(site),
                        self.unordered()
                    ),
                },
                position: self.resolver.position(site),
            },
        }
    }

    /// That the other side does not wait for the task. It need not come before the join where there is one: that may be made
    /// by a third task.
    fn unordered(&self) -> &'static str {
        match self.relation {
            Some(Relation::Thread) => "without waiting for that",
            None if self.resolver.joined_at(self.why.spawned).is_some() => {
                "without waiting for that"
            }
            _ => "before that",
        }
    }

    /// Both tasks come from one place in the text.
    fn twins_notes(&self) -> Vec<Note> {
        let info = self.resolver.outcome().task(self.why.spawned);
        let at = info.map_or(String::new(), |info| self.resolver.at(info.site));
        let joined = self.resolver.joined_at(self.why.spawned);
        let text = match (self.relation, joined) {
            (Some(Relation::Thread), Some(site)) => format!(
                "both threads are created {at} and run side by side until one is joined {}",
                self.resolver.at(site)
            ),
            (Some(Relation::Thread), None) => {
                format!("both threads are created {at} and neither waits for the other")
            }
            _ if !self.is_direct() => format!(
                "they are made in two tasks created {at}, with no taskgroup, depend clause or barrier \
                 in between (a taskwait does not wait for tasks of tasks)"
            ),
            _ => format!(
                "both tasks are created {at}, with no taskwait, taskgroup, depend clause or barrier \
                 in between"
            ),
        };
        vec![Note {
            text,
            position: info.and_then(|info| self.resolver.position(info.site)),
        }]
    }

    /// Whether the accesses are made by the branches' first tasks themselves.
    fn is_direct(&self) -> bool {
        self.inner.task == self.why.spawned && self.sibling == Some(self.outer.task)
    }

    /// Both accesses are made by one team, between the same two barriers.
    fn team_notes(&self, relation: Relation) -> Vec<Note> {
        let task = |task| self.resolver.outcome().task(task);
        let construct = match relation {
            Relation::Iterations | Relation::Sections => task(self.inner.task),
            _ => {
                let mut chain = self.resolver.ancestry(self.inner.task).filter_map(task);
                chain.find(|info| info.kind == TaskKind::Member)
            }
        };
        let at = construct.map_or(String::new(), |info| self.resolver.at(info.site));
        let text = match relation {
            Relation::Iterations => {
                format!("both are iterations of the loop {at}, which may run on different threads")
            }
            Relation::Sections => {
                format!(
                    "both are sections of the construct {at}, which may run on different threads"
                )
            }
            _ => format!("both are in the parallel region {at}, on different threads"),
        };
        let position = construct.and_then(|info| self.resolver.position(info.site));
        let mut notes = vec![Note { text, position }];
        if matches!(relation, Relation::Team | Relation::Single) {
            notes.push(Note {
                text: "no barrier separates them".into(),
                position: None,
            });
        }
        notes
    }

    /// Said only where the program has such edges at all.
    fn extra_edges_note(&self) -> Option<Note> {
        let edges = match self.relation {
            None => "no get, dependence, event or await orders the two",
            Some(Relation::Thread) => "no join, condition or atomic orders the two",
            Some(Relation::EventDriven) => "no event orders the two",
            Some(_) => "no depend clause, ordered region or atomic orders the two",
        };
        let is_joined = self.resolver.joined_at(self.why.spawned).is_some();
        (self.has_extra_edges() && !is_joined).then(|| Note {
            text: edges.into(),
            position: None,
        })
    }

    fn has_extra_edges(&self) -> bool {
        self.resolver.outcome().counts.extra_edges > 0
    }

    fn handoff_note(&self) -> Option<Note> {
        let hand_off = match (self.relation, self.resolver.outcome().locks.is_empty()) {
            (Some(_), _) => "a section of a lock or an atomic read what an earlier one wrote",
            (None, true) => "one isolated body read what an earlier one wrote",
            (None, false) => "one section of a lock read what an earlier one wrote",
        };
        (self.certainty == Certainty::Possible).then(|| Note {
            text: format!(
                "only a hand-off orders them in this run: {hand_off}; in the other order nothing \
                 does"
            ),
            position: None,
        })
    }

    /// Whether both tasks come from one spawn in the text, in a loop or a recursion.
    pub(crate) fn same_spawn(&self) -> bool {
        let site = |task| self.resolver.outcome().task(task).map(|info| info.site);
        self.sibling
            .is_some_and(|sibling| site(sibling) == site(self.why.spawned))
    }
}

/// The child of `ancestor` that is `task` or spawned it, directly or not.
fn child_towards(resolver: &Resolver, ancestor: TaskId, task: TaskId) -> Option<TaskId> {
    let parent = |task| resolver.outcome().task(task).map(|info| info.parent);
    resolver
        .ancestry(task)
        .take_while(|&step| step != ancestor)
        .find(|&step| parent(step) == Some(ancestor))
}
