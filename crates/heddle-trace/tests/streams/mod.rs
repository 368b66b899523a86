//! Arbitrary well-formed streams: a list of numbers decides, step by step, what happens next among
//! what may happen next. Shrinking the list shrinks the run.
//!
//! The model here keeps the rules in the plainest way (vectors, searches), independent of the
//! validator it is used to test.

#![allow(dead_code, reason = "each test binary uses its part")]

use heddle_core::*;
use heddle_trace::Writer;
use proptest::prelude::*;

/// Everything a trace holds.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub features: Features,
    pub legend: Legend,
    pub events: Vec<Event>,
}

impl Recorded {
    /// The run as a file, the legend at the end.
    pub fn bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &self.features, None);
        self.events.iter().for_each(|event| writer.on(*event));
        writer
            .finish(Some(&self.legend))
            .expect("vectors take everything")
    }
}

/// Runs of up to about `steps` events, with any set of features.
pub fn runs(steps: usize) -> impl Strategy<Value = Recorded> {
    let choices = prop::collection::vec(any::<u32>(), 0..steps);
    (features(), choices).prop_map(|(features, choices)| run(features, &choices))
}

fn features() -> impl Strategy<Value = Features> {
    any::<[bool; 7]>().prop_map(
        |[
            extra_edges,
            scope_handles,
            isolated,
            locks,
            choices,
            cuts,
            atomics,
        ]| Features {
            extra_edges,
            scope_handles,
            isolated,
            locks,
            choices,
            cuts,
            atomics,
        },
    )
}

/// The run these numbers lead to.
pub fn run(features: Features, choices: &[u32]) -> Recorded {
    let mut model = Model::new(features);
    choices.iter().for_each(|choice| model.step(*choice));
    model.close(choices.last().copied().unwrap_or(0));
    Recorded {
        features,
        legend: legend(),
        events: model.events,
    }
}

/// A run that has every kind of event, in a fixed sequence.
pub fn sample() -> Recorded {
    let mut state = 1u32;
    let choices: Vec<u32> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 4
    })
    .take(300)
    .collect();
    run(ALL_FEATURES, &choices)
}

pub const ALL_FEATURES: Features = Features {
    extra_edges: true,
    scope_handles: true,
    isolated: true,
    locks: true,
    choices: true,
    cuts: true,
    atomics: true,
};

const SITES: u32 = 300;
const NAMES: u32 = 20;

pub fn legend() -> Legend {
    let site = |n| Site {
        file: FileId::new(n % 2),
        line: 1 + n * 31 % 97,
        column: 1 + n % 40,
        end_line: 1 + n * 31 % 97,
        end_column: 2 + n % 40,
    };
    Legend {
        files: vec![
            SourceFile {
                path: "one.task".into(),
                text: Some("shared x;\nx = 1;\n".into()),
            },
            SourceFile {
                path: "two.task".into(),
                text: None,
            },
        ],
        sites: (0..SITES).map(site).collect(),
        names: (0..NAMES).map(|n| format!("name{n}")).collect(),
    }
}

struct Task {
    into: FinishId,
    finishes: Vec<FinishId>,
    locks: Vec<(LockId, LockMode)>,
    begun: bool,
    ended: bool,
}

struct Finish {
    owner: TaskId,
    around: FinishId,
    pending: Vec<TaskId>,
}

struct Model {
    features: Features,
    events: Vec<Event>,
    tasks: Vec<Task>,
    finishes: Vec<Finish>,
    locks: u32,
    signalled: Vec<bool>,
    running: Option<TaskId>,
}

impl Model {
    fn new(features: Features) -> Self {
        let task = Task {
            into: FinishId::MAIN,
            finishes: vec![],
            locks: vec![],
            begun: true,
            ended: false,
        };
        let finish = Finish {
            owner: TaskId::MAIN,
            around: FinishId::MAIN,
            pending: vec![],
        };
        Self {
            features,
            events: vec![],
            tasks: vec![task],
            finishes: vec![finish],
            locks: 1,
            signalled: vec![],
            running: Some(TaskId::MAIN),
        }
    }

    fn step(&mut self, choice: u32) {
        let (kind, rest) = (choice % 32, choice / 32);
        let Some(running) = self.running else {
            return self.switch(rest);
        };
        let site = SiteId::new(rest % SITES);
        match kind {
            0..=2 => self.spawn(running, rest, site),
            3 | 4 => self.switch(rest),
            5 => self.end(running),
            6 => self.finish_begin(running, rest, site),
            7 | 8 => self.finish_end(running),
            9 if self.features.extra_edges => self.join(rest, site),
            10 => self.declare(rest),
            11 if self.features.extra_edges => self.signal(rest, site),
            12 if self.features.extra_edges => self.wait(rest, site),
            13 | 14 => self.acquire(running, rest, site),
            15 | 16 => self.release(running, rest, site),
            17 if self.features.cuts => self.events.push(Event::Cut {
                by: CutBy::Hand,
                site,
            }),
            18 => self.events.push(Event::AssertionFailed { site }),
            20 if self.features.atomics => self.atomic(rest, site),
            19 => self.alloc(rest, site),
            _ => self.access(kind, rest, site),
        }
    }

