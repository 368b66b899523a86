//! The words of a race: what happens, why the two accesses are parallel, what to do about it.

use heddle_core::{Access, AccessKind, Certainty, LockId, TaskId, TaskKind, Why};

use crate::model::{self, Note, Operation};
use crate::native::Relation;
use crate::resolve::Resolver;
use crate::sort::in_source_order;

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

/// What the access does.
pub fn operation(access: &Access) -> Operation {
    match access.kind {
        AccessKind::Read => Operation::Read,
        AccessKind::Write => Operation::Write,
    }
}

/// Why the two accesses are parallel, and what to do next.
pub struct Explanation<'a> {
    resolver: &'a Resolver<'a>,
    certainty: Certainty,
    /// In source order.
    accesses: [&'a Access; 2],
    why: Why,
    /// Whether the access inside `why.spawned` came first in this run.
    inner_ran_first: bool,
    /// The access inside `why.spawned`.
    inner: &'a Access,
    /// The access beside it.
    outer: &'a Access,
    /// The child of the ancestor that makes the outer access, unless the ancestor does.
    sibling: Option<TaskId>,
    /// What the two have to do with each other in a native program.
    relation: Option<Relation>,
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
            _ => vec![self.spawn_note(), self.meanwhile_note()],
        };
        notes.extend(self.extra_edges_note());
        notes.extend(self.handoff_note());
        notes
    }

    /// What to do next.
    pub fn help(&self) -> String {
        if self.certainty == Certainty::Possible {
            return "only a run with these sections in the other order can tell whether it happens"
                .into();
        }
        match (self.inner.locks.as_slice(), self.outer.locks.as_slice()) {
            ([], []) => self.order_help(),
            ([], held) => self.take_too(self.inner, held),
            (held, []) => self.take_too(self.outer, held),
            _ => self.common_lock_help(),
        }
    }

    fn spawn_note(&self) -> Note {
        let spawned = self.why.spawned;
        let site = self.resolver.outcome().task(spawned).map(|info| info.site);
        let (task, join) = (
            self.resolver.task_phrase(spawned),
            self.resolver.join(self.why.finish),
        );
        if self.relation.is_some() {
            return Note {
                text: format!("nothing waits for {task} until {join}"),
                position: site.and_then(|site| self.resolver.position(site)),
            };
        }
        let spawn = site.map(|site| format!("is spawned {} and ", self.resolver.at(site)));
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
                    "{} makes {access} before that",
                    self.resolver.task_phrase(self.outer.task)
                ),
                position: self.resolver.position(self.outer.site),
            },
            Some((task, site)) => Note {
                text: match self.relation {
                    Some(_) => format!("{task} starts before that"),
                    None => format!("{task} is spawned {} before that", self.resolver.at(site)),
                },
                position: self.resolver.position(site),
            },
        }
    }

    /// Both tasks come from one place in the text.
    fn twins_notes(&self) -> Vec<Note> {
        let info = self.resolver.outcome().task(self.why.spawned);
        let join = self.resolver.join(self.why.finish);
        let (at, what) = match (info, self.relation) {
            (Some(info), Some(Relation::Thread)) => (self.resolver.at(info.site), "threads"),
            (Some(info), _) => (self.resolver.at(info.site), "tasks"),
            (None, _) => (String::new(), "tasks"),
        };
        vec![Note {
            text: format!("both {what} are created {at} and nothing waits for them until {join}"),
            position: info.and_then(|info| self.resolver.position(info.site)),
        }]
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
        self.has_extra_edges().then(|| Note {
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

    /// `the write at 3:4`.
    fn describe(&self, access: &Access) -> String {
        let noun = operation(access).noun();
        format!("the {noun} {}", self.resolver.at(access.site))
    }

    fn take_too(&self, access: &Access, held: &[LockId]) -> String {
        let access = self.describe(access);
        match held {
            [LockId::ISOLATED] => format!("put {access} in an isolated body too"),
            [lock] if self.resolver.lock(*lock) == "atomic" => format!("make {access} atomic too"),
            _ => format!("hold {} at {access} too", self.locks(held)),
        }
    }

    fn common_lock_help(&self) -> String {
        let [first, second] = self.accesses;
        format!(
            "hold the same lock at both: {} has {}, {} has {}",
            self.describe(first),
            self.locks(&first.locks),
            self.describe(second),
            self.locks(&second.locks),
        )
    }

    fn locks(&self, locks: &[LockId]) -> String {
        let names: Vec<_> = locks.iter().map(|&lock| self.resolver.lock(lock)).collect();
        names.join(" and ")
    }

    fn order_help(&self) -> String {
        if let Some(relation) = self.relation {
            return self.native_help(relation);
        }
        let join = match self.inner_ran_first {
            _ if self.same_spawn() => "give each of these tasks a location of its own".into(),
            true => self.join_help(),
            false => self.late_help(),
        };
        format!("{join}, or protect both accesses with one lock")
    }

    /// Whether both tasks come from one spawn in the text, in a loop or a recursion.
    fn same_spawn(&self) -> bool {
        let site = |task| self.resolver.outcome().task(task).map(|info| info.site);
        self.sibling
            .is_some_and(|sibling| site(sibling) == site(self.why.spawned))
    }

    /// The task spawned first did not come first: it had to wait, perhaps for the other one.
    fn late_help(&self) -> String {
        let spawned = self.why.spawned;
        match self.sibling_is_dependent() && self.is_dependent(spawned) {
            true => format!(
                "let {} start after {}",
                self.resolver.task_phrase(spawned),
                self.sibling_phrase()
            ),
            false => "let one of the two wait for the other".into(),
        }
    }

    fn native_help(&self, relation: Relation) -> String {
        let order = match relation {
            Relation::Iterations => "give each iteration data of its own or use a reduction".into(),
            Relation::Team if self.is_one_position() => {
                "make the variable private or a reduction".into()
            }
            Relation::Team => "put a barrier between the two, or make the variable private".into(),
            Relation::Sections => "put both in one section".into(),
            Relation::Single => "let a barrier follow the single (no nowait)".into(),
            Relation::Task | Relation::Thread if self.same_spawn() => self.twins_help(relation),
            Relation::Task => self.task_help(),
            Relation::EventDriven => {
                return "let one of the two depend on an event that the other satisfies after its access, such as its output \
                        event, or let both acquire the block with DB_MODE_EW"
                    .into();
            }
            Relation::Thread => format!(
                "join {} {}",
                self.resolver.task_phrase(self.why.spawned),
                self.before()
            ),
        };
        let protection = match relation {
            Relation::Thread => "one mutex or make them atomic",
            _ => "atomic or one critical",
        };
        format!("{order}, or protect both accesses with {protection}")
    }

    fn twins_help(&self, relation: Relation) -> String {
        match relation {
            Relation::Thread => "give each of these threads data of its own".into(),
            _ => "give each of these tasks data of its own or a depend clause".into(),
        }
    }

    /// A taskwait waits for children only, not for theirs.
    fn task_help(&self) -> String {
        let task = self.resolver.task_phrase(self.why.spawned);
        let before = self.before();
        let wait = match self.inner.task == self.why.spawned {
            true => format!("add a taskwait {before}"),
            false => format!("put {task} in a taskgroup that ends {before}"),
        };
        let sibling = self
            .sibling
            .and_then(|task| self.resolver.outcome().task(task));
        match sibling.is_some_and(|info| info.kind == TaskKind::Task) {
            true => format!("{wait} or depend clauses to both tasks"),
            false => wait,
        }
    }

    fn is_one_position(&self) -> bool {
        let [first, second] = self
            .accesses
            .map(|access| self.resolver.legend().site(access.site));
        first.map(|site| (site.file, site.line)) == second.map(|site| (site.file, site.line))
    }

    fn join_help(&self) -> String {
        let (task, before) = (self.resolver.task_phrase(self.why.spawned), self.before());
        let kind = self
            .resolver
            .outcome()
            .task(self.why.spawned)
            .map(|info| info.kind);
        // A get, a dependence or an await waits for the task alone, not for what it spawned.
        let alone = self.inner.task == self.why.spawned;
        match kind {
            Some(TaskKind::Spawn) => format!("sync {before}"),
            Some(TaskKind::Future) if alone => format!("get the value of {task} {before}"),
            Some(TaskKind::Post) if alone => format!("await the region of {task} {before}"),
            Some(TaskKind::Dependent) if alone && self.sibling_is_dependent() => {
                format!("let {} start after {task}", self.sibling_phrase())
            }
            _ => format!("wrap the spawn of {task} in a finish that ends {before}"),
        }
    }

    /// The point until which the spawned task would have to be joined.
    fn before(&self) -> String {
        let site = self
            .sibling
            .and_then(|task| self.resolver.outcome().task(task))
            .map(|info| info.site);
        match site {
            None => format!("before {}", self.describe(self.outer)),
            Some(_) if self.relation.is_some() => format!("before {}", self.sibling_phrase()),
            Some(site) => format!(
                "before {} is spawned {}",
                self.sibling_phrase(),
                self.resolver.at(site)
            ),
        }
    }

    fn sibling_is_dependent(&self) -> bool {
        self.sibling.is_some_and(|task| self.is_dependent(task))
    }

    fn is_dependent(&self, task: TaskId) -> bool {
        let info = self.resolver.outcome().task(task);
        info.is_some_and(|info| info.kind == TaskKind::Dependent)
    }

    fn sibling_phrase(&self) -> String {
        self.sibling
            .map(|task| self.resolver.task_phrase(task))
            .unwrap_or_default()
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
