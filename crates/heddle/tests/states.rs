//! Matching of states in Rust programs: whatever tasks see and keep, as much is found and the same values come out as
//! without any reduction.

use heddle::atomic::{AtomicI64, Ordering::SeqCst};
use heddle::{
    Explorer, Mutex, Reduction, Shared, SharedVec, finish, future, isolated, join, par_for,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;

/// What a task does; `seen` is a local variable of the task.
#[derive(Clone, Debug)]
enum Act {
    /// `v[at] += by`, without looking at it.
    Add(usize, i64),
    /// `seen = v[at]`
    Look(usize),
    /// The same, from inside of a section without a result.
    LookInside(usize),
    /// `v[at] = seen + by`
    Put(usize, i64),
    /// Without a section.
    Bare(usize),
    /// A number behind a lock grows by what was seen.
    Lock(i64),
    /// A list behind a lock gets what was seen.
    Push,
    /// How long that list is.
    Len,
    /// An atomic.
    FetchAdd(i64),
    Store,
    /// What the lock has, if it is free.
    Try,
    /// What a future sees.
    Ask(usize),
    /// Which of two ends first is taken.
    Any,
    IfSeen(i64, Box<Act>),
    Assert(i64),
}

#[derive(Default)]
struct World {
    v: SharedVec<i64>,
    number: Mutex<i64>,
    list: Mutex<Vec<i64>>,
    atomic: AtomicI64,
}

impl Act {
    fn perform(&self, world: &World, seen: &mut i64) {
        let v = &world.v;
        match *self {
            Self::Add(at, by) => isolated(|| v.add(at, by)),
            Self::Look(at) => *seen = isolated(|| v.get(at)),
            Self::LookInside(at) => isolated(|| *seen = v.get(at)),
            Self::Put(at, by) => isolated(|| v.set(at, *seen + by)),
            Self::Bare(at) => v.set(at, *seen),
            Self::Lock(by) => *world.number.lock().unwrap() += *seen + by,
            Self::Push => world.list.lock().unwrap().push(*seen),
            Self::Len => *seen = world.list.lock().unwrap().len() as i64,
            Self::FetchAdd(by) => *seen = world.atomic.fetch_add(by, SeqCst),
            Self::Store => world.atomic.store(*seen, SeqCst),
            Self::Try => {
                if let Ok(number) = world.number.try_lock() {
                    *seen += *number;
                }
            }
            Self::Ask(at) => {
                *seen = finish(|s| s.future(|| isolated(|| v.get(at))).join());
            }
            Self::Any => finish(|s| {
                let group = s.group();
                group.post(|| isolated(|| v.add(0, 1)));
                group.post(|| isolated(|| v.add(1, 1)));
                group.wait_any();
                *seen = isolated(|| v.get(0));
                group.wait_all();
            }),
            Self::IfSeen(is, ref act) => {
                if *seen == is {
                    act.perform(world, seen);
                }
            }
            Self::Assert(most) => assert!(*seen <= most),
        }
    }
}

type Tasks = Vec<Vec<Act>>;

fn acts() -> impl Strategy<Value = Act> {
    let at = 0..2usize;
    let by = 1..3i64;
    let simple = prop_oneof![
        3 => (at.clone(), by.clone()).prop_map(|(at, by)| Act::Add(at, by)),
        2 => at.clone().prop_map(Act::Look),
        2 => at.clone().prop_map(Act::LookInside),
        2 => (at.clone(), by.clone()).prop_map(|(at, by)| Act::Put(at, by)),
        1 => at.clone().prop_map(Act::Bare),
        2 => by.clone().prop_map(Act::Lock),
        1 => Just(Act::Push),
        1 => Just(Act::Len),
        2 => by.prop_map(Act::FetchAdd),
        1 => Just(Act::Store),
        1 => Just(Act::Try),
        1 => at.prop_map(Act::Ask),
        1 => Just(Act::Any),
        1 => (0..3i64).prop_map(Act::Assert),
    ];
    (simple, proptest::option::of(0..2i64)).prop_map(|(act, is)| match is {
        Some(is) => Act::IfSeen(is, Box::new(act)),
        None => act,
    })
}

fn tasks() -> impl Strategy<Value = Tasks> {
    let task = |most| prop::collection::vec(acts(), 1..=most);
    (task(3), task(2), prop::option::of(task(1)))
        .prop_map(|(a, b, c)| [a, b].into_iter().chain(c).collect())
}

/// What is found and what comes out: values, and what each task saw last.
type Results = (
    BTreeSet<String>,
    BTreeSet<(Vec<i64>, i64, Vec<i64>, i64, Vec<i64>)>,
);

fn results(tasks: &Tasks, explorer: &Explorer) -> Results {
    let out = StdMutex::new(BTreeSet::new());
    let exploration = explorer.explore(|| {
        let world = World {
            v: SharedVec::new(2, 0).named("v"),
            ..World::default()
        };
        let mut seen = vec![0; tasks.len()];
        finish(|s| {
            for (task, seen) in tasks.iter().zip(&mut seen) {
                let world = &world;
                s.spawn(move |_| task.iter().for_each(|act| act.perform(world, seen)));
            }
        });
        let World {
            v,
            number,
            list,
            atomic,
        } = world;
        let number = number.into_inner().unwrap_or_default();
        let list = list.into_inner().unwrap_or_default();
        let end = (v.into_vec(), number, list, atomic.into_inner(), seen);
        out.lock().unwrap().insert(end);
    });
    assert!(exploration.is_complete());
    let found = exploration.findings().iter();
    let found = found.map(|found| format!("{:?} {:?}", found.finding.kind, found.finding.location));
    (found.collect(), out.into_inner().unwrap())
}

fn cases() -> u32 {
    let wanted = std::env::var("HEDDLE_STATES_CASES").ok();
    wanted.and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn all_reductions_find_the_same_and_the_same_values_come_out(tasks in tasks()) {
        let explorer = |reduction| Explorer::new().reduction(reduction);
        let all = results(&tasks, &explorer(Reduction::None));
        let has_race = all.0.iter().any(|found| found.starts_with("Race"));
        for reduction in [Reduction::Dpor, Reduction::States] {
            let some = results(&tasks, &explorer(reduction));
            prop_assert_eq!(&all.0, &some.0, "{:?}", reduction);
            // A race may produce any value; see the documentation.
            if !has_race {
                prop_assert_eq!(&all.1, &some.1, "{:?}", reduction);
            }
        }
    }
}

#[test]
fn ten_counting_tasks_have_as_many_states_as_sets_of_tasks() {
    let exploration = Explorer::new().reduction(Reduction::States).explore(|| {
        let count = Shared::new(0);
        par_for(0..10, |_| isolated(|| count.add(1)));
        assert_eq!(count.get(), 10);
    });
    exploration.assert_clean();
    assert!(exploration.is_complete());
    assert!(
        exploration.states() <= 1024,
        "{} states",
        exploration.states()
    );
}

#[test]
fn what_is_kept_from_a_section_without_a_result_tells_states_apart() {
    // Both orders leave the same shared values; only the local variable knows which it was.
    let body = || {
        let x = Shared::new(0);
        let mut kept = 0;
        finish(|s| {
            let (x, kept) = (&x, &mut kept);
            s.spawn(move |_| isolated(|| *kept = x.get()));
            s.spawn(move |_| isolated(|| x.set(1)));
        });
        assert_eq!(kept, 0);
    };
    for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
        let exploration = Explorer::new().reduction(reduction).explore(body);
        assert_eq!(
            exploration.findings().len(),
            1,
            "{reduction:?}\n{exploration}"
        );
    }
}