    fn atomic(&mut self, rest: u32, site: SiteId) {
        let extent = Extent::new(Location(u64::from(rest % 50)), u64::from(rest % 3));
        let group = rest.is_multiple_of(2).then_some(GroupId::new(rest % 5));
        self.events.push(Event::Atomic { extent, group });
        self.events.push(Event::AtomicBegin { site });
        self.events.push(Event::AtomicEnd { site });
    }

    fn task(&mut self, id: TaskId) -> &mut Task {
        &mut self.tasks[id.index()]
    }

    fn innermost(&self, id: TaskId) -> FinishId {
        let task = &self.tasks[id.index()];
        task.finishes.last().copied().unwrap_or(task.into)
    }

    fn spawn(&mut self, running: TaskId, rest: u32, site: SiteId) {
        let mut finish = self.innermost(running);
        let outwards = if self.features.scope_handles {
            rest % 11
        } else {
            0
        };
        for _ in 0..outwards.saturating_sub(8) {
            finish = self.finishes[finish.index()].around;
        }
        let task = TaskId::new(self.tasks.len() as u32);
        let kinds = [
            TaskKind::Async,
            TaskKind::Spawn,
            TaskKind::Future,
            TaskKind::Dependent,
            TaskKind::Post,
        ];
        let kind = kinds[rest as usize % kinds.len()];
        let name = rest.is_multiple_of(3).then_some(NameId::new(rest % NAMES));
        self.finishes[finish.index()].pending.push(task);
        let (finishes, locks) = (vec![], vec![]);
        self.tasks.push(Task {
            into: finish,
            finishes,
            locks,
            begun: false,
            ended: false,
        });
        self.events.push(Event::Spawn {
            task,
            finish,
            kind,
            site,
            name,
        });
        if !rest.is_multiple_of(4) {
            self.run(task);
        }
    }

    /// Runs any task that can run.
    fn switch(&mut self, rest: u32) {
        let able = |n: &u32| !self.tasks[*n as usize].ended;
        let able: Vec<u32> = (0..self.tasks.len() as u32).filter(able).collect();
        self.run(TaskId::new(able[rest as usize % able.len()]));
    }

    fn run(&mut self, task: TaskId) {
        let begun = std::mem::replace(&mut self.task(task).begun, true);
        self.running = Some(task);
        self.events.push(if begun {
            Event::Resume { task }
        } else {
            Event::Begin { task }
        });
    }

    fn end(&mut self, running: TaskId) {
        let task = self.task(running);
        if running == TaskId::MAIN || !task.finishes.is_empty() || !task.locks.is_empty() {
            return;
        }
        task.ended = true;
        let into = task.into;
        self.finishes[into.index()]
            .pending
            .retain(|task| *task != running);
        self.running = None;
        self.events.push(Event::End { task: running });
    }

    fn finish_begin(&mut self, owner: TaskId, rest: u32, site: SiteId) {
        let finish = FinishId::new(self.finishes.len() as u32);
        let around = self.innermost(owner);
        self.finishes.push(Finish {
            owner,
            around,
            pending: vec![],
        });
        self.task(owner).finishes.push(finish);
        let kind = if rest.is_multiple_of(2) {
            FinishKind::Finish
        } else {
            FinishKind::SyncBlock
        };
        self.events.push(Event::FinishBegin { finish, kind, site });
    }

    fn finish_end(&mut self, running: TaskId) {
        let finish = self.innermost(running);
        let Finish { owner, pending, .. } = &self.finishes[finish.index()];
        if *owner == running && finish != FinishId::MAIN && pending.is_empty() {
            self.task(running).finishes.pop();
            self.events.push(Event::FinishEnd { finish });
        }
    }

    fn join(&mut self, rest: u32, site: SiteId) {
        let task = rest as usize % self.tasks.len();
        if self.tasks[task].ended {
            self.events.push(Event::Join {
                task: TaskId::new(task as u32),
                site,
            });
        }
    }

    fn declare(&mut self, rest: u32) {
        let name = NameId::new(rest % NAMES);
        let extent = Extent::new(Location(u64::from(rest)), u64::from(rest % 5));
        let shape = if rest.is_multiple_of(2) {
            Shape::Scalar
        } else {
            Shape::Array
        };
        self.events.push(match rest % 3 {
            0 => Event::Declare {
                extent,
                name,
                shape,
            },
            1 => Event::DeclareLock {
                lock: LockId::new(self.locks),
                name,
            },
            _ => Event::DeclareToken {
                token: TokenId::new(self.signalled.len() as u32),
                name,
            },
        });
        match rest % 3 {
            0 => {}
            1 => self.locks += 1,
            _ => self.signalled.push(false),
        }
    }

    fn signal(&mut self, rest: u32, site: SiteId) {
        if let Some(token) = (rest as usize).checked_rem(self.signalled.len()) {
            self.signalled[token] = true;
            self.events.push(Event::Signal {
                token: TokenId::new(token as u32),
                site,
            });
        }
    }

