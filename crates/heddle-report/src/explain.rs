//! The words of a race: what happens, why the two accesses are parallel, what to do about it.

use heddle_core::{Access, AccessKind, Certainty, LockId, TaskId, TaskKind, Why};

use crate::model::{self, Note, Operation};
use crate::resolve::Resolver;
use crate::sort::in_source_order;

/// The race on `location` in one sentence.
pub fn message(location: &str, accesses: &[model::Access]) -> String {
    let [first, second] = accesses else {
        return location.into();
    };
    let (one, two) = (first.operation, second.operation);
    let again = match one == two {
        true => String::new(),
        false => format!("{} ", two.participle()),
    };
    format!(
        "{location} is {} by {} and {again}by {} in parallel",
        one.participle(),
        first.task.phrase(),
        second.task.phrase(),
    )
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
        Self {
            resolver,
            certainty,
            accesses: in_source_order(resolver.legend(), accesses),
            why,
            inner_ran_first: why.side == 0,
            inner,
            outer,
            sibling,
        }
    }

    /// The accesses, in source order.
    pub fn accesses(&self) -> [&'a Access; 2] {
        self.accesses
    }

    /// Why they are parallel: the spawn, what comes before its join, and what fails to order them.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = vec![self.spawn_note(), self.meanwhile_note()];
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
        let spawn = site.map(|site| format!("is spawned {} and ", self.resolver.at(site)));
        let (task, join) = (
            self.resolver.task_phrase(spawned),
            self.resolver.join(self.why.finish),
        );
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
                text: format!("{task} is spawned {} before that", self.resolver.at(site)),
                position: self.resolver.position(site),
            },
        }
    }

    /// Said only where the program has such edges at all.
    fn extra_edges_note(&self) -> Option<Note> {
        self.has_extra_edges().then(|| Note {
            text: "no get, dependence, event or await orders the two".into(),
            position: None,
        })
    }

    fn has_extra_edges(&self) -> bool {
        self.resolver.outcome().counts.extra_edges > 0
    }

    fn handoff_note(&self) -> Option<Note> {
        let section = match self.resolver.outcome().locks.is_empty() {
            true => "isolated body",
            false => "section of a lock",
        };
        (self.certainty == Certainty::Possible).then(|| Note {
            text: format!(
                "only a hand-off orders them in this run: one {section} read what an earlier \
                 one wrote; in the other order nothing does"
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
