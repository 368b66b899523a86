//! Velodrome while the program runs says what Velodrome says of the recorded run, which keeps every
//! transaction and every edge.

mod driver;

use driver::{Driver, Numbers};
use heddle_core::atomicity::{Scope, velodrome};
use heddle_core::{Event, Features, GroupId, Listener, Location, Run};
use heddle_oracle::stream::{Class, Mode, atomic_script, simulate};
use heddle_oracle::try_cases;
use heddle_rt::Engine;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

struct Recorded<'a>(&'a [Event]);

impl Run for Recorded<'_> {
    fn features(&self) -> Features {
        Features::default()
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.0.iter().for_each(|&event| listener.on(event));
    }
}

/// The groups that locations are declared to be in.
fn groups(events: &[Event]) -> HashMap<Location, GroupId> {
    let declared = events.iter().filter_map(|event| match *event {
        Event::Atomic { extent, group } => Some((extent, group?)),
        _ => None,
    });
    declared
        .flat_map(|(extent, group)| extent.locations().map(move |location| (location, group)))
        .collect()
}

/// How many of the runs have a cycle.
fn agrees(class: Class, mode: Mode, scope: Scope) -> usize {
    let cyclic = Cell::new(0);
    let result = try_cases(&atomic_script(class, mode), 400, 11, |script| {
        let events = simulate(script);
        let mut engine = Engine::new().expect("address space");
        engine.observe_order(scope);
        let mut driver = Driver::new(engine, Numbers::of(&events));
        events.iter().for_each(|&event| driver.on(event));
        let groups = groups(&events);
        let unit = |location: Location| match groups.get(&location) {
            Some(group) => (1, u64::from(group.raw())),
            None => (0, location.0),
        };
        let expected = velodrome(&mut Recorded(&events), scope).torn.into_iter();
        let expected: Vec<_> = expected
            .map(|(places, site)| (unit(Location(places[0].location)), site))
            .collect();
        let found: Vec<_> = driver.cycles();
        let found: Vec<_> = found.iter().map(|&(at, site)| (unit(at), site)).collect();
        cyclic.set(cyclic.get() + usize::from(!expected.is_empty()));
        // After the first cycle the one graph lacks the edge that closed it.
        let all: BTreeSet<_> = expected.iter().map(|(unit, _)| unit).collect();
        let is_part = found.iter().all(|(unit, _)| all.contains(unit));
        // So it is after a cycle of locks alone, which only the next access shows.
        let by_waits = driver.engine.cycles().unwrap_or_default().by_waits > 0;
        match is_part && (by_waits || found.first() == expected.first()) {
            true => Ok(()),
            false => Err(format!(
                "found {found:?}, expected {expected:?}\n\n{script}"
            )),
        }
    });
    if let Err(wrong) = result {
        panic!("{class:?}, {mode:?}, {scope:?}: {wrong}");
    }
    cyclic.get()
}

#[test]
fn interleaved_runs_have_the_same_cycles() {
    let mut cyclic = 0;
    for class in Class::ALL {
        cyclic += agrees(class, Mode::Interleaved, Scope::Declared);
        cyclic += agrees(class, Mode::Interleaved, Scope::All);
    }
    assert!(cyclic > 100, "{cyclic} runs have cycles");
}

/// Blocks with tasks in them have cycles even then.
#[test]
fn serial_runs_have_the_same_cycles() {
    let cyclic = Class::ALL.map(|class| agrees(class, Mode::Serial, Scope::Declared));
    assert!(cyclic.iter().sum::<usize>() > 10, "{cyclic:?}");
}

/// On two real threads, the one reads, the other writes, the one writes; each within one region.
#[cfg(not(any(feature = "shuttle", feature = "spin")))]
fn torn_on_threads(granules: [u64; 3]) -> usize {
    use heddle_core::{AccessKind, SiteId, TaskKind};
    use heddle_rt::Touch;

    let site = SiteId::new(0);
    let mut engine = Engine::new().expect("address space");
    engine.observe_order(Scope::All);
    let mut main = engine.main_task();
    let mut tasks = [(); 2].map(|()| engine.spawn(&mut main, None, TaskKind::Async, site, None));
    let [one, other] = &mut tasks;
    let turn = std::sync::Barrier::new(2);
    let touch = |cursor: &mut heddle_rt::Cursor, kind, granule| {
        let (mask, since) = (0xff, 0);
        let touch = Touch {
            kind,
            granule,
            mask,
            since,
        };
        engine.observe(cursor, touch, || 0);
        turn.wait();
    };
    std::thread::scope(|threads| {
        threads.spawn(|| {
            touch(one, AccessKind::Read, granules[0]);
            turn.wait();
            touch(one, AccessKind::Write, granules[2]);
        });
        threads.spawn(|| {
            turn.wait();
            touch(other, AccessKind::Write, granules[1]);
            turn.wait();
        });
    });
    engine.cycles().unwrap_or_default().torn.len()
}

#[cfg(not(any(feature = "shuttle", feature = "spin")))]
#[test]
fn an_update_torn_on_real_threads_is_a_cycle_and_one_that_is_not_is_none() {
    assert_eq!(torn_on_threads([5, 5, 5]), 1);
    assert_eq!(torn_on_threads([5, 6, 5]), 0);
}

/// What threads do at random leaves no transaction behind: whoever comes later meets nobody.
#[cfg(not(any(feature = "shuttle", feature = "spin")))]
#[test]
fn nothing_is_alive_once_all_are_over() {
    use heddle_core::{AccessKind, SiteId, TaskKind};
    use heddle_rt::Touch;

    let site = SiteId::new(0);
    let mut engine = Engine::new().expect("address space");
    engine.observe_order(Scope::All);
    let mut main = engine.main_task();
    let tasks: Vec<_> = (0..4)
        .map(|_| engine.spawn(&mut main, None, TaskKind::Async, site, None))
        .collect();
    let work = |mut cursor: heddle_rt::Cursor, seed: u64| {
        let mut random = seed;
        for n in 0..20_000u64 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let kind = [AccessKind::Read, AccessKind::Write][(random >> 60) as usize & 1];
            let touch = Touch {
                kind,
                granule: (random >> 40) % 8,
                mask: [0xff, 0x0f, 0xf0][(random >> 33) as usize % 3],
                since: 0,
            };
            engine.observe(&mut cursor, touch, || 0);
            if n % 16 == 0 {
                engine.signal(&mut cursor);
            }
        }
        engine.end(cursor);
    };
    std::thread::scope(|threads| {
        for (task, seed) in tasks.into_iter().zip(1..) {
            threads.spawn(move || work(task, seed));
        }
    });
    let before = engine.cycles().unwrap_or_default();
    assert!(before.regions > 4000, "{before:?}");
    for granule in 0..8 {
        let touch = Touch {
            kind: AccessKind::Write,
            granule,
            mask: 0xff,
            since: 0,
        };
        engine.observe(&mut main, touch, || 0);
    }
    assert_eq!(engine.cycles().unwrap_or_default().edges, before.edges);
}
