//! Values behind locks: what is reported of them without a word from the program, and what is not.

use super::*;
use heddle::{Mutex, RwLock, par_for};

/// Two tasks that each do `work` on a mutex called m.
fn on_mutex(work: impl Fn(&Mutex<Vec<i32>>) + Sync) -> BTreeSet<String> {
    torn(|| {
        let m = Mutex::named("m", vec![1, 2, 3]);
        both(|| work(&m), || work(&m));
    })
}

/// Two tasks that each do `work` on a readers-writer lock called m.
fn on_rwlock(work: impl Fn(&RwLock<i32>) + Sync) -> BTreeSet<String> {
    torn(|| {
        let m = RwLock::named("m", 1);
        both(|| work(&m), || work(&m));
    })
}

#[test]
fn a_change_that_follows_from_an_earlier_look_is_torn() {
    let found = on_mutex(|m| {
        let len = m.lock().unwrap().len();
        m.lock().unwrap().truncate(len - 1);
    });
    assert_eq!(found, only("m"));
    let found = on_rwlock(|m| {
        let seen = *m.read().unwrap();
        *m.write().unwrap() = seen + 1;
    });
    assert_eq!(found, only("m"));
}

#[test]
fn to_look_and_to_change_in_one_section_is_right() {
    let found = on_mutex(|m| {
        let mut m = m.lock().unwrap();
        let len = m.len();
        m.truncate(len - 1);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn sections_that_only_change_are_independent() {
    let found = on_mutex(|m| {
        m.lock().unwrap().push(1);
        m.lock().unwrap().push(2);
        m.lock().unwrap().pop();
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn sections_that_only_look_are_independent() {
    let found = torn(|| {
        let m = Mutex::new(1);
        let look = || {
            let first = *m.lock().unwrap();
            first + *m.lock().unwrap()
        };
        both(look, || *m.lock().unwrap() += 1);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_look_after_the_change_is_independent() {
    let found = on_mutex(|m| {
        m.lock().unwrap().push(1);
        assert!(!m.lock().unwrap().is_empty());
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn who_looks_again_before_the_change_is_right() {
    let found = on_mutex(|m| {
        if m.lock().unwrap().len() < 9 {
            let mut m = m.lock().unwrap();
            if m.len() < 9 {
                m.push(1);
            }
        }
    });
    assert!(found.is_empty(), "{found:?}");
    let found = on_rwlock(|m| {
        if *m.read().unwrap() < 9 {
            let mut m = m.write().unwrap();
            if *m < 9 {
                *m += 1;
            }
        }
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_look_that_comes_only_after_the_change_is_not_one_before_it() {
    let found = on_rwlock(|m| {
        let seen = *m.read().unwrap();
        let mut m = m.write().unwrap();
        *m = seen + 1;
        assert!(*m > 0);
    });
    assert_eq!(found, only("m"));
}

#[test]
fn a_change_after_a_change_needs_a_look_of_its_own() {
    let found = on_mutex(|m| {
        m.lock().unwrap().push(1);
        let len = m.lock().unwrap().len();
        m.lock().unwrap().truncate(len - 1);
    });
    assert_eq!(found, only("m"));
}

#[test]
fn a_counter_that_is_shown_after_each_step_is_clean() {
    let found = on_mutex(|m| {
        for step in 0..3 {
            m.lock().unwrap().push(step);
            assert!(m.lock().unwrap().len() > 3);
        }
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn an_update_in_a_loop_is_torn() {
    let found = on_mutex(|m| {
        for _ in 0..3 {
            let len = m.lock().unwrap().len();
            m.lock().unwrap().resize(len + 1, 7);
        }
    });
    assert_eq!(found, only("m"));
}

#[test]
fn who_looks_first_and_then_changes_tears_the_updates_of_others() {
    let found = torn(|| {
        let m = Mutex::named("m", 1);
        both(
            || {
                let seen = *m.lock().unwrap();
                *m.lock().unwrap() = seen + 1;
            },
            || {
                let mut m = m.lock().unwrap();
                let seen = *m;
                *m = seen * 2;
            },
        );
    });
    assert_eq!(found, only("m"));
}

#[test]
fn readers_tear_nothing() {
    let found = torn(|| {
        let m = Mutex::new(1);
        both(
            || {
                let seen = *m.lock().unwrap();
                *m.lock().unwrap() = seen + 1;
            },
            || *m.lock().unwrap(),
        );
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn tasks_that_come_one_after_the_other_tear_nothing() {
    let found = torn(|| {
        let m = Mutex::new(1);
        for _ in 0..2 {
            finish(|s| {
                s.spawn(|_| {
                    let seen = *m.lock().unwrap();
                    *m.lock().unwrap() = seen + 1;
                })
            });
        }
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_task_operation_in_between_ends_the_strand() {
    let found = on_mutex(|m| {
        let len = m.lock().unwrap().len();
        finish(|s| s.spawn(|_| ()));
        m.lock().unwrap().truncate(len - 1);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn another_lock_held_throughout_keeps_out_who_takes_it() {
    let found = torn(|| {
        let (outer, m) = (Mutex::new(()), Mutex::new(1));
        let add = || {
            let _guard = outer.lock().unwrap();
            let seen = *m.lock().unwrap();
            *m.lock().unwrap() = seen + 1;
        };
        both(add, add);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn chunks_that_count_in_a_mutex_are_clean() {
    let found = torn(|| {
        let total = Mutex::new(0);
        let log = Mutex::new(Vec::new());
        heddle::par_chunks(0..40, 10, |chunk| {
            for i in chunk {
                *total.lock().unwrap() += i;
                log.lock().unwrap().push(i);
            }
        });
        assert_eq!(*total.lock().unwrap(), 780);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_queue_of_work_is_clean() {
    let found = torn(|| {
        let queue = Mutex::new((0..20).collect::<Vec<_>>());
        let done = Mutex::new(0);
        par_for(0..4, |_| {
            while let Some(work) = { queue.lock().unwrap().pop() } {
                *done.lock().unwrap() += work;
            }
        });
        assert_eq!(*done.lock().unwrap(), 190);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn an_independent_lock_is_never_torn() {
    let found = torn(|| {
        let m = Mutex::new(1).independent();
        let add = || {
            let seen = *m.lock().unwrap();
            *m.lock().unwrap() = seen + 1;
        };
        both(add, add);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn an_atomic_lock_is_torn_by_whatever_no_serial_sequence_explains() {
    static LOG: Mutex<Vec<i32>> = Mutex::named("log", Vec::new()).atomic();
    let found = torn(|| {
        let push = || {
            LOG.lock().unwrap().push(1);
            LOG.lock().unwrap().push(2);
        };
        both(push, || LOG.lock().unwrap().len());
    });
    assert_eq!(found, only("log"));
    let found = torn(|| {
        let m = RwLock::new(1).atomic();
        both(
            || *m.read().unwrap() + *m.read().unwrap(),
            || *m.read().unwrap(),
        );
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_guard_lent_to_another_task_is_its_owners() {
    let found = torn(|| {
        let m = RwLock::new(5);
        let guard = m.read().unwrap();
        finish(|s| {
            let value: &i32 = &guard;
            s.spawn(move |_| assert_eq!(*value, 5));
        });
        drop(guard);
        both(|| *m.write().unwrap() += 1, || *m.write().unwrap() += 1);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_lines_are_those_of_the_look_and_of_the_changes() {
    let m = Mutex::new(1);
    let first = line!() + 3;
    let found = lines(|| {
        let update = || {
            let seen = *m.lock().unwrap();
            *m.lock().unwrap() = seen + 1;
        };
        let set = || *m.lock().unwrap() = 7;
        both(update, set);
    });
    assert_eq!(found, [first, first + 3, first + 1]);
}