    fn wait(&mut self, rest: u32, site: SiteId) {
        if let Some(token) = (rest as usize).checked_rem(self.signalled.len())
            && self.signalled[token]
        {
            self.events.push(Event::Wait {
                token: TokenId::new(token as u32),
                site,
            });
        }
    }

    fn acquire(&mut self, running: TaskId, rest: u32, site: SiteId) {
        let lock = LockId::new(rest % self.locks);
        let announced = match lock {
            LockId::ISOLATED => self.features.isolated,
            _ => self.features.locks,
        };
        let mode = match rest & 64 {
            64 if lock != LockId::ISOLATED => LockMode::Shared,
            _ => LockMode::Exclusive,
        };
        let mut held = self.tasks.iter().flat_map(|task| &task.locks);
        let is_free = match mode {
            LockMode::Exclusive => held.all(|&(other, _)| other != lock),
            LockMode::Shared => held.all(|&held| held != (lock, LockMode::Exclusive)),
        };
        let is_new = self.task(running).locks.iter().all(|held| held.0 != lock);
        if announced && is_free && is_new {
            self.task(running).locks.push((lock, mode));
            self.events.push(Event::Acquire { lock, mode, site });
        }
    }

    fn release(&mut self, running: TaskId, rest: u32, site: SiteId) {
        let locks = &mut self.task(running).locks;
        if let Some(n) = (rest as usize).checked_rem(locks.len()) {
            let (lock, _) = locks.swap_remove(n);
            self.events.push(Event::Release { lock, site });
        }
    }

    fn alloc(&mut self, rest: u32, site: SiteId) {
        let start = Location(0x5555_0000_0000 + u64::from(rest) * 16);
        let name = NameId::new(rest % NAMES);
        self.events.push(Event::Alloc {
            extent: Extent::new(start, u64::from(rest % 100)),
            name: rest.is_multiple_of(2).then_some(name),
            site,
        });
        if rest.is_multiple_of(3) {
            self.events.push(Event::Bind { start, name });
        }
    }

    fn access(&mut self, kind: u32, rest: u32, site: SiteId) {
        let start = match rest % 3 {
            0 => u64::from(rest % 64),
            1 => 0x5555_0000_0000 + u64::from(rest),
            _ => u64::MAX - 16 - u64::from(rest),
        };
        let extent = Extent::new(Location(start), [1, 1, 1, 8, 0][rest as usize % 5]);
        self.events.push(match kind {
            20 | 21 => Event::Free { extent, site },
            22..=26 => Event::Read { extent, site },
            _ => Event::Write { extent, site },
        });
    }

    fn close(&mut self, choice: u32) {
        let site = SiteId::new(choice % SITES);
        match choice % 8 {
            0 => self.stuck(choice / 8, site),
            1 => self.events.push(Event::Fault {
                site,
                message: self.fault(choice / 8),
            }),
            _ => self.drain(site),
        }
    }

    fn stuck(&mut self, rest: u32, site: SiteId) {
        for (n, task) in self
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| !task.ended)
        {
            let awaited = [
                Awaited::Finish(task.into),
                Awaited::Task(TaskId::new(n as u32)),
                Awaited::Lock(LockId::ISOLATED),
                Awaited::Region(NameId::new(n as u32 % NAMES)),
            ][(rest as usize + n) % 4];
            self.events.push(Event::Stuck {
                task: TaskId::new(n as u32),
                awaited,
                site,
            });
        }
    }

    fn fault(&self, rest: u32) -> FaultKind {
        let lock = LockId::new(rest % self.locks);
        match rest % 10 {
            0 => FaultKind::DivisionByZero,
            1 => FaultKind::IndexOutOfRange {
                index: -i64::from(rest),
                len: u64::from(rest),
            },
            2 => FaultKind::BadLength {
                len: i64::from(rest) << 30,
            },
            3 => FaultKind::LockAlreadyHeld { lock },
            4 => FaultKind::LockNotHeld { lock },
            5 => FaultKind::LockHeldAtEnd { lock },
            6 => FaultKind::TaskOperationInIsolated,
            7 => FaultKind::WrongValue(ValueProblem::NotAnArray),
            8 => FaultKind::NoSuchTask {
                name: NameId::new(rest % NAMES),
            },
            _ => FaultKind::LimitReached,
        }
    }

    /// Runs every task to its end, those without open finishes first.
    fn drain(&mut self, site: SiteId) {
        while let Some(task) = (1..self.tasks.len()).find(|n| self.can_end(*n)) {
            self.run_out(TaskId::new(task as u32), site);
            self.end(TaskId::new(task as u32));
        }
        self.run_out(TaskId::MAIN, site);
        self.events.push(Event::End { task: TaskId::MAIN });
    }

    fn can_end(&self, task: usize) -> bool {
        let task = &self.tasks[task];
        let over = |finish: &FinishId| self.finishes[finish.index()].pending.is_empty();
        !task.ended && task.finishes.iter().all(over)
    }

    fn run_out(&mut self, task: TaskId, site: SiteId) {
        self.run(task);
        while !self.task(task).locks.is_empty() {
            self.release(task, 0, site);
        }
        while !self.task(task).finishes.is_empty() {
            self.finish_end(task);
        }
    }
}
