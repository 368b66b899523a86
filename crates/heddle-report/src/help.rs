//! What to do about a race: one suggestion that fits the construct, printed only if it cures the race in the
//! engine's model of it ([`crate::remedy`]).

use heddle_core::{Access, AccessKind, Certainty, LockId, TaskId, TaskKind};

use crate::explain::Explanation;
use crate::locks::is_nameless;
use crate::native::Relation;
use crate::remedy::{Model, Remedy};
use crate::update::{Update, behind_statement, extreme, is_ordered_by, is_used_behind};

/// A suggestion in words, and what it changes.
type Suggestion = (String, Remedy);

impl Explanation<'_> {
    /// What to do next: the first suggestion that cures the race.
    pub fn help(&self) -> Option<String> {
        if self.certainty == Certainty::Possible {
            let help =
                "only a run with these sections in the other order can tell whether it happens";
            return Some(help.into());
        }
        let model = self.model();
        let mut cures = self.suggestions().into_iter();
        cures
            .find(|(_, remedy)| model.is_cured_by(*remedy))
            .map(|(text, _)| text)
    }

    fn model(&self) -> Model {
        let down = |access: &Access| {
            let tasks = self.resolver.ancestry(access.task);
            tasks.take_while(|&task| task != self.why.ancestor).count()
        };
        Model {
            inner_tasks: down(self.inner).max(1),
            outer_tasks: down(self.outer),
            kinds: [self.inner.kind, self.outer.kind],
        }
    }

    fn suggestions(&self) -> Vec<Suggestion> {
        let protection = match (self.inner.locks.as_slice(), self.outer.locks.as_slice()) {
            ([], []) => {
                let mut fitting = self.fitting();
                fitting.push((self.protection(), Remedy::Lock));
                return fitting;
            }
            ([], held) => self.take_too(self.inner, held),
            (held, []) => self.take_too(self.outer, held),
            _ => self.common_lock_help(),
        };
        vec![(protection, Remedy::Lock)]
    }

    /// What the construct offers, the best first.
    fn fitting(&self) -> Vec<Suggestion> {
        match self.relation {
            None => vec![self.task_language_help()],
            Some(Relation::Iterations) => self.loop_help().into_iter().collect(),
            Some(Relation::Team) if self.is_one_line() || self.loop_at().is_some() => {
                self.loop_help().into_iter().collect()
            }
            Some(Relation::Team) => {
                vec![self.barrier_help()]
            }
            Some(Relation::Sections) => {
                vec![(
                    "put both accesses in one section".into(),
                    Remedy::WaitForAll,
                )]
            }
            Some(Relation::Single) => {
                let help = "let a barrier follow the single (no nowait)";
                vec![(help.into(), Remedy::WaitForAll)]
            }
            Some(Relation::Task) => self.task_help(),
            Some(Relation::Thread) => self.thread_help().into_iter().collect(),
            Some(Relation::EventDriven) => {
                let help = "let one of the two depend on an event that the other satisfies after its access, \
                            such as its output event, or let both acquire the block with DB_MODE_EW";
                vec![(help.into(), Remedy::Dependence)]
            }
        }
    }

    fn protection(&self) -> String {
        match self.relation {
            None => "protect both accesses with one lock",
            Some(Relation::Thread) => "hold one mutex at both accesses",
            Some(_) => "put both accesses under `#pragma omp critical`",
        }
        .into()
    }

    fn take_too(&self, access: &Access, held: &[LockId]) -> String {
        let access = self.describe(access);
        match held {
            [LockId::ISOLATED] => format!("put {access} in an isolated body too"),
            [lock] if self.resolver.lock(*lock) == "atomic" => format!("make {access} atomic too"),
            [lock] if is_nameless(&self.resolver.lock(*lock)) => {
                format!("hold the same {} at {access} too", self.locks(held))
            }
            _ => format!("hold {} at {access} too", self.locks(held)),
        }
    }

    fn common_lock_help(&self) -> String {
        let [first, second] = self.accesses;
        // A lock that both hold excludes neither: it is a read-write lock, held for reading.
        if let Some(&shared) = first.locks.iter().find(|lock| second.locks.contains(lock)) {
            return self.exclusive_help(shared);
        }
        format!(
            "hold the same lock at both: {} has {}, {} has {}",
            self.describe(first),
            self.locks(&first.locks),
            self.describe(second),
            self.locks(&second.locks),
        )
    }

    fn exclusive_help(&self, shared: LockId) -> String {
        let name = self.resolver.lock(shared);
        let mut writes = self.accesses.map(|access| self.describe(access)).to_vec();
        if let Some(read) = self
            .accesses
            .iter()
            .position(|access| access.kind == AccessKind::Read)
        {
            writes.remove(read);
        }
        writes.dedup();
        let writes = writes.join(" and ");
        format!("take {name} for writing at {writes}: for reading, several tasks may hold it")
    }

    fn locks(&self, locks: &[LockId]) -> String {
        let names: Vec<_> = locks.iter().map(|&lock| self.resolver.lock(lock)).collect();
        names.join(" and ")
    }

    /// A reduction, if what the iterations of a loop do is to look for the largest or smallest value.
    fn extreme_help(&self) -> Option<Suggestion> {
        let write = self
            .accesses
            .iter()
            .find(|access| access.kind == AccessKind::Write)?;
        let variable = self.update(write).filter(Update::is_variable)?.variable;
        let loop_at = self.loop_at().filter(|_| self.are_in_construct())?;
        let [first, last] = {
            let mut lines = [0, 0];
            for (line, access) in lines.iter_mut().zip(self.accesses) {
                *line = self.resolver.position(access.site)?.line;
            }
            lines.sort_unstable();
            lines
        };
        let file = self.resolver.position(write.site)?.file;
        // The statement starts where the first access is, and ends at the last or at the brace behind it.
        let lines = |end: u32| {
            let lines = (first..=end).map_while(|line| file.line(line));
            lines.collect::<Vec<_>>().join("\n")
        };
        let starts = [lines(last), lines(last + 1)];
        let operator = starts.iter().find_map(|text| extreme(text, &variable))?;
        let help = format!("add reduction({operator}: {variable}) to the loop {loop_at}");
        Some((help, Remedy::Separate))
    }

    /// A barrier between what a team does, which may be that of a construct that says not to wait.
    fn barrier_help(&self) -> Suggestion {
        let [first, second] = self.accesses.map(|access| self.describe(access));
        let barrier = format!("put a barrier between {first} and {second}");
        let help = match self.without_barrier() {
            Some(at) => format!("take nowait away at line {at}, or {barrier}"),
            None => barrier,
        };
        (help, Remedy::WaitForAll)
    }

    /// The line of the construct with `nowait` around the first access, if the other one stands behind it.
    fn without_barrier(&self) -> Option<u32> {
        let [first, second] = self
            .accesses
            .map(|access| self.resolver.position(access.site));
        let (first, second) = (first?, second?);
        let words = |line: u32| first.file.line(line).unwrap_or_default().trim_start();
        let directive = (1..first.line)
            .rev()
            .find(|&line| words(line).starts_with("#pragma omp"))?;
        let is_nowait = words(directive)
            .split_whitespace()
            .any(|word| word == "nowait");
        if !is_nowait || first.file.path() != second.file.path() {
            return None;
        }
        let between = (directive + 1..second.line).map_while(|line| first.file.line(line));
        let behind = behind_statement(&between.collect::<Vec<_>>().join("\n"))
            .lines()
            .count();
        let ends = second.line.checked_sub(behind.try_into().ok()?)?;
        (behind > 0 && ends >= first.line).then_some(directive)
    }

    /// Iterations of one loop, or threads of one team at one line.
    fn loop_help(&self) -> Option<Suggestion> {
        self.extreme_help().or_else(|| self.shared_help())
    }

    fn shared_help(&self) -> Option<Suggestion> {
        let updates = self.accesses.map(|access| self.update(access));
        let [Some(first), Some(second)] = updates else {
            return None;
        };
        let loop_at = self.loop_at();
        let is_loop = loop_at.is_some();
        let construct = match loop_at {
            Some(at) => format!("the loop {at}"),
            None => "the construct".into(),
        };
        let variable = &first.variable;
        let is_update = first.operator.is_some() && second.operator.is_some();
        // A clause is for a variable that the construct itself names: not for a member, and not for what a
        // function that is called there does.
        let takes_clause = first.is_variable() && second.is_variable() && self.are_in_construct();
        match (is_update, first.is_element || second.is_element) {
            (true, false) if takes_clause => {
                let operator = first.operator.unwrap_or("+");
                let help = format!("add reduction({operator}: {variable}) to {construct}");
                Some((help, Remedy::Separate))
            }
            (true, _) if first.text == second.text => Some((self.atomic_help(), Remedy::Lock)),
            (_, true) if first.text == second.text => None,
            // A copy of its own would be lost where the value is used after the loop.
            (false, false) if self.is_used_behind_loop(variable) => None,
            (false, false) if takes_clause && self.accesses[0].kind == AccessKind::Write => {
                let what = match is_loop {
                    true => "declare it in the loop's body",
                    false => "declare it inside of the region",
                };
                Some((
                    format!("give each its own {variable}: {what}, or make it private"),
                    Remedy::Separate,
                ))
            }
            // What one iteration reads, another one wrote: no copy of its own helps.
            (_, is_element) if is_loop || is_element => Some((
                "one iteration uses what another one writes: run this loop serially, or keep that order \
                 with ordered and depend(sink: ...)"
                    .into(),
                Remedy::Dependence,
            )),
            _ => None,
        }
    }

    fn atomic_help(&self) -> String {
        let [first, second] = self.accesses.map(|access| self.resolver.at(access.site));
        match self.is_one_line() {
            // What is updated stands before the operator.
            true => format!("put `#pragma omp atomic` before the update {second}"),
            false => format!("put `#pragma omp atomic` before the updates {first} and {second}"),
        }
    }

    fn task_help(&self) -> Vec<Suggestion> {
        let is_update = |access| {
            let update = self.update(access);
            update.is_some_and(|one| one.operator.is_some())
        };
        if self.accesses.into_iter().all(is_update) {
            return vec![(self.atomic_help(), Remedy::Lock)];
        }
        if self.same_spawn() {
            let clause = self.same_text().filter(|_| self.takes_depend());
            let help = clause.map(|text| {
                let help =
                    format!("give these tasks depend(inout: {text}), so that they run in turn");
                (help, Remedy::Dependence)
            });
            return help.into_iter().collect();
        }
        if self.is_recursive() {
            return Vec::new();
        }
        let task = self.resolver.task_phrase(self.why.spawned);
        let before = self.before();
        let mut help = vec![
            (format!("add `#pragma omp taskwait` {before}"), Remedy::Wait),
            (
                format!("put {task} in a taskgroup that ends {before}"),
                Remedy::WaitForAll,
            ),
        ];
        let sibling = self.sibling.filter(|&sibling| self.is_task(sibling));
        let is_direct = self.inner.task == self.why.spawned && sibling == Some(self.outer.task);
        if let (Some(sibling), Some(name), true) = (sibling, self.variable(), is_direct) {
            let clause = |kind| match kind {
                AccessKind::Read => "in",
                AccessKind::Write => "inout",
            };
            let tasks = [
                (self.inner, task),
                (self.outer, self.resolver.task_phrase(sibling)),
            ];
            let lacking = tasks
                .iter()
                .filter(|(access, _)| !self.has_clause(access, &name));
            let clauses = lacking
                .map(|(access, task)| format!("{task} depend({}: {name})", clause(access.kind)));
            let clauses: Vec<String> = clauses.collect();
            if !clauses.is_empty() {
                let text = format!("give {}", clauses.join(" and "));
                help.insert(0, (text, Remedy::Dependence));
            }
        }
        help
    }

    /// Whether a task makes its access in a call of the function that created it, which makes the other access, too,
    /// and both write what is accessed alike.
    ///
    /// Then all tasks that the recursion creates access it. To wait for one of them orders it before its creator,
    /// but not before its siblings. Where the two are written differently (`*out` and `x`, `n->sum` and `n->left->sum`),
    /// the creator looks at what it gave that task, and its siblings were given something else.
    fn is_recursive(&self) -> bool {
        let texts = self.accesses.map(|access| {
            let text = self.update(access)?.text;
            // An operator may stand before it.
            text.split_whitespace().next_back().map(str::to_owned)
        });
        if matches!(&texts, [Some(first), Some(second)] if first != second) {
            return false;
        }
        let stack = self.resolver.stack(self.inner.site);
        let function = self.resolver.function(self.outer.site);
        let mut innermost = stack.iter().take(2);
        stack.len() > 1 && innermost.all(|frame| Some(frame.function.as_str()) == function)
    }

    fn thread_help(&self) -> Option<Suggestion> {
        if self.sibling.is_some() {
            return None;
        }
        let spawned = self.why.spawned;
        let access = self.describe(self.outer);
        let help = match self.resolver.joined_at(spawned) {
            Some(site) => format!("move the join {} before {access}", self.resolver.at(site)),
            None => format!(
                "join {} before {access}",
                self.resolver.task_phrase(spawned)
            ),
        };
        Some((help, Remedy::Wait))
    }

    fn task_language_help(&self) -> Suggestion {
        match self.inner_ran_first {
            // Each reads what it then writes: the tasks share the location on purpose.
            _ if self.same_spawn() && self.is_update_in_place() => {
                (self.protection(), Remedy::Lock)
            }
            _ if self.same_spawn() => (
                "give each of these tasks a location of its own".into(),
                Remedy::Separate,
            ),
            true => self.join_help(),
            false => (self.late_help(), Remedy::Dependence),
        }
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

    fn join_help(&self) -> Suggestion {
        let (task, before) = (self.resolver.task_phrase(self.why.spawned), self.before());
        let info = self.resolver.outcome().task(self.why.spawned);
        // A get, a dependence or an await waits for the task alone, not for what it spawned.
        let alone = self.inner.task == self.why.spawned;
        match info.map(|info| info.kind) {
            // A procedure syncs before it returns.
            Some(TaskKind::Spawn) => (format!("sync {before}"), Remedy::WaitForAll),
            Some(TaskKind::Future) if alone => {
                (format!("get the value of {task} {before}"), Remedy::Wait)
            }
            Some(TaskKind::Post) if alone => {
                (format!("await the region of {task} {before}"), Remedy::Wait)
            }
            Some(TaskKind::Dependent) if alone && self.sibling_is_dependent() => (
                format!("let {} start after {task}", self.sibling_phrase()),
                Remedy::Dependence,
            ),
            _ => (
                format!("wrap the spawn of {task} in a finish that ends {before}"),
                Remedy::WaitForAll,
            ),
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

    /// How the source writes the access.
    fn update(&self, access: &Access) -> Option<Update> {
        let at = self.resolver.position(access.site)?;
        Update::read(at.file.line(at.line)?, at.column)
    }

    /// The variable both accesses name, if the constructs that make the tasks can name it, too.
    fn variable(&self) -> Option<String> {
        let [first, second] = self.accesses.map(|access| self.update(access));
        let (first, second) = (first?, second?);
        let is_one = first.is_variable() && first.text == second.text;
        (is_one && self.are_in_construct()).then_some(first.variable)
    }

    /// The expression that both accesses are written as.
    fn same_text(&self) -> Option<String> {
        let [first, second] = self.accesses.map(|access| self.update(access));
        let (first, second) = (first?, second?);
        (first.text == second.text).then_some(first.text)
    }

    /// Whether the construct that made the task of an access says already that it depends on the variable.
    fn has_clause(&self, access: &Access, variable: &str) -> bool {
        let info = self.resolver.outcome().task(access.task);
        let at = info.and_then(|info| self.resolver.position(info.site));
        let directive = at.as_ref().and_then(|at| at.file.line(at.line));
        let writes = access.kind == AccessKind::Write;
        directive.is_some_and(|text| is_ordered_by(text, variable, writes))
    }

    /// Whether the construct that makes the tasks has a depend clause, in which what they access can be named.
    fn takes_depend(&self) -> bool {
        let info = self.resolver.outcome().task(self.inner.task);
        let at = info.and_then(|info| self.resolver.position(info.site));
        let text = at.as_ref().and_then(|at| at.file.line(at.line));
        self.are_in_construct() && !text.is_some_and(|text| text.contains("taskloop"))
    }

    /// Whether both accesses stand in the body of the construct, and not in a function that is called there.
    fn are_in_construct(&self) -> bool {
        self.accesses
            .into_iter()
            .all(|access| self.is_in_construct(access))
    }

    fn is_in_construct(&self, access: &Access) -> bool {
        let info = self.resolver.outcome().task(access.task);
        let around = info.and_then(|info| self.resolver.function(info.site));
        self.resolver.function(access.site) == around
    }

    /// Where the loop is that both accesses are in the body of. Of a loop whose iterations were handed out
    /// beforehand only the source tells: the same directive stands before both.
    fn loop_at(&self) -> Option<String> {
        if self.relation == Some(Relation::Iterations) {
            let info = self.resolver.outcome().task(self.inner.task)?;
            return Some(self.resolver.at(info.site));
        }
        let [first, second] = self.accesses.map(|access| self.directive(access));
        let line = first.filter(|_| first == second && self.are_in_construct())?;
        Some(format!("at line {line}"))
    }

    /// Whether the value that a variable has after the loop is used, as far as the source tells.
    fn is_used_behind_loop(&self, variable: &str) -> bool {
        let [access, _] = self.accesses;
        let at = self.resolver.position(access.site);
        let text = at.zip(self.directive(access)).map(|(at, directive)| {
            let lines = (directive + 1..).map_while(|line| at.file.line(line));
            lines.collect::<Vec<_>>().join("\n")
        });
        text.is_some_and(|text| is_used_behind(&text, variable))
    }

    /// The line of the directive before an access, if that is a loop's.
    fn directive(&self, access: &Access) -> Option<u32> {
        let at = self.resolver.position(access.site)?;
        let is_directive = |line: &&u32| {
            let text = at.file.line(**line).unwrap_or_default().trim_start();
            text.starts_with("#pragma omp")
        };
        let line = (1..=at.line).rev().find(|line| is_directive(&line))?;
        let mut words = at.file.line(line)?.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == "for").then_some(line)
    }

    fn is_one_line(&self) -> bool {
        let [first, second] = self
            .accesses
            .map(|access| self.resolver.legend().site(access.site));
        first.map(|site| (site.file, site.line)) == second.map(|site| (site.file, site.line))
    }

    /// Whether one place both reads and writes.
    fn is_update_in_place(&self) -> bool {
        let [first, second] = self.accesses;
        let at = |access: &Access| self.resolver.legend().site(access.site);
        at(first) == at(second) && first.kind != second.kind
    }

    fn is_task(&self, task: TaskId) -> bool {
        let info = self.resolver.outcome().task(task);
        info.is_some_and(|info| info.kind == TaskKind::Task)
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

    /// `the write at 3:4`.
    pub(crate) fn describe(&self, access: &Access) -> String {
        let noun = self.resolver.operation(access).noun();
        format!("the {noun} {}", self.resolver.at(access.site))
    }
}
