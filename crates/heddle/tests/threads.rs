//! Threads and what synchronises them, under the names of the standard library; and threads nobody knows.

use heddle::sync::{Arc, Barrier, Condvar, Mutex, OnceLock, mpsc};
use heddle::{Shared, SharedVec, check, join, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn a_thread_runs_beside_its_creator_until_it_is_joined() {
    let both = |joins_first: bool| {
        check(move || {
            let hits = Arc::new(Shared::new(0));
            let other = Arc::clone(&hits);
            let worker = thread::spawn(move || other.add(1));
            if joins_first {
                worker.join().unwrap();
                hits.add(1);
            } else {
                hits.add(1);
                worker.join().unwrap();
            }
        })
    };
    both(true).assert_clean();
    assert!(both(false).races().count() >= 1);
}

#[test]
fn a_scope_joins_its_threads_and_theirs() {
    check(|| {
        let halves = SharedVec::new(2, 0);
        thread::scope(|s| {
            s.spawn(|| halves.set(0, 1));
            s.spawn(|| {
                s.spawn(|| halves.set(1, 2));
            });
        });
        assert_eq!(halves.get(0) + halves.get(1), 3);
    })
    .assert_clean();
    let report = check(|| {
        let value = Shared::new(0);
        thread::scope(|s| {
            s.spawn(|| value.set(1));
            s.spawn(|| value.set(2));
        });
    });
    assert_eq!(report.races().count(), 1);
}

#[test]
fn a_barrier_orders_all_threads_of_a_round() {
    let report = |waits: bool| {
        check(move || {
            let (values, barrier) = (SharedVec::new(2, 0), Barrier::new(2));
            thread::scope(|s| {
                for me in 0..2 {
                    let (values, barrier) = (&values, &barrier);
                    s.spawn(move || {
                        values.set(me, 1);
                        if waits {
                            barrier.wait();
                        }
                        values.get(1 - me);
                    });
                }
            });
        })
    };
    report(true).assert_clean();
    assert!(!report(false).is_clean());
}

#[test]
fn a_message_comes_after_what_its_sender_did_before() {
    let report = |writes_late: bool| {
        check(move || {
            let (sender, receiver) = mpsc::channel();
            let value = Arc::new(Shared::new(0));
            let own = Arc::clone(&value);
            let worker = thread::spawn(move || {
                if !writes_late {
                    own.set(5);
                }
                sender.send(()).unwrap();
                if writes_late {
                    own.set(5);
                }
            });
            receiver.recv().unwrap();
            value.get();
            worker.join().unwrap();
        })
    };
    report(false).assert_clean();
    assert!(!report(true).is_clean());
}

#[test]
fn what_is_set_once_comes_before_its_use() {
    check(|| {
        let size = OnceLock::new();
        let make = || {
            let size = Shared::new(0);
            size.set(5);
            size
        };
        let get = || size.get_or_init(make).get();
        thread::scope(|s| {
            s.spawn(get);
            s.spawn(get);
        });
    })
    .assert_clean();
}

#[test]
fn a_condition_with_its_predicate_is_no_race() {
    let report = check(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new(), Shared::new(0)));
        let other = Arc::clone(&shared);
        let worker = thread::spawn(move || {
            other.2.set(7);
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut ready = shared.0.lock().unwrap();
        while !*ready {
            ready = shared.1.wait(ready).unwrap();
        }
        drop(ready);
        assert_eq!(shared.2.get(), 7);
        worker.join().unwrap();
    });
    assert!(report.is_clean(), "{report}");
}

#[test]
fn threads_lose_updates_between_two_sections() {
    let report = check(|| {
        let balance = Mutex::named("balance", 100);
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    let seen = *balance.lock().unwrap();
                    *balance.lock().unwrap() = seen - 1;
                });
            }
        });
    });
    assert!(!report.is_clean());
}

#[test]
fn a_check_that_shares_with_a_thread_nobody_knows_fails_and_names_the_place() {
    let checked = catch_unwind(|| {
        check(|| {
            let value = Arc::new(Shared::new(0));
            let other = Arc::clone(&value);
            let stray = std::thread::spawn(move || other.set(1));
            value.set(2);
            stray.join().unwrap();
        })
    });
    let payload = checked.expect_err("it is no clean run");
    let message = payload.downcast::<String>().expect("it says why");
    assert!(message.contains("threads.rs:"), "{message}");
    assert!(message.contains("heddle::thread::spawn"), "{message}");
}

#[test]
fn values_of_other_threads_alone_do_not_matter() {
    check(|| {
        let value = Shared::new(0);
        std::thread::spawn(|| Shared::new(1).set(2)).join().unwrap();
        value.set(1);
    })
    .assert_clean();
}

#[test]
fn a_panic_of_a_thread_is_its_joiners_business() {
    check(|| assert!(thread::spawn(|| panic!("expected")).join().is_err())).assert_clean();
    assert_eq!(thread::spawn(|| 5).join().unwrap(), 5);
}

/// Two take both locks, each another one first, and neither goes on before both have one.
fn crossed(run: impl FnOnce(&(dyn Fn() + Sync), &(dyn Fn() + Sync))) {
    let (left, right, both) = (Mutex::new(0), Mutex::new(0), Barrier::new(2));
    let one = || {
        let _left = left.lock();
        both.wait();
        let _right = right.lock();
    };
    let other = || {
        let _right = right.lock();
        both.wait();
        let _left = left.lock();
    };
    run(&one, &other);
}

#[test]
fn those_who_wait_for_each_others_locks_are_told_so() {
    let threads = || {
        crossed(|one, other| {
            thread::scope(|s| {
                s.spawn(one);
                s.spawn(other);
            });
        });
    };
    let tasks = || crossed(|one, other| _ = join(one, other));
    let check = |threads, body: &(dyn Fn() + Sync)| {
        let checker = heddle::Checker::new().parallel(threads);
        let checked = AssertUnwindSafe(|| checker.check(body));
        assert!(catch_unwind(checked).is_err());
    };
    check(0, &threads);
    check(2, &threads);
    check(2, &tasks);
}
