//! What is run: tasks that are all parallel and treat memory in one way, with a known verdict.
//!
//! The tasks are spawned as a tree of [`FAN_OUT`], all into one finish, so that on several threads few of them wait
//! to be run. The program of [`Sharing::FewAlive`] is another one: a finish after every [`ALIVE`] tasks.

use super::processor_time;
use heddle::{Checker, Mutex, Report, Scope, Shared, SharedVec, finish, future};

/// Children of each task that has any.
const FAN_OUT: u32 = 10;
/// How many tasks of [`Sharing::FewAlive`] exist at a time.
pub const ALIVE: u32 = 1000;

/// What tasks have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Tasks that access nothing.
    Nothing,
    /// Each writes and reads a location of its own.
    Private,
    /// All read one location, each four times.
    Read,
    /// The same, in a program that has an extra edge.
    ReadEdge,
    /// All read and write one location under its lock.
    Locked,
    /// All write one location, and race.
    Raced,
    /// Tasks that read one location and write one of their own, never more than [`ALIVE`] at a time.
    FewAlive,
}

impl Sharing {
    /// All, with their names in tables.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Nothing, "nothing"),
        (Self::Private, "private"),
        (Self::Read, "read"),
        (Self::ReadEdge, "read-edge"),
        (Self::Locked, "locked"),
        (Self::Raced, "raced"),
        (Self::FewAlive, "few-alive"),
    ];

    /// Accesses made by each task.
    pub fn accesses(self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Private | Self::Read | Self::ReadEdge => 4,
            Self::Locked | Self::FewAlive => 2,
            Self::Raced => 1,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(sharing, _)| *sharing == self);
        named.map_or("", |(_, name)| name)
    }
}

/// A program on so many threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// What tasks have in common.
    pub sharing: Sharing,
    /// How many of them access something.
    pub tasks: u32,
    /// One: serially, as checks run by default.
    pub threads: u32,
}

impl Program {
    /// Runs it checked; the processor time from its first step to the report. An error: the verdict
    /// or the result is wrong.
    pub fn check(self) -> Result<f64, String> {
        let (seconds, result, report) = self.timed(Self::run);
        self.verify(&report, result).map(|()| seconds)
    }

    /// What that is for a program that does nothing.
    pub fn check_nothing(self) -> f64 {
        self.timed(|_| 0).0
    }

    fn timed(self, run: impl Fn(Self) -> u64 + Sync) -> (f64, u64, Report) {
        let (mut start, mut result) = (0.0, 0);
        let report = self.checker().check(|| {
            start = processor_time();
            result = run(self);
        });
        (processor_time() - start, result, report)
    }

    fn checker(self) -> Checker {
        match self.threads {
            1 => Checker::new(),
            threads => Checker::new().parallel(threads as usize),
        }
    }

    fn run(self) -> u64 {
        match self.sharing {
            Sharing::Nothing => self.all(|_| ()),
            Sharing::Private => return self.private(),
            Sharing::Read => return self.read(),
            Sharing::ReadEdge => {
                let before = future(|| ());
                before.get();
                return self.read();
            }
            Sharing::Locked => return self.locked(),
            Sharing::Raced => {
                let shared = Shared::new(0_u32);
                self.all(|task| shared.set(task));
            }
            Sharing::FewAlive => return self.few_alive(),
        }
        0
    }

    fn private(self) -> u64 {
        let own = SharedVec::new(self.tasks as usize, 0_u32);
        self.all(|task| {
            let at = task as usize;
            own.set(at, task);
            let twice = own.get(at) + own.get(at);
            own.set(at, twice - task);
        });
        own.iter().map(u64::from).sum()
    }

    fn read(self) -> u64 {
        let shared = Shared::new(1_u32);
        self.all(|_| {
            let sum: u32 = (0..4).map(|_| shared.get()).sum();
            assert_eq!(sum, 4);
        });
        // Must be ordered after every one of them.
        shared.set(2);
        u64::from(shared.get())
    }

    fn locked(self) -> u64 {
        let count = Mutex::new(0_u64);
        self.all(|_| *count.lock().expect("no task panics") += 1);
        count.into_inner().expect("no task panics")
    }

    fn few_alive(self) -> u64 {
        let (shared, own) = (Shared::new(1_u32), SharedVec::new(ALIVE as usize, 0_u32));
        for _ in 0..self.tasks.div_ceil(ALIVE) {
            finish(|s| {
                for task in 0..ALIVE as usize {
                    let (shared, own) = (&shared, &own);
                    s.spawn(move |_| own.set(task, shared.get()));
                }
            });
        }
        own.iter().map(u64::from).sum()
    }

    /// The body as so many parallel tasks.
    fn all(self, body: impl Fn(u32) + Sync) {
        finish(|s| spread(s, 0, self.tasks, &body));
    }

    fn verify(self, report: &Report, result: u64) -> Result<(), String> {
        let tasks = u64::from(self.tasks);
        let expected = match self.sharing {
            Sharing::Nothing | Sharing::Raced => 0,
            Sharing::Private => tasks * (tasks - 1) / 2,
            Sharing::Read | Sharing::ReadEdge => 2,
            Sharing::Locked => tasks,
            Sharing::FewAlive => u64::from(ALIVE),
        };
        let races = usize::from(self.sharing == Sharing::Raced);
        let found = (report.races().count(), report.is_clean(), result);
        if found != (races, races == 0, expected) {
            return Err(format!("{self:?}: (races, clean, result) are {found:?}"));
        }
        match report.stats().tasks > tasks {
            true => Ok(()),
            false => Err(format!("{self:?}: {} tasks", report.stats().tasks)),
        }
    }
}

/// Spawns the tasks from `from` to `end`, `end` excluded: those that do it, too, into the same finish.
fn spread<'scope, F: Fn(u32) + Sync>(
    scope: &'scope Scope<'scope, '_>,
    from: u32,
    end: u32,
    body: &'scope F,
) {
    let share = (end - from).div_ceil(FAN_OUT);
    let mut next = from;
    while next < end {
        let (from, until) = (next, end.min(next + share));
        match until - from {
            1 => scope.spawn(move |_| body(from)),
            _ => scope.spawn(move |scope| spread(scope, from, until, body)),
        }
        next = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_its_verdict_and_result_on_one_and_two_threads() {
        for (sharing, name) in Sharing::ALL {
            for threads in [1, 2] {
                let program = Program {
                    sharing,
                    tasks: 1000,
                    threads,
                };
                assert!(program.check().is_ok(), "{name}: {:?}", program.check());
            }
        }
    }
}
