//! A listener that holds every stream against the rules of well-formed streams, and against the
//! features the program was said to have.

use std::collections::HashSet;

use heddle_core::{Event, Features, FinishId, LockId, SiteId, TaskId, TokenId};
use heddle_lang::Program;

/// Panics at the first event that breaks a rule.
pub fn assert_well_formed(program: &Program, events: &[Event]) {
    let mut rules = Rules::new(program);
    for event in events {
        rules.check(event);
    }
    assert_ne!(rules.closing, Closing::Open, "rule 8: the stream is closed");
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closing {
    Open,
    Stuck,
    Closed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Spawned,
    Begun,
    Ended,
}

struct Task {
    life: Life,
    scope: FinishId,
    open: Vec<FinishId>,
}

struct Finish {
    owner: TaskId,
    open: bool,
    unended: usize,
}

struct Rules<'p> {
    program: &'p Program,
    features: Features,
    running: Option<TaskId>,
    tasks: Vec<Task>,
    finishes: Vec<Finish>,
    locks: usize,
    tokens: usize,
    holders: Vec<Option<TaskId>>,
    signalled: HashSet<TokenId>,
    closing: Closing,
}

impl<'p> Rules<'p> {
    fn new(program: &'p Program) -> Self {
        let main = Task {
            life: Life::Begun,
            scope: FinishId::MAIN,
            open: Vec::new(),
        };
        let finish = Finish {
            owner: TaskId::MAIN,
            open: true,
            unended: 0,
        };
        Self {
            program,
            features: program.features,
            running: Some(TaskId::MAIN),
            tasks: vec![main],
            finishes: vec![finish],
            locks: 1,
            tokens: 0,
            holders: vec![None; program.locks.len() + 1],
            signalled: HashSet::new(),
            closing: Closing::Open,
        }
    }

    fn check(&mut self, event: &Event) {
        let stuck = matches!(event, Event::Stuck { .. });
        let may_follow = self.closing == Closing::Open || self.closing == Closing::Stuck && stuck;
        assert!(may_follow, "rule 8: {event:?} after the end");
        match *event {
            Event::DeclareLock { lock, .. } => {
                assert_eq!(lock.index(), self.locks, "rule 3");
                self.locks += 1;
            }
            Event::DeclareToken { token, .. } => {
                assert_eq!(token.index(), self.tokens, "rule 3");
                self.tokens += 1;
            }
            Event::Atomic { extent, .. } => {
                assert!(self.features.atomics, "undeclared feature");
                let ends = self.program.shared.iter();
                let ends = ends.map(|shared| shared.start.0 + shared.len).max();
                assert!(ends.is_some_and(|end| extent.start.0 + extent.len <= end));
            }
            Event::Begin { task } => self.begin(task),
            Event::Resume { task } => self.resume(task),
            Event::Stuck { site, .. } => {
                self.site(site);
                self.closing = Closing::Stuck;
            }
            Event::Fault { site, .. } => {
                self.site(site);
                self.closing = Closing::Closed;
            }
            _ => self.check_of_running(event),
        }
    }

    fn check_of_running(&mut self, event: &Event) {
        let running = self.running.expect("rule 2: a task runs");
        match *event {
            Event::Spawn {
                task, finish, site, ..
            } => {
                self.site(site);
                self.spawn(running, task, finish);
            }
            Event::End { task } => self.end(running, task),
            Event::FinishBegin { finish, site, .. } => {
                self.site(site);
                self.begin_finish(running, finish);
            }
            Event::FinishEnd { finish } => self.end_finish(running, finish),
            Event::Join { task, site } => {
                self.edge(site);
                assert_eq!(self.tasks[task.index()].life, Life::Ended, "rule 6");
            }
            Event::Signal { token, site } => {
                self.edge(site);
                assert!(token.index() < self.tokens, "rule 3");
                self.signalled.insert(token);
            }
            Event::Wait { token, site } => {
                self.edge(site);
                assert!(self.signalled.contains(&token), "rule 6");
            }
            Event::Acquire { lock, site, .. } => self.acquire(running, lock, site),
            Event::Release { lock, site } => {
                self.site(site);
                let holder = self.holders[lock.index()].take();
                assert_eq!(holder, Some(running), "rule 7");
            }
            Event::Cut { site, .. } => {
                self.site(site);
                assert!(self.features.cuts, "undeclared feature");
            }
            Event::Read { site, .. } | Event::Write { site, .. } => self.site(site),
            Event::Alloc { site, .. } | Event::AssertionFailed { site } => self.site(site),
            _ => {}
        }
    }