#[test]
fn what_cannot_be_explored_is_refused_with_a_reason() {
    let refused = |body: fn()| {
        let result = std::panic::catch_unwind(|| Explorer::new().explore(body));
        let payload = result.map(|_| ()).expect_err("it is refused");
        *payload.downcast::<String>().expect("a reason")
    };
    let thread = refused(|| drop(heddle::thread::spawn(|| ())));
    assert_eq!(thread, "a thread cannot be explored: make it a task");
    let channel = refused(|| {
        let (sender, receiver) = heddle::sync::mpsc::channel();
        join(|| sender.send(1).unwrap(), move || receiver.recv().unwrap());
    });
    assert!(
        channel.starts_with("a channel cannot be explored"),
        "{channel}"
    );
    let condition = refused(|| {
        let (ready, changed) = (Mutex::new(false), heddle::sync::Condvar::new());
        join(
            || drop(changed.wait_while(ready.lock().unwrap(), |ready| !*ready)),
            || *ready.lock().unwrap() = true,
        );
    });
    assert!(
        condition.starts_with("a condition variable cannot"),
        "{condition}"
    );
    let barrier = refused(|| {
        let barrier = heddle::sync::Barrier::new(2);
        join(|| barrier.wait(), || barrier.wait());
    });
    assert!(barrier.starts_with("a barrier cannot"), "{barrier}");
    let once = refused(|| {
        let once = heddle::sync::OnceLock::new();
        join(|| *once.get_or_init(|| 1), || *once.get_or_init(|| 2));
    });
    assert!(once.starts_with("a `OnceLock` cannot"), "{once}");
}

#[test]
fn several_threads_find_what_one_finds() {
    let body = || {
        let count = Shared::new(0).named("count");
        par_for(0..4, |_| {
            let seen = isolated(|| count.get());
            isolated(|| count.set(seen + 1));
        });
        assert_eq!(count.get(), 4);
    };
    for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
        let explorer = Explorer::new().reduction(reduction);
        let (one, three) = (
            explorer.explore(body),
            explorer.clone().jobs(3).explore(body),
        );
        assert_eq!(one.findings().len(), 1);
        assert_eq!(three.findings().len(), 1, "{reduction:?}\n{three}");
        assert!(three.is_complete());
    }
}

#[test]
fn memory_that_is_named_by_hand_has_the_same_location_in_every_run() {
    let exploration = Explorer::new().explore(|| {
        let plain = 0u64;
        let ready = Shared::new(0);
        let value = future(|| ());
        join(
            || {
                isolated(|| ready.set(1));
                heddle::write(&plain);
            },
            || isolated(|| ready.get()),
        );
        value.join();
    });
    exploration.assert_clean();
}
