//! On real threads, the engine finds the same torn units in every run: those the oracle names.
#![cfg(not(any(feature = "shuttle", feature = "spin")))]

mod random;

use heddle_core::atomicity::Scope;
use heddle_core::roster::Roster;
use heddle_core::{Event, Extent, Finding, FinishId, FinishKind, GroupId, LockId, SiteId};
use heddle_core::{Location, TaskId, TaskKind};
use heddle_oracle::{Oracle, Subject};
use heddle_rt::{Cursor, Engine, LockMode, ThreadCache};
use random::Random;
use std::collections::BTreeSet;
use std::sync::Mutex;

const SITE: SiteId = SiteId::new(0);
const TASKS: u64 = 3;
const LOCATIONS: u64 = 4;
const GROUP: GroupId = GroupId::new(5);

/// What one task does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Read(u64),
    Write(u64),
    Acquire(usize),
    Release(usize),
    /// A signal nobody waits for: a task operation.
    Operation,
}

type Program = Vec<Vec<Step>>;

/// Tasks with a few accesses, some of them in sections of one or two locks.
fn program(random: &mut Random) -> Program {
    (0..TASKS).map(|_| task(random)).collect()
}

fn task(random: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..1 + random.below(3) {
        let lock = random.below(4) as usize;
        let is_locked = lock < 2;
        if is_locked {
            steps.push(Step::Acquire(lock));
        }
        for _ in 0..1 + random.below(2) {
            let location = random.below(LOCATIONS);
            steps.push(match random.below(2) {
                0 => Step::Read(location),
                _ => Step::Write(location),
            });
        }
        if is_locked {
            steps.push(Step::Release(lock));
        }
        if random.below(6) == 0 {
            steps.push(Step::Operation);
        }
    }
    steps
}

fn lock(number: usize) -> LockId {
    LockId::new(number as u32 + 1)
}

/// The same as events, one task after the other.
fn events(program: &Program) -> Vec<Event> {
    let extent = |location| Extent::one(Location(location));
    let mut events = vec![
        Event::Atomic {
            extent: Extent::new(Location(0), 2),
            group: None,
        },
        Event::Atomic {
            extent: Extent::new(Location(2), 2),
            group: Some(GROUP),
        },
    ];
    for (number, steps) in program.iter().enumerate() {
        let task = TaskId::new(number as u32 + 1);
        events.push(Event::Spawn {
            task,
            finish: FinishId::MAIN,
            kind: TaskKind::Async,
            site: SITE,
            name: None,
        });
        events.push(Event::Begin { task });
        let site = SITE;
        events.extend(steps.iter().map(|step| match *step {
            Step::Read(location) => Event::Read {
                extent: extent(location),
                site,
            },
            Step::Write(location) => Event::Write {
                extent: extent(location),
                site,
            },
            Step::Acquire(number) => Event::Acquire {
                lock: lock(number),
                mode: LockMode::Exclusive,
                site,
            },
            Step::Release(number) => Event::Release {
                lock: lock(number),
                site,
            },
            Step::Operation => Event::Signal {
                token: heddle_core::TokenId::new(0),
                site,
            },
        }));
        events.push(Event::End { task });
        events.push(Event::Resume { task: TaskId::MAIN });
    }
    events
}

fn execute(engine: &Engine, locks: &[Mutex<()>; 2], steps: &[Step], cursor: &mut Cursor) {
    let mut cache = ThreadCache::new();
    let mut held = [None, None];
    for step in steps {
        match *step {
            Step::Read(location) => engine.read(&mut cache, cursor, location, 1, || 1),
            Step::Write(location) => engine.write(&mut cache, cursor, location, 1, || 2),
            Step::Acquire(number) => {
                held[number] = locks[number].lock().ok();
                engine.acquire(cursor, lock(number), LockMode::Exclusive);
            }
            Step::Release(number) => {
                engine.release(cursor, lock(number));
                held[number] = None;
            }
            Step::Operation => {
                engine.signal(cursor);
            }
        }
        std::thread::yield_now();
    }
}

fn torn(program: &Program) -> BTreeSet<Subject> {
    let engine = &Engine::new().expect("address space");
    let locks = &[Mutex::new(()), Mutex::new(())];
    let mut main = engine.main_task();
    engine.watch_range(0, 2, None);
    engine.watch_range(2, 2, Some(GROUP));
    let scope = engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    std::thread::scope(|threads| {
        for steps in program {
            let mut cursor = engine.spawn(&mut main, None, TaskKind::Async, SITE, None);
            threads.spawn(move || {
                execute(engine, locks, steps, &mut cursor);
                engine.end(cursor);
            });
        }
    });
    engine.finish_end(&mut main, scope);
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    assert!(!engine.gave_up());
    let tears = engine.tears(&roster.ancestry()).into_iter();
    tears
        .filter_map(|finding| match finding {
            Finding::Atomicity {
                group: Some(group), ..
            } => Some(Subject::Group(group)),
            Finding::Atomicity { places, .. } => {
                Some(Subject::Location(Location(places[0].location)))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn every_run_finds_what_the_oracle_says_can_be_torn() {
    let (mut random, mut found) = (Random(7), 0);
    for _ in 0..300 {
        let program = program(&mut random);
        let expected = Oracle::of(&events(&program)).torn(Scope::Declared);
        let expected: BTreeSet<Subject> = expected.iter().map(|torn| torn.subject).collect();
        found += expected.len();
        for _ in 0..3 {
            assert_eq!(torn(&program), expected, "{program:#?}");
        }
    }
    assert!(found > 100, "{found}");
}