    fn site(&self, site: SiteId) {
        assert!(self.program.legend.site(site).is_some(), "{site:?}");
    }

    fn edge(&self, site: SiteId) {
        self.site(site);
        assert!(self.features.extra_edges, "undeclared feature");
    }

    fn begin(&mut self, task: TaskId) {
        let row = &mut self.tasks[task.index()];
        assert_eq!(row.life, Life::Spawned, "rule 3");
        row.life = Life::Begun;
        self.running = Some(task);
    }

    fn resume(&mut self, task: TaskId) {
        assert_eq!(self.tasks[task.index()].life, Life::Begun, "rule 2");
        assert_ne!(self.running, Some(task), "a task that runs is not resumed");
        self.running = Some(task);
    }

    fn spawn(&mut self, running: TaskId, task: TaskId, finish: FinishId) {
        assert_eq!(task.index(), self.tasks.len(), "rule 3");
        let enclosing = self.enclosing(running);
        assert!(
            enclosing.contains(&finish),
            "rule 4: {enclosing:?} {finish:?}"
        );
        assert!(self.finishes[finish.index()].open, "rule 4");
        let innermost = enclosing[0] == finish;
        assert!(
            innermost || self.features.scope_handles,
            "undeclared feature"
        );
        self.finishes[finish.index()].unended += 1;
        self.tasks.push(Task {
            life: Life::Spawned,
            scope: finish,
            open: Vec::new(),
        });
    }

    /// The finishes around a task, from the inside out.
    fn enclosing(&self, mut task: TaskId) -> Vec<FinishId> {
        let mut enclosing: Vec<_> = self.tasks[task.index()]
            .open
            .iter()
            .rev()
            .copied()
            .collect();
        while task != TaskId::MAIN {
            let scope = self.tasks[task.index()].scope;
            enclosing.push(scope);
            task = self.finishes[scope.index()].owner;
            let open = self.tasks[task.index()].open.iter().rev();
            enclosing.extend(open.copied().skip_while(|&finish| finish != scope).skip(1));
        }
        enclosing.push(FinishId::MAIN);
        enclosing
    }

    fn end(&mut self, running: TaskId, task: TaskId) {
        assert_eq!(task, running, "rule 2");
        let row = &mut self.tasks[task.index()];
        row.life = Life::Ended;
        assert!(
            row.open.is_empty(),
            "rule 5: {task:?} ended inside a finish"
        );
        assert!(!self.holders.contains(&Some(task)), "{task:?} holds a lock");
        self.running = None;
        if task == TaskId::MAIN {
            assert_eq!(self.finishes[0].unended, 0, "rule 8");
            self.closing = Closing::Closed;
        } else {
            self.finishes[row.scope.index()].unended -= 1;
        }
    }

    fn begin_finish(&mut self, running: TaskId, finish: FinishId) {
        assert_eq!(finish.index(), self.finishes.len(), "rule 3");
        self.tasks[running.index()].open.push(finish);
        self.finishes.push(Finish {
            owner: running,
            open: true,
            unended: 0,
        });
    }

    fn end_finish(&mut self, running: TaskId, finish: FinishId) {
        let innermost = self.tasks[running.index()].open.pop();
        assert_eq!(innermost, Some(finish), "rule 5");
        let row = &mut self.finishes[finish.index()];
        assert_eq!(row.unended, 0, "rule 5");
        row.open = false;
    }

    fn acquire(&mut self, running: TaskId, lock: LockId, site: SiteId) {
        self.site(site);
        let declared = match lock {
            LockId::ISOLATED => self.features.isolated,
            _ => self.features.locks && lock.index() < self.locks,
        };
        assert!(declared, "undeclared lock");
        let holder = self.holders[lock.index()].replace(running);
        assert_eq!(holder, None, "rule 7");
    }
}
