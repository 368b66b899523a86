//! Running a drawn program on the crate, and what the crate finds in it.

use crate::program::{
    ALONE, Access, CELLS, LOCATIONS, LOCKS, Operation, PLACES, Step, TOGETHER, Use,
};
use heddle::{
    AtomicGroup, Checker, Finding, Mutex, Scope, SharedFuture, SharedVec, finish, isolated, join,
};
use std::collections::BTreeSet;

type Values = SharedVec<u32>;

const FIRST_READ: u32 = line!() + 3;
/// Reads, each at a line of its own.
const READS: [fn(&Values, usize); PLACES] = [
    |values, n| assert!(values.get(n) < 2),
    |values, n| assert!(values.get(n) < 2),
    |values, n| assert!(values.get(n) < 2),
    |values, n| assert!(values.get(n) < 2),
    |values, n| assert!(values.get(n) < 2),
    |values, n| assert!(values.get(n) < 2),
];

const FIRST_WRITE: u32 = line!() + 3;
/// Writes, likewise.
const WRITES: [fn(&Values, usize); PLACES] = [
    |values, n| values.set(n, 1),
    |values, n| values.set(n, 1),
    |values, n| values.set(n, 1),
    |values, n| values.set(n, 1),
    |values, n| values.set(n, 1),
    |values, n| values.set(n, 1),
];

/// What a report calls a location.
pub fn name(location: usize) -> String {
    format!("values[{location}]")
}

/// What reports call the values behind locks.
pub const CELL_NAMES: [&str; CELLS] = ["one", "other"];

/// A kind of access at one of its positions.
pub type Spot = (Operation, usize);

/// A reported race: its location, and its two sides, the smaller first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Found {
    location: usize,
    sides: [Spot; 2],
}

impl Found {
    pub fn new(location: usize, mut sides: [Spot; 2]) -> Self {
        sides.sort_unstable();
        Self { location, sides }
    }

    pub fn location(&self) -> usize {
        self.location
    }

    fn of(race: &Finding) -> Self {
        let named = |&location: &usize| race.location.as_deref() == Some(&*name(location));
        let location = (0..LOCATIONS).find(named).expect("one of the locations");
        let [a, b] = &*race.accesses else {
            panic!("two accesses");
        };
        let line = |access: &heddle::Access| access.position.as_ref().expect("a position").line;
        Self::new(location, [a, b].map(|access| spot(line(access))))
    }
}

fn spot(line: u32) -> Spot {
    let places = 0..PLACES as u32;
    match (
        line.wrapping_sub(FIRST_READ),
        line.wrapping_sub(FIRST_WRITE),
    ) {
        (read, _) if places.contains(&read) => (Operation::Read, read as usize),
        (_, write) if places.contains(&write) => (Operation::Write, write as usize),
        _ => panic!("no access in line {line}"),
    }
}

/// What is found in the program.
pub fn findings(checker: Checker, steps: &[Step]) -> BTreeSet<Found> {
    let report = checker.check(|| run(steps));
    report.races().map(Found::of).collect()
}

/// Runs the program.
pub fn run(steps: &[Step]) {
    let world = World {
        values: SharedVec::new(LOCATIONS, 0).named("values"),
        locks: [const { Mutex::new(()) }; LOCKS],
        cells: CELL_NAMES.map(|name| Mutex::named(name, 0)),
    };
    world.values.slice(..ALONE).atomic();
    let together = world.values.slice(ALONE..ALONE + TOGETHER);
    AtomicGroup::new().with(&together);
    finish(|s| world.alone(steps, s));
}

/// What tasks share.
struct World {
    values: Values,
    locks: [Mutex<()>; LOCKS],
    cells: [Mutex<u32>; CELLS],
}

/// Where a task spawns, and the futures it knows of.
#[derive(Clone)]
struct At<'scope, 'env, 'outer, 'outside> {
    inner: &'scope Scope<'scope, 'env>,
    outer: &'outer Scope<'outer, 'outside>,
    futures: Vec<SharedFuture<'scope, ()>>,
}

impl World {
    fn run<'a, 'scope, 'outer>(&'a self, steps: &'a [Step], mut at: At<'scope, '_, 'outer, '_>)
    where
        'a: 'scope + 'outer,
        'outer: 'scope,
    {
        for step in steps {
            self.step(step, &mut at);
        }
    }

    fn step<'a, 'scope, 'outer>(&'a self, step: &'a Step, at: &mut At<'scope, '_, 'outer, '_>)
    where
        'a: 'scope + 'outer,
        'outer: 'scope,
    {
        match step {
            Step::Access(access) => self.access(*access),
            Step::Spawn(body) => {
                let known = at.clone();
                at.inner.spawn(move |_| self.run(body, known));
            }
            Step::SpawnOuter(body) => at.outer.spawn(move |s| self.alone(body, s)),
            Step::Finish(body) => self.finish(body, at),
            Step::Join(a, b) => {
                let at: &At<'_, '_, '_, '_> = at;
                join(|| self.finish(a, at), || self.finish(b, at));
            }
            Step::Future(body) => {
                let known = at.clone();
                let made = at.inner.future(move || self.run(body, known));
                at.futures.push(made.shared());
            }
            Step::Get(n) => at.futures.get(*n).into_iter().for_each(SharedFuture::get),
            Step::Group(a, b) => self.group(a, b, at),
            Step::Isolated(body) => isolated(|| self.accesses(body)),
            Step::Locked(n, body) => {
                let _guard = self.locks[*n].lock();
                self.accesses(body);
            }
            Step::Cells(lock, uses) => {
                let _guard = lock.map(|n| self.locks[n].lock());
                uses.iter().for_each(|&(cell, what)| self.cell(cell, what));
            }
        }
    }

    fn finish<'a, 'scope>(&'a self, body: &'a [Step], at: &At<'scope, '_, '_, '_>)
    where
        'a: 'scope,
    {
        let (outer, futures) = (at.inner, at.futures.clone());
        finish(|inner| {
            let at = At {
                inner,
                outer,
                futures,
            };
            self.run(body, at);
        });
    }

    fn alone<'a, 'scope>(&'a self, body: &'a [Step], s: &'scope Scope<'scope, '_>)
    where
        'a: 'scope,
    {
        let at = At {
            inner: s,
            outer: s,
            futures: Vec::new(),
        };
        self.run(body, at);
    }

    fn group<'a, 'scope>(&'a self, a: &'a [Access], b: &'a [Access], at: &At<'scope, '_, '_, '_>)
    where
        'a: 'scope,
    {
        let group = at.inner.group();
        group.post(move || self.accesses(a));
        group.post(move || self.accesses(b));
        group.wait_all();
    }

    fn cell(&self, cell: usize, what: Use) {
        let mut value = self.cells[cell].lock().expect("nobody panics");
        // Each kind of change at a position of its own.
        match what {
            Use::Look => assert!(*value < 2),
            Use::Change => *value = 1,
            Use::LookThenChange => {
                assert!(*value < 2);
                *value = 1;
            }
            Use::ChangeThenLook => {
                *value = 1;
                assert!(*value == 1);
            }
        }
    }

    fn accesses(&self, accesses: &[Access]) {
        accesses.iter().for_each(|&access| self.access(access));
    }

    fn access(&self, access: Access) {
        let at = match access.operation {
            Operation::Read => READS[access.place],
            Operation::Write => WRITES[access.place],
        };
        at(&self.values, access.location);
    }
}
