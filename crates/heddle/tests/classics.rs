//! Classic problems of concurrent programming, each with a defective and a right solution, explored.

use heddle::atomic::{AtomicU32, Ordering};
use heddle::{
    Exploration, Explorer, Mutex, Reduction, RwLock, Shared, SharedVec, finish, isolated, join,
};

/// What is found by every reduction: kinds, sorted, each once.
#[track_caller]
fn finds(body: impl Fn() + Sync, expected: &[&str]) {
    for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
        let explorer = Explorer::new().reduction(reduction);
        let exploration = explorer.max_schedules(200_000).explore(&body);
        assert!(exploration.is_complete(), "{reduction:?}: {exploration}");
        assert_eq!(
            kinds(&exploration),
            expected,
            "{reduction:?}: {exploration}"
        );
    }
}

fn kinds(exploration: &Exploration) -> Vec<String> {
    let found = exploration.findings().iter();
    let mut kinds: Vec<String> = found
        .map(|found| format!("{:?}", found.finding.kind).to_lowercase())
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Two transfers between two accounts, with a lock for each.
fn transfers(in_one_sequence: bool) {
    let accounts = [Mutex::new(10), Mutex::new(10)];
    let transfer = |from: usize, to: usize| {
        let (first, second) = match in_one_sequence {
            true => (from.min(to), from.max(to)),
            false => (from, to),
        };
        let mut one = accounts[first].lock().unwrap();
        let mut other = accounts[second].lock().unwrap();
        let sum = if first == from { -1 } else { 1 };
        *one += sum;
        *other -= sum;
    };
    join(|| transfer(0, 1), || transfer(1, 0));
    let [one, other] = accounts.map(|account| account.into_inner().unwrap());
    assert_eq!((one, other), (10, 10));
}

#[test]
fn transfers_deadlock_unless_locks_are_taken_in_one_sequence() {
    finds(|| transfers(false), &["deadlock"]);
    finds(|| transfers(true), &[]);
}

#[test]
fn a_reader_that_becomes_a_writer_has_to_look_again() {
    let increments = |looks_again: bool| {
        let (lock, value) = (RwLock::new(()), Shared::new(0));
        let increment = || {
            let seen = {
                let _read = lock.read().unwrap();
                value.get()
            };
            let _write = lock.write().unwrap();
            value.set(1 + if looks_again { value.get() } else { seen });
        };
        join(increment, increment);
        assert_eq!(value.get(), 2);
    };
    finds(|| increments(false), &["assertion"]);
    finds(|| increments(true), &[]);
}

#[test]
fn a_compare_exchange_loop_counts_and_a_load_with_a_store_does_not() {
    let count = |exchanges: bool| {
        let count = AtomicU32::new(0);
        let bump = || {
            let mut seen = count.load(Ordering::SeqCst);
            if !exchanges {
                return count.store(seen + 1, Ordering::SeqCst);
            }
            while let Err(other) =
                count.compare_exchange(seen, seen + 1, Ordering::SeqCst, Ordering::SeqCst)
            {
                seen = other;
            }
        };
        finish(|s| (0..2).for_each(|_| s.spawn(|_| bump())));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    };
    finds(|| count(false), &["assertion"]);
    finds(|| count(true), &[]);
}

#[test]
fn a_philosopher_who_tries_the_second_fork_never_waits_with_the_first() {
    let dine = |tries: bool| {
        let forks: Vec<_> = (0..3).map(|_| Mutex::new(0)).collect();
        finish(|s| {
            for seat in 0..3 {
                let forks = &forks;
                s.spawn(move |_| {
                    let mut left = forks[seat].lock().unwrap();
                    let right = &forks[(seat + 1) % 3];
                    match tries {
                        true => {
                            if let Ok(mut right) = right.try_lock() {
                                *right += 1;
                                *left += 1;
                            }
                        }
                        false => {
                            *right.lock().unwrap() += 1;
                            *left += 1;
                        }
                    }
                });
            }
        });
        let meals: i32 = forks
            .into_iter()
            .map(|fork| fork.into_inner().unwrap())
            .sum();
        // Who tries in vain goes hungry, perhaps all of them.
        assert!(tries && meals % 2 == 0 || meals == 6);
    };
    finds(|| dine(false), &["deadlock"]);
    // Without a reduction there are too many.
    for reduction in [Reduction::Dpor, Reduction::States] {
        Explorer::new()
            .reduction(reduction)
            .explore(|| dine(true))
            .assert_clean();
    }
}

#[test]
fn a_slot_that_is_taken_by_looking_first_can_be_taken_twice() {
    let claim = |at_once: bool| {
        let (free, owners) = (Mutex::new(true), SharedVec::new(2, 0));
        let claim = |me: usize| {
            let is_free = match at_once {
                true => std::mem::replace(&mut *free.lock().unwrap(), false),
                false => {
                    let is_free = *free.lock().unwrap();
                    *free.lock().unwrap() = false;
                    is_free
                }
            };
            if is_free {
                owners.set(me, 1);
            }
        };
        join(|| claim(0), || claim(1));
        assert_eq!(owners.get(0) + owners.get(1), 1);
    };
    finds(|| claim(false), &["assertion"]);
    finds(|| claim(true), &[]);
}

#[test]
fn a_value_written_before_its_future_is_waited_for_is_a_race_in_one_order_only() {
    let pipeline = |waits: bool| {
        let (stage, value) = (Shared::new(0), Shared::new(0));
        finish(|s| {
            let made = s.future(|| {
                value.set(1);
                isolated(|| stage.set(1));
            });
            if waits {
                made.get();
            }
            if isolated(|| stage.get()) == 0 {
                value.set(2);
            }
        });
    };
    finds(|| pipeline(false), &["race"]);
    finds(|| pipeline(true), &[]);
}
