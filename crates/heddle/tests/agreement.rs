//! On random programs, all ways of running and judging them find the same racy locations.

use heddle::{
    Checker, Mutex, Order, Report, Scope, SharedFuture, SharedVec, finish, isolated, join,
};
use std::collections::BTreeSet;

const LOCATIONS: usize = 5;
const LOCKS: usize = 2;

/// What a task does next.
#[derive(Clone, Debug)]
enum Step {
    Read(usize),
    Write(usize),
    Spawn(Vec<Step>),
    /// Spawn into the finish outside of the innermost one.
    SpawnOuter(Vec<Step>),
    Finish(Vec<Step>),
    Join(Vec<Step>, Vec<Step>),
    Future(Vec<Step>),
    /// Get the value of one of the futures the task knows of.
    Get(usize),
    /// Post tasks to a group of its own and wait for them.
    Group(Vec<Step>, Vec<Step>),
    Isolated(Vec<Step>),
    Locked(usize, Vec<Step>),
}

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Class {
    Structured,
    Edges,
    Exclusion,
}

/// Random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % limit
    }

    fn steps(&mut self, class: Class, depth: usize) -> Vec<Step> {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.step(class, depth)).collect()
    }

    fn accesses(&mut self) -> Vec<Step> {
        (0..=self.below(2)).map(|_| self.access()).collect()
    }

    fn access(&mut self) -> Step {
        match self.below(3) {
            0 => Step::Write(self.below(LOCATIONS)),
            _ => Step::Read(self.below(LOCATIONS)),
        }
    }

    fn step(&mut self, class: Class, depth: usize) -> Step {
        if depth == 0 {
            return self.access();
        }
        match (self.below(11), class) {
            (0 | 1, _) => Step::Spawn(self.steps(class, depth - 1)),
            (2 | 3, _) => Step::Finish(self.steps(class, depth - 1)),
            (4, _) => Step::Join(self.steps(class, depth - 1), self.steps(class, depth - 1)),
            (5, Class::Edges) => Step::SpawnOuter(self.steps(class, depth - 1)),
            (6, Class::Edges) => Step::Future(self.steps(class, depth - 1)),
            (7, Class::Edges) => Step::Get(self.below(4)),
            (8, Class::Edges) => Step::Group(self.steps(class, 0), self.steps(class, 0)),
            (5 | 6, Class::Exclusion) => Step::Isolated(self.accesses()),
            (7 | 8, Class::Exclusion) => Step::Locked(self.below(LOCKS), self.accesses()),
            _ => self.access(),
        }
    }
}

/// What tasks share.
struct World {
    values: SharedVec<u32>,
    locks: [Mutex<()>; LOCKS],
}

/// Where a task spawns, and the futures it knows of.
#[derive(Clone)]
struct At<'scope, 'env, 'outer, 'outside> {
    inner: &'scope Scope<'scope, 'env>,
    outer: &'outer Scope<'outer, 'outside>,
    futures: Vec<SharedFuture<'scope, ()>>,
}

impl World {
    fn program(steps: &[Step]) {
        let world = Self {
            values: SharedVec::new(LOCATIONS, 0),
            locks: [Mutex::new(()), Mutex::new(())],
        };
        finish(|s| {
            let futures = Vec::new();
            let (inner, outer) = (s, s);
            world.run(
                steps,
                At {
                    inner,
                    outer,
                    futures,
                },
            );
        });
    }

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
            Step::Read(n) => assert_eq!(self.values.get(*n) / 2, 0),
            Step::Write(n) => self.values.set(*n, 1),
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
        }
    }

    fn finish<'a, 'scope>(&'a self, body: &'a [Step], at: &At<'scope, '_, '_, '_>)
    where
        'a: 'scope,
    {
        finish(|s| {
            let (inner, outer, futures) = (s, at.inner, at.futures.clone());
            self.run(
                body,
                At {
                    inner,
                    outer,
                    futures,
                },
            );
        });
    }

    fn alone<'a, 'scope>(&'a self, body: &'a [Step], s: &'scope Scope<'scope, '_>)
    where
        'a: 'scope,
    {
        let (inner, outer, futures) = (s, s, Vec::new());
        self.run(
            body,
            At {
                inner,
                outer,
                futures,
            },
        );
    }

    fn group<'a, 'scope>(&'a self, a: &'a [Step], b: &'a [Step], at: &At<'scope, '_, '_, '_>)
    where
        'a: 'scope,
    {
        let group = at.inner.group();
        group.post(move || self.accesses(a));
        group.post(move || self.accesses(b));
        group.wait_all();
    }

    fn accesses(&self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Read(n) => assert_eq!(self.values.get(*n) / 2, 0),
                Step::Write(n) => self.values.set(*n, 1),
                _ => unreachable!("only accesses are drawn here"),
            }
        }
    }
}

/// The locations with a race.
fn racy(report: &Report) -> BTreeSet<String> {
    let places = report.races().map(|race| race.location.clone());
    places
        .map(|place| place.expect("they have names"))
        .collect()
}

fn check(checker: Checker, steps: &[Step]) -> BTreeSet<String> {
    racy(&checker.check(|| World::program(steps)))
}

/// All verdicts on the program; they must be one.
fn agree(class: Class, steps: &[Step]) -> bool {
    let serial = || Checker::new().parallel(0);
    let expected = check(serial(), steps);
    let mut orders = vec![Order::Graph];
    if class != Class::Edges {
        orders.extend([Order::Bags, Order::Tree]);
    }
    for order in orders {
        let found = check(serial().order(order), steps);
        assert_eq!(found, expected, "{order:?} and serial on {steps:#?}");
    }
    for threads in [1, 2, 4] {
        let found = check(Checker::new().order(Order::Auto).parallel(threads), steps);
        assert_eq!(
            found, expected,
            "{threads} threads and serial on {steps:#?}"
        );
    }
    !expected.is_empty()
}

/// Runs many programs of a class; both verdicts must be common.
fn many(class: Class) {
    const PROGRAMS: usize = 300;
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let racy = (0..PROGRAMS)
        .filter(|_| {
            let steps = random.steps(class, 4);
            agree(class, &steps)
        })
        .count();
    assert!(
        (PROGRAMS / 10..PROGRAMS * 9 / 10).contains(&racy),
        "{racy} racy programs"
    );
}

#[test]
fn structured_programs_get_one_verdict() {
    many(Class::Structured);
}

#[test]
fn programs_with_futures_groups_and_scope_handles_get_one_verdict() {
    many(Class::Edges);
}

#[test]
fn programs_with_locks_and_isolated_get_one_verdict() {
    many(Class::Exclusion);
}
